/* batch_state.h: a batch that is under way on the CPU, for batch_cpu.c and its levels */
#ifndef DBFS_BATCH_STATE_H
#define DBFS_BATCH_STATE_H

#include "batch_search.h"

#include "traverse/cpu/thread_pool.h"

#include "formats/base/clones.h"

/* Found vertices that a thread gathers before it appends them to the shared list. */
enum { FRESH_ROOM = 256 };

/* What one thread has found and read in a level. add_counts in batch_cpu.c adds up the tallies and zeroes them. */
struct tally {
    struct bit_sums sums;        /* counts by root of found vertices whose weight is 2^shift */
    int shift;
    uint64_t count[BATCH_MOST];  /* found vertices by root that were moved out of `sums` */
    uint64_t weight[BATCH_MOST]; /* sum of the degrees of these vertices, each rounded down to a power of two */
    uint64_t vertices, edges; /* found vertices, and the edges of their rows */
    uint64_t read;            /* edges that were read */
    uint32_t waiting;           /* used entries of `fresh` */
    uint32_t fresh[FRESH_ROOM]; /* found vertices that are not yet in the shared list */
    uint32_t *queue; /* [vertices] queue of a search from a single root; NULL: not taken */
    uint64_t *mask;  /* bitmap of the vertices in the queue */
    double watched_s; /* seconds in the watcher, in searches from single roots */
} __attribute__((aligned(128)));

/* A list of vertices. */
struct batch_list {
    uint32_t *vertex; /* [vertices] */
    uint64_t count;
};

struct batch_search {
    const struct joined_graph *graph;
    struct thread_pool *pool;
    int threads, words;
    uint64_t weight;             /* sum over all vertices of the degree, rounded down to a power of two */
    uint64_t *seen, *now, *next; /* [vertices][words] bits by root: seen, frontier, found */
    uint8_t *marks;              /* [vertices] 1: the vertex is in `fresh`; NULL: one thread, or one word */
    struct batch_list list, fresh; /* the frontier, if it is a list; the next frontier as it grows */
    const uint64_t *pulls;       /* [BATCH_MOST_WORDS] roots that pull in this level */
    struct tally *tally;         /* [threads] */
};

/* Works on elements begin..end of a list, or on vertices begin..end, and adds what it finds to `tally`, which belongs
 * to the calling thread. */
typedef void batch_piece(struct batch_search *s, struct tally *tally, uint64_t begin, uint64_t end);

/* batch_pieces.c. Calls `piece` for elements 0..count, cut into pieces of `step` elements, on threads of the pool, and
 * waits for the end. `work`, an estimate in edges, decides the number of threads; for one thread all elements are a
 * single piece. */
void batch_pieces(struct batch_search *s, uint64_t count, uint64_t step, uint64_t work, batch_piece *piece);

/* Compiles the function name_of(s, tally, begin, end, W) for W = 1, 2 and 4 words per vertex, and defines `name` as
 * the table of the three functions, indexed by the number of words. */
#define BATCH_BY_WORDS(name)                                                                       \
    WIDE_CLONES static void name##_1(struct batch_search *s, struct tally *t, uint64_t b, uint64_t e) { name##_of(s, t, b, e, 1); } \
    WIDE_CLONES static void name##_2(struct batch_search *s, struct tally *t, uint64_t b, uint64_t e) { name##_of(s, t, b, e, 2); } \
    WIDE_CLONES static void name##_4(struct batch_search *s, struct tally *t, uint64_t b, uint64_t e) { name##_of(s, t, b, e, 4); } \
    static batch_piece *const name[BATCH_MOST_WORDS + 1] = {NULL, name##_1, name##_2, NULL, name##_4};

#define BATCH_INLINE static inline __attribute__((always_inline))

/* Returns floor(log2(degree)) of a vertex with edges: degrees are counted as powers of two. */
BATCH_INLINE int batch_weight(const struct joined_rows *rows, uint64_t v)
{
    return 63 - __builtin_clzll((rows->offsets[v + 1] - rows->offsets[v]) | 1);
}

/* Counts a found vertex for each root with a bit in `bits` [W]. `weight` is the batch_weight of the vertex. Called by
 * the thread of the tally. */
BATCH_INLINE void batch_count(struct tally *t, const uint64_t *bits, int weight, const int W)
{
    if (weight != t->shift) {
        bit_sums_take(&t->sums, W, t->count, t->weight, t->shift);
        t->shift = weight;
    }
    bit_sums_add(&t->sums, bits, W);
}

/* batch_list.c. Runs a level by list. A frontier that is no list is made one first. */
void batch_level_by_list(struct batch_search *s, const struct batch_levels *levels);

/* batch_alone.c. batch_alone_open takes memory for searches from single roots, and returns for how many threads it was
 * enough; batch_search_alone searches from the roots of the run with `threads` threads, each root by one thread. */
int batch_alone_open(struct batch_search *s);
void batch_alone_close(struct batch_search *s);
void batch_search_alone(struct batch_search *s, struct batch_run *run, int threads);

/* batch_all.c. Runs a level by all vertices. */
void batch_level_by_all(struct batch_search *s, const struct batch_levels *levels);

#endif
