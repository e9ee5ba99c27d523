/* cuda_error.h: turns a failed CUDA call into an error. The message names the GPU, the cause and what would do, and the call with
 * its file and line. */
#ifndef DBFS_CUDA_ERROR_H
#define DBFS_CUDA_ERROR_H

#include "formats/base/status.h"

#include <cuda_runtime_api.h>

/* Makes a CUDA call, and gives its status. If the call fails, writes a message to *e, unless *e has an earlier error. The
 * message has the call, its file and line, and `where` (rank, host and GPU). */
#define CUDA_TRY(call, where, e) cuda_check((call), #call, __FILE__, __LINE__, (where), (e))

/* Gives the status of this thread's kernel launches, which return nothing, and makes CUDA forget it. Does not wait for
 * kernels. */
#define CUDA_LAUNCHED(where, e) \
    cuda_check(cudaGetLastError(), "kernel launch", __FILE__, __LINE__, (where), (e))

/* Writes the message of a CUDA call that failed to *e, and returns ST_RESOURCE if memory was short, otherwise ST_RUNTIME. But if
 * *e has an earlier error, only returns the status of that error. Makes CUDA forget the error of the call, if the GPU can still be used. */
enum status cuda_fail(cudaError_t code, const char *call, const char *file, int line, const char *where, struct error *e);

/* Turns the result `code` of a CUDA call into a status. Success is ST_OK, even if *e has an earlier error. For an error
 * calls cuda_fail. */
static inline enum status cuda_check(cudaError_t code, const char *call, const char *file, int line, const char *where,
                                     struct error *e)
{
    return code == cudaSuccess ? ST_OK : cuda_fail(code, call, file, line, where, e);
}

#endif
