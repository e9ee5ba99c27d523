/* component_files.c: see component_files.h */
#include "component_files.h"

#include "formats/base/arith.h"
#include "formats/base/outfile.h"
#include "formats/base/progress.h"
#include "formats/npy.h"
#include "formats/result_name.h"
#include "formats/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 1 << 14,                      /* numbers that a thread takes at a time */
    LINE_BYTES = 2 * TABLE_NUMBER_BYTES + 2,
    AHEAD = 16,                           /* edges between fetching a slot into the cache and reading it */
    FREQUENT = 64,                        /* components whose edges each thread counts for itself */
    LEAST_COUNTED = 1024                  /* components in a pass over the edges, however little memory is left */
};

enum status forest_share(struct forest *f, const struct comm *comm, struct error *e)
{
    for (uint32_t w = 0; w < forest_windows(f) && comm->ranks > 1; w++) {
        const struct slots s = forest_load(f, w, /* half */ 0, e);
        if (comm_agree(comm, e) != ST_OK)
            return e->status;
        comm_broadcast(comm, s.at, s.count * s.bytes, 0);
        forest_keep(f, w, e);
    }
    return comm_agree(comm, e);
}

/* ---- the component of each vertex ---- */

/* Pieces of a window, each of which one thread makes ready for the file. */
struct pieces {
    char separator;    /* of lines "id number"; 0: the numbers stand in an array */
    uint64_t base;     /* what people call vertex 0 */
    int count;         /* at a time */
    uint64_t *bytes;   /* [count] of each piece */
    char *memory;      /* [count][PIECE * LINE_BYTES] */
};

/* Makes the lines "id number" of slots begin to end - 1. Returns their bytes. */
static uint64_t put_lines(const struct pieces *p, const struct slots *s, uint64_t begin, uint64_t end, char *lines)
{
    char *at = lines;
    for (uint64_t i = begin; i < end; i++) {
        at = table_put_number(at, (int64_t)(s->first + i + p->base));
        *at++ = p->separator;
        at = table_put_number(at, (int64_t)slot_number(s, s->bytes, i));
        *at++ = '\n';
    }
    return (uint64_t)(at - lines);
}

/* Makes the numbers of slots begin to end - 1, as they stand in an array. Returns their bytes. */
static uint64_t put_array(const struct slots *s, uint64_t begin, uint64_t end, char *array)
{
    const struct slots to = {array, s->bytes, 0, end - begin};
    for (uint64_t i = begin; i < end; i++)
        slot_set(&to, s->bytes, i - begin, slot_number(s, s->bytes, i));
    return (end - begin) * s->bytes;
}

/* Writes the numbers of a window. All threads make pieces; one writes them. */
static enum status write_window(struct outfile *out, const struct slots *s, struct pieces *p, struct error *e)
{
    for (uint64_t first = 0; first < s->count && e->status == ST_OK; first += (uint64_t)p->count * PIECE) {
#pragma omp parallel for num_threads(threads_for(s->count, p->count)) schedule(static)
        for (int i = 0; i < p->count; i++) {
            uint64_t begin = smaller(first + (uint64_t)i * PIECE, s->count), end = smaller(begin + PIECE, s->count);
            char *memory = p->memory + (size_t)i * PIECE * LINE_BYTES;
            p->bytes[i] = p->separator != 0 ? put_lines(p, s, begin, end, memory) : put_array(s, begin, end, memory);
        }
        for (int i = 0; i < p->count && e->status == ST_OK; i++)
            outfile_write(out, p->memory + (size_t)i * PIECE * LINE_BYTES, p->bytes[i], e);
        progress_add(smaller((uint64_t)p->count * PIECE, s->count - first));
    }
    return e->status;
}

/* Writes the numbers of a window as lines with names. */
static enum status write_named_window(struct table *table, const struct slots *s, struct error *e)
{
    for (uint64_t i = 0; i < s->count && e->status == ST_OK; i++) {
        table_vertex(table, (int64_t)(s->first + i), e);
        table_number(table, (int64_t)slot_number(s, s->bytes, i), e);
        table_end_line(table, e);
    }
    progress_add(s->count);
    return e->status;
}

/* Writes header or column names, and then all windows. */
static enum status write_numbers(const struct component_graph *g, const char *name, const struct name_map *map,
                                 struct outfile *out, struct pieces *p, struct error *e)
{
    struct table table;
    char header[NPY_HEADER_BYTES];
    int is_npy = name_ends_in(name, ".npy"), is_array = is_npy || name_ends_in(name, ".raw");
    table_begin(&table, out, table_form_of(name), map, g->source->info.base);
    p->base = g->source->info.base;
    p->separator = is_array ? 0 : table_separator(table.form);
    if (is_npy) {
        npy_header(header, g->forest->slot_bytes, 0, g->forest->n);
        outfile_write(out, header, sizeof header, e);
    } else if (!is_array) {
        table_columns(&table, "id,component", e);
    }
    for (uint32_t w = 0; w < forest_windows(g->forest) && e->status == ST_OK; w++) {
        const struct slots s = forest_load(g->forest, w, /* half */ 0, e);
        if (map != NULL && !is_array)
            write_named_window(&table, &s, e);
        else
            write_window(out, &s, p, e);
    }
    return e->status;
}

enum status component_numbers_write(const struct component_graph *g, const char *name, const struct name_map *map,
                                    struct error *e)
{
    struct outfile *out = NULL;
    struct pieces p = {.count = g->threads};
    progress_stage("writing components", g->forest->n, PROGRESS_ITEMS);
    p.bytes = zeroed((uint64_t)p.count, sizeof *p.bytes, name, e);
    p.memory = zeroed((uint64_t)p.count, PIECE * LINE_BYTES, name, e);
    if (e->status == ST_OK && outfile_open(&out, name, e) == ST_OK)
        write_numbers(g, name, map, out, &p, e);
    outfile_commit(out, NULL, e);
    free(p.bytes);
    free(p.memory);
    return e->status;
}

/* ---- sizes ---- */

/* The counts of a thread for components that most edges are in, in cache lines of its own. */
struct frequent {
    _Alignas(64) uint64_t edges[FREQUENT];
};

/* A pass over the edges that counts those of components first to first + count - 1, and whose tails are in the two windows. */
struct edge_counts {
    const struct component_graph *graph;
    uint64_t first, count;
    uint64_t *edges;          /* [count] */
    struct frequent *thread;  /* [threads] of the first FREQUENT of these components */
    struct slots half[2];
};

/* The component of a vertex, or UINT64_MAX if the windows in memory do not have it. */
static inline uint64_t number_of(const struct edge_counts *c, unsigned bytes, uint64_t vertex)
{
    for (int half = 0; half < 2; half++) {
        if (vertex - c->half[half].first < c->half[half].count)
            return slot_number(&c->half[half], bytes, vertex - c->half[half].first);
    }
    return UINT64_MAX;
}

/* Counts edges for their components; an edges_visitor. */
static enum status count_edges(void *context, int thread, const struct edge *edges, size_t count, struct error *e)
{
    struct edge_counts *c = context;
    struct edge restored[EDGES_VISIT_PIECE];
    const unsigned bytes = c->half[0].bytes;
    uint64_t *frequent = c->thread[thread].edges;
    (void)e;
    edges = input_ids_restore(&c->graph->ids, edges, count, restored);
    for (size_t i = 0; i < count; i++) {
        uint64_t ahead = edges[i + AHEAD < count ? i + AHEAD : i].u - c->half[0].first;
        if (ahead < c->half[0].count)
            __builtin_prefetch((const char *)c->half[0].at + ahead * bytes);
        uint64_t number = number_of(c, bytes, edges[i].u) - c->first;
        if (number >= c->count || (c->graph->strong && number_of(c, bytes, edges[i].v) != number + c->first))
            continue;
        if (number < FREQUENT)
            frequent[number]++;
        else
            __atomic_fetch_add(&c->edges[number], 1, __ATOMIC_RELAXED);
    }
    return ST_OK;
}

/* Counts the edges of these components, of all ranks: a pass for every two windows. Collective. */
static enum status count_pass(struct edge_counts *c, struct error *e)
{
    const struct component_graph *g = c->graph;
    struct forest *f = g->forest;
    memset(c->edges, 0, c->count * sizeof *c->edges);
    memset(c->thread, 0, (size_t)g->threads * sizeof *c->thread);
    for (uint32_t w = 0; w < forest_windows(f) && e->status == ST_OK; w += 2) {
        progress_stage("counting edges", g->source->share_edges, PROGRESS_ITEMS);
        c->half[0] = forest_load(f, w, /* half */ 0, e);
        c->half[1] = w + 1 < forest_windows(f) ? forest_load(f, w + 1, /* half */ 1, e) : (struct slots){.bytes = f->slot_bytes};
        edge_source_scan(g->source, g->threads, count_edges, c, e); /* with a failure of any rank, too */
    }
    for (int t = 0; t < g->threads; t++) {
        for (uint64_t i = 0; i < smaller(FREQUENT, c->count); i++)
            c->edges[i] += c->thread[t].edges[i];
    }
    if (e->status == ST_OK)
        comm_sum_u64(g->source->comm, c->edges, c->count);
    return e->status;
}

/* Writes the line of a component whose edges are counted, or which has none. */
static enum status write_size(const struct edge_counts *c, uint64_t number, const struct table *table, struct error *e)
{
    char line[3 * (TABLE_NUMBER_BYTES + 1)], *at = line;
    const uint64_t edges = number - c->first < c->count ? c->edges[number - c->first] : 0;
    const uint64_t field[3] = {number, component_size(c->graph->sizes, number), edges};
    for (int i = 0; i < 3; i++) {
        at = table_put_number(at, (int64_t)field[i]);
        *at++ = i < 2 ? table_separator(table->form) : '\n';
    }
    return outfile_write(table->out, line, (size_t)(at - line), e);
}

/* Counts the edges of the first `with_edges` components, as many at a time as `room` counts, and has rank 0 write a line for each
 * component. Collective. */
static enum status write_sizes(struct edge_counts *c, uint64_t with_edges, uint64_t room, struct table *table, struct error *e)
{
    const struct component_graph *g = c->graph;
    int writes = g->source->comm->rank == 0;
    if (writes)
        table_columns(table, "component,vertices,edges", e);
    for (c->first = 0; c->first < with_edges; c->first += c->count) {
        c->count = smaller(room, with_edges - c->first);
        if (count_pass(c, e) != ST_OK)
            return e->status;
        for (uint64_t i = 0; i < c->count && writes && e->status == ST_OK; i++)
            write_size(c, c->first + i, table, e);
        if (comm_agree(g->source->comm, e) != ST_OK)
            return e->status;
    }
    c->count = 0;
    for (uint64_t i = with_edges; i < g->sizes->components && writes && e->status == ST_OK; i++)
        write_size(c, i, table, e);
    return comm_agree(g->source->comm, e);
}

enum status component_sizes_write(const struct component_graph *g, const char *name, struct error *e)
{
    const struct comm *comm = g->source->comm;
    struct edge_counts c = {.graph = g};
    struct outfile *out = NULL;
    struct table table;
    uint64_t room = comm_min_of(comm, larger(memory_left(g->budget) / sizeof *c.edges, LEAST_COUNTED));
    /* the components that may have edges are the first ones: without loops, those of one vertex have none */
    uint64_t with_edges = g->sizes->components - (g->source->totals.loops == 0 ? component_singles(g->sizes) : 0);
    comm_broadcast(comm, &with_edges, sizeof with_edges, 0);
    room = larger(smaller(room, with_edges), 1);
    size_t bytes = (size_t)g->threads * sizeof *c.thread;
    c.thread = aligned_alloc(_Alignof(struct frequent), bytes);
    if (c.thread == NULL)
        fail_memory(e, name, bytes);
    else
        memory_take(g->budget, (void **)&c.edges, room, sizeof *c.edges, "edges of components", e);
    if (comm->rank == 0 && e->status == ST_OK && outfile_open(&out, name, e) == ST_OK)
        table_begin(&table, out, table_form_of(name), /* map */ NULL, /* base */ 0);
    if (comm_agree(comm, e) == ST_OK)
        write_sizes(&c, with_edges, room, &table, e);
    outfile_commit(out, NULL, e); /* NULL on all ranks but the first */
    memory_release(g->budget, c.edges);
    free(c.thread);
    return comm_agree(comm, e);
}

enum status component_histogram_write(const struct component_sizes *sizes, const char *name, struct error *e)
{
    struct outfile *out = NULL;
    struct table table;
    if (outfile_open(&out, name, e) != ST_OK)
        return e->status;
    table_begin(&table, out, table_form_of(name), /* map */ NULL, /* base */ 0);
    table_columns(&table, "vertices,components", e);
    for (uint64_t i = sizes->runs; i-- > 0 && e->status == ST_OK;) {
        table_number(&table, (int64_t)sizes->run[i].vertices, e);
        table_number(&table, (int64_t)sizes->run[i].count, e);
        table_end_line(&table, e);
    }
    return outfile_commit(out, NULL, e);
}
