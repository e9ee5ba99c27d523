/* report.c: prints records of searches as text and as JSON; see report.h */
#include "report.h"

#include "traverse/options/options.h"
#include "report_text.h"
#include "statistics.h"

#include "formats/base/cli.h"
#include "formats/base/hash.h"
#include "formats/base/json_format.h"
#include "formats/base/outfile.h"
#include "formats/base/text.h"
#include "formats/split.h"

#include <inttypes.h>
#include <string.h>

/* The revision of the build, which the Makefile gets from `git describe`. It is empty if the revision is not known. */
#ifndef DBFS_REVISION
#define DBFS_REVISION ""
#endif

/* Returns the name of the memory through which devices exchange: "peer", "device" or "host", as in --exchange-memory. */
static const char *exchange_memory_name(const struct environment *env)
{
    if (env->searcher->exchange.group.has_whole_host)
        return "peer";
    return env->searcher->rank.exchange_memory == EXCHANGE_DEVICE ? "device" : "host";
}

/* Returns a description of the set-up, which began at the time `begun` (cli_seconds) and ends now. */
struct environment environment_of(const struct searcher *s, char *const *command, double begun)
{
    return (struct environment){.searcher = s,
                                .command = command,
                                .devices = rank_describe(&s->rank),
                                .start_s = cli_seconds() - begun};
}

/* Returns the share of the vertices with edges that a search has reached; 1 if no vertex has an edge. */
static double reached_share(const struct environment *env, const struct record *r)
{
    uint64_t vertices = env->searcher->rank.graph->vertices;
    return vertices > 0 ? (double)r->reach.vertices / (double)vertices : 1;
}

/* ---- lines of text ---- */

/* Prints lines of text about the set-up: about the graph, the devices, and the times of loading. */
void report_environment(FILE *out, const struct environment *env)
{
    const struct searcher *s = env->searcher;
    const struct graph *graph = &s->graph;
    const struct manifest *m = &graph->manifest;
    const struct rank_description *devices = &env->devices;
    const struct device_description *slowest = &devices->slowest;
    fprintf(out, "graph: %s\nvertices: %" PRIu64 "\nvertices_with_edges: %" PRIu64 "\ninput_edges: %" PRIu64 "\n",
            s->args->folder, m->totals.n, graph->vertices, m->totals.edges);
    edges_print(out, m, s->args->reverse);
    if (m->th == TH_INFINITE)
        fputs("th: inf\n", out);
    else
        fprintf(out, "th: %" PRIu64 "\n", m->th);
    fprintf(out, "delegates: %" PRIu64 "\n", m->d);
    if (graph->joined_shards > 0)
        fprintf(out, "joined: %u shards, in %.6f s\n", graph->joined_shards, graph->join_s);
    if (s->one_gpu.gpus > 1)
        fprintf(out, "predicted: %.0f us a search by %u GPUs, %.0f by one\n", 1e6 * s->one_gpu.several_s, s->one_gpu.gpus,
                1e6 * s->one_gpu.one_s);
    fprintf(out, "setup: %u ranks x %u shards, %d threads a rank, %s backend\n",
            s->rank.comm->ranks, graph->device_count, s->threads, s->rank.backend->name);
    if (slowest->choices[0] != '\0')
        fprintf(out, "gpu: %s\n", slowest->choices);
    fprintf(out, "exchange_memory: %s\n", exchange_memory_name(env));
    fprintf(out, "resident: %s (%" PRIu64 " bytes", residence_name[devices->resident], devices->bytes);
    if (devices->host_bytes > 0)
        fprintf(out, ", %" PRIu64 " of host memory", devices->host_bytes);
    fputs(")\ndirection: ", out);
    options_print_choice(out, s->args, "direction");
    fprintf(out, "\nload_s: %.6f (open %.6f, check %.6f, decode %.6f, ranges %.6f)\n",
            graph->open_s + graph->check_s + graph->join_s + graph->decode_s + graph->ranges_s, graph->open_s,
            graph->check_s, graph->decode_s, graph->ranges_s);
    if (slowest->load_s > 0)
        fprintf(out, "device_load_s: %.6f (%.1f GB/s, ranges %.6f)\n", slowest->load_s,
                1e-9 * (double)(slowest->bytes + slowest->host_bytes) / slowest->load_s, slowest->ranges_s);
    fflush(out);
}

/* Prints what opens the answers that are kept of one search: parents and then depths, each as its number, the bytes of a value and the
 * handle. */
static void print_kept(FILE *out, const struct kept_answer *kept)
{
    static const char *const name[] = {"parents", "depths"};
    fprintf(out, " gpu %s values %" PRIu64, kept->at.gpu, kept->values);
    for (int i = 0; i < 2; i++) {
        fprintf(out, " %s %" PRIu64 ":%" PRIu32 ":", name[i], kept[i].number, kept[i].width);
        for (size_t b = 0; b < sizeof kept->at.handle; b++)
            fprintf(out, "%02x", kept[i].at.handle[b]);
    }
}

/* Prints a line of text about one search. */
void report_record(FILE *out, const struct environment *env, const struct record *r)
{
    fprintf(out,
            "root %" PRIu64 " time_s %.9f levels %" PRIu64 " reached %" PRIu64
            " share %.6f edges %" PRIu64 " teps %.6e checksum %016" PRIx64,
            shown_id(env->searcher->rank.graph, r->root), r->time_s, r->reach.levels, r->reach.vertices, reached_share(env, r),
            r->reach.edges, record_number(r, SEARCH_TEPS), r->reach.checksum);
    if (r->answer_s > 0)
        fprintf(out, " answer_s %.9f answer_teps %.6e", r->answer_s, record_number(r, ANSWER_TEPS));
    if (r->validate_s > 0)
        fprintf(out, " validate_s %.6f", r->validate_s);
    if (r->roots != NULL)
        fprintf(out, " roots %" PRIu64, r->root_count);
    if (r->kept != NULL)
        print_kept(out, &r->kept->all[r->kept->count - 2]);
    if (r->name != NULL) {
        fputs(" name ", out);
        text_print_visible(out, r->name, strlen(r->name));
    }
    fputc('\n', out);
    fflush(out);
}

/* The statistics that the summary shows. dbfs-report prints more statistics. */
struct summary {
    double median_s, median_answer_s; /* medians of time_s and of answer_s; the latter is 0 if no answers are made */
    double harmonic_mean_teps;
    uint64_t checksum; /* a checksum of all distances from all roots; the order of the roots does not matter */
};

/* Returns the statistics of records[count]. */
static struct summary summarise(const struct record *records, uint64_t count)
{
    struct statistics times, answers, rates;
    uint64_t checksum = 0;
    statistics_of(records, count, SEARCH_TIME, &times);
    statistics_of(records, count, ANSWER_TIME, &answers);
    statistics_of(records, count, SEARCH_TEPS, &rates);
    for (uint64_t i = 0; i < count; i++)
        checksum += hash_pair(records[i].root, records[i].reach.checksum);
    return (struct summary){times.median, answers.median, rates.harmonic_mean, checksum};
}

/* Prints lines of text with statistics over all searches. */
void report_summary(FILE *out, const struct record *records, uint64_t count)
{
    struct summary all = summarise(records, count);
    fprintf(out, "NBFS: %" PRIu64 "\nmedian_time: %.9g\n", count, all.median_s);
    if (all.median_answer_s > 0)
        fprintf(out, "median_answer_time: %.9g\n", all.median_answer_s);
    fprintf(out, "harmonic_mean_TEPS: %.9g\ndistance_checksum: %016" PRIx64 "\n", all.harmonic_mean_teps, all.checksum);
    fflush(out);
}

/* ---- JSON ---- */

/* Sets `model` to the model of the CPU in /proc/cpuinfo, or to an empty text if this file has none. */
static void read_cpu(char model[256])
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    model[0] = '\0';
    while (file != NULL && model[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "model name : %255[^\n]", model) != 1 && sscanf(line, "cpu : %255[^\n]", model) != 1)
            sscanf(line, "Model : %255[^\n]", model);
    }
    if (file != NULL)
        fclose(file);
}

/* Prints an object with a member for each subgraph: its factor in factor[SUBGRAPHS]. */
static void json_factors(struct json *json, const char *name, const double *factor)
{
    json_begin(json, name, '{');
    for (int g = 0; g < SUBGRAPHS; g++)
        json_member(json, subgraph_name[g], JSON_DIGITS, factor[g]);
    json_end(json, '}');
}

/* Prints those members of "environment" that describe the graph: sizes, packing, and the seconds of each step of opening. */
static void json_graph(struct json *json, const struct graph *graph)
{
    const struct manifest *m = &graph->manifest;
    json_member(json, "\nvertices", JSON_COUNT, m->totals.n);
    json_member(json, "vertices_with_edges", JSON_COUNT, graph->vertices);
    json_member(json, "base", JSON_COUNT, graph->base);
    json_member(json, "input_edges", JSON_COUNT, m->totals.edges);
    json_member(json, "input_loops", JSON_COUNT, m->totals.loops);
    if (m->th == TH_INFINITE)
        json_text(json, "\nth", "inf");
    else
        json_member(json, "\nth", JSON_COUNT, m->th);
    json_member(json, "delegates", JSON_COUNT, m->d);
    json_begin(json, "\nedges_kept", '{');
    for (int g = 0; g < SUBGRAPHS; g++)
        json_member(json, subgraph_name[g], JSON_COUNT, m->edges[g]);
    json_end(json, '}');
    edges_json(json, m);
    json_member(json, "pack_id", JSON_HEX, m->pack_id);
    json_member(json, "load_open_s", JSON_SECONDS, graph->open_s);
    json_member(json, "load_check_s", JSON_SECONDS, graph->check_s);
    json_member(json, "load_decode_s", JSON_SECONDS, graph->decode_s);
    json_member(json, "\nload_ranges_s", JSON_SECONDS, graph->ranges_s);
}

/* Prints the member "environment" (the graph, the machine, the options and the set-up), and a comma. */
void report_json_environment(FILE *out, const struct environment *env)
{
    const struct searcher *s = env->searcher;
    const struct args *args = s->args;
    const struct comm *comm = s->rank.comm;
    const struct rank_description *devices = &env->devices;
    struct json j = {out, "    ", 0};
    char cpu[256];
    read_cpu(cpu);
    fputs("  \"environment\": {", out);
    json_text(&j, "\nversion", DBFS_VERSION);
    json_text(&j, "graph", args->folder);
    json_text(&j, "\nrevision", DBFS_REVISION);
    json_command(&j, env->command);
    json_text(&j, "\ncpu", cpu); /* cpu, gpu, gpu_driver and cuda are empty texts if they are not known */
    json_text(&j, "gpu", devices->slowest.model);
    json_text(&j, "gpu_driver", devices->slowest.driver);
    json_text(&j, "cuda", devices->slowest.runtime);
    json_graph(&j, s->rank.graph);
    json_text(&j, "\nbackend", s->rank.backend->name);
    json_text(&j, "mpi", comm->library);
    json_text(&j, "host", comm->host);
    json_text(&j, "\nresident", residence_name[devices->resident]);
    json_member(&j, "resident_bytes", JSON_COUNT, devices->bytes);
    json_member(&j, "resident_host_bytes", JSON_COUNT, devices->host_bytes);
    json_member(&j, "\nranks", "%u", comm->ranks);
    json_member(&j, "shards_per_rank", "%u", s->rank.device_count);
    json_member(&j, "threads_per_rank", "%d", s->threads);
    json_member(&j, "ranks_on_host", "%u", comm->host_ranks);
    json_member(&j, "launched_ranks", "%u", s->launched_ranks);
    json_flag(&j, "\nparents", args->record_parents);
    options_json(&j, args);
    fputs(", ", out);
    j.any = 0;
    json_factors(&j, "\nfactor0", args->policy.factor0);
    json_factors(&j, "factor1", args->policy.factor1);
    json_text(&j, "\nexchange_memory", exchange_memory_name(env));
    if (args->max_depth != NO_MAX_DEPTH)
        json_member(&j, "max_depth", JSON_COUNT, args->max_depth);
    if (!args->roots_given)
        json_member(&j, "seed", JSON_COUNT, args->seed);
    if (s->results.answering) /* readers of the report must not compare answer_s of different layouts */
        json_text(&j, "answer_layout", answers_are_by_owner(s->results.graph) ? "owner" : "ids");
    json_member(&j, "device_load_s", JSON_SECONDS, devices->slowest.load_s);
    json_member(&j, "device_load_bytes", JSON_COUNT, devices->slowest.load_s > 0 ? devices->slowest.bytes : 0);
    json_member(&j, "start_s", JSON_SECONDS, env->start_s);
    json_member(&j, "peak_bytes", JSON_COUNT, env->peak_bytes);
    json_member(&j, "\njoined_shards", "%u", s->graph.joined_shards);
    json_member(&j, "load_join_s", JSON_SECONDS, s->graph.join_s);
    if (s->one_gpu.gpus > 1) {
        json_member(&j, "predicted_gpus", "%u", s->one_gpu.gpus);
        json_member(&j, "predicted_gpus_s", JSON_SECONDS, s->one_gpu.several_s);
        json_member(&j, "predicted_one_gpu_s", JSON_SECONDS, s->one_gpu.one_s);
    }
    fputs("\n  },\n", out);
}

static const char *const phase_name[PHASES] = {"previsit",        "visit_nn",        "visit_nd",
                                      "visit_dn",        "visit_dd",        "bins",
                                      "local_exchange",  "remote_exchange", "mask_reduction",
                                      "merged_exchange", "choose",          "ahead"};

/* Prints the table rows[count][members] as an object with an array for each column. Column m has the name name[m]. Its
 * numbers are doubles, in seconds, if in_seconds is set, otherwise uint64_t. */
static void json_columns(struct json *json, const char *title, const char *const *name, int members, const void *rows,
                         int in_seconds, uint64_t count)
{
    struct json columns = {json->out, "       ", 0};
    json_begin(json, title, '{');
    for (int member = 0; member < members; member++) {
        char begin[64];
        snprintf(begin, sizeof begin, "%s%s", member > 0 ? "\n" : "", name[member]);
        json_begin(&columns, begin, '[');
        for (uint64_t i = (uint64_t)member; i < count * (uint64_t)members; i += (uint64_t)members) {
            if (in_seconds)
                json_member(&columns, NULL, JSON_SECONDS, ((const double *)rows)[i]);
            else
                json_member(&columns, NULL, JSON_COUNT, ((const uint64_t *)rows)[i]);
        }
        json_end(&columns, ']');
    }
    json_end(json, '}');
}

/* Prints a record as an item of the array "roots". */
static void json_record(FILE *out, const struct environment *env, const struct record *r)
{
    _Static_assert(sizeof *r->level_times == PHASES * sizeof(double), "phases have nothing between them");
    _Static_assert(sizeof *r->level_exchanges == EXCHANGE_COUNTS * sizeof(uint64_t), "counts have nothing between them");
    _Static_assert(sizeof *r->pairs.note == PAIR_MEMBERS * sizeof(uint64_t), "members have nothing between them");
    struct json j = {out, "     ", 0};
    fputs("    {", out);
    json_member(&j, "root", JSON_COUNT, shown_id(env->searcher->rank.graph, r->root));
    json_member(&j, "time_s", JSON_EXACT, r->time_s);
    json_member(&j, "levels", JSON_COUNT, r->reach.levels);
    json_member(&j, "reached", JSON_COUNT, r->reach.vertices);
    json_member(&j, "reached_share", JSON_DIGITS, reached_share(env, r));
    json_member(&j, "edges", JSON_COUNT, r->reach.edges);
    json_member(&j, "teps", JSON_EXACT, record_number(r, SEARCH_TEPS));
    json_member(&j, "\nedges_no_loops", JSON_COUNT, r->reach.edges_no_loops);
    json_member(&j, "edges_kept", JSON_COUNT, r->reach.edges_kept);
    json_member(&j, "checksum", JSON_HEX, r->reach.checksum);
    json_member(&j, "\ncompute_s", JSON_SECONDS, r->compute_s);
    json_member(&j, "exchange_s", JSON_SECONDS, r->exchange_s);
    json_member(&j, "iterations", "%" PRIu32, r->iterations);
    json_member(&j, "mask_reductions", "%" PRIu32, r->mask_reductions);
    json_member(&j, "sent_vertices", JSON_COUNT, r->sent_vertices);
    if (r->answer_s > 0) {
        json_member(&j, "\nanswer_s", JSON_EXACT, r->answer_s);
        json_member(&j, "answer_teps", JSON_EXACT, record_number(r, ANSWER_TEPS));
    }
    if (r->validate_s > 0)
        json_member(&j, "validate_s", JSON_EXACT, r->validate_s);
    if (r->name != NULL)
        json_text(&j, "name", r->name);
    if (r->roots != NULL) {
        json_begin(&j, "\nroots", '[');
        for (uint64_t i = 0; i < r->root_count; i++)
            json_member(&j, NULL, JSON_COUNT, shown_id(env->searcher->rank.graph, r->roots[i]));
        json_end(&j, ']');
    }
    if (r->level_times != NULL) {
        json_columns(&j, "\nlevels_s", phase_name, PHASES, r->level_times, 1, r->iterations);
        json_columns(&j, "\nlevels_exchanged", exchange_count_name, EXCHANGE_COUNTS, r->level_exchanges, 0, r->iterations);
    }
    if (env->searcher->args->count_pairs)
        json_columns(&j, "\npairs_exchanged", pair_member_name, PAIR_MEMBERS, r->pairs.note, 0, r->pairs.count);
    fputs("}", out);
}

/* Prints the member "roots": an array with an item for each record. Prints no comma behind the array. */
void report_json_roots(FILE *out, const struct environment *env, const struct record *records, uint64_t count)
{
    fputs("  \"roots\": [\n", out);
    for (uint64_t i = 0; i < count; i++) {
        json_record(out, env, &records[i]);
        fputs(i + 1 < count ? ",\n" : "\n", out);
    }
    fputs("  ]\n", out);
}

/* The content of one report: the set-up and the records of all searches. */
struct report {
    const struct environment *env;
    const struct record *records;
    uint64_t count;
};

/* Called by outfile_print. Prints the report as one JSON object. The context is a struct report. */
static void print_json(FILE *out, const void *context)
{
    const struct report *report = context;
    struct summary all = summarise(report->records, report->count);
    fputs(JSON_OPEN, out);
    report_json_environment(out, report->env);
    fprintf(out, "  \"summary\": {\n    \"searches\": %" PRIu64 ", \"time_s\": {\"median\": %.9g}, ", report->count,
            all.median_s);
    if (all.median_answer_s > 0)
        fprintf(out, "\"answer_s\": {\"median\": %.9g}, ", all.median_answer_s);
    fprintf(out, "\"teps\": {\"harmonic_mean\": %.9g},\n    \"distance_checksum\": \"%016" PRIx64 "\"\n  },\n",
            all.harmonic_mean_teps, all.checksum);
    report_json_roots(out, report->env, report->records, report->count);
    fputs("}\n", out);
}

/* Writes the environment, the summary and all records to the file `path`, as one JSON object. */
enum status report_json(const char *path, const struct environment *env, const struct record *records, uint64_t count,
                        struct error *e)
{
    const struct report report = {env, records, count};
    return outfile_print(path, print_json, &report, e);
}
