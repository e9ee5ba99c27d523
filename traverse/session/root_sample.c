/* root_sample.c: see root_sample.h
 *
 * Candidates are ids from 0 to n - 1, in an order that follows from the seed: random ones at first, as many as usually
 * find a vertex with edges each, and then all ids in turn, from a random one on, as vertices with edges may be rare. A
 * candidate that has edges, and is not drawn yet, is drawn.
 *
 * Nothing here is an array over n, and no loop goes over n. A block of random candidates is put into a table, and one pass
 * over the vertices of the shards marks those that are there. Of the ids in turn those with edges are looked for among
 * the vertices of the shards, too: they are those whose distance from the first one is the smallest. So the time is that
 * of a few passes over the vertices that have edges. */
#include "root_sample.h"

#include "traverse/engine/threads.h"

#include "formats/base/arith.h"
#include "formats/base/hash.h"

#include <stdlib.h>
#include <string.h>

/* Candidates of the first block, which is enough for most graphs, and of the largest one; random candidates, and those for
 * each of every 4,096 roots. */
enum { FIRST_BLOCK = 1 << 10, LARGEST_BLOCK = 1 << 18, RANDOM = 1 << 20, RANDOM_OF_ROOTS = 1 << 16, ROOTS = 1 << 12 };

#define NOBODY UINT64_MAX

struct sampling {
    const struct rank *rank;
    uint64_t *delegates; /* bit i: a search goes on from delegate i, whose edges lie on all shards */
    uint64_t seed, n;
    uint64_t *ids; /* [count] input ids, `drawn` of them so far */
    uint64_t count, drawn;
};

/* ---- vertices that can be drawn ---- */

/* Collective. */
static enum status mark_delegates(struct sampling *s, struct error *e)
{
    const struct graph *graph = s->rank->graph;
    const uint64_t words = mask_words(graph->manifest.d);
    memory_take(s->rank->budget, (void **)&s->delegates, words, 8, "delegates with edges", e);
    if (comm_agree(s->rank->comm, e) != ST_OK)
        return e->status;
    for (uint32_t g = 0; g < graph->device_count; g++) {
        const struct shard *shard = &graph->shards[g];
        for (uint64_t w = 0; w < words; w++)
            s->delegates[w] |= shard->csr[DN].sources[w] | shard->csr[DD].sources[w];
    }
    comm_or_masks(s->rank->comm, s->delegates, words);
    return ST_OK;
}

static uint64_t vertices_of(const struct shard *shard)
{
    return shard->locals + shard->d;
}

/* The stored id of a vertex of a shard, by its number; NOBODY: another shard owns it, or no search goes on from it. */
static uint64_t id_to_draw(const struct sampling *s, const struct shard *shard, uint64_t number)
{
    const uint64_t id = numbered_vertex_id(shard, number);
    const int goes_on = number < shard->locals
                            ? mask_bit(shard->csr[NN].sources, number) || mask_bit(shard->csr[ND].sources, number)
                            : mask_bit(s->delegates, number - shard->locals) &&
                                  shard_of_vertex(id, shard->p) == shard->index;
    return goes_on ? id : NOBODY;
}

/* How many vertices can be drawn. Collective. */
static uint64_t count_vertices(const struct sampling *s)
{
    const struct graph *graph = s->rank->graph;
    uint64_t count = 0;
    if (graph->manifest.direction != EDGES_DIRECTED)
        return graph->vertices;
    for (uint32_t g = 0; g < graph->device_count; g++) {
        for (uint64_t number = 0; number < vertices_of(&graph->shards[g]); number++)
            count += id_to_draw(s, &graph->shards[g], number) != NOBODY;
    }
    comm_sum_u64(s->rank->comm, &count, 1);
    return count;
}

/* ---- a table of ids ---- */

struct id_table {
    uint64_t places; /* a power of two */
    uint64_t *id;    /* [places] a stored id + 1; 0: the place is free */
    uint64_t *marks; /* [places] bits */
};

static enum status table_open(struct id_table *t, uint64_t ids, struct memory_budget *budget, struct error *e)
{
    *t = (struct id_table){.places = 64};
    while (t->places < 2 * ids)
        t->places *= 2;
    if (memory_take(budget, (void **)&t->id, t->places, 8, "candidates for roots", e) == ST_OK)
        memory_take(budget, (void **)&t->marks, mask_words(t->places), 8, "candidates for roots", e);
    return e->status;
}

static void table_close(struct id_table *t, struct memory_budget *budget)
{
    memory_release(budget, t->id);
    memory_release(budget, t->marks);
}

/* The place where an id is, or else could be. */
static uint64_t table_place(const struct id_table *t, uint64_t id)
{
    uint64_t place = mix64(id) & (t->places - 1);
    while (t->id[place] != 0 && t->id[place] != id + 1)
        place = (place + 1) & (t->places - 1);
    return place;
}

static void table_add(const struct id_table *t, uint64_t id)
{
    t->id[table_place(t, id)] = id + 1;
}

static int table_has(const struct id_table *t, uint64_t id)
{
    return t->id[table_place(t, id)] != 0;
}

/* Takes the mark of an id away. Returns whether there was one. */
static int table_unmark(const struct id_table *t, uint64_t id)
{
    const uint64_t place = table_place(t, id), bit = UINT64_C(1) << place % 64;
    const int was = (t->marks[place / 64] & bit) != 0;
    t->marks[place / 64] &= ~bit;
    return was;
}

/* Marks the ids of the table that vertices of a shard have. */
static void mark_vertices(const struct id_table *t, const struct sampling *s, const struct shard *shard)
{
    const uint64_t vertices = vertices_of(shard);
#pragma omp parallel for schedule(static) if (vertices > WORTH_THREADS)
    for (uint64_t number = 0; number < vertices; number++) {
        const uint64_t id = id_to_draw(s, shard, number), place = id != NOBODY ? table_place(t, id) : 0;
        if (id != NOBODY && t->id[place] != 0)
            __atomic_fetch_or(&t->marks[place / 64], UINT64_C(1) << place % 64, __ATOMIC_RELAXED);
    }
}

/* ---- random candidates ---- */

static uint64_t random_candidate(const struct sampling *s, uint64_t i)
{
    return (uint64_t)((unsigned __int128)random64(s->seed, i) * s->n >> 64);
}

/* Draws from the candidates `first` to `end` - 1. All ranks have the same table, and get all marks. Collective. */
static enum status draw_block(struct sampling *s, uint64_t first, uint64_t end, struct error *e)
{
    const struct rank *rank = s->rank;
    const struct graph *graph = rank->graph;
    struct id_table t;
    table_open(&t, end - first, rank->budget, e);
    if (comm_agree(rank->comm, e) == ST_OK) {
        for (uint64_t i = first; i < end; i++)
            table_add(&t, stored_id(graph, random_candidate(s, i)));
        for (uint32_t g = 0; g < graph->device_count; g++)
            mark_vertices(&t, s, &graph->shards[g]);
        comm_or_masks(rank->comm, t.marks, mask_words(t.places));
        for (uint64_t i = 0; i < s->drawn; i++)
            table_unmark(&t, stored_id(graph, s->ids[i]));
        for (uint64_t i = first; i < end && s->drawn < s->count; i++) {
            const uint64_t id = random_candidate(s, i);
            if (table_unmark(&t, stored_id(graph, id)))
                s->ids[s->drawn++] = id;
        }
    }
    table_close(&t, rank->budget);
    return e->status;
}

/* Blocks grow, as each takes a pass over the vertices. */
static enum status draw_random(struct sampling *s, struct error *e)
{
    const uint64_t all = RANDOM + s->count / ROOTS * RANDOM_OF_ROOTS;
    uint64_t block = FIRST_BLOCK;
    for (uint64_t first = 0; first < all && s->drawn < s->count && e->status == ST_OK; first += block) {
        block = first == 0 ? FIRST_BLOCK : smaller(4 * block, LARGEST_BLOCK);
        draw_block(s, first, smaller(first + block, all), e);
    }
    return e->status;
}

/* ---- all ids in turn ---- */

/* The smallest numbers of many. */
struct least {
    uint64_t *number; /* [4 * wanted]: `count` of at most `room`, twice as many as are wanted; least_share uses the rest */
    uint64_t count, wanted, room;
    uint64_t bound; /* none from here on is among them */
};

static void least_sort(struct least *l)
{
    qsort(l->number, l->count, sizeof *l->number, compare_u64);
    l->count = smaller(l->count, l->wanted);
    if (l->count == l->wanted)
        l->bound = l->number[l->count - 1];
}

static void least_add(struct least *l, uint64_t number)
{
    if (number >= l->bound)
        return;
    l->number[l->count++] = number;
    if (l->count == l->room)
        least_sort(l);
}

/* Makes the smallest numbers of each rank, which are in order, those of all ranks. Collective. */
static void least_share(struct least *l, const struct comm *comm)
{
    const uint64_t own = l->count;
    uint64_t *mine = l->number + l->room, *copy = mine + l->wanted;
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

/* Adds the distances of the vertices of this rank from the first id, but of those that are drawn. */
static void add_distances(const struct sampling *s, const struct id_table *drawn, uint64_t first, struct least *l)
{
    const struct graph *graph = s->rank->graph;
    for (uint32_t g = 0; g < graph->device_count; g++) {
        for (uint64_t number = 0; number < vertices_of(&graph->shards[g]); number++) {
            const uint64_t id = id_to_draw(s, &graph->shards[g], number);
            if (id != NOBODY && !table_has(drawn, id))
                least_add(l, (original_id(graph, id) + s->n - first) % s->n);
        }
    }
    least_sort(l);
}

/* Draws the ids that follow a random one. Collective. */
static enum status draw_in_turn(struct sampling *s, struct error *e)
{
    struct memory_budget *budget = s->rank->budget;
    const uint64_t first = random64(s->seed, UINT64_MAX) % s->n, wanted = s->count - s->drawn;
    struct least l = {.wanted = wanted, .room = 2 * wanted, .bound = UINT64_MAX};
    struct id_table drawn = {0};
    if (table_open(&drawn, s->drawn, budget, e) == ST_OK)
        memory_take(budget, (void **)&l.number, 4 * wanted, 8, "candidates for roots", e);
    if (comm_agree(s->rank->comm, e) == ST_OK) {
        for (uint64_t i = 0; i < s->drawn; i++)
            table_add(&drawn, stored_id(s->rank->graph, s->ids[i]));
        add_distances(s, &drawn, first, &l);
        least_share(&l, s->rank->comm);
        for (uint64_t i = 0; i < l.count; i++) {
            if (i == 0 || l.number[i] != l.number[i - 1]) /* parts may list a vertex twice */
                s->ids[s->drawn++] = (first + l.number[i]) % s->n;
        }
    }
    table_close(&drawn, budget);
    memory_release(budget, l.number);
    return e->status;
}

/* ---- all of it ---- */

enum status roots_sample(uint64_t *ids, uint64_t *count, const struct rank *rank, uint64_t seed, struct error *e)
{
    const struct graph *graph = rank->graph;
    struct sampling s = {.rank = rank, .seed = seed, .n = graph->manifest.totals.n, .ids = ids};
    if (mark_delegates(&s, e) == ST_OK) {
        s.count = *count = smaller(*count, count_vertices(&s));
        draw_random(&s, e);
        if (e->status == ST_OK && s.drawn < s.count)
            draw_in_turn(&s, e);
        if (e->status == ST_OK && s.drawn < s.count)
            fail(e, ST_BAD_DATA, "%s: and the other parts: %llu vertices have edges, expected %llu",
                 container_path(graph->shards[0].file), (unsigned long long)s.drawn, (unsigned long long)s.count);
    }
    memory_release(rank->budget, s.delegates);
    return e->status;
}
