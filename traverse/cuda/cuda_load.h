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

/* `threads` threads with a ring of pinned buffers each, for the current device. Pinning takes longer
 * than filling, so that a loader serves all copies of a shard. */
enum status gpu_loader_open(struct gpu_loader **loader, int threads, const char *where,
                            struct error *e);
void gpu_loader_close(struct gpu_loader *loader); /* NULL is allowed */

/* Copies all of them: each thread fills its buffers in turn, and the copy engine empties them. A map
 * is not read by the driver itself, which would take it page by page through one buffer. */
enum status gpu_loader_copy(struct gpu_loader *loader, const struct gpu_copy *copies, int count,
                            struct error *e);

#endif
