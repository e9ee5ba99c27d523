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

/* Opens a loader, which copies to the current GPU by `threads` threads, at most 16. Each thread fills pinned buffers. One
 * loader makes all copies of a shard, because it takes longer to pin a buffer than to fill it. `where` names the GPU in
 * messages, and must outlive the loader. After a failure *loader is NULL. gpu_loader_close frees the loader. */
enum status gpu_loader_open(struct gpu_loader **loader, int threads, const char *where, struct error *e);
void gpu_loader_close(struct gpu_loader *loader); /* `loader` may be NULL */

/* Makes copies[0..count), and waits until the bytes are on the device. While a thread fills one buffer, the copy engine
 * of the GPU empties another. The driver alone is slower: it copies a mapped file page by page through one buffer. */
enum status gpu_loader_copy(struct gpu_loader *loader, const struct gpu_copy *copies, int count, struct error *e);

#endif
