/* loops.h: counts self-loops per vertex.
 *
 * Loops are few in most graphs, so they are kept as a list that is sorted and merged whenever it is
 * full; it grows only as far as there are different vertices with loops.
 */
#ifndef DBFS_LOOPS_H
#define DBFS_LOOPS_H

#include "formats/base/memory.h"
#include "formats/base/status.h"
#include "formats/mpi/comm.h"

#include <stdint.h>

struct vertex_loops {
    uint64_t vertex, count;
};

struct loops {
    struct vertex_loops *list; /* after loops_merge: by vertex, each once */
    uint64_t count, capacity;
};

/* Counts one more loop at `vertex`. A list belongs to one thread; the budget may be shared. */
enum status loops_add(struct loops *loops, uint64_t vertex, struct memory_budget *budget,
                      struct error *e);

/* Sorts and merges, and then takes over what `from` holds, which is left empty. */
enum status loops_merge(struct loops *into, struct loops *from, struct memory_budget *budget,
                        struct error *e);
/* Every peer's loops for every peer. Collective, and so is the status. */
enum status loops_share(struct loops *loops, const struct comm *comm,
                        struct memory_budget *budget, struct error *e);
void loops_free(struct loops *loops, struct memory_budget *budget);

#endif
