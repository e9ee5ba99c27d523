/* results_internal.h: the arrays behind results.h, for results*.c only */
#ifndef DBFS_RESULTS_INTERNAL_H
#define DBFS_RESULTS_INTERNAL_H

#include "results.h"

#define CODE_NONE UINT32_MAX /* a slot without vertex */

struct results {
    const struct rank *rank;
    const struct graph *graph; /* graph, comm and budget are those of the rank */
    const struct comm *comm;
    struct memory_budget *budget;
    int with_parents, with_output;
    int32_t **depth;       /* [G][locals] */
    int32_t *delegate_depth; /* [d] */
    uint64_t **parent;     /* [G][locals]: stored ids, UINT64_MAX where none */
    uint64_t *delegate_parent; /* [d] */
    uint32_t **code;       /* [G][slots]: local id, PARENT_DELEGATE_BIT | delegate id, CODE_NONE */
    uint64_t slots;
};

#endif
