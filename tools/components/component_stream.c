/* component_stream.c: writes the edges of the largest component as an edge stream; see component_files.h. The blocks of the
 * streams go through a pipeline: threads read and sift them, and one at a time writes what is left, so that edges stay in
 * order. */
#include "component_files.h"

#include "formats/base/arith.h"
#include "formats/base/outfile.h"
#include "formats/base/progress.h"
#include "formats/work/pipeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPARE_BLOCKS = 2, AHEAD = 16, WORD_BITS = 64 };

/* A block on its way through the pipeline, and the edges of it that are written. */
struct sifted_block {
    struct edges_block block;
    struct edge *edges; /* [capacity] */
    size_t capacity, count;
};

struct sifting {
    const struct component_graph *graph;
    uint64_t *member; /* [n / WORD_BITS + 1] a bit for each vertex: it is in component 0 */
    struct edges_reader *reader; /* of the stream that is read */
    struct edges_writer *writer;
    struct sifted_block *block;  /* [blocks] */
    void **slots;                /* [blocks] pointers to them */
    int blocks;
    uint64_t read, written;      /* edges */
};

/* ---- members ---- */

static inline int is_member(const struct sifting *k, uint64_t vertex)
{
    return (int)(k->member[vertex / WORD_BITS] >> (vertex % WORD_BITS) & 1);
}

/* Sets the bits of all vertices of component 0. Windows may begin within a word, so words are set by the bit. */
static enum status find_members(struct sifting *k, struct error *e)
{
    struct forest *f = k->graph->forest;
    for (uint32_t w = 0; w < forest_windows(f) && e->status == ST_OK; w++) {
        const struct slots s = forest_load(f, w, /* half */ 0, e);
        uint64_t end = s.first + s.count;
#pragma omp parallel for num_threads(threads_for(s.count, k->graph->threads)) schedule(static)
        for (uint64_t word = s.first / WORD_BITS; word < divide_up(end, WORD_BITS); word++) {
            uint64_t last = smaller((word + 1) * WORD_BITS, end);
            for (uint64_t v = larger(word * WORD_BITS, s.first); v < last; v++)
                k->member[word] |= (uint64_t)(slot_number(&s, s.bytes, v - s.first) == 0) << (v % WORD_BITS);
        }
    }
    return e->status;
}

/* ---- the pipeline ---- */

/* Takes the next block of the stream. */
static enum status take_block(void *context, void *slot, int *end, struct error *e)
{
    struct sifting *k = context;
    return edges_reader_take(k->reader, &((struct sifted_block *)slot)->block, end, e);
}

/* Keeps the edges of component 0 of a decoded block. An edge whose ends are two components of a strong graph is in none. */
static enum status keep_edges(const struct sifting *k, struct sifted_block *b, size_t count, struct error *e)
{
    const struct component_graph *g = k->graph;
    const uint64_t n = g->forest->n;
    b->count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct edge edge = b->edges[i];
        if (edge.u >= n || edge.v >= n)
            return edges_scan_changed(g->source->name, e);
        if (i + AHEAD < count && b->edges[i + AHEAD].u < n && !g->ids.permuted)
            __builtin_prefetch(&k->member[b->edges[i + AHEAD].u / WORD_BITS]);
        b->edges[b->count] = edge;
        b->count += (size_t)(is_member(k, input_id(&g->ids, edge.u)) && (!g->strong || is_member(k, input_id(&g->ids, edge.v))));
    }
    return ST_OK;
}

/* Reads a block and keeps its edges of component 0. */
static enum status sift_block(void *context, void *slot, struct error *e)
{
    const struct sifting *k = context;
    struct sifted_block *b = slot;
    size_t count = edges_block_count(&b->block);
    if (edges_reader_fill(k->reader, &b->block, e) != ST_OK)
        return e->status;
    if (count > b->capacity) {
        struct edge *grown = realloc(b->edges, count * sizeof *grown);
        if (grown == NULL)
            return fail_memory(e, "a block of edges", count * sizeof *grown);
        b->edges = grown;
        b->capacity = count;
    }
    edges_decode_ids(&b->block, 0, b->edges, count);
    return keep_edges(k, b, count, e);
}

/* Writes the edges of a block that are kept. */
static enum status write_block(void *context, void *slot, struct error *e)
{
    struct sifting *k = context;
    const struct sifted_block *b = slot;
    size_t count = edges_block_count(&b->block);
    k->read += count;
    k->written += b->count;
    progress_add(count);
    return edges_writer_add(k->writer, b->edges, b->count, e);
}

/* Takes memory for blocks, for the bits of vertices, and finds the members. */
static enum status open_sifting(struct sifting *k, struct error *e)
{
    const struct component_graph *g = k->graph;
    k->blocks = g->threads + SPARE_BLOCKS;
    k->block = zeroed((uint64_t)k->blocks, sizeof *k->block, "blocks of edges", e);
    k->slots = zeroed((uint64_t)k->blocks, sizeof *k->slots, "blocks of edges", e);
    for (int i = 0; i < k->blocks && e->status == ST_OK; i++) {
        k->slots[i] = &k->block[i];
        edges_block_init(&k->block[i].block, e);
    }
    if (e->status == ST_OK && memory_take(g->budget, (void **)&k->member, g->forest->n / WORD_BITS + 1, sizeof *k->member,
                                          "mask of vertices", e) == ST_OK)
        find_members(k, e);
    return e->status;
}

static void close_sifting(struct sifting *k)
{
    for (int i = 0; i < k->blocks && k->block != NULL; i++) {
        edges_block_free(&k->block[i].block);
        free(k->block[i].edges);
    }
    free(k->block);
    free(k->slots);
    memory_release(k->graph->budget, k->member);
}

/* Sifts this rank's share of all streams. */
static enum status sift_streams(struct sifting *k, struct error *e)
{
    static const struct pipeline_stage stages[] = {{0, sift_block}, {1, write_block}};
    const struct pipeline p = {.context = k, .take = take_block, .stages = stages, .stage_count = 2, .slots = k->slots,
                               .slot_count = k->blocks, .threads = k->graph->threads};
    progress_stage("writing the largest component", k->graph->source->share_edges, PROGRESS_ITEMS);
    for (size_t i = 0; i < k->graph->source->count && e->status == ST_OK; i++) {
        if (edge_source_open_share(k->graph->source, i, &k->reader, e) == ST_OK)
            pipeline_run(&p, e);
        edges_reader_close(k->reader);
        k->reader = NULL;
    }
    return e->status;
}

/* ---- the stream ---- */

/* Writes preamble, edges and trailer. The preamble is that of the graph, but its provenance begins with a line of this program, so that
 * nobody takes the edges for all of a generated graph. */
static enum status write_stream(struct sifting *k, struct outfile *out, struct error *e)
{
    const struct edges_info *of_graph = &k->graph->source->info;
    struct edges_info info = *of_graph;
    snprintf(info.provenance, sizeof info.provenance, "dbfs-components\nlargest %s component\n%.*s",
             k->graph->strong ? "strong" : "weak", EDGES_MAX_PROVENANCE_BYTES - 64, of_graph->provenance);
    if (edges_writer_open(&k->writer, out, &info, e) == ST_OK && sift_streams(k, e) == ST_OK)
        edges_writer_finish(k->writer, k->graph->source->totals.n, NULL, e);
    edges_writer_free(k->writer);
    return e->status;
}

enum status component_largest_write(const struct component_graph *g, const char *name, uint64_t *edges, struct error *e)
{
    const struct comm *comm = g->source->comm;
    struct sifting k = {.graph = g};
    struct outfile *out = NULL;
    if (open_sifting(&k, e) == ST_OK && outfile_open(&out, name, e) == ST_OK)
        write_stream(&k, out, e);
    if (comm_agree(comm, e) == ST_OK) {
        uint64_t counts[2] = {k.read, k.written};
        comm_sum_u64(comm, counts, 2);
        *edges = counts[1];
        if (counts[0] != g->source->totals.edges)
            edges_scan_changed(g->source->name, e);
    }
    comm_agree(comm, e);
    outfile_commit(out, NULL, e);
    close_sifting(&k);
    return comm_agree(comm, e);
}
