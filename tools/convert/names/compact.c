/* compact.c: see compact.h */
#include "compact.h"

#include "name_spill.h"
#include "name_table.h"

#include "formats/base/text.h"

#include <stdlib.h>

enum { LEAST_TABLE_BYTES = 1 << 19, FETCH_AHEAD = 16, PIECE_EDGES = 1 << 16 };

enum status compact_open(struct compact **result, struct workspace *space, struct outfile *map, struct error *e)
{
    char need[16], have[16];
    uint64_t buffers = NAME_SPILL_BUFFERS * (uint64_t)space->chunk_bytes;
    uint64_t limit = space->budget.limit_bytes;
    *result = NULL;
    if (limit < buffers + LEAST_TABLE_BYTES)
        return fail(e, ST_RESOURCE, "--compact: needs %s, and %s of the memory (-S) are left",
                    format_size(buffers + LEAST_TABLE_BYTES, need, sizeof need),
                    format_size(limit, have, sizeof have));
    struct compact *c = *result = zeroed(1, sizeof *c, "--compact", e);
    if (c == NULL)
        return e->status;
    c->space = space;
    c->map = map;
    c->table_bytes = limit - buffers;
    if (name_table_open(&c->table, &space->budget, c->table_bytes, e) != ST_OK) {
        compact_close(c);
        *result = NULL;
    }
    return e->status;
}

void compact_close(struct compact *c)
{
    if (c == NULL)
        return;
    name_table_close(c->table);
    name_spill_close(c->spill);
    free(c);
}

/* ---- numbering ---- */

/* Sets *id to the number of the name at `place` or, if the table is full, to a mark that stands for the name (name_spill.h). */
static enum status number_name(struct compact *c, const struct piece *piece, uint64_t place,
                               uint64_t *id, struct error *e)
{
    struct name name = piece_name(piece, place);
    *id = name_table_number(c->table, &name);
    if (*id == NAME_UNKNOWN) {
        if (c->spill == NULL && name_spill_open(&c->spill, c->space, e) != ST_OK)
            return e->status;
        return name_spill_name(c->spill, &name, id, e);
    }
    if (*id < c->count)
        return ST_OK;
    c->count++;
    return name_map_write(c->map, name.bytes, name.length, e);
}

/* Calls `prefetch` for the names of edge i; does nothing behind the last edge. */
static inline void prefetch_names(const struct compact *c, const struct piece *piece, size_t i,
                                  void (*prefetch)(const struct name_table *table, uint64_t hash))
{
    if (i >= piece->count)
        return;
    const struct edge *edge = &piece->edges[i];
    prefetch(c->table, piece_name(piece, edge->u).hash);
    if (edge->v != NAME_NONE)
        prefetch(c->table, piece_name(piece, edge->v).hash);
}

/* Numbers the names that the table has or takes. From the first one that it does not, all edges go to disk and leave the
 * piece. */
enum status compact_number(struct compact *c, struct piece *piece, struct error *e)
{
    struct edge *kept = piece->edges;
    for (size_t i = 0; i < piece->count; i++) {
        struct edge named = piece->edges[i], edge = {.v = NAME_NONE};
        prefetch_names(c, piece, i + FETCH_AHEAD, name_table_prefetch_slot);
        prefetch_names(c, piece, i + FETCH_AHEAD / 2, name_table_prefetch_name);
        if (number_name(c, piece, named.u, &edge.u, e) != ST_OK ||
            (named.v != NAME_NONE && number_name(c, piece, named.v, &edge.v, e) != ST_OK))
            return e->status;
        /* after the first spilled edge all others are spilled, too, so that edges stay in order */
        if (c->spill != NULL && name_spill_edge(c->spill, &edge, e) != ST_OK)
            return e->status;
        if (c->spill == NULL && named.v != NAME_NONE)
            *kept++ = edge;
    }
    piece->count = (size_t)(kept - piece->edges);
    return ST_OK;
}

/* ---- the spilled names, as an input ---- */

/* reader_class.take: reads the next edges, numbered, from disk. r->state is the struct name_spill. */
static enum status take_spilled(struct graph_reader *r, struct piece *piece, int *end, struct error *e)
{
    if (piece_clear_edges(piece, PIECE_EDGES, e) != ST_OK ||
        name_spill_next(r->state, piece->edges, PIECE_EDGES, &piece->count, e) != ST_OK)
        return e->status;
    piece->input_bytes = 0; /* it covers no bytes of an input */
    *end = piece->count == 0;
    return ST_OK;
}

static const struct reader_class spilled_class = {.take = take_spilled};

/* Frees the table, numbers the spilled names and gives a reader of their edges, which only borrows c->spill. */
enum status compact_rest(struct compact *c, struct graph_reader **reader, struct error *e)
{
    *reader = NULL;
    name_table_close(c->table);
    c->table = NULL;
    if (c->spill == NULL)
        return ST_OK;
    if (name_spill_resolve(c->spill, c->map, &c->count, c->table_bytes, e) != ST_OK)
        return e->status;
    c->spilled_bytes = name_spill_bytes(c->spill);
    struct graph_reader *r = *reader = zeroed(1, sizeof *r, "temporary files", e);
    if (r == NULL)
        return e->status;
    r->class = &spilled_class;
    r->name = "temporary files";
    r->facts.numbered = 1;
    r->state = c->spill;
    return ST_OK;
}
