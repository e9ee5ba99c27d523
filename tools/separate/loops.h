/* loops.h: counts the self-loops of each vertex. Most graphs have few, so they are kept in a list, which is sorted and merged
 * whenever it is full. It grows only with the number of different vertices that have self-loops. */
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
    struct vertex_loops *list; /* after loops_merge: sorted by vertex, each vertex once */
    uint64_t count, capacity;
};

/* Counts one more self-loop at `vertex`. A list belongs to one thread; several threads may share the budget. */
enum status loops_add(struct loops *loops, uint64_t vertex, struct memory_budget *budget, struct error *e);

/* Moves the self-loops of `from` into `into`, which is then sorted by vertex with one entry for each. `from` is empty afterwards. */
enum status loops_merge(struct loops *into, struct loops *from, struct memory_budget *budget, struct error *e);
/* Gives every rank the self-loops of all ranks. Collective; all ranks return the same status. */
enum status loops_share(struct loops *loops, const struct comm *comm, struct memory_budget *budget, struct error *e);
void loops_free(struct loops *loops, struct memory_budget *budget);

#endif
