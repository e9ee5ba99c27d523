/* forest.h: a slot for every vertex of a graph. A slot first holds the parent of the vertex in a union-find forest, then the
 * number of its component.
 *
 * A parent has a smaller id than its child. A root is its own parent, so the root of a finished component is the smallest id in
 * it. Slots have 4 bytes each, or 8 if there are 2^31 vertices or more. If the budget cannot hold them, the vertices are
 * divided into windows of consecutive ids, of which two are in memory (tools/separate/vertex_values.h).
 *
 * Order of the steps:
 *   1. forest_begin_window, forest_unite and forest_flatten for each window, from the last one to the first (contract.h).
 *   2. forest_resolve: every slot is a root.
 *   3. number_components (number.h): every slot is slot_tag and a number.
 */
#ifndef DBFS_FOREST_H
#define DBFS_FOREST_H

#include "formats/edges/edges.h"
#include "tools/separate/vertex_values.h"

#include <stdint.h>

struct forest {
    uint64_t n;
    unsigned slot_bytes;         /* 4 or 8 */
    struct vertex_values values; /* the slots, each as one or two of its values */
};

/* Slots of consecutive vertices in memory. */
struct slots {
    void *at;
    unsigned bytes;        /* of a slot */
    uint64_t first, count; /* ids */
};

/* The threads for a loop over so many slots: one if more would only wait for each other. */
static inline int threads_for(uint64_t slots, int threads)
{
    return slots < 1 << 14 ? 1 : threads;
}

/* The highest bit of a slot. It is set if the slot does not hold a parent, but the number of vertices of a component, or the number
 * of the vertex's component (number.h). */
static inline uint64_t slot_tag(unsigned bytes)
{
    return UINT64_C(1) << (8 * bytes - 1);
}

/* Slot number i, counted from the first one in memory. Other threads may change it. Fastest if `bytes` is a constant. */
static inline uint64_t slot_get(const struct slots *s, unsigned bytes, uint64_t i)
{
    return bytes == 4 ? __atomic_load_n((const uint32_t *)s->at + i, __ATOMIC_RELAXED)
                      : __atomic_load_n((const uint64_t *)s->at + i, __ATOMIC_RELAXED);
}

static inline void slot_set(const struct slots *s, unsigned bytes, uint64_t i, uint64_t value)
{
    if (bytes == 4)
        __atomic_store_n((uint32_t *)s->at + i, (uint32_t)value, __ATOMIC_RELAXED);
    else
        __atomic_store_n((uint64_t *)s->at + i, value, __ATOMIC_RELAXED);
}

/* Adds to a slot that other threads change, too. */
static inline void slot_add(const struct slots *s, unsigned bytes, uint64_t i, uint64_t value)
{
    if (bytes == 4)
        __atomic_fetch_add((uint32_t *)s->at + i, (uint32_t)value, __ATOMIC_RELAXED);
    else
        __atomic_fetch_add((uint64_t *)s->at + i, value, __ATOMIC_RELAXED);
}

/* Changes a slot from `from` to `to`. Returns 0 if it was not, or no longer, `from`. */
static inline int slot_swap(const struct slots *s, unsigned bytes, uint64_t i, uint64_t from, uint64_t to)
{
    uint32_t from4 = (uint32_t)from;
    if (bytes == 4)
        return __atomic_compare_exchange_n((uint32_t *)s->at + i, &from4, (uint32_t)to, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return __atomic_compare_exchange_n((uint64_t *)s->at + i, &from, to, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Opens a forest of n slots, which have no values yet. Without `spill` (NULL) all are in memory; otherwise windows are as large
 * as `most_bytes` allow. ST_RESOURCE if the budget is too small, or more than VALUES_MOST_WINDOWS windows would be needed. */
enum status forest_open(struct forest *forest, uint64_t n, uint64_t most_bytes, int threads, struct spill *spill,
                        struct memory_budget *budget, struct error *e);
void forest_close(struct forest *forest); /* a zeroed forest is allowed */

static inline uint32_t forest_windows(const struct forest *forest)
{
    return forest->values.windows;
}

/* The number of the window that has this vertex. */
uint32_t forest_window_of(const struct forest *forest, uint64_t vertex);

/* Makes window w one of roots alone, in half 0 of the memory. */
struct slots forest_begin_window(struct forest *forest, uint32_t w);

/* Makes every vertex of a window the child of a root in the window, or of a vertex below the window. */
void forest_flatten(const struct slots *slots, int threads);

/* Loads window w into half 0 or 1 of the memory. A failure is in *e, and the slots are then none. */
struct slots forest_load(struct forest *forest, uint32_t w, int half, struct error *e);

/* Saves window w from half 0 of the memory, if there are several windows. */
enum status forest_keep(struct forest *forest, uint32_t w, struct error *e);

/* Replaces each slot of the window `s` that is a vertex of the window `roots` by what the slot of that vertex holds. */
void forest_replace_roots(const struct slots *s, const struct slots *roots, int threads);

/* Makes every slot a root, once all windows are flattened and kept. Reads about k*k/2 of k windows. */
enum status forest_resolve(struct forest *forest, struct error *e);

/* ---- edges ---- */

/* The parent of a vertex in the window, or the vertex itself if it is below the window. */
static inline uint64_t forest_parent(const struct slots *s, unsigned bytes, uint64_t vertex)
{
    return vertex - s->first < s->count ? slot_get(s, bytes, vertex - s->first) : vertex;
}

/* Joins the trees of u and v, which are in the window or below it. Returns 0 if that is done. Returns 1 if it is left to the
 * windows below: the vertices left->u > left->v have to be joined there. Any number of threads may call it at once.
 *
 * This is Rem's algorithm with splicing, and with compare-and-swap for threads (Patwary, Refsnes and Manne, 2012; Dhulipala,
 * Hong and Shun, 2020). Of u and v, the vertex with the larger parent becomes a child of the smaller parent, and the walk goes
 * on from its old parent. Each vertex stays connected to all that it was connected to, either in the forest or by what is left
 * of a walk. */
static inline int forest_unite(const struct slots *s, unsigned bytes, uint64_t u, uint64_t v, struct edge *left)
{
    uint64_t parent_u = forest_parent(s, bytes, u), parent_v = forest_parent(s, bytes, v);
    while (parent_u != parent_v) {
        if (parent_u < parent_v) {
            uint64_t vertex = u, parent = parent_u;
            u = v, parent_u = parent_v;
            v = vertex, parent_v = parent;
        }
        if (u - s->first >= s->count) {
            *left = (struct edge){parent_u, parent_v};
            return 1;
        }
        if (slot_swap(s, bytes, u - s->first, parent_u, parent_v) && u == parent_u)
            return 0;
        u = parent_u;
        parent_u = forest_parent(s, bytes, u);
        parent_v = forest_parent(s, bytes, v);
    }
    return 0;
}

#endif
