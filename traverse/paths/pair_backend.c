/* pair_backend.c: where pairs are searched, as dbfs-traverse chooses it; see pair_backend.h */
#include "pair_backend.h"

enum status pair_backend_choose(const struct pair_backend **pair, enum backend_choice choice, struct error *e)
{
    const struct backend *backend;
    *pair = &pair_cpu;
    if (backend_choose(&backend, choice, e) != ST_OK)
        return e->status;
#ifdef DBFS_CUDA
    if (backend == &backend_cuda)
        *pair = &pair_cuda;
#endif
    return ST_OK;
}
