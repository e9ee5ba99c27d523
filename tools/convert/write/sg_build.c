/* sg_build.c: see sg_build.h */
#include "sg_build.h"

#include "tools/sort/row_sort.h"
#include "tools/spill/spill_stream.h"

#include "formats/base/arith.h"
#include "formats/base/bytes.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEADER_BYTES = 17,
    ENTRY_BYTES = 4,  /* in the file */
    SORTED_BYTES = 8, /* in memory: an entry, and its place for sorting */
    PARALLEL_ROWS = 1 << 10
};

typedef unsigned long long ull;

enum side { OUT, IN };

struct sg_build {
    struct workspace *space;
    struct spill_chunks *chunks;
    struct spill_stream edges;
    uint64_t edge_count;

    int undirected;
    uint64_t n, entries; /* entries of one side, with duplicates and self-loops */
    uint64_t dropped;
    uint64_t *start, *count; /* [n + 1], [n]: the rows of one side */
    uint32_t *entry;         /* [2][entries]: behind the entries as many places, to sort with */
};

enum status sg_build_open(struct sg_build **result, struct workspace *space, struct error *e)
{
    *result = NULL;
    struct sg_build *b = calloc(1, sizeof *b);
    if (b == NULL)
        return fail_memory(e, ".sg", sizeof *b);
    b->space = space;
    if (spill_chunks_open(&b->chunks, space, e) != ST_OK) {
        sg_build_close(b);
        return e->status;
    }
    spill_stream_init(&b->edges, b->chunks);
    *result = b;
    return ST_OK;
}

void sg_build_close(struct sg_build *b)
{
    if (b == NULL)
        return;
    memory_release(&b->space->budget, b->start);
    memory_release(&b->space->budget, b->count);
    memory_release(&b->space->budget, b->entry);
    spill_stream_release(&b->edges);
    spill_chunks_close(b->chunks);
    free(b);
}

uint64_t sg_build_dropped(const struct sg_build *b)
{
    return b->dropped;
}

/* Keeps the pairs until sg_build_finish; on disk if need be. */
enum status sg_build_add(struct sg_build *b, const unsigned char *pairs, size_t count, struct error *e)
{
    b->edge_count += count;
    return spill_stream_append(&b->edges, pairs, 8 * count, e);
}

/* ---- rows ---- */

typedef void take_entry(struct sg_build *b, uint32_t row, uint32_t neighbour);

/* take_entry: counts the entry in its row. */
static void count_entry(struct sg_build *b, uint32_t row, uint32_t neighbour)
{
    b->count[row] += neighbour != row;
}

/* take_entry: stores the entry behind the others of its row. */
static void place_entry(struct sg_build *b, uint32_t row, uint32_t neighbour)
{
    if (neighbour != row)
        b->entry[b->start[row] + b->count[row]++] = neighbour;
}

/* Reads all edges and calls `take` for the entries of one side (out-rows or in-rows): two entries for each undirected edge. */
static enum status pass_over_edges(struct sg_build *b, enum side side, take_entry *take, struct error *e)
{
    struct spill_cursor cursor;
    uint32_t id[2];
    spill_cursor_init(&cursor, &b->edges, 0);
    for (uint64_t i = 0; i < b->edge_count; i++) {
        if (spill_cursor_read(&cursor, id, sizeof id, e) != ST_OK)
            break;
        take(b, id[side], id[1 - side]);
        if (b->undirected)
            take(b, id[1 - side], id[side]);
    }
    spill_cursor_close(&cursor);
    return e->status;
}

/* Fills the rows of one side, out or in, without self-loops, in two passes over the edges: the first counts the lengths of
 * rows, the second stores the entries. */
static enum status fill_rows(struct sg_build *b, enum side side, struct error *e)
{
    uint64_t sum = 0;
    memset(b->count, 0, b->n * sizeof *b->count);
    if (pass_over_edges(b, side, count_entry, e) != ST_OK)
        return e->status;
    for (uint64_t row = 0; row < b->n; row++) {
        b->start[row] = sum;
        sum += b->count[row];
        b->count[row] = 0;
    }
    return pass_over_edges(b, side, place_entry, e);
}

/* Sorts each row and drops its duplicates; b->count[] becomes what is left. */
static void sort_and_unique_rows(struct sg_build *b)
{
    unsigned bits = bits_for(b->n);
#pragma omp parallel for if (b->n > PARALLEL_ROWS) num_threads(b->space->threads) schedule(dynamic, 256)
    for (uint64_t row = 0; row < b->n; row++) {
        uint32_t *entries = b->entry + b->start[row];
        row_order_with_u32(entries, entries + b->entries, b->count[row], bits);
        b->count[row] = row_unique_u32(entries, b->count[row], entries);
    }
}

/* Moves the rows together, after duplicates were dropped; start[] becomes their offsets in the file. Returns the number of entries. */
static uint64_t close_up_rows(struct sg_build *b)
{
    uint64_t kept = 0;
    for (uint64_t row = 0; row < b->n; row++) {
        memmove(b->entry + kept, b->entry + b->start[row], b->count[row] * sizeof *b->entry);
        b->start[row] = kept;
        kept += b->count[row];
    }
    return b->start[b->n] = kept;
}

/* ---- the file ---- */

/* Builds the rows of one side, and writes their offsets and neighbours; *m is the number of entries that are left. */
static enum status write_side(struct sg_build *b, enum side side, struct outfile *out, uint64_t *m, struct error *e)
{
    if (fill_rows(b, side, e) != ST_OK)
        return e->status;
    sort_and_unique_rows(b);
    *m = close_up_rows(b);
    b->dropped += b->entries - *m;
    if (outfile_write(out, b->start, 8 * (b->n + 1), e) == ST_OK && *m > 0)
        outfile_write(out, b->entry, *m * ENTRY_BYTES, e);
    return e->status;
}

/* Takes the memory of one side from the budget, which both sides use in turn. */
static enum status allocate_rows(struct sg_build *b, struct error *e)
{
    struct memory_budget *budget = &b->space->budget;
    if (b->n > SG_MAX_VERTICES)
        return fail(e, ST_BAD_DATA,
                    ".sg: found %llu vertices, expected at most %d: the format has ids of 31 bits",
                    (ull)b->n, SG_MAX_VERTICES);
    b->entries = b->edge_count << b->undirected;
    if (memory_take(budget, (void **)&b->start, b->n + 1, 8, ".sg: offsets of rows", e) == ST_OK &&
        memory_take(budget, (void **)&b->count, b->n, 8, ".sg: lengths of rows", e) == ST_OK)
        memory_take(budget, (void **)&b->entry, b->entries, SORTED_BYTES, ".sg: rows", e);
    return e->status;
}

/* Writes out-rows and, of a directed graph, in-rows; then the header again, with the number of entries. */
enum status sg_build_finish(struct sg_build *b, struct outfile *out,
                            enum edges_direction direction, uint64_t n, struct error *e)
{
    unsigned char header[HEADER_BYTES] = {0};
    uint64_t m = 0, inverse_m = 0;
    b->n = n;
    b->undirected = direction != EDGES_DIRECTED;
    if (spill_stream_seal(&b->edges, e) != ST_OK || allocate_rows(b, e) != ST_OK)
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
    return outfile_rewrite(out, header, sizeof header, e);
}
