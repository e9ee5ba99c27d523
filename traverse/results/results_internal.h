/* results_internal.h: the arrays behind results.h, for results*.c alone */
#ifndef DBFS_RESULTS_INTERNAL_H
#define DBFS_RESULTS_INTERNAL_H

#include "answers.h"
#include "results.h"

struct results {
    const struct rank *rank;
    const struct graph *graph; /* graph, comm and budget are those of the rank */
    const struct comm *comm;
    struct memory_budget *budget;
    int32_t **depth;         /* [G][locals] */
    int32_t *delegate_depth; /* [d] */
    struct answers *answers; /* NULL: none are made */
    const struct root *root; /* the root of the last search */
    uint32_t levels;         /* its depths are below this */
    int counts_kept;         /* edges_kept is counted */
    enum answer_kind made;   /* the answer that the devices hold */
};

#endif
