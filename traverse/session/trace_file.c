/* trace_file.c: see trace_file.h */
#include "trace_file.h"

#include "traverse/results/outputs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- all ranks ---- */

/* Sums over ranks. */
struct level_sums {
    struct level_counts counts;
    uint64_t backward[SUBGRAPHS], moved[EXCHANGE_COUNTS];
    uint64_t compute_ns, exchange_ns;
};

enum { SUMS = sizeof(struct level_sums) / sizeof(uint64_t) };

/* The largest values over ranks; least values have their sign changed. */
struct level_extremes {
    double compute_max, exchange_max, compute_min, exchange_min;
};

enum { EXTREMES = sizeof(struct level_extremes) / sizeof(double) };

/* Collective. */
static void reduce_level(const struct trace_file *t, const struct level_trace *l, struct level_sums *sums,
                         struct level_extremes *extremes)
{
    *sums = (struct level_sums){.counts = l->counts,
                                .compute_ns = (uint64_t)(1e9 * l->compute_s + 0.5),
                                .exchange_ns = (uint64_t)(1e9 * l->exchange_s + 0.5)};
    memcpy(sums->moved, l->exchange.counts.of, sizeof sums->moved);
    for (int g = 0; g < SUBGRAPHS; g++)
        sums->backward[g] = (uint64_t)l->backward[g];
    *extremes = (struct level_extremes){.compute_max = l->compute_s,
                                        .exchange_max = l->exchange_s,
                                        .compute_min = -l->compute_s,
                                        .exchange_min = -l->exchange_s};
    comm_sum_u64(t->comm, (uint64_t *)(void *)sums, SUMS);
    comm_max_double(t->comm, (double *)(void *)extremes, EXTREMES);
    extremes->compute_min = -extremes->compute_min;
    extremes->exchange_min = -extremes->exchange_min;
}

/* ---- lines ---- */

/* A line of the file: one level, reduced over all ranks. */
struct level_line {
    const struct trace_file *t;
    uint64_t root;
    uint32_t level;
    enum level_kind kind; /* the same on all ranks */
    int counts_probes;
    struct level_sums sums;
    struct level_extremes extremes;
};

static void print_subgraph(FILE *out, const struct level_line *line, int g)
{
    const struct level_counts *c = &line->sums.counts;
    fprintf(out,
            "%s\"%s\": {\"direction\": \"%s\", \"pulling\": %" PRIu64 ", \"frontier\": %" PRIu64
            ", \"fv\": %" PRIu64 ", \"bv\": %" PRIu64 ", \"pushed\": %" PRIu64,
            g > 0 ? ", " : "", subgraph_name[g],
            c->frontier[g] == 0                 ? "none"
            : c->pulling[g] == 0                ? "push"
            : c->pulling[g] == line->t->devices ? "pull"
                                                : "both",
            c->pulling[g], c->frontier[g], c->forward[g], line->sums.backward[g], c->pushed[g]);
    if (line->counts_probes)
        fprintf(out, ", \"probes\": %" PRIu64, c->probes[g]);
    fputc('}', out);
}

/* Prints the least, mean and largest of the ranks' seconds. */
static void print_times(FILE *out, const char *name, double least, double mean, double most)
{
    fprintf(out, ", \"%s\": {\"min\": %.9f, \"mean\": %.9f, \"max\": %.9f}", name, least, mean, most);
}

static void print_level_line(FILE *out, const void *context)
{
    const struct level_line *line = context;
    const struct level_sums *s = &line->sums;
    const struct level_extremes *x = &line->extremes;
    double ranks = line->t->comm->ranks;
    fprintf(out, "{\"root\": %" PRIu64 ", \"level\": %" PRIu32 ", \"frontier\": %" PRIu64
            ", \"subgraphs\": {", line->root, line->level, s->counts.fresh);
    for (int g = 0; g < SUBGRAPHS; g++)
        print_subgraph(out, line, g);
    fprintf(out, "}, \"leaving_vertices\": %" PRIu64 ", \"sent_vertices\": %" PRIu64
            ", \"local_vertices\": %" PRIu64, s->moved[COUNT_FOUND_VERTICES],
            s->moved[COUNT_SENT_VERTICES], line->kind == LEVEL_STEPPED ? s->moved[COUNT_PEER_VERTICES] : 0);
    fprintf(out, ", \"bytes\": {\"vertices\": %" PRIu64 ", \"frontiers\": %" PRIu64
            ", \"masks\": %" PRIu64 ", \"peers\": %" PRIu64 "}",
            s->moved[COUNT_LIST_BYTES] + s->moved[COUNT_BITS_BYTES], s->moved[COUNT_FRONTIER_BYTES],
            s->moved[COUNT_MASK_BYTES], s->moved[COUNT_PEER_BYTES]);
    print_times(out, "compute_s", x->compute_min, 1e-9 * (double)s->compute_ns / ranks,
                x->compute_max);
    print_times(out, "exchange_s", x->exchange_min, 1e-9 * (double)s->exchange_ns / ranks,
                x->exchange_max);
    fprintf(out, ", \"way\": \"%s\", \"delegates\": %" PRIu64 "}\n", level_kind_name[line->kind],
            s->counts.delegates);
}

/* ---- the file ---- */

enum status trace_file_open(struct trace_file *t, const char *path, const struct rank *rank, struct error *e)
{
    *t = (struct trace_file){.comm = rank->comm, .devices = rank->comm->ranks * rank->device_count};
    if (rank->comm->rank == 0)
        outfile_open(&t->out, path, e);
    return comm_agree(rank->comm, e);
}

enum status trace_file_add(struct trace_file *t, struct record *record, struct error *e)
{
    struct level_line line = {.t = t, .root = record->root};
    const struct level_log *log = &record->log;
    if (log->failed)
        fail_memory(e, "the trace", log->count * sizeof *log->level);
    if (comm_agree(t->comm, e) != ST_OK)
        return e->status;
    for (line.level = 0; line.level < log->count; line.level++) {
        const struct level_trace *level = &log->level[line.level];
        line.kind = level->kind;
        line.counts_probes = level->counts_probes;
        reduce_level(t, level, &line.sums, &line.extremes);
        if (t->out == NULL || e->status != ST_OK)
            continue;
        size_t size = 0;
        char *text = text_printed(print_level_line, &line, &size);
        if (text != NULL)
            outfile_write(t->out, text, size, e);
        else
            fail_memory(e, outfile_name(t->out), 1024);
        free(text);
    }
    level_log_clear(&record->log);
    return comm_agree(t->comm, e);
}

enum status trace_file_commit(struct trace_file *t, struct error *e)
{
    return outputs_commit(&t->out, t->comm, e);
}
