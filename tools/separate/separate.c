/* separate.c: see separate.h */
#include "separate.h"

#include "formats/base/cli.h"
#include "formats/base/progress.h"
#include "formats/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The first pass: counts and ranks the degrees. Collective. */
enum status separation_degrees(struct separation *s, struct edge_source *source,
                               const struct separation_options *options,
                               struct memory_budget *budget, struct error *e)
{
    double start = cli_seconds();
    memset(s, 0, sizeof *s);
    if (degrees_count(&s->degrees, source, options, budget, e) == ST_OK && s->degrees.again)
        return e->status;
    if (e->status == ST_OK)
        ranks_make(&s->ranks, &s->rank_of, &s->degrees.of, budget, e);
    s->sparse = source->sparse;
    if (s->sparse != NULL && e->status == ST_OK) /* one dense id at least has no edge */
        s->ranks.degrees[0].vertices += s->degrees.totals.n - s->degrees.ids;
    comm_agree(source->comm, e);
    s->degree_seconds = cli_seconds() - start;
    if (e->status != ST_OK)
        separation_free(s, budget);
    return e->status;
}

/* The second pass: counts the edges of nn, nd, dn and dd for every TH. Collective. */
enum status separation_classes(struct separation *s, const struct edge_source *source,
                               struct memory_budget *budget, struct error *e)
{
    double start = cli_seconds();
    struct edge_supply edges = degrees_edges(&s->degrees, source);
    progress_stage("counting edges by thresholds",
                   s->degrees.own_edges * values_scan_passes(&s->rank_of.values), PROGRESS_ITEMS);
    edge_ranks_count(&s->edges, &edges, s->degrees.directed_edges, &s->rank_of, &s->ranks, budget,
                     e);
    s->class_seconds = cli_seconds() - start;
    return e->status;
}

void separation_free(struct separation *s, struct memory_budget *budget)
{
    edge_ranks_free(&s->edges, budget);
    values_free(&s->rank_of.values);
    ranks_free(&s->ranks, budget);
    degrees_free(&s->degrees, budget);
}

/* Returns whether degrees are small and about equal, as in meshes and lattices: at most MOST, and at most 1.5 times the mean of
 * the vertices with edges. Random graphs fail this, as some of their vertices have twice the mean. Degrees of `ranks` ascend. */
static int degrees_are_even(const struct ranks *ranks)
{
    enum { MOST = 16 };
    uint64_t vertices = 0, ends = 0, largest = 0;
    for (uint32_t r = 0; r < ranks->count; r++) {
        const struct degree_count *d = &ranks->degrees[r];
        vertices += d->degree > 0 ? d->vertices : 0;
        ends += d->degree * d->vertices;
        largest = d->degree;
    }
    return largest <= MOST && 2 * largest * vertices <= 3 * ends;
}

/* Nonzero if searches are likely to have many small levels: most edges join near ids, or all degrees are small and even. */
int separation_planar(const struct separation *s)
{
    const struct edges_totals *t = &s->degrees.totals;
    return s->degrees.near_edges > (t->edges - t->loops) / 4 * 3 || degrees_are_even(&s->ranks);
}

uint64_t separation_delegates(const struct separation *s, uint64_t th)
{
    uint64_t delegates = 0;
    for (uint32_t r = ranks_cut(&s->ranks, th); r < s->ranks.count; r++)
        delegates += s->ranks.degrees[r].vertices;
    return delegates;
}

/* Reads a TH such as "64" or "inf". */
enum status th_parse(const char *text, uint64_t *th, struct error *e)
{
    *th = TH_INFINITE;
    if (strcmp(text, "inf") == 0 || (parse_u64(text, th) == 0 && *th != TH_INFINITE))
        return ST_OK;
    if (*text == '-' && has_digits_alone(text + 1))
        return fail(e, ST_USAGE, "-t: %s is negative: at least 0", text);
    if (has_digits_alone(text))
        return fail(e, ST_USAGE, "-t: %s is too large: 'inf' makes no delegates", text);
    return fail(e, ST_USAGE, "-t: '%s' is neither a whole number nor 'inf'", text);
}

char *th_format(uint64_t th, char *buffer, size_t buffer_bytes)
{
    if (th == TH_INFINITE)
        snprintf(buffer, buffer_bytes, "inf");
    else
        snprintf(buffer, buffer_bytes, "%" PRIu64, th);
    return buffer;
}
