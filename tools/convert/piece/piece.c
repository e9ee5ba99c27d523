/* piece.c: see piece.h */
#include "piece.h"

#include "formats/base/huge.h"

#include <stdlib.h>
#include <string.h>

void piece_free(struct piece *piece)
{
    encoded_edges_free(&piece->encoded);
    edges_block_free(&piece->in.block);
    free(piece->in.buffer);
    free(piece->room);
    free(piece->names);
    memset(piece, 0, sizeof *piece);
}

enum status piece_reserve_text(struct piece *piece, size_t bytes, struct error *e)
{
    if (piece->in.buffer != NULL && bytes <= piece->in.buffer_bytes)
        return ST_OK;
    char *grown = realloc(piece->in.buffer, bytes + PIECE_PADDING);
    if (grown == NULL)
        return fail_memory(e, "input buffer", bytes);
    memset(grown + bytes, 0, PIECE_PADDING);
    piece->in.buffer = grown;
    piece->in.buffer_bytes = bytes;
    return ST_OK;
}

/* Throws the piece's edges, names, fault and tally away, and makes room for others. */
enum status piece_clear_edges(struct piece *piece, size_t count, struct error *e)
{
    size_t room = EDGES_BLOCK_EDGES + count;
    if (piece->room == NULL || room > piece->room_edges) {
        free(piece->room);
        piece->room_edges = 0;
        piece->room = huge_malloc(room * sizeof *piece->room);
        if (piece->room == NULL)
            return fail_memory(e, "edges of one piece", room * sizeof *piece->room);
        piece->room_edges = room;
    }
    piece->edges = piece->room + EDGES_BLOCK_EDGES;
    piece->count = 0;
    piece->names_bytes = 0;
    memset(&piece->fault, 0, sizeof piece->fault);
    memset(&piece->tally, 0, sizeof piece->tally);
    return ST_OK;
}

enum status piece_extend_edges(struct piece *piece, size_t count, struct error *e)
{
    size_t room = EDGES_BLOCK_EDGES + piece->count + count;
    if (room <= piece->room_edges)
        return ST_OK;
    room += room / 2;
    struct edge *grown = realloc(piece->room, room * sizeof *grown);
    if (grown == NULL)
        return fail_memory(e, "edges of one piece", room * sizeof *grown);
    piece->room = grown;
    piece->room_edges = room;
    piece->edges = grown + EDGES_BLOCK_EDGES;
    return ST_OK;
}

void piece_prepend(struct piece *piece, const struct edge *edges, size_t count)
{
    piece->edges -= count;
    piece->count += count;
    if (count > 0)
        memcpy(piece->edges, edges, count * sizeof *edges);
}

/* Adds the counts of `from`; `beyond` is the larger of both. */
void piece_tally_merge(struct piece_tally *into, const struct piece_tally *from)
{
    into->lines += from->lines;
    into->comments += from->comments;
    into->signed_rows += from->signed_rows;
    into->entries += from->entries;
    into->beyond = from->beyond > into->beyond ? from->beyond : into->beyond;
    into->unreadable_lists[0] += from->unreadable_lists[0];
    into->unreadable_lists[1] += from->unreadable_lists[1];
    into->above += from->above;
    into->below += from->below;
    into->above_hash += from->above_hash;
    into->below_hash += from->below_hash;
}
