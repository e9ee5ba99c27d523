/* device.h: the devices, the one that a thread uses, and errors */
#ifndef EMULATOR_DEVICE_H
#define EMULATOR_DEVICE_H

#include "include/cuda_runtime_api.h"

namespace emulated {

/* Of the calling thread. */
int current_device();

/* Notes an error for cudaGetLastError, and returns it. */
cudaError_t failed(cudaError_t error);

/* The error that a call has by the environment; cudaSuccess if it is to be made. The name is that of the
 * driver's function, so that FAIL_CUDA means what it does for tests/gpu/fail_cuda.c. */
cudaError_t fault(const char *name);

}

#endif
