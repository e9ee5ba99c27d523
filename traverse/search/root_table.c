/* root_table.c: see root_table.h */
#include "root_table.h"

#include "formats/base/hash.h"

#include <string.h>

enum status root_table_open(struct root_table *t, uint64_t most, struct memory_budget *budget,
                            struct error *e)
{
    memset(t, 0, sizeof *t);
    for (t->slots = 2; t->slots / 2 < most; t->slots *= 2)
        continue;
    if (memory_take(budget, (void **)&t->id, t->slots, 8, "roots", e) == ST_OK)
        memory_take(budget, (void **)&t->number, t->slots, 8, "roots", e);
    return e->status;
}

void root_table_close(struct root_table *t, struct memory_budget *budget)
{
    memory_release(budget, t->id);
    memory_release(budget, t->number);
    memset(t, 0, sizeof *t);
}

/* The slot of the id, or the free slot where it belongs. */
static uint64_t slot_of(const struct root_table *t, uint64_t id)
{
    uint64_t slot = mix64(id) & (t->slots - 1);
    while (t->number[slot] != 0 && t->id[slot] != id)
        slot = (slot + 1) & (t->slots - 1);
    return slot;
}

uint64_t root_table_add(struct root_table *t, uint64_t id)
{
    uint64_t slot = slot_of(t, id);
    t->seen[id / 64 % 64] |= UINT64_C(1) << (id % 64);
    if (t->number[slot] == 0) {
        t->id[slot] = id;
        t->number[slot] = ++t->count;
    }
    return t->number[slot] - 1;
}

uint64_t root_table_find(const struct root_table *t, uint64_t id)
{
    if ((t->seen[id / 64 % 64] >> (id % 64) & 1) == 0)
        return ROOT_TABLE_NONE;
    return t->number[slot_of(t, id)] - 1; /* 0 - 1 is ROOT_TABLE_NONE */
}
