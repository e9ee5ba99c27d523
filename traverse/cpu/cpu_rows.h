/* cpu_rows.h: pushes along the rows of a frontier: kinds of pushes, their descriptions, and the functions that push
 *
 * A destination is a vertex to which a pushed edge leads, a column of the row. cpu_bins.h explains parts and bins. */
#ifndef DBFS_CPU_ROWS_H
#define DBFS_CPU_ROWS_H

#include "cpu_bins.h"
#include "cpu_device.h"

enum {
    AHEAD = 32,          /* how many list entries before its use an address is prefetched */
    LONG_ROW = 2048,     /* columns: longer rows are put aside, in pieces of this length */
    MOST_LONG_ROWS = 256, /* the most rows that a push puts aside */
    BINNED_AT_ONCE = 1024, /* PUSH_BINS_LATER: with so many vertices `next` is moved to bins */
    WAITING_CAPACITY = BINNED_AT_ONCE + 2 * LONG_ROW, /* PUSH_BINS_LATER: the most vertices in `next` */
    OWN_CAPACITY = MOST_APPENDED /* PUSH_SHARDS: the most vertices in the bin of this shard, which is then emptied */
};

/* Compiles a function twice, for any x86-64 and with AVX2 and BMI2, whose shifts by a variable take one operation in place of three. The
 * program chooses when it starts. Needs glibc and gcc 12; with others the function is compiled once. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && __GNUC__ >= 12
#define IN_TWO_VERSIONS __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define IN_TWO_VERSIONS
#endif

/* What a push does with each destination. Of struct push_targets it uses these members:
 * kind             always                                   if `parents` is set
 * PUSH_VISIT       found, next                              tag, next_parents, parent
 * PUSH_UPDATE      visited, found, next                     tag, next_parents, parent
 * PUSH_BINS_LATER  found, next, bins                        tag, next_parents
 * PUSH_BINS_NOW    found, bins                              tag
 * PUSH_PAIRS       found, bins, tag
 * PUSH_BITS        found
 * PUSH_PARENTS     visited, found, tag, parent, first, span
 * PUSH_SHARDS      shards */
enum push_kind {
    /* appends an unvisited destination to `next`, and sets its visited bit */
    PUSH_VISIT,
    /* appends a delegate that is neither visited nor in `found` to `next`, and sets its bit in `found` */
    PUSH_UPDATE,
    /* appends a destination that is not in `found` to `next`, which may have it several times. Now and then moves the
     * vertices of `next` to the bins of their parts, each vertex once, and adds them to `found` */
    PUSH_BINS_LATER,
    /* puts a destination that is not in `found` into the bin of its part, and adds it to `found`. A branch tests whether it
     * is in `found`, which can be predicted in grids with ids in order */
    PUSH_BINS_NOW,
    /* does the same as PUSH_BINS_NOW without a branch, and puts the destination's parent into the bin, too */
    PUSH_PAIRS,
    /* sets the bit of each destination in `found` */
    PUSH_BITS,
    /* sets the bit of each destination in `found`. Records the parent of a destination of this shard if it was neither
     * visited nor in `found` before */
    PUSH_PARENTS,
    /* puts each destination, visited or not, into the bin of its shard */
    PUSH_SHARDS
};

/* Columns begin..end of one row of g, behind the row's heads. */
struct row_part {
    enum subgraph g;
    uint32_t row;
    uint64_t begin, end;
    uint64_t pieces_before; /* number of pieces of the long rows put aside before it (number_long_pieces) */
};

/* Long rows that threads have put aside, to be pushed in pieces later. */
struct long_rows {
    _Atomic uint32_t count; /* rows put aside; may go beyond MOST_LONG_ROWS, where `row` is full */
    struct row_part row[MOST_LONG_ROWS];
};

/* PUSH_SHARDS: the bins of one thread, one for each shard. */
struct shard_push {
    struct device *dev;
    struct shard_bin *bins;       /* [p] the bin for each shard */
    struct shard_bin *own;        /* the bin of this shard, which visit_own_vertices empties when it is full */
    uint32_t *own_parents;        /* [OWN_CAPACITY + 1] parents of the vertices in `own`, and a spare entry */
    int is_single_thread;         /* no other thread visits vertices at the same time */
};

/* PUSH_BINS_LATER, PUSH_BINS_NOW, PUSH_PAIRS: the bins of one thread for vertices of one kind. The part of vertex v is
 * v >> block_bits & last_part. */
struct part_bins {
    uint8_t **pool;      /* unused chunks for the bins (struct bins) */
    uint32_t **end;      /* [last_part + 1] the end of the bin for each part */
    uint32_t last_part;  /* number of parts - 1; the number of parts is a power of two */
    uint32_t block_bits; /* log2 of the number of vertices in a block of a part */
};

/* What a push reads about destinations, and where it puts them. Which kind uses which members is said at enum push_kind. */
struct push_targets {
    enum push_kind kind;
    int parents;             /* 1: pushes yield parents; PUSH_PAIRS and later kinds do not look at this */
    uint32_t tag;            /* ORed into each parent: PARENT_DELEGATE_BIT if the rows are delegates, otherwise 0 */
    const uint64_t *visited; /* bitmap of visited destinations */
    uint64_t *found;         /* bitmap of the destinations found; for PUSH_VISIT the same as `visited` */
    uint32_t *next, *next_parents; /* a list of new vertices, and the list of their parents */
    uint32_t *parent;        /* [vertices] the recorded parent of each destination */
    uint32_t first, span;    /* PUSH_PARENTS: the columns first..first + span are vertices of this shard */
    struct part_bins bins;
    struct shard_push *shards;
};

/* A push along one subgraph, of the rows rows[0..row_count). With a row_count of 0 a part of one row is pushed instead. */
struct row_push {
    struct device *dev;
    enum subgraph g;
    const struct csr *csr;
    decode_columns *decode;  /* decodes packed columns */
    struct even_rows even;   /* rows whose offsets need not be read; even.count is 0 if there are none */
    const uint32_t *rows;
    uint64_t row_count;
    int few_sources;         /* few rows have edges, so each row's bit in csr->sources is read first */
    struct row_part part;    /* used if row_count is 0 */
    struct long_rows *aside; /* gets the rows that are too long for one thread, except from PUSH_VISIT and PUSH_UPDATE; NULL:
                              * no row is put aside */
    struct push_targets to;
};

/* Describes a push of kind PUSH_VISIT along subgraph g, from the sparse part of the frontier, but pushes nothing. The
 * caller may change rows, kind and targets before push_rows. */
struct row_push describe_push(struct device *dev, enum subgraph g);

/* Describes a push of kind PUSH_VISIT along subgraph g, from the whole frontier. If the frontier has a dense part, all its
 * rows with edges are first listed in dev->gathered_rows. */
struct row_push describe_gathered_push(struct device *dev, enum subgraph g);

/* Pushes what p describes, on the calling thread: rows, or a part of one row. `count` is the number of vertices in the list
 * to.next; returns the new number. */
uint64_t push_rows(const struct row_push *p, uint64_t count);

/* Divides the rows that threads have put aside into pieces of LONG_ROW columns, and returns the number of pieces. Called
 * when no more rows will be put aside. */
uint64_t number_long_pieces(struct long_rows *aside);

/* Returns piece number `piece` of the rows that were put aside, after number_long_pieces. */
struct row_part long_piece(const struct long_rows *aside, uint64_t piece);

/* PUSH_SHARDS: empties the bin of this shard. Its unvisited vertices go into the next frontier, with visited bits,
 * depths and parents. */
void visit_own_vertices(struct shard_push *s);

/* cpu_push.c. A function that pushes the piece p as thread number `thread`, after it has set the kind and targets in p->to. */
typedef void push_piece(void *context, int thread, struct row_push *p);

/* Pushes the whole frontier along subgraph g by `threads` threads, which call `push` for each piece of its rows. */
void push_by_threads(struct device *dev, enum subgraph g, int threads, push_piece *push, void *context);

/* Sets depth[v] to `value` for each v of list[0..count). depth[] may also be an array of parents. */
static inline void set_depths(const uint32_t *list, uint64_t count, int32_t *depth, int32_t value)
{
    for (uint64_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            prefetch_to_write(&depth[list[i + AHEAD]]);
        depth[list[i]] = value;
    }
}

/* Records the parents of next[first..end), from the list t->next_parents, if parents are recorded. */
static inline void write_parents(const struct push_targets *t, uint64_t first, uint64_t end)
{
    for (uint64_t i = first; t->parents && i < end; i++) {
        if (i + AHEAD < end)
            prefetch_to_write(&t->parent[t->next[i + AHEAD]]);
        t->parent[t->next[i]] = t->next_parents[i];
    }
}

#endif
