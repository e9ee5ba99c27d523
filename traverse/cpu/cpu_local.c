/* cpu_local.c: several levels between two barriers, each by searches of threads from their shares of the frontier
 *
 * A road network has hundreds of levels of a few hundred vertices, and a barrier takes longer than the work of a level. So each
 * thread searches several levels ahead from its share of the frontier, without waiting for others: this is a round. A vertex gets a
 * depth if that is less than the one it has, by a compare-and-swap. A thread may find a vertex first over a longer path. The thread
 * that finds the shorter one gives it the lesser depth, and searches from it again; the other drops it when it comes to it, as its
 * depth is then less than that of the list. After the round all depths up to that of its last level are exact, and the lists of the last
 * level are the next frontier. Neighbouring vertices are mostly found by one thread, so few are visited twice: 5% with rounds
 * of 8 levels and 8 shares, and 9% with 16 shares, on the roads of New York, if one share is searched after the other.
 *
 * Depths of unvisited vertices are DEPTH_FAR in all rounds, and visited bits are made from depths after them. A parent is written in
 * the next round, by what is then known to be the shortest path.
 *
 * Bytes that must move for each edge: 4 of the column and 4 of a depth; for each vertex 8 of the lists and 8 of offsets. */
#include "cpu_rows.h"
#include "cpu_run.h"

#include "formats/base/arith.h"

#include <string.h>

enum {
    DEPTH_FAR = INT32_MAX,
    MOST_LONELY_ROUNDS = 2 /* the most rounds in a row in which the caller may search from all shares, as others have no cores */
};

/* The lists that a share makes, one after the other, in arrays of `capacity` entries. */
struct lists {
    uint32_t *vertices, *parents; /* parents: NULL if they are not recorded */
    int32_t *depth;               /* of each vertex of the graph */
    uint64_t capacity;
};

/* What was found from a share of the frontier: a list for each level. */
struct local_share {
    _Alignas(APART) uint32_t *vertices, *parents;
    int thread;                          /* that searched from it */
    uint64_t end[MOST_LOCAL_LEVELS + 1]; /* [0] where the share itself ends in `vertices`, [i] where its level i ends */
};

/* A thread's memory for the lists of this round and of the last one. */
struct local_thread {
    _Alignas(APART) uint32_t round; /* the last round in which the thread had a share */
    uint64_t used;                  /* entries of the half of this round that are used */
};

/* What the threads share. */
struct local_search {
    _Alignas(APART) struct device *dev;
    const struct csr *csr;
    int32_t *depth;
    int threads;            /* number of shares in this round */
    int32_t base;           /* depth of the frontier */
    int levels, last_levels; /* number of levels of this round, and of the last one */
    uint32_t round;         /* number of the round, from 1 on; lists of even and odd rounds are in different memory */
    int last_shares;        /* number of shares in the last round */
    uint64_t capacity;      /* entries of a thread's lists in a round */
    _Atomic int overflows;  /* 1: some lists were full, so depths beyond the frontier's are not known */
    int lonely_rounds;      /* rounds in a row, up to the last, in which the caller searched from all shares */
    uint64_t before[MOST_REGION_THREADS + 1]; /* [i] the frontier's entries in the shares before share i of the last round */
    struct local_share shares[2][MOST_REGION_THREADS]; /* [round % 2] */
    struct local_thread thread[MOST_REGION_THREADS];
};

/* ---- a share ---- */

/* Gives vertices[begin..end) of the lists the depth `depth` where that is less than theirs. Keeps those that got it, and returns
 * where they end. Adds to *found how many had no depth before. */
static inline uint64_t claim(const struct lists *lists, uint64_t begin, uint64_t end, int32_t depth, int parents, uint64_t *found)
{
    uint64_t to = begin;
    for (uint64_t i = begin; i < end; i++) /* an atomic operation waits for its cache line, and all that follows waits for it */
        prefetch_to_write(&lists->depth[lists->vertices[i]]);
    for (uint64_t i = begin; i < end; i++) {
        uint32_t v = lists->vertices[i];
        int32_t old = __atomic_load_n(&lists->depth[v], __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(&lists->depth[v], &old, old < depth ? old : depth, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            ;
        lists->vertices[to] = v;
        if (parents)
            lists->parents[to] = lists->parents[i];
        to += depth < old; /* without a branch, as in cpu_rows.c */
        *found += old == DEPTH_FAR;
    }
    return to;
}

/* Searches one level: pushes the vertices begin..end of the lists, which have the depth `depth`, and appends what is found to the
 * lists. Returns where they end then. */
static inline __attribute__((always_inline)) uint64_t push_level(struct local_search *l, struct lists lists, uint64_t begin,
                                                                 uint64_t end, int32_t depth, int parents, uint64_t *found)
{
    enum { COLUMNS_AHEAD = 16, AT_ONCE = 256 }; /* AT_ONCE: so many destinations wait to be claimed */
    const struct csr csr = *l->csr;
    const uint32_t *columns = csr.columns;
    uint64_t next = end, wait = end; /* end..next have been found; next..wait are destinations that may be new */
    for (uint64_t i = begin; i < end; i++) {
        uint32_t row = lists.vertices[i];
        if (i + AHEAD < end)
            prefetch_offset(&csr, lists.vertices[i + AHEAD]);
        if (i + COLUMNS_AHEAD < end)
            __builtin_prefetch(&columns[csr_offset(&csr, lists.vertices[i + COLUMNS_AHEAD])]);
        if (__atomic_load_n(&lists.depth[row], __ATOMIC_RELAXED) != depth)
            continue; /* it was found again, over a shorter path */
        uint64_t at = csr_offset(&csr, row), stop = csr_offset(&csr, row + UINT64_C(1));
        if (stop - at + csr.head_columns >= lists.capacity - wait) {
            l->overflows = 1;
            return next;
        }
        for (uint64_t j = 0; j < csr.head_columns + stop - at; j++) {
            uint32_t to = j < csr.head_columns ? csr.heads[j * csr.rows + row] : columns[at + j - csr.head_columns];
            if (j < csr.head_columns && to == HEAD_NONE)
                break;
            lists.vertices[wait] = to;
            if (parents)
                lists.parents[wait] = row;
            wait += depth + 1 < __atomic_load_n(&lists.depth[to], __ATOMIC_RELAXED);
        }
        if (wait - next >= AT_ONCE)
            wait = next = claim(&lists, next, wait, depth + 1, parents, found);
    }
    return claim(&lists, next, wait, depth + 1, parents, found);
}

/* Writes the parents of what was found from a share in a round that began at depth `base` and is over: a vertex has the depth of
 * just one of the lists in which it is. */
static void write_share_parents(const struct local_search *l, const struct local_share *s, int levels, int32_t base)
{
    for (int level = 1; level <= levels && s->parents != NULL; level++) {
        for (uint64_t i = s->end[level - 1]; i < s->end[level]; i++) {
            if (__atomic_load_n(&l->depth[s->vertices[i]], __ATOMIC_RELAXED) == base + level)
                l->dev->normals.parent[s->vertices[i]] = s->parents[i];
        }
    }
}

/* Appends the vertices of a list that have the depth `depth` to next[]. Returns their number. */
static uint64_t copy_exact(const struct local_search *l, const uint32_t *list, uint64_t count, int32_t depth, uint32_t *next)
{
    uint64_t copied = 0;
    for (uint64_t i = 0; i < count; i++) {
        next[copied] = list[i];
        copied += __atomic_load_n(&l->depth[list[i]], __ATOMIC_RELAXED) == depth;
    }
    return copied;
}

/* Copies entries begin..end of the frontier to next[], those that were found again over a shorter path left out. Returns
 * the number copied. */
static uint64_t copy_frontier(const struct local_search *l, uint64_t begin, uint64_t end, uint32_t *next)
{
    uint64_t copied = 0;
    for (int i = 0; i < l->last_shares && l->before[i] < end; i++) {
        const struct local_share *s = &l->shares[(l->round + 1) % 2][i];
        uint64_t count = l->before[i + 1] - l->before[i];
        uint64_t first = begin > l->before[i] ? begin - l->before[i] : 0;
        uint64_t last = end - l->before[i] < count ? end - l->before[i] : count;
        if (first < last)
            copied += copy_exact(l, s->vertices + s->end[l->last_levels - 1] + first, last - first, l->base, next + copied);
    }
    return copied;
}

/* Writes the parents of what was found from shares of the last round, a part of these for each share of this one. Then searches from share
 * number `share` of the frontier, and returns how many vertices had no depth before. Threads of the pool run this; `context` is the
 * local_search. */
static uint64_t search_share(void *context, int thread, uint64_t share)
{
    struct local_search *l = context;
    const struct device *dev = l->dev;
    struct local_thread *t = &l->thread[thread];
    struct local_share *s = &l->shares[l->round % 2][share];
    for (int i = (int)share; i < l->last_shares && l->round > 1; i += l->threads)
        write_share_parents(l, &l->shares[(l->round + 1) % 2][i], l->last_levels, l->base - l->last_levels);
    if (t->round != l->round) {
        t->round = l->round;
        t->used = 0;
    }
    uint32_t *memory = (uint32_t *)(dev->per_thread.lists + (size_t)thread * dev->per_thread.list_bytes);
    memory += l->round % 2 * l->capacity * (dev->parents ? 2 : 1) + t->used;
    const struct lists lists = {.vertices = memory,
                                .parents = dev->parents ? memory + l->capacity : NULL,
                                .depth = l->depth,
                                .capacity = l->capacity - t->used};
    s->vertices = lists.vertices;
    s->parents = lists.parents;
    s->thread = thread;
    uint64_t size = l->before[l->last_shares], found = 0;
    uint64_t begin = share_begin(size, l->threads, (int)share), end = share_begin(size, l->threads, (int)share + 1);
    int fits = end - begin < lists.capacity;
    if (!fits)
        l->overflows = 1;
    s->end[0] = fits ? copy_frontier(l, begin, end, lists.vertices) : 0;
    begin = 0;
    for (int i = 0; i < l->levels; i++) {
        end = s->end[i];
        s->end[i + 1] = dev->parents ? push_level(l, lists, begin, end, l->base + i, 1, &found)
                                     : push_level(l, lists, begin, end, l->base + i, 0, &found);
        begin = end;
    }
    t->used += s->end[l->levels];
    return found;
}

/* ---- visited bits and depths ---- */

/* Gives unvisited vertices of words begin..end the depth DEPTH_FAR. Threads of the pool run this; `context` is the device. */
static void forget_depths(void *context, uint64_t begin, uint64_t end)
{
    const struct device *dev = context;
    for (uint64_t w = begin; w < end; w++) {
        const uint64_t visited = dev->normals.visited[w], count = smaller(64, dev->shard->locals - 64 * w);
        int32_t *depth = dev->normals.depth + 64 * w;
        for (uint64_t i = 0; i < count && visited == 0; i++) /* most words, which the compiler makes vectors of */
            depth[i] = DEPTH_FAR;
        for (uint64_t i = 0; i < count && visited != 0; i++)
            depth[i] = visited >> i & 1 ? depth[i] : DEPTH_FAR;
    }
}

/* Sets the visited bits of words begin..end by depths. Threads of the pool run this; `context` is the device. */
static void mark_visited(void *context, uint64_t begin, uint64_t end)
{
    const struct device *dev = context;
    for (uint64_t w = begin; w < end; w++) {
        uint64_t bits = 0, count = smaller(64, dev->shard->locals - 64 * w);
        for (uint64_t i = 0; i < count; i++)
            bits |= (uint64_t)(dev->normals.depth[64 * w + i] != DEPTH_FAR) << i;
        dev->normals.visited[w] = bits;
    }
}

/* ---- rounds ---- */

/* Sets `before`, by which what the shares (two or more) found in the last level of the round is the next frontier (copy_frontier). Adds 1
 * to lonely_rounds if the caller did the round alone, and otherwise makes it 0. Returns the number of levels up to the last that found a
 * vertex: fewer than the round has if the search is over. */
static int add_up_shares(struct local_search *l)
{
    const struct local_share *shares = l->shares[l->round % 2];
    int by_others = 0;
    l->before[0] = 0;
    for (int i = 0; i < l->threads; i++)
        by_others |= shares[i].thread;
    l->lonely_rounds = by_others ? 0 : l->lonely_rounds + 1;
    for (int i = 0; i < l->threads; i++)
        l->before[i + 1] = l->before[i] + shares[i].end[l->levels] - shares[i].end[l->levels - 1];
    for (int level = l->levels; level > 0; level--) {
        for (int i = 0; i < l->threads; i++) {
            for (uint64_t at = shares[i].end[level - 1]; at < shares[i].end[level]; at++) {
                if (l->depth[shares[i].vertices[at]] == l->base + level)
                    return level;
            }
        }
    }
    return 0;
}

/* Notes the levels of the round, of which only `reached` found vertices. */
static void note_levels(const struct local_search *l, int reached)
{
    uint64_t frontier[MOST_LOCAL_LEVELS] = {0};
    int levels = reached < l->levels ? reached + 1 : l->levels;
    for (int i = 0; i < l->threads; i++) {
        const struct local_share *s = &l->shares[l->round % 2][i];
        frontier[0] += s->end[0];
        for (int level = 1; level < levels; level++) {
            for (uint64_t at = s->end[level - 1]; at < s->end[level]; at++)
                frontier[level] += l->depth[s->vertices[at]] == l->base + level;
        }
    }
    note_round(l->dev, frontier, levels, l->round == 1);
}

/* Writes the parents of the last round's share number `share`. Threads of the pool run this; `context` is the local_search. */
static uint64_t write_last_parents(void *context, int thread, uint64_t share)
{
    const struct local_search *l = context;
    (void)thread;
    write_share_parents(l, &l->shares[(l->round + 1) % 2][share], l->last_levels, l->base - l->last_levels);
    return 0;
}

/* Makes depths beyond l->base DEPTH_FAR in words begin..end. Threads of the pool run this; `context` is the local_search. */
static void cut_depths(void *context, uint64_t begin, uint64_t end)
{
    const struct local_search *l = context;
    uint64_t stop = smaller(64 * end, l->dev->shard->locals);
    for (uint64_t v = 64 * begin; v < stop; v++)
        l->depth[v] = l->depth[v] > l->base ? DEPTH_FAR : l->depth[v];
}

/* Runs rounds while choose_local_levels wants them (cpu_run.h). */
int run_local_levels(struct device *dev, struct search_state *state)
{
    struct local_search l; /* not all of it is set here */
    struct thread_pool *pool = dev->means.pool;
    struct cpu_normals *n = &dev->normals;
    const uint64_t late = pool_late(pool), words = mask_words(dev->shard->locals);
    uint64_t all_found = 0;
    int reached = 0, lacks_cores = 0; /* `reached`: the levels of the last round that found vertices */
    make_frontier_sparse(dev);
    l.dev = dev;
    l.csr = &dev->shard->csr[NN];
    l.depth = n->depth;
    l.round = 0;
    l.overflows = l.lonely_rounds = 0;
    l.capacity = state->local_entries;
    for (int i = 0; i < state->threads; i++)
        l.thread[i].round = 0;
    l.shares[0][0] = (struct local_share){.vertices = n->sparse, .end = {0, n->sparse_count}};
    l.last_shares = l.last_levels = 1;
    l.base = dev->depth;
    l.before[0] = 0;
    l.before[1] = n->sparse_count;
    l.threads = state->local_threads;
    l.levels = state->local_levels;
    pool_for(pool, l.threads, words, CLEAR_WORDS, forget_depths, dev);
    for (int goes_on = 1; goes_on;) {
        l.round++;
        uint64_t found = pool_run(pool, l.threads, (uint64_t)l.threads, search_share, &l);
        if (l.overflows)
            break;
        all_found += found;
        reached = add_up_shares(&l);
        if (dev->notes.keeps_levels)
            note_levels(&l, reached);
        l.base += l.levels;
        l.last_levels = l.levels;
        l.last_shares = l.threads;
        dev->depth = l.base;
        choose_local_levels(dev, state, found / (uint64_t)l.levels);
        lacks_cores = l.lonely_rounds > MOST_LONELY_ROUNDS || pool_late(pool) != late;
        goes_on = reached == l.last_levels && state->local_levels > 1 && !lacks_cores;
        l.threads = goes_on ? state->local_threads : l.threads;
        l.levels = state->local_levels;
    }
    if (l.overflows && l.round == 1) /* the level is chosen again */
        dev->notes.levels -= dev->notes.levels > 0;
    l.round += !l.overflows; /* so that shares[(round + 1) % 2] are those of the last round that is kept */
    if (l.overflows)
        pool_for(pool, l.threads, words, CLEAR_WORDS, cut_depths, &l);
    else if (dev->parents)
        pool_run(pool, l.last_shares, (uint64_t)l.last_shares, write_last_parents, &l);
    pool_for(pool, l.threads, words, CLEAR_WORDS, mark_visited, dev);
    n->sparse_count = copy_frontier(&l, 0, l.before[l.last_shares], n->sparse);
    dev->depth = l.base;
    if (!l.overflows && reached < l.last_levels) { /* the search is over */
        dev->depth -= l.last_levels - reached;
        state->levels = (uint32_t)dev->depth + 1;
    } else {
        state->levels = (uint32_t)dev->depth;
    }
    count_frontier_of(dev, NORMALS);
    dev->unvisited[NN] -= all_found - dev->frontier_rows[NN];
    uint64_t visited = all_found > n->sparse_count ? all_found - n->sparse_count : 0; /* in levels that no choice has seen */
    struct subgraph_work seen = {.frontier = visited, .forward = visited * l.csr->edges / l.csr->rows};
    direction_costs_see(&dev->costs, NN, &seen);
    state->expected = 0;
    state->local_gain = 0;
    state->full_at = l.overflows ? dev->depth : 0;
    choose_level(dev, state, 0, n->sparse_count);
    return lacks_cores;
}
