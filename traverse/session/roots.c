/* roots.c: chooses the vertices where searches start, and finds their shards; see roots.h
 *
 * If the user gives no roots, they are drawn at random from the vertices with an edge that a search would follow. The draw
 * depends only on the seed. It first tries random ids, which is usually enough. If vertices with edges are rare, it then
 * tries all ids in ascending order, starting at a random id and going on with 0 after n - 1.
 *
 * No array and no loop goes over all n ids. Random ids are looked up in the shards (locate_ids). Ids in ascending order are
 * not tried one by one: draw_in_turn goes over the vertices of the shards, and keeps those that come first after the random
 * id. */
#include "roots.h"

#include "traverse/engine/threads.h"

#include "formats/base/arith.h"
#include "formats/base/hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- locating ---- */

/* Returns the location of a vertex as one number: its kind (`at`) from bit 40 on, and its index in the lower bits. By the
 * order of enum root_at, the location of a vertex with edges is smaller than the location of an isolated vertex. */
static uint64_t encode_location(enum root_at at, uint64_t index)
{
    return (uint64_t)at << 40 | index;
}

/* A list of stored ids, and the location of each id. */
struct locations {
    uint64_t count;
    uint64_t *id; /* [count] stored ids. sort_ids sorts them in ascending order */
    uint64_t *of; /* [count] the locations of the ids. Of equal ids, only one has the right location */
    uint64_t *begin; /* [2^bits + 1] begin[b] is the index of the first id of which the upper bits are b or more */
    unsigned bits, shift; /* the number of upper bits of an id; the number of bits below them */
    /* The bitmap `delegates` of struct drawing. With this bitmap, a vertex counts as isolated if a search would follow none
     * of its edges. NULL: a vertex counts as isolated only if it has no edges. */
    const uint64_t *delegates;
};

/* Collective. Overwrites *l, and allocates the memory of `count` ids and locations. This memory is charged to the memory
 * budget. There are so many upper bits that one or two random ids share their value. If a rank fails, or passes an `e` that
 * has failed, the call fails on all ranks. locations_close frees the memory, even after a failure. `what`: what the memory is
 * for, in messages. */
static enum status locations_open(struct locations *l, uint64_t count, const struct rank *rank, const char *what,
                                  struct error *e)
{
    const unsigned bits = bits_for(rank->graph->manifest.totals.n);
    *l = (struct locations){.count = count, .bits = (unsigned)smaller(bits, bits_for(count / 2))};
    l->shift = bits - l->bits;
    if (e->status == ST_OK && memory_take(rank->budget, (void **)&l->id, count, 8, what, e) == ST_OK &&
        memory_take(rank->budget, (void **)&l->of, count, 8, what, e) == ST_OK)
        memory_take(rank->budget, (void **)&l->begin, (UINT64_C(1) << l->bits) + 1, 8, what, e);
    return comm_agree(rank->comm, e);
}

/* Frees the memory that locations_open has allocated. */
static void locations_close(struct locations *l, const struct rank *rank)
{
    memory_release(rank->budget, l->id);
    memory_release(rank->budget, l->of);
    memory_release(rank->budget, l->begin);
}

/* Sorts the ids of the list, and sets l->begin. */
static void sort_ids(struct locations *l)
{
    uint64_t at = 0;
    qsort(l->id, l->count, sizeof *l->id, compare_u64);
    for (uint64_t b = 0; b <= UINT64_C(1) << l->bits; b++) {
        while (at < l->count && l->id[at] >> l->shift < b)
            at++;
        l->begin[b] = at;
    }
}

/* Returns a pointer to the location of `id`, or NULL if the list does not have this id. The ids must be sorted. */
static uint64_t *location_of(const struct locations *l, uint64_t id)
{
    const uint64_t *b = l->begin + (id >> l->shift);
    if (id >> l->shift >> l->bits != 0) /* in damaged files an id may be n or more */
        return NULL;
    const uint64_t *found = bsearch(&id, l->id + b[0], b[1] - b[0], sizeof id, compare_u64);
    return found != NULL ? &l->of[found - l->id] : NULL;
}

/* Returns the stored id of local vertex i of a shard if `at` is ROOT_AT_LOCAL, otherwise of delegate i. */
static uint64_t vertex_id(const struct shard *shard, enum root_at at, uint64_t i)
{
    return at == ROOT_AT_LOCAL ? local_vertex_id(shard, i) : shard_delegate_id(shard, i);
}

/* Returns whether a search would follow an edge of local vertex i of a shard if `at` is ROOT_AT_LOCAL, otherwise of
 * delegate i. For delegates this is read from a bitmap, because the edges of a delegate lie on all shards. */
static int goes_on(const uint64_t *delegates, const struct shard *shard, enum root_at at, uint64_t i)
{
    return at == ROOT_AT_LOCAL ? mask_bit(shard->csr[NN].sources, i) || mask_bit(shard->csr[ND].sources, i)
                               : mask_bit(delegates, i);
}

/* Sets the location of vertex i of a shard, if the list has its id and the shard owns the vertex. If l->delegates is not
 * NULL, does so only if a search would follow an edge of the vertex. */
static void locate_vertex(const struct locations *l, const struct shard *shard, enum root_at at, uint64_t i)
{
    uint64_t id = vertex_id(shard, at, i), *location = location_of(l, id);
    if (location != NULL && shard_of_vertex(id, shard->p) == shard->index &&
        (l->delegates == NULL || goes_on(l->delegates, shard, at, i)))
        *location = encode_location(at, i);
}

/* Returns the first of the vertices first to end - 1 whose stored id is `id` or more, or `end` if there is none. These
 * vertices must all have the same degree, because only vertices of one degree are in ascending order of ids. */
static uint64_t lower_bound(const struct shard *shard, enum root_at at, uint64_t first, uint64_t end, uint64_t id)
{
    while (first < end) {
        uint64_t middle = first + (end - first) / 2;
        if (vertex_id(shard, at, middle) < id)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* Looks for the ids of the list among the local vertices of a shard (ROOT_AT_LOCAL) or among its delegates, and sets the
 * locations of those found. Goes from degree to degree. Looks for each vertex of the degree in the list or, if the list is
 * shorter, for each id of the list among these vertices. Uses threads of OpenMP. */
static void locate_in_shard(const struct locations *l, const struct shard *shard, enum root_at at,
                            struct degree_list degrees)
{
    enum { MANY_IDS = 1 << 14 };
    uint64_t first = 0, end;
    for (uint64_t run = 0; run < degrees.count; run++, first = end) {
        end = first + degrees.runs[run].vertices;
        if (end - first <= l->count) {
#pragma omp parallel for schedule(static) if (end - first > WORTH_THREADS)
            for (uint64_t i = first; i < end; i++)
                locate_vertex(l, shard, at, i);
            continue;
        }
#pragma omp parallel for schedule(static) if (l->count > MANY_IDS)
        for (uint64_t i = 0; i < l->count; i++) {
            const int again = i > 0 && l->id[i] == l->id[i - 1]; /* skipped: another thread may handle the equal id */
            const uint64_t found = again ? end : lower_bound(shard, at, first, end, l->id[i]);
            if (found < end && vertex_id(shard, at, found) == l->id[i])
                locate_vertex(l, shard, at, found);
        }
    }
}

/* Collective. Sorts the ids of the list, and sets the location of each id. The rank that owns a vertex finds the location,
 * and all ranks receive it. A vertex is isolated if no shard has it. */
static void locate_ids(struct locations *l, const struct rank *rank)
{
    const uint32_t shards = rank->graph->manifest.p, ranks = rank->comm->ranks;
    sort_ids(l);
    memset(l->of, 0xff, l->count * sizeof *l->of);
    for (uint64_t i = 0; i < l->count; i++) { /* isolated at first; locate_in_shard overwrites this if a shard has the id */
        if (rank_of_shard(shard_of_vertex(l->id[i], shards), ranks) == rank->comm->rank)
            l->of[i] = encode_location(ROOT_AT_ISOLATED, slot_of_vertex(l->id[i], shards));
    }
    for (uint32_t g = 0; g < rank->graph->device_count; g++) {
        const struct shard *shard = &rank->graph->shards[g];
        locate_in_shard(l, shard, ROOT_AT_LOCAL, shard->degrees.locals);
        locate_in_shard(l, shard, ROOT_AT_DELEGATE, shard->degrees.delegates);
    }
    comm_min_u64(rank->comm, l->of, l->count); /* yields the owner's location, because the other ranks have UINT64_MAX */
}

/* Collective. Sets roots->root for each id of roots->ids, which are below n. Fails if memory is short. */
enum status roots_locate(struct roots *roots, const struct rank *rank, struct error *e)
{
    const struct graph *graph = rank->graph;
    struct locations l;
    for (uint64_t i = 0; i < roots->count; i++)
        roots->root[i].id = stored_id(graph, roots->ids[i]);
    if (locations_open(&l, roots->count, rank, "roots", e) == ST_OK) {
        for (uint64_t i = 0; i < l.count; i++)
            l.id[i] = roots->root[i].id;
        locate_ids(&l, rank);
        for (uint64_t i = 0; i < roots->count; i++) {
            struct root *root = &roots->root[i];
            uint64_t location = *location_of(&l, root->id);
            root->shard = shard_of_vertex(root->id, graph->manifest.p);
            root->at = (enum root_at)(location >> 40);
            root->index = (uint32_t)location;
        }
    }
    locations_close(&l, rank);
    return e->status;
}

/* ---- drawing ---- */

/* Random candidates are tried in blocks. The first block has FIRST_BLOCK candidates, enough for most graphs, and none has more
 * than LARGEST_BLOCK. All blocks together have RANDOM candidates, and RANDOM_OF_ROOTS more for every ROOTS roots. */
enum { FIRST_BLOCK = 1 << 10, LARGEST_BLOCK = 1 << 18, RANDOM = 1 << 20, RANDOM_OF_ROOTS = 1 << 16, ROOTS = 1 << 12 };

/* The state of drawing roots. */
struct drawing {
    const struct rank *rank;
    uint64_t *delegates; /* [mask_words(d)] bitmap of the delegates with an edge, on any shard, that a search would follow */
    uint64_t seed, n;
    uint64_t *ids; /* [count] the input ids of the roots. The first `drawn` are set */
    uint64_t count, drawn; /* the number of roots that are wanted, and that are drawn so far */
};

/* Returns random candidate number i. This is an input id that depends only on the seed, on i and on n. */
static uint64_t random_candidate(const struct drawing *d, uint64_t i)
{
    return (uint64_t)((unsigned __int128)random64(d->seed, i) * d->n >> 64);
}

/* Collective. Tries the random candidates first to end - 1 in turn. Appends a candidate to d->ids if it has an edge that a
 * search would follow, and was not drawn before. Stops when d->count roots are drawn. */
static enum status draw_block(struct drawing *d, uint64_t first, uint64_t end, struct error *e)
{
    const struct graph *graph = d->rank->graph;
    const uint64_t not_drawn_again = encode_location(ROOT_AT_ISOLATED, 0);
    struct locations l;
    if (locations_open(&l, end - first, d->rank, "candidates for roots", e) == ST_OK) {
        for (uint64_t i = first; i < end; i++)
            l.id[i - first] = stored_id(graph, random_candidate(d, i));
        l.delegates = d->delegates;
        locate_ids(&l, d->rank);
        for (uint64_t i = 0; i < d->drawn; i++) {
            uint64_t *location = location_of(&l, stored_id(graph, d->ids[i]));
            if (location != NULL)
                *location = not_drawn_again;
        }
        for (uint64_t i = first; i < end && d->drawn < d->count; i++) {
            const uint64_t id = random_candidate(d, i);
            uint64_t *location = location_of(&l, stored_id(graph, id));
            if (*location < not_drawn_again) {
                d->ids[d->drawn++] = id;
                *location = not_drawn_again;
            }
        }
    }
    locations_close(&l, d->rank);
    return e->status;
}

/* Returns the stored id of vertex `number` of a shard (local vertices come first, then delegates). Returns UINT64_MAX if
 * the vertex cannot be drawn, because another shard owns it, or because it has no edge that a search would follow. */
static uint64_t id_to_draw(const struct drawing *d, const struct shard *shard, uint64_t number)
{
    const enum root_at at = number < shard->locals ? ROOT_AT_LOCAL : ROOT_AT_DELEGATE;
    const uint64_t i = at == ROOT_AT_LOCAL ? number : number - shard->locals, id = vertex_id(shard, at, i);
    return goes_on(d->delegates, shard, at, i) && shard_of_vertex(id, shard->p) == shard->index ? id : UINT64_MAX;
}

/* Finds the `wanted` smallest numbers among many. */
struct least {
    uint64_t *number; /* [4 * wanted] the candidates; the second half is working memory of least_of_ranks */
    uint64_t count, wanted; /* the number of candidates, at most 2 * wanted; the number of smallest numbers to find */
    uint64_t bound; /* this number and all larger ones cannot be among the smallest */
};

/* Sorts the candidates, keeps only the `wanted` smallest, and lowers l->bound. */
static void least_sort(struct least *l)
{
    qsort(l->number, l->count, sizeof *l->number, compare_u64);
    l->count = smaller(l->count, l->wanted);
    if (l->count == l->wanted)
        l->bound = l->number[l->count - 1];
}

/* Adds a number to the candidates, unless it is too large to be among the smallest. */
static void least_add(struct least *l, uint64_t number)
{
    if (number >= l->bound)
        return;
    l->number[l->count++] = number;
    if (l->count == 2 * l->wanted)
        least_sort(l);
}

/* Collective. Replaces the smallest numbers that each rank has found by the smallest of all ranks. Called after least_sort. */
static void least_of_ranks(struct least *l, const struct comm *comm)
{
    const uint64_t own = l->count;
    uint64_t *mine = l->number + 2 * l->wanted, *copy = mine + l->wanted;
    memcpy(mine, l->number, own * sizeof *mine);
    for (uint32_t rank = 0; rank < comm->ranks; rank++) {
        uint64_t count = own;
        comm_broadcast(comm, &count, sizeof count, rank);
        if (rank == comm->rank)
            memcpy(copy, mine, own * sizeof *copy);
        comm_broadcast(comm, copy, count * sizeof *copy, rank);
        for (uint64_t i = 0; i < count && rank != comm->rank; i++)
            least_add(l, copy[i]);
    }
    least_sort(l);
}

/* Collective. Draws the roots that are still missing. Starts at a random input id, goes on in ascending order, and after n - 1
 * with 0. Takes the first vertices that were not drawn before, and that have an edge which a search would follow. Appends their
 * input ids to d->ids. */
static enum status draw_in_turn(struct drawing *d, struct error *e)
{
    const struct rank *rank = d->rank;
    const struct graph *graph = rank->graph;
    const uint64_t first = random64(d->seed, UINT64_MAX) % d->n, wanted = d->count - d->drawn;
    struct least l = {.wanted = wanted, .bound = UINT64_MAX};
    struct locations drawn;
    memory_take(rank->budget, (void **)&l.number, 4 * wanted, 8, "candidates for roots", e);
    if (locations_open(&drawn, d->drawn, rank, "candidates for roots", e) == ST_OK) {
        for (uint64_t i = 0; i < d->drawn; i++)
            drawn.id[i] = stored_id(graph, d->ids[i]);
        sort_ids(&drawn);
        for (uint32_t g = 0; g < graph->device_count; g++) {
            const struct shard *shard = &graph->shards[g];
            for (uint64_t number = 0; number < shard->locals + shard->d; number++) {
                const uint64_t id = id_to_draw(d, shard, number);
                if (id != UINT64_MAX && location_of(&drawn, id) == NULL)
                    least_add(&l, (original_id(graph, id) + d->n - first) % d->n);
            }
        }
        least_sort(&l);
        least_of_ranks(&l, rank->comm);
        for (uint64_t i = 0; i < l.count; i++) {
            if (i == 0 || l.number[i] != l.number[i - 1]) /* in damaged files a vertex may stand twice */
                d->ids[d->drawn++] = (first + l.number[i]) % d->n;
        }
    }
    locations_close(&drawn, rank);
    memory_release(rank->budget, l.number);
    return e->status;
}

/* Collective. Sets d->delegates. Lowers d->count to the number of vertices that can be drawn, if these are fewer. The caller
 * frees d->delegates, even after a failure. */
static enum status find_vertices_to_draw(struct drawing *d, struct error *e)
{
    const struct rank *rank = d->rank;
    const struct graph *graph = rank->graph;
    const uint64_t words = mask_words(graph->manifest.d);
    uint64_t vertices = 0;
    memory_take(rank->budget, (void **)&d->delegates, words, 8, "delegates with edges", e);
    if (comm_agree(rank->comm, e) != ST_OK)
        return e->status;
    for (uint32_t g = 0; g < graph->device_count; g++) {
        const struct csr *csr = graph->shards[g].csr;
        for (uint64_t w = 0; w < words; w++)
            d->delegates[w] |= csr[DN].sources[w] | csr[DD].sources[w];
    }
    comm_or_masks(rank->comm, d->delegates, words);
    for (uint32_t g = 0; graph->manifest.direction == EDGES_DIRECTED && g < graph->device_count; g++) {
        const struct shard *shard = &graph->shards[g];
        for (uint64_t number = 0; number < shard->locals + shard->d; number++)
            vertices += id_to_draw(d, shard, number) != UINT64_MAX;
    }
    comm_sum_u64(rank->comm, &vertices, 1);
    d->count = smaller(d->count, graph->manifest.direction == EDGES_DIRECTED ? vertices : graph->vertices);
    return ST_OK;
}

/* Collective. Sets roots->ids to the ids of different random vertices, each with an edge that a search would follow. Lowers
 * roots->count if there are fewer such vertices. The same seed gives the same ids for every number of shards, ranks and
 * threads. Fails with ST_BAD_DATA if the shards have fewer vertices with edges than the graph should have. */
static enum status draw_roots(struct roots *roots, const struct rank *rank, uint64_t seed, struct error *e)
{
    struct drawing d = {
        .rank = rank, .seed = seed, .n = rank->graph->manifest.totals.n, .ids = roots->ids, .count = roots->count};
    if (find_vertices_to_draw(&d, e) == ST_OK) {
        const uint64_t all = RANDOM + d.count / ROOTS * RANDOM_OF_ROOTS;
        uint64_t block = FIRST_BLOCK; /* the size grows, because each block may cost a pass over the vertices */
        for (uint64_t first = 0; first < all && d.drawn < d.count && e->status == ST_OK; first += block) {
            block = first == 0 ? FIRST_BLOCK : smaller(4 * block, LARGEST_BLOCK);
            draw_block(&d, first, smaller(first + block, all), e);
        }
        if (e->status == ST_OK && d.drawn < d.count)
            draw_in_turn(&d, e);
        if (e->status == ST_OK && d.drawn < d.count)
            fail(e, ST_BAD_DATA, "%s: and the other parts: %" PRIu64 " vertices have edges, expected %" PRIu64,
                 container_path(rank->graph->shards[0].file), d.drawn, d.count);
        roots->count = d.count;
    }
    memory_release(rank->budget, d.delegates);
    return e->status;
}

/* ---- choosing ---- */

void roots_free(struct roots *roots)
{
    free(roots->ids);
    free(roots->root);
    *roots = (struct roots){0};
}

/* Allocates arrays for this number of roots in place of the old ones (roots.h). */
enum status roots_resize(struct roots *roots, uint64_t count, struct error *e)
{
    roots_free(roots);
    roots->count = count;
    roots->ids = zeroed(count, sizeof *roots->ids, "roots", e);
    roots->root = zeroed(count, sizeof *roots->root, "roots", e);
    return e->status;
}

/* Collective. Takes the roots of the command line or draws them, and finds the shard of each root (roots.h). */
enum status roots_choose(struct roots *roots, const struct rank *rank, const struct args *args,
                         const struct name_map *map, struct error *e)
{
    const struct comm *comm = rank->comm;
    if (rank->graph->manifest.totals.n == 0)
        return fail(e, ST_BAD_DATA, "%s: the graph has no vertices: there is no root to search from",
                    args->folder);
    if (args->serve)
        return ST_OK;
    roots_resize(roots, args->count, e);
    if (comm_agree(comm, e) != ST_OK)
        return e->status;
    if (!args->roots_given) {
        draw_roots(roots, rank, args->seed, e);
    } else if (args->map == NULL) {
        for (uint64_t i = 0; i < roots->count && e->status == ST_OK; i++)
            id_from_user(rank->graph, "root", args->roots[i], &roots->ids[i], e);
    } else {
        if (comm->rank == 0)
            name_map_find(map, (const char *const *)args->root_names, roots->count, roots->ids, e);
        if (comm_agree(comm, e) == ST_OK)
            comm_broadcast(comm, roots->ids, roots->count * sizeof *roots->ids, 0);
    }
    if (e->status == ST_OK && roots->count == 0)
        return fail(e, ST_RUNTIME, "%s: no vertex has an edge: there is no root to sample",
                    args->folder);
    return e->status == ST_OK ? roots_locate(roots, rank, e) : e->status;
}
