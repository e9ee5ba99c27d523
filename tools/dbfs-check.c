/* dbfs-check.c: proves that written depths and parents are those of a breadth-first search of a graph */
#include "formats/base/arith.h"
#include "formats/base/cli.h"
#include "formats/base/memory.h"
#include "formats/base/outfile.h"
#include "formats/base/text.h"
#include "formats/mpi/comm.h"
#include "formats/mpi/watch.h"
#include "tools/check/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: dbfs-check [-r ROOT[,ROOT...]] [--depths FILE] [--parents FILE] [OPTION...] EDGES...|DIR\n"
    "Tests whether results of dbfs-traverse, or of another program, are those of a breadth-first\n"
    "search of a graph, which is an edge stream, several of them, or a shard directory. It searches\n"
    "nothing. Under mpiexec all ranks share the edges; %r in EDGES is the rank, which alone reads\n"
    "that file.\n"
    "\n"
    "  -r, --roots ROOT       the root; without this it is the vertex of depth 0, or the one that is\n"
    "                         its own parent. Several, separated by commas, need %d in FILE\n"
    "      --together         the roots are those of one search, and all have depth 0\n"
    "      --depths FILE      distances: .npy, .csv, lines of id and value, or raw integers; '-' is\n"
    "                         standard input; %d stands for the root\n"
    "      --parents FILE     parents, likewise; with or without --depths\n"
    "      --nearest FILE     with --together: the root that each vertex is nearest to, likewise\n"
    "      --max-depth D      of a search that ended at this depth: vertices beyond are -1\n"
    "      --reverse          of a directed graph: the search went against its edges\n"
    "      --base 0|1         what results call the first vertex, whatever the graph says\n"
    "  -@, --threads N        0, the default, is all cores\n"
    "  -S, --memory SIZE      memory of the process at most, 32M or more (default: 3/4 of what is\n"
    "                         available); with less, edges are read more often\n"
    "  -T, --tmpdir DIR       folder for temporary files (default: $TMPDIR or /tmp)\n"
    "      --timeout SECONDS  end the job if a rank does not go on for so long (default: never)\n"
    "  -q, --quiet  -v, --verbose  -h, --help  --version\n";

struct command {
    const char *depths, *parents, *nearest;
    uint32_t deepest; /* UINT32_MAX: not given */
    int reverse, together;
    enum base_choice base;
    struct edge_inputs inputs; /* the graph */
    uint64_t *root; /* as given, from take_roots on counted from 0; with --together sorted, each once */
    uint64_t roots;
    uint64_t first_root; /* the first that was given, likewise; 0: none was */
    struct error error; /* of the reading of the command line */
};

/* ---- command line ---- */

/* Appends a root to those of *c. */
static void add_root(const struct cli *cli, struct command *c, const char *text)
{
    uint64_t *grown = realloc(c->root, (c->roots + 1) * sizeof *grown);
    if (grown == NULL) {
        fail_memory(&c->error, "roots", (c->roots + 1) * sizeof *grown);
        return;
    }
    c->root = grown;
    c->root[c->roots++] = cli_number(cli, "-r", text, 0, DBFS_MAX_VERTICES);
}

/* Sorts the roots, and drops those that stand there twice. */
static void sort_roots(struct command *c)
{
    uint64_t kept = 0;
    if (c->roots > 0)
        qsort(c->root, c->roots, sizeof *c->root, compare_u64);
    for (uint64_t i = 0; i < c->roots; i++) {
        if (kept == 0 || c->root[kept - 1] != c->root[i])
            c->root[kept++] = c->root[i];
    }
    c->roots = kept;
}

/* Appends the roots of a list with commas. */
static void add_roots(struct cli *cli, const struct cli_row *row, const char *list)
{
    struct command *c = row->value;
    for (size_t length; length = strcspn(list, ","), c->error.status == ST_OK; list += length + 1) {
        char *text = strndup(list, length);
        if (text == NULL)
            fail_memory(&c->error, "roots", length + 1);
        else
            add_root(cli, c, text);
        free(text);
        if (list[length] == '\0')
            return;
    }
}

/* Refuses a file name without %d for several searches, or with %d for none. */
static void check_file(const struct cli *cli, const struct command *c, const char *option, const char *file)
{
    int per_root = file != NULL && strstr(file, "%d") != NULL;
    if (per_root && c->roots == 0 && c->error.status == ST_OK)
        cli_usage(cli, "%s: %%d stands for a root, and none is given (-r)", option);
    if (file != NULL && !per_root && c->roots > 1 && !c->together)
        cli_usage(cli, "%s: several roots need %%d in the file name", option);
}

static int is_stdin(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

/* Refuses options that exclude each other, or that are missing. */
static void check_command(const struct cli *cli, const struct command *c, const struct comm *comm)
{
    int from_stdin = edge_inputs_have_stdin(&c->inputs) + is_stdin(c->depths) + is_stdin(c->parents) +
                     is_stdin(c->nearest);
    if (c->depths == NULL && c->parents == NULL)
        cli_usage(cli, "nothing to test: give --depths, --parents or both");
    if (from_stdin > 1)
        cli_usage(cli, "only one of EDGES, --depths, --parents and --nearest can be standard input");
    if (c->nearest != NULL && !c->together)
        cli_usage(cli, "--nearest needs --together");
    if (c->together && c->roots == 0 && c->error.status == ST_OK)
        cli_usage(cli, "--together needs the roots (-r)");
    if (from_stdin > 0 && comm->ranks > 1)
        cli_usage(cli, "standard input: under mpiexec, give files that all ranks can read");
    check_file(cli, c, "--depths", c->depths);
    check_file(cli, c, "--parents", c->parents);
    check_file(cli, c, "--nearest", c->nearest);
}

/* Reads the options and opens the inputs into *c, whose `error` holds a failure. */
static void parse_arguments(struct cli *cli, struct command *c, int argc, char **argv, uint32_t rank)
{
    struct cli_row rows[] = {{"roots", 'r', CLI_CALL, .value = c, .take = add_roots},
                             {"root", 0, CLI_CALL, .value = c, .take = add_roots},
                             {"depths", 0, CLI_TEXT, .value = &c->depths},
                             {"parents", 0, CLI_TEXT, .value = &c->parents},
                             {"max-depth", 0, CLI_U32, .value = &c->deepest, .most = UINT32_MAX - 1},
                             {"base", 0, CLI_CALL, .value = &c->base, .take = edge_base_take},
                             {"reverse", 0, CLI_SET, .value = &c->reverse},
                             {"together", 0, CLI_SET, .value = &c->together},
                             {"nearest", 0, CLI_TEXT, .value = &c->nearest},
                             {"timeout", 0, CLI_REAL, .value = &cli->timeout_s}};
    cli_read_rows(cli, argc, argv, rows, sizeof rows / sizeof *rows);
    if (optind == argc)
        cli_usage(cli, "which edge stream or shard directory?");
    c->first_root = c->roots > 0 ? c->root[0] : 0;
    if (c->together)
        sort_roots(c);
    edge_inputs_open(&c->inputs, argv + optind, (size_t)(argc - optind), rank, &c->error);
    c->inputs.base = c->base;
}

/* ---- the work ---- */

/* The state of the check of one root. */
struct work {
    const struct cli *cli;
    const struct command *command;
    struct graph_edges *edges;
    struct memory_budget *budget;
    int threads;
};

/* Returns `pattern` with the root in place of %d; the caller frees it. NULL for NULL. */
static char *file_of_root(const char *pattern, uint64_t root, struct error *e)
{
    const char *at = pattern != NULL ? strstr(pattern, "%d") : NULL;
    char *name = pattern != NULL ? malloc(strlen(pattern) + 24) : NULL;
    if (pattern != NULL && name == NULL)
        fail_memory(e, pattern, strlen(pattern) + 24);
    else if (at != NULL)
        sprintf(name, "%.*s%" PRIu64 "%s", (int)(at - pattern), pattern, root, at + 2);
    else if (pattern != NULL)
        strcpy(name, pattern);
    return name;
}

/* Checks the claims of one root against all edges, and prints that they are valid. */
static enum status check_open_claims(const struct work *k, struct claims *claims, struct error *e)
{
    struct claim_sums sums;
    watch_phase("checking the results from root %lld", claims_shown(claims, (int64_t)claims->root));
    if (comm_agree(k->edges->comm, e) != ST_OK ||
        check_claims(k->edges, claims, k->threads, k->budget, &sums, e) != ST_OK)
        return e->status;
    cli_detail(k->cli, "results in %u windows of vertices", sums.windows);
    if (k->cli->silent)
        return ST_OK;
    printf("root %lld levels %" PRIu64 " reached %" PRIu64 " checksum %016" PRIx64,
           claims_shown(claims, (int64_t)claims->root), sums.levels, sums.reached, sums.checksum);
    if (k->command->together)
        printf(" roots %" PRIu64, claims->root_count);
    puts(" valid");
    return ST_OK;
}

/* Checks the results of one search: from root i of the command line, from all roots with --together or, without any, from the
 * root that the results show. */
static enum status check_root(const struct work *k, uint64_t i, struct error *e)
{
    const struct command *c = k->command;
    const uint64_t *roots = c->roots > 0 ? &c->root[i] : NULL;
    struct claims claims = {.base = k->edges->base,
                            .deepest = c->deepest,
                            .root = c->together || roots == NULL ? c->first_root : *roots,
                            .roots = roots,
                            .root_count = c->together ? c->roots : roots != NULL};
    char *depths = file_of_root(c->depths, claims.root + claims.base, e);
    char *parents = file_of_root(c->parents, claims.root + claims.base, e);
    char *nearest = file_of_root(c->nearest, claims.root + claims.base, e);
    const char *const files[] = {depths, parents, nearest};
    if (e->status == ST_OK && outfile_refuse_inputs("-", files, sizeof files / sizeof *files, e) == ST_OK)
        claims_open(&claims, depths, parents, nearest, k->edges->n, cli_tmpdir(k->cli, 0), e);
    if (comm_agree(k->edges->comm, e) == ST_OK)
        check_open_claims(k, &claims, e);
    claims_close(&claims);
    free(depths);
    free(parents);
    free(nearest);
    return e->status;
}

/* Makes the roots that the user gave, as the first vertex is called g->base, count from 0. Fails if the graph lacks one. */
static enum status take_roots(struct command *c, const struct graph_edges *g, struct error *e)
{
    const uint64_t base = g->base;
    for (uint64_t i = 0; i < c->roots; i++) {
        if (c->root[i] < base || c->root[i] - base >= g->n)
            return fail(e, ST_USAGE, "%s: root %" PRIu64 ": the graph has vertices %" PRIu64 " to %" PRIu64, c->inputs.path[0],
                        c->root[i], base, base + g->n - 1);
        c->root[i] -= base;
    }
    c->first_root -= c->roots > 0 ? base : 0;
    return ST_OK;
}

/* The work of the program, once its options are read. Collective. */
static enum status dbfs_check(const struct cli *cli, struct command *c, const struct comm *comm, struct error *e)
{
    double start = cli_seconds();
    char peak[16];
    struct graph_edges edges = {0};
    struct memory_budget budget;
    struct work work = {cli, c, &edges, &budget, cli_threads(cli)};
    if (outfile_refuse_inputs("-", c->inputs.path, c->inputs.count, e) == ST_OK)
        memory_budget_process(&budget, comm_memory(comm, cli->memory_bytes), &work.threads, e);
    if (comm_agree(comm, e) == ST_OK &&
        graph_edges_open(&edges, &c->inputs, cli_tmpdir(cli, 0), comm, work.threads, &budget, e) ==
            ST_OK) {
        edges.reversed = c->reverse;
        take_roots(c, &edges, e);
        const uint64_t searches = c->together || c->roots == 0 ? 1 : c->roots;
        for (uint64_t i = 0; i < searches && e->status == ST_OK; i++)
            check_root(&work, i, e);
        graph_edges_close(&edges);
    }
    if (e->status == ST_OK && fflush(stdout) != 0)
        fail_errno(e, "standard output", "cannot write");
    cli_detail(cli, "%.2f s, peak memory %s", cli_seconds() - start, format_size(memory_peak_bytes(), peak, sizeof peak));
    return e->status;
}

int main(int argc, char **argv)
{
    struct cli cli = {.program = "dbfs-check", .help = help};
    struct command command = {.deepest = UINT32_MAX};
    struct comm comm;
    struct error e = {0};
    cli_begin();
    if (comm_start_tool(&comm, &cli, &e) != ST_OK)
        return cli_finish(&cli, &e);
    parse_arguments(&cli, &command, argc, argv, comm.rank);
    check_command(&cli, &command, &comm);
    e = command.error;
    if (comm_agree(&comm, &e) == ST_OK && watch_start(&comm, cli.program, cli.timeout_s, &e) == ST_OK)
        dbfs_check(&cli, &command, &comm, &e);
    free(command.root);
    edge_inputs_close(&command.inputs);
    return cli_finish(&cli, &e);
}
