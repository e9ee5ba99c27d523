/* graph500_main.c: the program dbfs-graph500, which runs the Graph500 benchmark, proves every tree, and prints the result
 * block */
#include "energy.h"
#include "validate.h"

#include "traverse/options/options.h"
#include "traverse/session/report.h"
#include "traverse/session/statistics.h"

#include "formats/base/cli.h"
#include "formats/base/json_format.h"
#include "formats/base/outfile.h"
#include "formats/mpi/watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The energy of searches that are run only to measure it: those from all roots, repeated without validation. The JSON
 * report calls them the "batch". */
struct energy_record {
    int known;            /* 1: a counter could be read on at least one host */
    int gpus, packages;   /* number of GPUs and of processor packages with counters, summed over all hosts */
    double joules, seconds;
    double edges; /* number of edges traversed in these searches */
};

/* All state of the program. */
struct benchmark {
    struct args args; /* must be the first member, as the table of options has offsets into it */
    char *const *command; /* argv */
    double construction_s; /* seconds that packing took; below 0: not given */
    int measure_energy;
    struct searcher searcher;
    struct environment env;
    struct validation validation;
    struct record *runs; /* [roots.count] a record for each root */
    struct energy_record energy;
};

/* Stores the value of --construction-time in the struct benchmark, whose first member is *args. Ends the program with a
 * message if the value is no number. Called by options_read. */
static void take_construction_time(struct args *args, const struct option_row *row, char *value)
{
    (void)row;
    ((struct benchmark *)args)->construction_s = cli_real(&args->cli, "--construction-time", value);
}

static const struct option_row own_options[] = {
    {.name = "construction-time", .value = "SECONDS", .group = GROUP_RESULTS, .of = OF_GRAPH500 | EVERYDAY,
     .kind = TAKE_OTHER, .take = take_construction_time, .help = "that packing took, for the block (default NA)"},
    {.name = "no-energy", .group = GROUP_RESULTS, .of = OF_GRAPH500 | EVERYDAY, .kind = TAKE_OFF,
     .at = offsetof(struct benchmark, measure_energy), .help = "do not search again to measure energy"},
};

static const struct option_program graph500 = {
    .name = "dbfs-graph500",
    .bit = OF_GRAPH500,
    .usage = "Usage: dbfs-graph500 [OPTION]... DIR\n"
             "       mpiexec -n R dbfs-graph500 [OPTION]... DIR\n"
             "The Graph500 benchmark on the shards that dbfs-pack wrote to DIR: parents from 64 sampled roots\n"
             "by the answer clock, every tree proved in memory, and the result block.\n"
             "\n",
    .exit_codes = "Exit codes: 0 ok, 1 run-time failure, 2 usage, 3 bad data, 4 a tree is wrong, 5 not enough memory\n"
                  "or no GPU.\n",
    .own = own_options,
    .own_count = sizeof own_options / sizeof *own_options};

/* Reads the command line into *b. Ends the program with a message if the command line is wrong. */
static void parse(struct benchmark *b, int argc, char **argv)
{
    args_begin(&b->args, graph500.name);
    b->args.answer = ANSWER_PARENTS;
    b->args.record_parents = 1;
    b->construction_s = -1;
    b->measure_energy = 1;
    options_read(&b->args, &graph500, argc, argv);
    args_finish(&b->args);
    b->args.undirected_only = "dbfs-traverse searches along edges";
    if (outfile_is_stdout(b->args.json))
        cli_usage(&b->args.cli, "--json: standard output has the block");
}

/* Collective. Searches from the first root to warm up. Then searches from every root, and proves each tree right after its
 * search. Fills b->runs; rank 0 prints a line for each root unless --quiet is given. Fails with ST_INVALID at the first
 * wrong tree. Ends the job if a search fails, or if a proof cannot be carried out. */
static enum status run_all(struct benchmark *b, struct error *e)
{
    struct searcher *s = &b->searcher;
    record_nothing(s, &b->args, &(struct root_set){s->roots.root, 1});
    for (uint64_t i = 0; i < s->roots.count; i++) {
        const struct root *root = &s->roots.root[i];
        struct record *run = &b->runs[i];
        struct offence first = {0};
        run->root = s->roots.ids[i];
        watch_phase("searching from root %" PRIu64, shown_id(&s->graph, run->root));
        if (record_search(run, s, &b->args, &(struct root_set){root, 1}, e) != ST_OK)
            comm_abort(&s->comm, b->args.cli.program, e);
        double start = cli_seconds();
        watch_phase("proving the tree of root %" PRIu64, shown_id(&s->graph, run->root));
        if (validation_check(&b->validation, root, &first, e) != ST_OK)
            comm_abort(&s->comm, b->args.cli.program, e);
        run->validate_s = cli_seconds() - start;
        comm_max_double(&s->comm, &run->validate_s, 1);
        if (first.kind != OFFENCE_NONE) {
            char text[160];
            offence_print(&first, s->graph.base, text, sizeof text);
            return fail(e, ST_INVALID, "root %" PRIu64 ": %s", shown_id(&s->graph, run->root), text);
        }
        if (s->comm.rank == 0 && !b->args.cli.quiet)
            report_record(stdout, &b->env, run);
    }
    return ST_OK;
}

enum { ENERGY_SECONDS = 2 }; /* some counters are only updated every 0.1 s, so a short measurement would be inexact */

/* Collective. Repeats the searches from all roots until they have lasted ENERGY_SECONDS on every rank, and fills b->energy.
 * One rank of each host reads the counters of the host, and all hosts are summed. Does nothing if no counter can be read. */
static void measure_energy(struct benchmark *b)
{
    struct energy energy = {0};
    uint64_t parts[3] = {0};
    const struct comm *comm = &b->searcher.comm;
    if (comm->host_rank == 0)
        energy_open(&energy);
    if (comm_max_of(comm, (uint64_t)energy.counters) > 0) {
        b->energy.known = 1;
        double start = cli_seconds();
        energy_used(&energy);
        energy.used_j = 0;
        do {
            for (uint64_t i = 0; i < b->searcher.roots.count; i++) {
                record_nothing(&b->searcher, &b->args, &(struct root_set){&b->searcher.roots.root[i], 1});
                b->energy.edges += (double)b->runs[i].reach.edges;
            }
            b->energy.seconds = cli_seconds() - start;
        } while (comm_min_of(comm, b->energy.seconds >= ENERGY_SECONDS) == 0);
        parts[0] = (uint64_t)(1e6 * energy_used(&energy));
        parts[1] = (uint64_t)energy.gpus;
        parts[2] = (uint64_t)energy.packages;
        comm_sum_u64(comm, parts, 3);
        b->energy.joules = 1e-6 * (double)parts[0];
        b->energy.gpus = (int)parts[1];
        b->energy.packages = (int)parts[2];
    }
    energy_close(&energy);
}

/* ---- the result block ----
 *
 * Names, order and number formats of the lines are those of Graph500's reference code. Times are measured by the answer
 * clock, because the benchmark requires parents in memory. */

/* Prints a line with a name, padded as in the reference code, and a value. If `known` is 0, prints NA instead of the
 * value. */
static void print_known(FILE *out, const char *name, int known, double value)
{
    if (known)
        fprintf(out, "%-31s %.11g\n", name, value);
    else
        fprintf(out, "%-31s NA\n", name);
}

/* Prints a line with a value. Its name is made of a prefix, a statistic (`what`) and a quantity (`of`): "bfs min_time:". */
static void print_field(FILE *out, const char *prefix, const char *what, const char *of, double value)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s_%s:", prefix, what, of);
    print_known(out, name, 1, value);
}

/* Prints the minimum, the quartiles and the maximum of a quantity, each on a line. `of` is the name of the quantity. */
static void print_five(FILE *out, const char *prefix, const char *of, const struct statistics *s)
{
    print_field(out, prefix, "min", of, s->min);
    print_field(out, prefix, "firstquartile", of, s->first_quartile);
    print_field(out, prefix, "median", of, s->median);
    print_field(out, prefix, "thirdquartile", of, s->third_quartile);
    print_field(out, prefix, "max", of, s->max);
}

/* Prints the minimum, the quartiles, the maximum, the mean and the standard deviation of a quantity over all runs, each on
 * a line. `what` is the quantity, and `of` is its name. */
static void print_seven(FILE *out, const struct benchmark *b, const char *prefix, const char *of, enum measure what)
{
    struct statistics s;
    statistics_of(b->runs, b->searcher.roots.count, what, &s);
    print_five(out, prefix, of, &s);
    print_field(out, prefix, "mean", of, s.mean);
    print_field(out, prefix, "stddev", of, s.deviation);
}

/* Prints the whole result block of the benchmark: the graph and the run, the statistics of all searches, and the energy. */
static void print_block(FILE *out, const struct benchmark *b)
{
    const struct manifest *m = &b->searcher.graph.manifest;
    const struct energy_record *energy = &b->energy;
    const uint64_t n = m->totals.n;
    const int is_power = n > 0 && (n & (n - 1)) == 0;
    struct statistics teps;
    print_known(out, "SCALE:", is_power, is_power ? __builtin_ctzll(n) : 0);
    print_known(out, "edgefactor:", 1, (double)m->totals.edges / (double)n);
    print_known(out, "NBFS:", 1, (double)b->searcher.roots.count);
    print_known(out, "graph_generation:", 0, 0);
    print_known(out, "num_mpi_processes:", 1, b->searcher.comm.ranks);
    print_known(out, "construction_time:", b->construction_s >= 0, b->construction_s);
    print_seven(out, b, "bfs  ", "time", ANSWER_TIME);
    print_seven(out, b, "", "nedge", EDGES);
    statistics_of(b->runs, b->searcher.roots.count, ANSWER_TEPS, &teps);
    print_five(out, "bfs  ", "TEPS", &teps);
    print_known(out, "bfs  harmonic_mean_TEPS:     !", 1, teps.harmonic_mean);
    print_field(out, "bfs  ", "harmonic_stddev", "TEPS", teps.harmonic_deviation);
    print_seven(out, b, "bfs  ", "validate", VALIDATION_TIME);
    print_known(out, "energy_J:", energy->known, energy->joules);
    if (energy->known) {
        print_known(out, "energy_time:", 1, energy->seconds);
        fprintf(out, "%-31s %d GPUs, %d processor packages\n", "energy_of:", energy->gpus, energy->packages);
    }
    print_known(out, "MTEPS/W:", energy->known, energy->joules > 0 ? 1e-6 * energy->edges / energy->joules : 0);
}

/* Prints the JSON document: the environment, the energy if it is known, and a record for each root. Called by
 * outfile_print. */
static void print_json(FILE *out, const void *context)
{
    const struct benchmark *b = context;
    fputs(JSON_OPEN, out);
    report_json_environment(out, &b->env);
    if (b->construction_s >= 0)
        fprintf(out, "  \"construction_s\": %.17g,\n", b->construction_s);
    if (b->energy.known)
        fprintf(out, "  \"energy\": {\"joules\": %.17g, \"seconds\": %.17g, \"batch_edges\": %.17g, "
                "\"gpus\": %d, \"packages\": %d},\n", b->energy.joules, b->energy.seconds,
                b->energy.edges, b->energy.gpus, b->energy.packages);
    report_json_roots(out, &b->env, b->runs, b->searcher.roots.count);
    fputs("}\n", out);
}

/* Collective. Opens the searcher and the validation, chooses the roots, and allocates the records b->runs. Sets b->env.
 * Fails on all ranks if one rank fails. tear_down frees everything, even after a failure. */
static enum status set_up(struct benchmark *b, struct error *e)
{
    struct searcher *s = &b->searcher;
    double start = cli_seconds();
    if (searcher_open(s, 1, e) != ST_OK || validation_open(&b->validation, &s->rank, &s->results, e) != ST_OK ||
        roots_choose(&s->roots, &s->rank, &b->args, NULL, e) != ST_OK)
        return e->status;
    b->env = environment_of(s, b->command, start);
    b->runs = zeroed(s->roots.count, sizeof *b->runs, "records", e);
    return comm_agree(&s->comm, e);
}

/* Does the whole benchmark: searches from all roots, proves the trees, measures energy, and on rank 0 prints the result
 * block and writes the file of --json. Called by searcher_run, with the struct benchmark. */
static void work(void *context, struct error *e)
{
    struct benchmark *b = context;
    const struct comm *comm = &b->searcher.comm;
    if (set_up(b, e) != ST_OK || run_all(b, e) != ST_OK)
        return;
    if (b->measure_energy)
        measure_energy(b);
    b->env.peak_bytes = comm_max_of(comm, memory_peak_bytes());
    if (comm->rank == 0) {
        print_block(stdout, b);
        if (stream_flush(stdout, e) == ST_OK && b->args.json != NULL)
            outfile_print(b->args.json, print_json, b, e);
    }
    comm_agree(comm, e);
}

/* Frees the records and the validation. Called by searcher_run at the end, with the struct benchmark. */
static void tear_down(void *context)
{
    struct benchmark *b = context;
    free(b->runs);
    validation_close(&b->validation);
}

/* Runs dbfs-graph500: reads the command line, and lets searcher_run call `work` and `tear_down`. Returns the exit code. */
int main(int argc, char **argv)
{
    static struct benchmark b;
    cli_begin();
    parse(&b, argc, argv);
    b.command = argv;
    b.searcher.method = &bfs_by_levels;
    return searcher_run(&b.searcher, &b.args, 0, work, tear_down, &b);
}
