/* cpu_crew.c: levels by lists, by several threads; its twin is cpu_list.c
 *
 * The threads stay together from level to level in one parallel region. Each owns part of the vertices, in
 * blocks by id, and only the owner reads and writes a vertex's marks. So nothing is claimed by atomic
 * operations, and no cache takes marks from another. A level has two steps, each with a meeting at its end:
 * 1. A thread pushes an equal share of the frontier: it puts every destination into its bin for the owner,
 *    except those that it has put there before or that were visited when the crew began.
 * 2. An owner goes through the bins for it. What is new gets its mark and depth, is counted, and joins the
 *    owner's part of the next list.
 * The last thread to come to the second meeting makes the next lists the frontier and chooses how the next
 * level goes. Bytes that cross from core to core: 4 for each vertex and thread, in sequence.
 *
 * A thread that waits spins, and offers its core to others from time to time. If the others are late because
 * they have no core, the crew parts, and one thread does the rest of the search.
 */
#include "cpu_list.h"
#include "cpu_run.h"

#include "formats/base/cli.h"

#include <omp.h>
#include <sched.h>
#include <string.h>

enum {
    OWNED_BITS = 10,     /* an owner's vertices come in blocks of 2^10 */
    SPINS = 64,          /* between two offers of the core */
    SMALL_LEVELS = 16,   /* in a row, after which the crew parts */
    CHUNK_BYTES = 4096,  /* of a bin; aligned to its size */
    CHUNK_HEAD = 16      /* bytes: the next chunk of the bin */
};

/* What thread `number` of a crew has. */
struct hand {
    struct crew *crew;
    int number;
    uint64_t *seen[VERTEX_KINDS];    /* visited, or put into a bin by this thread */
    uint8_t *pool;                   /* chunks that are not used yet */
    uint32_t *first[VERTEX_KINDS][MOST_CREW]; /* chunks of the bins for each owner */
    uint32_t *at[VERTEX_KINDS][MOST_CREW];    /* where the next destination goes */
    uint64_t list[VERTEX_KINDS];     /* where its part of the frontier begins in the lists of the device */
    uint64_t count[VERTEX_KINDS], found[VERTEX_KINDS]; /* vertices of its part; of the next one */
    uint64_t rows[SUBGRAPHS], edges[SUBGRAPHS];        /* what it found */
};

struct crew {
    struct device *dev;
    struct search_state *state;
    int threads; /* a power of two */
    int parts, late;
    uint32_t small_levels;
    struct hand *hands[MOST_CREW];
    _Alignas(64) uint32_t arrived;
    _Alignas(64) uint32_t meetings; /* that are over */
};

/* Vertices of one kind, as one thread pushes to them. */
struct target {
    uint64_t *seen;
    uint32_t **bins; /* [owners + 1]: where the next destination goes */
    uint32_t owners; /* less 1 */
};

/* ---- bins ---- */

static uint32_t *new_chunk(struct hand *h)
{
    uint8_t *chunk = h->pool;
    h->pool += CHUNK_BYTES;
    return (uint32_t *)(chunk + CHUNK_HEAD);
}

static void open_bins(struct hand *h)
{
    h->pool = h->crew->dev->crew.bins + (size_t)h->number * h->crew->dev->crew.bin_bytes;
    h->pool += -(uintptr_t)h->pool % CHUNK_BYTES;
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        for (int owner = 0; owner < h->crew->threads; owner++)
            h->first[kind][owner] = h->at[kind][owner] = new_chunk(h);
    }
}

/* The chunk that ends at `end` is full. */
static uint32_t *chain_chunk(struct hand *h, uint32_t *end)
{
    uint32_t *next = new_chunk(h);
    memcpy((uint8_t *)end - CHUNK_BYTES, &next, sizeof next);
    return next;
}

/* What this thread has put into a bin before, it does not put there again. */
static inline void put(struct hand *h, struct target *target, uint32_t to, uint32_t from,
                       struct row_form form)
{
    uint64_t word = target->seen[to / 64], is_new = ~word >> (to % 64) & 1;
    uint32_t **bin = &target->bins[to >> OWNED_BITS & target->owners], *at = *bin;
    target->seen[to / 64] = word | UINT64_C(1) << (to % 64);
    at[0] = to;
    if (form.parents)
        at[1] = from;
    at += is_new << form.parents;
    *bin = (uintptr_t)at % CHUNK_BYTES != 0 ? at : chain_chunk(h, at);
}

/* ---- step 1 ---- */

static inline __attribute__((always_inline)) void
bin_rows(struct hand *h, const struct list_push *p, enum vertex_kind kind, struct row_form form)
{
    const uint32_t *heads = p->csr->heads, *columns = p->csr->columns;
    const uint64_t rows = p->csr->rows;
    struct target target = {h->seen[kind], h->at[kind], (uint32_t)h->crew->threads - 1};
    for (uint64_t i = 0; i < p->row_count; i++) {
        uint32_t row = p->rows[i];
        if (is_left_out(p->csr, row, form))
            continue;
        ask_ahead(p, i, form);
        for (uint32_t j = 0; j < form.heads; j++) {
            uint32_t to = heads[j * rows + row];
            if (to == HEAD_NONE)
                break;
            put(h, &target, to, p->tag | row, form);
        }
        uint64_t end = row_offset(p->csr, row + UINT64_C(1), form);
        for (uint64_t at = row_offset(p->csr, row, form); at < end; at++)
            put(h, &target, columns[at], p->tag | row, form);
    }
}

static void bin_list(struct hand *h, enum subgraph g, const uint32_t *list, uint64_t count)
{
    struct list_push p = describe_push(h->crew->dev, g);
    struct row_form form = {p.parent != NULL, 0, p.csr->head_columns, p.csr->offset_width,
                            is_sparse(p.csr)};
    enum vertex_kind kind = subgraph_columns(g);
    p.rows = list;
    p.row_count = count;
    int is_common = !form.parents && form.offset_width == 4 && !form.sparse;
    if (is_common && form.heads == 0)
        bin_rows(h, &p, kind, (struct row_form){0, 0, 0, 4, 0});
    else if (is_common && form.heads == 2)
        bin_rows(h, &p, kind, (struct row_form){0, 0, 2, 4, 0});
    else
        bin_rows(h, &p, kind, form);
}

static uint64_t frontier_size(const struct crew *c, enum vertex_kind kind)
{
    uint64_t size = 0;
    for (int i = 0; i < c->threads; i++)
        size += c->hands[i]->count[kind];
    return size;
}

/* A thread's share of the rows of one kind, along both subgraphs: the parts of all owners, one behind the
 * other, are cut into equal shares. */
static void bin_share(struct hand *h, enum vertex_kind kind)
{
    const struct crew *c = h->crew;
    const struct device *dev = c->dev;
    const uint32_t *lists = kind == DELEGATES ? dev->delegates.fresh : dev->normals.queue;
    uint64_t size = frontier_size(c, kind), before = 0;
    uint64_t begin = share_begin(size, c->threads, h->number);
    uint64_t end = share_begin(size, c->threads, h->number + 1);
    for (int i = 0; i < c->threads && before < end; i++) {
        const struct hand *owner = c->hands[i];
        uint64_t count = owner->count[kind], first = begin > before ? begin - before : 0;
        uint64_t last = end - before < count ? end - before : count;
        before += count;
        for (int to = VERTEX_KINDS; to-- > 0 && first < last;) {
            enum subgraph g = subgraph_between(kind, (enum vertex_kind)to);
            if (dev->frontier[g] > 0)
                bin_list(h, g, lists + owner->list[kind] + first, last - first);
        }
    }
}

/* ---- step 2 ---- */

/* Destinations from..end of a chunk. Returns how many are on the owner's next list then. */
static inline __attribute__((always_inline)) uint64_t
reach_chunk(const struct list_push *p, const uint32_t *from, const uint32_t *end, uint64_t count,
            int parents)
{
    for (const uint32_t *line = from; line < end; line += 16) /* in another core's cache */
        __builtin_prefetch(line);
    for (; from < end; from += 1 + parents) {
        uint32_t to = from[0];
        uint64_t word = p->marked[to / 64], is_new = ~word >> (to % 64) & 1;
        p->next[count] = to;
        p->marked[to / 64] = word | UINT64_C(1) << (to % 64);
        if (parents && is_new)
            p->parent[to] = from[1];
        count += is_new;
    }
    return count;
}

static uint64_t reach_bin(const struct list_push *p, const struct hand *from, enum vertex_kind kind,
                          int owner, uint64_t count)
{
    uint32_t *chunk = from->first[kind][owner], *at = from->at[kind][owner];
    for (;;) {
        uint8_t *base = (uint8_t *)chunk - CHUNK_HEAD;
        int is_last = (uint8_t *)at >= base && (uint8_t *)at < base + CHUNK_BYTES;
        uint32_t *end = is_last ? at : (uint32_t *)(base + CHUNK_BYTES);
        count = p->parent != NULL ? reach_chunk(p, chunk, end, count, 1)
                                  : reach_chunk(p, chunk, end, count, 0);
        if (is_last)
            return count;
        memcpy(&chunk, base, sizeof chunk);
    }
}

/* Where the part of an owner begins in the lists: before it are the vertices of the others, and a place that
 * each may write behind its part. */
static uint64_t part_begin(uint64_t vertices, int threads, int owner)
{
    uint64_t round = (uint64_t)threads << OWNED_BITS, rest = vertices % round, begin = 0;
    for (int i = 0; i < owner; i++) {
        uint64_t block = (uint64_t)i << OWNED_BITS, more = rest > block ? rest - block : 0;
        begin += (vertices / round << OWNED_BITS) + 1 +
                 (more < 1 << OWNED_BITS ? more : UINT64_C(1) << OWNED_BITS);
    }
    return begin;
}

static void reach_kind(struct hand *h, enum vertex_kind kind)
{
    struct crew *c = h->crew;
    struct device *dev = c->dev;
    int32_t *depth = kind == DELEGATES ? dev->delegates.depth : dev->normals.depth;
    struct list_push p = describe_push(dev, subgraph_between(NORMALS, kind));
    uint64_t vertices = kind == DELEGATES ? dev->shard->d : dev->shard->locals, count = 0;
    p.next += part_begin(vertices, c->threads, h->number);
    for (int i = 0; i < c->threads; i++)
        count = reach_bin(&p, c->hands[i], kind, h->number, count);
    for (uint64_t i = 0; i < count; i++)
        depth[p.next[i]] = dev->depth + 1;
    for (int to = 0; to < VERTEX_KINDS; to++) {
        enum subgraph g = subgraph_between(kind, (enum vertex_kind)to);
        struct row_count sources = {0};
        if (dev->shard->csr[g].edges > 0)
            sources = count_listed(&dev->shard->csr[g], p.next, count);
        h->rows[g] = sources.rows;
        h->edges[g] = sources.edges;
    }
    h->found[kind] = count;
}

/* ---- from level to level ---- */

/* What the crew found is the frontier. */
static void advance(struct crew *c)
{
    struct device *dev = c->dev;
    swap_lists(dev, 0, 0);
    dev->depth++;
    for (int g = 0; g < SUBGRAPHS; g++)
        dev->frontier[g] = dev->forward[g] = 0;
    for (int i = 0; i < c->threads; i++) {
        struct hand *h = c->hands[i];
        for (int g = 0; g < SUBGRAPHS; g++) {
            dev->frontier[g] += h->rows[g];
            dev->forward[g] += h->edges[g];
            dev->unvisited[g] -= h->rows[g];
        }
        h->list[DELEGATES] = part_begin(dev->shard->d, c->threads, i);
        h->list[NORMALS] = part_begin(dev->shard->locals, c->threads, i);
        memcpy(h->count, h->found, sizeof h->count);
    }
}

static uint64_t join_parts(const struct crew *c, enum vertex_kind kind, uint32_t *list)
{
    uint64_t count = 0;
    for (int i = 0; i < c->threads; i++) {
        const struct hand *h = c->hands[i];
        memmove(list + count, list + h->list[kind], h->count[kind] * sizeof *list);
        count += h->count[kind];
    }
    return count;
}

static void end_level(struct crew *c)
{
    struct device *dev = c->dev;
    struct search_state *s = c->state;
    advance(c);
    plan_level(dev, s, frontier_size(c, DELEGATES), frontier_size(c, NORMALS));
    c->small_levels = s->way == BY_LISTS ? c->small_levels + 1 : 0;
    c->parts = c->late || s->way == BY_MASKS || s->way == IS_OVER || !crew_can_take(dev, s->edges) ||
               c->small_levels > SMALL_LEVELS;
    if (!c->parts)
        return;
    dev->delegates.fresh_count = join_parts(c, DELEGATES, dev->delegates.fresh);
    dev->normals.queue_count = join_parts(c, NORMALS, dev->normals.queue);
}

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Seconds. Beyond them somebody else has a core that the crew needs: a thread that offers its core gets it
 * back late, or another is away from its work. */
static const double LONG_OFFER = 200e-6, LONG_WAIT = 5e-3;

static void offer_core(double *begun, double *longest)
{
    double start = cli_seconds();
    if (*begun == 0)
        *begun = start;
    sched_yield();
    double seconds = cli_seconds() - start;
    *longest = seconds > *longest ? seconds : *longest;
}

/* The last thread that comes does `last`. */
static void meet(struct crew *c, void (*last)(struct crew *))
{
    uint32_t meetings = __atomic_load_n(&c->meetings, __ATOMIC_ACQUIRE), waited = 0;
    if (__atomic_add_fetch(&c->arrived, 1, __ATOMIC_ACQ_REL) == (uint32_t)c->threads) {
        if (last != NULL)
            last(c);
        c->arrived = 0;
        __atomic_store_n(&c->meetings, meetings + 1, __ATOMIC_RELEASE);
        return;
    }
    double begun = 0, longest = 0;
    while (__atomic_load_n(&c->meetings, __ATOMIC_ACQUIRE) == meetings) {
        if (++waited % SPINS == 0)
            offer_core(&begun, &longest);
        pause_briefly();
    }
    if (longest > LONG_OFFER || (begun > 0 && cli_seconds() - begun > LONG_WAIT))
        __atomic_store_n(&c->late, 1, __ATOMIC_RELAXED);
}

static void run_level(struct hand *h)
{
    open_bins(h);
    bin_share(h, DELEGATES);
    bin_share(h, NORMALS);
    meet(h->crew, NULL);
    reach_kind(h, DELEGATES);
    reach_kind(h, NORMALS);
    meet(h->crew, end_level);
}

static void join(struct hand *h)
{
    struct device *dev = h->crew->dev;
    uint64_t delegates = mask_words(dev->shard->d), normals = mask_words(dev->shard->locals);
    h->seen[DELEGATES] = dev->crew.seen + (size_t)h->number * (delegates + normals);
    h->seen[NORMALS] = h->seen[DELEGATES] + delegates;
    memcpy(h->seen[DELEGATES], dev->delegates.visited, delegates * sizeof *dev->crew.seen);
    memcpy(h->seen[NORMALS], dev->normals.visited, normals * sizeof *dev->crew.seen);
    if (h->number == 0) { /* has the whole frontier at first */
        h->count[DELEGATES] = dev->delegates.fresh_count;
        h->count[NORMALS] = dev->normals.queue_count;
    }
    h->crew->hands[h->number] = h;
}

static void work(struct crew *crew, int number)
{
    struct hand hand = {.crew = crew, .number = number};
    join(&hand);
    meet(crew, NULL);
    while (!crew->parts)
        run_level(&hand);
}

/* OpenMP may give fewer threads than it is asked for. */
int run_levels_by_crew(struct device *dev, struct search_state *state)
{
    struct crew crew = {.dev = dev, .state = state};
    list_whole_frontier(dev);
#pragma omp parallel num_threads(state->threads)
    {
#pragma omp single
        crew.threads = crew_of(omp_get_num_threads());
        if (omp_get_thread_num() < crew.threads)
            work(&crew, omp_get_thread_num());
    }
    return crew.late;
}
