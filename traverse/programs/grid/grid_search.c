/* grid_search.c: opens this rank's part of the grid, and runs the levels of a search: expand, look up, fold
 * (grid_search.h) */
#include "grid_search.h"

#include <stdlib.h>
#include <string.h>

/* CHUNK_BYTES: number of bytes of a message while the search is opened. TAG_ROWS: tag of these messages. */
enum { CHUNK_BYTES = 4 << 20, TAG_ROWS = 1 };

/* Returns the number of the shard of the processor in grid row `row` and grid column `column`, which is also its rank. */
static uint32_t grid_shard(const struct grid_search *g, uint32_t row, uint32_t column)
{
    return row + g->part.r * column;
}

/* ---- opening ---- */

/* Allocates zeroed memory for `count` elements of `width` bytes, within the budget, and sets the pointer at the address
 * `array`. The pointer becomes NULL if *e has failed before, or if memory is short. Returns e->status. */
static enum status take(struct grid_search *g, void *array, uint64_t count, uint64_t width, struct error *e)
{
    void *taken = NULL;
    if (e->status == ST_OK)
        memory_take(g->budget, &taken, count, width, "a 2D search", e);
    memcpy(array, &taken, sizeof taken);
    return e->status;
}

/* Returns the number of vertices that the processor in grid row `row` and grid column `column` owns. */
static uint64_t locals_of(const struct grid_search *g, uint32_t row, uint32_t column)
{
    return g->graph->locals[grid_shard(g, row, column)];
}

/* Allocates all lists and bitmaps of *g, after the part was opened. Sets g->most_locals. grid_search_close frees the
 * arrays, even after a failure. */
static enum status take_arrays(struct grid_search *g, struct error *e)
{
    const uint32_t r = g->part.r, c = g->part.c;
    const uint64_t own = g->graph->shards[0].locals;
    for (uint32_t s = 0; s < g->graph->manifest.p; s++)
        g->most_locals = g->graph->locals[s] > g->most_locals ? g->graph->locals[s] : g->most_locals;
    g->column = zeroed(r, sizeof *g->column, "a 2D search", e);
    g->row = zeroed(c, sizeof *g->row, "a 2D search", e);
    for (uint32_t i = 0; i < r && e->status == ST_OK; i++) {
        struct grid_column_peer *peer = &g->column[i];
        uint64_t words = mask_words(locals_of(g, i, g->j));
        take(g, &peer->rows_here, words, 8, e);
        take(g, &peer->first_row, words, 4, e);
        take(g, &peer->rows_there, mask_words(own), 8, e);
        take(g, &peer->expand.ids, own, 4, e);
    }
    for (uint32_t k = 0; k < c && e->status == ST_OK; k++) {
        take(g, &g->row[k].seen, mask_words(locals_of(g, g->i, k)), 8, e);
        take(g, &g->row[k].bin.ids, locals_of(g, g->i, k), 4, e);
    }
    take(g, &g->frontier.ids, own, 4, e);
    take(g, &g->got.ids, g->most_locals, 4, e);
    return take(g, &g->incoming.ids, own * c, 4, e);
}

/* Fills `rows_here` and `first_row` of g->column[row] from the part of this rank, for the vertices of shard (row, g->j). */
static void number_rows(struct grid_search *g, uint32_t row)
{
    const struct grid_part *part = &g->part;
    struct grid_column_peer *peer = &g->column[row];
    uint64_t words = mask_words(locals_of(g, row, g->j)), at = part->starts[row];
    for (uint64_t k = part->starts[row]; k < part->starts[row + 1]; k++)
        peer->rows_here[part->rows[k] / 64] |= UINT64_C(1) << (part->rows[k] % 64);
    for (uint64_t w = 0; w < words; w++) {
        peer->first_row[w] = (uint32_t)at;
        at += (uint64_t)__builtin_popcountll(peer->rows_here[w]);
    }
}

/* Collective. The processors of a grid column tell each other which vertices they have edges of. This rank sends
 * g->column[i].rows_here to processor i, and receives g->column[i].rows_there from it. In each level, rows_there decides which
 * frontier vertices this rank sends to processor i. */
static enum status ask_for_rows(struct grid_search *g, struct error *e)
{
    const uint32_t r = g->part.r;
    struct transfer *sends = zeroed(2 * (uint64_t)r, sizeof *sends, "a 2D search", e);
    if (sends == NULL)
        return e->status;
    struct transfer *receives = sends + r;
    uint32_t count = 0;
    for (uint32_t i = 0; i < r; i++) {
        uint64_t bytes = 8 * mask_words(locals_of(g, i, g->j)), own = 8 * mask_words(g->graph->shards[0].locals);
        if (i == g->i) {
            memcpy(g->column[i].rows_there, g->column[i].rows_here, own);
            continue;
        }
        sends[count] = (struct transfer){grid_shard(g, i, g->j), TAG_ROWS, g->column[i].rows_here, bytes};
        receives[count++] = (struct transfer){grid_shard(g, i, g->j), TAG_ROWS, g->column[i].rows_there, own};
    }
    comm_transfer(g->comm, sends, count, receives, count, CHUNK_BYTES, e);
    free(sends);
    return e->status;
}

/* Collective. Numbers the rows of the grid part, and tells the processors of the grid column which rows it has. Fails if the graph or the
 * number of ranks does not suit a 2D search. */
enum status grid_search_open(struct grid_search *g, const struct comm *comm, const struct graph *graph,
                             struct memory_budget *budget, struct error *e)
{
    const struct manifest *manifest = &graph->manifest;
    const struct shard *own = &graph->shards[0];
    char *folder = NULL;
    g->comm = comm;
    g->graph = graph;
    g->budget = budget;
    if (manifest->d > 0)
        fail(e, ST_USAGE, "a 2D search wants a graph without delegates: `dbfs-pack --layout 2d=RxC`");
    else if (manifest->direction == EDGES_DIRECTED)
        fail(e, ST_USAGE, "a 2D search takes undirected graphs alone");
    else if (comm->ranks != manifest->p)
        fail(e, ST_USAGE, "a grid of %u processors wants as many ranks: mpiexec -n %u", manifest->p, manifest->p);
    else if ((folder = strdup(container_path(own->file))) == NULL)
        fail_memory(e, "a path", 1);
    if (e->status == ST_OK) {
        char *slash = strrchr(folder, '/');
        if (slash != NULL)
            *slash = '\0';
        grid_part_open(&g->part, slash != NULL ? folder : ".", manifest, graph->locals, own->local_bits, own->index, e);
    }
    free(folder);
    if (e->status == ST_OK) {
        g->i = g->part.index % g->part.r;
        g->j = g->part.index / g->part.r;
        take_arrays(g, e);
    }
    if (comm_agree(comm, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < g->part.r; i++)
        number_rows(g, i);
    ask_for_rows(g, e);
    return comm_agree(comm, e);
}

void grid_search_close(struct grid_search *g)
{
    for (uint32_t i = 0; g->column != NULL && i < g->part.r; i++) {
        memory_release(g->budget, g->column[i].rows_here);
        memory_release(g->budget, g->column[i].first_row);
        memory_release(g->budget, g->column[i].rows_there);
        memory_release(g->budget, g->column[i].expand.ids);
    }
    for (uint32_t c = 0; g->row != NULL && c < g->part.c; c++) {
        memory_release(g->budget, g->row[c].seen);
        memory_release(g->budget, g->row[c].bin.ids);
    }
    if (g->budget != NULL) {
        memory_release(g->budget, g->frontier.ids);
        memory_release(g->budget, g->got.ids);
        memory_release(g->budget, g->incoming.ids);
    }
    free(g->column);
    free(g->row);
    grid_part_close(&g->part);
}

/* ---- a level ---- */

/* Appends a destination, which has the local id `local` in shard (g->i, c), to the bin of grid column c, and marks it as
 * seen. Returns 1. If this processor has seen it before in this search, appends nothing and returns 0. */
static inline int add_to_bin(struct grid_search *g, uint32_t c, uint32_t local)
{
    uint64_t *word = &g->row[c].seen[local / 64], bit = UINT64_C(1) << (local % 64);
    if (*word & bit)
        return 0;
    *word |= bit;
    g->row[c].bin.ids[g->row[c].bin.count++] = local;
    return 1;
}

/* Zeroes the bitmaps of seen destinations, and empties the frontier. Called before each search. */
void grid_search_begin(struct grid_search *g)
{
    for (uint32_t c = 0; c < g->part.c; c++)
        memset(g->row[c].seen, 0, 8 * mask_words(locals_of(g, g->i, c)));
    g->frontier.count = 0;
}

/* Reads the edges of the listed vertices, which belong to shard (row, g->j), and must all have rows in the part of this
 * rank. Puts destinations that were not seen before into the bins of their owners. Adds the number of edges to
 * counts->looked_up. */
static void look_up(struct grid_search *g, uint32_t row, const struct grid_list *list, struct grid_counts *counts)
{
    const struct grid_column_peer *peer = &g->column[row];
    const struct grid_part *part = &g->part;
    const uint32_t bits = g->graph->shards[0].local_bits;
    const uint64_t below = (UINT64_C(1) << bits) - 1;
    for (uint64_t k = 0; k < list->count; k++) {
        uint32_t v = list->ids[k];
        uint64_t earlier = peer->rows_here[v / 64] & ((UINT64_C(1) << (v % 64)) - 1);
        uint64_t at = peer->first_row[v / 64] + (uint64_t)__builtin_popcountll(earlier);
        for (uint64_t edge = part->offsets[at]; edge < part->offsets[at + 1]; edge++) {
            uint64_t column = grid_column(part, edge);
            add_to_bin(g, (uint32_t)(column >> bits) / part->r, (uint32_t)(column & below));
        }
        counts->looked_up += part->offsets[at + 1] - part->offsets[at];
    }
}

/* Sends a list to rank `to`, and receives a list from rank `from`, which may be the same rank, into g->got. Collective
 * among these ranks. Adds the number of sent vertices to *sent, and 1 to *messages. */
static void swap_lists(struct grid_search *g, uint32_t to, const struct grid_list *list, uint32_t from, uint64_t *sent,
                       uint64_t *messages)
{
    g->got.count = comm_swap(g->comm, to, list->ids, 4 * list->count, from, g->got.ids, 4 * g->most_locals) / 4;
    *sent += list->count;
    ++*messages;
}

/* Collective in the grid column. Expands the frontier, and looks up its edges. Each processor i of the grid column is sent
 * a list of the frontier vertices that have edges there, by g->column[i].rows_there. This processor looks up the edges of each
 * list that it receives, and of its own list, and puts the destinations into the bins.
 *
 * The lists are exchanged in swaps. In swap number `distance`, every processor sends to the processor `distance` rows
 * further, and receives from the processor `distance` rows before. So each message has a receiver that waits for it. */
static void expand(struct grid_search *g, struct grid_counts *counts)
{
    const uint32_t r = g->part.r;
    for (uint32_t i = 0; i < r; i++) { /* lists the frontier vertices with edges on processor i */
        struct grid_list *list = &g->column[i].expand;
        list->count = 0;
        for (uint64_t k = 0; k < g->frontier.count; k++) {
            if (mask_bit(g->column[i].rows_there, g->frontier.ids[k]))
                list->ids[list->count++] = g->frontier.ids[k];
        }
    }
    look_up(g, g->i, &g->column[g->i].expand, counts);
    for (uint32_t distance = 1; distance < r; distance++) {
        uint32_t to = (g->i + distance) % r, from = (g->i + r - distance) % r;
        swap_lists(g, grid_shard(g, to, g->j), &g->column[to].expand, grid_shard(g, from, g->j), &counts->expanded,
                   &counts->messages);
        look_up(g, from, &g->got, counts);
    }
}

/* Appends a list to g->incoming, which has memory for it. */
static void add_incoming(struct grid_search *g, const struct grid_list *list)
{
    memcpy(g->incoming.ids + g->incoming.count, list->ids, 4 * list->count);
    g->incoming.count += list->count;
}

/* Collective in the grid row. Sends each bin directly to the owner of its vertices. The received vertices belong to this
 * processor, and are appended to g->incoming. */
static void fold_direct(struct grid_search *g, struct grid_counts *counts)
{
    const uint32_t c = g->part.c;
    for (uint32_t distance = 1; distance < c; distance++) {
        const uint32_t to = (g->j + distance) % c, from = (g->j + c - distance) % c;
        swap_lists(g, grid_shard(g, g->i, to), &g->row[to].bin, grid_shard(g, g->i, from), &counts->folded,
                   &counts->messages);
        add_incoming(g, &g->got);
    }
}

/* Collective in the grid row. Sends the bins to their owners round the ring of processors of the grid row, and appends the
 * vertices that arrive for this processor to g->incoming.
 *
 * The set for owner t starts as the bin of processor t + 1, and passes all other processors of the ring on its way to t.
 * Each of these appends those vertices of the set that it has not seen in this search to its own bin for t, and sends this
 * bin on as the new set. The owner does not need the dropped vertices: one that was seen in this level is already in the
 * bin, and one that was seen in an earlier level has been visited. */
static void fold_ring(struct grid_search *g, struct grid_counts *counts)
{
    const uint32_t c = g->part.c;
    const uint32_t right = grid_shard(g, g->i, (g->j + 1) % c), left = grid_shard(g, g->i, (g->j + c - 1) % c);
    for (uint32_t step = 0; step + 1 < c; step++) {
        /* leaves: the owner of the set that is sent. comes: the owner of the set that is received. */
        const uint32_t leaves = (g->j + 2 * c - 1 - step) % c, comes = (g->j + 2 * c - 2 - step) % c;
        swap_lists(g, right, &g->row[leaves].bin, left, &counts->folded, &counts->messages);
        for (uint64_t k = 0; k < g->got.count && comes != g->j; k++)
            counts->dropped += !add_to_bin(g, comes, g->got.ids[k]);
    }
    if (c > 1)
        add_incoming(g, &g->got); /* the last received set is the set for this processor */
}

/* Collective. Runs one level of the search: expands, and then folds, which sends each destination to its owner along the
 * grid row. Fills g->incoming with the reached vertices of this processor. Adds the work to *counts. */
void grid_level(struct grid_search *g, struct grid_counts *counts)
{
    for (uint32_t c = 0; c < g->part.c; c++)
        g->row[c].bin.count = 0;
    g->incoming.count = 0;
    expand(g, counts);
    for (uint32_t c = 0; c < g->part.c; c++)
        counts->found += c == g->j ? 0 : g->row[c].bin.count;
    add_incoming(g, &g->row[g->j].bin);
    if (g->fold == GRID_FOLD_RING)
        fold_ring(g, counts);
    else
        fold_direct(g, counts);
}
