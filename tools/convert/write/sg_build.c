/* sg_build.c: see sg_build.h */
#include "sg_build.h"

#include "tools/sort/row_sort.h"
#include "tools/spill/spill_stream.h"

#include "formats/base/arith.h"
#include "formats/base/bytes.h"
#include "formats/base/text.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEADER_BYTES = 17,
    BLOCKS = 1 << 16,      /* of consecutive rows; a block has one count of its entries */
    MAX_STREAMS = 256,     /* ranges divided in one pass over the edges */
    ROW_BYTES = 16,        /* start and count of a row in memory */
    ENTRY_BYTES = 4,       /* in the file */
    SORTED_BYTES = 8,      /* in memory: an entry, and the place that sorting takes for it */
    PARALLEL_ROWS = 1 << 10,
    CACHED_BYTES = 8 << 20, /* ranges are no larger than this without need: half is for sorting */
};

typedef unsigned long long ull;

enum side { OUT, IN };

/* Rows first..end, built in memory at once. */
struct range {
    uint64_t first, end, entries;
};

struct sg_build {
    struct workspace *space;
    struct spill_chunks *chunks;
    struct spill_stream edges;
    uint64_t edge_count;
    uint64_t *blocks; /* [2][BLOCKS]: edges by source and by destination */
    int shift;        /* a block is 2^shift rows */

    int undirected;
    uint64_t n, dropped;
    uint64_t capacity_bytes; /* of a range: the most, */
    uint64_t wanted_bytes;   /* and what one has where blocks allow it */
    uint32_t *range_of;      /* [BLOCKS] */
    uint32_t ranges;
    struct spill_stream stream[MAX_STREAMS];
};

enum status sg_build_open(struct sg_build **result, struct workspace *space, struct error *e)
{
    *result = NULL;
    struct sg_build *b = calloc(1, sizeof *b);
    if (b == NULL)
        return fail_memory(e, ".sg", sizeof *b);
    b->space = space;
    if (spill_chunks_open(&b->chunks, space, e) != ST_OK ||
        memory_take(&space->budget, (void **)&b->blocks, 2 * BLOCKS, sizeof *b->blocks,
                    "counts of rows", e) != ST_OK ||
        memory_take(&space->budget, (void **)&b->range_of, BLOCKS, sizeof *b->range_of,
                    "ranges of rows", e) != ST_OK) {
        sg_build_close(b);
        return e->status;
    }
    spill_stream_init(&b->edges, b->chunks);
    for (int i = 0; i < MAX_STREAMS; i++)
        spill_stream_init(&b->stream[i], b->chunks);
    *result = b;
    return ST_OK;
}

void sg_build_close(struct sg_build *b)
{
    if (b == NULL)
        return;
    memory_release(&b->space->budget, b->blocks);
    memory_release(&b->space->budget, b->range_of);
    spill_stream_release(&b->edges);
    for (int i = 0; i < MAX_STREAMS; i++)
        spill_stream_release(&b->stream[i]);
    spill_chunks_close(b->chunks);
    free(b);
}

uint64_t sg_build_dropped(const struct sg_build *b)
{
    return b->dropped;
}

/* ---- adding ---- */

/* Makes blocks twice as long until `id` has one. */
static void widen_blocks(struct sg_build *b, uint32_t id)
{
    for (; id >> b->shift >= BLOCKS; b->shift++) {
        for (int side = OUT; side <= IN; side++) {
            uint64_t *count = b->blocks + side * BLOCKS;
            for (int i = 0; i < BLOCKS / 2; i++)
                count[i] = count[2 * i] + count[2 * i + 1];
            memset(count + BLOCKS / 2, 0, BLOCKS / 2 * sizeof *count);
        }
    }
}

enum status sg_build_add(struct sg_build *b, const unsigned char *pairs, size_t count,
                         struct error *e)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t u = get_u32(pairs + 8 * i), v = get_u32(pairs + 8 * i + 4);
        widen_blocks(b, u > v ? u : v);
        b->blocks[u >> b->shift]++;
        b->blocks[BLOCKS + (v >> b->shift)]++;
    }
    b->edge_count += count;
    return spill_stream_append(&b->edges, pairs, 8 * count, e);
}

/* ---- ranges ---- */

static uint64_t range_bytes(const struct range *range)
{
    return SORTED_BYTES * range->entries + ROW_BYTES * (range->end - range->first);
}

static struct range block_range(const struct sg_build *b, enum side side, uint64_t block)
{
    uint64_t end = (block + 1) << b->shift, entries = b->blocks[side * BLOCKS + block];
    if (b->undirected)
        entries += b->blocks[(1 - side) * BLOCKS + block];
    return (struct range){block << b->shift, end < b->n ? end : b->n, entries};
}

/* The range that starts with `block`: as many blocks as fit. Returns the block after it. */
static uint64_t cut_range(const struct sg_build *b, enum side side, uint64_t block,
                          struct range *range, struct error *e)
{
    char need[16], have[16];
    *range = block_range(b, side, block++);
    if (range_bytes(range) > b->capacity_bytes)
        fail(e, ST_RESOURCE, ".sg: the rows of vertices %llu to %llu need %s, and %s of the memory "
             "(-S) are left",
             (ull)range->first, (ull)range->end - 1,
             format_size(range_bytes(range), need, sizeof need),
             format_size(b->capacity_bytes, have, sizeof have));
    while (block << b->shift < b->n) {
        struct range next = block_range(b, side, block);
        struct range both = {range->first, next.end, range->entries + next.entries};
        if (range_bytes(&both) > b->wanted_bytes)
            break;
        *range = both;
        block++;
    }
    return block;
}

static enum status cut_ranges(struct sg_build *b, enum side side, struct error *e)
{
    struct range range;
    b->ranges = 0;
    for (uint64_t block = 0; block << b->shift < b->n && e->status == ST_OK; b->ranges++) {
        uint64_t end = cut_range(b, side, block, &range, e);
        for (; block < end; block++)
            b->range_of[block] = b->ranges;
    }
    return e->status;
}

static enum status route(struct sg_build *b, uint32_t first, uint32_t row, uint32_t neighbour,
                         struct error *e)
{
    uint32_t stream = b->range_of[row >> b->shift] - first, entry[2] = {row, neighbour};
    return stream < MAX_STREAMS
               ? spill_stream_append(&b->stream[stream], entry, sizeof entry, e)
               : ST_OK;
}

/* One pass over the edges: their entries in ranges first..first+MAX_STREAMS-1 to a stream each. */
static enum status divide_edges(struct sg_build *b, enum side side, uint32_t first, struct error *e)
{
    struct spill_cursor cursor;
    spill_cursor_init(&cursor, &b->edges, 0);
    for (int i = 0; i < MAX_STREAMS; i++)
        spill_stream_init(&b->stream[i], b->chunks);
    for (uint64_t i = 0; i < b->edge_count && e->status == ST_OK; i++) {
        uint32_t id[2];
        if (spill_cursor_read(&cursor, id, sizeof id, e) == ST_OK &&
            route(b, first, id[side], id[1 - side], e) == ST_OK && b->undirected)
            route(b, first, id[1 - side], id[side], e);
    }
    spill_cursor_close(&cursor);
    for (int i = 0; i < MAX_STREAMS && e->status == ST_OK; i++)
        spill_stream_seal(&b->stream[i], e);
    return e->status;
}

/* ---- rows ---- */

struct rows {
    struct range range;
    uint64_t *start, *count; /* [rows] */
    uint32_t *entries; /* [2][range.entries]: behind the entries as many places, to sort with */
};

static enum status read_entry(struct spill_cursor *cursor, const struct range *range,
                              uint64_t *row, uint32_t *neighbour, struct error *e)
{
    uint32_t entry[2];
    if (spill_cursor_read(cursor, entry, sizeof entry, e) != ST_OK)
        return e->status;
    *row = entry[0] - range->first;
    *neighbour = entry[1];
    return ST_OK;
}

/* Two readings of the stream: the lengths of the rows, then their entries, self-loops left out. */
static enum status fill_rows(struct rows *rows, const struct spill_stream *stream, struct error *e)
{
    const struct range *range = &rows->range;
    struct spill_cursor cursor;
    uint64_t row = 0, sum = 0;
    uint32_t neighbour = 0;
    spill_cursor_init(&cursor, stream, 0);
    for (uint64_t i = 0; i < range->entries; i++) {
        if (read_entry(&cursor, range, &row, &neighbour, e) != ST_OK)
            break;
        rows->count[row]++;
    }
    spill_cursor_close(&cursor);
    for (row = 0; row < range->end - range->first; row++) {
        rows->start[row] = sum;
        sum += rows->count[row];
        rows->count[row] = 0;
    }
    spill_cursor_init(&cursor, stream, 1);
    for (uint64_t i = 0; i < range->entries && e->status == ST_OK; i++) {
        if (read_entry(&cursor, range, &row, &neighbour, e) != ST_OK)
            break;
        if (neighbour != range->first + row)
            rows->entries[rows->start[row] + rows->count[row]++] = neighbour;
    }
    spill_cursor_close(&cursor);
    return e->status;
}

static void sort_rows(const struct sg_build *b, struct rows *rows)
{
    uint64_t count = rows->range.end - rows->range.first;
    unsigned bits = bits_for(b->n);
#pragma omp parallel for if (count > PARALLEL_ROWS) num_threads(b->space->threads) \
    schedule(dynamic, 256)
    for (uint64_t row = 0; row < count; row++) {
        uint32_t *entries = rows->entries + rows->start[row];
        row_order_with_u32(entries, entries + rows->range.entries, rows->count[row], bits);
        rows->count[row] = row_unique_u32(entries, rows->count[row], entries);
    }
}

/* Moves the rows together; start becomes their offsets in the file. Returns the entries left. */
static uint64_t close_up_rows(struct rows *rows, uint64_t base)
{
    uint64_t kept = 0;
    for (uint64_t row = 0; row < rows->range.end - rows->range.first; row++) {
        uint64_t count = rows->count[row];
        memmove(rows->entries + kept, rows->entries + rows->start[row],
                count * sizeof *rows->entries);
        rows->start[row] = base + kept;
        kept += count;
    }
    return kept;
}

/* Appends the rows of one range, and puts their offsets where they belong. */
static enum status write_rows(struct sg_build *b, struct rows *rows, struct outfile *out,
                              uint64_t offsets_at, uint64_t *m, struct error *e)
{
    const struct range *range = &rows->range;
    uint64_t kept = close_up_rows(rows, *m);
    b->dropped += range->entries - kept;
    *m += kept;
    if (outfile_rewrite(out, offsets_at + 8 * range->first, rows->start,
                        8 * (range->end - range->first), e) == ST_OK && kept > 0)
        outfile_write(out, rows->entries, kept * ENTRY_BYTES, e);
    return e->status;
}

static enum status build_range(struct sg_build *b, const struct range *range,
                               const struct spill_stream *stream, struct outfile *out,
                               uint64_t offsets_at, uint64_t *m, struct error *e)
{
    struct memory_budget *budget = &b->space->budget;
    struct rows rows = {.range = *range};
    uint64_t count = range->end - range->first;
    if (memory_take(budget, (void **)&rows.start, count, 8, "rows", e) == ST_OK &&
        memory_take(budget, (void **)&rows.count, count, 8, "rows", e) == ST_OK &&
        memory_take(budget, (void **)&rows.entries, range->entries, SORTED_BYTES, "rows", e) ==
            ST_OK &&
        fill_rows(&rows, stream, e) == ST_OK) {
        sort_rows(b, &rows);
        write_rows(b, &rows, out, offsets_at, m, e);
    }
    memory_release(budget, rows.start);
    memory_release(budget, rows.count);
    memory_release(budget, rows.entries);
    return e->status;
}

/* ---- the file ---- */

/* Offsets and rows of one side. */
static enum status write_side(struct sg_build *b, enum side side, struct outfile *out, uint64_t *m,
                              struct error *e)
{
    uint64_t offsets_at = outfile_tell(out), block = 0;
    struct range range;
    *m = 0;
    if (cut_ranges(b, side, e) != ST_OK ||
        outfile_pad_to(out, offsets_at + 8 * (b->n + 1), e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < b->ranges; i++) {
        if (i % MAX_STREAMS == 0 && divide_edges(b, side, i, e) != ST_OK)
            return e->status;
        block = cut_range(b, side, block, &range, e);
        if (build_range(b, &range, &b->stream[i % MAX_STREAMS], out, offsets_at, m, e) != ST_OK)
            return e->status;
    }
    return outfile_rewrite(out, offsets_at + 8 * b->n, m, sizeof *m, e);
}

static enum status measure(struct sg_build *b, struct error *e)
{
    uint64_t buffers = (MAX_STREAMS + 1) * (uint64_t)b->space->chunk_bytes;
    uint64_t left = memory_left(&b->space->budget);
    if (b->n > SG_MAX_VERTICES)
        return fail(e, ST_BAD_DATA,
                    ".sg: found %llu vertices, expected at most %d: the format has ids of 31 bits",
                    (ull)b->n, SG_MAX_VERTICES);
    if (b->n > 0)
        widen_blocks(b, (uint32_t)b->n - 1);
    b->capacity_bytes = left > buffers ? left - buffers : 0;
    /* entries are placed at random within a range: as near the cache as one pass allows */
    struct range all = {0, b->n, b->edge_count << b->undirected};
    b->wanted_bytes = range_bytes(&all) / (MAX_STREAMS / 2);
    if (b->wanted_bytes < CACHED_BYTES)
        b->wanted_bytes = CACHED_BYTES;
    if (b->wanted_bytes > b->capacity_bytes)
        b->wanted_bytes = b->capacity_bytes;
    return ST_OK;
}

enum status sg_build_finish(struct sg_build *b, struct outfile *out,
                            enum edges_direction direction, uint64_t n, struct error *e)
{
    unsigned char header[HEADER_BYTES] = {0};
    uint64_t m = 0, inverse_m = 0;
    b->n = n;
    b->undirected = direction != EDGES_DIRECTED;
    if (spill_stream_seal(&b->edges, e) != ST_OK || measure(b, e) != ST_OK)
        return e->status;
    header[0] = (unsigned char)!b->undirected;
    put_u64(header + 9, n);
    if (outfile_write(out, header, sizeof header, e) != ST_OK ||
        write_side(b, OUT, out, &m, e) != ST_OK ||
        (!b->undirected && write_side(b, IN, out, &inverse_m, e) != ST_OK))
        return e->status;
    if (!b->undirected)
        b->dropped /= 2; /* each arc was dropped on both sides */
    put_u64(header + 1, m);
    return outfile_rewrite(out, 0, header, sizeof header, e);
}
