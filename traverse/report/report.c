/* report.c: see report.h */
#include "report.h"

#include "traverse/options/options.h"
#include "json_text.h"
#include "machine.h"
#include "statistics.h"

#include "formats/base/cli.h"
#include "formats/base/hash.h"
#include "formats/base/outfile.h"
#include "formats/split.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines ---- */

static const char *exchange_memory_name(const struct environment *env)
{
    if (exchange_has_peer_ranks(env->exchange))
        return "peer";
    return env->rank->exchange_memory == EXCHANGE_DEVICE ? "device" : "host";
}

void report_environment(FILE *out, const struct environment *env)
{
    const struct graph *graph = env->rank->graph;
    const struct manifest *m = &graph->manifest;
    uint64_t bytes, host_bytes;
    enum residence resident = rank_residence(env->rank, &bytes, &host_bytes);
    fprintf(out, "graph: %s\n", env->args->folder);
    fprintf(out, "vertices: %" PRIu64 "\n", m->totals.n);
    fprintf(out, "vertices_with_edges: %" PRIu64 "\n", graph->vertices);
    fprintf(out, "input_edges: %" PRIu64 "\n", m->totals.edges);
    if (m->th == TH_INFINITE)
        fprintf(out, "th: inf\n");
    else
        fprintf(out, "th: %" PRIu64 "\n", m->th);
    fprintf(out, "delegates: %" PRIu64 "\n", m->d);
    fprintf(out, "setup: %u ranks x %u shards, %d threads a rank, %s backend\n",
            env->rank->comm->ranks, graph->device_count, env->threads, env->rank->backend->name);
    fprintf(out, "exchange_memory: %s\n", exchange_memory_name(env));
    fprintf(out, "resident: %s (%" PRIu64 " bytes", residence_name[resident], bytes);
    if (host_bytes > 0)
        fprintf(out, ", %" PRIu64 " of host memory", host_bytes);
    fprintf(out, ")\n");
    fputs("direction: ", out);
    options_print_choice(out, env->args, "direction");
    fputc('\n', out);
    fprintf(out, "load_s: %.6f (open %.6f, check %.6f, decode %.6f, ranges %.6f)\n",
            graph->open_s + graph->check_s + graph->decode_s + graph->ranges_s, graph->open_s,
            graph->check_s, graph->decode_s, graph->ranges_s);
    if (env->device_load.seconds > 0)
        fprintf(out, "device_load_s: %.6f (%.1f GB/s, ranges %.6f)\n", env->device_load.seconds,
                1e-9 * (double)(env->device_load.bytes + env->device_load.host_bytes) /
                    env->device_load.seconds,
                env->device_load.ranges_s);
    fflush(out);
}

void report_record(FILE *out, const struct record *r)
{
    fprintf(out,
            "root %" PRIu64 " time_s %.9f levels %" PRIu64 " reached %" PRIu64
            " share %.6f edges %" PRIu64 " teps %.6e checksum %016" PRIx64,
            r->root, r->time_s, r->reach.levels, r->reach.vertices, r->share, r->reach.edges,
            r->teps, r->reach.checksum);
    if (r->answer_s > 0)
        fprintf(out, " answer_s %.9f answer_teps %.6e", r->answer_s, r->answer_teps);
    fprintf(out, "%s%s\n", r->name != NULL ? " name " : "", r->name != NULL ? r->name : "");
    fflush(out);
}

/* ---- summary ---- */

enum measure { TIME, EDGES, TEPS, ANSWER_TIME, ANSWER_TEPS };

static double measured_value(const struct record *r, enum measure m)
{
    switch (m) {
    case TIME: return r->time_s;
    case EDGES: return (double)r->reach.edges;
    case TEPS: return r->teps;
    case ANSWER_TIME: return r->answer_s;
    default: return r->answer_teps;
    }
}

/* All searches have an answer, or none has. */
static int have_answers(const struct record *records, uint64_t count)
{
    return count > 0 && records[0].answer_s > 0;
}

/* Over all records, or those of more than one level. Returns how many. */
static uint64_t summarise(const struct record *records, uint64_t count, enum measure m,
                          int several_levels, struct statistics *s)
{
    uint64_t used = 0;
    double *values = malloc((count + 1) * sizeof *values);
    memset(s, 0, sizeof *s);
    for (uint64_t i = 0; values != NULL && i < count; i++) {
        if (!several_levels || records[i].reach.levels > 1)
            values[used++] = measured_value(&records[i], m);
    }
    if (used > 0)
        statistics_of(values, used, s);
    free(values);
    return used;
}

/* One word for all distances from all roots, whatever the order of the roots. */
static uint64_t summary_checksum(const struct record *records, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += hash_pair(records[i].root, records[i].reach.checksum);
    return sum;
}

static void print_quartiles(FILE *out, const char *name, const struct statistics *s)
{
    fprintf(out, "min_%s: %.9g\n", name, s->min);
    fprintf(out, "firstquartile_%s: %.9g\n", name, s->first_quartile);
    fprintf(out, "median_%s: %.9g\n", name, s->median);
    fprintf(out, "thirdquartile_%s: %.9g\n", name, s->third_quartile);
    fprintf(out, "max_%s: %.9g\n", name, s->max);
}

static void print_means(FILE *out, const char *name, const struct statistics *s)
{
    fprintf(out, "mean_%s: %.9g\n", name, s->mean);
    fprintf(out, "stddev_%s: %.9g\n", name, s->deviation);
}

static void print_harmonic(FILE *out, const char *name, const struct statistics *s)
{
    fprintf(out, "harmonic_mean_%s: %.9g\n", name, s->harmonic_mean);
    fprintf(out, "harmonic_stddev_%s: %.9g\n", name, s->harmonic_deviation);
}

/* By the answer clock. */
static void print_answers(FILE *out, const struct record *records, uint64_t count, int some)
{
    struct statistics s;
    if (!have_answers(records, count))
        return;
    summarise(records, count, ANSWER_TIME, some, &s);
    print_quartiles(out, "answer_time", &s);
    print_means(out, "answer_time", &s);
    summarise(records, count, ANSWER_TEPS, some, &s);
    print_quartiles(out, "answer_TEPS", &s);
    print_harmonic(out, "answer_TEPS", &s);
}

void report_summary(FILE *out, const struct environment *env, const struct record *records,
                    uint64_t count)
{
    struct statistics s;
    int some = env->args->several_levels;
    uint64_t summarised = summarise(records, count, TIME, some, &s);
    fprintf(out, "NBFS: %" PRIu64 "\n", count);
    if (some)
        fprintf(out, "summarised: %" PRIu64 " of more than one level\n", summarised);
    print_quartiles(out, "time", &s);
    print_means(out, "time", &s);
    summarise(records, count, EDGES, some, &s);
    print_quartiles(out, "nedge", &s);
    print_means(out, "nedge", &s);
    summarise(records, count, TEPS, some, &s);
    print_quartiles(out, "TEPS", &s);
    print_harmonic(out, "TEPS", &s);
    uint64_t several = summarise(records, count, TEPS, 1, &s);
    fprintf(out, "geometric_mean_TEPS: %.9g over %" PRIu64 " roots of more than one level\n",
            s.geometric_mean, several);
    print_answers(out, records, count, some);
    fprintf(out, "distance_checksum: %016" PRIx64 "\n", summary_checksum(records, count));
    fflush(out);
}

/* ---- JSON ---- */

static void json_factors(FILE *out, const char *name, const double *factor)
{
    fprintf(out, "\"%s\": {\"nn\": %.9g, \"nd\": %.9g, \"dn\": %.9g, \"dd\": %.9g}", name,
            factor[NN], factor[ND], factor[DN], factor[DD]);
}

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
    fprintf(out, "},\n    \"pack_id\": \"%016" PRIx64 "\", \"load_open_s\": %.9f, "
            "\"load_check_s\": %.9f, \"load_decode_s\": %.9f,\n    \"load_ranges_s\": %.9f,\n",
            m->pack_id, graph->open_s, graph->check_s, graph->decode_s, graph->ranges_s);
}

static void json_bool(FILE *out, const char *name, int value)
{
    fprintf(out, "\"%s\": %s", name, value ? "true" : "false");
}

static void json_machine(FILE *out, const struct environment *env)
{
    const struct comm *comm = env->rank->comm;
    uint64_t bytes, host_bytes;
    enum residence resident = rank_residence(env->rank, &bytes, &host_bytes);
    fputs("    ", out);
    json_string(out, "backend", env->rank->backend->name);
    fputs(", ", out);
    json_string(out, "mpi", comm->library);
    fputs(", ", out);
    json_string(out, "host", comm->host);
    fputs(",\n    ", out);
    json_string(out, "resident", residence_name[resident]);
    fprintf(out, ", \"resident_bytes\": %" PRIu64 ", \"resident_host_bytes\": %" PRIu64, bytes, host_bytes);
    fprintf(out, ",\n    \"ranks\": %u, \"shards_per_rank\": %u, \"threads_per_rank\": %d, "
            "\"ranks_on_host\": %u, \"launched_ranks\": %u,\n", comm->ranks, env->rank->device_count,
            env->threads, comm->host_ranks, env->launched_ranks);
}

static void json_settings(FILE *out, const struct args *args, const char *exchange_memory)
{
    fputs("    ", out);
    json_bool(out, "parents", args->record_parents);
    fputs(", ", out);
    options_json(out, args);
    fputs("\n    ", out);
    json_factors(out, "factor0", args->policy.factor0);
    fputs(", ", out);
    json_factors(out, "factor1", args->policy.factor1);
    fputs(",\n    ", out);
    json_string(out, "exchange_memory", exchange_memory);
    fputs(", ", out);
    if (!args->roots_given)
        fprintf(out, "\"seed\": %" PRIu64 ", ", args->seed);
}

void report_json_environment(FILE *out, const struct environment *env)
{
    fputs("  \"environment\": {\n    ", out);
    json_string(out, "version", DBFS_VERSION);
    fputs(", ", out);
    json_string(out, "graph", env->args->folder);
    fputs(",\n", out);
    machine_json(out, env->rank, env->command);
    json_graph(out, env->rank->graph);
    json_machine(out, env);
    json_settings(out, env->args, exchange_memory_name(env));
    fprintf(out, "\"device_load_s\": %.9f, \"device_load_bytes\": %" PRIu64 ", ",
            env->device_load.seconds, env->device_load.bytes);
    fprintf(out, "\"start_s\": %.9f, \"peak_bytes\": %" PRIu64 "\n  },\n", env->start_s,
            env->peak_bytes);
}

static void json_statistics(FILE *out, const char *name, const struct statistics *s)
{
    fprintf(out,
            "    \"%s\": {\"min\": %.9g, \"first_quartile\": %.9g, \"median\": %.9g, "
            "\"third_quartile\": %.9g, \"max\": %.9g, \"mean\": %.9g, \"stddev\": %.9g",
            name, s->min, s->first_quartile, s->median, s->third_quartile, s->max, s->mean,
            s->deviation);
}

static void json_rates(FILE *out, const char *name, const struct statistics *s)
{
    json_statistics(out, name, s);
    fprintf(out, ", \"harmonic_mean\": %.9g, \"harmonic_stddev\": %.9g},\n", s->harmonic_mean,
            s->harmonic_deviation);
}

static void json_answers(FILE *out, const struct record *records, uint64_t count, int some)
{
    struct statistics s;
    if (!have_answers(records, count))
        return;
    summarise(records, count, ANSWER_TIME, some, &s);
    json_statistics(out, "answer_s", &s);
    fputs("},\n", out);
    summarise(records, count, ANSWER_TEPS, some, &s);
    json_rates(out, "answer_teps", &s);
}

static void json_summary(FILE *out, const struct environment *env, const struct record *records,
                         uint64_t count)
{
    struct statistics s;
    int some = env->args->several_levels;
    fprintf(out, "  \"summary\": {\n    \"searches\": %" PRIu64, count);
    fprintf(out, ", \"summarised\": %" PRIu64 ",\n", summarise(records, count, TIME, some, &s));
    json_statistics(out, "time_s", &s);
    fputs("},\n", out);
    summarise(records, count, EDGES, some, &s);
    json_statistics(out, "edges", &s);
    fputs("},\n", out);
    summarise(records, count, TEPS, some, &s);
    json_rates(out, "teps", &s);
    json_answers(out, records, count, some);
    uint64_t several = summarise(records, count, TEPS, 1, &s);
    fprintf(out, "    \"geometric_mean_teps\": %.9g, \"geometric_mean_roots\": %" PRIu64 ",\n",
            s.geometric_mean, several);
    fprintf(out, "    \"distance_checksum\": \"%016" PRIx64 "\"\n  },\n",
            summary_checksum(records, count));
}

/* Seconds of each phase, level by level. */
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

/* What moved, level by level. */
static void json_moved(FILE *out, const struct record *r)
{
    fputs(",\n     \"levels_exchanged\": {", out);
    for (int count = 0; count < EXCHANGE_COUNTS; count++) {
        fprintf(out, "%s\"%s\": [", count > 0 ? ",\n       " : "", exchange_count_name[count]);
        for (uint32_t i = 0; i < r->iterations; i++)
            fprintf(out, "%s%" PRIu64, i > 0 ? ", " : "", r->moved[i].of[count]);
        fputs("]", out);
    }
    fputs("}", out);
}

static void json_record(FILE *out, const struct record *r, int last)
{
    fprintf(out,
            "    {\"root\": %" PRIu64 ", \"time_s\": %.9f, \"levels\": %" PRIu64
            ", \"reached\": %" PRIu64 ", \"reached_share\": %.9g, \"edges\": %" PRIu64
            ", \"teps\": %.9g,\n"
            "     \"edges_no_loops\": %" PRIu64 ", \"edges_kept\": %" PRIu64
            ", \"checksum\": \"%016" PRIx64 "\",\n"
            "     \"compute_s\": %.9f, \"exchange_s\": %.9f, \"iterations\": %" PRIu32
            ", \"mask_reductions\": %" PRIu32 ", \"sent_vertices\": %" PRIu64,
            r->root, r->time_s, r->reach.levels, r->reach.vertices, r->share, r->reach.edges,
            r->teps, r->reach.edges_no_loops, r->reach.edges_kept, r->reach.checksum, r->compute_s,
            r->exchange_s, r->iterations, r->mask_reductions, r->sent_vertices);
    if (r->answer_s > 0)
        fprintf(out, ",\n     \"answer_s\": %.9f, \"answer_teps\": %.9g", r->answer_s,
                r->answer_teps);
    if (r->name != NULL) {
        fputs(", ", out);
        json_string(out, "name", r->name);
    }
    if (r->levels != NULL)
        json_levels(out, r);
    if (r->moved != NULL)
        json_moved(out, r);
    fprintf(out, "}%s\n", last ? "" : ",");
}

/* What the report is of. */
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
    json_summary(out, report->env, report->records, report->count);
    fputs("  \"roots\": [\n", out);
    for (uint64_t i = 0; i < report->count; i++)
        json_record(out, &report->records[i], i + 1 == report->count);
    fputs("  ]\n}\n", out);
}

enum status report_json(const char *path, const struct environment *env,
                        const struct record *records, uint64_t count, struct error *e)
{
    const struct report report = {env, records, count};
    return outfile_print(path, print_json, &report, e);
}
