/* paths_report.c: prints the results of dbfs-paths, as text and as JSON */
#include "paths_report.h"

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

/* Prints a line for each pair: source, target, distance, counts, time, and the path if paths are wanted. */
void paths_report_pairs(FILE *out, const struct paths_report *report)
{
    for (uint64_t i = 0; i < report->pairs->count; i++) {
        const struct pair_result *r = &report->pairs->result[i];
        const uint64_t *ends = &report->job->roots->ids[2 * i];
        const uint64_t *path = report->pairs->path != NULL ? report->pairs->path[i] : NULL;
        fputs("source ", out);
        name_map_show(out, report->map, ends[0]);
        fputs(" target ", out);
        name_map_show(out, report->map, ends[1]);
        fprintf(out, " distance %" PRId64 " edges %" PRIu64 " vertices %" PRIu64 " time_s %.9f", distance_of(r), r->edges,
                r->vertices, seconds_of(r));
        if (path != NULL && r->found > 0)
            fputs(" path", out);
        for (uint64_t k = 0; path != NULL && k < r->found; k++) {
            fputc(report->map != NULL ? '\t' : ' ', out);
            name_map_show(out, report->map, path[k]);
        }
        fputc('\n', out);
    }
}

/* Sums over all pairs, and the median time. */
struct paths_summary {
    uint64_t reached, edges, vertices;
    double median_s, total_s;
};

/* Returns the sums over all pairs and the median time. Without memory for the times the median is that of no values. */
static struct paths_summary summary_of(const struct pairs *pairs)
{
    struct paths_summary all = {0};
    struct statistics of;
    double *times = calloc(pairs->count, sizeof *times);
    for (uint64_t i = 0; i < pairs->count; i++) {
        const struct pair_result *r = &pairs->result[i];
        all.reached += r->found > 0;
        all.edges += r->edges;
        all.vertices += r->vertices;
        all.total_s += seconds_of(r);
        if (times != NULL)
            times[i] = seconds_of(r);
    }
    statistics_of_values(times, pairs->count, &of);
    all.median_s = of.median;
    free(times);
    return all;
}

/* Prints the sums and times over all pairs. */
void paths_report_summary(FILE *out, const struct paths_report *report)
{
    const struct paths_summary all = summary_of(report->pairs);
    fprintf(out, "pairs: %" PRIu64 "\nreached: %" PRIu64 "\nedges: %" PRIu64 "\nmedian_time: %.9g\ntotal_time: %.9g\nsearch_time: %.9g\n",
            report->pairs->count, all.reached, all.edges, all.median_s, all.total_s, report->pairs->seconds);
}

/* ---- JSON ---- */

/* Prints the member "environment": the program, the graph, and how pairs were searched. */
static void json_environment(FILE *out, const struct paths_report *report)
{
    const struct pair_job *job = report->job;
    const struct graph *graph = job->graph;
    fputs("  \"environment\": {\n    ", out);
    json_string(out, "version", DBFS_VERSION, ", ");
    json_string(out, "graph", report->paths->args.folder, ",\n    ");
    json_command(out, report->command);
    fprintf(out,
            "\"vertices\": %" PRIu64 ", \"vertices_with_edges\": %" PRIu64 ", \"delegates\": %" PRIu64
            ", \"shards\": %u,\n    \"pack_id\": \"%016" PRIx64 "\", \"load_s\": %.9f,\n",
            graph->manifest.totals.n, graph->vertices, graph->manifest.d, graph->manifest.p, graph->manifest.pack_id,
            graph->open_s + graph->check_s + graph->decode_s + graph->ranges_s);
    fputs("    ", out);
    edges_json(out, &graph->manifest);
    fprintf(out, ", \"reverse\": %s,\n", report->paths->args.reverse ? "true" : "false");
    fprintf(out, "    \"ranks\": %u, \"threads_per_rank\": %d, \"backend\": \"%s\", \"one_sided\": %s", job->comm->ranks,
            job->threads, job->backend->name, job->one_sided ? "true" : "false");
    if (!report->paths->args.roots_given)
        fprintf(out, ", \"seed\": %" PRIu64, report->paths->args.seed);
    fputs("\n  },\n", out);
}

/* Prints the vertex with an input id: its name, quoted, if there is a map, or else the id. */
static void json_vertex(FILE *out, const struct paths_report *report, uint64_t id)
{
    struct map_name name = report->map != NULL ? name_map_at(report->map, id) : (struct map_name){0};
    char *text = report->map != NULL ? strndup(name.bytes, name.length) : NULL;
    if (text != NULL)
        json_quote(out, text);
    else
        fprintf(out, "%" PRIu64, id);
    free(text);
}

/* Prints pair i as a JSON object, with a comma unless it is the last one. */
static void json_pair(FILE *out, const struct paths_report *report, uint64_t i)
{
    const struct pair_result *r = &report->pairs->result[i];
    const uint64_t *ends = &report->job->roots->ids[2 * i];
    fputs("    {\"source\": ", out);
    json_vertex(out, report, ends[0]);
    fputs(", \"target\": ", out);
    json_vertex(out, report, ends[1]);
    fprintf(out, ", \"distance\": %" PRId64 ", \"edges\": %" PRIu64 ", \"vertices\": %" PRIu64 ", \"time_s\": %.9f",
            distance_of(r), r->edges, r->vertices, seconds_of(r));
    if (report->pairs->path != NULL) {
        fputs(", \"path\": [", out);
        for (uint64_t k = 0; k < r->found; k++) {
            fputs(k > 0 ? ", " : "", out);
            json_vertex(out, report, report->pairs->path[i][k]);
        }
        fputs("]", out);
    }
    fputs(i + 1 < report->pairs->count ? "},\n" : "}\n", out);
}

/* Prints the whole JSON document; outfile_print calls it. `context` is the const struct paths_report. */
static void print_json(FILE *out, const void *context)
{
    const struct paths_report *report = context;
    const struct paths_summary all = summary_of(report->pairs);
    fputs("{\n", out);
    json_environment(out, report);
    fprintf(out,
            "  \"summary\": {\n    \"pairs\": %" PRIu64 ", \"reached\": %" PRIu64 ", \"edges\": %" PRIu64
            ", \"vertices\": %" PRIu64 ",\n    \"time_s\": {\"median\": %.9g, \"total\": %.9g}, \"search_s\": %.9g\n  },\n  \"pairs\": [\n",
            report->pairs->count, all.reached, all.edges, all.vertices, all.median_s, all.total_s, report->pairs->seconds);
    for (uint64_t i = 0; i < report->pairs->count; i++)
        json_pair(out, report, i);
    fputs("  ]\n}\n", out);
}

/* Writes the JSON document to the file `path`. */
enum status paths_report_json(const char *path, const struct paths_report *report, struct error *e)
{
    return outfile_print(path, print_json, report, e);
}
