/* read_binary.c: records of two ids without a header (Graph500's edge file, u32 and u64 pairs), and the serialized graph .sg of
 * GAPBS.
 *
 *   graph500     u32 v0 low, u32 v1 low, u32 v0 high 16 | v1 high 16 << 16    (48 bits an id)
 *   graph500-16  two int64
 *   u32, u64     two unsigned ids
 *   sg           u8 directed, i64 m, i64 n, i64 offset[n + 1], i32 neighbour[m]; for a directed
 *                graph the same again for the inverse, which is not needed
 *
 * All integers are little-endian. Graph500's list is undirected and has each edge once.
 */
#include "graph_reader.h"

#include "formats/base/bytes.h"

#include <inttypes.h>
#include <stdlib.h>

typedef unsigned long long ull;

enum { SG_HEADER_BYTES = 17, SG_RECORD_BYTES = 4 };

/* A run of records of one size; everything a reader of them keeps. */
struct records {
    size_t record_bytes;
    uint64_t next;  /* byte of the input that the next piece starts at */
    uint64_t end;   /* byte after the last record; NO_COUNT: the end of the input */
    uint64_t first; /* byte of record 0 */
    int is_signed;  /* ids are; a negative one wraps, and so is over any limit */
    /* sg */
    uint64_t n, m;
    uint64_t *offsets; /* n + 1 */
    int directed;
};

/* ---- pieces of whole records ---- */

/* Fails at `end`, where the input ends within a record or before the last one. */
static enum status cut_record(const struct graph_reader *r, const struct records *records,
                              uint64_t end, struct error *e)
{
    uint64_t over = (end - records->first) % records->record_bytes;
    if (records->end != NO_COUNT)
        return fail(e, ST_BAD_DATA,
                    "%s: byte %llu: found the end of the file, expected %llu bytes in all", r->name,
                    (ull)end, (ull)records->end);
    return fail(e, ST_BAD_DATA,
                "%s: byte %llu: found the end of the file after %llu bytes of a record, expected "
                "records of %zu bytes",
                r->name, (ull)end, (ull)over, records->record_bytes);
}

/* Gives the piece the next range of whole records: their bytes, too, if the input is not read by offset. */
static enum status take_records(struct graph_reader *r, struct piece *piece, int *end, struct error *e)
{
    struct records *records = r->state;
    size_t want = PIECE_BYTES / records->record_bytes * records->record_bytes, got;
    uint64_t left = records->end - records->next, stored = input_stored_position(r->input);
    want = left < want ? (size_t)left : want;
    if (input_random_access(r->input)) {
        left = input_size(r->input) - records->next;
        got = left < want ? (size_t)left : want;
    } else {
        if (piece_reserve_text(piece, want, e) != ST_OK ||
            input_read(r->input, piece->in.buffer, want, &got, e) != ST_OK)
            return e->status;
    }
    piece->in.range_begin = records->next;
    piece->in.range_end = records->next + got;
    piece->input_bytes =
        input_random_access(r->input) ? got : input_stored_position(r->input) - stored;
    records->next += got;
    if (got < want && (records->end != NO_COUNT || got % records->record_bytes != 0))
        return cut_record(r, records, records->next, e);
    *end = got == 0;
    return ST_OK;
}

/* Makes room for the edges of a piece, and reads its records by offset, unless it has them. */
static enum status load(const struct graph_reader *r, struct piece *piece, struct error *e)
{
    const struct records *records = r->state;
    size_t count = (size_t)(piece->in.range_end - piece->in.range_begin), got = count;
    if (piece_reserve_text(piece, count, e) != ST_OK ||
        piece_clear_edges(piece, count / records->record_bytes, e) != ST_OK)
        return e->status;
    if (input_random_access(r->input) &&
        input_read_at(r->input, piece->in.range_begin, piece->in.buffer, count, &got, e) != ST_OK)
        return e->status;
    if (got < count)
        return fail(e, ST_RUNTIME, "%s: byte %llu: the file became shorter while it was read",
                    r->name, (ull)(piece->in.range_begin + got));
    return ST_OK;
}

/* Checks that the ids of a piece are below the limit, and counts its entries. The message names the first record that is
 * wrong. */
static enum status check_ids(const struct graph_reader *r, struct piece *piece, struct error *e)
{
    const struct records *records = r->state;
    const struct edge *edges = piece->edges;
    const uint64_t limit = r->limit;
    int wrong = 0;
    piece->tally.entries = piece->count;
    if (limit == UINT64_MAX) /* 2^64 - 1 is an id too, where ids are to be numbered */
        return ST_OK;
    for (size_t i = 0; i < piece->count; i++)
        wrong |= (edges[i].u >= limit) | (edges[i].v >= limit);
    if (!wrong)
        return ST_OK;
    size_t i = 0;
    while (edges[i].u < limit && edges[i].v < limit)
        i++;
    uint64_t id = edges[i].u < limit ? edges[i].v : edges[i].u;
    char found[24];
    snprintf(found, sizeof found, records->is_signed ? "%" PRId64 : "%" PRIu64, id);
    return fail(e, ST_BAD_DATA, "%s: byte %llu: found the id %s, expected %s", r->name,
                (ull)(piece->in.range_begin + i * records->record_bytes), found, r->expected_id);
}

/* Sets the struct records, from the start of the input to its end. Any id below the limit is allowed. */
static enum status open_records(struct graph_reader *r, size_t record_bytes,
                                enum edges_direction direction, struct error *e)
{
    struct records *records = r->state;
    records->record_bytes = record_bytes;
    records->end = NO_COUNT;
    r->facts.direction = direction;
    return reader_set_ids(r, 0, NO_COUNT, 0, e);
}

static void close_records(struct graph_reader *r)
{
    struct records *records = r->state;
    free(records->offsets);
}

/* ---- the kinds of records ---- */

static enum status open_graph500(struct graph_reader *r, struct error *e)
{
    r->facts.direction_fixed = 1;
    return open_records(r, 12, EDGES_UNDIRECTED_ONCE, e);
}

/* Ids of this format are signed: the limit is lowered, so that negative ones are beyond it. */
static enum status open_graph500_16(struct graph_reader *r, struct error *e)
{
    r->facts.direction_fixed = 1;
    if (open_records(r, 16, EDGES_UNDIRECTED_ONCE, e) != ST_OK)
        return e->status;
    struct records *records = r->state;
    records->is_signed = 1;
    if (r->limit > INT64_MAX)
        reader_limit_ids(r, 0, (uint64_t)INT64_MAX + 1, "");
    return ST_OK;
}

static enum status open_u32(struct graph_reader *r, struct error *e)
{
    return open_records(r, 8, EDGES_DIRECTED, e);
}

static enum status open_u64(struct graph_reader *r, struct error *e)
{
    return open_records(r, 16, EDGES_DIRECTED, e);
}

static enum status parse_graph500_records(const struct graph_reader *r, struct piece *piece, struct error *e)
{
    if (load(r, piece, e) != ST_OK)
        return e->status;
    piece->count = (size_t)(piece->in.range_end - piece->in.range_begin) / 12;
    for (size_t i = 0; i < piece->count; i++) {
        const char *record = piece->in.buffer + 12 * i;
        uint64_t high = get_u32(record + 8);
        piece->edges[i].u = get_u32(record) | (high & 0xffff) << 32;
        piece->edges[i].v = get_u32(record + 4) | high >> 16 << 32;
    }
    return check_ids(r, piece, e);
}

static enum status parse_u32_records(const struct graph_reader *r, struct piece *piece, struct error *e)
{
    if (load(r, piece, e) != ST_OK)
        return e->status;
    piece->count = (size_t)(piece->in.range_end - piece->in.range_begin) / 8;
    for (size_t i = 0; i < piece->count; i++) {
        piece->edges[i].u = get_u32(piece->in.buffer + 8 * i);
        piece->edges[i].v = get_u32(piece->in.buffer + 8 * i + 4);
    }
    return check_ids(r, piece, e);
}

static enum status parse_u64_records(const struct graph_reader *r, struct piece *piece, struct error *e)
{
    if (load(r, piece, e) != ST_OK)
        return e->status;
    piece->count = (size_t)(piece->in.range_end - piece->in.range_begin) / 16;
    memcpy(piece->edges, piece->in.buffer, 16 * piece->count);
    return check_ids(r, piece, e);
}

/* ---- sg ---- */

/* Reads the next `count` bytes of a .sg file, which must not end before. While the header is read, records->n is 0. */
static enum status read_sg_bytes(struct graph_reader *r, void *bytes, size_t count, struct error *e)
{
    struct records *records = r->state;
    size_t got;
    if (input_read(r->input, bytes, count, &got, e) != ST_OK)
        return e->status;
    records->next += got;
    if (got < count)
        return fail(e, ST_BAD_DATA, "%s: byte %llu: found the end of the file, expected the %s",
                    r->name, (ull)records->next,
                    records->n == 0 ? "header" : "offsets of its vertices");
    return ST_OK;
}

/* Reads the offsets of all vertices into s->offsets; they must ascend from 0 to m. */
static enum status read_offsets(struct graph_reader *r, struct error *e)
{
    struct records *s = r->state;
    uint64_t bytes = 8 * (s->n + 1);
    if (bytes / 4 > r->options.max_buffer_bytes) /* one table, and half of the memory */
        return fail(
            e, ST_RESOURCE,
            "%s: the offsets of %llu vertices need %llu bytes, more than the memory allowed "
            "(-S)",
            r->name, (ull)s->n, (ull)bytes);
    s->offsets = malloc(bytes);
    if (s->offsets == NULL)
        return fail_memory(e, r->name, bytes);
    if (read_sg_bytes(r, s->offsets, bytes, e) != ST_OK)
        return e->status;
    uint64_t last = 0;
    for (uint64_t i = 0; i <= s->n; i++) {
        if (s->offsets[i] < last || s->offsets[i] > s->m || (i == 0 && s->offsets[i] != 0))
            return fail(e, ST_BAD_DATA,
                        "%s: byte %llu: found the offset %llu, expected one from %llu to %llu",
                        r->name, (ull)(SG_HEADER_BYTES + 8 * i), (ull)s->offsets[i], (ull)last,
                        (ull)(i == 0 ? 0 : s->m));
        last = s->offsets[i];
    }
    if (last != s->m)
        return fail(e, ST_BAD_DATA, "%s: byte %llu: found %llu as the last offset, expected %llu",
                    r->name, (ull)(SG_HEADER_BYTES + 8 * s->n), (ull)last, (ull)s->m);
    return ST_OK;
}

/* Compares the size of a .sg file with its header before its lists are read, to recognise files with weights or cut off. */
static enum status check_sg_size(const struct graph_reader *r, struct error *e)
{
    const struct records *s = r->state;
    uint64_t lists = 8 * (s->n + 1) + 4 * s->m, copies = s->directed ? 2 : 1;
    uint64_t expected = SG_HEADER_BYTES + copies * lists, size = input_size(r->input);
    if (!input_random_access(r->input) || size == expected)
        return ST_OK;
    if (size == expected + copies * 4 * s->m)
        return fail(e, ST_BAD_DATA,
                    "%s: is a weighted GAPBS graph (.wsg), which edgeconv does not read: GAPBS's "
                    "converter writes it as .sg or .el",
                    r->name);
    return fail(e, ST_BAD_DATA,
                "%s: byte %llu: found the end of the file, expected it at byte %llu", r->name,
                (ull)size, (ull)expected);
}

/* Reads header and offsets of a .sg file. Its neighbours are the records of pieces. */
static enum status open_sg(struct graph_reader *r, struct error *e)
{
    unsigned char header[SG_HEADER_BYTES];
    if (open_records(r, SG_RECORD_BYTES, EDGES_DIRECTED, e) != ST_OK)
        return e->status;
    struct records *s = r->state;
    if (read_sg_bytes(r, header, sizeof header, e) != ST_OK)
        return e->status;
    s->is_signed = 1;
    s->directed = header[0];
    s->m = get_u64(header + 1);
    s->n = get_u64(header + 9);
    if (s->directed > 1 || s->m >= DBFS_MAX_VERTICES || s->n > INT32_MAX)
        return fail(e, ST_BAD_DATA,
                    "%s: byte 0: found no GAPBS header, expected u8 directed, i64 m, "
                    "i64 n",
                    r->name);
    r->facts.direction = s->directed ? EDGES_DIRECTED : EDGES_UNDIRECTED_ONCE;
    r->facts.direction_fixed = 1;
    r->facts.both_listed = !s->directed;
    if (check_sg_size(r, e) != ST_OK || reader_set_ids(r, 0, s->n, 0, e) != ST_OK ||
        read_offsets(r, e) != ST_OK)
        return e->status;
    s->first = s->next;
    s->end = s->first + SG_RECORD_BYTES * s->m;
    return ST_OK;
}

/* Returns the vertex whose list has entry `index`: the last one whose offset is at most `index`. */
static uint64_t owner_of(const struct records *s, uint64_t index)
{
    uint64_t low = 0, high = s->n; /* offsets[low] <= index < offsets[high] */
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (s->offsets[middle] <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Makes an edge of each neighbour; the offsets tell the vertex in whose list it is. */
static enum status parse_sg_rows(const struct graph_reader *r, struct piece *piece, struct error *e)
{
    const struct records *s = r->state;
    if (load(r, piece, e) != ST_OK)
        return e->status;
    uint64_t index = (piece->in.range_begin - s->first) / SG_RECORD_BYTES;
    uint64_t u = owner_of(s, index);
    piece->count = (size_t)(piece->in.range_end - piece->in.range_begin) / SG_RECORD_BYTES;
    for (size_t i = 0; i < piece->count; i++, index++) {
        while (s->offsets[u + 1] <= index)
            u++;
        piece->edges[i].u = u;
        piece->edges[i].v = (uint64_t)(int32_t)get_u32(piece->in.buffer + SG_RECORD_BYTES * i);
    }
    return check_ids(r, piece, e);
}

/* Reads the rest of a .sg file from a pipe, so that the program that writes to the pipe can finish, and checks its length. */
static enum status finish_sg(struct graph_reader *r, struct error *e)
{
    char rest[4096];
    size_t got = sizeof rest;
    struct records *s = r->state;
    uint64_t bytes = 0, expected = s->directed ? 8 * (s->n + 1) + 4 * s->m : 0;
    if (input_random_access(r->input))
        return ST_OK;
    while (got == sizeof rest) {
        if (input_read(r->input, rest, sizeof rest, &got, e) != ST_OK)
            return e->status;
        bytes += got;
    }
    return bytes == expected
               ? ST_OK
               : fail(e, ST_BAD_DATA, "%s: byte %llu: found %llu bytes more, expected %llu",
                      r->name, (ull)s->end, (ull)bytes, (ull)expected);
}

/* ---- the tables ---- */

#define RECORDS_CLASS(OPEN, PARSE)                                                                 \
    {                                                                                              \
        .open = OPEN, .take = take_records, .parse = PARSE,                                        \
        .close = close_records, .state_bytes = sizeof(struct records),                             \
    }

const struct reader_class read_graph500_class = RECORDS_CLASS(open_graph500, parse_graph500_records);
const struct reader_class read_graph500_16_class = RECORDS_CLASS(open_graph500_16, parse_u64_records);
const struct reader_class read_u32_class = RECORDS_CLASS(open_u32, parse_u32_records);
const struct reader_class read_u64_class = RECORDS_CLASS(open_u64, parse_u64_records);
const struct reader_class read_sg_class = {
    .open = open_sg,
    .take = take_records,
    .parse = parse_sg_rows,
    .finish = finish_sg,
    .close = close_records,
    .state_bytes = sizeof(struct records),
};
