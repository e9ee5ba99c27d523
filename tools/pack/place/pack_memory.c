/* pack_memory.c: see pack_memory.h */
#include "pack_memory.h"

#include "formats/base/arith.h"
#include "record_width.h"
#include "tools/bucket/bucket.h"
#include "tools/pack/build/csr_build.h"
#include "formats/container/packed.h"
#include "formats/base/text.h"
#include "tools/pack/build/record_radix.h"
#include "tools/sort/row_sort.h"

enum {
    RANGE_RECORDS = 1 << 17, /* of a range, so that it is sorted in the cache */
    MAX_RANGES = 4096,       /* of all shards together, before ranges grow instead */
    CELL_BYTES = 1 << 14,    /* for a bucket of a thread: four chunks of 4 KiB */
    PIECE = 1 << 18,         /* elements that a section packs at a time */
    WINDOW_PER_THREAD = 16   /* ranges in flight, where there is room */
};

/* Returns the memory that writing a packed section takes beside its elements: a buffer for one piece, and two directories. */
static uint64_t section_bytes(uint64_t count, uint64_t width)
{
    uint64_t piece = smaller(count, PIECE);
    return piece * width +
           (packed_blocks(piece) + 2 * packed_blocks(count)) * sizeof(struct packed_block);
}

/* The memory of csr_build's arrays over rows, at the time when there are most of them. */
static uint64_t rows_bytes(const struct pack_size *s, enum subgraph g)
{
    uint64_t rows = subgraph_rows(g) == NORMALS ? s->locals : s->d;
    uint64_t k = s->heads[g] != HEADS_AUTO ? (uint64_t)s->heads[g]
                                           : (subgraph_columns(g) == DELEGATES ? HEADS_USUAL : 0);
    uint64_t sources = 8 * mask_words(rows) + section_bytes(mask_words(rows), 8);
    uint64_t offsets = section_bytes(rows + 1, 4);
    uint64_t directory =
        2 * (packed_blocks(s->directed_edges / s->p) + 1) * sizeof(struct packed_block);
    if (s->directed_edges > UINT32_MAX)
        offsets = 8 * (rows + 1) + section_bytes(rows + 1, 8);
    directory += g == DD ? 4 * rows : 0; /* counts above the diagonal, until columns are written */
    return 4 * (rows + 1) + 4 * k * rows +
           larger(larger(section_bytes(k * rows, 4), directory), larger(sources, offsets));
}

/* The same for the subgraph that needs most. */
static uint64_t most_rows_bytes(const struct pack_size *s)
{
    uint64_t most = 0;
    for (int g = 0; g < SUBGRAPHS; g++)
        most = larger(most, rows_bytes(s, (enum subgraph)g));
    return most;
}

/* About how many records a range has, if there are to be `max_ranges` at most. */
static uint64_t range_records(const struct pack_size *s, uint64_t max_ranges)
{
    return larger(s->directed_edges / s->p / (max_ranges / s->p + 1), RANGE_RECORDS);
}

/* ---- ranges ---- */

/* Returns the most rows of a range whose records tell them apart, whether columns have `bits` or `other_bits` bits. */
static uint64_t most_rows(uint64_t rows, unsigned bits, unsigned other_bits, uint64_t max_ranges)
{
    return smaller(record_width_rows(bits, rows, max_ranges),
                   record_width_rows(other_bits, rows, max_ranges));
}

/* Estimates the number of ranges before the vertices have an order, as if all edges were in rows of delegates. Both dn and dd
 * have such rows and buckets for them. */
static struct placement_ranges reckon_ranges(const struct pack_size *s, struct placement_limits l)
{
    uint64_t full = s->directed_edges / s->p / l.range_records, most = l.max_ranges / s->p;
    unsigned local_bits = bits_for(s->locals), delegate_bits = bits_for(s->d);
    uint64_t normals = most_rows(s->locals, local_bits + bits_for(s->p), delegate_bits, most);
    uint64_t delegates = most_rows(s->d, local_bits, delegate_bits, most);
    return (struct placement_ranges){
        .normals = s->locals / normals + 1,
        .delegates = s->d / delegates + full + 1,
        .most_rows = smaller(larger(smaller(s->locals, normals), smaller(s->d, delegates)),
                             s->p * l.range_records)};
}

/* Sets the limits on ranges of rows, and counts the ranges. */
static void cut_rows(struct pack_memory *m, const struct pack_size *s, uint64_t max_ranges)
{
    m->limits = (struct placement_limits){range_records(s, max_ranges), max_ranges};
    m->ranges = s->order != NULL ? placement_count(s->order, m->limits)
                                 : reckon_ranges(s, m->limits);
}

/* The buckets of a shard. */
static uint64_t shard_buckets(const struct pack_size *s, const struct pack_memory *m)
{
    return placement_shard_buckets(s->rows, m->ranges.normals, m->ranges.delegates);
}

/* ---- sorting ---- */

/* Memory of a range that is being sorted. It may consist of the longest row. */
static uint64_t range_bytes(const struct pack_size *s, const struct pack_memory *m)
{
    uint64_t most = larger(smaller(m->limits.range_records, s->directed_edges), s->longest);
    return most * s->nn_column_bytes * 9 / 8 + 4096;
}

/* Memory of a thread that sorts, without the places of a range's rows. */
static uint64_t sorter_bytes(const struct pack_size *s)
{
    return row_sorter_bytes(s->column_bits, s->longest, s->nn_column_bytes) +
           record_radix_bytes(s->column_bits) + 2 * BUCKET_READ_BYTES;
}

/* The bytes of an array with the place of each row of a range, which each sorting thread has. */
static uint64_t places_bytes(const struct pack_memory *m)
{
    return 8 * (m->ranges.most_rows + 1);
}

/* The most memory that sorting can use: several ranges for each thread. */
uint64_t pack_memory_sorting(const struct pack_size *s, const struct pack_memory *m)
{
    return (uint64_t)s->threads * (sorter_bytes(s) + places_bytes(m) + WINDOW_PER_THREAD * range_bytes(s, m));
}

/* The least memory for sorting: one thread and one range, and a count for each range. */
static uint64_t sorting_least(const struct pack_size *s, const struct pack_memory *m)
{
    return sorter_bytes(s) + range_bytes(s, m) +
           8 * larger(m->ranges.normals, m->ranges.delegates);
}

/* ---- buckets ---- */

/* The sizes of the tiles' chunks and slabs; 0 if there are no tiles. */
static struct bucket_store tile_chunks(const struct pack_size *s)
{
    return (struct bucket_store){.chunk_bytes = s->tiles.chunk_bytes,
                                 .slab_bytes = s->tiles.slab_bytes};
}

/* Returns the least memory of a store: for its buckets, and for tables of the spilled chunks of up to `records` records. */
static uint64_t least_of(uint64_t buckets, int threads, uint64_t records, struct bucket_store like)
{
    struct bucket_options o = {.buckets = (uint32_t)buckets,
                               .threads = threads,
                               .most_bytes = 8 * smaller(records, UINT64_MAX / 8),
                               .like = like.chunk_bytes > 0 ? &like : NULL};
    return bucket_store_least(&o);
}

/* Returns the least memory of the stores. One is of placed edges, with chunks as large as those of tiles; with several ranks
 * there is another, of a gathered shard. */
uint64_t pack_memory_store_least(const struct pack_size *s, const struct pack_memory *m)
{
    uint64_t buckets = shard_buckets(s, m);
    uint64_t placed = least_of(s->p * buckets, s->threads, s->directed_edges, tile_chunks(s));
    if (s->ranks <= 1)
        return placed;
    uint64_t gathered =
        least_of(buckets, 1, 2 * (s->directed_edges / s->p), (struct bucket_store){0});
    return (larger(placed / s->p, gathered / s->ranks) + 1) * (s->p + s->ranks);
}

/* Returns the least memory of a transpose. Its chunks are as large as those of the store that it reads; their size depends on
 * `bytes`, the memory of the stores. */
static uint64_t transpose_least(const struct pack_size *s, const struct pack_memory *m, uint64_t bytes)
{
    struct bucket_store like = tile_chunks(s);
    struct bucket_options o = {.buckets = (uint32_t)(s->p * shard_buckets(s, m)),
                               .threads = s->threads,
                               .expected_bytes = 4 * s->held_edges,
                               .room_bytes = bytes};
    if (s->ranks > 1)
        o = (struct bucket_options){.buckets = (uint32_t)shard_buckets(s, m),
                                    .threads = 1,
                                    .expected_bytes = 4 * (s->directed_edges / s->p),
                                    .room_bytes = bytes / (s->p + s->ranks) * s->ranks};
    if (s->ranks > 1 || like.chunk_bytes == 0)
        like = bucket_store_sizes(&o);
    return least_of(larger(m->ranges.normals, m->ranges.delegates), s->threads,
                    s->directed_edges / s->p, like);
}

/* The memory for buckets that edge tiles must leave free, before anything but the number of edges is known. */
uint64_t pack_memory_buckets(uint64_t edges, uint32_t p, int threads)
{
    /* with the largest chunks that tiles may have */
    struct pack_size s = {.p = p,
                          .directed_edges = smaller(edges, UINT64_MAX / 2) * 2,
                          .threads = threads,
                          .tiles.chunk_bytes = BUCKET_MOST_CHUNK_BYTES,
                          .tiles.slab_bytes = BUCKET_MOST_SLAB_BYTES};
    struct pack_memory m;
    cut_rows(&m, &s, MAX_RANGES);
    return pack_memory_store_least(&s, &m);
}

/* Divides `bytes` among the stores and the transpose. The transpose will take over the memory of edges that have been read, so
 * it gets only what its buckets need, or `wish` bytes if that is more. */
static void share_store(struct pack_memory *m, const struct pack_size *s, uint64_t bytes, uint64_t wish)
{
    uint64_t beside = bytes - smaller(bytes, pack_memory_store_least(s, m));
    m->transpose_bytes = smaller(larger(wish, transpose_least(s, m, bytes)), beside);
    m->store_bytes = bytes - m->transpose_bytes;
    if (s->ranks > 1) {
        m->gather_bytes = m->store_bytes / (s->p + s->ranks) * s->ranks;
        m->store_bytes = m->store_bytes / (s->p + s->ranks) * s->p;
    }
}

/* Returns the most bytes of placed records: one record for each directed edge of nn, and one for both directions of any other edge. */
static uint64_t placed_bytes(const struct pack_size *s)
{
    uint64_t most = MAX_RANGES / s->p, nn = smaller(s->held_nn, s->held_edges);
    unsigned local_bits = bits_for(s->locals), delegate_bits = bits_for(s->d);
    unsigned wide = record_width_most(local_bits + bits_for(s->p), s->locals, most);
    unsigned mixed = record_width_most((unsigned)larger(local_bits, delegate_bits), s->d, most);
    unsigned passed_on = record_width_most(delegate_bits, s->locals, most); /* of nd */
    return wide * nn + larger(mixed, passed_on) * ((s->held_edges - nn) / 2);
}

/* Chunks that are not full take at most 1 / SLACK of the bytes of records, in the store and again in a shard's transposes. */
enum { SLACK = 6 };

/* Estimates the bytes that placed edges take until the first shard is built, as if all had a delegate. SLACK stands for chunks that are not
 * full, twice. */
uint64_t pack_memory_edges(uint64_t n, uint64_t edges, uint32_t p)
{
    uint64_t bytes = record_width_most(bits_for(n), n, MAX_RANGES / p) * edges;
    return bytes + 2 * (bytes / SLACK);
}

/* Divides the memory so that all edges stay in it; returns 0 if that is not possible. The memory of tiles becomes that of the store. */
static int divide_ample(struct pack_memory *m, const struct pack_size *s, uint64_t placing, uint64_t left)
{
    cut_rows(m, s, MAX_RANGES);
    uint64_t placed = placed_bytes(s), slack = placed / SLACK, least = pack_memory_store_least(s, m);
    uint64_t edges = least + placed + slack - smaller(placed + slack, s->tiles.bytes / 9 * 8);
    uint64_t passing = larger(larger(slack, edges / 3), transpose_least(s, m, placing));
    uint64_t both = edges + passing;
    if (both > placing || both + sorting_least(s, m) + places_bytes(m) > left)
        return 0;
    m->sort_bytes = smaller(pack_memory_sorting(s, m), left - both);
    uint64_t bytes = smaller(placing, left - m->sort_bytes);
    share_store(m, s, bytes, larger(passing, smaller(bytes / 4, 4 * (s->held_edges + least))));
    return 1;
}

/* Divides memory that cannot hold all edges. Sorting gets a quarter, or the memory of one range if that is more; the rest is
 * for edges on their way to the disk, with as many ranges as it has buckets for. If with_places is 0, the places of rows get no
 * memory of their own, but use that of head columns, which a subgraph with fewer edges than half of its rows does not have. */
static int divide_scarce(struct pack_memory *m, const struct pack_size *s, uint64_t placing,
                         uint64_t left, int with_places)
{
    uint64_t store = smaller(placing, left - left / 4), both = store;
    uint64_t ranges = store / CELL_BYTES / (uint64_t)s->threads / 2;
    for (ranges = larger(smaller(ranges, MAX_RANGES), 1); ranges > 0 && 4 * both >= store;
         ranges /= 2) {
        cut_rows(m, s, ranges);
        uint64_t sorting = sorting_least(s, m) + (with_places ? places_bytes(m) : 0);
        m->sort_bytes = larger(left / 4, sorting);
        both = smaller(placing, left > m->sort_bytes ? left - m->sort_bytes : 0);
        if (4 * both >= store && pack_memory_store_least(s, m) + transpose_least(s, m, both) <= both) {
            share_store(m, s, both, both / 4);
            return 1;
        }
    }
    return 0;
}

/* Nonzero if `bytes` are enough to keep all edges in memory. */
int pack_memory_ample(const struct pack_size *s, uint64_t bytes)
{
    struct pack_memory m = {0};
    uint64_t rows = most_rows_bytes(s);
    return bytes > rows && divide_ample(&m, s, bytes, bytes - rows);
}

/* Divides the memory in the first way that is possible; returns 0 if none is. */
static int divide(struct pack_memory *m, const struct pack_size *s, uint64_t placing, uint64_t building)
{
    m->rows_bytes = most_rows_bytes(s);
    uint64_t left = building > m->rows_bytes ? building - m->rows_bytes : 0;
    return divide_ample(m, s, placing, left) || divide_scarce(m, s, placing, left, /* with_places */ 1) ||
           divide_scarce(m, s, placing, left, /* with_places */ 0);
}

/* Searches for the least bytes that are enough for placing and for building, up to 2^50. */
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

/* Nonzero if twice as many shards need less. */
static int shards_help(const struct pack_size *s, uint64_t least)
{
    struct pack_size halves = *s;
    halves.p *= 2;
    halves.order = NULL;
    halves.locals = s->locals / 2 + 1;
    return find_least(&halves) < least;
}

/* Divides the memory that is left while edges are placed and while shards are built; on failure says which -S would do. */
enum status pack_memory_divide(struct pack_memory *m, const struct pack_size *s, uint64_t placing,
                               uint64_t building, struct error *e)
{
    char need[16], left[16];
    if (divide(m, s, placing, building))
        return ST_OK;
    const uint64_t least = find_least(s), lacking = least - smaller(least, smaller(placing, building));
    return fail(e, ST_RESOURCE, "edges: placing and sorting them needs %s, and %s of the memory "
                "budget (-S) are left: -S %lluM would do%s",
                format_size(least, need, sizeof need), format_size(smaller(placing, building), left, sizeof left),
                (unsigned long long)((s->limit_bytes + lacking) >> 20) + 1,
                shards_help(s, least) ? ", and more shards (-p) need less" : "");
}
