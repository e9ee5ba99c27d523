/* batch_backend.c: chooses where batches are searched, as dbfs-traverse does; see batch_search.h */
#include "batch_search.h"

enum status batch_backend_choose(const struct batch_backend **batch, enum backend_choice choice, struct error *e)
{
    const struct backend *backend;
    *batch = &batch_cpu;
    if (backend_choose(&backend, choice, e) != ST_OK)
        return e->status;
#ifdef DBFS_CUDA
    if (backend == &backend_cuda)
        *batch = &batch_cuda;
#endif
    return ST_OK;
}
