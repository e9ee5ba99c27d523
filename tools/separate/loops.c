/* loops.c: see loops.h */
#include "loops.h"

#include <stdlib.h>
#include <string.h>

static int by_vertex(const void *a, const void *b)
{
    uint64_t x = ((const struct vertex_loops *)a)->vertex;
    uint64_t y = ((const struct vertex_loops *)b)->vertex;
    return (x > y) - (x < y);
}

static void compact(struct loops *loops)
{
    uint64_t kept = 0;
    if (loops->count == 0)
        return;
    qsort(loops->list, loops->count, sizeof *loops->list, by_vertex);
    for (uint64_t i = 1; i < loops->count; i++) {
        if (loops->list[i].vertex == loops->list[kept].vertex)
            loops->list[kept].count += loops->list[i].count;
        else
            loops->list[++kept] = loops->list[i];
    }
    loops->count = kept + 1;
}

/* Room for `capacity` entries. The budget belongs to all threads. */
static enum status grow(struct loops *loops, uint64_t capacity, struct memory_budget *budget,
                        struct error *e)
{
    void *list;
#pragma omp critical(memory_budget)
    memory_take(budget, &list, capacity, sizeof *loops->list, "self-loops", e);
    if (list == NULL)
        return e->status;
    if (loops->count > 0)
        memcpy(list, loops->list, loops->count * sizeof *loops->list);
#pragma omp critical(memory_budget)
    memory_release(budget, loops->list, loops->capacity, sizeof *loops->list);
    loops->list = list;
    loops->capacity = capacity;
    return ST_OK;
}

enum status loops_add(struct loops *loops, uint64_t vertex, struct memory_budget *budget,
                      struct error *e)
{
    if (loops->count == loops->capacity) {
        compact(loops);
        if (loops->count >= loops->capacity / 2 &&
            grow(loops, loops->capacity == 0 ? 1024 : 2 * loops->capacity, budget, e) != ST_OK)
            return e->status;
    }
    loops->list[loops->count++] = (struct vertex_loops){.vertex = vertex, .count = 1};
    return ST_OK;
}

enum status loops_merge(struct loops *into, struct loops *from, struct memory_budget *budget,
                        struct error *e)
{
    uint64_t total = into->count + from->count;
    if (total > into->capacity && grow(into, total, budget, e) != ST_OK)
        return e->status;
    if (from->count > 0)
        memcpy(into->list + into->count, from->list, from->count * sizeof *from->list);
    into->count = total;
    loops_free(from, budget);
    compact(into);
    return ST_OK;
}

void loops_free(struct loops *loops, struct memory_budget *budget)
{
    memory_release(budget, loops->list, loops->capacity, sizeof *loops->list);
    memset(loops, 0, sizeof *loops);
}
