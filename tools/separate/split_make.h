/* split_make.h: a separated edge stream and a TH as a split (formats/split.h) */
#ifndef DBFS_SPLIT_MAKE_H
#define DBFS_SPLIT_MAKE_H

#include "formats/base/memory.h"
#include "formats/split.h"
#include "separate.h"

#include <stdint.h>

/* Finds delegates in the ranks of all vertices. */
struct delegate_pass {
    struct separation *separation;
    uint32_t cut; /* the first rank of delegates */
};

/* `separation` with its class counts; suggested_p is 0 where TH was given. The arrays are charged to
 * the budget for as long as the process lives. Where the delegates are too many for it, the split has
 * a list of them, which needs `pass` and the separation. */
enum status split_make(struct split *split, struct delegate_pass *pass,
                       struct separation *separation, uint64_t th, uint64_t suggested_p,
                       struct memory_budget *budget, struct error *e);

#endif
