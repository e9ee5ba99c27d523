/* rmatgen.c: writes the edges of random graphs and lattices. All threads make, randomise and encode blocks of edges, which are
 * written in order, so that the output is the same with any number of threads. */
#include "formats/base/cli.h"
#include "formats/base/outfile.h"
#include "formats/base/progress.h"
#include "formats/edges/edges.h"
#include "formats/work/pipeline.h"
#include "tools/generate/generator.h"
#include "tools/rmatgen/rmatgen_options.h"
#include "tools/stream/edge_encode.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A block of edges on its way through the pipeline. */
struct slot {
    uint64_t first; /* the first of the items that its edges come from */
    size_t count;
    struct edge_list list;
    struct encoded_edges encoded;
};

struct generation {
    const struct rmatgen_options *options;
    struct generator generator;
    uint64_t next; /* the first item of the next block */
    uint64_t edges; /* written */
    int threads, slot_count;
    struct slot *slots;
    void **slot_pointers;
    struct outfile *out;
    struct edges_writer *writer; /* NULL for formats without blocks */
};

/* ---- blocks ---- */

/* The pipeline's `take`: gives the slot the next range of items. Sets *end when none is left. */
static enum status take_block(void *context, void *slot, int *end, struct error *e)
{
    struct generation *g = context;
    struct slot *s = slot;
    uint64_t left = g->options->first + g->options->count - g->next;
    size_t most = generator_block_items(&g->options->graph);
    s->first = g->next;
    s->count = left < most ? (size_t)left : most;
    g->next += s->count;
    *end = s->count == 0;
    return e->status;
}

/* Stage, in any thread: makes the edges of the slot's items and encodes them. */
static enum status make_block(void *context, void *slot, struct error *e)
{
    const struct generation *g = context;
    struct slot *s = slot;
    if (generator_edges(&g->generator, s->first, s->count, &s->list, e) != ST_OK)
        return e->status;
    return edge_encode(g->options->format, EDGES_UNDIRECTED_ONCE, /* base */ 0, s->list.edges, s->list.count, &s->encoded, e);
}

/* Stage, in order: writes the encoded edges and counts them. */
static enum status write_block(void *context, void *slot, struct error *e)
{
    struct generation *g = context;
    const struct slot *s = slot;
    progress_add(s->count);
    g->edges += s->list.count;
    return encoded_edges_write(&s->encoded, g->writer, g->out, e);
}

/* ---- the run ---- */

/* Sets the number of threads, no more than there are blocks, and allocates their slots. */
static enum status init_slots(struct generation *g, struct error *e)
{
    const uint64_t blocks = g->options->count / generator_block_items(&g->options->graph) + 1;
    g->threads = cli_threads(&g->options->cli);
    if ((uint64_t)g->threads > blocks)
        g->threads = (int)blocks;
    g->slot_count = 2 * g->threads + 1;
    size_t count = (size_t)g->slot_count;
    g->slots = calloc(count, sizeof *g->slots);
    g->slot_pointers = calloc(count, sizeof *g->slot_pointers);
    if (g->slots == NULL || g->slot_pointers == NULL)
        return fail_memory(e, "edge blocks", count * sizeof *g->slots);
    for (size_t i = 0; i < count; i++) {
        g->slot_pointers[i] = &g->slots[i];
        if (edge_list_reserve(&g->slots[i].list, EDGES_BLOCK_EDGES, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

static void free_slots(struct generation *g)
{
    for (int i = 0; i < g->slot_count && g->slots != NULL; i++) {
        free(g->slots[i].list.edges);
        encoded_edges_free(&g->slots[i].encoded);
    }
    free(g->slots);
    free(g->slot_pointers);
}

/* Writes the options that determine the content, and nothing else. */
static void describe(const struct rmatgen_options *o, char *text, size_t room)
{
    int used = generator_describe(&o->graph, text, room);
    if (o->count != generator_items(&o->graph))
        snprintf(text + used, room - (size_t)used, "first %" PRIu64 "\ncount %" PRIu64 "\n", o->first, o->count);
}

/* Opens the output and, for an edge stream, its writer. */
static enum status open_output(struct generation *g, struct error *e)
{
    const struct rmatgen_options *o = g->options;
    struct edges_info info = {.direction = EDGES_UNDIRECTED_ONCE};
    if (result_name_check(o->output, edge_format_content(o->format), o->cli.program, e) != ST_OK ||
        outfile_check_output(o->output, o->cli.force, e) != ST_OK ||
        outfile_open(&g->out, o->output, e) != ST_OK)
        return e->status;
    if (o->format != EDGE_FORMAT_TEXT && outfile_is_terminal(g->out))
        return fail(e, ST_USAGE, "%s: is a terminal: redirect it, or use -o FILE or -f text",
                    outfile_name(g->out));
    if (o->format != EDGE_FORMAT_EDGES)
        return ST_OK;
    describe(o, info.provenance, sizeof info.provenance);
    return edges_writer_open(&g->writer, g->out, &info, e);
}

/* Runs the pipeline, and ends an edge stream with its trailer. */
static enum status write_edges(struct generation *g, struct error *e)
{
    static const struct pipeline_stage stages[] = {{.run = make_block}, {.ordered = 1, .run = write_block}};
    const struct pipeline pipeline = {
        .context = g,
        .take = take_block,
        .stages = stages,
        .stage_count = 2,
        .slots = g->slot_pointers,
        .slot_count = g->slot_count,
        .threads = g->threads,
    };
    g->next = g->options->first;
    if (pipeline_run(&pipeline, e) != ST_OK)
        return e->status;
    if (g->writer != NULL)
        edges_writer_finish(g->writer, generator_vertices(&g->options->graph), NULL, e);
    return e->status;
}

/* Makes the graph and writes it; after a failure main removes the output. */
static enum status generate(struct generation *g, struct error *e)
{
    const struct cli *cli = &g->options->cli;
    double start = cli_seconds(), sync_seconds = 0;
    if (generator_init(&g->generator, &g->options->graph, cli->memory_bytes, e) != ST_OK || init_slots(g, e) != ST_OK ||
        open_output(g, e) != ST_OK)
        return e->status;
    progress_start(cli);
    progress_stage("making edges", g->options->count, PROGRESS_ITEMS);
    write_edges(g, e);
    progress_end();
    if (e->status != ST_OK)
        return e->status;
    struct outfile *out = g->out;
    g->out = NULL;
    if (outfile_commit(out, &sync_seconds, e) != ST_OK)
        return e->status;
    double seconds = cli_seconds() - start - sync_seconds;
    cli_detail(cli, "%" PRIu64 " edges in %.3f s (%.1f M edges/s, %d threads), fsync %.3f s",
               g->edges, seconds, 1e-6 * (double)g->edges / seconds, g->threads, sync_seconds);
    return ST_OK;
}

int main(int argc, char **argv)
{
    static struct rmatgen_options o;
    static struct generation g;
    struct error error = {0};
    cli_begin();
    rmatgen_options_read(&o, argc, argv);
    cli_alone(&o.cli);
    g.options = &o;
    generate(&g, &error);
    edges_writer_free(g.writer);
    outfile_abort(g.out);
    free_slots(&g);
    generator_free(&g.generator);
    return cli_finish(&o.cli, &error);
}
