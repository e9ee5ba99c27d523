/* split_make.h: makes a split (formats/split.h) from a separated edge stream and a TH */
#ifndef DBFS_SPLIT_MAKE_H
#define DBFS_SPLIT_MAKE_H

#include "formats/base/memory.h"
#include "formats/split.h"
#include "separate.h"

#include <stdint.h>

/* What the reader of a delegate list needs: the ranks of all vertices, and which ranks are those of delegates. */
struct delegate_pass {
    struct separation *separation;
    uint32_t cut; /* the first rank of delegates */
};

/* The TH of a split, and where it comes from. */
struct split_choice {
    uint64_t th;
    uint64_t other; /* a TH that also gets a row in the sweep */
    enum th_choice by;
    uint64_t p; /* for which TH was suggested; 0 if it was given */
};

/* Makes the split. `separation` must have its counts of edges for every TH. The arrays stay charged to the budget until the process
 * ends. If the budget cannot hold all delegates, the split gets a delegate list, which uses `pass` and `separation` later. */
enum status split_make(struct split *split, struct delegate_pass *pass,
                       struct separation *separation, const struct split_choice *choice,
                       struct memory_budget *budget, struct error *e);

#endif
