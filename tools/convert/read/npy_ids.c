/* npy_ids.c: see npy_ids.h */
#include "npy_ids.h"

#include <inttypes.h>

/* Lowers r->limit for signed ids, where it is above all of them. */
void npy_limit_ids(struct graph_reader *r, const struct npy_array *array)
{
    if (array->kind == 'i' && r->limit > INT64_MAX)
        reader_limit_ids(r, r->base, INT64_MAX, "");
}

/* Subtracts r->base from the ids, counts them in the piece's tally, and refuses those beyond r->limit. */
enum status npy_rebase_ids(const struct graph_reader *r, struct piece *piece, const struct npy_array *u,
                           const struct npy_array *v, struct error *e)
{
    struct edge *edges = piece->edges;
    uint64_t base = r->base, limit = r->limit;
    int wrong = 0;
    piece->tally.entries = piece->count;
    for (size_t i = 0; i < piece->count; i++) {
        edges[i].u -= base;
        edges[i].v -= base;
        wrong |= (edges[i].u >= limit) | (edges[i].v >= limit);
    }
    if (!wrong || limit == UINT64_MAX) /* 2^64 - 1 is an id too, where ids are to be numbered */
        return ST_OK;
    size_t i = 0;
    while (edges[i].u < limit && edges[i].v < limit)
        i++;
    const struct npy_array *wrong_in = edges[i].u < limit ? v : u;
    char found[NPY_NUMBER_BYTES];
    npy_number_text(wrong_in, base + (edges[i].u < limit ? edges[i].v : edges[i].u), found);
    return fail(e, ST_BAD_DATA, "%s: row %" PRIu64 ": found the id %s, expected %s", r->name,
                piece->in.range_begin + i, found, r->expected_id);
}
