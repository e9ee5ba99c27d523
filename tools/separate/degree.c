/* degree.c: see degree.h. All threads share one counter for each vertex. An increment costs as much as fetching the counter's cache
 * line, so the lines of the next edges are prefetched; atomic increments are then nearly as fast as plain ones. A run of edges with the
 * same source, as in sorted lists, is added at once, so that a vertex of high degree does not make all threads wait for one line. */
#include "degree.h"
#include "taken_edges.h"

#include "formats/base/arith.h"
#include "formats/base/bytes.h"
#include "formats/base/clones.h"
#include "formats/base/hash.h"
#include "formats/base/progress.h"
#include "formats/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PREFETCH_EDGES = 16 };

struct counting_thread {
    uint64_t forward, backward; /* sums that agree when the stream is symmetric */
    uint64_t near_edges;
    char unshared[64]; /* between the threads' cache lines */
};

/* The state of passes over the edges. */
struct counting {
    struct degrees *degrees;
    struct memory_budget *budget;
    uint64_t first, span; /* this pass counts the degrees of the ids first to first + span - 1 */
    uint32_t *of;         /* [span] these degrees so far */
    uint64_t near;        /* ids of the stream are near if they differ by this at most */
    const struct sparse_ids *sparse; /* of the source; NULL: passes give ids of the stream */
    uint64_t sum;         /* of all degrees so far */
    int overflow;         /* 1: a degree does not fit 32 bits */
    struct counting_thread *thread; /* [threads] */
    struct edges_beside *beside;    /* [threads] edges that are not counted, as their ids come too far, and self-loops */
    struct edge_source *source;     /* a pipe that does not tell its length, in the first pass; otherwise NULL */
    uint64_t taken;                 /* edges that came out of this pipe */
    int scanned;                    /* 1: the first pass was made */
};

/* Ids of n that differ by this at most are near. */
static uint64_t near_ids(uint64_t n)
{
    return (uint64_t)(4 * sqrt((double)n));
}

/* Nonzero if the edges stay in memory, as tiles. */
static int has_tiles(const struct degrees *d)
{
    return d->tiles.ranges > 0;
}

/* ---- counting ---- */

/* Adds the number `edges` to the degree of vertex v, if this pass counts v. Callers pass `windowed` as a constant. */
static inline void add(struct counting *c, uint64_t v, uint32_t edges, int windowed)
{
    uint64_t at = windowed ? v - c->first : v;
    if (windowed && at >= c->span)
        return;
    uint32_t before = __atomic_fetch_add(&c->of[at], edges, __ATOMIC_RELAXED);
    if (before > UINT32_MAX - edges)
        __atomic_store_n(&c->overflow, 1, __ATOMIC_RELAXED);
}

/* Adds each edge to the degree of u and, with `both`, of v; self-loops are left out. Callers pass `windowed` as a constant. */
static inline void count_edges(struct counting *c, const struct edge *edges, size_t count, int both, int windowed)
{
    const uint32_t *of = c->of;
    uint64_t source = UINT64_MAX;
    uint32_t run = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t u = edges[i].u, v = edges[i].v;
        if (!windowed && i + PREFETCH_EDGES < count) {
            __builtin_prefetch(&of[edges[i + PREFETCH_EDGES].u], 1);
            __builtin_prefetch(&of[edges[i + PREFETCH_EDGES].v], 1);
        }
        if (u == v)
            continue;
        if (u != source) {
            if (run > 0)
                add(c, source, run, windowed);
            source = u;
            run = 0;
        }
        run++;
        if (both)
            add(c, v, 1, windowed);
    }
    if (run > 0)
        add(c, source, run, windowed);
}

/* Adds the self-loops among the edges to the list of a thread. */
static enum status list_loops(struct counting *c, struct loops *loops, const struct edge *edges, size_t count, struct error *e)
{
    for (size_t i = 0; i < count; i++) {
        if (edges[i].u == edges[i].v &&
            loops_add(loops, edges[i].u, c->budget, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

/* Counts over some edges, made by vector instructions. */
struct near_counts {
    uint64_t loops;
    uint64_t near; /* edges, self-loops included */
};

/* Counts self-loops, and edges whose ids differ by at most `near`. */
WIDE_CLONES
static struct near_counts count_loops_and_near(const struct edge *edges, size_t count, uint64_t near)
{
    uint64_t loops = 0, close = 0;
    for (size_t i = 0; i < count; i++) {
        loops += edges[i].u == edges[i].v;
        close += edges[i].u - edges[i].v + near <= 2 * near;
    }
    return (struct near_counts){.loops = loops, .near = close};
}

/* Counts the edges, self-loops included, whose ids in the input are near each other; edges[] has dense ids (sparse_ids.h). */
static uint64_t near_originals(const struct counting *c, const struct edge *edges, size_t count)
{
    uint64_t near = 0;
    for (size_t i = 0; i < count; i++)
        near += sparse_ids_original(c->sparse, edges[i].u) - sparse_ids_original(c->sparse, edges[i].v) +
                    c->near <= 2 * c->near;
    return near;
}

/* Sums the hashes of edges in both directions, which are equal if the stream is symmetric. */
static void sum_directions(struct counting_thread *t, const struct edge *edges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        t->forward += hash_pair(edges[i].u, edges[i].v);
        t->backward += hash_pair(edges[i].v, edges[i].u);
    }
}

/* Adds the edges to the degrees, by either constant `windowed`. */
static void count_piece(struct counting *c, const struct edge *edges, size_t count)
{
    int both = c->degrees->info.direction != EDGES_SYMMETRIC;
    if (c->degrees->of.values.windows == 1)
        count_edges(c, edges, count, both, /* windowed */ 0);
    else
        count_edges(c, edges, count, both, /* windowed */ 1);
}

/* Ends the pass over a pipe if a piece of it has an id beyond the bound, or as many edges have come as tiles may have. Nonzero if the pass
 * is to end: no further piece goes into tiles then. */
static int comes_too_far(struct counting *c, const struct edge *edges, size_t count)
{
    uint64_t ids = 0;
    for (size_t i = 0; i < count; i++)
        ids |= edges[i].u | edges[i].v; /* the bound is a power of two */
    if (ids >= c->source->totals.n || __atomic_add_fetch(&c->taken, count, __ATOMIC_RELAXED) > c->source->totals.edges)
        __atomic_store_n(&c->source->stopped, 1, __ATOMIC_RELAXED);
    return __atomic_load_n(&c->source->stopped, __ATOMIC_RELAXED);
}

/* Takes a piece of the first pass: puts its edges into tiles, which are counted later, or, if there are none, counts them. */
static enum status take_piece(struct counting *c, int thread, const struct edge *edges, size_t count, struct error *e)
{
    if (has_tiles(c->degrees))
        return edge_tiles_add(&c->degrees->tiles, thread, edges, count, e);
    count_piece(c, edges, count);
    return e->status;
}

/* The visitor of the first pass: counts degrees, or keeps the edges as tiles; lists self-loops; counts edges between near ids, and sums up
 * both directions. From an id that comes too far on, edges of an open pipe are kept beside. */
static enum status visit_first(void *context, int thread, const struct edge *edges, size_t count, struct error *e)
{
    struct counting *c = context;
    struct counting_thread *t = &c->thread[thread];
    if (c->source != NULL && comes_too_far(c, edges, count))
        return edges_beside_add(&c->beside[thread], edges, count, e);
    const struct near_counts s = count_loops_and_near(edges, count, c->near);
    t->near_edges += (c->sparse == NULL ? s.near : near_originals(c, edges, count)) - s.loops;
    if (c->degrees->info.direction == EDGES_SYMMETRIC)
        sum_directions(t, edges, count);
    if (take_piece(c, thread, edges, count, e) == ST_OK && s.loops > 0)
        list_loops(c, &c->beside[thread].loops, edges, count, e);
    return e->status;
}

/* The visitor of further passes, which count the degrees of other windows. */
static enum status visit_later_pass(void *context, int thread, const struct edge *edges, size_t count, struct error *e)
{
    (void)thread;
    count_piece(context, edges, count);
    return e->status;
}

/* Sets degrees->near_edges to the sum over all threads and ranks. Of a pipe n, and so what is near, is known only when it is in tiles. */
static void sum_near_edges(struct counting *c, int threads, const struct comm *comm)
{
    uint64_t sum = 0;
    if (c->scanned)
        sum = edge_tiles_near(&c->degrees->tiles, threads, near_ids(c->degrees->totals.n));
    for (int i = 0; i < threads && !c->scanned; i++)
        sum += c->thread[i].near_edges;
    comm_sum_u64(comm, &sum, 1);
    c->degrees->near_edges = sum;
}

/* Merges the self-loops of all threads and ranks into degrees->loops. */
static enum status gather_loops(struct counting *c, int threads, const struct comm *comm, struct error *e)
{
    struct loops *loops = &c->degrees->loops;
    for (int i = 0; i < threads && e->status == ST_OK; i++)
        loops_merge(loops, &c->beside[i].loops, c->budget, e);
    if (comm_agree(comm, e) == ST_OK)
        loops_share(loops, comm, c->budget, e);
    return e->status;
}

/* Fails if the sums of all threads and ranks show that the stream is not symmetric. */
static enum status check_symmetry(const struct counting *c, int threads, const struct comm *comm,
                                  const char *name, struct error *e)
{
    uint64_t difference = 0;
    for (int i = 0; i < threads; i++)
        difference += c->thread[i].forward - c->thread[i].backward;
    comm_sum_u64(comm, &difference, 1);
    if (difference != 0)
        return fail(e, ST_BAD_DATA, "%s: says it is symmetric, but some edges lack their opposite: "
                    "'edgeconv -u' treats each line as one undirected edge", name);
    return ST_OK;
}

/* ---- when n is too large ---- */

/* Finds the largest id and the block where it first stands, block by block. */
static enum status find_largest(struct edges_reader *reader, uint64_t *largest, uint64_t *block_offset, struct error *e)
{
    struct edges_block block = {0};
    enum edges_direction direction = edges_reader_info(reader)->direction;
    struct edge *edges = malloc(EDGES_MAX_BLOCK_EDGES * sizeof *edges);
    size_t count;
    int end = 0;
    *largest = 0;
    if (edges == NULL)
        return fail_memory(e, "edge block", EDGES_MAX_BLOCK_EDGES * sizeof *edges);
    edges_block_init(&block, e);
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

/* The stream with the largest id, among those of this rank. */
static const struct edge_stream *find_stream(const struct edge_source *source)
{
    const struct edge_stream *largest = source->stream;
    for (size_t i = 1; i < source->count; i++) {
        if (source->stream[i].totals.max_id > largest->totals.max_id)
            largest = &source->stream[i];
    }
    return largest;
}

/* Replaces *e by a failure that says how much memory the degrees need, and where the largest id stands. */
static enum status too_many_vertices(struct edge_source *source, uint64_t left_bytes, struct error *e)
{
    char need[16], left[16];
    uint64_t largest = 0, offset = 0, n = source->totals.n;
    const struct edge_stream *stream = find_stream(source);
    struct edges_reader *reader = NULL;
    memset(e, 0, sizeof *e);
    if (edge_source_keep(source, NULL, e) == ST_OK && source->count > 0 &&
        edge_stream_open_reader(stream, &reader, e) == ST_OK)
        find_largest(reader, &largest, &offset, e);
    edges_reader_close(reader);
    return fail(e, ST_RESOURCE,
                "%s: degrees of %llu vertices need %s, and %s of the memory budget (-S) are left for "
                "them; the largest id is %llu, in the block at byte %llu%s",
                source->count > 0 ? stream->name : source->name, (unsigned long long)n,
                format_size(values_least_bytes(n), need, sizeof need),
                format_size(left_bytes, left, sizeof left), (unsigned long long)largest,
                (unsigned long long)offset,
                n / 2 > source->totals.edges
                    ? "; most ids have no edge: 'edgeconv --compact' numbers those that do" : "");
}

/* ---- the passes ---- */

/* Makes the first pass, which proves the totals, and sets what all threads and ranks have found. */
static enum status count_first(struct counting *c, struct edge_source *source, int threads, struct error *e)
{
    c->near = near_ids(c->degrees->totals.n);
    c->sparse = source->sparse;
    struct degrees *d = c->degrees;
    if (edge_source_first_scan(source, threads, visit_first, c, &d->own_edges, e) != ST_OK || source->stopped)
        return e->status;
    d->totals = source->totals;
    uint64_t records = d->totals.edges - d->totals.loops;
    d->directed_edges = d->info.direction == EDGES_SYMMETRIC ? records : 2 * records;
    if (gather_loops(c, threads, source->comm, e) != ST_OK)
        return e->status;
    return check_symmetry(c, threads, source->comm, source->name, e);
}

/* Counts the degrees from the tiles that the first pass has filled, if there are any. */
static enum status count_tiles(struct counting *c, int threads, struct error *e)
{
    struct edge_tiles *tiles = &c->degrees->tiles;
    if (has_tiles(c->degrees) && e->status == ST_OK && (c->scanned || edge_tiles_seal(tiles, e) == ST_OK))
        edge_tiles_degrees(tiles, threads, c->of);
    return e->status;
}

/* Makes the first pass over a pipe with an open end, into tiles. If it comes too far, keeps the pipe, and sets d->again. */
static enum status count_pipe(struct counting *c, struct edge_source *source, int threads, struct error *e)
{
    enum { LEAST_LIKELY = 1 << 18 };
    struct degrees *d = c->degrees;
    c->source = source;
    progress_stage("reading the pipe", 0, PROGRESS_ITEMS);
    if (edge_tiles_open_likely(&d->tiles, source->totals.n, larger(source->likely_ids, LEAST_LIKELY), d->info.direction, threads, c->budget,
                               e) == ST_RESOURCE) {
        *e = (struct error){0};
        d->again = 1;
        return edge_source_keep(source, NULL, e);
    }
    if (e->status != ST_OK ||
        count_first(c, source, threads, e) != ST_OK || edge_tiles_seal(&d->tiles, e) != ST_OK)
        return e->status;
    c->scanned = 1;
    d->again = source->stopped;
    return d->again ? taken_edges_keep(source, &d->tiles, c->beside, threads, e) : ST_OK;
}

/* Nonzero if a degree of 2^32 can be noticed only by the sum of all degrees. */
static int sums_up(const struct counting *c, const struct edge_source *source)
{
    return source->comm->ranks > 1 || has_tiles(c->degrees);
}

/* Adds up the degrees of this pass over all ranks, each of which has counted its share of the edges. */
static void share_degrees(struct counting *c, const struct edge_source *source, int threads)
{
    uint64_t count = c->degrees->of.values.bytes / sizeof *c->of, sum = 0;
    if (!sums_up(c, source))
        return;
    if (source->comm->ranks > 1)
        comm_sum_u32(source->comm, c->of, count);
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : sum)
    for (uint64_t i = 0; i < count; i++)
        sum += c->of[i];
    c->sum += sum;
}

/* Counts the degrees of all windows, two in each pass; every rank has them then. */
static enum status count_stream(struct counting *c, struct edge_source *source, int threads, struct error *e)
{
    struct vertex_values *v = &c->degrees->of.values;
    c->of = v->of;
    for (uint32_t w = 0; w < v->windows && e->status == ST_OK; w += 2) {
        c->first = window_begin(v, w);
        c->span = v->windows == 1 ? v->n : 2 * v->window;
        progress_stage("counting degrees", source->share_edges, PROGRESS_ITEMS);
        if (w == 0) {
            if (c->scanned || count_first(c, source, threads, e) == ST_OK)
                sum_near_edges(c, threads, source->comm);
            count_tiles(c, threads, e);
        } else {
            memset(v->of, 0, v->bytes);
            edge_source_scan(source, threads, visit_later_pass, c, e);
        }
        if (e->status == ST_OK)
            share_degrees(c, source, threads);
        /* a pass has counted windows w and w + 1 */
        for (uint32_t half = 0; half < 2 && v->windows > 1 && w + half < v->windows && e->status == ST_OK; half++)
            values_keep(v, w + half, (int)half, e);
        comm_agree(source->comm, e);
    }
    if (e->status == ST_OK &&
        (c->overflow || (sums_up(c, source) && c->sum != c->degrees->directed_edges)))
        fail(e, ST_RESOURCE, "%s: a vertex has 2^32 or more edges, and degrees are counted in 32 bits", source->name);
    return comm_agree(source->comm, e);
}

/* Opens the degrees, in windows if memory is short; fails on all ranks if even that is too much. */
static enum status open_values(struct degrees *d, struct edge_source *source,
                               const struct separation_options *o, struct memory_budget *budget,
                               struct error *e)
{
    const struct values_options values = {
        .n = d->ids,
        .granule = o->p,
        .most_bytes = comm_min_of(source->comm, memory_left(budget) / 2),
        .threads = o->threads,
        .spill = o->spill};
    int in_windows = o->spill != NULL && values_least_bytes(values.n) > values.most_bytes;
    if (in_windows || values_open(&d->of.values, &values, budget, e) == ST_RESOURCE)
        too_many_vertices(source, values.most_bytes, e);
    return comm_agree(source->comm, e);
}

/* The bytes of the tiles of one rank's edges; 0 if edges do not stay in memory under these options. */
uint64_t degrees_tiles_bytes(const struct edges_totals *totals, uint64_t share,
                             const struct separation_options *o, uint64_t left_bytes)
{
    /* the share is larger if blocks differ in length */
    uint64_t own = smaller(totals->edges, share + EDGES_MAX_BLOCK_EDGES);
    uint64_t bytes = edge_tiles_bytes(totals->n, own, o->threads), beside, all;
    if (o->beside_vertex == 0 || size_mul(totals->n, o->beside_vertex, &beside) ||
        size_add(bytes, beside, &all) || size_add(larger(all, o->edges_bytes), o->beside, &all) ||
        all > left_bytes)
        return 0;
    return bytes;
}

/* Opens the tiles if they fit the memory of all ranks; else has the source keep its streams for later passes. */
static enum status open_tiles(struct degrees *d, struct edge_source *source,
                              const struct separation_options *o, struct memory_budget *budget,
                              struct error *e)
{
    struct edges_totals totals = d->totals;
    totals.n = d->ids;
    uint64_t bytes = degrees_tiles_bytes(&totals, source->largest_share, o, memory_left(budget));
    if (has_tiles(d)) /* of a pipe (count_pipe), which cannot be read again for further windows of values */
        return d->of.values.windows == 1
                   ? e->status
                   : fail(e, ST_RESOURCE, "the degrees do not fit beside the edges of the pipe: a larger -S, or a file, would do");
    if (comm_min_of(source->comm, bytes) == 0 || d->of.values.windows > 1)
        return edge_source_keep_while_read(source, e);
    edge_tiles_open(&d->tiles, d->ids, source->share_edges, d->info.direction, o->threads, budget, e);
    return comm_agree(source->comm, e);
}

/* Opens what the counting needs, and counts; on failure the caller frees it. */
static enum status count_with(struct counting *c, struct edge_source *source,
                              const struct separation_options *o, struct error *e)
{
    struct degrees *d = c->degrees;
    d->info = source->info;
    if (source->open_ended && e->status == ST_OK && (count_pipe(c, source, o->threads, e) != ST_OK || d->again))
        return e->status;
    d->totals = source->totals;
    d->ids = edge_source_ids(source);
    if (comm_agree(source->comm, e) == ST_OK && open_values(d, source, o, c->budget, e) == ST_OK &&
        open_tiles(d, source, o, c->budget, e) == ST_OK) {
        count_stream(c, source, o->threads, e);
    }
    return e->status;
}

/* Counts the degree of every vertex. Collective: each rank counts its share of the edges, and gets all degrees. */
enum status degrees_count(struct degrees *d, struct edge_source *source,
                          const struct separation_options *o, struct memory_budget *budget,
                          struct error *e)
{
    struct counting c = {.degrees = d, .budget = budget};
    memset(d, 0, sizeof *d);
    c.thread = calloc((size_t)o->threads, sizeof *c.thread);
    c.beside = calloc((size_t)o->threads, sizeof *c.beside);
    if (c.thread == NULL || c.beside == NULL)
        fail_memory(e, "degrees", (uint64_t)o->threads * (sizeof *c.thread + sizeof *c.beside));
    int failed = count_with(&c, source, o, e) != ST_OK, again = d->again;
    if (failed || again) {
        degrees_free(d, budget);
        d->again = again && !failed;
    }
    for (int i = 0; c.beside != NULL && i < o->threads; i++)
        edges_beside_free(&c.beside[i], budget);
    free(c.beside);
    free(c.thread);
    return e->status;
}

/* The edges that were counted, for further passes. */
struct edge_supply degrees_edges(struct degrees *d, const struct edge_source *source)
{
    return (struct edge_supply){.source = source, .tiles = has_tiles(d) ? &d->tiles : NULL};
}

void degrees_free(struct degrees *d, struct memory_budget *budget)
{
    edge_tiles_close(&d->tiles);
    values_free(&d->of.values);
    loops_free(&d->loops, budget);
    memset(d, 0, sizeof *d);
}
