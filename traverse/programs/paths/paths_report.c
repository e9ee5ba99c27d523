/* paths_report.c: see paths_report.h */
#include "paths_report.h"
#include "pair_backend.h"

#include "traverse/session/report_text.h"
#include "traverse/session/statistics.h"

#include "formats/base/outfile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns the time of a pair's search in seconds. */
static double seconds_of(const struct pair_result *r)
{
    return 1e-9 * (double)r->nanoseconds;
}

/* Returns the distance of a pair in edges; -1: there is no path. */
static int64_t distance_of(const struct pair_result *r)
{
    return (int64_t)r->found - 1;
}

/* ---- text ---- */

/* Prints the line of pair i: source, target, distance, counts, time, and the path if paths are wanted. */
static void print_pair(FILE *out, const struct paths_report *report, uint64_t i)
{
    const struct pair_result *r = &report->runs->result[i];
    const uint64_t *ends = &report->job->roots->ids[2 * i];
    fputs("source ", out);
    name_map_show(out, report->map, ends[0]);
    fputs(" target ", out);
    name_map_show(out, report->map, ends[1]);
    fprintf(out, " distance %" PRId64 " edges %" PRIu64 " vertices %" PRIu64 " time_s %.9f", distance_of(r), r->edges,
            r->vertices, seconds_of(r));
    if (report->runs->path != NULL && r->found > 0)
        fputs(" path", out);
    for (uint64_t k = 0; report->runs->path != NULL && k < r->found; k++) {
        fputc(report->map != NULL ? '\t' : ' ', out);
        name_map_show(out, report->map, report->runs->path[i][k]);
    }
    fputc('\n', out);
}

void paths_report_pairs(FILE *out, const struct paths_report *report)
{
    for (uint64_t i = 0; i < report->runs->count; i++)
        print_pair(out, report, i);
}

/* ---- all pairs ---- */

struct paths_summary {
    uint64_t reached, edges, vertices;
    double median_s, total_s;
};

/* Returns the sums over all pairs and the median time. Without memory for the times the median is that of no values. */
static struct paths_summary summary_of(const struct pair_runs *runs)
{
    struct paths_summary all = {0};
    struct statistics of;
    double *times = calloc(runs->count, sizeof *times);
    for (uint64_t i = 0; i < runs->count; i++) {
        const struct pair_result *r = &runs->result[i];
        all.reached += r->found > 0;
        all.edges += r->edges;
        all.vertices += r->vertices;
        all.total_s += seconds_of(r);
        if (times != NULL)
            times[i] = seconds_of(r);
    }
    statistics_of_values(times, runs->count, &of);
    all.median_s = of.median;
    free(times);
    return all;
}

void paths_report_summary(FILE *out, const struct paths_report *report)
{
    const struct paths_summary all = summary_of(report->runs);
    fprintf(out, "pairs: %" PRIu64 "\nreached: %" PRIu64 "\nedges: %" PRIu64 "\nmedian_time: %.9g\ntotal_time: %.9g\nsearch_time: %.9g\n",
            report->runs->count, all.reached, all.edges, all.median_s, all.total_s, report->runs->seconds);
}

/* ---- JSON ---- */

/* Prints the member "environment": the program, the graph, and how pairs were searched. */
static void json_environment(FILE *out, const struct paths_report *report)
{
    const struct pair_job *job = report->job;
    const struct graph *graph = job->graph;
    const struct args *args = &report->paths->args;
    struct json json = {out, "    ", 0};
    fputs("  \"environment\": {", out);
    json_text(&json, "\nversion", DBFS_VERSION);
    json_text(&json, "graph", args->folder);
    json_command(&json, report->command);
    json_member(&json, "\nvertices", JSON_COUNT, graph->manifest.totals.n);
    json_member(&json, "vertices_with_edges", JSON_COUNT, graph->vertices);
    json_member(&json, "delegates", JSON_COUNT, graph->manifest.d);
    json_member(&json, "shards", "%u", graph->manifest.p);
    json_member(&json, "\npack_id", JSON_HEX, graph->manifest.pack_id);
    json_member(&json, "load_s", JSON_SECONDS, graph->open_s + graph->check_s + graph->decode_s + graph->ranges_s);
    edges_json(&json, &graph->manifest);
    json_flag(&json, "reverse", args->reverse);
    json_member(&json, "\nranks", "%u", job->comm->ranks);
    json_member(&json, "threads_per_rank", "%d", job->threads);
    json_text(&json, "backend", job->backend->name);
    json_flag(&json, "one_sided", job->one_sided);
    if (!args->roots_given)
        json_member(&json, "seed", JSON_COUNT, args->seed);
    fputs("\n  },\n", out);
}

/* Prints a vertex, given by its input id: its name, quoted, if there is a map, or else the id. */
static void json_vertex(FILE *out, const struct paths_report *report, uint64_t id)
{
    struct map_name name = report->map != NULL ? name_map_at(report->map, id) : (struct map_name){0};
    char *text = report->map != NULL ? strndup(name.bytes, name.length) : NULL;
    if (text != NULL)
        json_text(&(struct json){.out = out}, NULL, text);
    else
        fprintf(out, "%" PRIu64, id);
    free(text);
}

/* Prints pair i as a JSON object, with a comma unless it is the last one. */
static void json_pair(FILE *out, const struct paths_report *report, uint64_t i)
{
    const struct pair_result *r = &report->runs->result[i];
    const uint64_t *ends = &report->job->roots->ids[2 * i];
    fputs("    {\"source\": ", out);
    json_vertex(out, report, ends[0]);
    fputs(", \"target\": ", out);
    json_vertex(out, report, ends[1]);
    fprintf(out, ", \"distance\": %" PRId64 ", \"edges\": %" PRIu64 ", \"vertices\": %" PRIu64 ", \"time_s\": %.9f",
            distance_of(r), r->edges, r->vertices, seconds_of(r));
    if (report->runs->path != NULL) {
        fputs(", \"path\": [", out);
        for (uint64_t k = 0; k < r->found; k++) {
            fputs(k > 0 ? ", " : "", out);
            json_vertex(out, report, report->runs->path[i][k]);
        }
        fputs("]", out);
    }
    fputs(i + 1 < report->runs->count ? "},\n" : "}\n", out);
}

/* Prints the whole JSON document; called by outfile_print. `context` is the const struct paths_report. */
static void print_json(FILE *out, const void *context)
{
    const struct paths_report *report = context;
    const struct paths_summary all = summary_of(report->runs);
    fputs("{\n", out);
    json_environment(out, report);
    fprintf(out,
            "  \"summary\": {\n    \"pairs\": %" PRIu64 ", \"reached\": %" PRIu64 ", \"edges\": %" PRIu64
            ", \"vertices\": %" PRIu64 ",\n    \"time_s\": {\"median\": %.9g, \"total\": %.9g}, \"search_s\": %.9g\n  },\n  \"pairs\": [\n",
            report->runs->count, all.reached, all.edges, all.vertices, all.median_s, all.total_s, report->runs->seconds);
    for (uint64_t i = 0; i < report->runs->count; i++)
        json_pair(out, report, i);
    fputs("  ]\n}\n", out);
}

enum status paths_report_json(const char *path, const struct paths_report *report, struct error *e)
{
    return outfile_print(path, print_json, report, e);
}
