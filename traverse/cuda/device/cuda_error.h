/* cuda_error.h: turns a failed CUDA call into an error. The message names the call, its file and line, and the device. */
#ifndef DBFS_CUDA_ERROR_H
#define DBFS_CUDA_ERROR_H

#include "formats/base/status.h"

#include <cuda_runtime_api.h>

/* Makes a CUDA call. The value is the status of the call. If the call fails, writes to *e the call, file and line, and
 * `where`: host, rank and GPU. An earlier error in *e stays there. */
#define CUDA_TRY(call, where, e) cuda_check((call), #call, __FILE__, __LINE__, (where), (e))

/* The value is the status of the kernel launches that this thread has made: the first error of a launch, which is then
 * cleared. Used behind launches, because a launch returns nothing. Does not wait for the kernels. */
#define CUDA_LAUNCHED(where, e) \
    cuda_check(cudaGetLastError(), "kernel launch", __FILE__, __LINE__, (where), (e))

/* Returns the status of a CUDA call that returned `code`: ST_OK for success, whatever *e has already. For an error, writes
 * the message to *e, unless *e has an earlier error, and returns ST_RESOURCE if memory was short, or ST_RUNTIME. If *e has
 * an earlier error, returns the status of that error. */
static inline enum status cuda_check(cudaError_t code, const char *call, const char *file, int line, const char *where,
                                     struct error *e)
{
    if (code == cudaSuccess)
        return ST_OK;
    return fail(e, code == cudaErrorMemoryAllocation ? ST_RESOURCE : ST_RUNTIME,
                "%s: %s:%d: %s: %s", where, file, line, call, cudaGetErrorString(code));
}

#endif
