/* batch_balls.c: gathers the vertices that each root of a batch has reached; see batch_balls.h
 *
 * A level of all roots has a word of bits for each found vertex, and the number of vertices of each root is known. So the balls
 * are first given room, and threads then append to them at the same time. Each thread gathers GATHERED ids of a root before it
 * takes a place in the ball by an atomic addition. */
#include "batch_balls.h"

#include "formats/base/arith.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    GATHERED = 16,    /* ids of a root that a thread gathers before it appends them to the ball */
    LEAST_IDS = 16,   /* the first capacity of a ball */
    FEW_TO_SORT = 48, /* so few ids are sorted by insertion */
    DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS
};

struct gathered_ids {
    uint64_t id[BATCH_MOST][GATHERED];
    uint8_t count[BATCH_MOST];
};

enum status batch_balls_open(struct batch_balls *b, const struct joined_graph *graph, int threads, struct error *e)
{
    *b = (struct batch_balls){.graph = graph};
    b->gathered = zeroed((uint64_t)threads, sizeof *b->gathered, "balls", e);
    return e->status;
}

void batch_balls_close(struct batch_balls *b)
{
    for (int r = 0; b->graph != NULL && r < BATCH_MOST; r++)
        memory_release(b->graph->budget, b->ball[r].ids);
    free(b->gathered);
    *b = (struct batch_balls){0};
}

/* Empties a ball. It keeps its memory only if it is small: large balls of other roots may follow. */
static void empty(struct batch_balls *b, struct ball *ball)
{
    ball->count = 0;
    if (ball->capacity <= LEAST_IDS)
        return;
    memory_release(b->graph->budget, ball->ids);
    *ball = (struct ball){0};
}

void batch_balls_begin(struct batch_balls *b, uint32_t count)
{
    for (uint32_t r = 0; r < count; r++)
        empty(b, &b->ball[r]);
}

/* Gives a ball capacity for `more` further ids. If memory is short, stores the failure in *b and returns 0. */
static int reserve(struct batch_balls *b, struct ball *ball, uint64_t more)
{
    struct error e = {0};
    const uint64_t needed = ball->count + more, capacity = larger(needed, larger(LEAST_IDS, ball->capacity * 3 / 2));
    uint64_t *ids;
    if (needed <= ball->capacity)
        return 1;
    if (memory_take(b->graph->budget, (void **)&ids, capacity, sizeof *ids,
                    "vertices that a batch has reached (a smaller --batch takes less)", &e) != ST_OK) {
        if (__atomic_exchange_n(&b->has_failed, 1, __ATOMIC_RELAXED) == 0)
            b->error = e;
        return 0;
    }
    if (ball->count > 0)
        memcpy(ids, ball->ids, ball->count * sizeof *ids);
    memory_release(b->graph->budget, ball->ids);
    ball->ids = ids;
    ball->capacity = capacity;
    return 1;
}

/* Appends what a thread has gathered for root r to the ball, in which there is room. */
static void append(struct batch_balls *b, struct gathered_ids *gathered, uint32_t r)
{
    const uint64_t count = gathered->count[r];
    const uint64_t at = __atomic_fetch_add(&b->ball[r].count, count, __ATOMIC_RELAXED);
    memcpy(b->ball[r].ids + at, gathered->id[r], count * sizeof *gathered->id[r]);
    gathered->count[r] = 0;
}

/* Returns the bits of an id. If ranks divide the graph, a ball has the distance above them until it is sorted, so that the parts of a
 * ball from all ranks are sorted as one. */
static unsigned id_bits(const struct batch_balls *b)
{
    return bits_for(b->graph->shards->manifest.totals.n);
}

/* Returns the largest distance that has room above the ids. */
static uint64_t deepest(const struct batch_balls *b)
{
    return joined_graph_is_divided(b->graph) ? UINT64_MAX >> id_bits(b) : UINT64_MAX;
}

/* A level_body: gathers the vertices for the balls of the roots that found them. `sink` is the struct batch_balls. */
static void gather_entries(void *sink, const struct batch_level *level, int thread, uint64_t begin, uint64_t end)
{
    struct batch_balls *b = sink;
    struct gathered_ids *gathered = &b->gathered[thread];
    const uint64_t above = joined_graph_is_divided(b->graph) ? level->depth << id_bits(b) : 0;
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t v = level_vertex(level, i);
        const uint64_t *found = level_found(level, v);
        for (int j = 0; j < level->words; j++) {
            for (uint64_t bits = found[j]; bits != 0; bits &= bits - 1) {
                const uint32_t r = (uint32_t)(64 * j + __builtin_ctzll(bits));
                gathered->id[r][gathered->count[r]++] = above | b->graph->ids[v];
                if (gathered->count[r] == GATHERED)
                    append(b, gathered, r);
            }
        }
    }
}

/* Appends the vertices of a level to the balls (batch_balls.h). If the level is of all roots, the threads of the pool share the
 * work. If it is of a single root, the calling thread does the work alone. */
void batch_balls_note(struct batch_balls *b, const struct batch_level *level)
{
    if (level->found == NULL) {
        struct ball *ball = &b->ball[level->root];
        const uint64_t count = reserve(b, ball, level->count) ? level->count : 0;
        for (uint64_t i = 0; i < count; i++)
            ball->ids[ball->count++] = b->graph->ids[level->list[i]];
        return;
    }
    if (level->depth > deepest(b) && __atomic_exchange_n(&b->has_failed, 1, __ATOMIC_RELAXED) == 0)
        fail(&b->error, ST_RUNTIME, "balls of ranks that divide the graph: more than %" PRIu64 " levels", deepest(b));
    for (uint32_t r = 0; r < level->roots; r++) {
        if (level->found_by[r] > 0 && !reserve(b, &b->ball[r], level->found_by[r]))
            return;
    }
    level_run(level, level->count, gather_entries, b);
    for (int t = 0; t < level_threads(level->count, level->threads); t++) {
        for (uint32_t r = 0; r < level->roots; r++) {
            if (b->gathered[t].count[r] > 0)
                append(b, &b->gathered[t], r);
        }
    }
}

void batch_balls_isolate(struct batch_balls *b, uint32_t number, uint64_t id)
{
    if (reserve(b, &b->ball[number], 1))
        b->ball[number].ids[b->ball[number].count++] = id;
}

/* ---- balls of ranks that divide the graph ---- */

enum status batch_balls_move(struct batch_balls *b, uint32_t count, struct error *e)
{
    static const char what[] = "vertices of other ranks (a smaller --batch takes less)";
    const struct comm *comm = b->graph->ghosts.comm;
    const uint32_t R = comm->ranks, first = batch_balls_of_rank(count, comm->rank, R), end = batch_balls_of_rank(count, comm->rank + 1, R);
    struct memory_budget *budget = b->graph->budget;
    uint64_t sizes[BATCH_MOST], all = 0, at = 0, *own = NULL, *size, *got;
    /* of sizes and of vertices: how many go to each rank, and where those from each begin */
    uint64_t *roots = zeroed(4 * R + 2, sizeof *roots, what, e);
    uint64_t *vertices = roots + R, *begin_sizes = roots + 2 * R, *begin = begin_sizes + R + 1;
    for (uint32_t i = 0; i < count; i++)
        all += sizes[i] = b->ball[i].count;
    if (roots != NULL && memory_take(budget, (void **)&own, all, 8, what, e) == ST_OK) {
        for (uint32_t r = 0; r < R; r++) {
            for (uint32_t i = batch_balls_of_rank(count, r, R); i < batch_balls_of_rank(count, r + 1, R); at += sizes[i], i++) {
                if (sizes[i] > 0)
                    memcpy(own + at, b->ball[i].ids, sizes[i] * 8);
                empty(b, &b->ball[i]);
                roots[r]++;
                vertices[r] += sizes[i];
            }
        }
    }
    comm_deal(comm, sizes, roots, 8, budget, (void **)&size, begin_sizes, what, e);
    comm_deal(comm, own, vertices, 8, budget, (void **)&got, begin, what, e);
    memory_release(budget, own);
    for (uint32_t i = first; i < end && e->status == ST_OK; i++) {
        struct ball *ball = &b->ball[i];
        for (uint32_t r = 0; r < R; r++) {
            const uint64_t part = size[begin_sizes[r] + i - first];
            if (part == 0 || !reserve(b, ball, part))
                continue;
            memcpy(ball->ids + ball->count, got + begin[r], part * 8);
            ball->count += part;
            begin[r] += part;
        }
    }
    if (e->status == ST_OK && b->has_failed)
        fail(e, b->error.status, "%s", b->error.text);
    memory_release(budget, size);
    memory_release(budget, got);
    free(roots);
    return comm_agree(comm, e);
}

/* ---- sorting ---- */

/* Sorts a few ids by insertion. */
static void sort_few(uint64_t *id, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++) {
        const uint64_t moved = id[i];
        uint64_t at = i;
        for (; at > 0 && id[at - 1] > moved; at--)
            id[at] = id[at - 1];
        id[at] = moved;
    }
}

/* Sorts ids that are the same from bit `shift` + DIGIT_BITS on. Distributes them in place by the digit at `shift`, and then sorts
 * the ids of each digit (a radix sort that begins with the upper digit, "American flag sort"). `shift` below 0: all ids are
 * the same. */
static void sort_ids(uint64_t *id, uint64_t count, int shift)
{
    uint64_t end[DIGITS] = {0}, next[DIGITS], sum = 0;
    if (count < FEW_TO_SORT || shift < 0) {
        sort_few(id, shift < 0 ? 0 : count);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        end[id[i] >> shift & (DIGITS - 1)]++;
    for (int d = 0; d < DIGITS; d++) {
        next[d] = sum;
        end[d] = sum += end[d];
    }
    for (uint64_t d = 0; d < DIGITS; d++) {
        while (next[d] < end[d]) {
            const uint64_t moved = id[next[d]], digit = moved >> shift & (DIGITS - 1);
            id[next[d]] = id[next[digit]];
            id[next[digit]++] = moved;
        }
    }
    for (int d = 0; d < DIGITS; d++) {
        const uint64_t begin = d > 0 ? end[d - 1] : 0;
        if (end[d] - begin > 1)
            sort_ids(id + begin, end[d] - begin, shift - DIGIT_BITS);
    }
}

void batch_balls_sort(struct batch_balls *b, uint32_t number, const uint64_t *vertices, uint64_t levels)
{
    uint64_t *id = b->ball[number].ids;
    const unsigned bits = id_bits(b);
    if (joined_graph_is_divided(b->graph)) {
        sort_ids(id, b->ball[number].count, (int)(bits + bits_for(levels) - 1) / DIGIT_BITS * DIGIT_BITS);
        for (uint64_t i = 0; i < b->ball[number].count; i++)
            id[i] &= (UINT64_C(1) << bits) - 1;
        return;
    }
    for (uint64_t level = 0; level < levels; id += vertices[level++])
        sort_ids(id, vertices[level], (int)(bits - 1) / DIGIT_BITS * DIGIT_BITS);
}
