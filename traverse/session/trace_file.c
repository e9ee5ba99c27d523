/* trace_file.c: writes a line of JSON for each level, with numbers over all ranks (--trace); see trace_file.h */
#include "trace_file.h"
#include "report_text.h"

#include "traverse/results/outputs.h"

#include "formats/base/json_format.h"

#include <stdlib.h>
#include <string.h>

/* The numbers of a level that are summed over all ranks. All are uint64_t, because reduce_level sums the struct as an
 * array. */
struct level_sums {
    struct level_counts counts;
    uint64_t backward[SUBGRAPHS], exchanged[EXCHANGE_COUNTS];
    uint64_t compute_ns, exchange_ns;
};

/* The largest and the smallest times of a level over all ranks. All are doubles, because reduce_level takes the maximum of
 * the struct as an array. */
struct level_extremes {
    double compute_max, exchange_max;
    double minus_compute_min, minus_exchange_min; /* the smallest times, negated, so that a maximum finds them, too */
};

/* A line of the file: one level, with sums and extremes over all ranks. */
struct level_line {
    const struct trace_file *t;
    uint64_t root; /* as people call it */
    uint32_t level;
    enum level_kind kind; /* all ranks have the same kind */
    int counts_probes;
    struct level_sums sums;
    struct level_extremes extremes;
};

/* Collective. Sets the sums and the extremes of a line over all ranks. `l` has the numbers of the line's level on this rank. */
static void reduce_level(struct level_line *line, const struct level_trace *l)
{
    enum { SUMS = sizeof line->sums / sizeof(uint64_t), EXTREMES = sizeof line->extremes / sizeof(double) };
    struct level_sums *sums = &line->sums;
    *sums = (struct level_sums){.counts = l->counts,
                                .compute_ns = (uint64_t)(1e9 * l->compute_s + 0.5),
                                .exchange_ns = (uint64_t)(1e9 * l->exchange_s + 0.5)};
    memcpy(sums->exchanged, l->exchange.counts.of, sizeof sums->exchanged);
    for (int g = 0; g < SUBGRAPHS; g++)
        sums->backward[g] = (uint64_t)l->backward[g];
    line->extremes = (struct level_extremes){l->compute_s, l->exchange_s, -l->compute_s, -l->exchange_s};
    comm_sum_u64(line->t->comm, (uint64_t *)(void *)sums, SUMS);
    comm_max_double(line->t->comm, (double *)(void *)&line->extremes, EXTREMES);
}

/* Prints a member with three times in seconds: the smallest, the mean and the largest of all ranks. */
static void print_times(struct json *json, const char *name, double least, double mean, double most)
{
    json_begin(json, name, '{');
    json_member(json, "min", JSON_SECONDS, least);
    json_member(json, "mean", JSON_SECONDS, mean);
    json_member(json, "max", JSON_SECONDS, most);
    json_end(json, '}');
}

/* Called by text_printed. Prints the line of one level. The context is a struct level_line. */
static void print_line(FILE *out, const void *context)
{
    const struct level_line *line = context;
    const struct level_counts *c = &line->sums.counts;
    const uint64_t *exchanged = line->sums.exchanged;
    const struct level_extremes *x = &line->extremes;
    const double ranks = line->t->comm->ranks;
    struct json j = {out, "", 0};
    fputs(line->t->begun ? "{" : "{" JSON_FORMAT ", ", out);
    json_member(&j, "root", JSON_COUNT, line->root);
    json_member(&j, "level", "%" PRIu32, line->level);
    json_member(&j, "frontier", JSON_COUNT, c->fresh);
    json_begin(&j, "subgraphs", '{');
    for (int g = 0; g < SUBGRAPHS; g++) {
        json_begin(&j, subgraph_name[g], '{');
        json_text(&j, "direction", c->frontier[g] == 0                 ? "none"
                                   : c->pulling[g] == 0                ? "push"
                                   : c->pulling[g] == line->t->devices ? "pull"
                                                                       : "both");
        json_member(&j, "pulling", JSON_COUNT, c->pulling[g]);
        json_member(&j, "frontier", JSON_COUNT, c->frontier[g]);
        json_member(&j, "fv", JSON_COUNT, c->forward[g]);
        json_member(&j, "bv", JSON_COUNT, line->sums.backward[g]);
        json_member(&j, "pushed", JSON_COUNT, c->pushed[g]);
        if (line->counts_probes)
            json_member(&j, "probes", JSON_COUNT, c->probes[g]);
        json_end(&j, '}');
    }
    json_end(&j, '}');
    json_member(&j, "leaving_vertices", JSON_COUNT, exchanged[COUNT_FOUND_VERTICES]);
    json_member(&j, "sent_vertices", JSON_COUNT, exchanged[COUNT_SENT_VERTICES]);
    json_member(&j, "local_vertices", JSON_COUNT, line->kind == LEVEL_STEPPED ? exchanged[COUNT_PEER_VERTICES] : 0);
    json_begin(&j, "bytes", '{');
    json_member(&j, "vertices", JSON_COUNT, exchanged[COUNT_LIST_BYTES] + exchanged[COUNT_BITS_BYTES]);
    json_member(&j, "frontiers", JSON_COUNT, exchanged[COUNT_FRONTIER_BYTES]);
    json_member(&j, "masks", JSON_COUNT, exchanged[COUNT_MASK_BYTES]);
    json_member(&j, "peers", JSON_COUNT, exchanged[COUNT_PEER_BYTES]);
    json_end(&j, '}');
    print_times(&j, "compute_s", -x->minus_compute_min, 1e-9 * (double)line->sums.compute_ns / ranks, x->compute_max);
    print_times(&j, "exchange_s", -x->minus_exchange_min, 1e-9 * (double)line->sums.exchange_ns / ranks, x->exchange_max);
    json_text(&j, "way", level_kind_name[line->kind]);
    json_member(&j, "delegates", JSON_COUNT, c->delegates);
    fputs("}\n", out);
}

/* Collective. Overwrites *t, and opens the file on rank 0. If a rank fails, the call fails on all ranks. */
enum status trace_file_open(struct trace_file *t, const char *path, const struct rank *rank, struct error *e)
{
    *t = (struct trace_file){.comm = rank->comm, .graph = rank->graph, .devices = rank->comm->ranks * rank->device_count};
    if (rank->comm->rank == 0)
        outfile_open(&t->out, path, e);
    return comm_agree(rank->comm, e);
}

/* Collective. Sums up the levels of a search over all ranks. Rank 0 appends a line to the file for each level. Clears
 * record->log, unless a rank has failed before. */
enum status trace_file_add(struct trace_file *t, struct record *record, struct error *e)
{
    struct level_line line = {.t = t, .root = shown_id(t->graph, record->root)};
    const struct level_log *log = &record->log;
    if (log->failed)
        fail_memory(e, "the trace", log->count * sizeof *log->level);
    if (comm_agree(t->comm, e) != ST_OK)
        return e->status;
    for (line.level = 0; line.level < log->count; line.level++) {
        const struct level_trace *level = &log->level[line.level];
        line.kind = level->kind;
        line.counts_probes = level->counts_probes;
        reduce_level(&line, level);
        if (t->out == NULL || e->status != ST_OK)
            continue;
        size_t size = 0;
        char *text = text_printed(print_line, &line, &size);
        if (text != NULL)
            outfile_write(t->out, text, size, e);
        else
            fail_memory(e, outfile_name(t->out), 1024);
        free(text);
        t->begun = 1;
    }
    level_log_clear(&record->log);
    return comm_agree(t->comm, e);
}
