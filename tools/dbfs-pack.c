/* dbfs-pack.c: packs an edge stream into a shard directory for dbfs-traverse; lists and verifies such directories. */
#include "formats/mpi/watch.h"
#include "formats/base/cli.h"
#include "formats/base/json_lines.h"
#include "formats/base/outfile.h"
#include "formats/base/progress.h"
#include "formats/base/text.h"
#include "formats/result_name.h"
#include "tools/pack/pack.h"
#include "tools/pack/folder/pack_lack.h"
#include "tools/pack/folder/pack_list.h"
#include "tools/pack/folder/pack_plan.h"
#include "tools/pack/folder/pack_verify.h"
#include "formats/mpi/comm.h"
#include "tools/separate/separate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: dbfs-pack [-p P] [-s FILE.split | -t TH] -o DIR [OPTION...] [FILE.edges...]\n"
    "       dbfs-pack --plan [-p P] [-s FILE.split | -t TH] [OPTION...] FILE.edges...\n"
    "       dbfs-pack --list DIR\n"
    "       dbfs-pack --verify DIR\n"
    "Distributes a graph over P shards, one for each GPU of a traversal, and writes them into DIR.\n"
    "Several FILEs are one graph. Without FILE, or with '-', the edge stream is read from standard\n"
    "input. Under mpiexec all ranks share the work; %r in FILE is the rank, which alone reads that\n"
    "file.\n"
    "\n"
    "  -p, --shards P         number of shards, 1 (the default) to 4096\n"
    "  -s, --split FILE       take TH from a .split that degsplit made from the same stream\n"
    "  -t, --threshold TH     vertices of degree above TH are delegates; 'inf' for none\n"
    "                         (without -s and -t: the TH that degsplit suggests for P)\n"
    "      --suggest RULE     time, the default: the TH that is predicted to be searched fastest;\n"
    "                         memory: the rule of the paper\n"
    "      --for MACHINE      gpu, cpu or both, the default: where searches are to be fast\n"
    "      --links KIND       how shards reach each other: peer, host, network, or auto, the default:\n"
    "                         up to 8 as peers, more with a network between hosts of 8\n"
    "  -o, --output DIR       a new or empty folder\n"
    "      --force            write into a folder that is not empty; replaces a packed graph\n"
    "      --resume           go on with a packing of the same options that was interrupted; also\n"
    "                         into a new or empty folder\n"
    "      --heads LIST       head columns per subgraph, such as nd=1,dd=4 (0 to 8, or 'auto':\n"
    "                         the default, two for nd and dd where most rows have an edge)\n"
    "      --encoding E       raw: sections that are used where they are mapped; packed: small\n"
    "                         ones, decoded when a search starts; auto, the default: packed where\n"
    "                         that takes at most three quarters of the bytes\n"
    "      --layout 2d=RxC    R x C shards without delegates (-p and -t follow), and beside them the\n"
    "                         grid parts that dbfs-traverse-2d searches\n"
    "      --rows LIST        of a directed graph: out, for half of the size, and searches then only push;\n"
    "                         out,in, the default, also to pull and to search in reverse\n"
    "      --base 0|1         what people call the first vertex, whatever the streams say\n"
    "      --plan             only print what it would take: memory, temporary disk, passes over the\n"
    "                         stream, bytes of a shard\n"
    "      --list             print what a shard directory holds\n"
    "      --json             --plan and --list as JSON\n"
    "      --verify           check every byte of a shard directory\n"
    "  -@, --threads N        0, the default, is all cores\n"
    "  -S, --memory SIZE      memory of the process at most, 32M or more (default: 3/4 of what is\n"
    "                         available); what it cannot hold goes to temporary files\n"
    "  -T, --tmpdir DIR       folder for temporary files (default: $TMPDIR or /tmp); may be given\n"
    "                         several times, and all of them are used\n"
    "      --timeout SECONDS  end the job if a rank does not go on for so long (default: never)\n"
    "  -q, --quiet  -v, --verbose  -h, --help  --version\n";

enum action { PACK, PLAN, LIST, VERIFY };

static const char *const action_option[] = {NULL, "--plan", "--list", "--verify"};

struct command {
    enum action action;
    struct pack_options pack;
    int resume, json;
    char making[CLI_OPTION_BYTES]; /* the last option that shards are made by; empty: there is none */
    struct suggest_words words; /* --suggest, --for, --links */
    const char *suggesting;     /* the first of these that was given; NULL: none was */
    enum base_choice base;
    struct edge_inputs inputs;
    const char *directory; /* to look at, with LIST and VERIFY */
};

/* Takes the text of --heads: "nd=1,dd=auto", or "auto" for all subgraphs. Those that are not named keep their default. */
static void take_heads(struct cli *cli, const struct cli_row *row, const char *text)
{
    int *heads = row->value;
    if (strcmp(text, "auto") == 0) {
        for (int g = 0; g < SUBGRAPHS; g++)
            heads[g] = HEADS_AUTO;
        return;
    }
    while (*text != '\0') {
        char number[8];
        int g = 0, length = (int)strcspn(text, ",");
        while (g < SUBGRAPHS && strncmp(text, subgraph_name[g], 2) != 0)
            g++;
        if (g == SUBGRAPHS || text[2] != '=' || length < 4 || length - 3 >= (int)sizeof number)
            cli_usage(cli, "--heads: '%.*s' is not SUBGRAPH=NUMBER such as nd=1", length, text);
        snprintf(number, sizeof number, "%.*s", length - 3, text + 3);
        heads[g] = strcmp(number, "auto") == 0
                       ? HEADS_AUTO
                       : (int)cli_number(cli, "--heads", number, 0, HEADS_MOST);
        text += length + (text[length] == ',');
    }
}

/* Sets the action to the one of the row; a second one is a usage error. */
static void take_action(struct cli *cli, const struct cli_row *row, const char *text)
{
    enum action *action = row->value, given = (enum action)row->least;
    (void)text;
    if (*action != PACK && *action != given)
        cli_usage(cli, "%s and %s exclude each other", action_option[*action], action_option[given]);
    *action = given;
}

static void take_th(struct cli *cli, const struct cli_row *row, const char *text)
{
    struct pack_options *pack = row->value;
    struct error e = {0};
    pack->th_given = 1;
    if (th_parse(text, &pack->th, &e) != ST_OK)
        cli_usage(cli, "%s", e.text);
}

static void take_layout(struct cli *cli, const struct cli_row *row, const char *text)
{
    if (grid_layout_parse(text, row->value) != 0)
        cli_usage(cli, "--layout: '%s' is not 2d=RxC, with R and C from 1 to 4096", text);
}

/* Refuses options that exclude each other, or that are missing. */
static void check_command(const struct cli *cli, const struct command *c)
{
    const struct pack_options *p = &c->pack;
    if (c->json && c->action != LIST && c->action != PLAN)
        cli_usage(cli, "--json goes with --plan or --list");
    if (c->action == LIST || c->action == VERIFY) {
        if (c->directory == NULL)
            cli_usage(cli, "which shard directory?");
        if (c->inputs.count > 1)
            cli_usage(cli, "more than one shard directory: '%s'", c->inputs.path[1]);
        if (c->making[0] != '\0')
            cli_usage(cli, "%s only reads: leave out %s", action_option[c->action], c->making);
        return;
    }
    if (p->folder == NULL && c->action == PACK)
        cli_usage(cli, "-o DIR is required");
    if (p->folder != NULL && strcmp(p->folder, "-") == 0)
        cli_usage(cli, "-o -: shards are a folder of files, which standard output cannot take: -o DIR");
    if (p->split_path != NULL && p->th_given)
        cli_usage(cli, "-s and -t exclude each other");
    if ((p->split_path != NULL || p->th_given) && c->suggesting != NULL)
        cli_usage(cli, "%s and %s exclude each other", p->th_given ? "-t" : "-s", c->suggesting);
    if (cli->force && c->resume)
        cli_usage(cli, "--force and --resume exclude each other");
    if (p->split_path != NULL && strcmp(p->split_path, "-") == 0 &&
        edge_inputs_have_stdin(&c->inputs))
        cli_usage(cli, "-s and the edges cannot both be standard input");
}

/* Sets p and TH as a grid needs them: no delegates. Refuses options that say otherwise. */
static void settle_layout(const struct cli *cli, struct command *c)
{
    struct pack_options *p = &c->pack;
    const uint64_t shards = (uint64_t)c->pack.layout.r * c->pack.layout.c;
    if (shards == 0)
        return;
    if (shards > PACK_MAX_P || (p->p != 0 && p->p != shards))
        cli_usage(cli, "--layout: a grid of %u x %u has %" PRIu64 " shards%s", c->pack.layout.r, c->pack.layout.c, shards,
                  shards > PACK_MAX_P ? ", which are too many" : ", and -p says otherwise");
    if (p->split_path != NULL || (p->th_given && p->th != TH_INFINITE))
        cli_usage(cli, "--layout: a grid has no delegates: leave out %s", p->th_given ? "-t" : "-s");
    p->p = (uint32_t)shards;
    p->th_given = 1;
    p->th = TH_INFINITE;
}

/* Reads the options and opens the inputs into *c; settles what follows from several options. */
static void parse_arguments(struct cli *cli, struct command *c, int argc, char **argv, uint32_t rank, struct error *e)
{
    struct pack_options *pack = &c->pack;
    struct cli_row rows[] = {{"shards", 'p', CLI_U32, .value = &pack->p, .least = 1, .most = PACK_MAX_P},
                             {"split", 's', CLI_ONCE, .value = &pack->split_path},
                             {"threshold", 't', CLI_CALL, .value = pack, .take = take_th},
                             {"output", 'o', CLI_ONCE, .value = &pack->folder},
                             {"resume", 0, CLI_SET, .value = &c->resume},
                             {"heads", 0, CLI_CALL, .value = pack->heads, .take = take_heads},
                             {"encoding", 0, CLI_CHOICE, .value = &pack->encoding, .words = "raw|packed|auto"},
                             {"rows", 0, CLI_CHOICE, .value = &pack->out_only, .words = "out,in|out"},
                             SUGGEST_ROWS(&c->words),
                             {"layout", 0, CLI_CALL, .value = &pack->layout, .take = take_layout},
                             {"base", 0, CLI_CALL, .value = &c->base, .take = edge_base_take},
                             {"plan", 0, CLI_CALL_BARE, .value = &c->action, .take = take_action, .least = PLAN},
                             {"list", 0, CLI_CALL_BARE, .value = &c->action, .take = take_action, .least = LIST},
                             {"verify", 0, CLI_CALL_BARE, .value = &c->action, .take = take_action, .least = VERIFY},
                             {"json", 0, CLI_SET, .value = &c->json},
                             {"timeout", 0, CLI_REAL, .value = &cli->timeout_s}};
    const int count = sizeof rows / sizeof *rows;
    c->pack.encoding = PACK_AUTO;
    for (int g = 0; g < SUBGRAPHS; g++)
        c->pack.heads[g] = HEADS_AUTO;
    cli_read_rows(cli, argc, argv, rows, count);
    strcpy(c->making, cli->force ? "--force" : "");
    const struct cli_row *plan = cli_row_of(rows, count, "--plan"); /* shards are made with the rows before this one */
    int last = 0;
    for (const struct cli_row *row = rows; row < plan; row++) {
        if (row->given > last) {
            cli_option_text(row, c->making);
            last = row->given;
        }
    }
    settle_layout(cli, c);
    c->pack.p = c->pack.p == 0 ? 1 : c->pack.p;
    c->directory = argv[optind]; /* NULL at the end of argv */
    if (edge_inputs_open(&c->inputs, argv + optind, (size_t)(argc - optind), rank, e) != ST_OK)
        return;
    c->suggesting = suggest_option_given(rows, count);
    check_command(cli, c);
    c->pack.suggest_by = suggest_choice(cli, &c->words, rows, count);
    c->pack.links = c->words.links;
    c->inputs.base = c->base;
    c->inputs.pipe_use = c->action == PACK ? PIPE_LIVE : c->action == PLAN ? PIPE_LIVE_IF_TOLD : PIPE_KEPT;
    c->pack.threads = cli_threads(cli);
    c->pack.mode = cli->force ? FOLDER_FORCE : c->resume ? FOLDER_RESUME
                   : cli->within_dbfs ? FOLDER_ONCE : FOLDER_NEW;
}

/* Says which parts --resume found, or will find after a failure, and which are on other hosts. */
static void print_progress(const struct cli *cli, const struct pack_options *o,
                           const struct pack_report *r, const struct error *e)
{
    char peak[16];
    if (e->status != ST_OK && r->finished_parts > 0 && o->mode != FOLDER_ONCE)
        cli_warn(cli, "%s: %u of %u parts are finished and stay: --resume with the same options "
                 "goes on", o->folder, r->finished_parts, o->p);
    else if (r->complete)
        cli_note(cli, "%s: was complete already: %u parts proven in %.2f s, peak memory %s",
                 o->folder, r->taken_over, r->seconds.prove,
                 format_size(memory_peak_bytes(), peak, sizeof peak));
    else if (r->taken_over > 0)
        cli_note(cli, "%s: %u of %u parts were finished: proven in %.2f s", o->folder,
                 r->taken_over, o->p, r->seconds.prove);
    if (e->status == ST_OK && r->unseen_parts > 0)
        cli_warn(cli, "%s: %u of %u parts are in the folder of this name on other hosts: a search "
                 "needs all beside the manifest", o->folder, r->unseen_parts, o->p);
}

/* Prints the TH that each rule suggests, and why one of them is taken. */
static void print_suggestion(const struct cli *cli, const struct suggestion *suggestion)
{
    char line[SUGGEST_LINES][SUGGEST_LINE_BYTES];
    suggest_describe(suggestion, line);
    for (int i = 0; i < SUGGEST_LINES; i++)
        cli_report(cli, "%s", line[i]);
}

/* Prints how a packing that succeeded went. */
static void print_report(const struct cli *cli, const struct pack_options *o,
                         const struct pack_report *r, double seconds)
{
    char th[24], peak[16], spilled[16];
    double working = seconds - r->seconds.sync;
    if (r->suggested)
        print_suggestion(cli, &r->suggestion);
    cli_detail(cli, "degrees %.3f s, class counts %.3f s, order %.3f s, buckets %.3f s, shards "
               "%.3f s of which fsync %.3f s", r->seconds.degrees, r->seconds.classes,
               r->seconds.order, r->seconds.buckets, r->seconds.build, r->seconds.sync);
    if (r->spilled_bytes > 0)
        cli_report(cli, "spilled %s of edges to temporary files",
                   format_size(r->spilled_bytes, spilled, sizeof spilled));
    cli_report(cli, "TH %s%s, %" PRIu64 " delegates; kept nn %" PRIu64 ", nd %" PRIu64 ", dn %" PRIu64
               ", dd %" PRIu64, th_format(r->th, th, sizeof th), r->suggested ? " (suggested)" : "",
               r->d, r->edges[NN], r->edges[ND], r->edges[DN], r->edges[DD]);
    cli_report(cli, "%" PRIu64 " edges to %u shards in %.2f s and fsync %.2f s: %.1f M edges/s, peak "
               "memory %s", r->totals.edges, o->p, working, r->seconds.sync,
               1e-6 * (double)r->totals.edges / (working > 0 ? working : 1e-9),
               format_size(memory_peak_bytes(), peak, sizeof peak));
    if (o->layout.r > 0)
        cli_report(cli, "grid parts of %u x %u: %s in %.2f s", o->layout.r, o->layout.c,
                   format_size(r->grid.bytes, peak, sizeof peak), r->grid.seconds);
}

struct plan_context {
    struct pack_plan plan;
    struct pack_lack lack;
    const struct memory_budget *budget;
};

/* Prints all lines of the plan; a text_printer. */
static void print_plan(FILE *out, const void *context)
{
    const struct plan_context *p = context;
    pack_plan_print(&p->plan, p->budget, out);
    plan_print(out, "memory-lacking", p->lack.memory, PLAN_ESTIMATE);
    plan_print(out, "disk-lacking", p->lack.disk, PLAN_ESTIMATE);
}

/* Warns if the plan takes more memory or disk than there is. */
static void warn_lack(const struct cli *cli, const struct plan_context *p)
{
    char lacking[16], need[16], written[16];
    if (p->plan.if_fewer)
        cli_warn(cli, "this packing fits the memory budget (-S) with up to %" PRIu64 " vertices with edges, of them %" PRIu64
                 " delegates: how many there are a plan knows with -s, from degsplit", p->plan.connected, p->plan.d);
    if (p->lack.memory > 0)
        cli_warn(cli, "this packing may take %s of memory, %s more than is available",
                 format_size(p->plan.memory_bytes, need, sizeof need),
                 format_size(p->lack.memory, lacking, sizeof lacking));
    if (p->lack.disk > 0)
        cli_warn(cli, "this packing may take %s of disk for temporary files and %s for shards, %s more "
                 "than is free", format_size(p->plan.disk_bytes, need, sizeof need),
                 format_size(p->plan.written_bytes, written, sizeof written),
                 format_size(p->lack.disk, lacking, sizeof lacking));
}

/* Makes the plan of a packing and prints it (--plan). */
static enum status make_plan(const struct cli *cli, const struct command *c,
                             const struct edge_source *source, const struct memory_budget *budget,
                             struct error *e)
{
    const char *folder[CLI_MAX_TMPDIRS];
    struct plan_context p = {.budget = budget};
    size_t size;
    if (pack_plan_make(&p.plan, &c->pack, source, budget, e) != ST_OK)
        return e->status;
    p.lack = pack_lack_find(&p.plan, c->pack.folder, folder, (int)cli_tmpdirs(cli, folder));
    warn_lack(cli, &p);
    char *text = text_printed(print_plan, &p, &size);
    if (text == NULL)
        return fail_memory(e, "the plan", size);
    if (c->json)
        json_lines_print(stdout, text);
    else
        fputs(text, stdout);
    free(text);
    return fflush(stdout) == 0 ? ST_OK : fail_errno(e, "standard output", "cannot write");
}

/* Refuses a packing that would replace or remove its own input, or a folder with the suffix of a file; and a plan that would be
 * appended to an input. */
static enum status check_folder(const struct cli *cli, const struct command *c, struct error *e)
{
    const char *folder = c->pack.folder;
    if (c->action == PACK &&
        pack_folder_refuse_inputs(folder, c->inputs.path, c->inputs.count, e) == ST_OK &&
        pack_folder_refuse_inputs(folder, &c->pack.split_path, 1, e) == ST_OK)
        result_name_check(folder, RESULT_IS_FOLDER, cli->program, e);
    if (c->action == PLAN && outfile_refuse_inputs("-", c->inputs.path, c->inputs.count, e) == ST_OK)
        outfile_refuse_inputs("-", &c->pack.split_path, 1, e);
    return e->status;
}

/* Makes the packing, or its plan. Collective. */
static enum status run_pack(const struct cli *cli, struct command *c, const struct comm *comm, struct error *e)
{
    struct spill spill;
    const char *folder[CLI_MAX_TMPDIRS];
    struct edge_source source;
    struct memory_budget budget;
    struct pack_report report;
    double start = cli_seconds();
    progress_start(cli);
    if (comm->ranks > 1 && c->pack.split_path != NULL && strcmp(c->pack.split_path, "-") == 0)
        fail(e, ST_USAGE, "-s: under mpiexec, give a file that all ranks can read");
    if (e->status == ST_OK && check_folder(cli, c, e) == ST_OK)
        memory_budget_process(&budget, comm_memory(comm, cli->memory_bytes), &c->pack.threads, e);
    if (comm_agree(comm, e) != ST_OK ||
        edge_source_open(&source, &c->inputs, cli_tmpdir(cli, 0), comm, &budget, e) != ST_OK)
        return e->status;
    struct cli keeper = *cli;
    cli_keep_notes(&keeper);
    edge_source_warn_missing(&source, &keeper);
    spill_open(&spill, folder, cli_tmpdirs(cli, folder));
    c->pack.spill = &spill;
    if (c->action == PACK)
        pack_bound_pipe(&source, &c->pack, &budget, e);
    c->pack.threads = cli_threads_worth(cli, c->pack.threads, edge_source_share(&source));
    if (c->action == PACK && e->status == ST_OK)
        edge_source_make_dense(&source, c->pack.p, c->pack.threads, &budget, e);
    if (c->action == PLAN) {
        if (comm->rank == 0)
            make_plan(cli, c, &source, &budget, e);
        comm_agree(comm, e);
    } else if (e->status == ST_OK) {
        pack(&c->pack, &source, &budget, &report, e);
        progress_end();
        if (edge_source_spooled_bytes(&source) > 0)
            cli_detail(cli, "the pipe does not fit the memory: %" PRIu64 " bytes are in %s", edge_source_spooled_bytes(&source),
                       cli_tmpdir(cli, 0));
        print_progress(cli, &c->pack, &report, e);
    }
    if (e->status == ST_OK && c->action == PACK && !report.complete)
        print_report(cli, &c->pack, &report, cli_seconds() - start);
    spill_close(&spill);
    edge_source_close(&source);
    return e->status;
}

static void print_verified(const struct cli *cli, const char *folder, const struct verify_report *report,
                           double seconds)
{
    char size[16];
    cli_note(cli, "%s: %" PRIu32 " parts, %" PRIu64 " edges, %s: all in order (%.2f s)", folder, report->p,
             report->edges, format_size(report->bytes, size, sizeof size), seconds);
    if (report->grid_parts > 0)
        cli_note(cli, "%s: %" PRIu32 " grid parts have the same edges", folder, report->grid_parts);
    if (report->dropped == 0)
        cli_note(cli, "%s: the edges sum up to the checksum of the input", folder);
    else
        cli_note(cli, "%s: without the %" PRIu64 " directed edges dropped as duplicates, the checksum of the "
                 "input cannot be summed up", folder, report->dropped);
}

/* Checks every byte of the folder (--verify). */
static enum status run_verify(const struct cli *cli, const struct command *c, struct error *e)
{
    struct memory_budget budget;
    struct verify_report report;
    double start = cli_seconds();
    memory_budget_init(&budget, cli->memory_bytes);
    if (pack_verify(c->directory, c->pack.threads, &budget, &report, e) == ST_OK)
        print_verified(cli, c->directory, &report, cli_seconds() - start);
    return e->status;
}

/* Lists or verifies a folder, which is the work of one rank. */
static enum status run_look(const struct cli *cli, const struct command *c, const struct comm *comm, struct error *e)
{
    if (comm->rank == 0 && c->action == LIST)
        pack_list(c->directory, c->json, stdout, e);
    else if (comm->rank == 0)
        run_verify(cli, c, e);
    return comm_agree(comm, e);
}

int main(int argc, char **argv)
{
    struct cli cli = {.program = "dbfs-pack", .help = help};
    struct command command = {0};
    struct comm comm;
    struct error e = {0};
    cli_begin();
    cli_called(&cli);
    if (comm_start_tool(&comm, &cli, &e) != ST_OK)
        return cli_finish(&cli, &e);
    parse_arguments(&cli, &command, argc, argv, comm.rank, &e);
    comm_warn_of_idle_cores(&comm, &cli);
    if (comm_agree(&comm, &e) == ST_OK)
        watch_start(&comm, cli.program, cli.timeout_s, &e);
    if (e.status == ST_OK && (command.action == PACK || command.action == PLAN))
        run_pack(&cli, &command, &comm, &e);
    else if (e.status == ST_OK)
        run_look(&cli, &command, &comm, &e);
    edge_inputs_close(&command.inputs);
    progress_end();
    return cli_finish(&cli, &e);
}
