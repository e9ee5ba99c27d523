/* cpu_region.c: levels by lists, done by several threads; cpu_list.c does them by one thread
 *
 * The vertices are divided into parts, called owners, in blocks by id. A level has two steps, each a run of the thread pool:
 * 1. The frontier is cut into pieces. A thread that pushes a piece puts every destination into its own bin
 *    for the owner, except those that it has put there before or that were visited when it joined the parallel region.
 *    Very long rows are put aside, and cut into pieces of their own.
 * 2. A thread takes an owner and reads the bins that all threads have for it. New vertices get marks,
 *    depths and parents, are counted, and become the owner's part of the next frontier.
 * So no thread claims a vertex by an atomic operation, and no cache line of marks moves between cores while it is written.
 * Bytes that cross from core to core: 4 for each vertex and thread, 8 with parents, in sequence.
 *
 * Nobody waits for a thread that has no core: the others do the pieces that it does not take. If a thread
 * stays alone for some levels, or one that had begun kept the others waiting, the parallel region ends, and one thread
 * goes on.
 */
#include "cpu_rows.h"
#include "cpu_run.h"

#include <string.h>

enum {
    PIECE_ROWS = 64,      /* of a piece, at least */
    PIECES_OF_THREAD = 3, /* pieces for each thread, at most */
    LONELY_LEVELS = 8     /* in a row that one thread did alone, after which the parallel region ends */
};

/* The state of a thread of the parallel region. */
struct region_thread {
    _Alignas(64) uint32_t level;   /* the last one of the parallel region in which it took part; 0: none */
    uint64_t *seen[VERTEX_KINDS];  /* visited when it came, or put into a bin by this thread */
    struct bins *bins;             /* of delegates by owner, then of normals */
};

/* The part of the frontier that an owner has. */
struct part {
    _Alignas(64) uint32_t *list[VERTEX_KINDS];
    uint64_t count[VERTEX_KINDS];
    uint64_t rows[SUBGRAPHS], edges[SUBGRAPHS]; /* sources among them, and their edges */
};

struct region {
    struct device *dev;
    struct search_state *state;
    int threads, last_threads; /* of this level, of the one before */
    uint32_t owned_bits; /* log2 of the vertices in a block of an owner's */
    uint32_t level, lonely_levels;
    uint64_t shares[VERTEX_KINDS]; /* of the frontier of each kind */
    uint64_t before[VERTEX_KINDS][MOST_REGION_THREADS + 1]; /* vertices of the frontier in the parts before each */
    struct part parts[MOST_REGION_THREADS];
    struct region_thread thread[MOST_REGION_THREADS];
    struct long_rows aside;
};

static uint64_t vertices_of(const struct device *dev, enum vertex_kind kind)
{
    return kind == DELEGATES ? dev->shard->d : dev->shard->locals;
}

/* The number of a bin. */
static int bin_of(const struct region *c, enum vertex_kind kind, int owner)
{
    return (int)kind * c->threads + owner;
}

/* ---- step 1 ---- */

/* Where vertices wait for the bins of a thread: too few to leave its cache. */
struct waiting_room {
    uint32_t vertices[WAITING_ROOM], parents[WAITING_ROOM];
};

/* Describes a push along g by a thread: what it finds goes into its bins. */
static struct row_push describe_region_push(struct region *c, int number, enum subgraph g, struct waiting_room *capacity)
{
    struct row_push p = describe_push(c->dev, g);
    const struct region_thread *t = &c->thread[number];
    uint32_t **at = &t->bins->at[bin_of(c, subgraph_columns(g), 0)];
    p.to.marks = p.even.near ? MARK_KNOWN : MARK_BINS;
    p.to.next = capacity->vertices;
    p.to.from = capacity->parents;
    p.to.marked = t->seen[subgraph_columns(g)];
    p.to.bins = (struct owner_bins){t->bins, at, (uint32_t)c->threads - 1, c->owned_bits};
    p.aside = &c->aside;
    return p;
}

static void push_list_of_region(struct region *c, int number, enum subgraph g, const uint32_t *list, uint64_t count)
{
    struct waiting_room capacity;
    struct row_push p = describe_region_push(c, number, g, &capacity);
    p.rows = list;
    p.row_count = count;
    push_rows_of(&p, 0);
}

static uint64_t frontier_size(const struct region *c, enum vertex_kind kind)
{
    return c->before[kind][c->last_threads];
}

static void add_up_parts(struct region *c)
{
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        uint64_t before = 0;
        for (int i = 0; i < c->last_threads; i++) {
            c->before[kind][i] = before;
            before += c->parts[i].count[kind];
        }
        c->before[kind][c->last_threads] = before;
    }
}

/* Pushes a share of the frontier of one kind, along both subgraphs. The parts of all threads, one behind the
 * other, are cut into equal shares. */
static void push_share(struct region *c, int number, enum vertex_kind kind, int share)
{
    uint64_t size = frontier_size(c, kind);
    uint64_t begin = share_begin(size, (int)c->shares[kind], share);
    uint64_t end = share_begin(size, (int)c->shares[kind], share + 1);
    for (int i = 0; i < c->last_threads && c->before[kind][i] < end; i++) {
        uint64_t before = c->before[kind][i], count = c->before[kind][i + 1] - before;
        uint64_t first = begin > before ? begin - before : 0;
        uint64_t last = end - before < count ? end - before : count;
        for (int to = VERTEX_KINDS; to-- > 0 && first < last;) {
            enum subgraph g = subgraph_between(kind, (enum vertex_kind)to);
            if (c->dev->frontier[g] > 0)
                push_list_of_region(c, number, g, c->parts[i].list[kind] + first, last - first);
        }
    }
}

/* The list of an owner for the vertices of a level, or for their parents. */
static uint32_t *owner_list(const struct region *c, int owner, enum vertex_kind kind, uint32_t which)
{
    const struct device *dev = c->dev;
    uint32_t *at = (uint32_t *)(dev->region.lists + (size_t)owner * dev->region.list_bytes);
    at += kind == NORMALS ? region_list_capacity(dev->shard->d) * (dev->parents ? 3 : 2) : 0;
    return at + which * region_list_capacity(vertices_of(dev, kind));
}

/* Lets a thread take part in a level. It copies the marks the first time. So it may put a vertex into a bin that
 * was visited since; the owner drops that vertex. */
static void come(struct region *c, int number)
{
    struct region_thread *t = &c->thread[number];
    const struct device *dev = c->dev;
    uint64_t delegates = mask_words(dev->shard->d), normals = mask_words(dev->shard->locals);
    if (t->level == c->level)
        return;
    if (t->level == 0) {
        t->seen[DELEGATES] = dev->region.seen + (size_t)number * dev->region.seen_words;
        t->seen[NORMALS] = t->seen[DELEGATES] + delegates;
        memcpy(t->seen[DELEGATES], dev->delegates.visited, delegates * sizeof *dev->region.seen);
        memcpy(t->seen[NORMALS], dev->normals.visited, normals * sizeof *dev->region.seen);
    }
    t->level = c->level;
    t->bins = bins_of(dev, number);
    open_bins(t->bins, VERTEX_KINDS * c->threads);
}

/* The pieces of a thread are `threads` apart, and its shares lie side by side, mostly in the part
 * that it found. So the rows that it reads are in its cache from search to search. */
static uint64_t push_piece_of_region(void *context, int number, uint64_t i)
{
    struct region *c = context;
    enum vertex_kind kind = i < c->shares[DELEGATES] ? DELEGATES : NORMALS;
    uint64_t threads = (uint64_t)c->threads, each = c->shares[kind] / threads;
    i -= kind == NORMALS ? c->shares[DELEGATES] : 0;
    come(c, number);
    push_share(c, number, kind, each > 0 ? (int)(i % threads * each + i / threads) : (int)i);
    return 0;
}

static uint64_t push_long_piece(void *context, int number, uint64_t piece)
{
    struct region *c = context;
    come(c, number);
    struct row_part part = long_piece(&c->aside, piece);
    struct waiting_room capacity;
    struct row_push p = describe_region_push(c, number, part.g, &capacity);
    p.row_count = 0;
    p.part = part;
    return push_rows_of(&p, 0);
}

static void push_long_rows(struct region *c)
{
    uint64_t pieces = number_long_pieces(&c->aside);
    if (pieces > 0)
        pool_run(c->dev->means.pool, c->threads, pieces, push_long_piece, c);
    c->aside.count = 0;
}

/* ---- step 2 ---- */

/* Adds new destinations of a chunk to the owner's next list. Returns how many it has then. */
static inline __attribute__((always_inline)) uint64_t
reach_chunk(const struct push_targets *t, const uint32_t *from, const uint32_t *end, uint64_t count,
            int parents)
{
    for (const uint32_t *line = from; line < end; line += 16) /* lines in another core's cache */
        __builtin_prefetch(line);
    for (; from < end; from += 1 + parents) {
        uint32_t to = from[0];
        uint64_t word = t->marked[to / 64], is_new = ~word >> (to % 64) & 1;
        t->next[count] = to;
        t->marked[to / 64] = word | UINT64_C(1) << (to % 64);
        if (parents)
            t->from[count] = from[1];
        count += is_new;
    }
    return count;
}

static uint64_t reach_bin(const struct push_targets *t, const uint32_t *chunk, const uint32_t *at,
                          uint64_t count)
{
    for (const uint32_t *next; chunk != NULL; chunk = next) {
        const uint32_t *end = end_of_chunk(chunk, at, &next);
        count = t->parents ? reach_chunk(t, chunk, end, count, 1)
                                  : reach_chunk(t, chunk, end, count, 0);
    }
    return count;
}

static void reach_kind(struct region *c, int owner, enum vertex_kind kind)
{
    struct device *dev = c->dev;
    struct part *part = &c->parts[owner];
    int32_t *depth = kind == DELEGATES ? dev->delegates.depth : dev->normals.depth;
    struct push_targets t = describe_push(dev, subgraph_between(NORMALS, kind)).to;
    uint64_t count = 0;
    int bin = bin_of(c, kind, owner);
    t.next = owner_list(c, owner, kind, c->level % 2);
    t.from = dev->parents ? owner_list(c, owner, kind, 2) : NULL;
    for (int i = 0; i < c->threads; i++) {
        if (c->thread[i].level == c->level)
            count = reach_bin(&t, bin_begin(c->thread[i].bins, bin), c->thread[i].bins->at[bin], count);
    }
    mark_depths(t.next, count, depth, dev->depth + 1);
    settle_parents(&t, 0, count);
    for (int to = 0; to < VERTEX_KINDS; to++) {
        enum subgraph g = subgraph_between(kind, (enum vertex_kind)to);
        struct row_count sources = {0};
        if (dev->shard->csr[g].edges > 0)
            sources = count_listed(dev, g, t.next, count);
        part->rows[g] = sources.rows;
        part->edges[g] = sources.edges;
    }
    part->list[kind] = t.next;
    part->count[kind] = count;
}

/* Prefetches the bins of all threads, as they lie in the caches of other cores.
 * Always inlined, as a compiler may drop calls that only prefetch. */
static inline __attribute__((always_inline)) void
prefetch_bins(const struct region *c, enum vertex_kind kind, int owner)
{
    enum { LINE = 16, LINES = 3 };
    for (int i = 0; i < c->threads; i++) {
        const struct bins *bins = bins_of(c->dev, i);
        const uint32_t *bin = bin_begin(bins, bin_of(c, kind, owner));
        __builtin_prefetch(&c->thread[i].level);
        __builtin_prefetch(&bins->at[bin_of(c, kind, owner)]);
        for (int line = 0; line < LINES; line++)
            __builtin_prefetch(bin + line * LINE);
    }
}

static uint64_t reach_part(void *context, int thread, uint64_t owner)
{
    struct region *c = context;
    const uint64_t vertices[] = {[DELEGATES] = c->dev->shard->d, [NORMALS] = c->dev->shard->locals};
    (void)thread;
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        if (vertices[kind] > 0)
            prefetch_bins(c, (enum vertex_kind)kind, (int)owner);
    }
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        if (vertices[kind] > 0)
            reach_kind(c, (int)owner, (enum vertex_kind)kind);
    }
    return 0;
}

/* ---- from level to level ---- */

/* Makes the vertices that the parallel region found the frontier. */
static void advance(struct region *c)
{
    struct device *dev = c->dev;
    dev->depth++;
    for (int g = 0; g < SUBGRAPHS; g++) {
        dev->frontier[g] = dev->forward[g] = 0;
        for (int i = 0; i < c->threads; i++) {
            dev->frontier[g] += c->parts[i].rows[g];
            dev->forward[g] += c->parts[i].edges[g];
        }
        dev->unvisited[g] -= dev->frontier[g];
    }
    c->last_threads = c->threads;
    add_up_parts(c);
}

/* Puts the parts of the frontier into one list. Returns its size. */
static uint64_t join_parts(const struct region *c, enum vertex_kind kind, uint32_t *list)
{
    for (int i = 0; i < c->last_threads; i++) {
        const struct part *part = &c->parts[i];
        if (part->count[kind] > 0)
            memcpy(list + c->before[kind][i], part->list[kind], part->count[kind] * sizeof *list);
    }
    return frontier_size(c, kind);
}

/* Whether one thread did all shares. */
static int is_alone(const struct region *c)
{
    int came = 0;
    for (int i = 0; i < c->threads; i++)
        came += c->thread[i].level == c->level;
    return came == 1 && c->shares[DELEGATES] + c->shares[NORMALS] >= (uint64_t)c->threads;
}

/* Chooses shares by the rows of a level. */
static void share_level(struct region *c)
{
    uint64_t threads = (uint64_t)c->state->region_threads, most = threads * PIECES_OF_THREAD;
    c->threads = (int)threads;
    c->owned_bits = owned_bits_of(most_rows(c->dev), threads);
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        uint64_t shares = (frontier_size(c, (enum vertex_kind)kind) + PIECE_ROWS - 1) / PIECE_ROWS;
        shares = shares < most ? shares : most;
        c->shares[kind] = shares > threads ? shares - shares % threads : shares;
    }
}

static void run_level(struct region *c)
{
    struct device *dev = c->dev;
    share_level(c);
    c->level++;
    pool_run(dev->means.pool, c->threads, c->shares[DELEGATES] + c->shares[NORMALS], push_piece_of_region, c);
    push_long_rows(c);
    pool_run(dev->means.pool, c->threads, (uint64_t)c->threads, reach_part, c);
    c->lonely_levels = is_alone(c) ? c->lonely_levels + 1 : 0;
    advance(c);
    plan_level(dev, c->state, frontier_size(c, DELEGATES), frontier_size(c, NORMALS));
}

static int is_at_end(const struct region *c)
{
    return c->state->kind != LEVEL_REGION || c->lonely_levels > LONELY_LEVELS;
}

/* Owner 0 has the whole frontier at first. The state of a thread is set when it comes first, since
 * clearing all of them takes as long as some levels. */
static void begin(struct region *c, struct device *dev, struct search_state *state)
{
    list_whole_frontier(dev);
    c->dev = dev;
    c->state = state;
    c->threads = c->last_threads = 1;
    c->level = c->lonely_levels = 0;
    c->aside.count = 0;
    for (int i = 0; i < state->threads; i++)
        c->thread[i].level = 0;
    memset(c->parts, 0, (size_t)state->threads * sizeof c->parts[0]);
    c->parts[0].list[DELEGATES] = dev->delegates.fresh;
    c->parts[0].list[NORMALS] = dev->normals.queue;
    c->parts[0].count[DELEGATES] = dev->delegates.fresh_count;
    c->parts[0].count[NORMALS] = dev->normals.queue_count;
    add_up_parts(c);
}

int run_levels_in_region(struct device *dev, struct search_state *state)
{
    struct region region;
    uint64_t late = pool_late(dev->means.pool);
    begin(&region, dev, state);
    do
        run_level(&region);
    while (!is_at_end(&region) && pool_late(dev->means.pool) == late);
    dev->delegates.fresh_count = join_parts(&region, DELEGATES, dev->delegates.fresh);
    dev->normals.queue_count = join_parts(&region, NORMALS, dev->normals.queue);
    return pool_late(dev->means.pool) != late || region.lonely_levels > LONELY_LEVELS;
}
