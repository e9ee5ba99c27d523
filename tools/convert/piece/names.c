/* names.c: see names.h */
#include "names.h"

#include "formats/base/hash.h"
#include "formats/base/keyed_hash.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DIGITS = 20 };

enum status piece_reserve_names(struct piece *piece, size_t edges, size_t bytes, struct error *e)
{
    size_t need = piece->names_bytes + 2 * edges * NAME_RECORD_BYTES + bytes;
    if (need <= piece->names_capacity)
        return ST_OK;
    need += need / 4;
    char *grown = realloc(piece->names, need);
    if (grown == NULL)
        return fail_memory(e, "names of one piece", need);
    piece->names = grown;
    piece->names_capacity = need;
    return ST_OK;
}

uint64_t piece_add_name(struct piece *piece, const char *bytes, size_t length)
{
    uint64_t place = piece->names_bytes;
    char *record = piece->names + place;
    put_u64(record, keyed_hash(bytes, length));
    record[8] = (char)(length & 255);
    record[9] = (char)(length >> 8);
    memcpy(record + NAME_RECORD_BYTES, bytes, length);
    piece->names_bytes += NAME_RECORD_BYTES + length;
    return place;
}

/* Adds a number as a name, in decimal, and returns its place. */
static uint64_t add_number(struct piece *piece, uint64_t number)
{
    char digits[MAX_DIGITS], *end = digits + MAX_DIGITS, *p = end;
    do {
        *--p = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return piece_add_name(piece, p, (size_t)(end - p));
}

enum status piece_numbers_to_names(struct piece *piece, uint64_t base, struct error *e)
{
    if (piece_reserve_names(piece, piece->count, 2 * piece->count * MAX_DIGITS, e) != ST_OK)
        return e->status;
    for (size_t i = 0; i < piece->count; i++) {
        struct edge *edge = &piece->edges[i];
        edge->u = add_number(piece, edge->u + base);
        edge->v = add_number(piece, edge->v + base);
    }
    return ST_OK;
}

static int compare_names(const struct name *a, const struct name *b)
{
    uint32_t least = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->bytes, b->bytes, least);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

void piece_fold_names(struct piece *piece)
{
    struct piece_tally *tally = &piece->tally;
    struct edge *kept = piece->edges;
    for (size_t i = 0; i < piece->count; i++) {
        struct edge edge = piece->edges[i];
        int order = 0;
        if (edge.v != NAME_NONE) {
            struct name u = piece_name(piece, edge.u), v = piece_name(piece, edge.v);
            order = compare_names(&u, &v);
            tally->above += order < 0;
            tally->below += order > 0;
            tally->above_hash += order < 0 ? hash_pair(u.hash, v.hash) : 0;
            tally->below_hash += order > 0 ? hash_pair(v.hash, u.hash) : 0;
        }
        if (order <= 0)
            *kept++ = edge;
    }
    piece->count = (size_t)(kept - piece->edges);
}
