/* rmatgen.c: writes random graphs: RMAT edges, or those of the Graph500 reference generator.
 *
 * Blocks of edges are made, randomised and encoded by all threads and written in order, so the
 * output is the same at any thread count.
 */
#include "formats/bijection.h"
#include "formats/base/bytes.h"
#include "formats/base/cli.h"
#include "formats/edges.h"
#include "formats/base/hash.h"
#include "formats/base/outfile.h"
#include "formats/base/progress.h"
#include "formats/base/text.h"
#include "tools/stream/edge_encode.h"
#include "tools/generate/kronecker500.h"
#include "formats/work/pipeline.h"
#include "tools/generate/rmat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: rmatgen -s SCALE [-e EDGEFACTOR] [OPTION...] [-o FILE]\n"
    "Writes a random graph of 2^SCALE vertices and EDGEFACTOR * 2^SCALE undirected edges.\n"
    "\n"
    "  -s, --scale SCALE      2^SCALE vertices, 1 to 48\n"
    "  -e, --edgefactor N     edges per vertex (default 16)\n"
    "  -A P, -B P, -C P       RMAT probabilities of the upper left, upper right and lower left\n"
    "                         quadrant (default .57 .19 .19; .25 .25 .25 is a uniform graph)\n"
    "      --params A,B,C     all three at once\n"
    "      --seed N           another graph (default 1; with --graph500, 2)\n"
    "      --no-randomize     keep the ids of the recursion, in which low ids are hubs\n"
    "      --graph500         the edges of the Graph500 v3 reference generator, bit for bit; its\n"
    "                         two seeds are N and N + 1 of --seed\n"
    "      --first N          begin with edge N of the graph (default 0)\n"
    "      --count N          make N edges (default: all from the first on)\n"
    "  -f, --format FORMAT    edges (default), text, graph500, u32 or u64\n"
    "  -o, --output FILE      '-' or none is standard output\n"
    "      --force            replace FILE if it exists\n"
    "  -@, --threads N        0, the default, is all cores\n"
    "  -q, --quiet  -v, --verbose  -h, --help  --version\n"
    "\n"
    "The output depends on the options above it only, never on the threads.\n";

#define MAX_EDGES (UINT64_C(1) << 60)

enum {
    SEED_OPTION = CLI_FIRST_FREE_OPTION,
    PARAMS_OPTION,
    NO_RANDOMIZE_OPTION,
    GRAPH500_OPTION,
    FIRST_OPTION,
    COUNT_OPTION
};

struct options {
    int scale; /* 0 until given */
    uint64_t edge_factor;
    double a, b, c;
    int params_given, seed_given, count_given;
    uint64_t seed;
    int randomize, graph500;
    uint64_t first, count;
    enum edge_format format;
    const char *output;
    struct cli cli;
};

/* A block of edges on its way through the pipeline. */
struct slot {
    uint64_t first;      /* index of its first edge */
    size_t count;
    struct edge *edges;
    struct encoded_edges encoded;
};

struct generation {
    const struct options *options;
    struct rmat rmat;
    struct kronecker500 kronecker500;
    struct bijection bijection;
    uint64_t next; /* index of the next block's first edge */
    int threads, slot_count;
    struct slot *slots;
    void **slot_pointers;
    struct outfile *out;
    struct edges_writer *writer; /* NULL for formats without blocks */
};

/* ---- command line ---- */

static void parse_params(struct options *o, const char *text)
{
    char copy[200], *rest = copy;
    double *const values[] = {&o->a, &o->b, &o->c};
    if (strlen(text) >= sizeof copy)
        cli_usage(&o->cli, "--params: '%s' is not A,B,C", text);
    strcpy(copy, text);
    for (int i = 0; i < 3; i++) {
        const char *part = strsep(&rest, ",");
        if (part == NULL || parse_real(part, values[i]) != 0)
            cli_usage(&o->cli, "--params: '%s' is not A,B,C", text);
    }
    if (rest != NULL)
        cli_usage(&o->cli, "--params: '%s' has more than A,B,C", text);
}

static void parse_option(struct options *o, int option, const char *argument)
{
    const struct cli *cli = &o->cli;
    switch (option) {
    case 's':
        o->scale = (int)cli_number(cli, "-s", argument, RMAT_MIN_SCALE, RMAT_MAX_SCALE);
        break;
    case 'e': o->edge_factor = cli_number(cli, "-e", argument, 1, MAX_EDGES); break;
    case 'A': o->a = cli_real(cli, "-A", argument); o->params_given = 1; break;
    case 'B': o->b = cli_real(cli, "-B", argument); o->params_given = 1; break;
    case 'C': o->c = cli_real(cli, "-C", argument); o->params_given = 1; break;
    case PARAMS_OPTION: parse_params(o, argument); o->params_given = 1; break;
    case SEED_OPTION:
        o->seed = cli_number(cli, "--seed", argument, 0, UINT64_MAX);
        o->seed_given = 1;
        break;
    case NO_RANDOMIZE_OPTION: o->randomize = 0; break;
    case GRAPH500_OPTION: o->graph500 = 1; break;
    case FIRST_OPTION: o->first = cli_number(cli, "--first", argument, 0, MAX_EDGES); break;
    case COUNT_OPTION:
        o->count = cli_number(cli, "--count", argument, 0, MAX_EDGES);
        o->count_given = 1;
        break;
    case 'f':
        if (edge_format_parse(argument, &o->format) != 0 || o->format == EDGE_FORMAT_SG)
            cli_usage(cli, "-f: '%s' is not edges, text, graph500, u32 or u64", argument);
        break;
    case 'o': o->output = argument; break;
    default: cli_option(&o->cli, option, argument);
    }
}

static void check_options(struct options *o)
{
    uint64_t edges, n = UINT64_C(1) << o->scale;
    if (o->scale == 0)
        cli_usage(&o->cli, "-s SCALE is missing");
    if (o->graph500 && o->params_given)
        cli_usage(&o->cli, "--graph500 has its own probabilities: leave out -A, -B, -C, --params");
    if (o->graph500 && !o->randomize)
        cli_usage(&o->cli, "--graph500 has its own vertex scramble: leave out --no-randomize");
    if (size_mul(o->edge_factor, n, &edges) != 0 || edges > MAX_EDGES)
        cli_usage(&o->cli, "-e %" PRIu64 " at scale %d is more than 2^60 edges", o->edge_factor,
                  o->scale);
    if (o->first > edges)
        cli_usage(&o->cli, "--first %" PRIu64 ": the graph has %" PRIu64 " edges", o->first,
                  edges);
    if (!o->count_given)
        o->count = edges - o->first;
    if (o->count > edges - o->first)
        cli_usage(&o->cli,
                  "--count %" PRIu64 ": the graph has %" PRIu64 " edges from number %" PRIu64 " on",
                  o->count, edges - o->first, o->first);
    if (n > edge_format_id_limit(o->format))
        cli_usage(&o->cli, "-f %s: at scale %d ids reach 2^%d - 1, which its records cannot hold",
                  edge_format_name(o->format), o->scale, o->scale);
    if (!o->seed_given)
        o->seed = o->graph500 ? 2 : 1;
}

static void parse_command_line(struct options *o, int argc, char **argv)
{
    static const struct option long_options[] = {
        {"scale", required_argument, NULL, 's'},
        {"edgefactor", required_argument, NULL, 'e'},
        {"params", required_argument, NULL, PARAMS_OPTION},
        {"seed", required_argument, NULL, SEED_OPTION},
        {"no-randomize", no_argument, NULL, NO_RANDOMIZE_OPTION},
        {"graph500", no_argument, NULL, GRAPH500_OPTION},
        {"first", required_argument, NULL, FIRST_OPTION},
        {"count", required_argument, NULL, COUNT_OPTION},
        {"format", required_argument, NULL, 'f'},
        {"output", required_argument, NULL, 'o'},
        CLI_LONG_OPTIONS,
        {NULL, 0, NULL, 0}};
    int option;
    while ((option = cli_next(&o->cli, argc, argv, "s:e:A:B:C:f:o:" CLI_SHORT_OPTIONS,
                              long_options)) != -1)
        parse_option(o, option, optarg);
    if (optind < argc)
        cli_usage(&o->cli, "'%s': no input is read", argv[optind]);
    check_options(o);
}

/* ---- blocks ---- */

static void randomize(const struct bijection *bijection, struct edge *edges, size_t count)
{
    const struct bijection b = *bijection; /* a copy, which storing edges cannot change */
    for (size_t i = 0; i < count; i++) {
        edges[i].u = bijection_forward(&b, edges[i].u);
        edges[i].v = bijection_forward(&b, edges[i].v);
    }
}

static enum status take_block(void *context, void *slot, int *end, struct error *e)
{
    struct generation *g = context;
    struct slot *s = slot;
    uint64_t left = g->options->first + g->options->count - g->next;
    s->first = g->next;
    s->count = left < EDGES_BLOCK_EDGES ? (size_t)left : EDGES_BLOCK_EDGES;
    g->next += s->count;
    *end = s->count == 0;
    return e->status;
}

static enum status make_block(void *context, void *slot, struct error *e)
{
    const struct generation *g = context;
    const struct options *o = g->options;
    struct slot *s = slot;
    if (o->graph500)
        kronecker500_edges(&g->kronecker500, s->first, s->count, s->edges);
    else
        rmat_edges(&g->rmat, s->first, s->count, s->edges);
    if (!o->graph500 && o->randomize)
        randomize(&g->bijection, s->edges, s->count);
    return edge_encode(o->format, EDGES_UNDIRECTED_ONCE, s->edges, s->count, &s->encoded, e);
}

static enum status write_block(void *context, void *slot, struct error *e)
{
    struct generation *g = context;
    const struct slot *s = slot;
    progress_add(s->count);
    return encoded_edges_write(&s->encoded, g->writer, g->out, e);
}

/* ---- the run ---- */

static enum status init_generator(struct generation *g, struct error *e)
{
    const struct options *o = g->options;
    const struct rmat_params params = {o->scale, o->a, o->b, o->c, o->seed};
    if (o->graph500)
        return kronecker500_init(&g->kronecker500, o->scale, o->seed, o->seed + 1, e);
    /* a seed of its own: edges use the numbers from 0 on */
    bijection_init(&g->bijection, UINT64_C(1) << o->scale, random64(o->seed, UINT64_MAX));
    return rmat_init(&g->rmat, &params, e);
}

static enum status init_slots(struct generation *g, struct error *e)
{
    const uint64_t blocks = g->options->count / EDGES_BLOCK_EDGES + 1;
    const size_t edges_bytes = EDGES_BLOCK_EDGES * sizeof(struct edge);
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
        g->slots[i].edges = malloc(edges_bytes);
        if (g->slots[i].edges == NULL)
            return fail_memory(e, "edge block", edges_bytes);
    }
    return ST_OK;
}

static void free_slots(struct generation *g)
{
    for (int i = 0; i < g->slot_count && g->slots != NULL; i++) {
        free(g->slots[i].edges);
        encoded_edges_free(&g->slots[i].encoded);
    }
    free(g->slots);
    free(g->slot_pointers);
}

/* "key value" with as few digits as tell the value from every other. */
static int describe_real(char *text, size_t room, const char *key, double value)
{
    int used = snprintf(text, room, "%s %.15g\n", key, value);
    if (strtod(text + strlen(key), NULL) != value)
        used = snprintf(text, room, "%s %.17g\n", key, value);
    return used;
}

/* Prints everything that determines the content, and nothing else. */
static void describe(const struct options *o, char *text, size_t room)
{
    char *p = text, *end = text + room;
    p += snprintf(p, (size_t)(end - p), "generator %s\nscale %d\nedgefactor %" PRIu64 "\n",
                  o->graph500 ? "graph500-v3" : "rmat", o->scale, o->edge_factor);
    if (o->graph500) {
        p += snprintf(p, (size_t)(end - p), "seeds %" PRIu64 " %" PRIu64 "\n", o->seed,
                      o->seed + 1);
    } else {
        p += describe_real(p, (size_t)(end - p), "A", o->a);
        p += describe_real(p, (size_t)(end - p), "B", o->b);
        p += describe_real(p, (size_t)(end - p), "C", o->c);
        p += snprintf(p, (size_t)(end - p), "seed %" PRIu64 "\nrandomized %s\n", o->seed,
                      o->randomize ? "yes" : "no");
    }
    if (o->first != 0 || o->count != o->edge_factor << o->scale)
        snprintf(p, (size_t)(end - p), "first %" PRIu64 "\ncount %" PRIu64 "\n", o->first,
                 o->count);
}

static enum status open_output(struct generation *g, struct error *e)
{
    const struct options *o = g->options;
    struct edges_info info = {.direction = EDGES_UNDIRECTED_ONCE};
    if (outfile_check_output(o->output, o->cli.force, e) != ST_OK ||
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

static enum status write_edges(struct generation *g, struct error *e)
{
    static const struct pipeline_stage stages[] = {{0, make_block}, {1, write_block}};
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
        edges_writer_finish(g->writer, UINT64_C(1) << g->options->scale, NULL, e);
    return e->status;
}

static enum status generate(struct generation *g, struct error *e)
{
    const struct cli *cli = &g->options->cli;
    double start = cli_seconds(), sync_seconds = 0;
    if (init_generator(g, e) != ST_OK || init_slots(g, e) != ST_OK || open_output(g, e) != ST_OK)
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
               g->options->count, seconds, 1e-6 * (double)g->options->count / seconds, g->threads,
               sync_seconds);
    return ST_OK;
}

int main(int argc, char **argv)
{
    static struct generation g;
    struct error error = {0};
    struct options o = {.edge_factor = 16,
                        .a = .57,
                        .b = .19,
                        .c = .19,
                        .randomize = 1,
                        .cli = {.program = "rmatgen", .help = help}};
    parse_command_line(&o, argc, argv);
    cli_alone(&o.cli);
    g.options = &o;
    generate(&g, &error);
    edges_writer_free(g.writer);
    outfile_abort(g.out);
    free_slots(&g);
    return cli_finish(&o.cli, &error);
}
