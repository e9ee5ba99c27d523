/* cuda_load.h: from mapped files to device memory at the speed of the bus */
#ifndef DBFS_CUDA_LOAD_H
#define DBFS_CUDA_LOAD_H

#include "formats/base/status.h"

#include <stddef.h>

struct gpu_copy {
    void *to;         /* device memory */
    const void *from; /* pageable host memory */
    size_t bytes;
};

struct gpu_loader;

/* A loader has `threads` threads with a ring of pinned buffers each, for the current device. Pinning
 * buffers takes longer than filling them, so one loader serves all copies of a shard. */
enum status gpu_loader_open(struct gpu_loader **loader, int threads, const char *where,
                            struct error *e);
void gpu_loader_close(struct gpu_loader *loader); /* NULL is allowed */

/* Makes all the copies: each thread fills its buffers in turn, and the copy engine empties them. The driver
 * itself would take a mapped file page by page through one buffer. */
enum status gpu_loader_copy(struct gpu_loader *loader, const struct gpu_copy *copies, int count,
                            struct error *e);

#endif
