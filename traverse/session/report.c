/* report.c: see report.h */
#include "report.h"

#include "traverse/options/options.h"
#include "report_text.h"
#include "statistics.h"

#include "formats/base/cli.h"
#include "formats/base/hash.h"
#include "formats/base/outfile.h"
#include "formats/base/text.h"
#include "formats/split.h"

#include <inttypes.h>
#include <string.h>

/* The revision of the build, as `git describe` names it (Makefile); empty if it was not known. */
#ifndef DBFS_REVISION
#define DBFS_REVISION ""
#endif

/* ---- lines ---- */

static const char *exchange_memory_name(const struct environment *env)
{
    if (env->searcher->exchange.group.of_host)
        return "peer";
    return env->searcher->rank.exchange_memory == EXCHANGE_DEVICE ? "device" : "host";
}

struct environment environment_of(const struct searcher *s, char *const *command, double begun)
{
    return (struct environment){.searcher = s,
                                .command = command,
                                .devices = rank_describe(&s->rank),
                                .start_s = cli_seconds() - begun};
}

void report_environment(FILE *out, const struct environment *env)
{
    const struct searcher *s = env->searcher;
    const struct graph *graph = &s->graph;
    const struct manifest *m = &graph->manifest;
    const struct rank_description *devices = &env->devices;
    const struct device_description *slowest = &devices->slowest;
    fprintf(out, "graph: %s\n", s->args->folder);
    fprintf(out, "vertices: %" PRIu64 "\n", m->totals.n);
    fprintf(out, "vertices_with_edges: %" PRIu64 "\n", graph->vertices);
    fprintf(out, "input_edges: %" PRIu64 "\n", m->totals.edges);
    edges_print(out, m, s->args->reverse);
    if (m->th == TH_INFINITE)
        fprintf(out, "th: inf\n");
    else
        fprintf(out, "th: %" PRIu64 "\n", m->th);
    fprintf(out, "delegates: %" PRIu64 "\n", m->d);
    fprintf(out, "setup: %u ranks x %u shards, %d threads a rank, %s backend\n",
            s->rank.comm->ranks, graph->device_count, s->threads, s->rank.backend->name);
    fprintf(out, "exchange_memory: %s\n", exchange_memory_name(env));
    fprintf(out, "resident: %s (%" PRIu64 " bytes", residence_name[devices->resident], devices->bytes);
    if (devices->host_bytes > 0)
        fprintf(out, ", %" PRIu64 " of host memory", devices->host_bytes);
    fprintf(out, ")\n");
    fputs("direction: ", out);
    options_print_choice(out, s->args, "direction");
    fputc('\n', out);
    fprintf(out, "load_s: %.6f (open %.6f, check %.6f, decode %.6f, ranges %.6f)\n",
            graph->open_s + graph->check_s + graph->decode_s + graph->ranges_s, graph->open_s,
            graph->check_s, graph->decode_s, graph->ranges_s);
    if (slowest->load_s > 0)
        fprintf(out, "device_load_s: %.6f (%.1f GB/s, ranges %.6f)\n", slowest->load_s,
                1e-9 * (double)(slowest->bytes + slowest->host_bytes) / slowest->load_s, slowest->ranges_s);
    fflush(out);
}

/* The share of reached vertices among those with edges. */
static double reached_share(const struct environment *env, const struct record *r)
{
    uint64_t vertices = env->searcher->rank.graph->vertices;
    return vertices > 0 ? (double)r->reach.vertices / (double)vertices : 1;
}

void report_record(FILE *out, const struct environment *env, const struct record *r)
{
    fprintf(out,
            "root %" PRIu64 " time_s %.9f levels %" PRIu64 " reached %" PRIu64
            " share %.6f edges %" PRIu64 " teps %.6e checksum %016" PRIx64,
            r->root, r->time_s, r->reach.levels, r->reach.vertices, reached_share(env, r), r->reach.edges,
            record_number(r, SEARCH_TEPS), r->reach.checksum);
    if (r->answer_s > 0)
        fprintf(out, " answer_s %.9f answer_teps %.6e", r->answer_s, record_number(r, ANSWER_TEPS));
    if (r->validate_s > 0)
        fprintf(out, " validate_s %.6f", r->validate_s);
    if (r->name != NULL) {
        fputs(" name ", out);
        text_print_visible(out, r->name, strlen(r->name));
    }
    fputc('\n', out);
    fflush(out);
}

/* ---- summary ---- */

/* Statistics of all searches that everybody wants. dbfs-report has the rest. */
struct summary {
    double median_s, median_answer_s; /* the second is 0 if no answers are made */
    double harmonic_mean_teps;
    uint64_t checksum; /* over all distances from all roots, in any order of the roots */
};

static struct summary summarise(const struct record *records, uint64_t count)
{
    struct statistics times, answers, rates;
    struct summary all = {0};
    statistics_of(records, count, SEARCH_TIME, &times);
    statistics_of(records, count, ANSWER_TIME, &answers);
    statistics_of(records, count, SEARCH_TEPS, &rates);
    all.median_s = times.median;
    all.median_answer_s = answers.median;
    all.harmonic_mean_teps = rates.harmonic_mean;
    for (uint64_t i = 0; i < count; i++)
        all.checksum += hash_pair(records[i].root, records[i].reach.checksum);
    return all;
}

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

/* Reads the model of the CPU from the first line of /proc/cpuinfo that has one; empty if none has. */
static void read_cpu(char *model, size_t bytes)
{
    char line[256], found[256] = "";
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file != NULL && found[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "model name : %255[^\n]", found) != 1 &&
            sscanf(line, "cpu : %255[^\n]", found) != 1)
            sscanf(line, "Model : %255[^\n]", found);
    }
    if (file != NULL)
        fclose(file);
    snprintf(model, bytes, "%s", found);
}

static void json_factors(FILE *out, const char *name, const double *factor, const char *after)
{
    fprintf(out, "\"%s\": {\"nn\": %.9g, \"nd\": %.9g, \"dn\": %.9g, \"dd\": %.9g}%s", name,
            factor[NN], factor[ND], factor[DN], factor[DD], after);
}

/* Prints members about the size of the graph, and the times of opening it. */
static void json_graph(FILE *out, const struct graph *graph)
{
    const struct manifest *m = &graph->manifest;
    fprintf(out,
            "    \"vertices\": %" PRIu64 ", \"vertices_with_edges\": %" PRIu64
            ", \"input_edges\": %" PRIu64 ", \"input_loops\": %" PRIu64 ",\n",
            m->totals.n, graph->vertices, m->totals.edges, m->totals.loops);
    if (m->th == TH_INFINITE)
        fputs("    \"th\": \"inf\", ", out);
    else
        fprintf(out, "    \"th\": %" PRIu64 ", ", m->th);
    fprintf(out, "\"delegates\": %" PRIu64 ",\n    \"edges_kept\": {", m->d);
    for (int g = 0; g < SUBGRAPHS; g++)
        fprintf(out, "%s\"%s\": %" PRIu64, g > 0 ? ", " : "", subgraph_name[g], m->edges[g]);
    fputs("},\n    ", out);
    edges_json(out, m);
    fprintf(out, ", \"pack_id\": \"%016" PRIx64 "\", \"load_open_s\": %.9f, "
            "\"load_check_s\": %.9f, \"load_decode_s\": %.9f,\n    \"load_ranges_s\": %.9f,\n    ",
            m->pack_id, graph->open_s, graph->check_s, graph->decode_s, graph->ranges_s);
}

void report_json_environment(FILE *out, const struct environment *env)
{
    const struct searcher *s = env->searcher;
    const struct args *args = s->args;
    const struct comm *comm = s->rank.comm;
    const struct device_description *device = &env->devices.slowest;
    char cpu[256];
    read_cpu(cpu, sizeof cpu);
    fputs("  \"environment\": {\n    ", out);
    json_string(out, "version", DBFS_VERSION, ", ");
    json_string(out, "graph", args->folder, ",\n    ");
    json_string(out, "revision", DBFS_REVISION, ",\n    ");
    json_command(out, env->command);
    json_string(out, "cpu", cpu, ", "); /* this and the next three: empty if not known */
    json_string(out, "gpu", device->model, ", ");
    json_string(out, "gpu_driver", device->driver, ", ");
    json_string(out, "cuda", device->runtime, ",\n");
    json_graph(out, s->rank.graph);
    json_string(out, "backend", s->rank.backend->name, ", ");
    json_string(out, "mpi", comm->library, ", ");
    json_string(out, "host", comm->host, ",\n    ");
    json_string(out, "resident", residence_name[env->devices.resident], "");
    fprintf(out, ", \"resident_bytes\": %" PRIu64 ", \"resident_host_bytes\": %" PRIu64,
            env->devices.bytes, env->devices.host_bytes);
    fprintf(out, ",\n    \"ranks\": %u, \"shards_per_rank\": %u, \"threads_per_rank\": %d, "
            "\"ranks_on_host\": %u, \"launched_ranks\": %u,\n", comm->ranks, s->rank.device_count, s->threads,
            comm->host_ranks, s->launched_ranks);
    fprintf(out, "    \"parents\": %s, ", args->record_parents ? "true" : "false");
    options_json(out, args);
    fputs("\n    ", out);
    json_factors(out, "factor0", args->policy.factor0, ", ");
    json_factors(out, "factor1", args->policy.factor1, ",\n    ");
    json_string(out, "exchange_memory", exchange_memory_name(env), ", ");
    if (args->max_depth != NO_MAX_DEPTH)
        fprintf(out, "\"max_depth\": %" PRIu64 ", ", args->max_depth);
    if (!args->roots_given)
        fprintf(out, "\"seed\": %" PRIu64 ", ", args->seed);
    if (s->results.answering) /* answer_s of one layout is not that of the other */
        fprintf(out, "\"answer_layout\": \"%s\", ", answers_are_by_owner(s->results.graph) ? "owner" : "ids");
    fprintf(out, "\"device_load_s\": %.9f, \"device_load_bytes\": %" PRIu64 ", ", device->load_s,
            device->load_s > 0 ? device->bytes : 0);
    fprintf(out, "\"start_s\": %.9f, \"peak_bytes\": %" PRIu64 "\n  },\n", env->start_s, env->peak_bytes);
}

static void json_summary(FILE *out, const struct record *records, uint64_t count)
{
    struct summary all = summarise(records, count);
    fprintf(out, "  \"summary\": {\n    \"searches\": %" PRIu64 ", \"time_s\": {\"median\": %.9g}, ", count, all.median_s);
    if (all.median_answer_s > 0)
        fprintf(out, "\"answer_s\": {\"median\": %.9g}, ", all.median_answer_s);
    fprintf(out, "\"teps\": {\"harmonic_mean\": %.9g},\n    \"distance_checksum\": \"%016" PRIx64 "\"\n  },\n",
            all.harmonic_mean_teps, all.checksum);
}

static const char *const phase_name[PHASES] = {"previsit",        "visit_nn",        "visit_nd",
                                      "visit_dn",        "visit_dd",        "bins",
                                      "local_exchange",  "remote_exchange", "mask_reduction",
                                      "merged_exchange", "choose",          "ahead"};

/* Prints seconds of each phase, level by level. */
static void json_levels(FILE *out, const struct record *r)
{
    fputs(",\n     \"levels_s\": {", out);
    for (int phase = 0; phase < PHASES; phase++) {
        fprintf(out, "%s\"%s\": [", phase > 0 ? ",\n       " : "", phase_name[phase]);
        for (uint32_t i = 0; i < r->iterations; i++)
            fprintf(out, "%s%.9f", i > 0 ? ", " : "", r->levels[i].phase_s[phase]);
        fputs("]", out);
    }
    fputs("}", out);
}

/* Prints rows[count][members] as an object of columns: an array of `count` numbers for each member. */
static void json_columns(FILE *out, const char *title, const char *const *name, int members, const uint64_t *rows,
                         uint64_t count)
{
    fprintf(out, ",\n     \"%s\": {", title);
    for (int member = 0; member < members; member++) {
        fprintf(out, "%s\"%s\": [", member > 0 ? ",\n       " : "", name[member]);
        for (uint64_t i = 0; i < count; i++)
            fprintf(out, "%s%" PRIu64, i > 0 ? ", " : "", rows[i * (uint64_t)members + (uint64_t)member]);
        fputs("]", out);
    }
    fputs("}", out);
}

static void json_record(FILE *out, const struct environment *env, const struct record *r)
{
    _Static_assert(sizeof *r->moved == EXCHANGE_COUNTS * sizeof(uint64_t), "counts have nothing between them");
    _Static_assert(sizeof *r->pairs.note == PAIR_MEMBERS * sizeof(uint64_t), "members have nothing between them");
    fprintf(out,
            "    {\"root\": %" PRIu64 ", \"time_s\": %.17g, \"levels\": %" PRIu64
            ", \"reached\": %" PRIu64 ", \"reached_share\": %.9g, \"edges\": %" PRIu64
            ", \"teps\": %.17g,\n"
            "     \"edges_no_loops\": %" PRIu64 ", \"edges_kept\": %" PRIu64
            ", \"checksum\": \"%016" PRIx64 "\",\n"
            "     \"compute_s\": %.9f, \"exchange_s\": %.9f, \"iterations\": %" PRIu32
            ", \"mask_reductions\": %" PRIu32 ", \"sent_vertices\": %" PRIu64,
            r->root, r->time_s, r->reach.levels, r->reach.vertices, reached_share(env, r), r->reach.edges,
            record_number(r, SEARCH_TEPS), r->reach.edges_no_loops, r->reach.edges_kept, r->reach.checksum,
            r->compute_s, r->exchange_s, r->iterations, r->mask_reductions, r->sent_vertices);
    if (r->answer_s > 0)
        fprintf(out, ",\n     \"answer_s\": %.17g, \"answer_teps\": %.17g", r->answer_s,
                record_number(r, ANSWER_TEPS));
    if (r->validate_s > 0)
        fprintf(out, ", \"validate_s\": %.17g", r->validate_s);
    if (r->name != NULL) {
        fputs(", ", out);
        json_string(out, "name", r->name, "");
    }
    if (r->levels != NULL) {
        json_levels(out, r);
        json_columns(out, "levels_exchanged", exchange_count_name, EXCHANGE_COUNTS, r->moved->of, r->iterations);
    }
    if (env->searcher->args->count_pairs)
        json_columns(out, "pairs_exchanged", pair_member_name, PAIR_MEMBERS, (const uint64_t *)r->pairs.note,
                     r->pairs.count);
    fputs("}", out);
}

void report_json_roots(FILE *out, const struct environment *env, const struct record *records, uint64_t count)
{
    fputs("  \"roots\": [\n", out);
    for (uint64_t i = 0; i < count; i++) {
        json_record(out, env, &records[i]);
        fputs(i + 1 < count ? ",\n" : "\n", out);
    }
    fputs("  ]\n", out);
}

/* One report: the set-up and the records. */
struct report {
    const struct environment *env;
    const struct record *records;
    uint64_t count;
};

static void print_json(FILE *out, const void *context)
{
    const struct report *report = context;
    fputs("{\n", out);
    report_json_environment(out, report->env);
    json_summary(out, report->records, report->count);
    report_json_roots(out, report->env, report->records, report->count);
    fputs("}\n", out);
}

enum status report_json(const char *path, const struct environment *env, const struct record *records, uint64_t count,
                        struct error *e)
{
    const struct report report = {env, records, count};
    return outfile_print(path, print_json, &report, e);
}
