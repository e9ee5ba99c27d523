/* cpu_push_bitmaps.c: large pushes into bitmaps, one of each thread; the twin is push_sparse (cpu_sparse.c)
 *
 * Each thread sets the bit of every destination, visited or not, in a bitmap of its own. So an edge costs a write to the
 * thread's cache, and nothing is claimed or listed. Then the bitmaps of all threads are joined, word by word. Threads take
 * pieces of the frontier's rows (cpu_rows.c). Bytes that must move: for each row 8 of offsets, for each edge 4 of the
 * column, and for each thread twice a bitmap.
 *
 * Parents that are written at once lie anywhere, in lines that the caches of other cores have: 6 ns each. So each thread
 * puts vertices, with their parents, into bins by parts (cpu_bins.h). Then a thread empties all bins of a part, whose
 * parents fit into its cache. That moves 16 bytes more for each vertex and thread, in sequence. A piece for which bins have
 * too little memory writes its parents at once.
 */
#include "cpu_rows.h"

#include <string.h>

enum { PIECE_WORDS = 128 }; /* of the bitmaps, that a thread joins at a time */

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
    uint8_t *joined;         /* [threads] 1 if the bitmap of a thread is in use */
    _Atomic uint64_t found;  /* normals; delegates: 0 if none */
};

static uint64_t *bitmap_of_thread(const struct device *dev, int thread)
{
    return dev->per_thread.bitmaps + (size_t)thread * dev->per_thread.bitmap_words;
}

/* Whether the bins of a thread have memory for a piece, if all of its edges find something. */
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

static void push_piece_into_bitmap(void *context, int thread, struct row_push *p)
{
    const struct bitmap_push *b = context;
    struct bins *bins = bins_of_thread(b->dev, thread);
    uint64_t *bitmap = bitmap_of_thread(b->dev, thread);
    if (!b->joined[thread]) { /* the thread's first piece */
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

/* Writes the parents of the parts begin..end, from the bins of all threads: pairs of a vertex and its parent. */
static void write_binned_parents(void *context, uint64_t begin, uint64_t end)
{
    enum { WORDS_AHEAD = 32 }; /* twice the vertices */
    const struct bitmap_push *b = context;
    for (uint64_t part = begin; part < end; part++) {
        for (int t = 0; t < b->dev->threads; t++) {
            const struct bins *bins = bins_of_thread(b->dev, t);
            const uint32_t *next, *pair = b->joined[t] ? bin_begin(bins, (int)part) : NULL;
            for (; pair != NULL; pair = next) {
                const uint32_t *chunk_end = end_of_chunk(pair, bins->end[part], &next);
                for (; pair < chunk_end; pair += 2) {
                    if (chunk_end - pair > WORDS_AHEAD)
                        __builtin_prefetch(&b->parent[pair[WORDS_AHEAD]], 1);
                    b->parent[pair[0]] = pair[1];
                }
            }
        }
    }
}

/* Visits the new vertices of a word of this shard. Returns how many normals are new; of delegates 0 if none. */
static uint64_t visit_word(const struct bitmap_push *b, uint64_t w, uint64_t bits)
{
    uint64_t fresh = bits & ~b->visited[w];
    if (subgraph_columns(b->g) == NORMALS)
        return visit_normals_word(b->dev, w, fresh, b->keeps);
    return fresh != 0 ? update_delegates_word(b->dev, w, fresh, 1) : 0;
}

/* The same for a word of nn's columns: shows vertices of another shard to that shard, and counts none. */
static uint64_t visit_or_show_word(const struct bitmap_push *b, uint64_t w, uint64_t bits)
{
    const struct shard *shard = b->dev->shard;
    const struct cpu_shown *shown = &b->dev->shown;
    uint64_t owner = w / column_words(shard), own_word = w % column_words(shard);
    if (owner == shard->index)
        return own_word < mask_words(shard->locals) ? visit_word(b, own_word, bits) : 0;
    shown->mask[w] = bits;
    if (bits != 0)
        __atomic_store_n(&shown->count[owner], 1, __ATOMIC_RELAXED); /* there are some */
    return 0;
}

static void join_bitmaps(void *context, uint64_t begin, uint64_t end)
{
    struct bitmap_push *b = context;
    const int to_shards = leads_to_shards(b->dev->shard, b->g);
    uint64_t sum[PIECE_WORDS] = {0}, found = 0;
    for (int t = 0; t < b->dev->threads; t++) {
        const uint64_t *bitmap = bitmap_of_thread(b->dev, t) + begin;
        for (uint64_t i = 0; b->joined[t] && i < end - begin; i++)
            sum[i] |= bitmap[i];
    }
    for (uint64_t w = begin; w < end; w++)
        found += to_shards ? visit_or_show_word(b, w, sum[w - begin]) : visit_word(b, w, sum[w - begin]);
    if (found > 0)
        b->found += found;
}

uint64_t push_into_bitmaps(struct device *dev, enum subgraph g)
{
    enum {
        VERTICES_OF_PART = 1 << 18, /* at most: their parents fit into the cache of a core */
        PARTS_OF_THREAD = 2         /* at least, so that all have work */
    };
    const int to_delegates = subgraph_columns(g) == DELEGATES;
    uint8_t joined[MOST_POOL_THREADS] = {0};
    struct bitmap_push b = {.dev = dev,
                            .g = g,
                            .visited = to_delegates ? dev->delegates.visited : dev->normals.visited,
                            .parent = to_delegates ? dev->delegates.parent : dev->normals.parent,
                            .words = words_to(dev->shard, g),
                            .by_bins = dev->parents && dev->per_thread.bin_bytes > 0 && !leads_to_shards(dev->shard, g),
                            .parts = 1,
                            .keeps = dev->normals.any_next_dense,
                            .joined = joined};
    uint64_t least = (uint64_t)dev->threads * PARTS_OF_THREAD, vertices = 64 * b.words;
    while (b.parts < MOST_REGION_THREADS && (b.parts < least || b.parts * (uint64_t)VERTICES_OF_PART < vertices))
        b.parts *= 2;
    b.block_bits = choose_block_bits(vertices, b.parts);
    int threads = threads_for(dev, dev->forward[g]);
    push_by_threads(dev, g, threads, push_piece_into_bitmap, &b);
    if (b.by_bins)
        pool_for(dev->means.pool, threads, b.parts, 1, write_binned_parents, &b);
    pool_for(dev->means.pool, threads_for(dev, 4 * b.words), b.words, PIECE_WORDS, join_bitmaps, &b);
    if (to_delegates) {
        dev->delegates.any_updated |= b.found > 0;
        return 0;
    }
    dev->normals.any_next_dense = 1;
    return b.found;
}
