/* read_edges.c: an edge stream as edgeconv's input; decoding and checks are formats/edges.h's */
#include "graph_reader.h"
#include "tools/convert/input/pump.h"

#include <stdlib.h>

typedef unsigned long long ull;

struct stream {
    struct edges_reader *reader;
    struct pump *pump;
    uint64_t stored; /* how far the pump has read the file */
    struct edges_info info;
    struct edges_totals tally;
};

static enum status end_pump(struct stream *stream, struct error *e)
{
    struct pump *pump = stream->pump;
    stream->pump = NULL;
    return pump_close(pump, e);
}

/* Ends the stream for `cause`, unless a fault of the input below it (a damaged gzip member, say) is
 * why it ended. */
static enum status end_early(struct graph_reader *r, const struct error *cause, struct error *e)
{
    struct stream *stream = r->state;
    edges_reader_close(stream->reader);
    stream->reader = NULL;
    end_pump(stream, e);
    return fail(e, cause->status, "%s", cause->text);
}

static enum status open_edges(struct graph_reader *r, struct error *e)
{
    int fd = -1;
    struct stream *stream = r->state = calloc(1, sizeof *stream);
    if (stream == NULL)
        return fail_memory(e, r->name, sizeof *stream);
    if (pump_open(&stream->pump, r->input, &fd, e) != ST_OK)
        return e->status;
    stream->stored = input_stored_position(r->input);
    struct error cause = {0};
    if (edges_reader_open_fd(&stream->reader, fd, r->name, &cause) != ST_OK)
        return end_early(r, &cause, e);
    stream->info = *edges_reader_info(stream->reader);
    const struct edges_info *info = &stream->info;
    struct graph_facts *facts = &r->facts;
    facts->direction = info->direction;
    facts->direction_fixed = 1;
    facts->randomized = info->randomized;
    facts->random_n = info->random_n;
    facts->random_seed = info->random_seed;
    facts->provenance = info->provenance;
    return reader_set_ids(r, 0, NO_COUNT, 0, e);
}

static enum status take(struct graph_reader *r, struct piece *piece, int *end, struct error *e)
{
    struct stream *stream = r->state;
    struct error cause = {0};
    if (edges_reader_next(stream->reader, &piece->block, end, &cause) != ST_OK)
        return end_early(r, &cause, e);
    piece->input_bytes = *end ? 0 : piece->block.size;
    if (stream->pump != NULL) {
        uint64_t stored = input_stored_position(r->input);
        piece->input_bytes = stored - stream->stored;
        stream->stored = stored;
    }
    return ST_OK;
}

static enum status parse(const struct graph_reader *r, struct piece *piece, struct error *e)
{
    struct edges_block *block = &piece->block;
    if (piece_reserve_edges(piece, EDGES_MAX_BLOCK_EDGES, e) != ST_OK ||
        edges_decode_block(block, r->facts.direction, r->name, piece->edges, &piece->count, e) !=
            ST_OK)
        return e->status;
    piece->tally.entries = piece->count;
    if (block->tally.max_id >= r->limit)
        return fail(e, ST_BAD_DATA, "%s: block %llu at byte %llu: found the id %llu, expected %s",
                    r->name, (ull)block->index, (ull)block->offset, (ull)block->tally.max_id,
                    r->expected_id);
    return ST_OK;
}

static enum status account(struct graph_reader *r, struct piece *piece, struct error *e)
{
    struct stream *stream = r->state;
    (void)e;
    edges_tally_merge(&stream->tally, &piece->block.tally);
    piece_tally_merge(&r->total, &piece->tally);
    return ST_OK;
}

static enum status finish(struct graph_reader *r, struct error *e)
{
    struct stream *stream = r->state;
    struct edges_totals totals;
    if (end_pump(stream, e) != ST_OK) /* the reader has seen its end */
        return e->status;
    if (edges_reader_finish(stream->reader, &stream->tally, &totals, e) != ST_OK)
        return e->status;
    if (r->options.vertices > 0 && totals.n > r->options.vertices)
        return fail(e, ST_BAD_DATA,
                    "%s: found %llu vertices in the trailer, expected at most %llu "
                    "(--vertices)",
                    r->name, (ull)totals.n, (ull)r->options.vertices);
    r->facts.n = totals.n;
    return ST_OK;
}

static void close_edges(struct graph_reader *r)
{
    struct stream *stream = r->state;
    struct error ignored = {0};
    if (stream == NULL)
        return;
    edges_reader_close(stream->reader);
    end_pump(stream, &ignored);
    free(stream);
}

const struct reader_class read_edges_class = {
    .name = "edges",
    .open = open_edges,
    .take = take,
    .parse = parse,
    .account = account,
    .finish = finish,
    .close = close_edges,
};
