/* degree.c: see degree.h
 *
 * Counters are spread over memory, and hubs are hit by every thread. So each thread first gathers
 * endpoints by range of vertices, and applies a full batch under the lock of its range: plain
 * increments within a range that fits the cache, no atomic per edge, one counter per vertex.
 */
#include "degree.h"

#include "formats/hash.h"
#include "formats/text.h"

#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    RANGE_BITS = 16, /* vertices of a range: 256 KiB of counters */
    RANGES = 256,    /* ranges further up share the batches and locks of these */
    BATCH = 128      /* endpoints gathered before a lock is taken */
};

struct counting_thread {
    uint32_t batch[RANGES][BATCH];
    uint32_t fill[RANGES];
    struct loops loops;
    uint64_t forward, backward; /* sums that agree when the stream is symmetric */
    uint64_t largest;           /* id seen */
};

struct counting {
    struct degrees *degrees;
    struct memory_budget *budget;
    uint64_t charged; /* counters paid for */
    uint64_t refused; /* vertices that the budget could not hold; 0 when all went well */
    int overflow;
    omp_lock_t lock[RANGES];
    struct counting_thread *thread;
};

static inline unsigned range_of(uint64_t v)
{
    return (unsigned)(v >> RANGE_BITS) % RANGES;
}

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
            madvise(p, room * sizeof(uint32_t), MADV_HUGEPAGE);
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

static void apply_batch(struct counting *c, struct counting_thread *t, unsigned range)
{
    uint32_t *degree = c->degrees->of, overflow = 0;
    omp_set_lock(&c->lock[range]);
    for (uint32_t i = 0; i < t->fill[range]; i++)
        overflow |= ++degree[t->batch[range][i]] == 0;
    omp_unset_lock(&c->lock[range]);
    t->fill[range] = 0;
    if (overflow) {
#pragma omp atomic write
        c->overflow = 1;
    }
}

/* Ids of more than 32 bits do not fit a batch; they are as rare as machines with room for them. */
static void count_wide(struct counting *c, uint64_t v)
{
    unsigned range = range_of(v);
    omp_set_lock(&c->lock[range]);
    if (++c->degrees->of[v] == 0)
        c->overflow = 1;
    omp_unset_lock(&c->lock[range]);
}

static inline void count_endpoint(struct counting *c, struct counting_thread *t, uint64_t v)
{
    if (v > UINT32_MAX) {
        count_wide(c, v);
        return;
    }
    unsigned range = range_of(v);
    t->batch[range][t->fill[range]++] = (uint32_t)v;
    if (t->fill[range] == BATCH)
        apply_batch(c, t, range);
}

static enum status visit(void *context, int thread, const struct edge *edges, size_t count,
                         struct error *e)
{
    struct counting *c = context;
    struct counting_thread *t = &c->thread[thread];
    int symmetric = c->degrees->info.direction == EDGES_SYMMETRIC;
    uint64_t largest = t->largest;
    for (size_t i = 0; i < count; i++) {
        largest = edges[i].u > largest ? edges[i].u : largest;
        largest = edges[i].v > largest ? edges[i].v : largest;
    }
    t->largest = largest;
    if (count > 0 && charge(c, largest + 1, e) != ST_OK)
        return e->status;
    for (size_t i = 0; i < count; i++) {
        uint64_t u = edges[i].u, v = edges[i].v;
        if (u == v) {
            if (loops_add(&t->loops, u, c->budget, e) != ST_OK)
                return e->status;
            continue;
        }
        count_endpoint(c, t, u);
        if (symmetric) {
            t->forward += hash_pair(u, v);
            t->backward += hash_pair(v, u);
        } else {
            count_endpoint(c, t, v);
        }
    }
    return ST_OK;
}

static enum status gather_threads(struct counting *c, int threads, const char *name,
                                  struct error *e)
{
    struct degrees *d = c->degrees;
    uint64_t forward = 0, backward = 0;
    for (int i = 0; i < threads; i++) {
        struct counting_thread *t = &c->thread[i];
        for (unsigned r = 0; r < RANGES; r++)
            apply_batch(c, t, r);
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
    for (unsigned r = 0; r < RANGES; r++)
        omp_init_lock(&c.lock[r]);
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
    for (unsigned r = 0; r < RANGES; r++)
        omp_destroy_lock(&c.lock[r]);
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
