/* batch_cpu.h: the state of a batch on the CPU, and its loops; for batch_cpu.c, batch_sparse.c and batch_dense.c */
#ifndef DBFS_BATCH_CPU_H
#define DBFS_BATCH_CPU_H

#include "batch_search.h"

#include "traverse/cpu/thread_pool.h"

#include "formats/base/arith.h"
#include "formats/base/clones.h"

#include <string.h>

/* Number of found vertices that a thread gathers before it appends them to the list that all threads share. */
enum { MOST_GATHERED = 256 };

/* What one thread has found and read in a level. After the level, add_counts adds up the tallies of all threads. */
struct tally {
    struct bit_sums sums;        /* for each root: number of found vertices whose weight (batch_weight) is `shift` */
    int shift;
    uint64_t count[BATCH_MOST];  /* for each root: number of found vertices that were moved out of `sums` */
    /* for each root: sum of the degrees of the vertices in `count`, each degree rounded down to a power of two */
    uint64_t weight[BATCH_MOST];
    uint64_t vertices, edges; /* number of found vertices, and number of edges of their rows */
    uint64_t read;            /* number of edges that the thread has read */
    uint32_t gathered;                /* number of used entries of `found` */
    uint32_t found[MOST_GATHERED];    /* found vertices that this thread has not yet appended to the list of all threads */
    uint32_t *queue; /* [vertices] queue of a search from a single root; NULL: not allocated */
    uint64_t *mask;  /* [(vertices + 63) / 64] bitmap of the vertices in `queue` */
    double noting_s; /* seconds in which this thread noted distances of searches from single roots */
} __attribute__((aligned(128)));

/* A list of `count` vertices. */
struct batch_list {
    uint32_t *vertex; /* [vertices and ghosts] each vertex at most once */
    uint64_t count;
};

struct batch_search {
    const struct joined_graph *graph;
    struct thread_pool *pool;
    struct batch_ranks *ranks; /* what the ranks that divide the graph exchange; NULL: this rank has all shards */
    int threads, words;
    uint64_t weight;             /* sum of the degrees of all vertices, each degree rounded down to a power of two */
    /* [vertices and ghosts][words] a bit for each root: the seen words, frontier words and next words (batch_search.h) */
    uint64_t *seen, *now, *next;
    struct batch_list frontier;  /* list of the frontier; used only if the frontier is sparse */
    struct batch_list found;     /* list of the vertices, and ghosts, that a sparse level has found so far */
    struct batch_list touched;   /* the vertices that the batch has found so far, each once or more */
    int touched_too_many;        /* 1: they do not fit into `touched`, and any vertex may have been found */
    /* [vertices and ghosts] 1: the vertex is in `found`. NULL with one thread or one word per vertex, which do not need the array. */
    uint8_t *listed;
    uint64_t found_from;         /* the first of the vertices that find_vertices goes over */
    const uint64_t *pulls;       /* [BATCH_MOST_WORDS] a bit for each root; 1: the root pulls in this level */
    struct tally *tally;         /* [threads] a tally for each thread */
};

/* The body of a loop over the elements `begin` to `end` - 1 of a list, or the vertices `begin` to `end` - 1. Adds what it
 * finds to *t, the tally of the calling thread. */
typedef void batch_body(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end);

/* The arguments of batch_for: a loop over `count` elements, in pieces of `step` elements. */
struct batch_loop {
    struct batch_search *search;
    batch_body *body;
    uint64_t count, step;
};

/* Calls the body of a loop for piece number `piece`, with the tally of thread `thread`. Called by pool_run. Returns 0. */
static inline uint64_t batch_loop_piece(void *context, int thread, uint64_t piece)
{
    const struct batch_loop *loop = context;
    const uint64_t begin = piece * loop->step;
    loop->body(loop->search, &loop->search->tally[thread], begin, smaller(begin + loop->step, loop->count));
    return 0;
}

/* Calls `body` for the elements 0 to `count` - 1, in pieces of `step` elements, on threads of the pool, and waits for all
 * pieces. `work` is the estimated number of edges to be read: the loop gets one thread for each LEAST_WORK edges, up to
 * s->threads. A single thread calls `body` once for all elements. */
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

/* BATCH_BY_WORDS defines the table `name` of functions, in which name[W] is for W words per vertex: 1, 2 or 4. Each function
 * knows W as a constant, so that loops over words are unrolled. The last argument is the body of all these functions, which
 * uses W, and the arguments s, t, begin and end of a batch_body. BATCH_FOR_WORDS defines one function of the table. */
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

/* Returns the weight of vertex v: floor(log2(degree)), so that v counts as having 2^weight edges. v has edges. */
BATCH_INLINE int batch_weight(const struct joined_rows *rows, uint64_t v)
{
    return 63 - __builtin_clzll((rows->offsets[v + 1] - rows->offsets[v]) | 1);
}

/* Counts a found vertex of this weight, with the bits found[W], in *t. t->sums is for vertices of one weight; before another one its
 * counts are moved out. */
BATCH_INLINE void tally_found(struct tally *t, const uint64_t *found, int weight, const int W)
{
    if (weight != t->shift) {
        bit_sums_take(&t->sums, W, t->count, t->weight, t->shift);
        t->shift = weight;
    }
    bit_sums_add(&t->sums, found, W);
    t->vertices++;
}

/* A batch that has found fewer than 1 / TOUCHED_SHARE of all vertices is forgotten vertex by vertex; so the cost of small
 * searches does not follow the number of vertices of the graph. */
enum { TOUCHED_SHARE = 8 };

/* Appends vertices to the list of touched vertices, unless that becomes too long. */
static inline void batch_touch(struct batch_search *s, const uint32_t *vertex, uint64_t count)
{
    if (s->touched_too_many || s->touched.count + count > s->graph->vertices / TOUCHED_SHARE) {
        s->touched_too_many = 1;
        return;
    }
    memcpy(s->touched.vertex + s->touched.count, vertex, count * sizeof *vertex);
    s->touched.count += count;
}

/* Runs a sparse level: the listed vertices of the frontier push to their neighbours. A dense frontier is first made a list.
 * Sets s->frontier and s->next to the found vertices, and fills the tallies. Defined in batch_sparse.c. */
void batch_run_sparse(struct batch_search *s, const struct batch_levels *levels);

/* Runs a dense level: some roots push, and then each vertex pulls. Sets s->next to the found vertices, and fills the
 * tallies. Defined in batch_dense.c. */
void batch_run_dense(struct batch_search *s, const struct batch_levels *levels);

#endif
