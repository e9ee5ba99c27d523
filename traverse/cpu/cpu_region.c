/* cpu_region.c: runs sparse levels by several threads, in a parallel region that spans several levels
 *
 * The vertices are divided into parts, one for each thread (cpu_bins.h). A level has two steps, each a run of the
 * thread pool:
 * 1. Threads push shares of the frontier. A thread puts every destination into its own bin for the destination's part,
 *    unless it did so before or the vertex was visited when it joined the region. Very long rows are put aside, and
 *    pushed in pieces.
 * 2. For each part a thread reads the bins of all threads. New vertices get visited bits, depths and parents, are
 *    counted, and become the list of the part. The lists of all parts are the next frontier.
 * So no vertex is claimed by an atomic operation, and no cache line of visited bits moves between cores while threads
 * write to it. For each vertex in a bin 4 bytes move from core to core, in sequence, or 8 with its parent.
 *
 * A vertex in a bin takes several times the work of an edge that a thread drops because it knows the vertex to be visited, but it does
 * not know all that others have visited. In graphs where many edges lead back (learns_parents), bins therefore always have parents, and
 * a thread marks those that it reads in step 2 as visited.
 *
 * A level of few edges takes little longer than the barriers of its two steps. So the thread that visits a part may push
 * what it found at once, which is step 1 of the next level: then that level has only step 2. Threads push into one set of
 * bins while they read the other. The pushes are in vain if the region ends, or if some part could not be pushed.
 *
 * A level of still fewer edges is run by the caller alone, as a sparse level, while the others spin: so a region goes on over such levels,
 * and need not begin again after them.
 *
 * The operating system may give a thread's core to another program. The other threads then push the shares that this
 * thread has not begun. If the caller visited all parts in more than MOST_LONELY_LEVELS levels in a row, or if it
 * had to wait for a thread that had begun a share (pool_late), the region ends, and one thread continues the
 * search. */
#include "cpu_rows.h"
#include "cpu_run.h"

#include "formats/base/arith.h"

#include <string.h>

enum {
    FEW_EDGES = 8192, /* in a level of at most so many edges, or EDGES_AHEAD a thread if more, threads push a level ahead */
    EDGES_AHEAD = 2048,
    MOST_LONELY_LEVELS = 8, /* the most levels in a row in which one thread may visit all parts */
    LEVELS_APART = 16       /* so many levels are not pushed ahead after one was pushed ahead in vain */
};

/* One thread of the parallel region. What other threads read changes seldom, and so its cache line stays in their caches. */
struct region_thread {
    _Alignas(APART) int parts[BIN_SETS]; /* number of parts for which each set of the thread's bins has heads; 0: no heads are valid */
    int has_joined;                   /* 1: the bitmaps `found` are valid */
    uint64_t *found[VERTEX_KINDS];    /* bitmaps of what was visited when the thread joined the region, is in its bins, or was a parent in
                                       * bins that it read */
    _Alignas(APART) uint32_t level[BIN_SETS]; /* number of the last level that the thread pushed into each set of its bins; 0: none */
    uint64_t edges_ahead;             /* of the parts that the thread has visited in this level, if it pushes ahead */
};

/* A part of the vertices, with its share of the frontier. The first cache line has what run_level_by_threads reads of each level. */
struct part {
    _Alignas(APART) uint64_t edges[SUBGRAPHS]; /* about how many edges the vertices have in each subgraph */
    uint32_t rows[SUBGRAPHS];      /* number of vertices that have such edges */
    uint32_t count[VERTEX_KINDS];  /* number of vertices of each kind */
    int visitor;                   /* the thread that visited the vertices */
    int is_pushed;                 /* 1: this thread has pushed them, too */
    uint32_t *list[VERTEX_KINDS];  /* the vertices */
};

/* A parallel region, as its threads share it. */
struct region {
    _Alignas(APART) struct device *dev; /* what threads read in each level is on this cache line */
    struct search_state *state;
    int32_t depth;    /* of what this level finds */
    int threads;      /* number of threads in this level, and of parts of what it finds */
    int old_parts;    /* number of parts of the last level, whose lists are the frontier */
    uint32_t block_bits; /* log2 of the number of vertices in a block of a part */
    uint32_t level;         /* number of this level in the region; it grows, but not always by 1 */
    int learns;             /* 1: threads mark the parents in bins in their bitmaps `found` */
    int set;                /* the set of bins with what this level's frontier reaches */
    int is_pushed;          /* 1: the frontier was pushed when it was found, so the level has only step 2 */
    int pushes_ahead;       /* 1: in step 2 threads push what they find into the other set of bins */
    uint64_t most_ahead;    /* the most edges of this level's frontier with which they do so; what one part finds may have 2 / threads of
                             * it */
    uint32_t levels_apart;  /* in how many further levels no thread pushes ahead */
    uint32_t vertices[VERTEX_KINDS]; /* number of vertices of each kind in the graph */
    uint32_t lonely_levels; /* in how many levels, up to the last, the caller visited all parts */
    _Alignas(APART) uint64_t shares[VERTEX_KINDS]; /* number of shares of the frontier of each kind */
    uint64_t before[VERTEX_KINDS][MOST_REGION_THREADS + 1]; /* [part] number of the frontier's vertices in all earlier
                                                             * parts */
    struct part parts[MOST_REGION_THREADS];
    struct region_thread thread[MOST_REGION_THREADS];
    struct long_rows aside; /* very long rows, which are pushed at the end of step 1 */
};

/* Returns the number of vertices of one kind (normals or delegates) in the frontier. */
static uint64_t frontier_size(const struct region *r, enum vertex_kind kind)
{
    return r->before[kind][r->old_parts];
}

/* Returns the index of a bin in each thread's bins: the bin for part number `part` of the normals or delegates (`kind`). */
static int bin_number(const struct region *r, enum vertex_kind kind, int part)
{
    return (int)kind * r->threads + part;
}

/* ---- step 1: pushes into bins ---- */

/* Prepares a thread for its first push of level number `level` into a set of its bins: empties the set, and makes heads for all parts
 * if it has none. Does nothing before later pushes. */
static void begin_pushes(struct region *r, int number, int set, uint32_t level)
{
    struct region_thread *t = &r->thread[number];
    if (t->level[set] == level)
        return;
    struct bins *bins = bins_of_thread(r->dev, number, set);
    t->level[set] = level;
    empty_bins(bins, VERTEX_KINDS * r->threads);
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        for (int i = 0; i < r->threads && r->vertices[kind] > 0; i++)
            prefetch_to_write(bin_head(bins, bin_number(r, (enum vertex_kind)kind, i)));
    }
    for (int i = 0; t->parts[set] != r->threads && i < VERTEX_KINDS * r->threads; i++)
        bin_head(bins, i)->level = 0;
    t->parts[set] = r->threads;
}

/* Prepares a thread for step 1: copies the visited bits to its bitmaps `found` if these are not valid, and calls begin_pushes.
 * The copy is not renewed, so a vertex that was visited since may still go into a bin, and step 2 drops it. */
static void join_level(struct region *r, int number)
{
    struct region_thread *t = &r->thread[number];
    const struct device *dev = r->dev;
    if (!t->has_joined) {
        t->has_joined = 1;
        memcpy(t->found[DELEGATES], dev->delegates.visited, mask_words(dev->shard->d) * sizeof(uint64_t));
        memcpy(t->found[NORMALS], dev->normals.visited, mask_words(dev->shard->locals) * sizeof(uint64_t));
    }
    begin_pushes(r, number, r->set, r->level);
}

/* Pushes the rows list[0..count) along subgraph g into a set of the bins of thread `number`, and puts very long rows aside. If
 * `count` is 0, pushes *part, a part of one row, instead. */
static void push_into_bins(struct region *r, int number, int set, enum subgraph g, const uint32_t *list, uint64_t count,
                           const struct row_part *part)
{
    uint32_t waiting[WAITING_CAPACITY], parents[WAITING_CAPACITY]; /* vertices that wait to go into the bins; small
                                                                    * arrays, so that they stay in the cache */
    const struct region_thread *t = &r->thread[number];
    struct bins *bins = bins_of_thread(r->dev, number, set);
    struct row_push p = describe_push(r->dev, g);
    p.rows = list;
    p.row_count = count;
    if (count == 0)
        p.part = *part;
    p.aside = &r->aside;
    p.to.parents = r->dev->parents || r->learns;
    p.to.kind = p.even.near ? PUSH_BINS_NOW : PUSH_BINS_LATER;
    p.to.next = waiting;
    p.to.next_parents = parents;
    p.to.found = t->found[subgraph_columns(g)];
    p.to.bins = (struct part_bins){.pool = &bins->pool,
                                   .end = &bins->end[bin_number(r, subgraph_columns(g), 0)],
                                   .last_part = (uint32_t)r->threads - 1,
                                   .block_bits = r->block_bits};
    push_rows(&p, 0);
    for (int i = bin_number(r, subgraph_columns(g), 0), last = i + r->threads; i < last; i++) {
        if (bins->end[i] != bin_begin(bins, i))
            *bin_head(bins, i) = (struct bin_head){bins->end[i], t->level[set]};
    }
}

/* Pushes share i of the frontier along both subgraphs of its kind, as thread `number`. Shares of delegates come first. To
 * make shares, the lists of all parts are joined in order, and divided equally. The shares that the pool gives to a thread
 * are neighbours, mostly of one part, so the thread has their rows in its cache from earlier searches. Any share may be the
 * thread's first in this level, so each calls join_level. Threads of the pool run this in step 1; `context` is the region. */
static uint64_t push_share(void *context, int number, uint64_t i)
{
    struct region *r = context;
    enum vertex_kind kind = i < r->shares[DELEGATES] ? DELEGATES : NORMALS;
    const uint64_t *before = r->before[kind], size = frontier_size(r, kind);
    uint64_t threads = (uint64_t)r->threads, each = r->shares[kind] / threads;
    i -= kind == NORMALS ? r->shares[DELEGATES] : 0;
    /* the pieces of a thread have numbers that differ by `threads`, and become neighbouring shares */
    int share = each > 0 ? (int)(i % threads * each + i / threads) : (int)i;
    uint64_t begin = share_begin(size, (int)r->shares[kind], share);
    uint64_t end = share_begin(size, (int)r->shares[kind], share + 1);
    join_level(r, number);
    for (int part = 0; part < r->old_parts && before[part] < end; part++) {
        uint64_t count = before[part + 1] - before[part];
        uint64_t first = begin > before[part] ? begin - before[part] : 0;
        uint64_t last = end - before[part] < count ? end - before[part] : count;
        for (int to = VERTEX_KINDS; to-- > 0 && first < last;) {
            enum subgraph g = subgraph_between(kind, (enum vertex_kind)to);
            if (r->dev->frontier_rows[g] > 0)
                push_into_bins(r, number, r->set, g, r->parts[part].list[kind] + first, last - first, NULL);
        }
    }
    return 0;
}

/* Pushes a piece of the rows that were put aside. Threads of the pool run this in step 1; `context` is the region. */
static uint64_t push_piece_aside(void *context, int number, uint64_t piece)
{
    struct region *r = context;
    struct row_part part = long_piece(&r->aside, piece);
    join_level(r, number);
    push_into_bins(r, number, r->set, part.g, NULL, 0, &part);
    return 0;
}

/* ---- step 2: visits of the vertices in bins ---- */

/* Prefetches the cache lines from `at` to `end`. Inlined always: a compiler may drop calls of functions that only prefetch. */
static inline __attribute__((always_inline)) void prefetch_lines(const uint32_t *at, const uint32_t *end)
{
    enum { LINE = 16 };
    for (; at < end; at += LINE)
        __builtin_prefetch(at);
}

/* Returns the first vertex in a bin of thread i for this level, and sets *end to the end of the bin; NULL if there is none. */
static inline const uint32_t *filled_bin(const struct region *r, int i, int bin, const uint32_t **end)
{
    const struct bins *bins = bins_of_thread(r->dev, i, r->set);
    const struct bin_head *head = bin_head(bins, bin);
    *end = head->end;
    return r->thread[i].parts[r->set] == r->threads && head->level == r->level ? bin_begin(bins, bin) : NULL;
}

/* Appends the unvisited vertices of a bin's chunk, at..end, to the list t->next, which has `count` vertices, and marks them as visited.
 * With `parents` also lists their parents. If `known` is not NULL, marks the parents of all vertices of the chunk in it. With either, the
 * chunk has pairs of a vertex and its parent. Returns the new length of the list. */
static inline __attribute__((always_inline)) uint64_t visit_chunk(const struct push_targets *t, const uint32_t *at, const uint32_t *end,
                                                                  uint64_t count, int parents, uint64_t *known)
{
    prefetch_lines(at, end);
    for (; at < end; at += 1 + (parents || known != NULL)) {
        uint32_t to = at[0];
        uint64_t word = t->found[to / 64], is_new = ~word >> (to % 64) & 1;
        t->next[count] = to;
        t->found[to / 64] = word | UINT64_C(1) << (to % 64);
        if (parents)
            t->next_parents[count] = at[1];
        if (known != NULL)
            set_mask_bit(known, at[1]);
        count += is_new;
    }
    return count;
}

/* Returns a list of a part's vertices of one kind, in the memory of the thread with the part's number. `which` is 0 or 1 for
 * the part's frontier after a level of even or odd number, and 2 for the parents of the list that is being made. */
static uint32_t *part_list(const struct device *dev, int part, enum vertex_kind kind, uint32_t which)
{
    uint32_t *lists = (uint32_t *)(dev->per_thread.lists + (size_t)part * dev->per_thread.list_bytes);
    lists += kind == NORMALS ? region_list_capacity(dev->shard->d) * (dev->parents ? 3 : 2) : 0;
    return lists + which * region_list_capacity(kind == DELEGATES ? dev->shard->d : dev->shard->locals);
}

/* Visits the new vertices of one kind in part `number`, from the bins of all threads: they get visited bits, depths and parents, become the
 * list of the part, and are counted as rows of both subgraphs. `thread` marks the parents that it reads (r->learns). */
IN_TWO_VERSIONS static void visit_bins(struct region *r, int thread, int number, enum vertex_kind kind)
{
    struct device *dev = r->dev;
    struct part *part = &r->parts[number];
    struct push_targets t = describe_push(dev, subgraph_between(NORMALS, kind)).to;
    uint64_t count = 0, *known = r->thread[thread].found[NORMALS];
    int bin = bin_number(r, kind, number);
    t.next = part_list(dev, number, kind, r->level % 2);
    t.next_parents = dev->parents ? part_list(dev, number, kind, 2) : NULL;
    for (int i = 0; i < r->threads; i++) {
        const uint32_t *bin_end, *next, *chunk = filled_bin(r, i, bin, &bin_end), *later_end;
        const uint32_t *later = i + 1 < r->threads ? filled_bin(r, i + 1, bin, &later_end) : NULL;
        if (later != NULL) /* the lines of the next bin, which another core has written, come while this bin is visited */
            prefetch_lines(later, end_of_chunk(later, later_end, &next));
        for (; chunk != NULL; chunk = next) {
            const uint32_t *end = end_of_chunk(chunk, bin_end, &next);
            if (r->learns)
                count = t.parents ? visit_chunk(&t, chunk, end, count, 1, known) : visit_chunk(&t, chunk, end, count, 0, known);
            else
                count = t.parents ? visit_chunk(&t, chunk, end, count, 1, NULL) : visit_chunk(&t, chunk, end, count, 0, NULL);
        }
    }
    set_depths(t.next, count, kind == DELEGATES ? dev->delegates.depth : dev->normals.depth, r->depth);
    write_parents(&t, 0, count);
    for (int to = 0; to < VERTEX_KINDS; to++) {
        enum subgraph g = subgraph_between(kind, (enum vertex_kind)to);
        struct row_count sums = {0};
        if (dev->shard->csr[g].edges > 0)
            sums = count_sparse(dev, g, t.next, count);
        part->rows[g] = (uint32_t)sums.rows;
        part->edges[g] = sums.edges;
    }
    part->list[kind] = t.next;
    part->count[kind] = (uint32_t)count;
}

/* Pushes the vertices of a part, which thread `number` has just visited, into the thread's other set of bins, for the next level. Does
 * nothing if the thread has not joined the region (it cannot copy visited bits while others set them), if the vertices have too many edges
 * for one thread, or if all that the thread visits in this level might not fit into the set. */
static void push_ahead(struct region *r, int number, struct part *part)
{
    const int set = !r->set;
    struct region_thread *t = &r->thread[number];
    uint64_t edges = 0;
    for (int g = 0; g < SUBGRAPHS; g++)
        edges += part->edges[g];
    t->edges_ahead = edges + (t->level[set] == r->level + 1 ? t->edges_ahead : 0);
    part->is_pushed = t->has_joined && edges <= 2 * r->most_ahead / (uint64_t)r->threads && t->edges_ahead <= PUSHED_AHEAD;
    if (!part->is_pushed)
        return;
    begin_pushes(r, number, set, r->level + 1);
    for (int i = 0; i < SUBGRAPHS; i++) {
        const enum subgraph g = (enum subgraph)i;
        const enum vertex_kind kind = subgraph_rows(g);
        if (part->rows[g] > 0)
            push_into_bins(r, number, set, g, part->list[kind], part->count[kind], NULL);
    }
}

/* Visits the new vertices of a part, and pushes them if the level pushes ahead. Prefetches the first line of the bins of all threads,
 * because they are in the caches of other cores. Threads of the pool run this in step 2; `context` is the region. */
static uint64_t visit_part(void *context, int thread, uint64_t part)
{
    struct region *r = context;
    static const enum vertex_kind order[VERTEX_KINDS] = {NORMALS, DELEGATES};
    prefetch_to_write(&r->parts[part]);
    for (int k = 0; k < VERTEX_KINDS; k++) {
        for (int i = 0; r->vertices[order[k]] > 0 && i < r->threads; i++)
            __builtin_prefetch(bin_head(bins_of_thread(r->dev, i, r->set), bin_number(r, order[k], (int)part)));
    }
    for (int k = 0; k < VERTEX_KINDS; k++) {
        if (r->vertices[order[k]] > 0)
            visit_bins(r, thread, (int)part, order[k]);
    }
    r->parts[part].visitor = thread;
    if (r->pushes_ahead)
        push_ahead(r, thread, &r->parts[part]);
    return 0;
}

/* ---- levels ---- */

/* Makes the lists of the first `parts` parts the frontier, and adds up how many vertices come before each part (`before`). */
static void add_up_parts(struct region *r, int parts)
{
    r->old_parts = parts;
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        r->before[kind][0] = 0;
        for (int i = 0; i < parts; i++)
            r->before[kind][i + 1] = r->before[kind][i] + r->parts[i].count[kind];
    }
}

/* Step 1: pushes the frontier into bins by as many threads as choose_level has chosen. */
static void push_frontier(struct region *r)
{
    enum { LEAST_ROWS = 16, SHARES_OF_THREAD = 8 };
    struct device *dev = r->dev;
    uint64_t threads = (uint64_t)r->state->region_threads, most = threads * SHARES_OF_THREAD;
    r->threads = (int)threads;
    r->block_bits = choose_block_bits(most_rows(dev), threads);
    r->learns = learns_parents(dev, r->threads);
    r->set = 0; /* only this set of bins has space for any level */
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        /* Each thread gets equally many shares, of LEAST_ROWS rows or more if it has several. It gets one even if there are fewer rows
         * than threads: a thread that has not joined the region cannot push ahead. */
        uint64_t of_kind = smaller(frontier_size(r, (enum vertex_kind)kind) / LEAST_ROWS, most);
        r->shares[kind] = frontier_size(r, (enum vertex_kind)kind) > 0 ? larger(threads, of_kind - of_kind % threads) : 0;
    }
    uint64_t shares = r->shares[DELEGATES] + r->shares[NORMALS];
    pool_run(dev->means.pool, r->threads, shares, push_share, r);
    uint64_t long_pieces = number_long_pieces(&r->aside);
    if (long_pieces > 0)
        pool_run(dev->means.pool, r->threads, long_pieces, push_piece_aside, r);
    r->aside.count = 0;
}

/* Step 2: visits what is in the bins. Afterwards r->is_pushed says whether all that was found has been pushed, too. If only some
 * of it was, the bitmaps `found` have vertices that are in no bin, so each thread must join the region again. */
static void visit_found(struct region *r)
{
    r->most_ahead = larger(FEW_EDGES, EDGES_AHEAD * (uint64_t)r->threads);
    r->levels_apart -= r->levels_apart > 0;
    r->pushes_ahead = r->levels_apart == 0 && r->state->region_threads == r->threads && r->state->edges <= r->most_ahead;
    pool_run(r->dev->means.pool, r->threads, (uint64_t)r->threads, visit_part, r);
    r->is_pushed = r->pushes_ahead && r->aside.count == 0;
    for (int i = 0; i < r->threads && r->is_pushed; i++)
        r->is_pushed = r->parts[i].is_pushed;
    if (r->is_pushed || !r->pushes_ahead)
        return;
    r->aside.count = 0;
    r->levels_apart = LEVELS_APART;
    r->level += 2; /* the heads of what was pushed ahead have the number of the next level; lists go by its parity */
    for (int i = 0; i < r->threads; i++)
        r->thread[i].has_joined = 0;
}

/* Copies the frontier's vertices of one kind from the parts to one list. Returns their number. */
static uint64_t join_parts(const struct region *r, enum vertex_kind kind, uint32_t *list)
{
    for (int i = 0; i < r->old_parts; i++) {
        const struct part *part = &r->parts[i];
        if (part->count[kind] > 0) /* the list of part 0 may be `list` itself (begin_parts) */
            memmove(list + r->before[kind][i], part->list[kind], part->count[kind] * sizeof *list);
    }
    return frontier_size(r, kind);
}

/* Makes the lists of all parts the sparse frontier of the device. */
static void end_parts(const struct region *r)
{
    struct device *dev = r->dev;
    dev->delegates.frontier_count = join_parts(r, DELEGATES, dev->delegates.sparse);
    dev->normals.sparse_count = join_parts(r, NORMALS, dev->normals.sparse);
}

/* Gives part 0 the whole sparse frontier of the device. */
static void begin_parts(struct region *r)
{
    const struct device *dev = r->dev;
    r->parts[0].list[DELEGATES] = dev->delegates.sparse;
    r->parts[0].list[NORMALS] = dev->normals.sparse;
    r->parts[0].count[DELEGATES] = (uint32_t)dev->delegates.frontier_count;
    r->parts[0].count[NORMALS] = (uint32_t)dev->normals.sparse_count;
    add_up_parts(r, 1);
}

/* Runs a level by several threads: pushes the frontier, unless the last level has pushed it already, makes what was found the frontier,
 * and counts it. Counts the levels in a row in which the caller visited all parts (lonely_levels). */
static void run_level_by_threads(struct region *r)
{
    struct device *dev = r->dev;
    r->level++;
    r->depth = dev->depth + 1;
    if (r->is_pushed)
        r->set = !r->set;
    else
        push_frontier(r);
    visit_found(r);
    dev->depth = r->depth;
    int visited_by_others = 0;
    uint64_t rows[SUBGRAPHS] = {0}, edges[SUBGRAPHS] = {0};
    for (int i = 0; i < r->threads; i++) {
        visited_by_others |= r->parts[i].visitor;
        for (int g = 0; g < SUBGRAPHS; g++) {
            rows[g] += r->parts[i].rows[g];
            edges[g] += r->parts[i].edges[g];
        }
    }
    r->lonely_levels = visited_by_others ? 0 : r->lonely_levels + 1;
    for (int g = 0; g < SUBGRAPHS; g++) {
        dev->frontier_rows[g] = rows[g];
        dev->frontier_edges[g] = edges[g];
        dev->unvisited[g] -= rows[g];
    }
    add_up_parts(r, r->threads);
}

/* Runs a level, by the caller alone if region_threads is 1 and the frontier has not been pushed yet, and chooses the next level. The
 * bitmaps `found` then lack what the caller finds. They stay valid: such vertices may go into bins again, and step 2 drops them. */
static void run_region_level(struct region *r)
{
    if (r->state->region_threads == 1 && !r->is_pushed) {
        end_parts(r);
        run_sparse_level(r->dev);
        begin_parts(r);
    } else {
        run_level_by_threads(r);
    }
    choose_level(r->dev, r->state, frontier_size(r, DELEGATES), frontier_size(r, NORMALS));
}

/* Runs levels in a parallel region while choose_level chooses LEVEL_REGION (cpu_run.h). */
int run_levels_in_region(struct device *dev, struct search_state *state)
{
    struct region r; /* not all of it is set here: clearing the whole struct takes as long as some levels */
    const uint64_t late = pool_late(dev->means.pool);
    int lacks_cores;
    make_frontier_sparse(dev);
    r.dev = dev;
    r.state = state;
    r.level = r.lonely_levels = r.levels_apart = 0;
    r.vertices[DELEGATES] = (uint32_t)dev->shard->d;
    r.vertices[NORMALS] = (uint32_t)dev->shard->locals;
    r.is_pushed = 0;
    r.aside.count = 0;
    for (int i = 0; i < state->threads; i++) {
        r.thread[i].has_joined = 0; /* visit_bins marks bits of `found` before that, too; join_level overwrites them */
        r.thread[i].found[DELEGATES] = dev->per_thread.bitmaps + (size_t)i * dev->per_thread.bitmap_words;
        r.thread[i].found[NORMALS] = r.thread[i].found[DELEGATES] + mask_words(dev->shard->d);
        memset(r.thread[i].level, 0, sizeof r.thread[i].level);
        memset(r.thread[i].parts, 0, sizeof r.thread[i].parts);
    }
    memset(r.parts, 0, (size_t)state->threads * sizeof r.parts[0]);
    begin_parts(&r);
    do {
        run_region_level(&r);
        lacks_cores = r.lonely_levels > MOST_LONELY_LEVELS || pool_late(dev->means.pool) != late;
    } while (state->kind == LEVEL_REGION && state->local_levels <= 1 && !lacks_cores);
    end_parts(&r);
    return lacks_cores;
}
