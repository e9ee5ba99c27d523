/* vertex_values.c: see vertex_values.h */
#include "vertex_values.h"

#include "formats/base/crc.h"
#include "formats/base/text.h"

#include <stdlib.h>
#include <string.h>

enum { NO_WINDOW = UINT32_MAX };

uint64_t window_begin(const struct vertex_values *v, uint32_t w)
{
    return w * v->window;
}

uint64_t window_end(const struct vertex_values *v, uint32_t w)
{
    return w + 1 == v->windows ? v->n : (w + 1) * v->window;
}

/* Bytes of the values of a window. */
static uint64_t window_bytes(const struct vertex_values *v, uint32_t w)
{
    return (window_end(v, w) - window_begin(v, w)) * sizeof *v->of;
}

/* The least memory for the values of n vertices: two of the most windows. */
uint64_t values_least_bytes(uint64_t n)
{
    return (n / VALUES_MOST_WINDOWS + 1) * 2 * sizeof(uint32_t);
}

/* ---- memory ---- */

/* Sets v->window and v->windows: one window or, if a spill is there, as many as let two fit into most_bytes. */
void values_choose_windows(struct vertex_values *v, uint64_t granule, uint64_t most_bytes)
{
    v->window = v->n;
    v->windows = 1;
    if (v->spill == NULL || v->n * sizeof *v->of <= most_bytes)
        return;
    v->window = most_bytes / (2 * sizeof *v->of) / granule * granule;
    if (v->window < granule)
        v->window = granule;
    v->windows = (uint32_t)((v->n - 1) / v->window + 1);
}

/* Takes the memory of all values or of two windows. */
static enum status take_memory(struct vertex_values *v, struct error *e)
{
    uint64_t values = v->windows == 1 ? v->n : 2 * v->window;
    v->bytes = values * sizeof *v->of;
    return memory_take_huge(v->budget, (void **)&v->of, values, sizeof *v->of, "values of vertices", e);
}

/* Makes a value of 0 for each vertex, in windows if memory is short. */
enum status values_open(struct vertex_values *v, const struct values_options *o,
                        struct memory_budget *budget, struct error *e)
{
    *v = (struct vertex_values){.n = o->n,
                                .loaded = {NO_WINDOW, NO_WINDOW},
                                .threads = o->threads,
                                .spill = o->spill,
                                .budget = budget};
    if (o->spill != NULL && values_least_bytes(o->n) > o->most_bytes)
        return fail(e, ST_RESOURCE, "values of vertices: more than %d windows",
                    VALUES_MOST_WINDOWS);
    values_choose_windows(v, o->granule, o->most_bytes);
    v->file = calloc(v->windows, sizeof *v->file);
    if (v->file == NULL)
        return fail_memory(e, "values of vertices", v->windows * sizeof *v->file);
    if (take_memory(v, e) != ST_OK)
        values_free(v);
    return e->status;
}

/* Frees the memory of the values, which are lost. */
void values_drop(struct vertex_values *v)
{
    if (v->of != NULL)
        memory_release(v->budget, v->of);
    v->of = NULL;
}

void values_free(struct vertex_values *v)
{
    values_drop(v);
    free(v->file);
    memset(v, 0, sizeof *v);
}

/* ---- windows ---- */

/* Loads window w into half 0 or 1 of the memory, unless it is there, and returns its address; NULL after a failure. */
uint32_t *values_load(struct vertex_values *v, uint32_t w, int half, struct error *e)
{
    uint32_t *at = v->of + (uint64_t)half * v->window;
    const struct window_file *file = &v->file[w];
    if (v->windows == 1)
        return v->of;
    if (v->loaded[half] == w)
        return at;
    v->loaded[half] = NO_WINDOW;
    if (spill_read(v->spill, &file->extent, /* at */ 0, at, window_bytes(v, w), e) != ST_OK)
        return NULL;
    if (crc32_parallel(at, window_bytes(v, w), v->threads) != file->crc) {
        spill_corrupt(v->spill, &file->extent, /* at */ 0, e);
        return NULL;
    }
    v->loaded[half] = w;
    return at;
}

/* Saves that half of the memory as window w, which the other half then no longer has. */
enum status values_keep(struct vertex_values *v, uint32_t w, int half, struct error *e)
{
    const uint32_t *at = v->of + (uint64_t)half * v->window;
    struct window_file *file = &v->file[w];
    uint64_t bytes = window_bytes(v, w);
    if (v->windows == 1)
        return ST_OK;
    if (file->extent.bytes == 0 && spill_reserve(v->spill, bytes, &file->extent, e) != ST_OK)
        return e->status;
    file->crc = crc32_parallel(at, bytes, v->threads);
    v->loaded[half] = w;
    if (v->loaded[!half] == w)
        v->loaded[!half] = NO_WINDOW;
    return spill_write(v->spill, &file->extent, /* at */ 0, at, bytes, e);
}

/* ---- passes ---- */

/* The edges that one pass over the stream gives to the visitor. */
struct pair {
    uint64_t first[2]; /* ids of the two windows */
    uint64_t window;
    int inside[2]; /* this pass gives the edges with both ends in that window */
    edges_visitor visit;
    void *context;
};

/* The place of the value of `id` in memory; UINT64_MAX: it is not there. */
static inline uint64_t place_of(const struct pair *p, uint64_t id, int *half)
{
    for (*half = 0; *half < 2; ++*half) {
        if (id - p->first[*half] < p->window)
            return id - p->first[*half] + (uint64_t)*half * p->window;
    }
    return UINT64_MAX;
}

/* Gives the visitor the edges of this pass, with indices into the two windows in place of ids. */
static enum status visit_pair(void *context, int thread, const struct edge *edges, size_t count, struct error *e)
{
    const struct pair *p = context;
    struct edge kept[EDGES_VISIT_PIECE];
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        int a, b;
        uint64_t u = place_of(p, edges[i].u, &a), v = place_of(p, edges[i].v, &b);
        if (u != UINT64_MAX && v != UINT64_MAX && (a != b || p->inside[a]))
            kept[used++] = (struct edge){u, v};
    }
    return used > 0 ? p->visit(p->context, thread, kept, used, e) : ST_OK;
}

/* Makes the pass for windows i and j, i < j, over the edges between them. Edges within a window come with the pass for it and
 * the next one; those within the last window, with the last pass. */
static enum status scan_pair(struct vertex_values *v, uint32_t i, uint32_t j, struct pair *p,
                             const struct edge_supply *edges, struct error *e)
{
    /* all ranks go on to the pass, which fails if one of them has failed here */
    values_load(v, i, /* half */ 0, e);
    values_load(v, j, /* half */ 1, e);
    p->first[0] = window_begin(v, i);
    p->first[1] = window_begin(v, j);
    p->inside[0] = j == i + 1;
    p->inside[1] = i + 2 == v->windows;
    return edge_source_scan(edges->source, v->threads, visit_pair, p, e);
}

/* Gives every edge to a visitor once, while the values of both its ends are in memory. Collective. */
enum status values_scan(struct vertex_values *v, const struct edge_supply *edges,
                        struct edge_visitors visit, void *context, struct error *e)
{
    struct pair p = {.window = v->window, .visit = visit.edges, .context = context};
    if (edges->tiles != NULL) {
        if (e->status == ST_OK)
            edge_tiles_visit(edges->tiles, v->threads, visit.tile, context, e);
        return comm_agree(edges->source->comm, e);
    }
    if (v->windows == 1)
        return edge_source_scan(edges->source, v->threads, visit.edges, context, e);
    for (uint32_t i = 0; i + 1 < v->windows; i++) {
        for (uint32_t j = i + 1; j < v->windows; j++) {
            if (scan_pair(v, i, j, &p, edges, e) != ST_OK)
                return e->status;
        }
    }
    return ST_OK;
}

/* The passes over the stream that values_scan takes. */
uint64_t values_scan_passes(const struct vertex_values *v)
{
    return v->windows == 1 ? 1 : (uint64_t)v->windows * (v->windows - 1) / 2;
}
