/* cuda_error.h: turns a failed CUDA call into an error that names the call, its place and the device */
#ifndef DBFS_CUDA_ERROR_H
#define DBFS_CUDA_ERROR_H

#include "formats/base/status.h"

#include <cuda_runtime_api.h>

/* The status of a CUDA call; a failure names the call, file and line, and `where`: host, rank, GPU. */
#define CUDA_TRY(call, where, e) cuda_check((call), #call, __FILE__, __LINE__, (where), (e))

/* The status of the kernel launches before it. */
#define CUDA_LAUNCHED(where, e) \
    cuda_check(cudaGetLastError(), "kernel launch", __FILE__, __LINE__, (where), (e))

/* Returns the status of a CUDA call that gave `code`: ST_RESOURCE if memory was short, ST_RUNTIME for other errors. */
static inline enum status cuda_check(cudaError_t code, const char *call, const char *file, int line, const char *where,
                                     struct error *e)
{
    if (code == cudaSuccess)
        return ST_OK;
    return fail(e, code == cudaErrorMemoryAllocation ? ST_RESOURCE : ST_RUNTIME,
                "%s: %s:%d: %s: %s", where, file, line, call, cudaGetErrorString(code));
}

#endif
