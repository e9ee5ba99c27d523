/* pack_memory.c: see pack_memory.h */
#include "pack_memory.h"

#include "formats/base/arith.h"
#include "record_width.h"
#include "tools/bucket/bucket.h"
#include "tools/pack/build/csr_build.h"
#include "formats/packed.h"
#include "formats/base/text.h"
#include "tools/pack/build/record_radix.h"
#include "tools/sort/row_sort.h"

enum {
    RANGE_RECORDS = 1 << 17, /* what a range should hold, so that it sorts in the cache */
    MAX_RANGES = 4096,       /* of all shards together, before ranges grow instead */
    CELL_BYTES = 1 << 14,    /* for a bucket of a thread: four chunks of 4 KiB */
    PIECE = 1 << 18,         /* elements that a section packs at a time */
    WINDOW_PER_THREAD = 16   /* ranges in flight, where there is room */
};

/* What writing a section takes beside its elements: packed pieces and the directory, twice. */
static uint64_t section_bytes(uint64_t count, uint64_t width)
{
    uint64_t piece = smaller(count, PIECE);
    return piece * width +
           (packed_blocks(piece) + 2 * packed_blocks(count)) * sizeof(struct packed_block);
}

/* csr_build's arrays over rows, at the time when there are most of them. */
static uint64_t rows_bytes(const struct pack_size *s, enum subgraph g)
{
    uint64_t rows = subgraph_rows(g) == NORMALS ? s->locals : s->d;
    uint64_t k = s->heads[g] != HEADS_AUTO ? (uint64_t)s->heads[g]
                                           : (subgraph_columns(g) == DELEGATES ? HEADS_USUAL : 0);
    uint64_t sources = 8 * mask_words(rows) + (g == ND ? 4 * rows : 0) + section_bytes(rows, 4);
    uint64_t offsets = section_bytes(rows + 1, 4);
    uint64_t directory =
        2 * packed_blocks(s->directed_edges / s->p) * sizeof(struct packed_block);
    if (s->directed_edges > UINT32_MAX)
        offsets = 8 * (rows + 1) + section_bytes(rows + 1, 8);
    directory += g == DD ? 4 * rows : 0; /* what is above the diagonal, until columns are written */
    return 4 * (rows + 1) + 4 * k * rows +
           larger(larger(section_bytes(k * rows, 4), directory), larger(sources, offsets));
}

static uint64_t most_rows_bytes(const struct pack_size *s)
{
    uint64_t most = 0;
    for (int g = 0; g < SUBGRAPHS; g++)
        most = larger(most, rows_bytes(s, (enum subgraph)g));
    return most;
}

static uint64_t range_records(const struct pack_size *s, uint64_t max_ranges)
{
    return larger(s->directed_edges / s->p / (max_ranges / s->p + 1), RANGE_RECORDS);
}

/* Memory of a range that is being sorted, whose rows may all be one. */
static uint64_t range_bytes(const struct pack_size *s, uint64_t records)
{
    uint64_t most = larger(smaller(records, s->directed_edges), s->longest);
    return most * s->nn_column_bytes * 9 / 8 + 4096;
}

static uint64_t sorter_bytes(const struct pack_size *s)
{
    return row_sorter_bytes(s->column_bits, s->longest, s->nn_column_bytes) +
           record_radix_bytes(s->column_bits) + larger(s->d, s->locals) / MAX_RANGES * 8 +
           2 * BUCKET_READ_BYTES;
}

static uint64_t sorting_wish(const struct pack_size *s, uint64_t records)
{
    return (uint64_t)s->threads *
           (sorter_bytes(s) + WINDOW_PER_THREAD * range_bytes(s, records));
}

/* One thread and two ranges. */
static uint64_t sorting_least(const struct pack_size *s, uint64_t records)
{
    return sorter_bytes(s) + 2 * range_bytes(s, records);
}

/* The least store for the buckets of these ranges, with the tables of what it may spill. It has the chunks of the
 * tiles. */
static uint64_t store_least(const struct pack_size *s, uint64_t records)
{
    uint64_t buckets = 2 * (s->directed_edges / records + 2 * (uint64_t)s->p);
    const struct bucket_store tiles = {.chunk_bytes = s->tile_chunk_bytes,
                                       .slab_bytes = s->tile_slab_bytes};
    struct bucket_options o = {.buckets = (uint32_t)buckets,
                               .threads = s->threads,
                               .most_bytes = 8 * smaller(s->directed_edges, UINT64_MAX / 8),
                               .like = s->tile_chunk_bytes > 0 ? &tiles : NULL};
    return bucket_store_least(&o);
}

uint64_t pack_memory_buckets(uint64_t edges, uint32_t p, int threads)
{
    /* with the largest chunks that tiles may have */
    struct pack_size s = {.p = p,
                          .directed_edges = smaller(edges, UINT64_MAX / 2) * 2,
                          .threads = threads,
                          .tile_chunk_bytes = BUCKET_MOST_CHUNK_BYTES,
                          .tile_slab_bytes = BUCKET_MOST_SLAB_BYTES};
    return store_least(&s, range_records(&s, MAX_RANGES));
}

/* Passing edges on within a shard takes over the memory of the edges that have been read, and needs little
 * beside: chunks that are not full, for fewer than half of the buckets. */
static void share_store(struct pack_memory *m, uint64_t bytes, uint64_t most)
{
    m->transpose_bytes = smaller(bytes / 4, most);
    m->store_bytes = bytes - m->transpose_bytes;
}

/* The most bytes of records: of each of nn, and of one of the two directions of all others. */
static uint64_t placed_bytes(const struct pack_size *s)
{
    uint64_t most = MAX_RANGES / s->p, nn = smaller(s->held_nn, s->held_edges);
    unsigned local_bits = bits_for(s->locals), delegate_bits = bits_for(s->d);
    unsigned wide = record_width_most(local_bits + bits_for(s->p), s->locals, most);
    unsigned mixed = record_width_most((unsigned)larger(local_bits, delegate_bits), s->d, most);
    unsigned passed_on = record_width_most(delegate_bits, s->locals, most); /* of nd */
    return wide * nn + larger(mixed, passed_on) * ((s->held_edges - nn) / 2);
}

/* Chunks that are not full take a sixth of the records or less, in the store and, while a shard is built, in its
 * transposes. */
enum { SLACK = 6 };

uint64_t pack_memory_edges(uint64_t n, uint64_t edges, uint32_t p)
{
    uint64_t bytes = record_width_most(bits_for(n), n, MAX_RANGES / p) * edges;
    return bytes + 2 * (bytes / SLACK);
}

/* Everything in memory, at its best. Tiles become memory of the store. */
static int divide_ample(struct pack_memory *m, const struct pack_size *s, uint64_t placing,
                        uint64_t left)
{
    m->max_ranges = MAX_RANGES;
    m->range_records = range_records(s, MAX_RANGES);
    uint64_t placed = placed_bytes(s), slack = placed / SLACK;
    uint64_t least = store_least(s, m->range_records);
    uint64_t passing = larger(slack, least - least / 4); /* of few buckets, a transpose has most */
    uint64_t edges = placed + slack;
    edges = least + edges - smaller(edges, s->tiles_bytes / 9 * 8);
    uint64_t both = edges + larger(passing, edges / 3); /* see share_store */
    if (both > placing || both + sorting_least(s, m->range_records) > left)
        return 0;
    m->sort_bytes = smaller(sorting_wish(s, m->range_records), left - both);
    share_store(m, smaller(placing, left - m->sort_bytes), 4 * (s->held_edges + least));
    if (m->transpose_bytes < passing) {
        m->store_bytes -= passing - m->transpose_bytes;
        m->transpose_bytes = passing;
    }
    return 1;
}

/* A quarter for sorting, or what one range takes; the rest for edges on their way to the disk. */
static int divide_scarce(struct pack_memory *m, const struct pack_size *s, uint64_t placing,
                         uint64_t left)
{
    uint64_t store = smaller(placing, left - left / 4);
    uint64_t ranges = store / CELL_BYTES / (uint64_t)s->threads / 2;
    m->max_ranges = larger(smaller(ranges, MAX_RANGES), 1);
    m->range_records = range_records(s, m->max_ranges);
    m->sort_bytes = larger(left / 4, sorting_least(s, m->range_records));
    uint64_t both = smaller(placing, left > m->sort_bytes ? left - m->sort_bytes : 0);
    share_store(m, both, UINT64_MAX);
    return 2 * both >= store && m->store_bytes >= store_least(s, m->range_records);
}

int pack_memory_ample(const struct pack_size *s, uint64_t bytes)
{
    struct pack_memory m;
    uint64_t rows = most_rows_bytes(s);
    return bytes > rows && divide_ample(&m, s, bytes, bytes - rows);
}

uint64_t pack_memory_store_least(const struct pack_size *s, const struct pack_memory *m)
{
    return store_least(s, m->range_records);
}

uint64_t pack_memory_sorting(const struct pack_size *s, const struct pack_memory *m)
{
    return sorting_wish(s, m->range_records);
}

static int divide(struct pack_memory *m, const struct pack_size *s, uint64_t placing,
                  uint64_t building)
{
    m->rows_bytes = most_rows_bytes(s);
    uint64_t left = building > m->rows_bytes ? building - m->rows_bytes : 0;
    return divide_ample(m, s, placing, left) || divide_scarce(m, s, placing, left);
}

/* The least that is enough. */
static uint64_t find_least(const struct pack_size *s)
{
    uint64_t low = 1, high = UINT64_C(1) << 50;
    while (low < high) {
        struct pack_memory m;
        uint64_t middle = low + (high - low) / 2;
        if (divide(&m, s, middle, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

enum status pack_memory_divide(struct pack_memory *m, const struct pack_size *s, uint64_t placing,
                               uint64_t building, struct error *e)
{
    char need[16], left[16];
    if (divide(m, s, placing, building))
        return ST_OK;
    return fail(e, ST_RESOURCE, "edges: placing and sorting them needs %s, and %s of the memory "
                "budget (-S) are left; more shards (-p) need less",
                format_size(find_least(s), need, sizeof need),
                format_size(smaller(placing, building), left, sizeof left));
}
