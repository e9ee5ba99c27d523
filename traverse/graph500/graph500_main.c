/* graph500_main.c: dbfs-graph500: searches as the Graph500 benchmark asks for it, proves every tree, and prints the
 * benchmark's result block */
#include "benchmark.h"
#include "energy.h"


#include "traverse/results/outputs.h"

#include "formats/base/cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: dbfs-graph500 [OPTION]... DIR\n"
    "       mpiexec -n R dbfs-graph500 [OPTION]... DIR\n"
    "The Graph500 benchmark on the shards that dbfs-pack wrote to DIR: parents from 64 sampled roots\n"
    "by the answer clock, every tree proved in memory, and the result block.\n"
    "\n"
    "  -n, --count COUNT           searches (default 64)\n"
    "      --seed N                of the sampling of roots (default 1)\n"
    "      --construction-time S   seconds that packing took, for the block (default NA)\n"
    "      --json FILE             what the block is computed from\n"
    "      --force                 replace FILE if it exists\n"
    "  -g, --shards-per-rank G     R ranks x G shards must be p (default p / R)\n"
    "      --backend NAME          auto, cpu or cuda (default auto)\n"
    "      --no-check              do not compare the shards' CRCs before searching\n"
    "      --no-energy             do not search again to measure energy\n"
    "Common:\n"
    "  -@, --threads N             per rank (default 0: all cores / ranks on the host)\n"
    "  -S, --memory SIZE           bound on a rank's arrays (default 3/4 of what is available,\n"
    "                              divided by the ranks on the host)\n"
    "  -T, --tmpdir DIR            accepted for uniformity; nothing is spilled\n"
    "  -q, --quiet                 only the block and errors\n"
    "  -v, --verbose\n"
    "  -h, --help   --version\n"
    "\n"
    "Exit codes: 0 ok, 1 run-time failure, 2 usage, 3 bad data, 4 a tree is wrong, 5 not enough memory\n"
    "or no GPU.\n";

enum {
    OPTION_SEED = CLI_FIRST_FREE_OPTION,
    OPTION_CONSTRUCTION_TIME,
    OPTION_JSON,
    OPTION_BACKEND,
    OPTION_NO_CHECK,
    OPTION_NO_ENERGY
};

static const struct option long_options[] = {
    CLI_LONG_OPTIONS,
    {"count", required_argument, NULL, 'n'},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"construction-time", required_argument, NULL, OPTION_CONSTRUCTION_TIME},
    {"json", required_argument, NULL, OPTION_JSON},
    {"shards-per-rank", required_argument, NULL, 'g'},
    {"backend", required_argument, NULL, OPTION_BACKEND},
    {"no-check", no_argument, NULL, OPTION_NO_CHECK},
    {"no-energy", no_argument, NULL, OPTION_NO_ENERGY},
    {NULL, 0, NULL, 0}};

/* ---- the command line ---- */

static enum backend_choice backend_named(const struct cli *cli, const char *name)
{
    static const char *const names[] = {"auto", "cpu", "cuda"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) == 0)
            return (enum backend_choice)i;
    }
    cli_usage(cli, "--backend: '%s' is not one of its values", name);
}

static void parse_option(struct benchmark *b, int option, const char *value)
{
    struct args *args = &b->args;
    switch (option) {
    case 'n': args->count = cli_number(&args->cli, "-n", value, 1, MAX_ROOTS); break;
    case 'g':
        args->shards_per_rank = (uint32_t)cli_number(&args->cli, "-g", value, 1, 1 << 20);
        break;
    case OPTION_SEED: args->seed = cli_number(&args->cli, "--seed", value, 0, UINT64_MAX); break;
    case OPTION_CONSTRUCTION_TIME:
        b->construction_s = cli_real(&args->cli, "--construction-time", value);
        break;
    case OPTION_JSON: args->json = value; break;
    case OPTION_BACKEND: args->backend = backend_named(&args->cli, value); break;
    case OPTION_NO_CHECK: args->check = 0; break;
    case OPTION_NO_ENERGY: b->measure_energy = 0; break;
    default: cli_option(&args->cli, option, value);
    }
}

static void parse(struct benchmark *b, int argc, char **argv)
{
    int option;
    benchmark_defaults(b);
    b->args.cli.help = help;
    while ((option = getopt_long(argc, argv, CLI_SHORT_OPTIONS "n:g:", long_options, NULL)) != -1)
        parse_option(b, option, optarg);
    if (optind + 1 != argc)
        cli_usage(&b->args.cli, optind == argc ? "which graph? DIR is missing" : "more than one DIR");
    b->args.folder = argv[optind];
    if (b->args.json != NULL && strcmp(b->args.json, "-") == 0)
        cli_usage(&b->args.cli, "--json: standard output has the block");
}

/* ---- searching ---- */

static enum status validate(struct benchmark *b, const struct root *root, struct run_record *run,
                            struct error *e)
{
    struct offence first = {0};
    char text[160];
    double start = cli_seconds();
    if (validation_read(b->validation, e) != ST_OK ||
        validation_check(b->validation, root, &first, e) != ST_OK)
        comm_abort(&b->comm, b->args.cli.program, e);
    run->validate_s = cli_seconds() - start;
    if (first.kind == OFFENCE_NONE)
        return ST_OK;
    offence_print(&first, text, sizeof text);
    return fail(e, ST_INVALID, "root %" PRIu64 ": %s", run->root, text);
}

static void report_run(const struct benchmark *b, const struct run_record *r)
{
    if (b->comm.rank == 0 && !b->args.cli.quiet)
        printf("root %" PRIu64 " search_s %.9f answer_s %.9f edges %" PRIu64
               " TEPS %.6e validate_s %.6f\n", r->root, r->search_s, r->answer_s, r->edges,
               (double)r->edges / r->answer_s, r->validate_s);
}

static enum status run_all(struct benchmark *b, struct error *e)
{
    struct run_record warm_up;
    benchmark_search(b, &b->roots.root[0], &warm_up);
    for (uint64_t i = 0; i < b->roots.count; i++) {
        struct run_record *run = &b->runs[i];
        const struct root *root = &b->roots.root[i];
        struct reach reach;
        run->root = b->roots.ids[i];
        benchmark_search(b, root, run);
        if (results_collect(b->results, root, &reach, e) != ST_OK)
            comm_abort(&b->comm, b->args.cli.program, e);
        if (validate(b, root, run, e) != ST_OK)
            return e->status;
        double slowest[] = {run->search_s, run->answer_s, run->validate_s};
        comm_max_double(&b->comm, slowest, 3);
        run->search_s = slowest[0];
        run->answer_s = slowest[1];
        run->validate_s = slowest[2];
        run->edges = reach.edges;
        report_run(b, run);
    }
    return ST_OK;
}

/* ---- energy ---- */

enum { ENERGY_SECONDS = 2 }; /* counters move in steps of up to 0.1 s */

/* The batch of all searches again, until it has lasted. */
static void measure_energy(struct benchmark *b)
{
    struct energy energy = {0};
    struct run_record unused;
    uint64_t parts[3] = {0};
    if (b->comm.host_rank == 0)
        energy_open(&energy);
    if (comm_max_of(&b->comm, (uint64_t)energy.counters) > 0) {
        b->energy.known = 1;
        double start = cli_seconds();
        energy_used(&energy);
        energy.used_j = 0;
        do {
            for (uint64_t i = 0; i < b->roots.count; i++) {
                benchmark_search(b, &b->roots.root[i], &unused);
                b->energy.edges += (double)b->runs[i].edges;
            }
            b->energy.seconds = cli_seconds() - start;
        } while (comm_min_of(&b->comm, b->energy.seconds >= ENERGY_SECONDS) == 0);
        parts[0] = (uint64_t)(1e6 * energy_used(&energy));
        parts[1] = (uint64_t)energy.gpus;
        parts[2] = (uint64_t)energy.packages;
        comm_sum_u64(&b->comm, parts, 3);
        b->energy.joules = 1e-6 * (double)parts[0];
        b->energy.gpus = (int)parts[1];
        b->energy.packages = (int)parts[2];
    }
    energy_close(&energy);
}

/* ---- start and end ---- */

static enum status set_up(struct benchmark *b, struct error *e)
{
    if (b->comm.rank == 0)
        outputs_check(&b->args, e);
    return comm_agree(&b->comm, e) == ST_OK ? benchmark_open(b, e) : e->status;
}

static enum status conclude(struct benchmark *b, struct error *e)
{
    struct block block = {.graph = &b->graph,
                          .comm = &b->comm,
                          .construction_s = b->construction_s,
                          .runs = b->runs,
                          .count = b->roots.count,
                          .energy = b->energy};
    if (b->comm.rank == 0) {
        block_print(stdout, &block);
        if (fflush(stdout) != 0 || ferror(stdout))
            fail_errno(e, "standard output", "cannot write");
        else if (b->args.json != NULL)
            block_json(b->args.json, &block, e);
    }
    return comm_agree(&b->comm, e);
}

int main(int argc, char **argv)
{
    static struct benchmark b;
    struct error error = {0};
    parse(&b, argc, argv);
    comm_start(&b.comm, COMM_ALWAYS, &error);
    if (comm_agree(&b.comm, &error) == ST_OK && set_up(&b, &error) == ST_OK &&
        run_all(&b, &error) == ST_OK) {
        if (b.measure_energy)
            measure_energy(&b);
        conclude(&b, &error);
    }
    int code = b.comm.rank == 0 ? cli_finish(&b.args.cli, &error) : (int)error.status;
    benchmark_close(&b);
    return code;
}
