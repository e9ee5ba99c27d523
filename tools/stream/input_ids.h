/* input_ids.h: the ids that vertices had in the input, before edgeconv --randomize permuted them */
#ifndef DBFS_INPUT_IDS_H
#define DBFS_INPUT_IDS_H

#include "formats/bijection.h"
#include "formats/edges/edges.h"

#include <stddef.h>

struct input_ids {
    int permuted;
    struct bijection bijection;
};

/* Notes whether ids were permuted, and by the bijection of which n and seed. */
static inline void input_ids_init(struct input_ids *ids, int permuted, uint64_t n, uint64_t seed)
{
    ids->permuted = permuted;
    if (permuted)
        bijection_init(&ids->bijection, n, seed);
}

static inline uint64_t input_id(const struct input_ids *ids, uint64_t id)
{
    return ids->permuted && id < ids->bijection.n ? bijection_backward(&ids->bijection, id) : id;
}

/* Returns edges with the ids of the input: these edges, or if ids were permuted those that are written to restored[count]. */
static inline const struct edge *input_ids_restore(const struct input_ids *ids, const struct edge *edges, size_t count,
                                                   struct edge *restored)
{
    if (!ids->permuted)
        return edges;
    for (size_t i = 0; i < count; i++)
        restored[i] = (struct edge){input_id(ids, edges[i].u), input_id(ids, edges[i].v)};
    return restored;
}

#endif
