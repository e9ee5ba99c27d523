/* cpu_rows.h: pushes along the rows of a frontier: what a push reads, and what it does with destinations */
#ifndef DBFS_CPU_ROWS_H
#define DBFS_CPU_ROWS_H

#include "cpu_bins.h"
#include "cpu_device.h"

enum {
    AHEAD = 32,          /* vertices between prefetching an address and using it */
    LONG_ROW = 4096,     /* columns: longer rows are put aside, and cut into pieces of this length */
    MOST_LONG_ROWS = 256, /* that are put aside in a push */
    BINNED_AT_ONCE = 1024, /* PUSH_BINS_LATER: vertices that are put into bins together, or more */
    WAITING_CAPACITY = BINNED_AT_ONCE + 2 * LONG_ROW, /* vertices that wait for that, at most */
    OWN_CAPACITY = MOST_APPENDED /* PUSH_SHARDS: vertices of this shard that wait in their bin, which is emptied when full */
};

/* What a push does with a destination. `next`, `found`, ...: members of struct push_targets. */
enum push_kind {
    PUSH_VISIT,      /* appends it to `next` and marks it as visited, unless it is visited */
    PUSH_UPDATE,     /* the same, but marks it in `found` instead, where delegates are kept apart from visited ones */
    PUSH_BINS_LATER, /* appends it to `next` unless the thread has found it, and from there to the bin of its part */
    PUSH_BINS_NOW,   /* the same without `next`, behind a branch: in a grid with ids in order that is no coin toss */
    PUSH_PAIRS,      /* appends it and its parent to the bin of its part, unless the thread has found it */
    PUSH_BITS,       /* marks it in `found` */
    PUSH_PARENTS,    /* marks it in `found`, and writes its parent if it may be new */
    PUSH_SHARDS      /* appends it to the bin of its shard, visited or not */
};

/* Columns begin..end of a row, which lie behind its heads. */
struct row_part {
    enum subgraph g;
    uint32_t row;
    uint64_t begin, end;
    uint64_t pieces_before; /* of long rows that were put aside before this one */
};

/* Rows that threads put aside, to be pushed in pieces by all of them. */
struct long_rows {
    _Atomic uint32_t count; /* may grow beyond MOST_LONG_ROWS */
    struct row_part row[MOST_LONG_ROWS];
};

/* PUSH_SHARDS: the bins of a thread. */
struct shard_push {
    struct device *dev;
    struct shard_bin *bins, *own; /* [p]; the bin of this shard, which is emptied by visiting its vertices */
    uint32_t *own_parents;        /* [OWN_CAPACITY + 1] of `own`, and one for the next destination of any shard */
    int is_single_thread;         /* no other thread visits vertices meanwhile */
};

/* PUSH_BINS_*, PUSH_PAIRS: the bins of a thread. Vertex v is in part v >> block_bits & last_part. */
struct part_bins {
    uint8_t **pool;      /* chunks for them (struct bins) */
    uint32_t **end;      /* [last_part + 1] the ends of the bins for vertices of one kind */
    uint32_t last_part;  /* parts - 1; parts are a power of two */
    uint32_t block_bits;
};

/* What a push knows of destinations, and where they go. Members behind `tag` are of some kinds only. */
struct push_targets {
    enum push_kind kind;
    int parents;             /* recorded, unless the kind says so itself */
    uint32_t tag;            /* of parents: PARENT_DELEGATE_BIT where rows are delegates, or 0 */
    const uint64_t *visited; /* bitmap of destinations */
    uint64_t *found;         /* bitmap where they are marked; PUSH_VISIT: the same as `visited` */
    uint32_t *next, *from;   /* a list of vertices that are new, and their parents */
    uint32_t *parent;        /* [vertices] where parents go in the end */
    uint32_t first, span;    /* PUSH_PARENTS: columns first..first + span are vertices of this shard */
    struct part_bins bins;
    struct shard_push *shards;
};

/* A push along one subgraph: of rows[0..row_count) or, if row_count is 0, of a part of one row. */
struct row_push {
    struct device *dev;
    enum subgraph g;
    const struct csr *csr;
    decode_columns *decode;  /* of packed columns */
    struct even_rows even;
    const uint32_t *rows;
    uint64_t row_count;
    int few_sources;         /* few of the rows have edges: a row's bit in csr->sources is read first */
    struct row_part part;
    struct long_rows *aside; /* takes rows too long for one thread, of the kinds that several threads push; NULL: none */
    struct push_targets to;
};

/* Returns the description of a PUSH_VISIT along g from the sparse part of the frontier. */
struct row_push describe_push(struct device *dev, enum subgraph g);

/* Returns the description of a PUSH_VISIT along g from the whole frontier. Lists it in dev->gathered_rows if it has a dense
 * part. */
struct row_push describe_gathered_push(struct device *dev, enum subgraph g);

/* Pushes the rows, or the part of a row. `count`: vertices that to.next has already. Returns how many it has then. */
uint64_t push_rows(const struct row_push *p, uint64_t count);

/* Ends the putting aside of rows: numbers their pieces. Returns how many pieces there are. */
uint64_t number_long_pieces(struct long_rows *aside);

/* Returns a piece of a row that was put aside, after number_long_pieces. */
struct row_part long_piece(const struct long_rows *aside, uint64_t piece);

/* PUSH_SHARDS: empties the bin of this shard: its new vertices go into the next frontier. */
void visit_own_vertices(struct shard_push *s);

/* cpu_push.c. Sets the kind and targets of a piece of a push, and pushes it, as thread `thread`. */
typedef void push_piece(void *context, int thread, struct row_push *p);

/* Pushes the whole frontier of g by so many threads, piece by piece. */
void push_by_threads(struct device *dev, enum subgraph g, int threads, push_piece *push, void *context);

/* Sets depth[v] to `value` for each vertex v of the list. The table may also be one of parents. */
static inline void set_depths(const uint32_t *list, uint64_t count, int32_t *depth, int32_t value)
{
    for (uint64_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(&depth[list[i + AHEAD]], 1);
        depth[list[i]] = value;
    }
}

/* Writes the parents of vertices first..end of the list `next`, if they are recorded. */
static inline void write_parents(const struct push_targets *t, uint64_t first, uint64_t end)
{
    for (uint64_t i = first; t->parents && i < end; i++) {
        if (i + AHEAD < end)
            __builtin_prefetch(&t->parent[t->next[i + AHEAD]], 1);
        t->parent[t->next[i]] = t->from[i];
    }
}

#endif
