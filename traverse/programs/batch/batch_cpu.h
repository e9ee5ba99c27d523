/* batch_cpu.h: a batch under way on the CPU (batch_search.h), for batch_cpu.c, batch_sparse.c and batch_dense.c */
#ifndef DBFS_BATCH_CPU_H
#define DBFS_BATCH_CPU_H

#include "batch_search.h"

#include "traverse/cpu/thread_pool.h"

#include "formats/base/arith.h"
#include "formats/base/clones.h"

/* Found vertices that a thread gathers before it appends them to the shared list. */
enum { MOST_GATHERED = 256 };

/* What one thread has found and read in a level. add_counts in batch_cpu.c adds up the tallies and zeroes them. */
struct tally {
    struct bit_sums sums;        /* counts by root of found vertices whose weight is 2^shift */
    int shift;
    uint64_t count[BATCH_MOST];  /* found vertices by root that were moved out of `sums` */
    uint64_t weight[BATCH_MOST]; /* sum of the degrees of these vertices, each rounded down to a power of two */
    uint64_t vertices, edges; /* found vertices, and the edges of their rows */
    uint64_t read;            /* edges that were read */
    uint32_t gathered;                /* used entries of `found` */
    uint32_t found[MOST_GATHERED];    /* found vertices that are not yet in the shared list */
    uint32_t *queue; /* [vertices] queue of a search from a single root; NULL: not taken */
    uint64_t *mask;  /* bitmap of the vertices in the queue */
    double noting_s; /* seconds in which distances of searches from single roots were noted */
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
    uint64_t *seen, *now, *next; /* [vertices][words] bits by root: seen, frontier, found in this level */
    struct batch_list frontier;  /* the frontier, if it is sparse */
    struct batch_list found;     /* the next frontier as a sparse level finds it */
    uint8_t *listed;             /* [vertices] 1: the vertex is in `found`; NULL: one thread, or one word */
    const uint64_t *pulls;       /* [BATCH_MOST_WORDS] roots that pull in this level */
    struct tally *tally;         /* [threads] */
};

/* Works on elements begin..end of a list, or on vertices begin..end, and adds what it finds to `t`, which belongs to the
 * calling thread. */
typedef void batch_body(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end);

/* A loop of batch_for: elements 0..count, in pieces of `step`. */
struct batch_loop {
    struct batch_search *search;
    batch_body *body;
    uint64_t count, step;
};

/* The job of batch_for: works on piece number `piece` as thread `thread`; `context` is the struct batch_loop. Returns 0. */
static inline uint64_t batch_loop_piece(void *context, int thread, uint64_t piece)
{
    const struct batch_loop *loop = context;
    const uint64_t begin = piece * loop->step;
    loop->body(loop->search, &loop->search->tally[thread], begin, smaller(begin + loop->step, loop->count));
    return 0;
}

/* Calls `body` for elements 0..count, in pieces of `step` elements, on threads of the pool, and waits. Each LEAST_WORK edges
 * of `work`, an estimate, pay for a thread. For a single thread all elements are one piece, on the calling thread. */
static inline void batch_for(struct batch_search *s, uint64_t count, uint64_t step, uint64_t work, batch_body *body)
{
    enum { LEAST_WORK = 4096 };
    struct batch_loop loop = {s, body, count, step};
    int threads = (int)smaller(work / LEAST_WORK, (uint64_t)s->threads);
    if (threads <= 1)
        body(s, &s->tally[0], 0, count);
    else
        pool_run(s->pool, threads, divide_up(count, step), batch_loop_piece, &loop);
}

/* Defines `name` as a table of three functions, indexed by the number of words per vertex. Each function is compiled of the
 * given call, in which W is this number, and s, t, begin, end are the arguments of a batch_body. */
#define BATCH_FOR_WORDS(name, words, ...)                                                          \
    WIDE_CLONES static void name##_##words(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end) \
    {                                                                                              \
        enum { W = words };                                                                        \
        (void)t;                                                                                   \
        __VA_ARGS__;                                                                               \
    }
#define BATCH_BY_WORDS(name, ...)                                                                  \
    BATCH_FOR_WORDS(name, 1, __VA_ARGS__)                                                          \
    BATCH_FOR_WORDS(name, 2, __VA_ARGS__)                                                          \
    BATCH_FOR_WORDS(name, 4, __VA_ARGS__)                                                          \
    static batch_body *const name[BATCH_MOST_WORDS + 1] = {NULL, name##_1, name##_2, NULL, name##_4};

#define BATCH_INLINE static inline __attribute__((always_inline))

/* Returns floor(log2(degree)) of a vertex with edges: degrees are counted as powers of two. */
BATCH_INLINE int batch_weight(const struct joined_rows *rows, uint64_t v)
{
    return 63 - __builtin_clzll((rows->offsets[v + 1] - rows->offsets[v]) | 1);
}

/* batch_sparse.c. Runs a sparse level. A dense frontier is made a list first. */
void batch_run_sparse(struct batch_search *s, const struct batch_levels *levels);

/* batch_dense.c. Runs a dense level. */
void batch_run_dense(struct batch_search *s, const struct batch_levels *levels);

#endif
