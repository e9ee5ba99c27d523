/* cuda_error.h: turns a failed CUDA call into an error. The message names the call, its file and line, and the device. */
#ifndef DBFS_CUDA_ERROR_H
#define DBFS_CUDA_ERROR_H

#include "formats/base/status.h"

#include <cuda_runtime_api.h>

/* Makes a CUDA call. The value is the status of the call. If the call fails, writes a message to *e, unless *e has an
 * earlier error. The message has the call, its file and line, and `where` (host, rank and GPU). */
#define CUDA_TRY(call, where, e) cuda_check((call), #call, __FILE__, __LINE__, (where), (e))

/* The value is the status of this thread's earlier kernel launches: the first error of a launch. CUDA then forgets this
 * error. Used after launches, because a launch returns nothing. Does not wait for the kernels. */
#define CUDA_LAUNCHED(where, e) \
    cuda_check(cudaGetLastError(), "kernel launch", __FILE__, __LINE__, (where), (e))

/* Returns the status of a CUDA call that returned `code`. For success this is ST_OK, even if *e has an earlier error. For
 * an error, writes the message to *e. Then returns ST_RESOURCE if memory was short, and ST_RUNTIME otherwise. If *e has
 * an earlier error, leaves *e as it is, and returns the status of the earlier error. */
static inline enum status cuda_check(cudaError_t code, const char *call, const char *file, int line, const char *where,
                                     struct error *e)
{
    if (code == cudaSuccess)
        return ST_OK;
    return fail(e, code == cudaErrorMemoryAllocation ? ST_RESOURCE : ST_RUNTIME,
                "%s: %s:%d: %s: %s", where, file, line, call, cudaGetErrorString(code));
}

#endif
