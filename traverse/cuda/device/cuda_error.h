/* cuda_error.h: turns a failed CUDA call into an error. The message names the call, its file and line, and the device. */
#ifndef DBFS_CUDA_ERROR_H
#define DBFS_CUDA_ERROR_H

#include "formats/base/status.h"

#include <cuda_runtime_api.h>

/* Makes a CUDA call, and gives its status. If the call fails, writes a message to *e, unless *e has an earlier error. The
 * message has the call, its file and line, and `where` (host, rank and GPU). */
#define CUDA_TRY(call, where, e) cuda_check((call), #call, __FILE__, __LINE__, (where), (e))

/* Gives the status of this thread's kernel launches, which return nothing, and makes CUDA forget it. Does not wait for
 * kernels. */
#define CUDA_LAUNCHED(where, e) \
    cuda_check(cudaGetLastError(), "kernel launch", __FILE__, __LINE__, (where), (e))

/* Turns the result `code` of a CUDA call into a status. Success is ST_OK, even if *e has an earlier error. For an error
 * writes the message to *e and returns ST_RESOURCE if memory was short, otherwise ST_RUNTIME. But if *e has an earlier
 * error, only returns the status of that error. */
static inline enum status cuda_check(cudaError_t code, const char *call, const char *file, int line, const char *where,
                                     struct error *e)
{
    if (code == cudaSuccess)
        return ST_OK;
    return fail(e, code == cudaErrorMemoryAllocation ? ST_RESOURCE : ST_RUNTIME,
                "%s: %s:%d: %s: %s", where, file, line, call, cudaGetErrorString(code));
}

#endif
