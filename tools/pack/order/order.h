/* order.h: gives every vertex its new number. A delegate gets a delegate id, a normal vertex a local id in the shard that owns it (Pan et
 * al., section III). Both are given by descending degree, and by ascending id among equal degrees. A vertex without edges gets no
 * number. */
#ifndef DBFS_ORDER_H
#define DBFS_ORDER_H

#include "formats/base/memory.h"
#include "formats/graph/shard.h"
#include "label_file.h"
#include "tools/separate/rank.h"

#include <stdint.h>

/* A label is the number of a vertex in 32 bits. For a normal vertex it is the local id; for a delegate, LABEL_DELEGATE, the low
 * bits of the number of its run of equal degrees and, in the lowest delegate_bits, the delegate id. */
#define LABEL_DELEGATE (UINT32_C(1) << 31)
#define LABEL_ISOLATED (LABEL_DELEGATE - 1)

struct vertex_labels {
    struct vertex_values values;
};

struct shard_vertices {
    uint64_t locals;
    struct degree_run *runs; /* owned */
    uint64_t run_count;
};

struct vertex_order {
    uint64_t n, d; /* of the graph */
    const struct sparse_ids *sparse; /* vertices have dense ids, except in files; NULL: none */
    uint32_t p;
    uint32_t local_bits; /* enough for the local ids of any shard */
    uint32_t nn_column_bytes; /* 4, or 8 if shard and local id do not fit into 4 */
    struct vertex_labels labels;
    struct label_file stowed; /* the labels after order_stow */
    unsigned delegate_bits;    /* of a label */
    uint32_t delegate_id_width; /* bytes: 4 where all ids fit, else 8 */
    void *delegate_ids;         /* [d] */
    struct degree_run *delegate_runs;
    uint32_t *delegate_run_end; /* [delegate_run_count]: one past the last delegate of each */
    uint64_t delegate_run_count;
    struct shard_vertices *shard; /* [p] */
};

/* The graph whose vertices are numbered. */
struct order_graph {
    uint64_t n, th;
    uint32_t p;
    const struct sparse_ids *sparse; /* NULL: none */
};

/* Replaces the ranks in `rank_of` by labels, in the same memory. ST_RESOURCE if the budget is too small, or if there are more
 * than 2^31 - 1 delegates, or vertices in a shard. */
enum status order_make(struct vertex_order *order, struct vertex_ranks *rank_of,
                       const struct ranks *ranks, const struct order_graph *graph,
                       struct memory_budget *budget, struct error *e);
void order_free(struct vertex_order *order, struct memory_budget *budget);

/* The delegate id in the label of a delegate. */
static inline uint32_t label_delegate(const struct vertex_order *order, uint32_t label)
{
    return label & ((UINT32_C(1) << order->delegate_bits) - 1);
}

static inline uint64_t order_delegate_id(const struct vertex_order *order, uint64_t i)
{
    return order->delegate_id_width == 4 ? ((const uint32_t *)order->delegate_ids)[i]
                                         : ((const uint64_t *)order->delegate_ids)[i];
}

/* The degree run of a delegate. */
uint64_t order_delegate_run(const struct vertex_order *order, uint32_t delegate);

/* Moves the labels to a spill file and frees their memory. Afterwards only order_slots can read them. */
enum status order_stow(struct vertex_order *order, struct spill *spill, struct error *e);

/* slots[locals]: the slot of each normal vertex of a shard, by local id. */
enum status order_slots(const struct vertex_order *order, uint32_t shard, uint32_t *slots, struct error *e);

#endif
