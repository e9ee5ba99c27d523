/* convert.c: see convert.h
 *
 * A piece of the input passes through these stages, each in parallel or in order (formats/work/pipeline.h):
 *   take_piece        in order: gets the next bytes of the input
 *   parse_and_change  in parallel: makes edges of them and changes ids
 *   account_and_cut   in order: counts lines and entries, numbers names, cuts into whole blocks
 *   encode            in parallel: makes the bytes of the output
 *   put               in order: writes them
 */
#include "convert.h"

#include "tools/convert/piece/names.h"
#include "formats/work/pipeline.h"

#include "formats/base/hash.h"
#include "formats/base/progress.h"

#include <stdlib.h>
#include <string.h>

enum { USUAL_PIECE_MEMORY_BYTES = 8 << 20 };

enum status conversion_open(struct conversion **result, struct graph_writer *writer,
                            const struct change *change, int threads, uint64_t memory_bytes,
                            struct error *e)
{
    *result = NULL;
    struct conversion *c = calloc(1, sizeof *c);
    if (c == NULL)
        return fail_memory(e, "conversion", sizeof *c);
    uint64_t fit = memory_bytes / USUAL_PIECE_MEMORY_BYTES;
    c->slot_count = threads == 1 ? 1 : 2 * threads + 2;
    if (memory_bytes > 0 && fit < (uint64_t)c->slot_count)
        c->slot_count = fit > 1 ? (int)fit : 1;
    c->writer = writer;
    c->change = change;
    c->threads = threads;
    c->granule = graph_writer_granule(writer);
    c->pieces = calloc((size_t)c->slot_count, sizeof *c->pieces);
    c->slots = calloc((size_t)c->slot_count, sizeof *c->slots);
    c->carry = malloc(c->granule * sizeof *c->carry);
    if (c->pieces == NULL || c->slots == NULL || c->carry == NULL) {
        fail_memory(e, "conversion", c->granule * sizeof *c->carry);
        conversion_free(c);
        return e->status;
    }
    for (int i = 0; i < c->slot_count; i++)
        c->slots[i] = &c->pieces[i];
    *result = c;
    return ST_OK;
}

void conversion_free(struct conversion *c)
{
    if (c == NULL)
        return;
    for (int i = 0; c->pieces != NULL && i < c->slot_count; i++)
        piece_free(&c->pieces[i]);
    free(c->pieces);
    free(c->slots);
    free(c->carry);
    free(c);
}

/* ---- changes ---- */

/* Keeps the edges with u <= v, and hashes lines u < v and u > v into the piece's tally: check_reverses compares the sums. */
static void fold_edges(struct piece *piece)
{
    struct piece_tally *tally = &piece->tally;
    struct edge *kept = piece->edges;
    for (size_t i = 0; i < piece->count; i++) {
        struct edge edge = piece->edges[i];
        if (edge.u > edge.v) {
            tally->below++;
            tally->below_hash += hash_pair(edge.v, edge.u);
            continue;
        }
        if (edge.u < edge.v) {
            tally->above++;
            tally->above_hash += hash_pair(edge.u, edge.v);
        }
        *kept++ = edge;
    }
    piece->count = (size_t)(kept - piece->edges);
}

/* Undoes the randomisation of a piece's ids. ST_BAD_DATA if one of them is none that it gave. */
static enum status restore_ids(const struct conversion *c, struct piece *piece, struct error *e)
{
    const struct bijection *restore = c->change->restore;
    for (size_t i = 0; i < piece->count; i++) {
        struct edge *edge = &piece->edges[i];
        if (edge->u >= restore->n || edge->v >= restore->n)
            return fail(e, ST_BAD_DATA,
                        "%s: found the id %llu, expected one below the %llu of its randomisation",
                        c->reader->name,
                        (unsigned long long)(edge->u >= restore->n ? edge->u : edge->v),
                        (unsigned long long)restore->n);
        edge->u = bijection_backward(restore, edge->u);
        edge->v = bijection_backward(restore, edge->v);
    }
    return ST_OK;
}

/* Nonzero if the ends of edges are names that still have to be numbered. */
static int needs_numbers(const struct conversion *c)
{
    return c->change->compact != NULL && !c->reader->facts.numbered;
}

/* Adds the tally of edges that were written to the bound of ids, and to the counts for conversion_lists_twice. */
static void add_totals(struct conversion *c, const struct edges_totals *totals, uint64_t balance)
{
    if (totals->edges > 0 && totals->max_id >= c->bound)
        c->bound = totals->max_id + 1;
    c->pairs += totals->edges - totals->loops;
    c->balance += balance;
}

/* ---- stages ---- */

/* The pipeline's `take`: lets the reader cut the next piece of the input. Sets *end after the last one. */
static enum status take_piece(void *context, void *slot, int *end, struct error *e)
{
    struct conversion *c = context;
    return c->reader->class->take(c->reader, slot, end, e);
}

/* Stage, in any thread: makes the piece's edges, keeps one of two lines if they fold, and changes ids or names numbers. */
static enum status parse_and_change(void *context, void *slot, struct error *e)
{
    struct conversion *c = context;
    struct piece *piece = slot;
    if (c->reader->class->parse != NULL && c->reader->class->parse(c->reader, piece, e) != ST_OK)
        return e->status;
    if (piece->fault.at != NULL) /* told by account_and_cut, which knows the line */
        return ST_OK;
    if (c->fold && c->reader->facts.names)
        piece_fold_names(piece);
    else if (c->fold)
        fold_edges(piece);
    if (c->change->restore != NULL && !c->reader->facts.numbered &&
        restore_ids(c, piece, e) != ST_OK)
        return e->status;
    if (needs_numbers(c))
        return c->reader->facts.names ? ST_OK : piece_numbers_to_names(piece, c->reader->base, e);
    for (size_t i = 0; i < piece->count && c->change->randomize != NULL; i++) {
        piece->edges[i].u = bijection_forward(c->change->randomize, piece->edges[i].u);
        piece->edges[i].v = bijection_forward(c->change->randomize, piece->edges[i].v);
    }
    return ST_OK;
}

/* Stage, in order: counts, numbers names, and moves the edges short of a granule from the end of this piece to the next. */
static enum status account_and_cut(void *context, void *slot, struct error *e)
{
    struct conversion *c = context;
    struct piece *piece = slot;
    piece_tally_merge(&c->reader->total, &piece->tally);
    if (c->reader->class->account != NULL && c->reader->class->account(c->reader, piece, e) != ST_OK)
        return e->status;
    if (needs_numbers(c) && compact_number(c->change->compact, piece, e) != ST_OK)
        return e->status;
    c->edges += piece->count;
    progress_add(piece->input_bytes);
    if (c->granule == 1)
        return ST_OK;
    piece_prepend(piece, c->carry, c->carry_count);
    c->carry_count = piece->count % c->granule;
    piece->count -= c->carry_count;
    memcpy(c->carry, piece->edges + piece->count, c->carry_count * sizeof *c->carry);
    return ST_OK;
}

/* Stage, in any thread: encodes the piece's edges for the writer. */
static enum status encode(void *context, void *slot, struct error *e)
{
    struct conversion *c = context;
    struct piece *piece = slot;
    memset(&piece->totals, 0, sizeof piece->totals);
    if (c->granule == 1) /* a block tallies its edges itself */
        piece->balance = edges_tally_balance(&piece->totals, piece->edges, piece->count);
    return graph_writer_encode(c->writer, &piece->encoded, piece->edges, piece->count, e);
}

/* Stage, in order: writes what was encoded, and adds up its tally. */
static enum status put(void *context, void *slot, struct error *e)
{
    struct conversion *c = context;
    struct piece *piece = slot;
    const struct encoded_edges *encoded = &piece->encoded;
    for (size_t i = 0; c->granule > 1 && i < encoded->block_count; i++)
        add_totals(c, &encoded->blocks[i].tally, encoded->blocks[i].balance);
    if (c->granule == 1)
        add_totals(c, &piece->totals, piece->balance);
    return graph_writer_put(c->writer, encoded, e);
}

/* The pipeline's `idle`: calls what conversion_on_idle has set. */
static int call_idle(void *context)
{
    const struct conversion *c = context;
    return c->idle.call(c->idle.context);
}

/* ---- the whole ---- */

/* Checks, after an input that was folded, that each line u v with u < v had a line v u. */
static enum status check_reverses(const struct graph_reader *reader, struct error *e)
{
    const struct piece_tally *t = &reader->total;
    if (t->above == t->below && t->above_hash == t->below_hash)
        return ST_OK;
    if (t->above == t->below)
        return fail(e, ST_BAD_DATA,
                    "%s: found edges that are listed in one direction only, expected each as u v "
                    "and as v u",
                    reader->name);
    return fail(e, ST_BAD_DATA,
                "%s: found %llu edges as u v with u < v and %llu with u > v, expected each edge in "
                "both ways",
                reader->name, (unsigned long long)t->above, (unsigned long long)t->below);
}

/* Runs the pipeline over one input; the edges short of a granule stay in c->carry for the next. */
enum status conversion_read(struct conversion *c, struct graph_reader *reader, int fold, struct error *e)
{
    static const struct pipeline_stage stages[] = {
        {.run = parse_and_change}, {.ordered = 1, .run = account_and_cut}, {.run = encode}, {.ordered = 1, .run = put}};
    const struct pipeline pipeline = {
        .context = c,
        .take = take_piece,
        .idle = c->idle.call != NULL ? call_idle : NULL,
        .stages = stages,
        .stage_count = sizeof stages / sizeof *stages,
        .slots = c->slots,
        .slot_count = c->slot_count,
        .threads = c->threads,
    };
    c->reader = reader;
    c->fold = fold;
    if (pipeline_run(&pipeline, e) != ST_OK || graph_reader_finish(reader, e) != ST_OK)
        return e->status;
    return fold ? check_reverses(reader, e) : ST_OK;
}

/* Writes the edges that are carried still, and lets the writer end its output. */
enum status conversion_finish(struct conversion *c, uint64_t n, struct error *e)
{
    struct piece *piece = &c->pieces[0];
    if (c->carry_count > 0 &&
        (graph_writer_encode(c->writer, &piece->encoded, c->carry, c->carry_count, e) != ST_OK ||
         put(c, piece, e) != ST_OK))
        return e->status;
    c->carry_count = 0;
    return graph_writer_finish(c->writer, n > c->bound ? n : c->bound, e);
}
