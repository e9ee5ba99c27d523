/* cuda_load.h: from mapped files to device memory at the speed of the bus */
#ifndef DBFS_CUDA_LOAD_H
#define DBFS_CUDA_LOAD_H

#include "formats/status.h"

#include <stddef.h>

struct gpu_copy {
    void *to;         /* device memory */
    const void *from; /* pageable host memory */
    size_t bytes;
};

/* Copies all of them to the current device, with `threads` threads: each fills pinned buffers of its
 * own in turn, and the copy engine empties them. A map is not read by the driver itself, which would
 * take it page by page through one buffer. */
enum status cuda_load(const struct gpu_copy *copies, int count, int threads, const char *where,
                      struct error *e);

#endif
