/* cpu_push_bitmaps.c: large pushes of a dense level, by several threads, each with its own bitmap
 *
 * Smaller pushes make a list (cpu_sparse.c, cpu_push.c). A push into bitmaps has three steps, each a run of the thread
 * pool:
 * 1. Each thread pushes pieces of the frontier's rows, and sets the bit of every destination in its own bitmap. So an
 *    edge costs only a write to the thread's cache, and no vertex is claimed or listed.
 * 2. Parents that wait in bins are written.
 * 3. The bitmaps are ORed, word by word, and unvisited vertices are visited.
 * Bytes that must move: 8 of offsets for each row, 4 of the column for each edge, and two bitmaps for each thread.
 *
 * Parents go through bins because a parent that is written at once goes to a random cache line, which may be in another
 * core's cache, so that the write takes 6 ns. In step 1 each vertex found goes with its parent into the bin of its part
 * (cpu_bins.h). In step 2 a thread empties the bins of all threads for one part, whose parents fit into its cache. This
 * moves 16 more bytes for each vertex and thread, in sequence. A thread whose bins are short of memory writes parents
 * at once. */
#include "cpu_rows.h"

#include "formats/base/arith.h"

#include <string.h>

enum { JOINED_WORDS = 128 }; /* number of words of the bitmaps that a thread joins at a time */

/* A push into bitmaps, as its threads share it. */
struct bitmap_push {
    struct device *dev;
    enum subgraph g;
    const uint64_t *visited; /* visited bits of the destinations in this shard */
    uint32_t *parent;        /* [vertices] the recorded parent of each destination */
    uint64_t words;          /* number of 64-bit words of a bitmap of all destinations */
    int by_bins;             /* 1: parents go through bins */
    uint32_t parts, block_bits; /* parts of the destinations (cpu_bins.h), and log2 of the vertices in a block */
    int next_dense_is_valid; /* earlier visits of this level have already written next_dense */
    uint8_t joined[MOST_POOL_THREADS]; /* the thread has prepared its bitmap and, if by_bins, its bins */
};

/* Returns the bitmap of a thread. */
static uint64_t *bitmap_of_thread(const struct device *dev, int thread)
{
    return dev->per_thread.bitmaps + (size_t)thread * dev->per_thread.bitmap_words;
}

/* Returns 1 if the bins of a thread have enough memory for pushing p, a piece of rows or a part of one row, even if
 * each edge finds a vertex. Edges are not counted if the bins have space for all vertices. */
static int bins_can_take(const struct bitmap_push *b, const struct row_push *p, int thread)
{
    const struct cpu_thread_memory *memory = &b->dev->per_thread;
    const uint8_t *end = memory->bins + (uint64_t)(thread + 1) * memory->bin_bytes;
    uint64_t left = (uint64_t)(end - bins_of_thread(b->dev, thread, 0)->pool) / CHUNK_BYTES;
    uint64_t edges = LONG_ROW; /* the largest number of edges of a part of a row */
    if (64 * b->words <= MOST_BINNED)
        return 1; /* a thread puts a vertex into a bin at most once */
    for (uint64_t i = 0; i < p->row_count; i++)
        edges += csr_row_length(p->csr, p->rows[i]);
    return left > edges * 2 * sizeof(uint32_t) / (CHUNK_BYTES - CHUNK_HEAD) + b->parts;
}

/* Pushes a piece of rows, or a part of one row: sets bits in the thread's bitmap, and puts parents into the thread's
 * bins or, if these are short of memory, to their final place. A thread's first call empties its bins and bitmap.
 * push_by_threads calls this; `context` is a struct bitmap_push. */
static void push_piece_into_bitmap(void *context, int thread, struct row_push *p)
{
    struct bitmap_push *b = context;
    struct bins *bins = bins_of_thread(b->dev, thread, 0);
    uint64_t *bitmap = bitmap_of_thread(b->dev, thread);
    if (!b->joined[thread]) {
        b->joined[thread] = 1;
        if (b->by_bins) {
            empty_bins(bins, (int)b->parts);
            memcpy(bitmap, b->visited, b->words * sizeof *bitmap); /* a copy of the visited bits, so that visited
                                                                    * vertices go into no bin */
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

/* Writes the parents of one part, from the bins of all threads, which hold pairs of a vertex and its parent. Threads of
 * the pool run this in step 2; `context` is a struct bitmap_push. */
static uint64_t write_binned_parents(void *context, int thread, uint64_t part)
{
    enum { WORDS_AHEAD = 32 }; /* words of the pairs: the parents of 16 vertices are prefetched ahead */
    const struct bitmap_push *b = context;
    (void)thread;
    for (int t = 0; t < b->dev->threads; t++) {
        const struct bins *bins = bins_of_thread(b->dev, t, 0);
        const uint32_t *next, *pair = b->joined[t] ? bin_begin(bins, (int)part) : NULL;
        for (; pair != NULL; pair = next) {
            const uint32_t *end = end_of_chunk(pair, bins->end[part], &next);
            for (; pair < end; pair += 2) {
                if (end - pair > WORDS_AHEAD)
                    prefetch_to_write(&b->parent[pair[WORDS_AHEAD]]);
                b->parent[pair[0]] = pair[1];
            }
        }
    }
    return 0;
}

/* Visits vertices of this shard: those that are bits of word w, except visited ones. Normals go into next_dense, delegates
 * into `found_here`. Returns the number of normals, or for delegates whether there are any. */
static uint64_t visit_word(const struct bitmap_push *b, uint64_t w, uint64_t bits)
{
    uint64_t fresh = bits & ~b->visited[w];
    if (subgraph_columns(b->g) == NORMALS)
        return visit_normals_word(b->dev, w, fresh, b->next_dense_is_valid);
    b->dev->delegates.found_here[w] |= fresh;
    return fresh != 0;
}

/* ORs a piece of the bitmaps of all threads. Vertices of this shard are visited, words of other shards go into the
 * bitmap that peers read. Returns the number of new normals of this shard, or for delegates whether there are any.
 * Threads of the pool run this in step 3; `context` is a struct bitmap_push. */
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
            __atomic_store_n(&shown->count[owner], 1, __ATOMIC_RELAXED); /* 1 tells peers that there are vertices */
    }
    return found;
}

/* Pushes the frontier along subgraph g, in the three steps that the head of this file describes. Returns the number of
 * new normals of this shard. */
uint64_t push_into_bitmaps(struct device *dev, enum subgraph g)
{
    enum {
        VERTICES_OF_PART = 1 << 18, /* the most vertices of a part, whose parents then fit into the cache of a core */
        PARTS_OF_THREAD = 2         /* the least parts for each thread, so that all threads have work */
    };
    const int to_delegates = subgraph_columns(g) == DELEGATES;
    struct bitmap_push b = {.dev = dev,
                            .g = g,
                            .visited = to_delegates ? dev->delegates.visited : dev->normals.visited,
                            .parent = to_delegates ? dev->delegates.parent : dev->normals.parent,
                            .words = words_to(dev->shard, g),
                            .by_bins = dev->parents && dev->per_thread.bin_bytes > 0 && !leads_to_shards(dev->shard, g),
                            .parts = 1,
                            .next_dense_is_valid = dev->normals.any_next_dense};
    /* the number of parts is a power of two, at most MOST_REGION_THREADS */
    uint64_t least = (uint64_t)dev->threads * PARTS_OF_THREAD, vertices = 64 * b.words;
    while (b.parts < MOST_REGION_THREADS && (b.parts < least || b.parts * (uint64_t)VERTICES_OF_PART < vertices))
        b.parts *= 2;
    b.block_bits = choose_block_bits(vertices, b.parts);
    int threads = threads_for(dev, dev->frontier_edges[g]);
    /* step 1 */
    push_by_threads(dev, g, threads, push_piece_into_bitmap, &b);
    if (b.by_bins) /* step 2 */
        pool_run(dev->means.pool, threads, b.parts, write_binned_parents, &b);
    /* step 3 */
    uint64_t found =
        pool_run(dev->means.pool, threads_for(dev, 4 * b.words), divide_up(b.words, JOINED_WORDS), join_bitmaps, &b);
    if (to_delegates) {
        dev->delegates.any_found_here |= found > 0;
        return 0;
    }
    dev->normals.any_next_dense = 1;
    return found;
}
