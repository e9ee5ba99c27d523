/* order.c: see order.h
 *
 * This is a counting sort that never makes the sorted list:
 * 1. Count the normal vertices by shard and rank of their degree, and the delegates by rank.
 * 2. Turn each of these counters into the first position of its vertices.
 * 3. Pass over the vertices by id, and replace each rank by the next position of its counter.
 *
 * Threads work on consecutive pieces of a window of vertices, and windows follow one another, so the result depends on neither.
 * If the counters of all shards would take too much memory, shards are taken in groups, each with passes of its own.
 */
#include "order.h"

#include "formats/base/arith.h"
#include "formats/graph/partition.h"

#include <stdlib.h>
#include <string.h>

struct sorting {
    struct vertex_order *order;
    struct vertex_values *values;
    const struct ranks *ranks;
    struct memory_budget *budget;
    uint32_t first_rank, cut; /* normal vertices with edges have ranks in between */
    uint32_t normal_ranks, delegate_ranks;
    uint32_t group_begin, group_end, group; /* shards in hand; size of a full group */
    int pieces;
    uint64_t counters; /* delegate ranks, then each shard's normal ranks */
    uint32_t *next;    /* [counters]: counts of all, later the place of the next vertex */
    uint32_t *count;   /* [pieces][counters]: the same for a piece of a window */
};

/* Returns the index of the counter of this rank and shard; UINT64_MAX if its vertices are numbered with another group of
 * shards. Delegates are numbered with the first group. */
static inline uint64_t counter_of(const struct sorting *s, uint32_t rank, uint32_t shard)
{
    if (rank >= s->cut)
        return s->group_begin == 0 ? rank - s->cut : UINT64_MAX;
    if (shard - s->group_begin >= s->group_end - s->group_begin || rank < s->first_rank)
        return UINT64_MAX;
    return s->delegate_ranks + (uint64_t)(shard - s->group_begin) * s->normal_ranks +
           (rank - s->first_rank);
}

/* ---- counting ---- */

/* Counts the vertices of a window, `n` from `begin` on, in s->count, each thread in a piece of its own. */
static void count_window(struct sorting *s, const uint32_t *rank_of, uint64_t begin, uint64_t n)
{
    memset(s->count, 0, (uint64_t)s->pieces * s->counters * sizeof *s->count);
#pragma omp parallel for num_threads(s->pieces) schedule(static, 1)
    for (int i = 0; i < s->pieces; i++) {
        uint32_t *count = s->count + (uint64_t)i * s->counters, p = s->order->p;
        uint64_t v = share_begin(n, s->pieces, i), end = share_begin(n, s->pieces, i + 1);
        uint32_t shard = shard_of_vertex(begin + v, p);
        for (; v < end; v++, shard = shard + 1 == p ? 0 : shard + 1) {
            uint64_t counter = counter_of(s, rank_of[v], shard);
            if (counter != UINT64_MAX)
                count[counter]++;
        }
    }
}

/* Counts the vertices of all windows in s->next; s->count has the last window. */
static enum status count_all(struct sorting *s, struct error *e)
{
    struct vertex_values *values = s->values;
    memset(s->next, 0, s->counters * sizeof *s->next);
    for (uint32_t w = 0; w < values->windows; w++) {
        const uint32_t *rank_of = values_load(values, w, /* half */ 0, e);
        uint64_t begin = window_begin(values, w), n = window_end(values, w) - begin;
        if (rank_of == NULL)
            return e->status;
        count_window(s, rank_of, begin, n);
        for (int i = 0; i < s->pieces; i++) {
            for (uint64_t c = 0; c < s->counters; c++)
                s->next[c] += s->count[(uint64_t)i * s->counters + c];
        }
    }
    return ST_OK;
}

/* ---- what the counts say ---- */

/* Lists the runs of equal degrees, by descending degree. count[] has the number of vertices of each rank, from `first` on. */
static enum status list_runs(const struct sorting *s, const uint32_t *count, uint32_t first,
                             uint32_t ranks, struct degree_run **runs, uint64_t *run_count,
                             struct error *e)
{
    uint64_t used = 0;
    for (uint32_t r = 0; r < ranks; r++)
        used += count[r] != 0;
    if (memory_take(s->budget, (void **)runs, used, sizeof **runs, "degrees", e) != ST_OK)
        return e->status;
    *run_count = 0;
    for (uint32_t r = ranks; r-- > 0;) {
        if (count[r] != 0)
            (*runs)[(*run_count)++] = (struct degree_run){
                .degree = s->ranks->degrees[first + r].degree, .vertices = count[r]};
    }
    return ST_OK;
}

/* Makes an exclusive prefix sum in place: each rank of degrees gets the position of its first vertex instead of its number of
 * vertices, the highest rank first. Returns the number of all vertices. */
static uint64_t start_positions(uint32_t *count, uint32_t ranks)
{
    uint64_t at = 0;
    for (uint32_t r = ranks; r-- > 0;) {
        uint32_t own = count[r];
        count[r] = (uint32_t)at;
        at += own;
    }
    return at;
}

/* Lists the runs of degrees of the delegates, and turns their counters into first positions. */
static enum status start_delegates(struct sorting *s, struct error *e)
{
    struct vertex_order *o = s->order;
    uint64_t end = 0;
    if (list_runs(s, s->next, s->cut, s->delegate_ranks, &o->delegate_runs, &o->delegate_run_count,
                  e) != ST_OK ||
        memory_take(s->budget, (void **)&o->delegate_run_end, o->delegate_run_count, 4, "degrees",
                    e) != ST_OK)
        return e->status;
    for (uint64_t r = 0; r < o->delegate_run_count; r++)
        o->delegate_run_end[r] = (uint32_t)(end += o->delegate_runs[r].vertices);
    start_positions(s->next, s->delegate_ranks);
    return ST_OK;
}

/* Turns the counters of a group of shards into first positions, and lists the runs of degrees in each of these shards. */
static enum status start_group(struct sorting *s, struct error *e)
{
    if (s->group_begin == 0 && start_delegates(s, e) != ST_OK)
        return e->status;
    for (uint32_t shard = s->group_begin; shard < s->group_end && e->status == ST_OK; shard++) {
        struct shard_vertices *sv = &s->order->shard[shard];
        uint32_t *count = s->next + s->delegate_ranks +
                          (uint64_t)(shard - s->group_begin) * s->normal_ranks;
        list_runs(s, count, s->first_rank, s->normal_ranks, &sv->runs, &sv->run_count, e);
        sv->locals = start_positions(count, s->normal_ranks);
    }
    return e->status;
}

/* ---- labels ---- */

/* Replaces each counter of a piece of a window by the position of the first vertex of the piece that it has counted. */
static void start_pieces(struct sorting *s)
{
#pragma omp parallel for num_threads(s->pieces) schedule(static)
    for (uint64_t c = 0; c < s->counters; c++) {
        for (int i = 0; i < s->pieces; i++) {
            uint32_t *count = &s->count[(uint64_t)i * s->counters + c], own = *count;
            *count = s->next[c];
            s->next[c] += own;
        }
    }
}

/* Stores the id of a delegate, which is vertex `vertex` of the passes. */
static void set_delegate_id(struct vertex_order *o, uint32_t delegate, uint64_t vertex)
{
    uint64_t v = sparse_ids_original(o->sparse, vertex);
    if (o->delegate_id_width == 4)
        ((uint32_t *)o->delegate_ids)[delegate] = (uint32_t)v;
    else
        ((uint64_t *)o->delegate_ids)[delegate] = v;
}

/* Returns the label of vertex v (order.h), which has this number among the normals of its shard or among all delegates. Also stores the id
 * of a delegate. */
static uint32_t label_of(struct sorting *s, uint32_t rank, uint32_t number, uint64_t v)
{
    struct vertex_order *o = s->order;
    if (rank < s->cut)
        return number;
    uint32_t run_mask = (UINT32_C(1) << (31 - o->delegate_bits)) - 1;
    uint32_t run = s->ranks->count - 1 - rank;
    set_delegate_id(o, number, v);
    return LABEL_DELEGATE | (run & run_mask) << o->delegate_bits | number;
}

/* Replaces the ranks of a window by labels, as far as this group of shards has them. */
static void label_window(struct sorting *s, uint32_t *of, uint64_t begin, uint64_t n)
{
#pragma omp parallel for num_threads(s->pieces) schedule(static, 1)
    for (int i = 0; i < s->pieces; i++) {
        uint32_t *next = s->count + (uint64_t)i * s->counters, p = s->order->p;
        uint64_t v = share_begin(n, s->pieces, i), end = share_begin(n, s->pieces, i + 1);
        uint32_t shard = shard_of_vertex(begin + v, p);
        for (; v < end; v++, shard = shard + 1 == p ? 0 : shard + 1) {
            uint64_t counter = counter_of(s, of[v], shard);
            if (counter != UINT64_MAX)
                of[v] = label_of(s, of[v], next[counter]++, begin + v);
            else if (of[v] < s->first_rank && shard - s->group_begin <
                                                  s->group_end - s->group_begin)
                of[v] = LABEL_ISOLATED;
        }
    }
}

/* The same for all windows. */
static enum status label_all(struct sorting *s, struct error *e)
{
    struct vertex_values *values = s->values;
    for (uint32_t w = 0; w < values->windows && e->status == ST_OK; w++) {
        uint32_t *of = values_load(values, w, /* half */ 0, e);
        uint64_t begin = window_begin(values, w), n = window_end(values, w) - begin;
        if (of == NULL)
            return e->status;
        if (values->windows > 1)
            count_window(s, of, begin, n); /* with one window the counts are still there */
        start_pieces(s);
        label_window(s, of, begin, n);
        values_keep(values, w, /* half */ 0, e);
    }
    return e->status;
}

/* ---- everything ---- */

/* Sets the widths of local ids and columns of nn, which the largest shard decides. */
static enum status set_widths(struct vertex_order *o, struct error *e)
{
    uint64_t largest = 0;
    for (uint32_t shard = 0; shard < o->p; shard++)
        largest = o->shard[shard].locals > largest ? o->shard[shard].locals : largest;
    if (largest >= LABEL_ISOLATED)
        return fail(e, ST_RESOURCE, "%llu normal vertices in a shard: at most 2^31 - 2 are "
                    "possible, p must be larger", (unsigned long long)largest);
    o->local_bits = local_bits_for(largest);
    o->nn_column_bytes = nn_column_bytes_for(largest, o->p);
    return ST_OK;
}

/* Allocates the counters in at most an eighth of the memory left. This decides how many shards are numbered at a time, and into
 * how many pieces a window is cut. */
static enum status take_counters(struct sorting *s, struct error *e)
{
    uint64_t most = memory_left(s->budget) / 8 / sizeof *s->next, of_shard = s->normal_ranks;
    uint64_t all = s->delegate_ranks + s->order->p * of_shard;
    s->pieces = s->values->threads;
    if ((uint64_t)(s->pieces + 1) * all > most)
        s->pieces = 1;
    uint64_t shards = s->order->p;
    if (2 * all > most)
        shards = most / 2 > s->delegate_ranks + of_shard ? (most / 2 - s->delegate_ranks) / of_shard
                                                         : 1;
    s->group = (uint32_t)shards;
    s->counters = s->delegate_ranks + shards * of_shard;
    memory_take(s->budget, (void **)&s->next, s->counters, 4, "vertex order", e);
    return memory_take(s->budget, (void **)&s->count, (uint64_t)s->pieces * s->counters, 4,
                       "vertex order", e);
}

/* Labels all vertices, group after group of shards. */
static enum status number_all(struct sorting *s, struct error *e)
{
    uint32_t p = s->order->p;
    for (uint32_t begin = 0; begin < p && e->status == ST_OK; begin += s->group) {
        s->group_begin = begin;
        s->group_end = p - begin < s->group ? p : begin + s->group;
        if (count_all(s, e) == ST_OK && start_group(s, e) == ST_OK)
            label_all(s, e);
    }
    return e->status;
}

/* Sets the widths of delegates, and takes memory for their ids. */
static enum status take_delegates(struct vertex_order *o, struct memory_budget *budget, struct error *e)
{
    if (o->d >= LABEL_ISOLATED)
        return fail(e, ST_RESOURCE, "%llu delegates: at most 2^31 - 2 are possible, TH must be "
                    "larger", (unsigned long long)o->d);
    for (o->delegate_bits = 1; o->d > UINT64_C(1) << o->delegate_bits; o->delegate_bits++)
        ;
    o->delegate_id_width = o->n <= (uint64_t)UINT32_MAX + 1 ? 4 : 8;
    return memory_take(budget, &o->delegate_ids, o->d, o->delegate_id_width, "delegates", e);
}

/* Fails if a shard has more slots than local ids can name. */
static enum status check_slots(const struct vertex_order *o, struct error *e)
{
    if (o->n / o->p >= SHARD_MAX_LOCAL)
        return fail(e, ST_RESOURCE, "%llu vertices in %u shards: at most 2^31 a shard are "
                    "possible: p must be larger, or 'edgeconv --compact' number those that have "
                    "edges", (unsigned long long)o->n, o->p);
    return ST_OK;
}

/* Gives every vertex its number: the ranks in rank_of become the labels in *o, in the same memory. */
enum status order_make(struct vertex_order *o, struct vertex_ranks *rank_of,
                       const struct ranks *ranks, const struct order_graph *graph,
                       struct memory_budget *budget, struct error *e)
{
    uint32_t p = graph->p;
    struct sorting s = {.order = o, .values = &o->labels.values, .ranks = ranks, .budget = budget,
                        .cut = ranks_cut(ranks, graph->th)};
    *o = (struct vertex_order){
        .n = graph->n, .sparse = graph->sparse, .p = p, .labels = {rank_of->values}};
    memset(rank_of, 0, sizeof *rank_of);
    s.first_rank = ranks->count > 0 && ranks->degrees[0].degree == 0;
    s.normal_ranks = s.cut > s.first_rank ? s.cut - s.first_rank : 0;
    s.delegate_ranks = ranks->count - s.cut;
    for (uint32_t r = s.cut; r < ranks->count; r++)
        o->d += ranks->degrees[r].vertices;
    o->shard = calloc(p, sizeof *o->shard);
    if (o->shard == NULL)
        fail_memory(e, "shards", p * sizeof *o->shard);
    else if (check_slots(o, e) == ST_OK && take_delegates(o, budget, e) == ST_OK &&
             take_counters(&s, e) == ST_OK && number_all(&s, e) == ST_OK)
        set_widths(o, e);
    memory_release(budget, s.next);
    memory_release(budget, s.count);
    if (e->status != ST_OK)
        order_free(o, budget);
    return e->status;
}

void order_free(struct vertex_order *o, struct memory_budget *budget)
{
    for (uint32_t shard = 0; o->shard != NULL && shard < o->p; shard++)
        memory_release(budget, o->shard[shard].runs);
    free(o->shard);
    memory_release(budget, o->delegate_runs);
    memory_release(budget, o->delegate_run_end);
    memory_release(budget, o->delegate_ids);
    label_file_free(&o->stowed);
    values_free(&o->labels.values);
    memset(o, 0, sizeof *o);
}

/* The run of equal degrees that a delegate is in. */
uint64_t order_delegate_run(const struct vertex_order *o, uint32_t delegate)
{
    uint64_t low = 0, high = o->delegate_run_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (o->delegate_run_end[middle] <= delegate)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- slots ---- */

/* Moves the labels to disk and frees their memory; from now on only order_slots reads them. */
enum status order_stow(struct vertex_order *o, struct spill *spill, struct error *e)
{
    if (label_file_write(&o->stowed, &o->labels.values, o->p, spill, e) == ST_OK)
        values_drop(&o->labels.values);
    return e->status;
}

struct slot_filling {
    uint32_t *slots;
    uint64_t locals;
};

/* Enters the slots of normal vertices by their labels; a label_visitor. */
static void fill_slots(void *context, uint64_t first_slot, const uint32_t *labels, uint64_t count)
{
    const struct slot_filling *f = context;
    for (uint64_t i = 0; i < count; i++) {
        if (labels[i] < f->locals)
            f->slots[labels[i]] = (uint32_t)(first_slot + i);
    }
}

/* Replaces slots of dense ids by those of the ids that they stand for. */
static void translate_slots(const struct vertex_order *o, uint32_t shard, uint32_t *slots)
{
    for (uint64_t i = 0; o->sparse != NULL && i < o->shard[shard].locals; i++) {
        uint64_t dense = vertex_of_slot(slots[i], shard, o->p);
        slots[i] = (uint32_t)slot_of_vertex(sparse_ids_original(o->sparse, dense), o->p);
    }
}

/* Sets slots[] to the slot of each normal vertex of a shard, by local id. */
enum status order_slots(const struct vertex_order *o, uint32_t shard, uint32_t *slots, struct error *e)
{
    struct slot_filling f = {.slots = slots, .locals = o->shard[shard].locals};
    if (o->stowed.windows > 0) {
        label_file_read(&o->stowed, shard, fill_slots, &f, e);
        translate_slots(o, shard, slots);
        return e->status;
    }
    const uint32_t *label = o->labels.values.of;
    uint64_t ids = o->labels.values.n, count = shard < ids ? (ids - 1 - shard) / o->p + 1 : 0;
#pragma omp parallel for num_threads(o->labels.values.threads) schedule(static)
    for (uint64_t slot = 0; slot < count; slot++) {
        if (label[shard + slot * o->p] < f.locals)
            slots[label[shard + slot * o->p]] = (uint32_t)slot;
    }
    translate_slots(o, shard, slots);
    return ST_OK;
}
