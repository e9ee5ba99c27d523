/* cpu_rows.h: pushes along the rows of a frontier: the kinds of a push, the description of a push, and the functions that
 * push
 *
 * A destination is a vertex to which an edge leads: a column of a row that is pushed. cpu_bins.h explains parts and bins. */
#ifndef DBFS_CPU_ROWS_H
#define DBFS_CPU_ROWS_H

#include "cpu_bins.h"
#include "cpu_device.h"

enum {
    AHEAD = 32,          /* an address is prefetched AHEAD list entries before its use */
    LONG_ROW = 4096,     /* number of columns: longer rows are put aside, and are divided into pieces of this length */
    MOST_LONG_ROWS = 256, /* the largest number of rows that are put aside in a push */
    BINNED_AT_ONCE = 1024, /* PUSH_BINS_LATER: `next` is moved to bins when it has at least this number of vertices */
    WAITING_CAPACITY = BINNED_AT_ONCE + 2 * LONG_ROW, /* PUSH_BINS_LATER: the largest number of vertices in `next` */
    OWN_CAPACITY = MOST_APPENDED /* PUSH_SHARDS: the largest number of vertices in the bin of this shard; a full bin is
                                  * emptied */
};

/* The kinds of a push. The kind says what is done with each destination. The names `next` and `found` are members of
 * struct push_targets. */
enum push_kind {
    /* appends an unvisited destination to `next`, and sets its visited bit */
    PUSH_VISIT,
    /* appends a delegate that is neither visited nor in `found` to `next`, and sets its bit in `found` */
    PUSH_UPDATE,
    /* appends a destination that is not in `found` to `next`. `next` may have a destination several times. From time to
     * time moves `next` to the bins of parts, without duplicates, and only then sets bits in `found` */
    PUSH_BINS_LATER,
    /* puts a destination that is not in `found` into the bin of its part, and sets its bit in `found`. Tests this with a
     * branch. Meant for grids with ids in order, for which the branch can be predicted */
    PUSH_BINS_NOW,
    /* puts a destination that is not in `found`, together with its parent, into the bin of its part, and sets its bit in
     * `found` */
    PUSH_PAIRS,
    /* sets the bit of each destination in `found` */
    PUSH_BITS,
    /* sets the bit of each destination in `found`. Also records the parent of a destination that is in this shard, not
     * visited, and not in `found` before */
    PUSH_PARENTS,
    /* puts each destination, visited or not, into the bin of its shard */
    PUSH_SHARDS
};

/* Columns begin..end of one row of g. These columns come after the row's heads. */
struct row_part {
    enum subgraph g;
    uint32_t row;
    uint64_t begin, end;
    uint64_t pieces_before; /* number of pieces of all long rows that were put aside earlier (number_long_pieces) */
};

/* Long rows that threads have put aside. Later all threads push these rows in pieces. */
struct long_rows {
    _Atomic uint32_t count; /* number of rows; may exceed MOST_LONG_ROWS, although `row` is full at MOST_LONG_ROWS */
    struct row_part row[MOST_LONG_ROWS];
};

/* For PUSH_SHARDS: the bins of one thread, one bin for each shard. */
struct shard_push {
    struct device *dev;
    struct shard_bin *bins;       /* [p] the bin for each shard */
    struct shard_bin *own;        /* the bin of this shard; visit_own_vertices empties it when it is full */
    uint32_t *own_parents;        /* [OWN_CAPACITY + 1] parents of the vertices in `own`, and one spare entry at the end */
    int is_single_thread;         /* 1: no other thread visits vertices at the same time */
};

/* For PUSH_BINS_LATER, PUSH_BINS_NOW and PUSH_PAIRS: the bins of one thread for vertices of one kind. The part of vertex
 * v is v >> block_bits & last_part. */
struct part_bins {
    uint8_t **pool;      /* unused chunks for the bins (struct bins) */
    uint32_t **end;      /* [last_part + 1] the end of the bin for each part */
    uint32_t last_part;  /* number of parts - 1; the number of parts is a power of two */
    uint32_t block_bits; /* log2 of the number of vertices in a block of a part */
};

/* What a push reads about destinations, and where it puts them. The members after `parent` are used only by some kinds. */
struct push_targets {
    enum push_kind kind;
    int parents;             /* 1: parents are recorded. PUSH_PAIRS and the later kinds do not use this member */
    uint32_t tag;            /* ORed into each parent: PARENT_DELEGATE_BIT if the rows are delegates, otherwise 0 */
    const uint64_t *visited; /* bitmap of visited destinations */
    uint64_t *found;         /* bitmap of destinations found; for PUSH_VISIT it is the bitmap `visited` */
    uint32_t *next, *from;   /* a list of new vertices, and the list of their parents */
    uint32_t *parent;        /* [vertices] the recorded parent of each destination */
    uint32_t first, span;    /* PUSH_PARENTS: the columns first..first + span are vertices of this shard */
    struct part_bins bins;
    struct shard_push *shards;
};

/* The description of a push along one subgraph. The rows are rows[0..row_count). If row_count is 0, a part of one row is
 * pushed instead. */
struct row_push {
    struct device *dev;
    enum subgraph g;
    const struct csr *csr;
    decode_columns *decode;  /* decodes packed columns */
    struct even_rows even;   /* rows of which offsets need not be read; even.count is 0 if there are none */
    const uint32_t *rows;
    uint64_t row_count;
    int few_sources;         /* 1: few rows have edges, so the bit of each row in csr->sources is read first */
    struct row_part part;    /* used if row_count is 0 */
    struct long_rows *aside; /* gets rows that are too long for one thread; not used by PUSH_VISIT and PUSH_UPDATE; NULL: no
                              * row is put aside */
    struct push_targets to;
};

/* Returns the description of a push of kind PUSH_VISIT along g, from the sparse part of the frontier. Pushes nothing. The
 * caller may change rows, kind and targets. */
struct row_push describe_push(struct device *dev, enum subgraph g);

/* Returns the description of a push of kind PUSH_VISIT along g, from the whole frontier. If the frontier has a dense
 * part, first lists the frontier's rows with edges in dev->gathered_rows. Pushes nothing. */
struct row_push describe_gathered_push(struct device *dev, enum subgraph g);

/* Pushes the rows of p, or its part of one row, on the calling thread. `count` is the number of vertices in the list
 * to.next. Returns the new number of vertices in the list. */
uint64_t push_rows(const struct row_push *p, uint64_t count);

/* Divides the rows that were put aside into pieces of LONG_ROW columns. Sets pieces_before of each row. Called after all
 * rows have been put aside. Returns the number of pieces. */
uint64_t number_long_pieces(struct long_rows *aside);

/* Returns piece number `piece` of the rows that were put aside. Called after number_long_pieces. */
struct row_part long_piece(const struct long_rows *aside, uint64_t piece);

/* For PUSH_SHARDS: empties the bin of this shard. Unvisited vertices of the bin go into the next frontier, with visited
 * bits, depths and parents. */
void visit_own_vertices(struct shard_push *s);

/* cpu_push.c. A function that pushes one piece of a push, as thread number `thread`. It first sets the kind and the
 * targets of the piece. */
typedef void push_piece(void *context, int thread, struct row_push *p);

/* Pushes the whole frontier along g with `threads` threads. Calls `push` for each piece of the frontier's rows. */
void push_by_threads(struct device *dev, enum subgraph g, int threads, push_piece *push, void *context);

/* Sets depth[v] to `value` for each vertex v of list[0..count). depth[] may also be an array of parents. */
static inline void set_depths(const uint32_t *list, uint64_t count, int32_t *depth, int32_t value)
{
    for (uint64_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(&depth[list[i + AHEAD]], 1);
        depth[list[i]] = value;
    }
}

/* Records the parents of the vertices next[first..end): copies the parents from the list t->from to t->parent. Does
 * nothing if parents are not recorded. */
static inline void write_parents(const struct push_targets *t, uint64_t first, uint64_t end)
{
    for (uint64_t i = first; t->parents && i < end; i++) {
        if (i + AHEAD < end)
            __builtin_prefetch(&t->parent[t->next[i + AHEAD]], 1);
        t->parent[t->next[i]] = t->from[i];
    }
}

#endif
