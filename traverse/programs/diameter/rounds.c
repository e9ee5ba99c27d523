/* rounds.c: lists the roots of a round, and searches from them, together or one after the other (rounds.h) */
#include "rounds.h"

#include "traverse/engine/backend_table.h"

#include "formats/base/arith.h"
#include "formats/base/cli.h"
#include "formats/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* LEAST_TOGETHER: a batch of fewer roots takes longer than a search from each.
 * LEAST_OPENING: a set of fewer roots takes longer to open the joined graph than to search from each.
 * MOST_LISTED: a rank lists the first so many vertices of a set, as some of them will have the neighbour of a root as their only one. */
enum { LEAST_TOGETHER = 8, LEAST_OPENING = 32, MOST_LISTED = 1024 };

/* Returns whether the graph is directed. */
static int is_directed(const struct rounds *r)
{
    return r->search->reverse != NULL;
}

/* Closes the batches and the joined graph. */
static void close_batches(struct rounds *r)
{
    for (int side = 0; side < SIDES; side++)
        batch_close(&r->batch[side]);
    joined_graph_close(&r->all[ALONG]);
    memset(r->batch, 0, sizeof r->batch);
}

void rounds_close(struct rounds *r)
{
    if (r->bounds[ALONG] != NULL)
        memory_release(r->bounds[ALONG]->budget, r->assumed);
    close_batches(r);
}

/* Opens the joined graph and the batches, if this is not yet done. Returns 0 if batches cannot be run: there are several ranks, the backend
 * is no CPU, or memory is short, also for what landmarks may still take. */
static int open_batch(struct rounds *r)
{
    struct searcher *searcher = r->search->searcher;
    struct joined_graph *all = r->all;
    const struct batch_setup setup = {.words = 1, .threads = searcher->threads, .comm = &searcher->comm};
    struct error error = {0};
    if (r->together != 0)
        return r->together > 0;
    r->together = -1;
    if (searcher->comm.ranks > 1 || backend_table(searcher->rank.backend, &batch_cpu, NULL, &error) == NULL)
        return 0;
    r->backend = batch_cpu;
    r->backend.open_single = NULL;
    if (joined_graph_open(&all[ALONG], &searcher->graph, &comm_alone, is_directed(r), &searcher->budget, &error) == ST_OK)
        batch_open(&r->batch[ALONG], &r->backend, &all[ALONG], &setup, &error);
    if (is_directed(r) && error.status == ST_OK) {
        all[AGAINST] = all[ALONG];
        all[AGAINST].push = all[ALONG].pull;
        all[AGAINST].pull = all[ALONG].push;
        batch_open(&r->batch[AGAINST], &r->backend, &all[AGAINST], &setup, &error);
    }
    if (error.status == ST_OK && memory_left(&searcher->budget) / 4 > (LANDMARKS + 1) * r->search->capacity) {
        r->together = 1;
        return 1;
    }
    close_batches(r);
    return 0;
}

/* ---- the roots ---- */

/* A vertex of a set: `pick` as for bounds_pick, and the stored id. */
struct candidate {
    struct picked pick;
    uint64_t id;
};

/* Compares candidates for qsort: the larger key is first, of equal ones the smaller id. */
static int compare_candidates(const void *one, const void *other)
{
    const struct candidate *a = one, *b = other;
    if (a->pick.key != b->pick.key)
        return a->pick.key > b->pick.key ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

/* Returns the key of vertex v in a round, or 0 if it is not in the set. */
static uint64_t key_in(const struct round *round, const struct bounds *b, uint64_t v)
{
    const int32_t lower = b->lower[v], upper = b->upper[v];
    if (round->distance == NULL)
        return upper > 0 && upper > lower ? (uint64_t)(INT32_MAX - lower) : 0;
    return upper > round->least && round->distance[v] > round->above ? (uint64_t)round->distance[v] : 0;
}

/* Sets list[2 * MOST_LISTED] to the first vertices of the set on this rank, in order. Returns their number, MOST_LISTED at most. */
static uint64_t list_candidates(const struct rounds *r, const struct round *round, struct candidate *list)
{
    uint64_t count = 0, least = 1; /* no key below `least` would be among the first */
    int is_full = 0;               /* 1: list[MOST_LISTED - 1] is the last of the first ones so far */
    const struct bounds *b = r->bounds[round->side];
    for (uint64_t v = 0; v < b->count; v++) {
        const uint64_t key = key_in(round, b, v);
        if (key < least)
            continue;
        const struct candidate candidate = {{key, v}, root_search_id(r->search, v)};
        if (is_full && compare_candidates(&candidate, &list[MOST_LISTED - 1]) > 0)
            continue;
        list[count++] = candidate;
        if (count == 2 * MOST_LISTED) {
            qsort(list, count, sizeof *list, compare_candidates);
            count = MOST_LISTED;
            least = list[count - 1].pick.key;
            is_full = 1;
        }
    }
    qsort(list, count, sizeof *list, compare_candidates);
    return smaller(count, MOST_LISTED);
}

/* Collective. Sets *root to the first live vertex of the lists of all ranks, and its value to a lower bound of its eccentricity. *at is the
 * index in the list of this rank. Returns 0 if no list has a live vertex. */
static int next_root(const struct rounds *r, const struct round *round, const struct candidate *list, uint64_t listed, uint64_t *at,
                     struct found_vertex *root)
{
    while (*at < listed && r->bounds[round->side]->upper[list[*at].pick.index] <= 0)
        ++*at;
    const int32_t key = (int32_t)root_search_best_of_ranks(r->search, *at < listed ? list[*at].pick : (struct picked){0}, root);
    root->value = round->distance == NULL ? INT32_MAX - key : key; /* as key_in has it */
    return key > 0;
}

/* ---- one search after the other ---- */

/* Collective. Searches from root number `number` of a round, and raises the lower bounds. A root with one edge lets others share its
 * eccentricity (root_search_share_leaf). Returns this eccentricity. */
static int32_t search_single(struct rounds *r, enum side side, const struct found_vertex *root, uint32_t number, uint64_t size,
                             int32_t *assumed, int32_t *scratch)
{
    const uint64_t index = root_search_index(r->search, &root->root);
    root_search_run(r->search, side, &root->root, scratch);
    const int32_t far_here = bounds_raise_by_round(r->bounds[!side], scratch, root->value, number, assumed);
    const int32_t ecc = (int32_t)comm_max_of(&r->search->searcher->comm, (uint64_t)(far_here + 1)) - 1;
    if (index != UINT64_MAX)
        r->bounds[side]->upper[index] = 0;
    if (size > 2 && !is_directed(r))
        root_search_share_leaf(r->search, r->bounds[side], &root->root, scratch, ecc);
    return ecc;
}

/* ---- all together ---- */

/* Makes a root not live. If the root is a leaf (it has one edge) of an undirected graph, other leaves at its neighbour get its eccentricity
 * `ecc` and are not live any more either, and the eccentricity of the neighbour is smaller by 1: as bounds_share_leaf and
 * bounds_limit_neighbour, by the rows. */
static void retire_root(const struct rounds *r, enum side side, const struct root *root, uint64_t size, int32_t ecc)
{
    const struct joined_graph *all = &r->all[ALONG];
    const struct joined_rows *rows = all->push;
    const uint64_t v = joined_vertex(all, root);
    struct bounds *b = r->bounds[side];
    b->upper[index_of_joined(all, v)] = 0;
    if (is_directed(r) || size == 2 || !root_search_is_leaf(r->search, index_of_joined(all, v)))
        return;
    const uint64_t neighbour = rows->columns[rows->offsets[v]], index = index_of_joined(all, neighbour);
    b->upper[index] = (int32_t)smaller((uint64_t)b->upper[index], (uint64_t)(ecc - 1));
    for (uint64_t at = rows->offsets[neighbour]; at < rows->offsets[neighbour + 1]; at++) {
        const uint64_t leaf = index_of_joined(all, rows->columns[at]);
        if (!root_search_is_leaf(r->search, leaf))
            continue;
        b->lower[leaf] = ecc;
        b->upper[leaf] = 0;
    }
}

/* The context of raise_level: a batch, and the bounds that its levels raise. */
struct raising {
    const struct rounds *rounds;
    const struct bounds *bounds;
    const struct found_vertex *roots; /* [roots of the batch] with the lower bounds of their eccentricities */
    int32_t *assumed;                 /* as in bounds_raise_by_round */
};

/* A level_body: raises the lower bounds of vertices to the depth of the level, and lowers their assumed upper bounds. Of the roots that
 * found a vertex, only the first counts, as its lower bound is the smallest. `sink` is the struct raising. */
static void raise_entries(void *sink, const struct batch_level *level, int thread, uint64_t begin, uint64_t end)
{
    const struct raising *raising = sink;
    const struct bounds *b = raising->bounds;
    const int32_t depth = (int32_t)level->depth;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t v = level_vertex(level, i), found = *level_found(level, v), index = index_of_joined(&raising->rounds->all[ALONG], v);
        if (found == 0)
            continue;
        if (b->upper[index] > 0 && b->lower[index] < depth)
            b->lower[index] = depth;
        if (raising->assumed != NULL) {
            const uint32_t root = (uint32_t)__builtin_ctzll(found);
            const int32_t by_root = assumed_bound(depth + raising->roots[root].value, root);
            raising->assumed[index] = by_root < raising->assumed[index] ? by_root : raising->assumed[index];
        }
    }
}

/* Raises the lower bounds of the vertices that a level of a batch has found. Called by batch_run after each level, with the struct
 * raising. */
static void raise_level(void *context, const struct batch_level *level)
{
    level_run(level, level->count, raise_entries, context);
}

/* Searches from all roots as a batch, and narrows the bounds. Sets ecc[] to the eccentricities of the roots. */
static enum status search_together(struct rounds *r, enum side side, const struct found_vertex *roots, uint32_t count, uint64_t size,
                                   int from_far, int32_t *assumed, int32_t *ecc, struct error *e)
{
    uint64_t vertex[ROUND_MOST];
    struct batch_result results[ROUND_MOST];
    struct raising raising = {.rounds = r, .bounds = r->bounds[!side], .roots = roots, .assumed = assumed};
    struct batch_run run = {.roots = vertex, .count = count, .results = results,
                            .receive = raise_level, .context = &raising};
    for (uint32_t i = 0; i < count; i++)
        vertex[i] = joined_vertex(&r->all[side], &roots[i].root);
    if (batch_run(&r->batch[side], &run, e) != ST_OK)
        return e->status;
    r->search->seconds += run.seconds;
    cli_detail(&r->search->searcher->args->cli, "%" PRIu32 " searches together from %s: %.6f s", count,
               from_far ? "far vertices" : "open vertices", run.seconds);
    for (uint32_t i = 0; i < count; i++) {
        ecc[i] = (int32_t)results[i].farthest;
        retire_root(r, side, &roots[i].root, size, ecc[i]);
    }
    return ST_OK;
}

/* ---- rounds ---- */

/* Collective. Chooses the set of a round (rounds.h). */
struct round rounds_choose(const struct rounds *r, const struct known *k, int32_t *const *from, int32_t *const *to)
{
    struct round round = {.count = k->open, .side = ALONG};
    double least = (double)k->open;
    for (uint32_t i = 0; i < k->landmarks; i++) {
        struct landmark_counts counts;
        uint64_t beyond = 0;
        if (k->farthest[ALONG][i] >= (is_directed(r) ? MOST_LEVELS : FEW_LEVELS))
            continue;
        bounds_count_levels(r->bounds[ALONG], to[i], r->bounds[AGAINST], from[i], k->least_open, &counts);
        comm_sum_u64(&r->search->searcher->comm, (uint64_t *)&counts, sizeof counts / sizeof(uint64_t));
        for (int32_t x = MOST_LEVELS - 2; x >= 0; x--) {
            beyond += counts.candidates[x + 1];
            const double searches = (double)beyond * (double)k->open / (double)counts.settled[x];
            if (beyond > 0 && counts.settled[x] > 0 && searches < least) {
                round = (struct round){.distance = from[i], .above = x, .least = k->least_open, .count = beyond,
                                       .side = is_directed(r) ? AGAINST : ALONG};
                least = searches;
            }
        }
    }
    return round;
}

/* Sets *assumed to the array of assumed upper bounds, all of which become INT32_MAX, or to NULL if the roots of the round tell no upper
 * bounds: those of searches from far vertices hardly do, and in a directed graph a search tells none. */
static enum status reset_assumed(struct rounds *r, const struct round *round, int32_t **assumed, struct error *e)
{
    const struct bounds *b = r->bounds[round->side];
    *assumed = NULL;
    if (round->distance != NULL || is_directed(r))
        return ST_OK;
    if (r->assumed == NULL)
        memory_take(b->budget, (void **)&r->assumed, b->count, 4, "bounds of eccentricities", e);
    *assumed = r->assumed;
    for (uint64_t v = 0; e->status == ST_OK && v < b->count; v++)
        r->assumed[v] = INT32_MAX;
    return e->status;
}

/* Collective. Searches from up to `most` roots of a set, together or one by one, and narrows the bounds (rounds.h has the parameters). */
enum status rounds_run(struct rounds *r, const struct round *round, uint64_t most, uint64_t size, int32_t *scratch,
                       struct found_vertex *roots, uint32_t *count, struct error *e)
{
    struct candidate list[2 * MOST_LISTED];
    const enum side side = round->side;
    const uint64_t listed = list_candidates(r, round, list);
    const int together = smaller(round->count, most) >= (r->together > 0 ? LEAST_TOGETHER : LEAST_OPENING) && open_batch(r);
    int32_t ecc[ROUND_MOST], excess[ROUND_MOST] = {0}, *assumed;
    uint64_t at = 0;
    reset_assumed(r, round, &assumed, e);
    if (comm_agree(&r->search->searcher->comm, e) != ST_OK)
        return e->status;
    for (*count = 0; *count < most && next_root(r, round, list, listed, &at, &roots[*count]); ++*count) {
        const struct found_vertex *root = &roots[*count];
        if (together)
            retire_root(r, side, &root->root, size, INT32_MAX); /* so that no leaf with the same neighbour follows */
        else
            ecc[*count] = search_single(r, side, root, *count, size, assumed, scratch);
    }
    if (together && search_together(r, side, roots, *count, size, round->distance != NULL, assumed, ecc, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < *count; i++) {
        excess[i] = ecc[i] - roots[i].value;
        roots[i].value = ecc[i];
    }
    if (assumed != NULL)
        bounds_apply_assumed(r->bounds[side], assumed, excess);
    return ST_OK;
}
