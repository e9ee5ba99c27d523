/* cpu_crew.c: levels by lists, by several threads; its twin is cpu_list.c
 *
 * Vertices belong to owners, in blocks by id. A level has two steps, each a run of the gang:
 * 1. The frontier is cut into pieces. A thread that pushes a piece puts every destination into its own bin
 *    for the owner, except those that it has put there before or that were visited when it joined the crew.
 *    Very long rows are put aside, and cut into pieces of their own.
 * 2. A piece is an owner. A thread that takes it goes through all bins for the owner. New vertices get marks
 *    and depths, are counted, and join the owner's part of the next list.
 * So nothing is claimed by atomic operations, and no cache takes marks from another while they are written.
 * Bytes that cross from core to core: 4 for each vertex and thread, in sequence.
 *
 * Nobody waits for a thread that has no core: the others do the pieces that it does not take. If a thread
 * stays alone for some levels, or one that had begun kept the others waiting, the crew ends, and one thread
 * goes on.
 */
#include "cpu_bins.h"
#include "cpu_list.h"
#include "cpu_run.h"

#include <string.h>

enum {
    LEAST_OWNED_BITS = 10, /* blocks of an owner have 2^10 to 2^14 vertices, as */
    MOST_OWNED_BITS = 14,  /* neighbours are near each other. Frontiers are, too, */
    BLOCKS_OF_OWNER = 8,   /* so an owner has at least so many blocks, if it can */
    PIECE_ROWS = 64,      /* of a piece, at least */
    PIECES_OF_THREAD = 3, /* pieces for each thread, at most */
    LONG_ROW = 4096,      /* columns: longer rows are cut into pieces of so many */
    MOST_LONG = 256,
    SMALL_LEVELS = 16,    /* in a row, after which the crew ends */
    LONELY_LEVELS = 8     /* the same of levels that one thread did alone */
};

/* The state of a thread of the crew. */
struct crew_thread {
    _Alignas(64) struct crew *crew;
    uint32_t levels;               /* the last one of the crew in which it took part; 0: none */
    uint64_t *seen[VERTEX_KINDS];  /* visited, or put into a bin by this thread */
    uint8_t *pool;                 /* chunks that are not used yet */
    uint32_t *at[VERTEX_KINDS][MOST_CREW]; /* by owner: where its bin gets the next destination */
};

/* The frontier of an owner. */
struct part {
    _Alignas(64) uint64_t list[VERTEX_KINDS]; /* where its part of the frontier begins in the lists */
    uint64_t count[VERTEX_KINDS]; /* vertices of its part */
    uint64_t found[VERTEX_KINDS]; /* of its next part */
    uint64_t rows[SUBGRAPHS], edges[SUBGRAPHS]; /* sources among them, and their edges */
};

/* Columns of a long row of a subgraph, to be pushed in pieces. */
struct long_row {
    enum subgraph g;
    uint32_t row;
    uint64_t begin, end; /* among the columns of the subgraph */
    uint64_t pieces;     /* of the long rows before it */
};

struct crew {
    struct device *dev;
    struct search_state *state;
    int threads, owners, last_owners; /* owners: a power of two; of this level, of the one before */
    uint32_t owned_bits; /* log2 of the vertices in a block of an owner's */
    uint32_t level, small_levels, lonely_levels;
    uint64_t shares; /* of the frontier of each kind */
    uint64_t before[VERTEX_KINDS][MOST_CREW + 1]; /* vertices of the frontier in the parts before each */
    struct part parts[MOST_CREW];
    struct crew_thread thread[MOST_CREW];
    struct long_row long_rows[MOST_LONG];
    _Atomic uint32_t long_count;
};

/* Vertices of one kind, as one thread pushes to them. */
struct target {
    uint64_t *seen;
    uint32_t **bins; /* [owners + 1]: where the next destination goes */
    uint32_t owners; /* less 1 */
    uint32_t owned_bits;
};

static uint64_t vertices_of(const struct device *dev, enum vertex_kind kind)
{
    return kind == DELEGATES ? dev->shard->d : dev->shard->locals;
}

/* ---- bins ---- */

/* The begin of a thread's bin for an owner. Bins begin at different places of their chunks: they fill
 * alike, and their ends would be in one set of the first cache. */
static uint32_t *bin_begin(const struct crew *c, int number, enum vertex_kind kind, int owner)
{
    enum { LINE = 64, LINES = 61 }; /* prime, as owners are a power of two */
    const struct cpu_crew_memory *memory = &c->dev->crew;
    int i = (int)kind * c->owners + owner;
    uint8_t *chunk = chunks_of(memory->bins, memory->bin_bytes, number) + (size_t)i * CHUNK_BYTES;
    return (uint32_t *)(chunk + CHUNK_HEAD + i % LINES * LINE);
}

static void open_bins(struct crew_thread *t, int number)
{
    const struct crew *c = t->crew;
    const struct cpu_crew_memory *memory = &c->dev->crew;
    t->pool = chunks_of(memory->bins, memory->bin_bytes, number);
    t->pool += (size_t)(VERTEX_KINDS * c->owners) * CHUNK_BYTES;
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        for (int owner = 0; owner < c->owners; owner++)
            t->at[kind][owner] = bin_begin(c, number, (enum vertex_kind)kind, owner);
    }
}

/* Puts a destination into the bin of its owner, unless this thread has put it there before. */
static inline void put(struct crew_thread *t, struct target *target, uint32_t to, uint32_t from,
                       struct row_form form)
{
    uint64_t word = target->seen[to / 64], is_new = ~word >> (to % 64) & 1;
    uint32_t **bin = &target->bins[to >> target->owned_bits & target->owners], *at = *bin;
    target->seen[to / 64] = word | UINT64_C(1) << (to % 64);
    at[0] = to;
    if (form.parents)
        at[1] = from;
    at += is_new << form.parents;
    *bin = next_place(&t->pool, at);
}

/* ---- step 1 ---- */

static struct target target_of(struct crew_thread *t, enum vertex_kind kind)
{
    return (struct target){t->seen[kind], t->at[kind], (uint32_t)t->crew->owners - 1, t->crew->owned_bits};
}

/* Puts a long row aside. Nonzero: there was room for it. */
static int put_aside(struct crew *c, enum subgraph g, uint32_t row, uint64_t begin, uint64_t end)
{
    uint32_t i = c->long_count < MOST_LONG ? c->long_count++ : MOST_LONG;
    if (i >= MOST_LONG)
        return 0;
    c->long_rows[i] = (struct long_row){g, row, begin, end, 0};
    return 1;
}

/* Puts columns at..end of a row into bins. */
static inline __attribute__((always_inline)) void
bin_columns(struct crew_thread *t, const struct list_push *p, uint32_t row, uint64_t at,
            uint64_t end, struct target *target, struct row_form form)
{
    uint32_t room[COLUMN_ROOM];
    while (at < end) {
        struct column_run run = next_columns(p->readers, p->csr, row, at, end, room);
        for (uint64_t i = 0; i < run.count; i++)
            put(t, target, run.columns[i], p->tag | row, form);
        at += run.count;
    }
}

static inline __attribute__((always_inline)) void
bin_rows(struct crew_thread *t, const struct list_push *p, enum subgraph g, struct row_form form)
{
    const uint32_t *heads = p->csr->heads;
    const uint64_t rows = p->csr->rows;
    for (uint64_t i = 0; i < COLUMNS_AHEAD && i < p->row_count && !form.sparse; i++)
        ask_for_columns(p->csr, row_offset(p, p->rows[i], form));
    struct target target = target_of(t, subgraph_columns(g));
    for (uint64_t i = 0; i < p->row_count; i++) {
        uint32_t row = p->rows[i];
        if (is_left_out(p->csr, row, form))
            continue;
        ask_ahead(p, i, form);
        for (uint32_t j = 0; j < form.heads; j++) {
            uint32_t to = heads[j * rows + row];
            if (to == HEAD_NONE)
                break;
            put(t, &target, to, p->tag | row, form);
        }
        uint64_t at = row_offset(p, row, form), end = row_offset(p, row + UINT64_C(1), form);
        if (end - at > LONG_ROW && put_aside(t->crew, g, row, at, end))
            continue;
        bin_columns(t, p, row, at, end, &target, form);
    }
}

static void bin_list(struct crew_thread *t, enum subgraph g, const uint32_t *list, uint64_t count)
{
    struct list_push p = describe_push(t->crew->dev, g);
    struct row_form form = {p.parent != NULL, 0, p.csr->head_columns, p.csr->offset_width,
                            is_sparse(p.csr), p.even.count > 0};
    p.rows = list;
    p.row_count = count;
    int is_common = !form.parents && form.offset_width == 4 && !form.sparse;
    if (form.heads == 0 && form.offset_width == 4 && !form.sparse && form.even)
        form.parents ? bin_rows(t, &p, g, (struct row_form){1, 0, 0, 4, 0, 1})
                     : bin_rows(t, &p, g, (struct row_form){0, 0, 0, 4, 0, 1});
    else if (is_common && form.heads == 0)
        bin_rows(t, &p, g, (struct row_form){0, 0, 0, 4, 0, 0});
    else if (is_common && form.heads == 2)
        bin_rows(t, &p, g, (struct row_form){0, 0, 2, 4, 0, 0});
    else
        bin_rows(t, &p, g, form);
}

static uint64_t frontier_size(const struct crew *c, enum vertex_kind kind)
{
    return c->before[kind][c->last_owners];
}

static void add_up_parts(struct crew *c)
{
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        uint64_t before = 0;
        for (int i = 0; i < c->last_owners; i++) {
            c->before[kind][i] = before;
            before += c->parts[i].count[kind];
        }
        c->before[kind][c->last_owners] = before;
    }
}

/* Pushes a share of the frontier of one kind, along both subgraphs. The parts of all owners, one behind the
 * other, are cut into equal shares. */
static void bin_share(struct crew_thread *t, enum vertex_kind kind, int share)
{
    const struct crew *c = t->crew;
    const struct device *dev = c->dev;
    const uint32_t *lists = kind == DELEGATES ? dev->delegates.fresh : dev->normals.queue;
    uint64_t size = frontier_size(c, kind);
    uint64_t begin = share_begin(size, (int)c->shares, share);
    uint64_t end = share_begin(size, (int)c->shares, share + 1);
    for (int i = 0; i < c->last_owners && c->before[kind][i] < end; i++) {
        const struct part *part = &c->parts[i];
        uint64_t before = c->before[kind][i], count = c->before[kind][i + 1] - before;
        uint64_t first = begin > before ? begin - before : 0;
        uint64_t last = end - before < count ? end - before : count;
        for (int to = VERTEX_KINDS; to-- > 0 && first < last;) {
            enum subgraph g = subgraph_between(kind, (enum vertex_kind)to);
            if (dev->frontier[g] > 0)
                bin_list(t, g, lists + part->list[kind] + first, last - first);
        }
    }
}

/* Has a thread take part in a level. It copies the marks when it comes first. It may put vertices that are
 * visited later into a bin, where the owner drops them. */
static struct crew_thread *come(struct crew *c, int number)
{
    struct crew_thread *t = &c->thread[number];
    const struct device *dev = c->dev;
    uint64_t delegates = mask_words(dev->shard->d), normals = mask_words(dev->shard->locals);
    if (t->levels == c->level)
        return t;
    if (t->levels == 0) {
        t->crew = c;
        t->seen[DELEGATES] = dev->crew.seen + (size_t)number * dev->crew.seen_words;
        t->seen[NORMALS] = t->seen[DELEGATES] + delegates;
        memcpy(t->seen[DELEGATES], dev->delegates.visited, delegates * sizeof *dev->crew.seen);
        memcpy(t->seen[NORMALS], dev->normals.visited, normals * sizeof *dev->crew.seen);
    }
    t->levels = c->level;
    open_bins(t, number);
    return t;
}

/* The pieces of a thread are `threads` apart, and its shares lie side by side, mostly in the parts
 * that it owns. So the rows that it reads are in its cache from search to search. */
static void bin_pieces(void *context, struct turn *turn)
{
    struct crew *c = context;
    uint64_t piece, each = c->shares / (uint64_t)c->threads;
    while ((piece = gang_piece(turn)) != GANG_NO_PIECE) {
        struct crew_thread *t = come(c, turn->number);
        enum vertex_kind kind = piece < c->shares ? DELEGATES : NORMALS;
        uint64_t i = piece % c->shares, thread = i % (uint64_t)c->threads;
        bin_share(t, kind, each > 0 ? (int)(thread * each + i / (uint64_t)c->threads) : (int)i);
    }
}

static const struct long_row *long_row_of(const struct crew *c, uint64_t piece)
{
    uint32_t i = c->long_count - 1;
    while (c->long_rows[i].pieces > piece)
        i--;
    return &c->long_rows[i];
}

static void bin_long_pieces(void *context, struct turn *turn)
{
    struct crew *c = context;
    uint64_t piece;
    while ((piece = gang_piece(turn)) != GANG_NO_PIECE) {
        struct crew_thread *t = come(c, turn->number);
        const struct long_row *row = long_row_of(c, piece);
        struct list_push p = describe_push(c->dev, row->g);
        struct target target = target_of(t, subgraph_columns(row->g));
        struct row_form form = {.parents = p.parent != NULL};
        uint64_t at = row->begin + (piece - row->pieces) * LONG_ROW;
        uint64_t end = row->end - at < LONG_ROW ? row->end : at + LONG_ROW;
        bin_columns(t, &p, row->row, at, end, &target, form);
    }
}

static void bin_long_rows(struct crew *c)
{
    uint64_t pieces = 0;
    c->long_count = c->long_count < MOST_LONG ? c->long_count : MOST_LONG;
    for (uint32_t i = 0; i < c->long_count; i++) {
        struct long_row *row = &c->long_rows[i];
        row->pieces = pieces;
        pieces += (row->end - row->begin + LONG_ROW - 1) / LONG_ROW;
    }
    if (pieces > 0)
        gang_run(c->dev->means.gang, c->threads, pieces, bin_long_pieces, c);
    c->long_count = 0;
}

/* ---- step 2 ---- */

/* Adds new destinations of a chunk to the owner's next list. Returns how many it has then. */
static inline __attribute__((always_inline)) uint64_t
reach_chunk(const struct list_push *p, const uint32_t *from, const uint32_t *end, uint64_t count,
            int parents)
{
    for (const uint32_t *line = from; line < end; line += 16) /* lines in another core's cache */
        __builtin_prefetch(line);
    for (; from < end; from += 1 + parents) {
        uint32_t to = from[0];
        uint64_t word = p->marked[to / 64], is_new = ~word >> (to % 64) & 1;
        p->next[count] = to;
        p->marked[to / 64] = word | UINT64_C(1) << (to % 64);
        if (parents)
            p->from[count] = from[1];
        count += is_new;
    }
    return count;
}

static uint64_t reach_bin(const struct list_push *p, const uint32_t *chunk, const uint32_t *at,
                          uint64_t count)
{
    for (const uint32_t *next; chunk != NULL; chunk = next) {
        const uint32_t *end = end_of_chunk(chunk, at, &next);
        count = p->parent != NULL ? reach_chunk(p, chunk, end, count, 1)
                                  : reach_chunk(p, chunk, end, count, 0);
    }
    return count;
}

/* The begin of an owner's part in the lists. Before it is room for all vertices of the owners before,
 * and for a place that each may write behind its part. */
static uint64_t part_begin(const struct crew *c, uint64_t vertices, int owner)
{
    uint64_t size = UINT64_C(1) << c->owned_bits, round = (uint64_t)c->owners * size;
    uint64_t rest = vertices % round, begin = 0;
    for (int i = 0; i < owner; i++) {
        uint64_t block = (uint64_t)i * size, more = rest > block ? rest - block : 0;
        begin += vertices / round * size + 1 + (more < size ? more : size);
    }
    return begin;
}

static void reach_kind(struct crew *c, int owner, enum vertex_kind kind)
{
    struct device *dev = c->dev;
    struct part *part = &c->parts[owner];
    int32_t *depth = kind == DELEGATES ? dev->delegates.depth : dev->normals.depth;
    struct list_push p = describe_push(dev, subgraph_between(NORMALS, kind));
    uint64_t vertices = vertices_of(dev, kind), count = 0;
    p.next += part_begin(c, vertices, owner);
    p.from += p.from != NULL ? part_begin(c, vertices, owner) : 0;
    for (int i = 0; i < c->threads; i++) {
        if (c->thread[i].levels == c->level)
            count = reach_bin(&p, bin_begin(c, i, kind, owner), c->thread[i].at[kind][owner],
                              count);
    }
    mark_depths(p.next, count, depth, dev->depth + 1);
    settle_parents(&p, 0, count);
    for (int to = 0; to < VERTEX_KINDS; to++) {
        enum subgraph g = subgraph_between(kind, (enum vertex_kind)to);
        struct row_count sources = {0};
        if (dev->shard->csr[g].edges > 0)
            sources = count_listed(dev, g, p.next, count);
        part->rows[g] = sources.rows;
        part->edges[g] = sources.edges;
    }
    part->found[kind] = count;
}

/* Asks for the bins of all threads before the first one is read, as they lie in the caches of other cores.
 * Always inlined, as a compiler may drop calls that only ask ahead. */
static inline __attribute__((always_inline)) void
ask_for_bins(const struct crew *c, enum vertex_kind kind, int owner)
{
    enum { LINE = 16, LINES = 3 };
    for (int i = 0; i < c->threads; i++) {
        const uint32_t *bin = bin_begin(c, i, kind, owner);
        __builtin_prefetch(&c->thread[i].levels);
        __builtin_prefetch(&c->thread[i].at[kind][owner]);
        for (int line = 0; line < LINES; line++)
            __builtin_prefetch(bin + line * LINE);
    }
}

static void reach_parts(void *context, struct turn *turn)
{
    struct crew *c = context;
    uint64_t owner;
    int delegates = c->dev->shard->d > 0, normals = c->dev->shard->locals > 0;
    while ((owner = gang_piece(turn)) != GANG_NO_PIECE) {
        if (delegates)
            ask_for_bins(c, DELEGATES, (int)owner);
        if (normals)
            ask_for_bins(c, NORMALS, (int)owner);
        if (delegates)
            reach_kind(c, (int)owner, DELEGATES);
        if (normals)
            reach_kind(c, (int)owner, NORMALS);
    }
}

/* ---- from level to level ---- */

/* Makes the vertices that the crew found the frontier. */
static void advance(struct crew *c)
{
    struct device *dev = c->dev;
    swap_lists(dev, 0, 0);
    dev->depth++;
    for (int g = 0; g < SUBGRAPHS; g++)
        dev->frontier[g] = dev->forward[g] = 0;
    for (int i = 0; i < c->owners; i++) {
        struct part *part = &c->parts[i];
        for (int g = 0; g < SUBGRAPHS; g++) {
            dev->frontier[g] += part->rows[g];
            dev->forward[g] += part->edges[g];
            dev->unvisited[g] -= part->rows[g];
        }
        part->list[DELEGATES] = part_begin(c, dev->shard->d, i);
        part->list[NORMALS] = part_begin(c, dev->shard->locals, i);
        memcpy(part->count, part->found, sizeof part->count);
    }
    c->last_owners = c->owners;
    add_up_parts(c);
}

static uint64_t join_parts(const struct crew *c, enum vertex_kind kind, uint32_t *list)
{
    uint64_t count = 0;
    for (int i = 0; i < c->last_owners; i++) {
        const struct part *part = &c->parts[i];
        memmove(list + count, list + part->list[kind], part->count[kind] * sizeof *list);
        count += part->count[kind];
    }
    return count;
}

/* Whether one thread did all shares. */
static int is_alone(const struct crew *c)
{
    int came = 0;
    for (int i = 0; i < c->threads; i++)
        came += c->thread[i].levels == c->level;
    return came == 1 && c->shares >= (uint64_t)c->threads;
}

static uint32_t owned_bits(const struct crew *c)
{
    uint64_t vertices = c->dev->shard->d > c->dev->shard->locals ? c->dev->shard->d : c->dev->shard->locals;
    uint32_t bits = LEAST_OWNED_BITS;
    while (bits < MOST_OWNED_BITS && (uint64_t)c->owners * BLOCKS_OF_OWNER << (bits + 1) <= vertices)
        bits++;
    return bits;
}

/* Chooses threads and owners by the edges of a level, and shares by its rows. */
static void share_level(struct crew *c)
{
    uint64_t rows = frontier_size(c, DELEGATES) + frontier_size(c, NORMALS);
    c->threads = crew_threads(c->state);
    c->owners = c->threads;
    c->owned_bits = owned_bits(c);
    c->shares = rows / PIECE_ROWS;
    if (c->shares > (uint64_t)c->threads * PIECES_OF_THREAD)
        c->shares = (uint64_t)c->threads * PIECES_OF_THREAD;
    if (c->shares > (uint64_t)c->threads)
        c->shares -= c->shares % (uint64_t)c->threads;
    c->shares += c->shares == 0;
}

static void run_level(struct crew *c)
{
    struct device *dev = c->dev;
    share_level(c);
    c->level++;
    gang_run(dev->means.gang, c->threads, 2 * c->shares, bin_pieces, c);
    bin_long_rows(c);
    gang_run(dev->means.gang, c->threads, (uint64_t)c->owners, reach_parts, c);
    c->lonely_levels = is_alone(c) ? c->lonely_levels + 1 : 0;
    advance(c);
    plan_level(dev, c->state, frontier_size(c, DELEGATES), frontier_size(c, NORMALS));
    c->small_levels = c->state->way == BY_LISTS ? c->small_levels + 1 : 0;
}

static int is_at_end(const struct crew *c)
{
    const struct search_state *s = c->state;
    return s->way == BY_MASKS || s->way == IS_OVER || !crew_can_take(c->dev, s->edges) ||
           c->small_levels > SMALL_LEVELS || c->lonely_levels > LONELY_LEVELS;
}

/* Owner 0 has the whole frontier at first. The state of a thread is set when it comes first, since
 * clearing all of them takes as long as some levels. */
static void begin(struct crew *c, struct device *dev, struct search_state *state)
{
    list_whole_frontier(dev);
    c->dev = dev;
    c->state = state;
    c->threads = c->owners = c->last_owners = 1;
    c->level = c->small_levels = c->lonely_levels = 0;
    c->shares = 1;
    c->long_count = 0;
    for (int i = 0; i < state->threads; i++)
        c->thread[i].levels = 0;
    memset(c->parts, 0, (size_t)state->threads * sizeof c->parts[0]);
    c->parts[0].count[DELEGATES] = dev->delegates.fresh_count;
    c->parts[0].count[NORMALS] = dev->normals.queue_count;
    add_up_parts(c);
}

int run_levels_by_crew(struct device *dev, struct search_state *state)
{
    struct crew crew;
    uint64_t late = gang_late(dev->means.gang);
    begin(&crew, dev, state);
    do
        run_level(&crew);
    while (!is_at_end(&crew) && gang_late(dev->means.gang) == late);
    dev->delegates.fresh_count = join_parts(&crew, DELEGATES, dev->delegates.fresh);
    dev->normals.queue_count = join_parts(&crew, NORMALS, dev->normals.queue);
    return gang_late(dev->means.gang) != late || crew.lonely_levels > LONELY_LEVELS;
}
