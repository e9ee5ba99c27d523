/* separate_plan.c: see separate_plan.h */
#include "separate_plan.h"

#include "formats/base/arith.h"

#include <inttypes.h>
#include <math.h>

/* Returns the bytes of the lists of self-loops, one for each thread and one of all, with room to grow, and of the histograms by
 * rank. There are fewer than sqrt(2m) + 1 ranks. */
static uint64_t tables_bytes(const struct separation_plan *p, int threads)
{
    uint64_t loops = smaller(p->totals.loops, p->totals.n);
    uint64_t ranks = smaller((uint64_t)sqrt(2.0 * (double)p->directed_edges) + 1, p->totals.n + 1);
    return loops * 2 * sizeof(struct vertex_loops) * 2 + ranks * (16 * (uint64_t)threads + 40);
}

/* Plans a separation from the numbers of vertices and edges; reads no edges. */
enum status separation_plan_make(struct separation_plan *p, const struct edge_source *source,
                                 const struct separation_options *o,
                                 const struct memory_budget *budget, struct error *e)
{
    struct vertex_values v = {.spill = o->spill};
    *p = (struct separation_plan){.info = source->info,
                                  .totals = source->totals,
                                  .stream_bytes = source->bytes,
                                  .disk_bytes = edge_source_spooled_bytes(source)};
    uint64_t records = p->totals.edges - p->totals.loops, most = memory_left(budget) / 2;
    p->directed_edges = p->info.direction == EDGES_SYMMETRIC ? records : 2 * records;
    /* later passes see the ids up to n or, in place of them, dense ids (sparse_ids.h) */
    const uint64_t room = sparse_ids_room(&p->totals, p->stream_bytes, o->p, budget);
    v.n = p->ids = room > 0 ? smaller(p->totals.n, room * o->p + 1) : p->totals.n;
    p->tables_bytes = 2 * sizeof(uint64_t) * room;
    if (values_least_bytes(v.n) > most)
        return fail(e, ST_RESOURCE, "%s: %" PRIu64 " vertices need %" PRIu64 " bytes for their "
                    "values, and half of the memory budget (-S) has %" PRIu64, source->name, v.n,
                    values_least_bytes(v.n), most);
    values_choose_windows(&v, o->p, most);
    p->windows = v.windows;
    p->values_bytes = (v.windows == 1 ? v.n : 2 * v.window) * sizeof(uint32_t);
    p->tables_bytes += tables_bytes(p, o->threads);
    p->degree_passes = (v.windows + 1) / 2 + (p->ids < p->totals.n); /* one lists the ids */
    struct edges_totals dense = p->totals;
    dense.n = p->ids;
    if (v.windows == 1)
        p->tiles_bytes = degrees_tiles_bytes(&dense, source->largest_share, o,
                                             memory_left(budget) - p->values_bytes);
    p->scan_passes = p->tiles_bytes > 0 ? 0 : values_scan_passes(&v);
    if (v.windows > 1)
        p->disk_bytes += v.n * sizeof(uint32_t);
    return ST_OK;
}

/* Prints a line "key value quality". */
void plan_print(FILE *stream, const char *key, uint64_t value, enum plan_quality quality)
{
    static const char *const name[] = {"exact", "at-most", "estimate"};
    fprintf(stream, "%-24s %20" PRIu64 " %s\n", key, value, name[quality]);
}

/* Prints the lines about the stream and its vertices. */
void separation_plan_print(const struct separation_plan *p, FILE *stream)
{
    plan_print(stream, "vertices", p->totals.n, PLAN_EXACT);
    plan_print(stream, "edges", p->totals.edges, PLAN_EXACT);
    plan_print(stream, "directed-edges", p->directed_edges, PLAN_EXACT);
    plan_print(stream, "vertex-windows", p->windows, PLAN_EXACT);
    plan_print(stream, "degree-passes", p->degree_passes, PLAN_EXACT);
}
