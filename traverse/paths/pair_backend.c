/* pair_backend.c: chooses where pairs are searched; see pair_backend.h */
#include "pair_backend.h"

enum { PAIRS_FOR_GPU = 64 };

enum status pair_backend_choose(const struct pair_backend **pair, enum backend_choice choice, uint64_t pairs,
                                struct error *e)
{
    const struct backend *backend;
    *pair = &pair_cpu;
    if (choice == BACKEND_AUTO && pairs < PAIRS_FOR_GPU)
        return ST_OK;
    if (backend_choose(&backend, choice, e) != ST_OK)
        return e->status;
#ifdef DBFS_CUDA
    if (backend == &backend_cuda)
        *pair = &pair_cuda;
#endif
    return ST_OK;
}
