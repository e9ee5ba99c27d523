/* device.h: the devices, the one that a thread uses, and errors */
#ifndef EMULATOR_DEVICE_H
#define EMULATOR_DEVICE_H

#include "include/cuda_runtime_api.h"

namespace emulated {

/* Of the calling thread. */
int current_device();

/* Notes an error for cudaGetLastError, and returns it. */
cudaError_t failed(cudaError_t error);

}

#endif
