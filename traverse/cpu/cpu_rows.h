/* cpu_rows.h: pushes along the rows of a frontier: what a push reads, and where it puts what it finds */
#ifndef DBFS_CPU_ROWS_H
#define DBFS_CPU_ROWS_H

#include "cpu_bins.h"
#include "cpu_device.h"

/* Vertices between asking for an address and using it. */
enum { AHEAD = 32 };

/* What becomes of a destination. */
enum marking {
    MARK_VISITED, /* if it is not visited it is marked so, and goes behind the next list */
    MARK_APART,   /* the same, but marks of what is found are not those of visited vertices */
    MARK_BINS,    /* unless this thread knows it, it goes behind a list, and from there into the bin of its owner */
    MARK_KNOWN,   /* the same at once, behind a branch: in a grid with ids in order this is no coin toss */
    MARK_PAIRS,   /* the same with its parent, at once, as many are new */
    MARK_ALL,     /* it is marked */
    MARK_WRITE,   /* it is marked, and its parent is written at once */
    MARK_SHARDS   /* it goes into the bin of its shard, marked or not */
};

/* Columns of a row, without those of its heads. */
struct row_part {
    enum subgraph g;
    uint32_t row;
    uint64_t begin, end;
    uint64_t pieces; /* of a long row: of the long rows before it */
};

/* Rows that are put aside. Columns of a piece: longer rows are cut into pieces of this length. */
enum { LONG_ROW = 4096, MOST_LONG = 256 };

/* MARK_BINS: destinations wait in the list until they are BINNED_AT_ONCE or more; its places. */
enum { BINNED_AT_ONCE = 1024, WAITING_ROOM = BINNED_AT_ONCE + 2 * LONG_ROW };

struct long_rows {
    _Atomic uint32_t count; /* may grow beyond the most */
    struct row_part row[MOST_LONG];
};

/* The vertices that a thread finds by nn if there are several shards (cpu_push.c). */
struct shard_push {
    struct device *dev;
    struct bin *bins, *own; /* [p]; the one of this shard */
    int alone;              /* no other thread marks vertices meanwhile */
    uint32_t *from;         /* parents of `own`, and of the next destination, wherever it goes */
    int (*make_room)(struct shard_push *t, struct bin *bin); /* in a full bin; nonzero: it has room */
};

/* The bins of a thread by owner. */
struct owner_bins {
    struct bins *bins;
    uint32_t **at;               /* those of vertices of one kind */
    uint32_t owners, owned_bits; /* owners: less 1, as they are a power of two */
};

/* Where a push puts what it finds. Members below `tag` have a meaning for some ways of marking. */
struct push_targets {
    enum marking marks;
    int parents;             /* recorded */
    uint32_t tag;            /* PARENT_DELEGATE_BIT where rows are delegates */
    const uint64_t *visited; /* of destinations */
    uint64_t *marked;        /* marks of those that are found */
    uint32_t *next;
    uint32_t *from;   /* parents of `next`, in the same places */
    uint32_t *parent; /* where they go from there */
    struct owner_bins bins;
    uint32_t first, span; /* MARK_WRITE: the destinations that are vertices of this shard */
    struct shard_push *shards;
};

/* A push along one subgraph. */
struct row_push {
    struct device *dev;
    const struct csr *csr;
    decode_columns *decode;
    struct even_rows even;
    const uint32_t *rows;
    uint64_t row_count;
    struct row_part part;    /* is pushed if row_count is 0 */
    struct long_rows *aside; /* takes rows that are too long for one thread; NULL: none are */
    int sparse; /* few of the rows have edges: it is worth a look at the mask of sources before a row */
    enum subgraph g;
    struct push_targets to;
};

/* Describes a push of the frontier's lists, by one thread. */
struct row_push describe_push(struct device *dev, enum subgraph g);

/* The same of the whole frontier of a subgraph. */
struct row_push describe_whole_push(struct device *dev, enum subgraph g);

/* Pushes the rows, or the part of one, behind the `count` vertices that the next list has. Returns how many it has
 * then. */
uint64_t push_rows_of(const struct row_push *p, uint64_t count);

/* Numbers the pieces of rows that were put aside. Returns how many they are. */
uint64_t number_long_pieces(struct long_rows *aside);

/* A piece of a row that was put aside. */
struct row_part long_piece(const struct long_rows *aside, uint64_t piece);

/* Says what becomes of destinations, and pushes the rows. */
typedef void push_piece(void *context, int thread, struct row_push *p);

/* Pushes the whole frontier of g by threads, in pieces. */
void push_by_threads(struct device *dev, enum subgraph g, int threads, push_piece *push, void *context);

/* Gives vertices of a list a depth. */
static inline void mark_depths(const uint32_t *list, uint64_t count, int32_t *depth, int32_t value)
{
    for (uint64_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(&depth[list[i + AHEAD]], 1);
        depth[list[i]] = value;
    }
}

/* Gives the vertices first..end of the next list their parents, if they are recorded. */
static inline void settle_parents(const struct push_targets *t, uint64_t first, uint64_t end)
{
    for (uint64_t i = first; t->parents && i < end; i++) {
        if (i + AHEAD < end)
            __builtin_prefetch(&t->parent[t->next[i + AHEAD]], 1);
        t->parent[t->next[i]] = t->from[i];
    }
}

#endif
