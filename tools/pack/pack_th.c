/* pack_th.c: finds TH, and gives every vertex its number */
#include "pack_job.h"

#include "formats/base/arith.h"
#include "formats/base/cli.h"
#include "tools/pack/folder/pack_plan.h"

#include <string.h>

/* Fails: the split was made from another stream, in which `what` differs. */
static enum status mismatch(const struct pack_job *j, const char *what, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: was made from another edge stream than %s: %s differ%s",
                j->options->split_path, j->source->name, what,
                what[strlen(what) - 1] == 's' ? "" : "s");
}

/* Checks that the split was made from the stream whose degrees were counted. */
static enum status check_split(const struct pack_job *j, struct error *e)
{
    const struct edges_totals *a = &j->split.totals, *b = &j->separation.degrees.totals;
    if (j->split.direction != j->separation.degrees.info.direction)
        return mismatch(j, "the direction", e);
    if (a->n != b->n)
        return mismatch(j, "the numbers of vertices", e);
    if (a->edges != b->edges || a->loops != b->loops)
        return mismatch(j, "the numbers of edges", e);
    if (a->checksum != b->checksum || a->max_id != b->max_id)
        return mismatch(j, "the checksums", e);
    if (j->split.d != separation_delegates(&j->separation, j->split.th))
        return mismatch(j, "the delegates", e);
    return ST_OK;
}

/* Sets j->report->th if TH is given, or an interrupted packing has it; 0: classes must be counted to suggest one. */
static int find_th(struct pack_job *j)
{
    struct pack_report *r = j->report;
    if (j->options->split_path != NULL)
        r->th = j->split.th;
    else if (j->options->th_given)
        r->th = j->options->th;
    else
        return pack_folder_suggested_th(&j->parts.folder, r->totals.checksum, &r->th);
    return 1;
}

/* Counts the classes, and sets j->report->th to the TH suggested. */
static enum status find_suggestion(struct pack_job *j, struct error *e)
{
    struct pack_report *r = j->report;
    const struct pack_options *o = j->options;
    const struct shard_layout layout = {o->p, o->links};
    if (separation_classes(&j->separation, j->source, j->budget, e) == ST_OK &&
        suggest(&r->suggestion, &j->separation, layout, o->suggest_by, j->budget, e) == ST_OK) {
        r->th = suggestion_th(&r->suggestion);
        r->suggested = 1;
    }
    return e->status;
}

enum status pack_bound_pipe(struct edge_source *source, const struct pack_options *o, const struct memory_budget *budget, struct error *e)
{
    enum { LEAST_IDS = 1 << 23, LEAST_EDGES = 1 << 20 };
    if (!source->open_ended || edge_source_peek(source, e) != ST_OK)
        return e->status;
    source->dense_p = o->p;
    source->totals.n = larger(LEAST_IDS, source->likely_ids);
    const uint64_t left = memory_left(budget), values = source->totals.n * sizeof(uint32_t);
    int fits = values < left / 2;
    for (uint64_t edges = LEAST_EDGES; fits; edges *= 2) {
        struct edge_source longer = *source;
        longer.totals.edges = longer.largest_share = edges;
        longer.bytes = sizeof(struct edge) * edges;
        const struct separation_options options = pack_plan_separation(o, &longer);
        fits = degrees_tiles_bytes(&longer.totals, edges, &options, left - values) > 0;
        if (fits)
            *source = longer;
    }
    return source->totals.edges > 0 ? ST_OK : edge_source_keep(source, NULL, e);
}

/* The step that counts degrees and sets j->report->th. */
enum status pack_separate(struct pack_job *j, struct error *e)
{
    do {
        const struct separation_options options = pack_plan_separation(j->options, j->source);
        if (separation_degrees(&j->separation, j->source, &options, j->budget, e) == ST_OK && j->separation.degrees.again)
            edge_source_make_dense(j->source, j->options->p, j->options->threads, j->budget, e);
    } while (e->status == ST_OK && j->separation.degrees.again);
    if (e->status != ST_OK)
        return e->status;
    j->report->seconds.degrees = j->separation.degree_seconds;
    j->report->totals = j->separation.degrees.totals;
    if (!find_th(j))
        find_suggestion(j, e);
    else if (j->options->split_path != NULL)
        check_split(j, e);
    return comm_agree(j->source->comm, e);
}

/* The step that reads the split, if one is given. Keeps the ids of delegates, for check_split_delegates, not their degrees. */
enum status pack_read_split(struct pack_job *j, struct error *e)
{
    if (j->options->split_path == NULL ||
        split_read(&j->split, j->options->split_path, j->budget, e) != ST_OK)
        return e->status;
    memory_release(j->budget, j->split.delegate_degrees);
    j->split.delegate_degrees = NULL;
    return ST_OK;
}

/* Compares the delegates of the split with those that the degrees give. */
static enum status check_split_delegates(const struct pack_job *j, struct error *e)
{
    for (uint64_t i = 0; j->options->split_path != NULL && i < j->split.d; i++) {
        if (j->split.delegate_ids[i] != order_delegate_id(&j->order, i))
            return mismatch(j, "the delegates", e);
    }
    return ST_OK;
}

/* The step that gives every vertex its number, and frees the split. */
enum status pack_number(struct pack_job *j, struct error *e)
{
    double start = cli_seconds();
    struct separation *s = &j->separation;
    const struct order_graph graph = {
        .n = s->degrees.totals.n, .th = j->report->th, .p = j->options->p, .sparse = s->sparse};
    if (order_make(&j->order, &s->rank_of, &s->ranks, &graph, j->budget, e) == ST_OK &&
        check_split_delegates(j, e) == ST_OK) {
        split_free(&j->split);
        shard_loops_make(&j->loops, &j->separation.degrees.loops, &j->order, j->budget, e);
    }
    j->report->seconds.order += cli_seconds() - start;
    return comm_agree(j->source->comm, e);
}
