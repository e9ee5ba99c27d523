/* exchange_internal.h: the state behind exchange.h, for the files of this folder only.
 *
 * A function with a `member` parameter is called by every member, and does the work of that member's devices.
 * The other functions are called by member 0 only, except those that say so.
 */
#ifndef DBFS_EXCHANGE_INTERNAL_H
#define DBFS_EXCHANGE_INTERNAL_H

#include "exchange.h"
#include "group.h"

#include "formats/mpi/flow.h"
#include "formats/mpi/mask_reduction.h"

/* Exchange memory of one device. */
struct buffer {
    uint32_t *ids;
    uint64_t capacity;
};

/* What member 0 finds out about a level, for all members to read. */
struct level_state {
    int updated;     /* a device of some rank found a delegate */
    int found;       /* a device of some rank found a normal vertex */
    int leaving;     /* there are vertices for other groups */
    uint64_t changed; /* words of masks, over all groups; 0 if none was updated */
    int wide;        /* the next level may reach so many normals that their frontier is worth sending */
    size_t receives; /* transfers listed */
};

/* Messages between groups. */
struct mail {
    uint64_t *control, *control_in; /* [R][CONTROL_COUNTS + G*G] */
    struct outbox *outbox;          /* [G from][R][G to]; those to this group stay empty */
    struct buffer *send, *receive;  /* [G], grown as needed */
    struct transfer *sends;    /* [R*G*G]: of frontiers */
    struct transfer *receives; /* [R*G*G] */
    struct outflow *out;       /* [G] */
    struct comm_flow *flow;    /* of this level; NULL: none */
};

/* A place in what a device sends: a box, and bytes of it. */
struct outflow_place {
    size_t box;
    uint64_t at;
};

/* The chunks of a device's boxes: some are sent, the next ones are being copied. */
struct outflow {
    struct outflow_place copied, sent;
    uint32_t copying; /* chunks */
    uint32_t mark;    /* of the next copy */
};

/* Words of the masks of all groups, for masks of which few words changed. */
struct sparse_masks {
    struct mask_word *own, *all; /* [most], in memory that devices copy to and from fast */
    uint64_t most, gathered;
    uint64_t changed; /* words that this group changed in this level, if `counted`: before ranks tell each other */
    int counted;
    int *counts, *begins; /* [R] */
};

/* What nn's direction depends on. */
struct nn_pool {
    struct subgraph_work work; /* of all devices if `everywhere`, else of the group */
    int everywhere;
    double reach;        /* estimate of the normals that this rank's level reaches */
    uint64_t bits;       /* that groups give each other if nn is pulled: of all shards, once */
    uint32_t *frontiers; /* by nn's columns: normals on their way between groups; NULL: never */
};

/* Of delegates. */
struct masks {
    uint64_t *bits; /* [words], for MPI */
    uint64_t words;
    struct mask_reduction *reduction; /* of non-blocking reductions; NULL: there are none */
    int asks;     /* the ranks are asking how many words changed in this level: all_changed */
    uint64_t all_changed;
    int begun;    /* the reduction of this level has begun while normals were looked for */
    double merged_s; /* masks and vertices of this level were both under way */
    struct sparse_masks sparse;
};

struct exchange {
    const struct rank *rank;
    struct exchange_options options;
    uint32_t G, R;
    struct group group;
    struct level_state level;
    struct exchange_counts counts; /* of this level, by member 0 */
    struct mail mail;
    uint64_t *locals; /* [p] */
    uint64_t normals; /* of all shards */
    uint64_t nn_sources; /* of all shards: rows of nn that are not empty */
    struct masks masks;
    struct nn_pool nn;
    uint64_t charged; /* bytes to the budget, the buffers of messages not among them */
    char why[ERROR_TEXT_BYTES];
};

static inline size_t boxes_of_device(const struct exchange *x)
{
    return (size_t)x->R * x->G;
}

/* The box for what device `from` sends to device `to` of another rank. */
static inline struct outbox *outbox_of(const struct exchange *x, uint32_t from, uint32_t rank,
                                       uint32_t to)
{
    return &x->mail.outbox[((size_t)from * x->R + rank) * x->G + to];
}

/* Words of the mask of a shard's local ids, as parcels count them. */
static inline uint64_t mask_parcel_words(const struct exchange *x, uint32_t shard)
{
    return 2 * mask_words(x->locals[shard]);
}

/* What a device of this rank found for a shard. */
struct parcel parcel_for(const struct exchange *x, uint32_t device, uint32_t shard);

/* What peer `from` found for peer `to`, by their numbers in the group. */
struct parcel parcel_from_peer(const struct exchange *x, uint32_t from, uint32_t to);

/* Makes room for `need` ids; what the buffer held is lost. */
enum status grow_buffer(struct exchange *x, uint32_t device, struct buffer *buffer, uint64_t need,
                        struct error *e);

void release_buffer(const struct exchange *x, uint32_t device, struct buffer *buffer);

/* Where the frontier of a shard lies in `nn.frontiers`. */
static inline uint32_t *frontier_of(const struct exchange *x, uint32_t shard)
{
    return x->nn.frontiers + ((uint64_t)shard << x->rank->graph->shards[0].local_bits) / 32;
}

/* Masks of nn's columns may be used. */
int has_masks(const struct exchange *x);

/* Before a search: nobody was told of a frontier. */
static inline void forget_frontiers(struct exchange *x)
{
    x->nn.bits = x->rank->backend->frontiers->words != NULL ? x->nn_sources : x->normals;
}

/* exchange_count.c */
void count_found(struct exchange *x);
void count_box(struct exchange *x, const struct outbox *box);
void count_masks(struct exchange *x, uint64_t bytes); /* that leave this rank */
void count_peers(struct exchange *x, int updated);
void count_peer_frontiers(struct exchange *x);

/* exchange_masks.c */
int masks_updated(const struct exchange *x); /* by a device of this group; any member asks */
enum status begin_masks(struct exchange *x, struct error *e);
int move_masks(struct exchange *x);     /* does what can be done now; 0: something is under way */
void await_answer(struct exchange *x);  /* until it is known whether a reduction has begun */
int masks_are_here(const struct exchange *x); /* lets MPI go on; 0: a reduction is under way */
enum status read_group_masks(struct exchange *x, const struct member *member, struct error *e);
enum status find_changed(struct exchange *x, struct error *e);
int reduces_beside(const struct exchange *x); /* this level reduces without blocking, if it does */
void reduce_masks(struct exchange *x);
enum status take_masks(struct exchange *x, const struct member *member, struct error *e);

/* exchange_collect.c */
enum status collect_leaving(struct exchange *x, struct error *e);
enum status drop_repeated(struct exchange *x, const struct member *member, struct error *e);
enum status drop_duplicates(struct exchange *x, const struct member *member, struct error *e);

/* exchange_send.c */
size_t control_width(const struct exchange *x);
int leads_group(const struct exchange *x, uint32_t rank); /* the first rank of its group */
uint64_t changed_of(const struct exchange *x, uint32_t rank);
void share_counts(struct exchange *x);
uint64_t incoming(const struct exchange *x, uint32_t rank, uint32_t from, uint32_t to);
enum status receive_from_peers(struct exchange *x, const struct member *member, struct error *e);

#define MASK_BIT (UINT64_C(1) << 63) /* of the count of what comes in: words of a mask */

/* exchange_flow.c: vertices between groups */
enum status open_flow(struct exchange *x, struct error *e);
int flow_is_over(const struct exchange *x);
enum status move_flow(struct exchange *x, struct error *e); /* does what can be done now */
void close_flow(struct exchange *x);
enum status wait_for_copies(struct exchange *x, struct error *e);

#endif
