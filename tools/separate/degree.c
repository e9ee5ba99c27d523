/* degree.c: see degree.h
 *
 * One counter per vertex, shared by all threads. What an increment costs is the way to the counter's
 * cache line, so lines are asked for some edges ahead; then atomic increments are nearly as fast as
 * plain ones. Runs of edges with the same source, as sorted lists have them, are added at once, so
 * that a hub's list does not make all threads wait for one line.
 */
#include "degree.h"

#include "formats/hash.h"
#include "formats/text.h"
#include "formats/huge.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PREFETCH_EDGES = 16 };

struct counting_thread {
    struct loops loops;
    uint64_t forward, backward; /* sums that agree when the stream is symmetric */
    uint64_t largest;           /* id seen */
    char unshared[64]; /* between the threads' cache lines */
};

struct counting {
    struct degrees *degrees;
    struct memory_budget *budget;
    uint64_t charged; /* counters paid for */
    uint64_t refused; /* vertices that the budget could not hold; 0 when all went well */
    int overflow;
    struct counting_thread *thread;
};

/* ---- room for the counters ---- */

/* Address space for as many counters as the budget could ever pay for: the largest id is known
 * only at the end of the stream, and memory is used only where an id touches it. */
static enum status reserve(struct counting *c, struct error *e)
{
    uint64_t room = (c->budget->limit_bytes - c->budget->taken_bytes) / sizeof(uint32_t) + 1;
    if (room > DBFS_MAX_VERTICES)
        room = DBFS_MAX_VERTICES;
    for (; room > 0; room /= 2) {
        void *p = mmap(NULL, room * sizeof(uint32_t), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p != MAP_FAILED) {
            huge_advise(p, room * sizeof(uint32_t));
            c->degrees->of = p;
            c->degrees->reserved = room;
            return ST_OK;
        }
    }
    return fail_memory(e, "degrees", sizeof(uint32_t));
}

/* Charges the budget for counters below n. */
static enum status charge(struct counting *c, uint64_t n, struct error *e)
{
#pragma omp critical(memory_budget)
    if (n > c->charged) {
        struct memory_budget *b = c->budget;
        uint64_t more = (n - c->charged) * sizeof(uint32_t);
        if (n > c->degrees->reserved || more > b->limit_bytes - b->taken_bytes) {
            c->refused = n;
            fail(e, ST_RESOURCE, "degrees of %llu vertices", (unsigned long long)n);
        } else {
            b->taken_bytes += more;
            c->charged = n;
        }
    }
    return e->status;
}

/* ---- counting ---- */

static inline void add(struct counting *c, uint64_t v, uint32_t edges)
{
    uint32_t before = __atomic_fetch_add(&c->degrees->of[v], edges, __ATOMIC_RELAXED);
    if (before > UINT32_MAX - edges)
        __atomic_store_n(&c->overflow, 1, __ATOMIC_RELAXED);
}

/* Counts endpoints at u, and at v with `both`; self-loops go to the thread's list. */
static enum status count_edges(struct counting *c, struct counting_thread *t,
                               const struct edge *edges, size_t count, int both, struct error *e)
{
    const uint32_t *of = c->degrees->of;
    uint64_t source = UINT64_MAX;
    uint32_t run = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t u = edges[i].u, v = edges[i].v;
        if (i + PREFETCH_EDGES < count) {
            __builtin_prefetch(&of[edges[i + PREFETCH_EDGES].u], 1);
            __builtin_prefetch(&of[edges[i + PREFETCH_EDGES].v], 1);
        }
        if (u == v) {
            if (loops_add(&t->loops, u, c->budget, e) != ST_OK)
                return e->status;
            continue;
        }
        if (u != source) {
            if (run > 0)
                add(c, source, run);
            source = u;
            run = 0;
        }
        run++;
        if (both)
            add(c, v, 1);
    }
    if (run > 0)
        add(c, source, run);
    return ST_OK;
}

static uint64_t largest_id(const struct edge *edges, size_t count)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        largest = edges[i].u > largest ? edges[i].u : largest;
        largest = edges[i].v > largest ? edges[i].v : largest;
    }
    return largest;
}

static void sum_directions(struct counting_thread *t, const struct edge *edges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        t->forward += hash_pair(edges[i].u, edges[i].v);
        t->backward += hash_pair(edges[i].v, edges[i].u);
    }
}

static enum status visit(void *context, int thread, const struct edge *edges, size_t count,
                         struct error *e)
{
    struct counting *c = context;
    struct counting_thread *t = &c->thread[thread];
    int symmetric = c->degrees->info.direction == EDGES_SYMMETRIC;
    uint64_t largest = largest_id(edges, count);
    if (largest > t->largest || t->largest == 0) {
        if (charge(c, largest + 1, e) != ST_OK)
            return e->status;
        t->largest = largest;
    }
    if (symmetric)
        sum_directions(t, edges, count);
    return count_edges(c, t, edges, count, !symmetric, e);
}

static enum status gather_threads(struct counting *c, int threads, const char *name,
                                  struct error *e)
{
    struct degrees *d = c->degrees;
    uint64_t forward = 0, backward = 0;
    for (int i = 0; i < threads; i++) {
        struct counting_thread *t = &c->thread[i];
        forward += t->forward;
        backward += t->backward;
        if (loops_merge(&d->loops, &t->loops, c->budget, e) != ST_OK)
            return e->status;
    }
    if (c->overflow)
        return fail(e, ST_RESOURCE, "%s: a vertex has 2^32 or more edges, and degrees are counted "
                    "in 32 bits", name);
    if (forward != backward)
        return fail(e, ST_BAD_DATA, "%s: says it is symmetric, but some edges lack their opposite: "
                    "'edgeconv -u' treats each line as one undirected edge", name);
    return ST_OK;
}

static enum status refuse_directed(const struct edges_info *info, const char *name,
                                   struct error *e)
{
    if (info->direction != EDGES_DIRECTED)
        return ST_OK;
    return fail(e, ST_BAD_DATA, "%s: the edges are directed, and the traversal needs both "
                "directions of each: 'edgeconv -u' makes them undirected", name);
}

/* ---- when n is too large ---- */

/* Finds the largest id and the block where it first stands, block by block. */
static enum status find_largest(struct edges_reader *reader, uint64_t *largest,
                                uint64_t *block_offset, struct error *e)
{
    struct edges_block block = {0};
    enum edges_direction direction = edges_reader_info(reader)->direction;
    struct edge *edges = malloc(EDGES_MAX_BLOCK_EDGES * sizeof *edges);
    size_t count;
    int end = 0;
    *largest = 0;
    if (edges == NULL)
        return fail_memory(e, "edge block", EDGES_MAX_BLOCK_EDGES * sizeof *edges);
    edges_block_init(&block, EDGES_BLOCK_EDGES, e);
    while (e->status == ST_OK && edges_reader_next(reader, &block, &end, e) == ST_OK && !end) {
        if (edges_decode_block(&block, direction, edges_reader_name(reader), edges, &count, e) ==
                ST_OK &&
            block.tally.max_id > *largest) {
            *largest = block.tally.max_id;
            *block_offset = block.offset;
        }
    }
    edges_block_free(&block);
    free(edges);
    return e->status;
}

static enum status too_many_vertices(const struct edge_source *source, uint64_t n,
                                     uint64_t left_bytes, struct error *e)
{
    char need[16], left[16];
    uint64_t largest = 0, offset = 0;
    struct error cause = {0};
    struct edges_reader *reader = NULL;
    if (edge_source_reader(source, &reader, &cause) == ST_OK)
        find_largest(reader, &largest, &offset, &cause);
    edges_reader_close(reader);
    if (cause.status != ST_OK) {
        *e = cause;
        return e->status;
    }
    if (n <= largest)
        n = largest + 1;
    memset(e, 0, sizeof *e);
    return fail(e, ST_RESOURCE,
                "%s: degrees of %llu vertices need %s, and %s of the memory budget (-S) are left; "
                "the largest id is %llu, in the block at byte %llu",
                source->name, (unsigned long long)n,
                format_size(n * sizeof(uint32_t), need, sizeof need),
                format_size(left_bytes, left, sizeof left), (unsigned long long)largest,
                (unsigned long long)offset);
}

/* ---- the pass ---- */

static enum status count_stream(struct counting *c, const struct edge_source *source, int threads,
                                struct error *e)
{
    struct degrees *d = c->degrees;
    struct edges_reader *reader = NULL;
    if (edge_source_reader(source, &reader, e) != ST_OK)
        return e->status;
    d->info = *edges_reader_info(reader);
    if (refuse_directed(&d->info, source->name, e) == ST_OK &&
        edges_scan(reader, threads, visit, c, &d->totals, e) == ST_OK &&
        charge(c, d->totals.n, e) == ST_OK)
        gather_threads(c, threads, source->name, e);
    edges_reader_close(reader);
    return e->status;
}

enum status degrees_count(struct degrees *d, const struct edge_source *source, int threads,
                          struct memory_budget *budget, struct error *e)
{
    struct counting c = {.degrees = d, .budget = budget};
    uint64_t left_bytes = budget->limit_bytes - budget->taken_bytes;
    memset(d, 0, sizeof *d);
    c.thread = calloc((size_t)threads, sizeof *c.thread);
    if (c.thread == NULL)
        return fail_memory(e, "degrees", (uint64_t)threads * sizeof *c.thread);
    if (reserve(&c, e) == ST_OK && count_stream(&c, source, threads, e) == ST_OK) {
        uint64_t records = d->totals.edges - d->totals.loops;
        d->directed_edges = d->info.direction == EDGES_SYMMETRIC ? records : 2 * records;
    } else {
        for (int i = 0; i < threads; i++)
            loops_free(&c.thread[i].loops, budget);
        budget->taken_bytes -= c.charged * sizeof(uint32_t);
        d->totals.n = 0; /* not charged any more */
        degrees_free(d, budget);
        if (c.refused > 0)
            too_many_vertices(source, c.refused, left_bytes, e);
    }
    free(c.thread);
    return e->status;
}

void degrees_drop_array(struct degrees *d, struct memory_budget *budget)
{
    if (d->of == NULL)
        return;
    munmap(d->of, d->reserved * sizeof *d->of);
    budget->taken_bytes -= d->totals.n * sizeof *d->of;
    d->of = NULL;
}

void degrees_free(struct degrees *d, struct memory_budget *budget)
{
    degrees_drop_array(d, budget);
    loops_free(&d->loops, budget);
    memset(d, 0, sizeof *d);
}
