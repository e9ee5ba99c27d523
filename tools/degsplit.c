/* degsplit.c: separates the vertices of an edge stream by degree and writes the result as a .split file */
#include "formats/mpi/watch.h"
#include "formats/base/cli.h"
#include "formats/base/json_lines.h"
#include "formats/base/outfile.h"
#include "formats/result_name.h"
#include "formats/split.h"
#include "formats/base/progress.h"
#include "formats/base/text.h"
#include "tools/stream/edge_source.h"
#include "formats/mpi/comm.h"
#include "tools/separate/separate.h"
#include "tools/separate/separate_plan.h"
#include "tools/spill/spill.h"
#include "tools/separate/split_make.h"
#include "tools/separate/suggest.h"
#include "tools/separate/sweep_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: degsplit [-t TH | -p P] [-o FILE.split] [OPTION...] [FILE.edges...]\n"
    "Counts degrees, chooses the degree threshold TH above which vertices become delegates, and\n"
    "writes TH, the delegates and the effect of other thresholds. Several FILEs are one graph.\n"
    "Without FILE, or with '-', the edge stream is read from standard input. Under mpiexec all\n"
    "ranks share the work; %r in FILE is the rank, which alone reads that file.\n"
    "\n"
    "  -t, --threshold TH     use this TH; 'inf' for no delegates\n"
    "  -p, --shards P         suggest TH for P devices (default 1)\n"
    "      --suggest RULE     time, the default: the TH that is predicted to be searched fastest;\n"
    "                         memory: at most 4n/P delegates and fewer than 10% nn edges, and then\n"
    "                         the fewest bytes on the devices\n"
    "      --for MACHINE      gpu, cpu or both, the default: where searches are to be fast\n"
    "      --links KIND       how shards reach each other: peer, host, network, or auto, the default:\n"
    "                         up to 8 as peers, more with a network between hosts of 8\n"
    "  -o, --output FILE      '-' or none is standard output\n"
    "      --force            replace output files that exist\n"
    "      --sweep FILE       the table of thresholds, separated by tabs; without this it goes to\n"
    "                         standard error\n"
    "      --base 0|1         take streams whose ids begin at 0 and at 1 for one graph (dbfs-pack)\n"
    "      --plan             only print what it would take: memory, temporary disk, passes over the\n"
    "                         stream\n"
    "      --json             --plan as JSON\n"
    "  -@, --threads N        0, the default, is all cores\n"
    "  -S, --memory SIZE      memory of the process at most, 32M or more (default: 3/4 of what is\n"
    "                         available); what it cannot hold goes to temporary files\n"
    "  -T, --tmpdir DIR       folder for temporary files (default: $TMPDIR or /tmp); may be given\n"
    "                         several times, and all of them are used\n"
    "      --timeout SECONDS  end the job if a rank does not go on for so long (default: never)\n"
    "  -q, --quiet  -v, --verbose  -h, --help  --version\n";

struct command {
    int th_given, plan, json;
    uint64_t th, p;
    const char *output, *sweep;
    enum base_choice base;
    struct edge_inputs inputs;
    struct suggest_words words; /* --suggest, --for, --links */
    enum th_choice choice;      /* from these */
};

static void take_th(struct cli *cli, const struct cli_row *row, const char *text)
{
    struct error e = {0};
    if (th_parse(text, row->value, &e) != ST_OK)
        cli_usage(cli, "%s", e.text);
}

/* Nonzero if an output is standard output, which is also the default. */
static int is_standard(const char *path)
{
    return path == NULL || outfile_is_stdout(path);
}

/* Reads the options into *c and *cli, and refuses those that exclude each other. */
static void parse_arguments(struct cli *cli, struct command *c, int argc, char **argv)
{
    struct cli_row rows[] = {{"threshold", 't', CLI_CALL, .value = &c->th, .take = take_th},
                             {"shards", 'p', CLI_U64, .value = &c->p, .least = 1, .most = UINT32_MAX},
                             {"output", 'o', CLI_ONCE, .value = &c->output},
                             {"plan", 0, CLI_SET, .value = &c->plan},
                             {"json", 0, CLI_SET, .value = &c->json},
                             {"sweep", 0, CLI_ONCE, .value = &c->sweep},
                             SUGGEST_ROWS(&c->words),
                             {"base", 0, CLI_CALL, .value = &c->base, .take = edge_base_take},
                             {"timeout", 0, CLI_REAL, .value = &cli->timeout_s}};
    const int count = sizeof rows / sizeof *rows;
    cli_read_rows(cli, argc, argv, rows, count);
    c->th_given = cli_row_of(rows, count, "-t")->given;
    if (c->json && !c->plan)
        cli_usage(cli, "--json goes with --plan");
    if (c->th_given && cli_row_of(rows, count, "-p")->given)
        cli_usage(cli, "-t and -p exclude each other");
    if (c->th_given && suggest_option_given(rows, count) != NULL)
        cli_usage(cli, "-t and %s exclude each other", suggest_option_given(rows, count));
    c->choice = suggest_choice(cli, &c->words, rows, count);
    if (!c->plan && is_standard(c->output) && isatty(STDOUT_FILENO))
        cli_usage(cli, "a .split is not for a terminal: -o FILE.split, or redirect the output");
    if (is_standard(c->output) && c->sweep != NULL && is_standard(c->sweep))
        cli_usage(cli, "the .split and the table cannot both go to standard output");
}

/* ---- output ---- */

static void print_summary(const struct cli *cli, const struct separation *s, const struct split *sp, double seconds)
{
    char th[24], peak[16];
    cli_detail(cli, "degrees %.3f s, class counts %.3f s", s->degree_seconds, s->class_seconds);
    cli_note(cli, "TH %s: %" PRIu64 " delegates of %" PRIu64 " vertices", th_format(sp->th, th, sizeof th),
             sp->d, sp->totals.n);
    cli_note(cli, "%" PRIu64 " edges in %.2f s: %.1f M edges/s, peak memory %s", sp->totals.edges,
             seconds, 1e-6 * (double)sp->totals.edges / (seconds > 0 ? seconds : 1e-9),
             format_size(memory_peak_bytes(), peak, sizeof peak));
}

/* Prints the table of thresholds, with predicted times, to --sweep or to standard error. */
static enum status print_sweep(const struct cli *cli, const struct command *c, const struct separation *s,
                               const struct split *split, struct memory_budget *budget, struct error *e)
{
    struct predicted *predicted = NULL;
    if (cli->quiet && c->sweep == NULL)
        return ST_OK;
    if (predict_sweep(&predicted, s, split->sweep, split->sweep_rows, (struct shard_layout){c->p, c->words.links}, budget, e) == ST_OK) {
        const struct sweep_table table = {.split = split, .predicted = predicted, .p = c->p};
        if (c->sweep != NULL)
            sweep_write_tsv(&table, c->sweep, e);
        else
            sweep_print(&table, stderr);
    }
    memory_release(budget, predicted);
    return e->status;
}

/* ---- the work ---- */

/* Checks that the memory left can hold a split for standard output, which is collected in a buffer that grows by doubling. */
static enum status check_output(const struct command *c, const struct split *split,
                                const struct memory_budget *budget, struct error *e)
{
    char need[16];
    uint64_t bytes = 2 * 16 * (split->d + split->histogram_rows);
    if (!is_standard(c->output) || bytes <= memory_left(budget))
        return ST_OK;
    return fail(e, ST_RESOURCE, "standard output: holding the split needs %s, more than is left of "
                "the memory budget (-S): '-o FILE' does not hold it",
                format_size(bytes, need, sizeof need));
}

/* Sets *choice to the TH given, or to the one that the rule suggests, which is then printed. */
static enum status choose_th(const struct cli *cli, const struct command *c, const struct separation *s,
                             struct split_choice *choice, struct memory_budget *budget, struct error *e)
{
    struct suggestion suggestion;
    char line[SUGGEST_LINES][SUGGEST_LINE_BYTES];
    const struct shard_layout layout = {c->p, c->words.links};
    *choice = (struct split_choice){.th = c->th, .other = c->th, .by = TH_GIVEN};
    if (c->th_given || suggest(&suggestion, s, layout, c->choice, budget, e) != ST_OK)
        return e->status;
    suggest_describe(&suggestion, line);
    for (int i = 0; i < SUGGEST_LINES; i++)
        cli_note(cli, "%s", line[i]);
    choice->th = suggestion_th(&suggestion);
    choice->other = suggestion.by_memory.th;
    if (c->choice == TH_BY_MEMORY)
        choice->other = suggestion.by_time.th;
    choice->by = c->choice;
    choice->p = c->p;
    return ST_OK;
}

/* Returns the most delegates there can be: the edge ends divided by TH + 1 or, if TH follows the rule of memory, 4n/p. */
static uint64_t most_delegates(const struct command *c, const struct separation_plan *p)
{
    uint64_t most = p->totals.n < p->directed_edges ? p->totals.n : p->directed_edges;
    if (c->th_given && c->th == TH_INFINITE)
        return 0;
    uint64_t bound = c->th_given                    ? p->directed_edges / (c->th + 1)
                     : c->choice == TH_BY_MEMORY ? 4 * p->totals.n / c->p
                                                 : most;
    return bound < most ? bound : most;
}

/* Prints what the separation would take (--plan). */
static enum status print_plan(const struct command *c, const struct edge_source *source,
                              const struct separation_options *options,
                              const struct memory_budget *budget, struct error *e)
{
    struct separation_plan p;
    char *text = NULL;
    size_t size = 0;
    if (separation_plan_make(&p, source, options, budget, e) != ST_OK)
        return e->status;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return fail_memory(e, "the plan", size);
    uint64_t d = most_delegates(c, &p), passes = p.degree_passes + p.scan_passes;
    uint64_t memory = budget->taken_bytes + p.values_bytes + p.tables_bytes + 16 * d;
    separation_plan_print(&p, out);
    plan_print(out, "class-passes", p.scan_passes, PLAN_EXACT);
    plan_print(out, "stream-bytes-read", passes * p.stream_bytes, PLAN_EXACT);
    plan_print(out, "delegates", d, d == 0 ? PLAN_EXACT : PLAN_AT_MOST);
    plan_print(out, "memory-budget", budget->limit_bytes, PLAN_EXACT);
    plan_print(out, "memory", memory < budget->limit_bytes ? memory : budget->limit_bytes,
               PLAN_AT_MOST);
    plan_print(out, "temporary-disk", p.disk_bytes, PLAN_AT_MOST);
    fclose(out);
    if (c->json)
        json_lines_print(stdout, text);
    else
        fputs(text, stdout);
    free(text);
    return fflush(stdout) == 0 ? ST_OK : fail_errno(e, "standard output", "cannot write");
}

/* Chooses TH, writes the split and prints the table. Every rank has the same numbers; the first one calls it. */
static enum status write_results(const struct cli *cli, const struct command *c,
                                 struct separation *s, struct memory_budget *budget,
                                 double start, struct error *e)
{
    struct split split = {0};
    struct split_choice choice;
    struct delegate_pass pass;
    struct outfile *out = NULL;
    if (choose_th(cli, c, s, &choice, budget, e) == ST_OK &&
        split_make(&split, &pass, s, &choice, budget, e) == ST_OK &&
        check_output(c, &split, budget, e) == ST_OK && outfile_open(&out, c->output, e) == ST_OK)
        split_write(&split, out, e);
    if (outfile_commit(out, NULL, e) == ST_OK && print_sweep(cli, c, s, &split, budget, e) == ST_OK)
        print_summary(cli, s, &split, cli_seconds() - start);
    split_free(&split);
    return e->status;
}

/* Counts degrees and classes on all ranks, and has the first one write the results. */
static enum status separate(const struct cli *cli, const struct command *c,
                            struct edge_source *source,
                            const struct separation_options *options,
                            struct memory_budget *budget, struct error *e)
{
    double start = cli_seconds();
    struct separation separation = {0};
    if (separation_degrees(&separation, source, options, budget, e) == ST_OK &&
        separation_classes(&separation, source, budget, e) == ST_OK && source->comm->rank == 0)
        write_results(cli, c, &separation, budget, start, e);
    separation_free(&separation, budget);
    return comm_agree(source->comm, e);
}

/* Refuses an output that would replace the input, another output or, without --force, an older file, that cannot be written, or
 * that has the suffix of another format. */
static enum status check_outputs(const struct cli *cli, const struct command *c, struct error *e)
{
    const char *output = c->output != NULL && !c->plan ? c->output : "-";
    if (outfile_refuse_inputs(output, c->inputs.path, c->inputs.count, e) != ST_OK || c->plan ||
        outfile_refuse_inputs(c->sweep, c->inputs.path, c->inputs.count, e) != ST_OK ||
        outfile_refuse_output(c->output, c->sweep, e) != ST_OK ||
        result_name_check(c->output, RESULT_IS_SPLIT, cli->program, e) != ST_OK ||
        result_name_check(c->sweep, RESULT_IS_TABS, cli->program, e) != ST_OK)
        return e->status;
    if (outfile_check_output(c->output, cli->force, e) == ST_OK)
        outfile_check_output(c->sweep, cli->force, e);
    return e->status;
}

/* The work of the program, once its options are read. Collective. */
static enum status degsplit(const struct cli *cli, const struct command *c, const struct comm *comm, struct error *e)
{
    struct edge_source source = {0};
    struct memory_budget budget;
    struct spill spill;
    const char *folder[CLI_MAX_TMPDIRS];
    struct separation_options options = {.threads = cli_threads(cli), .p = 1, .spill = &spill};
    spill_open(&spill, folder, cli_tmpdirs(cli, folder));
    progress_start(cli);
    if (check_outputs(cli, c, e) == ST_OK)
        memory_budget_process(&budget, comm_memory(comm, cli->memory_bytes), &options.threads, e);
    if (comm_agree(comm, e) == ST_OK &&
        edge_source_open(&source, &c->inputs, cli_tmpdir(cli, 0), comm, &budget, e) == ST_OK) {
        options.threads = cli_threads_worth(cli, options.threads, source.largest_share);
        edge_source_warn_missing(&source, cli);
        if (!c->plan &&
            edge_source_make_dense(&source, /* p */ 1, options.threads, &budget, e) == ST_OK)
            separate(cli, c, &source, &options, &budget, e);
        else if (c->plan && comm->rank == 0)
            print_plan(c, &source, &options, &budget, e);
        comm_agree(comm, e);
    }
    progress_end();
    spill_close(&spill);
    edge_source_close(&source);
    return e->status;
}

int main(int argc, char **argv)
{
    struct cli cli = {.program = "degsplit", .help = help};
    struct command command = {.p = 1};
    struct comm comm;
    struct error e = {0};
    cli_begin();
    if (comm_start_tool(&comm, &cli, &e) != ST_OK)
        return cli_finish(&cli, &e);
    parse_arguments(&cli, &command, argc, argv);
    comm_warn_of_idle_cores(&comm, &cli);
    edge_inputs_open(&command.inputs, argv + optind, (size_t)(argc - optind), comm.rank, &e);
    command.inputs.base = command.base;
    if (comm_agree(&comm, &e) == ST_OK &&
        watch_start(&comm, cli.program, cli.timeout_s, &e) == ST_OK)
        degsplit(&cli, &command, &comm, &e);
    edge_inputs_close(&command.inputs);
    return cli_finish(&cli, &e);
}
