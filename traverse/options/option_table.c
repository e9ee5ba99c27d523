/* option_table.c: the table of all options of the programs that search; see options.h */
#include "options.h"

#include "formats/base/text.h"

#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct args, member)

/* ---- options that do more than set their member ---- */

/* Handles -r ROOT[,ROOT...]: appends the text to args->root_names, and sets roots_given. Ends the program if -n was
 * given. */
static void take_root(struct args *args, const struct option_row *row, char *value)
{
    (void)row;
    if (args->count_given)
        cli_usage(&args->cli, "-n and -r exclude each other");
    if (!args->roots_given++)
        args->count = 0;
    args_add_root(args, value);
}

/* Handles --base 0|1. */
static void take_base(struct args *args, const struct option_row *row, char *value)
{
    args->base = cli_choice(&args->cli, "--base", value, "0|1") == 0 ? BASE_0 : BASE_1;
    (void)row;
}

/* Handles --roots-from FILE. */
static void take_roots_from(struct args *args, const struct option_row *row, char *value)
{
    options_take_lines(args, row, &args->roots_from, value, "root", take_root);
}

/* Handles -n: sets count_given, and args->count to the value. The value "all", which only dbfs-batch takes, sets
 * args->all_roots instead. Ends the program if the value is wrong, or if roots were given. */
void options_take_count(struct args *args, const struct option_row *row, char *value)
{
    if (args->roots_given)
        cli_usage(&args->cli, "-n and -r exclude each other");
    args->count_given = 1;
    args->all_roots = row->of & OF_BATCH && strcmp(value, "all") == 0;
    if (!args->all_roots)
        args->count = cli_number(&args->cli, "-n", value, 1, MAX_ROOTS);
}

/* Handles --factor0 and --factor1: sets the factors of the subgraphs in a list such as dd=0.5,dn=0.05,nd=1e-7, and sets
 * factors_given. Ends the program if the list is wrong. */
static void take_factors(struct args *args, const struct option_row *row, char *text)
{
    double *factor = strcmp(row->name, "factor0") == 0 ? args->policy.factor0 : args->policy.factor1;
    char option[32];
    snprintf(option, sizeof option, "--%s", row->name);
    char *list = args_copy(args, text);
    for (char *next = list; next != NULL;) {
        char *item = strsep(&next, ","), *value = strchr(item, '=');
        int g = SUBGRAPHS;
        if (value != NULL) {
            *value++ = '\0';
            for (g = NN; g < SUBGRAPHS && strcmp(item, subgraph_name[g]) != 0; g++)
                ;
        }
        if (g == SUBGRAPHS)
            cli_usage(&args->cli, "%s: '%s' is not nn=X, nd=X, dn=X or dd=X", option, item);
        factor[g] = cli_real(&args->cli, option, value);
        args->policy.factors_given = 1;
    }
    free(list);
}

/* Handles --chunk SIZE. Sets the size of a chunk of messages, in bytes. Ends the program if the size is wrong. */
static void take_chunk(struct args *args, const struct option_row *row, char *value)
{
    if (parse_size(value, &args->exchange.chunk_bytes) != 0 || args->exchange.chunk_bytes == 0 ||
        args->exchange.chunk_bytes > INT32_MAX)
        cli_usage(&args->cli, "--%s: '%s' is not a size of 1 to 2^31-1 bytes", row->name, value);
}

/* ---- the table ---- */

const struct option_row option_table[] = {
    {.name = "roots", .letter = 'r', .value = "ROOT[,ROOT...]", .group = GROUP_ROOTS,
     .of = OF_GRID | OF_TRAVERSE | OF_BATCH | EVERYDAY, .kind = TAKE_OTHER, .take = take_root,
     .help = "search from these vertices; with --map a name each time"},
    {.name = "count", .letter = 'n', .value = "COUNT", .group = GROUP_ROOTS, .of = OF_GRID | OF_BOTH | EVERYDAY,
     .kind = TAKE_OTHER, .take = options_take_count,
     .help = "search from COUNT sampled vertices with an edge to follow (default 64)"},
    {.name = "roots-from", .value = "FILE", .group = GROUP_ROOTS, .of = OF_GRID | OF_TRAVERSE | OF_BATCH | EVERYDAY,
     .kind = TAKE_OTHER, .take = take_roots_from, .help = "and from those of this file, one a line"},
    {.name = "together", .group = GROUP_ROOTS, .of = OF_TRAVERSE | EVERYDAY, .kind = TAKE_FLAG, .at = AT(together),
     .help = "one search, in which all roots have depth 0"},
    {.name = "serve", .group = GROUP_ROOTS, .of = OF_TRAVERSE | EVERYDAY, .kind = TAKE_FLAG, .at = AT(serve),
     .help = "search from the root of each line of standard input, as it comes"},
    {.name = "base", .value = "0|1", .group = GROUP_ROOTS, .of = OF_GRID | OF_TRAVERSE | OF_BATCH | OF_PATHS | OF_DIAMETER,
     .kind = TAKE_OTHER, .take = take_base, .help = "what the first vertex is called, whatever the shards say"},
    {.name = "map", .value = "FILE", .group = GROUP_ROOTS, .of = OF_GRID | OF_TRAVERSE | OF_BATCH | OF_PATHS | OF_DIAMETER | EVERYDAY,
     .kind = TAKE_TEXT, .at = AT(map), .help = "of edgeconv --compact: roots are given and results written by name"},
    {.name = "seed", .value = "N", .group = GROUP_ROOTS, .of = OF_ALL & ~OF_DIAMETER, .kind = TAKE_COUNT, .at = AT(seed),
     .most = UINT64_MAX, .help = "of the sampling (default 1)"},
    {.name = "warm-up", .value = "N", .group = GROUP_ROOTS, .of = OF_GRID | OF_TRAVERSE, .kind = TAKE_COUNT,
     .at = AT(warm_up), .most = MAX_ROOTS, .help = "untimed searches first (default 1 when sampling, else 0)"},

    {.name = "depths", .value = "FILE", .group = GROUP_RESULTS, .of = OF_GRID | OF_TRAVERSE | OF_BATCH | EVERYDAY,
     .kind = TAKE_TEXT, .at = AT(depths),
     .help = "hop distances: .npy, .raw, .csv, or text with tabs; %d in FILE becomes the root"},
    {.name = "parents", .value = "FILE", .group = GROUP_RESULTS, .of = OF_TRAVERSE | OF_BATCH | EVERYDAY,
     .kind = TAKE_TEXT, .at = AT(parents), .help = "parents, in the same formats; the same .csv or text as --depths takes both"},
    {.name = "nearest", .value = "FILE", .group = GROUP_RESULTS, .of = OF_TRAVERSE | EVERYDAY, .kind = TAKE_TEXT,
     .at = AT(nearest), .help = "with --together: the root that each vertex is nearest to, likewise"},
    {.name = "list-reached", .value = "FILE", .group = GROUP_RESULTS, .of = OF_TRAVERSE, .kind = TAKE_TEXT,
     .at = AT(reached), .help = "table of the vertices that were reached and their depths, by depth"},
    {.name = "json", .value = "FILE", .group = GROUP_RESULTS, .of = OF_GRID | OF_BOTH | OF_PATHS | OF_DIAMETER | EVERYDAY,
     .kind = TAKE_TEXT, .at = AT(json), .help = "environment, summary and a record per root"},
    {.name = "force", .letter = CLI_FORCE_OPTION, .group = GROUP_RESULTS, .of = OF_ALL | EVERYDAY, .kind = TAKE_COMMON,
     .help = "replace result files that exist"},
    {.name = "result-format", .value = "suffix|text|csv|raw|npy", .group = GROUP_RESULTS, .of = OF_TRAVERSE,
     .kind = TAKE_CHOICE, .at = AT(result_format),
     .help = "of --depths and --parents (default suffix: as their names end)"},
    {.name = "in-place", .group = GROUP_RESULTS, .of = OF_TRAVERSE, .kind = TAKE_FLAG, .at = AT(in_place),
     .help = "with --serve and --force: write over result files that exist; names need no %d"},
    {.name = "device-answers", .group = GROUP_RESULTS, .of = OF_TRAVERSE, .kind = TAKE_FLAG, .at = AT(device_answers),
     .help = "with --serve: keep results in memory of the GPU, and give handles by which a program opens them"},
    {.name = "answer", .value = "depths|parents", .group = GROUP_RESULTS, .of = OF_TRAVERSE, .kind = TAKE_CHOICE,
     .at = AT(answer), .json = "answer",
     .help = "what answer_s is the time of (default parents with --parents, else depths)"},
    {.name = "depths-width", .value = "1|2|4", .group = GROUP_RESULTS, .of = OF_TRAVERSE | OF_BATCH, .kind = TAKE_CHOICE,
     .at = AT(depths_width_choice),
     .help = "bytes of a distance in .npy and .raw (default 4); what is farther than 127 or 32767 is written as that"},
    {.name = "parents-width", .value = "4|8", .group = GROUP_RESULTS, .of = OF_TRAVERSE, .kind = TAKE_CHOICE,
     .at = AT(parents_width_choice), .help = "bytes of a parent in .npy and .raw (default 4 if ids fit)"},
    {.name = "trace", .value = "FILE", .group = GROUP_RESULTS, .of = OF_GRID | OF_TRAVERSE, .kind = TAKE_TEXT,
     .at = AT(trace), .help = "a line of JSON per level: frontier, directions, messages, times"},
    {.name = "breakdown", .group = GROUP_RESULTS, .of = OF_GRID | OF_TRAVERSE, .kind = TAKE_FLAG, .at = AT(breakdown),
     .help = "with --json, also the time of each part of each level"},
    {.name = "count-pairs", .group = GROUP_RESULTS, .of = OF_TRAVERSE | FOR_TESTS, .kind = TAKE_FLAG, .at = AT(count_pairs),
     .json = "count_pairs",
     .help = "with --json, also the vertices that each rank sends to each other one in each level"},

    {.name = "max-depth", .value = "D", .group = GROUP_SEARCH, .of = OF_TRAVERSE | OF_BATCH | EVERYDAY,
     .kind = TAKE_COUNT, .at = AT(max_depth), .most = NO_MAX_DEPTH - 1, .help = "end at depth D: vertices beyond are not reached"},
    /* With "cost", directions are chosen as with "auto", but for each subgraph (nn, nd, dn, dd) by itself, even if the
     * graph is small and on a GPU. */
    {.name = "direction", .value = "auto|push|pull|cost", .shown = "auto|push|pull", .group = GROUP_SEARCH, .of = OF_BOTH,
     .kind = TAKE_CHOICE, .at = AT(direction), .json = "direction",
     .help = "auto: in each level and subgraph, the one that is predicted to be faster (default auto)"},
    {.name = "reverse", .group = GROUP_SEARCH, .of = OF_TRAVERSE | OF_BATCH | OF_PATHS, .kind = TAKE_FLAG,
     .at = AT(reverse), .json = "reverse",
     .help = "of a directed graph, against its edges: which vertices reach the root, and how far they are"},
    {.name = "factor0", .value = "LIST", .group = GROUP_SEARCH, .of = OF_BOTH, .kind = TAKE_OTHER, .take = take_factors,
     .help = "to pull when FV > factor0 * BV (default dd=0.03,dn=0.005,nd=0.01,nn=0.5)"},
    {.name = "factor1", .value = "LIST", .group = GROUP_SEARCH, .of = OF_BOTH, .kind = TAKE_OTHER, .take = take_factors,
     .help = "back to push when FV < factor1 * BV (default dd=0.001,dn=0.0001,nd=0.0001,nn=0.01)"},

    {.name = "stepped", .group = GROUP_EXCHANGE, .of = OF_BOTH, .kind = TAKE_FLAG, .at = AT(exchange.stepped),
     .json = "stepped", .help = "the host between levels, as in the paper, where devices could search by themselves"},
    {.name = "reduction", .value = "blocking|nonblocking", .group = GROUP_EXCHANGE, .of = OF_BOTH, .kind = TAKE_CHOICE,
     .at = AT(exchange.nonblocking), .json = "mask_reduction", .help = "of delegate masks (default blocking)"},
    {.name = "local-all2all", .group = GROUP_EXCHANGE, .of = OF_BOTH, .kind = TAKE_FLAG, .at = AT(exchange.local_all2all),
     .json = "local_all2all", .help = "gather vertices for device g on device g before sending"},
    {.name = "uniquify", .group = GROUP_EXCHANGE, .of = OF_BOTH, .kind = TAKE_FLAG, .at = AT(exchange.uniquify),
     .json = "uniquify", .help = "drop duplicates among vertices sent to one device"},
    {.name = "chunk", .value = "SIZE", .group = GROUP_EXCHANGE, .of = OF_BOTH, .kind = TAKE_OTHER, .take = take_chunk,
     .help = "of nn messages (default 4M)"},
    {.name = "exchange-form", .value = "auto|list|bits", .group = GROUP_EXCHANGE, .of = OF_BOTH, .kind = TAKE_CHOICE,
     .at = AT(exchange.form), .json = "exchange_form",
     .help = "of vertices for other devices; auto takes fewer bytes (default auto)"},
    {.name = "exchange-memory", .value = "auto|host|device|peer", .group = GROUP_EXCHANGE, .of = OF_BOTH,
     .kind = TAKE_CHOICE, .at = AT(exchange.memory),
     .help = "peer: devices of one host read each other's memory; host or device: ranks send messages from there (default "
             "auto: peer within a host where that can be, else host)"},

    {.name = "shards-per-rank", .letter = 'g', .value = "G", .group = GROUP_MACHINE, .of = OF_BOTH | OF_DIAMETER | EVERYDAY,
     .kind = TAKE_COUNT, .at = AT(shards_per_rank), .least = 1, .most = 1 << 20,
     .help = "R ranks x G shards must be p (default p / R, or what is predicted to be faster); one rank with -g 1 joins all "
             "shards into one"},
    {.name = "backend", .value = "auto|cpu|cuda", .group = GROUP_MACHINE, .of = OF_BOTH | OF_BATCH | OF_PATHS | OF_DIAMETER | EVERYDAY,
     .kind = TAKE_CHOICE, .at = AT(backend), .help = "where to search (default auto: a GPU if there is one)"},
    {.name = "resident", .value = "raw|packed|host|auto", .group = GROUP_MACHINE, .of = OF_TRAVERSE | OF_PATHS,
     .kind = TAKE_CHOICE, .at = AT(resident),
     .help = "raw: columns are decoded; packed: they are searched as they are packed; host: they stay in memory of the "
             "host, which a GPU reads; auto: the first of these that fits (default auto)"},
    {.name = "plan", .group = GROUP_MACHINE, .of = OF_TRAVERSE | EVERYDAY, .kind = TAKE_FLAG, .at = AT(plan),
     .help = "print the device memory that DIR takes, and do nothing else"},
    {.name = "gpu", .value = "h200|h100|a100|l4|t4|b200|rtx5090", .group = GROUP_MACHINE, .of = OF_TRAVERSE, .kind = TAKE_CHOICE,
     .at = AT(plan_gpu), .help = "with --plan: the GPU of the plan (default h200)"},
    {.name = "dry-run", .group = GROUP_MACHINE, .of = OF_TRAVERSE | OF_BATCH | OF_PATHS | OF_DIAMETER, .kind = TAKE_FLAG,
     .at = AT(dry_run), .help = "check options and result files, and do nothing else"},
    {.name = "no-check", .group = GROUP_MACHINE, .of = OF_ALL, .kind = TAKE_OFF, .at = AT(check),
     .help = "do not compare the shards' CRCs before searching"},
    {.name = "trust", .group = GROUP_MACHINE, .of = OF_ALL, .kind = TAKE_FLAG, .at = AT(trust),
     .help = "do not check that ids and offsets in the shards are in range"},
    {.name = "timeout", .letter = CLI_TIMEOUT_OPTION, .value = "SECONDS", .group = GROUP_MACHINE, .of = OF_ALL,
     .kind = TAKE_COMMON, .help = "end the job if a rank does not go on for so long (default: never)"},

    {.name = "threads", .letter = '@', .value = "N", .group = GROUP_COMMON, .of = OF_ALL | EVERYDAY, .kind = TAKE_COMMON,
     .help = "per rank (default 0: all cores / ranks on the host)"},
    {.name = "memory", .letter = 'S', .value = "SIZE", .group = GROUP_COMMON, .of = OF_ALL | EVERYDAY,
     .kind = TAKE_COMMON,
     .help = "bound on a rank's arrays (default 3/4 of what is available, divided by the ranks on the host)"},
    {.name = "tmpdir", .letter = 'T', .value = "DIR", .group = GROUP_COMMON, .of = OF_ALL, .kind = TAKE_COMMON,
     .help = "accepted for uniformity; nothing is spilled"},
    {.name = "quiet", .letter = 'q', .group = GROUP_COMMON, .of = OF_ALL | EVERYDAY, .kind = TAKE_COMMON,
     .help = "only the summary and errors; with a result on standard output, only that"},
    {.name = "verbose", .letter = 'v', .group = GROUP_COMMON, .of = OF_ALL | EVERYDAY, .kind = TAKE_COMMON,
     .help = "a line per level"},
    {.name = "version", .letter = CLI_VERSION_OPTION, .group = GROUP_COMMON, .of = OF_ALL | EVERYDAY, .kind = TAKE_COMMON,
     .help = "print the version, and do nothing else"},
    {.name = "help", .letter = 'h', .group = GROUP_COMMON, .of = OF_ALL | EVERYDAY, .kind = TAKE_COMMON,
     .help = "print this text; --help=all has every option"},
};

const size_t option_table_rows = sizeof option_table / sizeof *option_table;
