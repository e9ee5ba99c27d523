/* graph500_block.c: see graph500_block.h
 *
 * Names, order and forms of the numbers are those of the reference code. Times are those of the answer clock, as
 * the benchmark requires parents in memory. */
#include "graph500_block.h"

#include "traverse/report/statistics.h"

#include "formats/base/outfile.h"

#include <inttypes.h>

static const struct manifest *manifest_of(const struct block *b)
{
    return &b->env->searcher->rank.graph->manifest;
}

/* log2 of the vertices, or -1 if they are no power of two. */
static int scale_of(const struct block *b)
{
    uint64_t n = manifest_of(b)->totals.n;
    if (n == 0 || (n & (n - 1)) != 0)
        return -1;
    return __builtin_ctzll(n);
}

/* Prints a field: its name, padded as in the reference code, and its value. */
static void field(FILE *out, const char *prefix, const char *what, const char *of, double value)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s_%s:", prefix, what, of);
    fprintf(out, "%-31s %.11g\n", name, value);
}

static void print_five(FILE *out, const char *prefix, const char *of, const struct statistics *s)
{
    field(out, prefix, "min", of, s->min);
    field(out, prefix, "firstquartile", of, s->first_quartile);
    field(out, prefix, "median", of, s->median);
    field(out, prefix, "thirdquartile", of, s->third_quartile);
    field(out, prefix, "max", of, s->max);
}

static void print_seven(FILE *out, const char *prefix, const char *of, const struct statistics *s)
{
    print_five(out, prefix, of, s);
    field(out, prefix, "mean", of, s->mean);
    field(out, prefix, "stddev", of, s->deviation);
}

static void print_head(FILE *out, const struct block *b)
{
    const struct manifest *m = manifest_of(b);
    int scale = scale_of(b);
    if (scale < 0)
        fprintf(out, "%-31s NA\n", "SCALE:");
    else
        fprintf(out, "%-31s %d\n", "SCALE:", scale);
    fprintf(out, "%-31s %.11g\n", "edgefactor:", (double)m->totals.edges / (double)m->totals.n);
    fprintf(out, "%-31s %" PRIu64 "\n", "NBFS:", b->count);
    fprintf(out, "%-31s NA\n", "graph_generation:");
    fprintf(out, "%-31s %u\n", "num_mpi_processes:", b->env->searcher->rank.comm->ranks);
    if (b->construction_s < 0)
        fprintf(out, "%-31s NA\n", "construction_time:");
    else
        fprintf(out, "%-31s %.11g\n", "construction_time:", b->construction_s);
}

static double mteps_per_watt(const struct energy_record *e)
{
    return e->joules > 0 ? 1e-6 * e->edges / e->joules : 0;
}

static void print_energy(FILE *out, const struct energy_record *e)
{
    if (!e->known) {
        fprintf(out, "%-31s NA\n%-31s NA\n", "energy_J:", "MTEPS/W:");
        return;
    }
    fprintf(out, "%-31s %.11g\n", "energy_J:", e->joules);
    fprintf(out, "%-31s %.11g\n", "energy_time:", e->seconds);
    fprintf(out, "%-31s %d GPUs, %d processor packages\n", "energy_of:", e->gpus, e->packages);
    fprintf(out, "%-31s %.11g\n", "MTEPS/W:", mteps_per_watt(e));
}

void block_print(FILE *out, const struct block *b)
{
    struct statistics s;
    print_head(out, b);
    statistics_of(b->runs, b->count, ANSWER_TIME, &s);
    print_seven(out, "bfs  ", "time", &s);
    statistics_of(b->runs, b->count, EDGES, &s);
    print_seven(out, "", "nedge", &s);
    statistics_of(b->runs, b->count, ANSWER_TEPS, &s);
    print_five(out, "bfs  ", "TEPS", &s);
    fprintf(out, "%-31s %.11g\n", "bfs  harmonic_mean_TEPS:     !", s.harmonic_mean);
    field(out, "bfs  ", "harmonic_stddev", "TEPS", s.harmonic_deviation);
    statistics_of(b->runs, b->count, VALIDATION_TIME, &s);
    print_seven(out, "bfs  ", "validate", &s);
    print_energy(out, &b->energy);
}

/* ---- JSON ---- */

static void print_json(FILE *out, const void *context)
{
    const struct block *b = context;
    fputs("{\n", out);
    report_json_environment(out, b->env);
    if (b->construction_s >= 0)
        fprintf(out, "  \"construction_s\": %.17g,\n", b->construction_s);
    if (b->energy.known)
        fprintf(out, "  \"energy\": {\"joules\": %.17g, \"seconds\": %.17g, \"batch_edges\": %.17g, "
                "\"gpus\": %d, \"packages\": %d},\n", b->energy.joules, b->energy.seconds,
                b->energy.edges, b->energy.gpus, b->energy.packages);
    report_json_roots(out, b->env, b->runs, b->count);
    fputs("}\n", out);
}

enum status block_json(const char *path, const struct block *b, struct error *e)
{
    return outfile_print(path, print_json, b, e);
}
