/* cuda_load.h: copies mapped files to device memory at the speed of the bus */
#ifndef DBFS_CUDA_LOAD_H
#define DBFS_CUDA_LOAD_H

#include "formats/base/status.h"

#include <stddef.h>

/* A copy to be made. */
struct gpu_copy {
    void *to;         /* device memory */
    const void *from; /* pageable host memory */
    size_t bytes;
};

struct gpu_loader;

/* Opens a loader for the current GPU. gpu_loader_close frees the loader. The loader copies by `threads` threads, at most
 * 16. Each thread has a ring of pinned buffers. To pin a buffer takes longer than to fill it. So one loader makes all
 * copies of a shard. `where` names the GPU in messages, and must outlive the loader. *loader is NULL after a failure. */
enum status gpu_loader_open(struct gpu_loader **loader, int threads, const char *where, struct error *e);
void gpu_loader_close(struct gpu_loader *loader); /* `loader` may be NULL */

/* Makes copies[0..count), and waits until the bytes are on the device. Each thread fills its buffers in turn, and the
 * copy engine of the GPU empties them. A copy by the driver would be slower: the driver copies a mapped file page by page
 * through one buffer. */
enum status gpu_loader_copy(struct gpu_loader *loader, const struct gpu_copy *copies, int count, struct error *e);

#endif
