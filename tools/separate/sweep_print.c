/* sweep_print.c: see sweep_print.h */
#include "sweep_print.h"

#include "formats/base/outfile.h"
#include "separate.h"
#include "threshold.h"

#include <inttypes.h>

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* Bytes of all shards with the TH of a row, by Table I. */
static uint64_t row_bytes(const struct sweep_table *t, const struct sweep_row *row)
{
    const struct split *s = t->split;
    return table1_bytes(s->totals.n, row->delegates, t->p, s->directed_edges, row->nn);
}

static double predicted_ms(const struct sweep_table *t, uint64_t row, enum machine machine)
{
    return 1e-6 * (double)t->predicted[row].ns[machine];
}

/* Prints the table for people. */
void sweep_print(const struct sweep_table *t, FILE *stream)
{
    const struct split *s = t->split;
    char th[24];
    uint64_t m = s->directed_edges;
    fprintf(stream, "%9s %12s %7s %7s %7s %7s %7s %16s %9s %9s\n", "TH", "delegates", "d%", "nn%",
            "nd%", "dn%", "dd%", "Table I bytes", "GPU ms", "CPU ms");
    for (uint64_t i = 0; i < s->sweep_rows; i++) {
        const struct sweep_row *row = &s->sweep[i];
        fprintf(stream, "%9s %12" PRIu64 " %7.3f %7.3f %7.3f %7.3f %7.3f %16" PRIu64
                " %9.3g %9.3g%s\n",
                th_format(row->th, th, sizeof th), row->delegates,
                percent(row->delegates, s->totals.n), percent(row->nn, m), percent(row->nd, m),
                percent(row->dn, m), percent(row->dd, m), row_bytes(t, row),
                predicted_ms(t, i, MACHINE_GPU), predicted_ms(t, i, MACHINE_CPU),
                row->th == s->th ? " <" : "");
    }
}

/* Prints the table with a header line, separated by tabs; a text_printer. */
static void print_tsv(FILE *text, const void *context)
{
    const struct sweep_table *t = context;
    const struct split *s = t->split;
    char th[24];
    uint64_t m = s->directed_edges;
    fputs("th\tdelegates\tnn\tnd\tdn\tdd\td_percent\tnn_percent\tnd_percent\tdn_percent\t"
          "dd_percent\ttable1_bytes\tgpu_ms\tcpu_ms\tchosen\n", text);
    for (uint64_t i = 0; i < s->sweep_rows; i++) {
        const struct sweep_row *row = &s->sweep[i];
        fprintf(text, "%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
                th_format(row->th, th, sizeof th), row->delegates, row->nn, row->nd, row->dn,
                row->dd);
        fprintf(text, "\t%.6f\t%.6f\t%.6f\t%.6f\t%.6f\t%" PRIu64 "\t%.6f\t%.6f\t%d\n",
                percent(row->delegates, s->totals.n), percent(row->nn, m), percent(row->nd, m),
                percent(row->dn, m), percent(row->dd, m), row_bytes(t, row),
                predicted_ms(t, i, MACHINE_GPU), predicted_ms(t, i, MACHINE_CPU),
                row->th == s->th);
    }
}

enum status sweep_write_tsv(const struct sweep_table *table, const char *path, struct error *e)
{
    return outfile_print(path, print_tsv, table, e);
}
