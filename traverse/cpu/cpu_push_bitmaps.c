/* cpu_push_bitmaps.c: large pushes into bitmaps, one of each thread; the twins are push_sparse (cpu_sparse.c) and push_nn
 *
 * Each thread sets the bit of every destination, visited or not, in a bitmap of its own. So an edge costs a write to the
 * thread's cache, and nothing is claimed or listed. Then the bitmaps of all threads are joined, word by word. Bytes that
 * must move: for each row 8 of offsets, for each edge 4 of the column, and for each thread twice a bitmap.
 *
 * Parents that are written at once lie anywhere, in lines that the caches of other cores have: 6 ns each. So each thread
 * puts vertices, with their parents, into bins by parts (cpu_bins.h). Then a thread empties all bins of a part, whose
 * parents fit into its cache. That moves 16 bytes more for each vertex and thread, in sequence. A piece for which bins have
 * too little memory writes its parents at once.
 */
#include "cpu_rows.h"

#include "formats/base/arith.h"

#include <string.h>

enum { JOINED_WORDS = 128 }; /* of the bitmaps, that a thread joins at a time */

/* A push, as all threads see it. */
struct bitmap_push {
    struct device *dev;
    enum subgraph g;
    const uint64_t *visited; /* bitmap of destinations of this shard */
    uint32_t *parent;        /* of destinations */
    uint64_t words;          /* of a bitmap of destinations */
    int by_bins;             /* parents go through bins */
    uint32_t parts, block_bits; /* of bins */
    int keeps;               /* visits of this level before the push have written next_dense */
    uint8_t joined[MOST_POOL_THREADS]; /* 1 if the bitmap of the thread is in use */
};

/* Returns the bitmap of a thread. */
static uint64_t *bitmap_of_thread(const struct device *dev, int thread)
{
    return dev->per_thread.bitmaps + (size_t)thread * dev->per_thread.bitmap_words;
}

/* Returns 1 if the bins of a thread have memory for the rows of p, even if all of their edges find something. */
static int bins_can_take(const struct bitmap_push *b, const struct row_push *p, int thread)
{
    const struct cpu_thread_memory *memory = &b->dev->per_thread;
    const uint8_t *end = memory->bins + (uint64_t)(thread + 1) * memory->bin_bytes;
    uint64_t left = (uint64_t)(end - bins_of_thread(b->dev, thread)->pool) / CHUNK_BYTES;
    uint64_t edges = LONG_ROW; /* of a part of a row */
    if (64 * b->words <= MOST_BINNED)
        return 1; /* a thread puts a vertex into a bin once */
    for (uint64_t i = 0; i < p->row_count; i++)
        edges += csr_row_length(p->csr, p->rows[i]);
    return left > edges * 2 * sizeof(uint32_t) / (CHUNK_BYTES - CHUNK_HEAD) + b->parts;
}

/* Pushes the rows of p, or its part of a row, into the bitmap of a thread; parents go into the thread's bins, or to their
 * places. The first call of a thread prepares its bitmap and bins. */
static void push_piece_into_bitmap(void *context, int thread, struct row_push *p)
{
    struct bitmap_push *b = context;
    struct bins *bins = bins_of_thread(b->dev, thread);
    uint64_t *bitmap = bitmap_of_thread(b->dev, thread);
    if (!b->joined[thread]) {
        b->joined[thread] = 1;
        if (b->by_bins) {
            empty_bins(bins, (int)b->parts);
            memcpy(bitmap, b->visited, b->words * sizeof *bitmap); /* visited vertices need no bin */
        } else {
            memset(bitmap, 0, b->words * sizeof *bitmap);
        }
    }
    p->to.found = bitmap;
    p->to.kind = b->dev->parents ? PUSH_PARENTS : PUSH_BITS;
    if (b->by_bins && bins_can_take(b, p, thread)) {
        p->to.kind = PUSH_PAIRS;
        p->to.bins = (struct part_bins){
            .pool = &bins->pool, .end = bins->end, .last_part = b->parts - 1, .block_bits = b->block_bits};
    }
    push_rows(p, 0);
}

/* Writes the parents of vertices in a part, from the bins of all threads: pairs of a vertex and its parent. A pool job whose
 * context is a struct bitmap_push. Returns 0. */
static uint64_t write_binned_parents(void *context, int thread, uint64_t part)
{
    enum { WORDS_AHEAD = 32 }; /* twice the vertices */
    const struct bitmap_push *b = context;
    (void)thread;
    for (int t = 0; t < b->dev->threads; t++) {
        const struct bins *bins = bins_of_thread(b->dev, t);
        const uint32_t *next, *pair = b->joined[t] ? bin_begin(bins, (int)part) : NULL;
        for (; pair != NULL; pair = next) {
            const uint32_t *end = end_of_chunk(pair, bins->end[part], &next);
            for (; pair < end; pair += 2) {
                if (end - pair > WORDS_AHEAD)
                    __builtin_prefetch(&b->parent[pair[WORDS_AHEAD]], 1);
                b->parent[pair[0]] = pair[1];
            }
        }
    }
    return 0;
}

/* Visits the destinations of this shard in word w that are not visited yet. Returns how many normals these are; of delegates
 * 0 if there are none. */
static uint64_t visit_word(const struct bitmap_push *b, uint64_t w, uint64_t bits)
{
    uint64_t fresh = bits & ~b->visited[w];
    if (subgraph_columns(b->g) == NORMALS)
        return visit_normals_word(b->dev, w, fresh, b->keeps);
    b->dev->delegates.updated[w] |= fresh;
    return fresh != 0;
}

/* Joins JOINED_WORDS words of the bitmaps of all threads, and visits their vertices. Vertices of another shard are shown to
 * that shard. A pool job whose context is a struct bitmap_push. Returns the number of normals of this shard that are new; of
 * delegates 0 if none is. */
static uint64_t join_bitmaps(void *context, int thread, uint64_t piece)
{
    const struct bitmap_push *b = context;
    const struct shard *shard = b->dev->shard;
    const struct cpu_shown *shown = &b->dev->shown;
    const uint64_t begin = piece * JOINED_WORDS, end = smaller(begin + JOINED_WORDS, b->words);
    uint64_t sum[JOINED_WORDS] = {0}, found = 0;
    (void)thread;
    for (int t = 0; t < b->dev->threads; t++) {
        const uint64_t *bitmap = bitmap_of_thread(b->dev, t) + begin;
        for (uint64_t i = 0; b->joined[t] && i < end - begin; i++)
            sum[i] |= bitmap[i];
    }
    if (!leads_to_shards(shard, b->g)) {
        for (uint64_t w = begin; w < end; w++)
            found += visit_word(b, w, sum[w - begin]);
        return found;
    }
    for (uint64_t w = begin; w < end; w++) {
        uint64_t owner = w / column_words(shard), own_word = w % column_words(shard), bits = sum[w - begin];
        if (owner == shard->index) {
            found += own_word < mask_words(shard->locals) ? visit_word(b, own_word, bits) : 0;
            continue;
        }
        shown->mask[w] = bits;
        if (bits != 0)
            __atomic_store_n(&shown->count[owner], 1, __ATOMIC_RELAXED); /* there are some */
    }
    return found;
}

uint64_t push_into_bitmaps(struct device *dev, enum subgraph g)
{
    enum {
        VERTICES_OF_PART = 1 << 18, /* at most: their parents fit into the cache of a core */
        PARTS_OF_THREAD = 2         /* at least, so that all have work */
    };
    const int to_delegates = subgraph_columns(g) == DELEGATES;
    struct bitmap_push b = {.dev = dev,
                            .g = g,
                            .visited = to_delegates ? dev->delegates.visited : dev->normals.visited,
                            .parent = to_delegates ? dev->delegates.parent : dev->normals.parent,
                            .words = words_to(dev->shard, g),
                            .by_bins = dev->parents && dev->per_thread.bin_bytes > 0 && !leads_to_shards(dev->shard, g),
                            .parts = 1,
                            .keeps = dev->normals.any_next_dense};
    uint64_t least = (uint64_t)dev->threads * PARTS_OF_THREAD, vertices = 64 * b.words;
    while (b.parts < MOST_REGION_THREADS && (b.parts < least || b.parts * (uint64_t)VERTICES_OF_PART < vertices))
        b.parts *= 2;
    b.block_bits = choose_block_bits(vertices, b.parts);
    int threads = threads_for(dev, dev->forward[g]);
    push_by_threads(dev, g, threads, push_piece_into_bitmap, &b);
    if (b.by_bins)
        pool_run(dev->means.pool, threads, b.parts, write_binned_parents, &b);
    uint64_t found =
        pool_run(dev->means.pool, threads_for(dev, 4 * b.words), divide_up(b.words, JOINED_WORDS), join_bitmaps, &b);
    if (to_delegates) {
        dev->delegates.any_updated |= found > 0;
        return 0;
    }
    dev->normals.any_next_dense = 1;
    return found;
}
