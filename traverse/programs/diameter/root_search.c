/* root_search.c: searches, and finds vertices, for the diameter (root_search.h) */
#include "root_search.h"

#include "traverse/engine/threads.h"

#include <stdlib.h>
#include <string.h>

/* Numbers the vertices of this rank (root_search.h). */
enum status root_search_open(struct root_search *s, struct searcher *searcher, struct searcher *reverse, struct error *e)
{
    const struct graph *graph = &searcher->graph;
    *s = (struct root_search){.searcher = searcher, .reverse = reverse};
    s->first = zeroed(graph->device_count + UINT64_C(1), sizeof *s->first, "shards", e);
    for (uint32_t g = 0; g < graph->device_count && e->status == ST_OK; g++)
        s->first[g + 1] = s->first[g] + graph->shards[g].locals;
    if (e->status == ST_OK) {
        s->capacity = s->first[graph->device_count] + graph->manifest.d;
        s->count = searcher->comm.rank == 0 ? s->capacity : s->first[graph->device_count];
    }
    return e->status;
}

void root_search_close(struct root_search *s)
{
    free(s->first);
}

/* Collective. Searches from a root, and copies the distances to the host (root_search.h). Every device copies those of the
 * delegates, which are the same on all. */
void root_search_run(struct root_search *s, enum side side, const struct root *root, int32_t *distance)
{
    struct searcher *searcher = side == ALONG ? s->searcher : s->reverse;
    struct rank *rank = &searcher->rank;
    struct bfs_times times;
    struct error error = {0};
    threads_let_go();
    if (searcher->method->prepare(&searcher->bfs, &error) != ST_OK)
        comm_abort(&searcher->comm, searcher->args->cli.program, &error);
    comm_barrier(&searcher->comm);
    const double start = cli_seconds();
    searcher->method->search(&searcher->bfs, &(struct root_set){root, 1}, &times, NULL, &error);
    s->seconds += cli_seconds() - start;
    for (uint32_t g = 0; g < rank->device_count && error.status == ST_OK; g++)
        rank->backend->answers->read_depths(rank->devices[g], distance + s->first[g], distance + s->first[rank->device_count],
                                            &error);
    if (error.status != ST_OK) {
        searcher_explain_memory(s->searcher, &error);
        comm_abort(&searcher->comm, searcher->args->cli.program, &error);
    }
    if (side == ALONG)
        s->levels = times.iterations + 1;
}

/* Returns the shard of this rank that has the vertex with this index as a normal; the number of shards if it is a delegate. */
static uint32_t shard_of_index(const struct root_search *s, uint64_t index)
{
    uint32_t g = 0;
    while (g < s->searcher->graph.device_count && index >= s->first[g + 1])
        g++;
    return g;
}

/* Returns the stored id of the vertex with this index. */
uint64_t root_search_id(const struct root_search *s, uint64_t index)
{
    const struct graph *graph = &s->searcher->graph;
    const uint32_t g = shard_of_index(s, index);
    return g < graph->device_count ? local_vertex_id(&graph->shards[g], index - s->first[g])
                                   : shard_delegate_id(&graph->shards[0], index - s->first[g]);
}

/* Returns the vertex with this index as a root. */
static struct root root_of_index(const struct root_search *s, uint64_t index)
{
    const struct graph *graph = &s->searcher->graph;
    const uint32_t g = shard_of_index(s, index);
    const uint64_t id = root_search_id(s, index);
    return (struct root){.id = id,
                         .at = g < graph->device_count ? ROOT_AT_LOCAL : ROOT_AT_DELEGATE,
                         .shard = shard_of_vertex(id, graph->manifest.p),
                         .index = (uint32_t)(index - s->first[g])};
}

/* Returns the index of a root on this rank, or UINT64_MAX if this rank does not have it. */
uint64_t root_search_index(const struct root_search *s, const struct root *root)
{
    const struct searcher *searcher = s->searcher;
    const uint32_t ranks = searcher->comm.ranks;
    if (root->at == ROOT_AT_DELEGATE)
        return searcher->comm.rank == 0 ? s->first[searcher->graph.device_count] + root->index : UINT64_MAX;
    if (root->at == ROOT_AT_ISOLATED || rank_of_shard(root->shard, ranks) != searcher->comm.rank)
        return UINT64_MAX;
    return s->first[device_of_shard(root->shard, ranks)] + root->index;
}

/* Collective. Finds the best vertex of all ranks (root_search.h). */
uint64_t root_search_best_of_ranks(const struct root_search *s, struct picked mine, struct found_vertex *found)
{
    const struct comm *comm = &s->searcher->comm;
    const uint64_t key = comm_max_of(comm, mine.key);
    const struct root root = mine.key > 0 ? root_of_index(s, mine.index) : (struct root){0};
    const uint64_t id = comm_min_of(comm, mine.key == key ? root.id : UINT64_MAX);
    const uint64_t rank = comm_min_of(comm, mine.key == key && root.id == id ? comm->rank : comm->ranks);
    found->root = root;
    if (key > 0)
        comm_broadcast(comm, &found->root, sizeof found->root, (uint32_t)rank);
    return key;
}

/* Returns 1 if vertex `one` has a smaller stored id than vertex `other`. */
static int precedes(const void *context, uint64_t one, uint64_t other)
{
    return root_search_id(context, one) < root_search_id(context, other);
}

/* Collective. Sets *found to the vertex of all ranks that a rule (enum pick) picks, and to its distance or bound. Returns 0 if the rule
 * finds none. */
int root_search_pick(const struct root_search *s, const struct bounds *bounds, enum pick pick, const int32_t *distance,
                     int32_t least, struct found_vertex *found)
{
    const uint64_t key = root_search_best_of_ranks(s, bounds_pick(bounds, pick, distance, least, precedes, s), found);
    const int32_t value = (int32_t)(key >> 33);
    const int is_largest = pick == PICK_FARTHEST || pick == PICK_REMOTE || pick == PICK_EXTREME;
    found->value = is_largest ? value : INT32_MAX - value;
    return key > 0;
}

/* Collective. Lowers the upper bounds by a landmark (root_search.h). */
enum status root_search_narrow_by_landmark(const struct root_search *s, const struct landmark_limit *l, struct error *e)
{
    const struct comm *comm = &s->searcher->comm;
    const int32_t top = l->most_to + l->most_from;
    int32_t *far = malloc(((size_t)top + 2) * sizeof *far), *limit = malloc(((size_t)l->most_to + 2) * sizeof *limit);
    if (far == NULL || limit == NULL)
        fail_memory(e, "distances of pairs", ((size_t)top + 2) * sizeof *far);
    if (comm_agree(comm, e) == ST_OK) {
        memset(far, 0xff, ((size_t)top + 2) * sizeof *far);
        bounds_farthest_by_upper(l->targets, l->from, far, top);
        comm_max_ids(comm, far, 4, (uint64_t)top + 2);
        bounds_find_limits(limit + 1, l->most_to, far, top);
        bounds_apply_limits(l->bounds, l->to, limit + 1, l->uncovered, l->floor);
    }
    free(far);
    free(limit);
    return e->status;
}

/* Sets *first and *end to the vertices with one edge of shard number g of this rank, or, behind the last shard, of the delegates. They are
 * the last ones there, as degrees descend. */
static void find_leaves(const struct root_search *s, uint32_t g, uint64_t *first, uint64_t *end)
{
    const struct graph *graph = &s->searcher->graph;
    const int is_shard = g < graph->device_count;
    const struct degree_list *degrees = is_shard ? &graph->shards[g].degrees.locals : &graph->shards[0].degrees.delegates;
    const struct degree_run *last = degrees->count > 0 ? &degrees->runs[degrees->count - 1] : NULL;
    *end = is_shard ? s->first[g + 1] : s->count;
    *first = last != NULL && last->degree == 1 && *end > s->first[g] ? *end - last->vertices : *end;
}

/* Returns whether the vertex with this index has one edge only (root_search.h). */
int root_search_is_leaf(const struct root_search *s, uint64_t index)
{
    uint64_t first, end;
    if (index >= s->count)
        return 0;
    find_leaves(s, shard_of_index(s, index), &first, &end);
    return index >= first;
}

/* Collective. Uses that a root has one edge only, if so (root_search.h). */
void root_search_share_leaf(const struct root_search *s, struct bounds *bounds, const struct root *root,
                            const int32_t *distance, int32_t e)
{
    const uint32_t parts = s->searcher->graph.device_count + 1;
    uint64_t first, end;
    if (comm_max_of(&s->searcher->comm, (uint64_t)root_search_is_leaf(s, root_search_index(s, root))) == 0)
        return;
    bounds_limit_neighbour(bounds, distance, e);
    for (uint32_t g = 0; g < parts; g++) {
        find_leaves(s, g, &first, &end);
        bounds_share_leaf(bounds, distance, e, first, end);
    }
}

/* Returns the first of the vertices first..end that is live or, if `live` is 0, was never reached, with its degree as key; key 0 if there
 * is none. The list has the degrees of these vertices, which are in descending order. */
static struct picked hub_of(const struct bounds *b, int live, const struct degree_list *degrees, uint64_t first, uint64_t end)
{
    uint64_t v = first, at = first;
    while (v < end && (live ? b->upper[v] <= 0 : b->lower[v] != NEVER_REACHED))
        v++;
    for (uint64_t run = 0; run < degrees->count; run++) {
        at += degrees->runs[run].vertices;
        if (v < at)
            return (struct picked){degrees->runs[run].degree, v};
    }
    return (struct picked){0};
}

/* Collective. Finds a vertex of the highest degree (root_search.h). */
int root_search_hub(const struct root_search *s, const struct bounds *bounds, int live, struct found_vertex *found)
{
    const struct graph *graph = &s->searcher->graph;
    const uint64_t *first = s->first;
    struct picked best = {0};
    if (s->searcher->comm.rank == 0)
        best = hub_of(bounds, live, &graph->shards[0].degrees.delegates, first[graph->device_count], s->count);
    for (uint32_t g = 0; g < graph->device_count; g++) {
        const struct picked hub = hub_of(bounds, live, &graph->shards[g].degrees.locals, first[g], first[g + 1]);
        if (hub.key > best.key || (hub.key == best.key && hub.key > 0 && precedes(s, hub.index, best.index)))
            best = hub;
    }
    found->value = 0;
    return root_search_best_of_ranks(s, best, found) > 0;
}
