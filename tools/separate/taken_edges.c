/* taken_edges.c: see taken_edges.h */
#include "taken_edges.h"

#include <stdlib.h>
#include <string.h>

enum status edges_beside_add(struct edges_beside *b, const struct edge *edges, size_t count, struct error *e)
{
    if (b->count + count > b->capacity) {
        size_t capacity = 2 * (b->count + count);
        struct edge *grown = realloc(b->edges, capacity * sizeof *grown);
        if (grown == NULL)
            return fail_memory(e, "edges", capacity * sizeof *grown);
        b->edges = grown;
        b->capacity = capacity;
    }
    memcpy(b->edges + b->count, edges, count * sizeof *edges);
    b->count += count;
    return ST_OK;
}

void edges_beside_free(struct edges_beside *b, struct memory_budget *budget)
{
    loops_free(&b->loops, budget);
    free(b->edges);
    memset(b, 0, sizeof *b);
}

/* Edges on their way to the copy of the pipe. */
struct taken {
    struct edge_tiles *tiles;
    const struct edges_beside *beside;
    int threads;
    struct edge_copy *copy;
    struct edges_block block;
    struct edge waiting[EDGES_BLOCK_EDGES];
    size_t count;
};

/* Appends the edges that wait, if there are any, to the copy as a block. */
static enum status write_block(struct taken *t, struct error *e)
{
    if (t->count == 0)
        return e->status;
    edges_encode_block(&t->block, t->tiles->direction, t->waiting, t->count);
    t->count = 0;
    return edge_copy_append(t->copy, t->block.bytes, t->block.size, e);
}

static enum status write_edge(struct taken *t, struct edge edge, struct error *e)
{
    t->waiting[t->count++] = edge;
    return t->count < EDGES_BLOCK_EDGES ? ST_OK : write_block(t, e);
}

/* A tile_visitor. */
static enum status write_run(void *context, int thread, const struct tile_run *run, struct error *e)
{
    struct taken *t = context;
    (void)thread;
    for (size_t i = 0; i < run->count && e->status == ST_OK; i++)
        write_edge(t, tile_edge(run, t->tiles->record_bytes, i), e);
    return e->status;
}

/* edges_taken.write. */
static enum status write_taken(void *context, struct edge_copy *copy, struct error *e)
{
    struct taken *t = context;
    t->copy = copy;
    edge_tiles_visit(t->tiles, /* threads */ 1, write_run, t, e);
    for (int i = 0; i < t->threads; i++) {
        const struct edges_beside *b = &t->beside[i];
        for (uint64_t l = 0; l < b->loops.count; l++) {
            const struct vertex_loops *loops = &b->loops.list[l];
            for (uint64_t k = 0; k < loops->count && e->status == ST_OK; k++)
                write_edge(t, (struct edge){loops->vertex, loops->vertex}, e);
        }
        for (size_t k = 0; k < b->count && e->status == ST_OK; k++)
            write_edge(t, b->edges[k], e);
    }
    return e->status == ST_OK ? write_block(t, e) : e->status;
}

enum status taken_edges_keep(struct edge_source *source, struct edge_tiles *tiles, const struct edges_beside *beside, int threads,
                             struct error *e)
{
    struct taken *t = calloc(1, sizeof *t);
    if (t == NULL)
        return fail_memory(e, source->name, sizeof *t);
    t->tiles = tiles;
    t->beside = beside;
    t->threads = threads;
    if (edges_block_init(&t->block, e) == ST_OK)
        edge_source_keep(source, &(struct edges_taken){t, write_taken}, e);
    edges_block_free(&t->block);
    free(t);
    return e->status;
}
