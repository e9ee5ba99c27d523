/* batch_state.h: a batch that is under way on the CPU, for batch_cpu.c and its levels */
#ifndef DBFS_BATCH_STATE_H
#define DBFS_BATCH_STATE_H

#include "batch_search.h"

#include "traverse/cpu/thread_pool.h"

#include "formats/base/clones.h"

enum { FRESH_ROOM = 256 };

/* The finds of a thread in a level. */
struct tally {
    struct bit_sums sums;        /* vertices by root, of weight 2^shift each */
    int shift;
    uint64_t count[BATCH_MOST];  /* vertices that are no longer in the sums */
    uint64_t weight[BATCH_MOST]; /* the same by degree, each rounded down to a power of two */
    uint64_t vertices, edges; /* found vertices, and their edges */
    uint64_t read;            /* edges */
    uint32_t waiting;
    uint32_t fresh[FRESH_ROOM]; /* found vertices that are not yet in the list */
    uint32_t *queue; /* [vertices] of a search from one root */
    uint64_t *mask;  /* the vertices in it */
    double watched_s;
} __attribute__((aligned(128)));

struct batch_list {
    uint32_t *vertex; /* [vertices] */
    uint64_t count;
};

struct batch_search {
    const struct joined_graph *graph;
    struct thread_pool *pool;
    int threads, words;
    uint64_t weight;             /* of all vertices: their degrees, each rounded down to a power of two */
    uint64_t *seen, *now, *next; /* [vertices][words] */
    uint8_t *marks;              /* [vertices]: whether it is in `fresh`; NULL: one thread, or one word */
    struct batch_list list, fresh; /* the frontier, if it is a list, and the next one */
    const uint64_t *pulls;       /* [BATCH_MOST_WORDS] roots that pull in this level */
    struct tally *tally;         /* [threads] */
};

/* Works on elements begin..end, and notes finds in `tally`. */
typedef void batch_piece(struct batch_search *s, struct tally *tally, uint64_t begin, uint64_t end);

/* batch_pieces.c. Does 0..count in pieces. `work`, in edges, decides the number of threads. */
void batch_pieces(struct batch_search *s, uint64_t count, uint64_t step, uint64_t work, batch_piece *piece);

/* Compiles a piece for 1, 2 and 4 words; `name` is a table of the three. */
#define BATCH_BY_WORDS(name)                                                                       \
    WIDE_CLONES static void name##_1(struct batch_search *s, struct tally *t, uint64_t b, uint64_t e) { name##_of(s, t, b, e, 1); } \
    WIDE_CLONES static void name##_2(struct batch_search *s, struct tally *t, uint64_t b, uint64_t e) { name##_of(s, t, b, e, 2); } \
    WIDE_CLONES static void name##_4(struct batch_search *s, struct tally *t, uint64_t b, uint64_t e) { name##_of(s, t, b, e, 4); } \
    static batch_piece *const name[BATCH_MOST_WORDS + 1] = {NULL, name##_1, name##_2, NULL, name##_4};

#define BATCH_INLINE static inline __attribute__((always_inline))

/* floor(log2(degree)) of a vertex with edges: its weight is a power of two. */
BATCH_INLINE int batch_weight(const struct joined_rows *rows, uint64_t v)
{
    return 63 - __builtin_clzll((rows->offsets[v + 1] - rows->offsets[v]) | 1);
}

/* Counts the bits of a vertex, which has this batch_weight. */
BATCH_INLINE void batch_count(struct tally *t, const uint64_t *bits, int weight, const int W)
{
    if (weight != t->shift) {
        bit_sums_take(&t->sums, W, t->count, t->weight, t->shift);
        t->shift = weight;
    }
    bit_sums_add(&t->sums, bits, W);
}

/* batch_list.c. A level by list, of a frontier that is one or not. */
void batch_level_by_list(struct batch_search *s, const struct batch_levels *levels);

/* batch_alone.c. A batch root by root, with as many threads as batch_alone_open has memory for. */
int batch_alone_open(struct batch_search *s);
void batch_alone_close(struct batch_search *s);
void batch_search_alone(struct batch_search *s, struct batch_run *run, int threads);

/* batch_all.c. A level by all vertices. */
void batch_level_by_all(struct batch_search *s, const struct batch_levels *levels);

#endif
