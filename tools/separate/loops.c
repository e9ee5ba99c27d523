/* loops.c: see loops.h */
#include "loops.h"

#include <stdlib.h>
#include <string.h>

/* The bytes charged for an entry: the entry itself, and its place in the scratch memory of qsort. */
enum { ENTRY_BYTES = 2 * sizeof(struct vertex_loops) };

static int by_vertex(const void *a, const void *b)
{
    uint64_t x = ((const struct vertex_loops *)a)->vertex;
    uint64_t y = ((const struct vertex_loops *)b)->vertex;
    return (x > y) - (x < y);
}

/* Sorts the list by vertex and merges entries of the same one. */
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

/* Makes room for `capacity` entries. All threads share the budget. */
static enum status grow(struct loops *loops, uint64_t capacity, struct memory_budget *budget, struct error *e)
{
    void *list;
#pragma omp critical(memory_budget)
    memory_take(budget, &list, capacity, ENTRY_BYTES, "self-loops", e);
    if (list == NULL)
        return e->status;
    if (loops->count > 0)
        memcpy(list, loops->list, loops->count * sizeof *loops->list);
#pragma omp critical(memory_budget)
    memory_release(budget, loops->list);
    loops->list = list;
    loops->capacity = capacity;
    return ST_OK;
}

/* Counts one more self-loop at the vertex; a full list is compacted, and grows if that does not halve it. */
enum status loops_add(struct loops *loops, uint64_t vertex, struct memory_budget *budget, struct error *e)
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

/* Moves the self-loops of `from` into `into`, sorted and merged; frees `from`. */
enum status loops_merge(struct loops *into, struct loops *from, struct memory_budget *budget, struct error *e)
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

/* Merges the list of rank `root`, which it sends to all ranks, into the result on every rank. */
static enum status receive(struct loops *into, const struct loops *own, uint64_t count,
                           uint32_t root, const struct comm *comm, struct memory_budget *budget,
                           struct error *e)
{
    struct loops theirs = {0};
    if (grow(&theirs, count, budget, e) == ST_OK && comm->rank == root)
        memcpy(theirs.list, own->list, count * sizeof *theirs.list);
    if (comm_agree(comm, e) == ST_OK) {
        comm_broadcast(comm, theirs.list, count * sizeof *theirs.list, root);
        theirs.count = count;
        loops_merge(into, &theirs, budget, e);
    }
    loops_free(&theirs, budget);
    return e->status;
}

/* Gives every rank the self-loops of all ranks. Collective. */
enum status loops_share(struct loops *loops, const struct comm *comm, struct memory_budget *budget, struct error *e)
{
    struct loops all = {0};
    for (uint32_t root = 0; root < comm->ranks && comm->ranks > 1; root++) {
        uint64_t count = loops->count;
        comm_broadcast(comm, &count, sizeof count, root);
        if (count > 0)
            receive(&all, loops, count, root, comm, budget, e);
        if (comm_agree(comm, e) != ST_OK)
            break;
    }
    if (comm->ranks > 1) {
        loops_free(loops, budget);
        *loops = all;
    }
    return e->status;
}

void loops_free(struct loops *loops, struct memory_budget *budget)
{
    memory_release(budget, loops->list);
    memset(loops, 0, sizeof *loops);
}
