/* read_edges.c: reads an edge stream as an input of edgeconv, with the decoding and checks of formats/edges/edges.h */
#include "graph_reader.h"

#include <stdlib.h>

typedef unsigned long long ull;

struct stream {
    struct edges_reader *reader;
    uint64_t stored; /* how far the input has read its file */
    struct edges_info info;
    struct edges_totals tally;
};

/* byte_source.read of an input. */
static enum status read_input(void *from, void *bytes, size_t count, size_t *got, struct error *e)
{
    return input_read(from, bytes, count, got, e);
}

/* Opens the stream. A plain file is opened again, so that any thread may read it through a descriptor of the stream's own;
 * other inputs are read in order. */
static enum status open_stream(struct graph_reader *r, struct stream *stream, struct error *e)
{
    int fd;
    if (!input_random_access(r->input))
        return edges_reader_open_source(
            &stream->reader, (struct byte_source){r->input, read_input}, r->name, e);
    if (input_reopen(r->input, &fd, e) != ST_OK)
        return e->status;
    return edges_reader_open_fd(&stream->reader, fd, r->name, e);
}

/* Looks for the cause of damage in a stream that was compressed: decompresses the rest of its file and, if that fails, replaces
 * *e by that failure. */
static enum status find_damage(const struct graph_reader *r, struct error *e)
{
    char rest[4096];
    struct error damage = {0};
    size_t got = sizeof rest;
    if (e->status != ST_BAD_DATA || input_random_access(r->input) || input_failed(r->input) ||
        !input_is_regular(r->input))
        return e->status;
    while (got == sizeof rest && input_read(r->input, rest, sizeof rest, &got, &damage) == ST_OK)
        continue;
    if (damage.status != ST_OK)
        *e = damage;
    return e->status;
}

/* Reads the preamble and takes the facts about the graph from it. */
static enum status open_edges(struct graph_reader *r, struct error *e)
{
    struct stream *stream = r->state;
    stream->stored = input_stored_position(r->input);
    if (open_stream(r, stream, e) != ST_OK)
        return find_damage(r, e);
    stream->info = *edges_reader_info(stream->reader);
    const struct edges_info *info = &stream->info;
    struct graph_facts *facts = &r->facts;
    facts->direction = info->direction;
    facts->direction_fixed = 1;
    facts->randomized = info->randomized;
    facts->random_n = info->random_n;
    facts->random_seed = info->random_seed;
    facts->provenance = info->provenance;
    return reader_set_ids(r, info->base, NO_COUNT, 0, e);
}

/* Takes the next block; its bytes, too, if the input is read in order. */
static enum status take_block(struct graph_reader *r, struct piece *piece, int *end, struct error *e)
{
    struct stream *stream = r->state;
    if (edges_reader_take(stream->reader, &piece->in.block, end, e) != ST_OK)
        return find_damage(r, e);
    piece->input_bytes = *end ? 0 : piece->in.block.size;
    if (!input_random_access(r->input)) {
        uint64_t stored = input_stored_position(r->input);
        piece->input_bytes = stored - stream->stored;
        stream->stored = stored;
    }
    return ST_OK;
}

/* Loads the block if its bytes are not there, decodes it and checks its largest id. */
static enum status parse(const struct graph_reader *r, struct piece *piece, struct error *e)
{
    const struct stream *stream = r->state;
    struct edges_block *block = &piece->in.block;
    if (piece_clear_edges(piece, EDGES_MAX_BLOCK_EDGES, e) != ST_OK ||
        edges_reader_fill(stream->reader, block, e) != ST_OK ||
        edges_decode_block(block, r->facts.direction, r->name, piece->edges, &piece->count, e) !=
            ST_OK)
        return e->status;
    piece->tally.entries = piece->count;
    if (block->tally.max_id >= r->limit)
        return fail(e, ST_BAD_DATA, "%s: block %llu at byte %llu: found the id %llu, expected %s",
                    r->name, (ull)block->index, (ull)block->offset, (ull)(block->tally.max_id + r->base),
                    r->expected_id);
    return ST_OK;
}

/* Adds the tally of the block to those of the stream, which the trailer must confirm. */
static enum status account(struct graph_reader *r, struct piece *piece, struct error *e)
{
    struct stream *stream = r->state;
    (void)e;
    edges_tally_merge(&stream->tally, &piece->in.block.tally);
    return ST_OK;
}

/* Compares trailer and tally, and takes n from the trailer. */
static enum status finish(struct graph_reader *r, struct error *e)
{
    struct stream *stream = r->state;
    struct edges_totals totals;
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
    const struct stream *stream = r->state;
    edges_reader_close(stream->reader);
}

const struct reader_class read_edges_class = {
    .open = open_edges,
    .take = take_block,
    .parse = parse,
    .account = account,
    .finish = finish,
    .close = close_edges,
    .state_bytes = sizeof(struct stream),
};
