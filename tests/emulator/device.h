/* device.h: the devices, the one that a thread uses, and errors */
#ifndef EMULATOR_DEVICE_H
#define EMULATOR_DEVICE_H

#include "include/cuda_runtime_api.h"

#include <atomic>

namespace emulated {

/* The device of the calling thread. */
int current_device();

/* Whether a kernel ended itself: no call of the device succeeds any more. */
std::atomic<bool> &is_lost(int device);

/* Notes an error for cudaGetLastError, and returns it. */
cudaError_t failed(cudaError_t error);

}

#endif
