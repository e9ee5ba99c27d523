/* root_table.h: a set of vertex ids, each with a number: the place at which it was added.
 *
 * A hash table, so that drawing and finding k roots takes time in proportion to k.
 */
#ifndef DBFS_ROOT_TABLE_H
#define DBFS_ROOT_TABLE_H

#include "formats/base/memory.h"

struct root_table {
    uint64_t count;   /* ids added */
    uint64_t seen[64]; /* a bit for each value of the last 12 bits of ids; 0: no such id */
    uint64_t slots;   /* a power of two, more than the ids */
    uint64_t *id;     /* [slots] */
    uint64_t *number; /* [slots], each plus 1; 0: the slot is free */
};

#define ROOT_TABLE_NONE UINT64_MAX

/* Makes room for `most` ids. */
enum status root_table_open(struct root_table *table, uint64_t most, struct memory_budget *budget,
                            struct error *e);
void root_table_close(struct root_table *table, struct memory_budget *budget);

/* Adds an id. Returns its number: how many were before it. An id that is there keeps its number. */
uint64_t root_table_add(struct root_table *table, uint64_t id);

/* The number of an id; ROOT_TABLE_NONE if it was not added. */
uint64_t root_table_find(const struct root_table *table, uint64_t id);

#endif
