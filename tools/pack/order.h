/* order.h: the new number of every vertex: its delegate id, or its local id in the shard that owns
 * it (section III of Pan et al.; the orders are those of formats/shard.h).
 *
 * Both orders are by degree descending, ties by id ascending; vertices without edges get no number.
 */
#ifndef DBFS_ORDER_H
#define DBFS_ORDER_H

#include "formats/memory.h"
#include "formats/shard.h"
#include "tools/separate/rank.h"

#include <stdint.h>

/* A label is a local id, or LABEL_DELEGATE with a delegate id in the order's delegate_bits; the bits
 * between are the low ones of the number of the delegate's run of equal degrees. */
#define LABEL_DELEGATE (UINT32_C(1) << 31)
#define LABEL_ISOLATED (LABEL_DELEGATE - 1)

struct shard_vertices {
    uint64_t locals;
    uint32_t *slots; /* [locals]: in the order's memory */
    struct degree_run *runs; /* owned */
    uint64_t run_count;
};

struct vertex_order {
    uint64_t n, d;
    uint32_t p;
    uint32_t local_bits; /* hold any shard's local ids */
    uint32_t nn_column_bytes; /* 4, or 8 where shard and local id need more */
    uint64_t normals;    /* vertices with edges that are no delegates */
    uint32_t *label;     /* [n] */
    unsigned delegate_bits; /* of a label */
    uint64_t *delegate_ids;  /* [d] */
    uint32_t *delegate_peers; /* [d]: one past the last delegate of the same degree */
    struct degree_run *delegate_runs;
    uint64_t delegate_run_count;
    uint32_t *slots; /* [normals], shard after shard */
    struct shard_vertices *shard; /* [p] */
};

/* rank_of[v] as ranks_make leaves it. ST_RESOURCE: over budget, or more than 2^31 - 1 delegates, or
 * vertices in a shard. */
enum status order_make(struct vertex_order *order, const uint32_t *rank_of,
                       const struct ranks *ranks, uint64_t n, uint32_t p, uint64_t th, int threads,
                       struct memory_budget *budget, struct error *e);
void order_free(struct vertex_order *order, struct memory_budget *budget);

static inline uint32_t label_delegate(const struct vertex_order *order, uint32_t label)
{
    return label & ((UINT32_C(1) << order->delegate_bits) - 1);
}

/* Gives back the labels, which only the placing of edges needs. */
void order_drop_labels(struct vertex_order *order, struct memory_budget *budget);

#endif
