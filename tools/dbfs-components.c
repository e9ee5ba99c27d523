/* dbfs-components.c: finds the connected components of the graph in edge streams */
#include "formats/base/arith.h"
#include "formats/base/cli.h"
#include "formats/base/json_format.h"
#include "formats/base/outfile.h"
#include "formats/base/progress.h"
#include "formats/base/text.h"
#include "formats/mpi/comm.h"
#include "formats/mpi/watch.h"
#include "formats/result_name.h"
#include "tools/components/component_files.h"
#include "tools/components/contract.h"
#include "tools/components/strong.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: dbfs-components [OPTION...] [FILE.edges...]\n"
    "Finds the connected components of a graph: how many there are, their sizes, the component of\n"
    "each vertex, and the edges of the largest one. Component 0 is the largest. Several FILEs are one\n"
    "graph. Without FILE, or with '-', the edge stream is read from standard input. Under mpiexec all\n"
    "ranks share the edges; %r in FILE is the rank, which alone reads that file.\n"
    "\n"
    "      --strong           of a directed graph: strong components; without this, weak ones\n"
    "  -o, --output FILE      the component of each vertex: .npy, .raw, .csv, or lines 'id<TAB>component'\n"
    "      --map FILE         names of vertices, from edgeconv --compact; -o has them in place of ids\n"
    "      --base 0|1         what text has for the first vertex, whatever the streams say\n"
    "      --sizes FILE       a table of all components, with their vertices and edges: .csv, or tabs\n"
    "      --histogram FILE   a table of sizes, and how many components have each: .csv, or tabs\n"
    "      --largest FILE     the edges of the largest component, as an edge stream for dbfs-pack;\n"
    "                         under mpiexec each rank writes one, and FILE has %r\n"
    "      --json FILE        what the summary says, for programs\n"
    "      --force            replace output files that exist\n"
    "  -@, --threads N        0, the default, is all cores\n"
    "  -S, --memory SIZE      memory of the process at most, 32M or more (default: 3/4 of what is\n"
    "                         available); what it cannot hold goes to temporary files\n"
    "  -T, --tmpdir DIR       folder for temporary files (default: $TMPDIR or /tmp); may be given\n"
    "                         several times, and all of them are used\n"
    "      --timeout SECONDS  end the job if a rank does not go on for so long (default: never)\n"
    "  -q, --quiet  -v, --verbose  -h, --help  --version\n"
    "\n"
    "FILE '-' is standard output. From a text: edgeconv -u graph.txt | dbfs-components -\n";

enum output { NUMBERS, SIZES, HISTOGRAM, LARGEST, JSON, OUTPUTS };

enum { LISTED_SIZES = 10 };

struct command {
    int strong;
    const char *map, *output[OUTPUTS]; /* NULL: not given */
    enum base_choice base;
    struct edge_inputs inputs;
};

/* What a run has found, and what it took. */
struct findings {
    int strong;
    struct edges_totals totals;
    struct component_sizes sizes;
    struct contraction contraction; /* of rank 0 */
    uint64_t largest_edges;         /* UINT64_MAX: they were not counted */
    uint32_t windows;
    double join_seconds, seconds;
};

/* ---- command line ---- */

/* Refuses options that contradict each other. */
static void check_command(const struct cli *cli, const struct command *c, const struct comm *comm)
{
    if (c->map != NULL && c->output[NUMBERS] == NULL)
        cli_usage(cli, "--map has the names for -o, which is not given");
    if (c->map != NULL && name_ends_in(c->output[NUMBERS], ".npy"))
        cli_usage(cli, "--map: %s is an array without names; line k + 1 of the map is the name of vertex k", c->output[NUMBERS]);
    if (c->strong && comm->ranks > 1)
        cli_usage(cli, "--strong: strong components are found by one process, with threads: leave out mpiexec or srun");
    if (c->output[LARGEST] != NULL && outfile_is_stdout(c->output[LARGEST]) && isatty(STDOUT_FILENO))
        cli_usage(cli, "--largest: an edge stream is not for a terminal: --largest FILE.edges, or a pipe to dbfs-pack");
    if (c->output[LARGEST] != NULL && comm->ranks > 1 && strstr(c->output[LARGEST], "%r") == NULL)
        cli_usage(cli, "--largest: under mpiexec each rank writes a stream of its own, all of which are one graph: "
                  "--largest FILE-%%r.edges");
}

/* Reads the options into *c and *cli, and refuses those that exclude each other. */
static void parse_arguments(struct cli *cli, struct command *c, int argc, char **argv, const struct comm *comm)
{
    struct cli_row rows[] = {{"strong", 0, CLI_SET, .value = &c->strong},
                             {"output", 'o', CLI_ONCE, .value = &c->output[NUMBERS]},
                             {"map", 0, CLI_ONCE, .value = &c->map},
                             {"sizes", 0, CLI_ONCE, .value = &c->output[SIZES]},
                             {"histogram", 0, CLI_ONCE, .value = &c->output[HISTOGRAM]},
                             {"largest", 0, CLI_ONCE, .value = &c->output[LARGEST]},
                             {"json", 0, CLI_ONCE, .value = &c->output[JSON]},
                             {"base", 0, CLI_CALL, .value = &c->base, .take = edge_base_take},
                             {"timeout", 0, CLI_REAL, .value = &cli->timeout_s}};
    cli_read_rows(cli, argc, argv, rows, sizeof rows / sizeof *rows);
    check_command(cli, c, comm);
}

/* Refuses an output that would replace an input, another output or, without --force, an older file, or that cannot be written.
 * All but --largest are written by rank 0 alone. */
static enum status check_outputs(const struct cli *cli, const struct command *c, const struct comm *comm, struct error *e)
{
    static const enum result_content content_of[OUTPUTS] = {[NUMBERS] = RESULT_IS_VALUES, [SIZES] = RESULT_IS_TABLE,
                                                            [HISTOGRAM] = RESULT_IS_TABLE, [LARGEST] = RESULT_IS_STREAM,
                                                            [JSON] = RESULT_IS_REPORT};
    if (outfile_refuse_inputs("-", c->inputs.path, c->inputs.count, e) == ST_OK) /* the summary goes there */
        outfile_refuse_inputs("-", &c->map, 1, e);
    for (int i = 0; i < OUTPUTS && e->status == ST_OK; i++) {
        if (comm->rank > 0 && i != LARGEST)
            continue;
        outfile_refuse_inputs(c->output[i], c->inputs.path, c->inputs.count, e);
        outfile_refuse_inputs(c->output[i], &c->map, 1, e);
        for (int other = 0; other < i; other++)
            outfile_refuse_output(c->output[i], c->output[other], e);
        if (e->status == ST_OK && result_name_check(c->output[i], content_of[i], cli->program, e) == ST_OK)
            outfile_check_output(c->output[i], cli->force, e);
    }
    return e->status;
}

/* ---- summary ---- */

/* The vertices of the largest component, and their share of all. */
static uint64_t largest_size(const struct findings *f)
{
    return f->sizes.components > 0 ? component_size(&f->sizes, 0) : 0;
}

static double largest_share(const struct findings *f)
{
    return f->totals.n > 0 ? (double)largest_size(f) / (double)f->totals.n : 0;
}

/* Prints the sizes of the largest components. */
static void print_sizes(FILE *out, const struct findings *f, const char *separator)
{
    for (uint64_t i = 0; i < smaller(f->sizes.components, LISTED_SIZES); i++)
        fprintf(out, "%s%" PRIu64, i > 0 ? separator : "", component_size(&f->sizes, i));
}

/* Prints the summary for people; a text_printer. */
static void print_summary(FILE *out, const void *context)
{
    const struct findings *f = context;
    fprintf(out, "vertices: %" PRIu64 "\nedges: %" PRIu64 "\ncomponents: %" PRIu64 "\nsingle: %" PRIu64 "\nlargest: %" PRIu64
            "\nlargest_share: %.6f\nlargest_sizes: ", f->totals.n, f->totals.edges, f->sizes.components,
            component_singles(&f->sizes), largest_size(f), largest_share(f));
    print_sizes(out, f, " ");
    fputc('\n', out);
}

/* Prints the object of --json; a text_printer. */
static void print_json(FILE *out, const void *context)
{
    const struct findings *f = context;
    fprintf(out, JSON_OPEN "  \"version\": \"%s\",\n  \"connected\": \"%s\",\n  \"vertices\": %" PRIu64 ",\n  \"edges\": %" PRIu64
            ",\n  \"components\": %" PRIu64 ",\n  \"single\": %" PRIu64 ",\n  \"largest\": %" PRIu64 ",\n", DBFS_VERSION,
            f->strong ? "strong" : "weak", f->totals.n, f->totals.edges, f->sizes.components, component_singles(&f->sizes),
            largest_size(f));
    if (f->largest_edges != UINT64_MAX)
        fprintf(out, "  \"largest_edges\": %" PRIu64 ",\n", f->largest_edges);
    fprintf(out, "  \"largest_share\": %.9f,\n  \"largest_sizes\": [", largest_share(f));
    print_sizes(out, f, ", ");
    fprintf(out, "],\n  \"windows\": %" PRIu32 ",\n  \"left_edges\": %" PRIu64 ",\n  \"spilled_bytes\": %" PRIu64
            ",\n  \"time_s\": %.6f,\n  \"memory_bytes\": %" PRIu64 "\n}\n", f->windows, f->contraction.left_edges,
            f->contraction.spilled_bytes, f->seconds, memory_peak_bytes());
}

/* Prints the summary on standard output or, if another output goes there, on standard error. With -q and any output it is left
 * out. */
static enum status give_summary(const struct cli *cli, const struct command *c, const struct findings *f, struct error *e)
{
    int outputs = 0, taken = 0;
    for (int i = 0; i < OUTPUTS; i++) {
        outputs += c->output[i] != NULL;
        taken |= c->output[i] != NULL && outfile_is_stdout(c->output[i]);
    }
    if (outputs > 0 && cli->quiet)
        return ST_OK;
    print_summary(taken ? stderr : stdout, f);
    return stream_flush(taken ? stderr : stdout, e);
}

/* Prints time and memory. */
static void print_cost(const struct cli *cli, const struct findings *f)
{
    char peak[16], spilled[16];
    cli_detail(cli, "edges joined in %.3f s, the rest %.3f s", f->join_seconds, f->seconds - f->join_seconds);
    if (f->windows > 1)
        cli_detail(cli, "%" PRIu32 " windows of vertices; %" PRIu64 " edges were left to windows below, %s on disk", f->windows,
                   f->contraction.left_edges, format_size(f->contraction.spilled_bytes, spilled, sizeof spilled));
    cli_note(cli, "%" PRIu64 " edges in %.2f s: %.1f M edges/s, peak memory %s", f->totals.edges, f->seconds,
             1e-6 * (double)f->totals.edges / (f->seconds > 0 ? f->seconds : 1e-9),
             format_size(memory_peak_bytes(), peak, sizeof peak));
}

/* ---- the work ---- */

/* Opens the forest with what the budget has left beside the steps that follow. */
static enum status open_forest(struct forest *forest, const struct command *c, const struct edge_source *source,
                               struct workspace *space, struct spill *spill, struct error *e)
{
    const struct edges_info *info = &source->info;
    const uint64_t n = source->totals.n, left = memory_left(&space->budget), bits = n / 8 + 4096;
    uint64_t beside = contract_bytes(space, source->comm);
    if (info->randomized && info->random_n > n) /* ids of the input would not be below n */
        return fail(e, ST_BAD_DATA, "%s: %" PRIu64 " vertices, fewer than the %" PRIu64 " ids that the preamble permutes",
                    source->name, n, info->random_n);
    beside += c->map != NULL ? bits : 0;               /* an index of every NAME_MAP_STEP-th name */
    beside += c->output[LARGEST] != NULL ? bits : 0;   /* the mask of members */
    beside += c->output[SIZES] != NULL ? left / 4 : 0; /* counts of edges */
    uint64_t room = comm_min_of(source->comm, left > beside ? left - beside : 0);
    return forest_open(forest, n, room, space->threads, spill, &space->budget, e);
}

/* Finds the components. At the end rank 0 has the sizes, and in its slots the numbers of components if an output needs them. */
static enum status find_components(const struct command *c, struct forest *forest, struct edge_source *source,
                                   struct workspace *space, struct findings *f, struct error *e)
{
    int numbered = c->output[NUMBERS] != NULL || c->output[SIZES] != NULL || c->output[LARGEST] != NULL;
    double start = cli_seconds();
    if (f->strong)
        strong_components(forest, source, &space->budget, e);
    else
        contract_edges(forest, source, space, &f->contraction, e);
    f->join_seconds = cli_seconds() - start;
    watch_phase("numbering components");
    if (e->status == ST_OK && source->comm->rank == 0 && forest_resolve(forest, e) == ST_OK)
        number_components(forest, numbered, &f->sizes, e);
    f->totals = source->totals;
    f->windows = forest_windows(forest);
    return comm_agree(source->comm, e);
}

/* Writes the component of each vertex, on rank 0. */
static enum status write_numbers(const struct command *c, const struct component_graph *graph, struct error *e)
{
    struct name_map *map = NULL;
    if (c->map == NULL || name_map_open(&map, c->map, graph->forest->n, graph->budget, e) == ST_OK)
        component_numbers_write(graph, c->output[NUMBERS], map, e);
    name_map_close(map);
    return e->status;
}

/* Writes all outputs but --json. Collective. */
static enum status write_outputs(const struct command *c, struct component_graph *graph, struct findings *f, struct error *e)
{
    const struct comm *comm = graph->source->comm;
    uint64_t components = f->sizes.components;
    comm_broadcast(comm, &components, sizeof components, 0);
    if (comm->rank > 0)
        f->sizes.components = components;
    watch_phase("writing components");
    if (comm->rank == 0 && c->output[HISTOGRAM] != NULL)
        component_histogram_write(&f->sizes, c->output[HISTOGRAM], e);
    if (comm->rank == 0 && e->status == ST_OK && c->output[NUMBERS] != NULL)
        write_numbers(c, graph, e);
    if (comm_agree(comm, e) != ST_OK || (c->output[SIZES] == NULL && c->output[LARGEST] == NULL))
        return e->status;
    if (forest_share(graph->forest, comm, e) == ST_OK && c->output[SIZES] != NULL)
        component_sizes_write(graph, c->output[SIZES], e);
    if (e->status == ST_OK && c->output[LARGEST] != NULL)
        component_largest_write(graph, c->output[LARGEST], &f->largest_edges, e);
    return e->status;
}

/* Does all for a graph whose streams are open. Collective. */
static enum status find_and_write(const struct cli *cli, const struct command *c, struct edge_source *source,
                                  struct workspace *space, struct spill *spill, struct error *e)
{
    const struct edges_info *info = &source->info;
    double start = cli_seconds();
    struct forest forest = {.n = 0};
    struct findings f = {.strong = c->strong && info->direction == EDGES_DIRECTED, .largest_edges = UINT64_MAX};
    struct component_graph graph = {.source = source, .forest = &forest, .sizes = &f.sizes, .strong = f.strong,
                                    .threads = space->threads, .budget = &space->budget};
    input_ids_init(&graph.ids, info->randomized, info->random_n, info->random_seed);
    if (c->strong && !f.strong)
        cli_note(cli, "%s: is undirected: its strong components are its components", source->name);
    open_forest(&forest, c, source, space, f.strong ? NULL : spill, e);
    if (comm_agree(source->comm, e) == ST_OK && find_components(c, &forest, source, space, &f, e) == ST_OK)
        write_outputs(c, &graph, &f, e);
    progress_end();
    f.seconds = cli_seconds() - start;
    if (e->status == ST_OK && source->comm->rank == 0) {
        if (c->output[JSON] != NULL)
            outfile_print(c->output[JSON], print_json, &f, e);
        if (e->status == ST_OK && give_summary(cli, c, &f, e) == ST_OK)
            print_cost(cli, &f);
    }
    component_sizes_free(&f.sizes);
    forest_close(&forest);
    return comm_agree(source->comm, e);
}

/* The work of the program, once its options are read. Collective. */
static enum status dbfs_components(const struct cli *cli, struct command *c, const struct comm *comm, struct error *e)
{
    struct edge_source source = {0};
    struct workspace space;
    struct memory_budget budget = {0};
    struct spill spill;
    int threads = cli_threads(cli);
    progress_start(cli);
    if (check_outputs(cli, c, comm, e) == ST_OK)
        memory_budget_process(&budget, comm_memory(comm, cli->memory_bytes), &threads, e);
    workspace_init(&space, cli, budget.limit_bytes, threads);
    space.budget = budget;
    spill_open(&spill, space.folder, space.folders);
    /* a pipe need not be kept for a single pass */
    c->inputs.pipe_use = !c->strong && c->output[SIZES] == NULL && c->output[LARGEST] == NULL ? PIPE_LIVE_IF_TOLD : PIPE_KEPT;
    if (comm_agree(comm, e) == ST_OK &&
        edge_source_open(&source, &c->inputs, cli_tmpdir(cli, 0), comm, &space.budget, e) == ST_OK) {
        space.threads = cli_threads_worth(cli, space.threads, source.largest_share);
        edge_source_warn_missing(&source, cli);
        find_and_write(cli, c, &source, &space, &spill, e);
    }
    progress_end();
    edge_source_close(&source);
    spill_close(&spill);
    return e->status;
}

int main(int argc, char **argv)
{
    struct cli cli = {.program = "dbfs-components", .help = help};
    struct command command = {.strong = 0};
    struct comm comm;
    struct error e = {0};
    char *largest = NULL;
    cli_begin();
    if (comm_start_tool(&comm, &cli, &e) != ST_OK)
        return cli_finish(&cli, &e);
    parse_arguments(&cli, &command, argc, argv, &comm);
    comm_warn_of_idle_cores(&comm, &cli);
    if (command.output[LARGEST] != NULL) {
        largest = edge_name_of_rank(command.output[LARGEST], comm.rank);
        if (largest == NULL)
            fail_memory(&e, command.output[LARGEST], strlen(command.output[LARGEST]));
        command.output[LARGEST] = largest;
    }
    if (e.status == ST_OK)
        edge_inputs_open(&command.inputs, argv + optind, (size_t)(argc - optind), comm.rank, &e);
    command.inputs.base = command.base;
    if (comm_agree(&comm, &e) == ST_OK && watch_start(&comm, cli.program, cli.timeout_s, &e) == ST_OK)
        dbfs_components(&cli, &command, &comm, &e);
    edge_inputs_close(&command.inputs);
    free(largest);
    return cli_finish(&cli, &e);
}
