/* cpu_crew.c: levels by lists, by several threads; its twin is the level by one thread in cpu_list.c
 *
 * A level has two steps, each a run of the gang:
 * 1. The frontier is cut into pieces. A thread that pushes a piece claims what it finds by a plain write of
 *    its number into the byte of a vertex, and lists it with its parent. Two threads may claim a vertex at the same
 *    moment; then both list it. Very long rows are put aside, and cut into pieces of their own.
 * 2. A piece is the list of a thread. Vertices whose byte has another number are dropped. The others are counted.
 * So there are no atomic operations, for each of which a core would wait until it has the line, and numbers of
 * vertices are exact. Bytes that cross from core to core: the lines of claims that others wrote.
 *
 * Nobody waits for a thread that has no core: the others do the pieces that it does not take. If a thread
 * stays alone for some levels, or one that had begun kept the others waiting, the crew ends, and one thread
 * goes on.
 */
#include "cpu_list.h"
#include "cpu_run.h"

#include <string.h>

enum {
    PIECE_ROWS = 64,      /* of a piece, at least */
    PIECES_OF_THREAD = 3, /* pieces for each thread, at most */
    SMALL_LEVELS = 16,    /* in a row, after which the crew ends */
    LONELY_LEVELS = 8     /* the same of levels that one thread did alone */
};

/* The state of a thread of the crew. */
struct crew_thread {
    _Alignas(64) uint32_t level;  /* the last one of the crew in which it took part; 0: none */
    uint64_t found[VERTEX_KINDS]; /* that it listed in this level */
    uint32_t *list[2][VERTEX_KINDS]; /* of this level and of the next, in turns */
    uint32_t *from[VERTEX_KINDS];    /* parents of those of the next */
};

/* The part of the frontier that a thread found. */
struct part {
    _Alignas(64) uint32_t *list[VERTEX_KINDS];
    uint64_t count[VERTEX_KINDS];
    uint64_t rows[SUBGRAPHS], edges[SUBGRAPHS]; /* sources among them, and their edges */
};

struct crew {
    struct device *dev;
    struct search_state *state;
    int threads, last_threads; /* of this level, of the one before */
    uint32_t level, small_levels, lonely_levels;
    uint64_t shares[VERTEX_KINDS]; /* of the frontier of each kind */
    uint64_t before[VERTEX_KINDS][MOST_CREW + 1]; /* vertices of the frontier in the parts before each */
    struct part parts[MOST_CREW];
    struct crew_thread thread[MOST_CREW];
    struct long_rows aside;
};

static uint64_t vertices_of(const struct device *dev, enum vertex_kind kind)
{
    return kind == DELEGATES ? dev->shard->d : dev->shard->locals;
}

/* ---- claims ---- */

/* Claims of delegates, then of normals. */
static uint8_t *claims_of(const struct device *dev, enum vertex_kind kind)
{
    return dev->crew.claims + (kind == NORMALS ? 64 * mask_words(dev->shard->d) : 0);
}

/* Visited vertices of one kind. */
struct visits {
    uint64_t *visited;
    uint8_t *claims;
};

/* Claims visited vertices for nobody, eight at a time. */
static void claim_visited(void *context, uint64_t begin, uint64_t end)
{
    const struct visits *v = context;
    for (uint64_t w = begin; w < end; w++) {
        for (int i = 0; i < 64; i += 8) {
            uint64_t bits = v->visited[w] >> i & 0xff;
            uint64_t bytes = bits * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);
            memcpy(v->claims + 64 * w + i, &bytes, sizeof bytes);
        }
    }
}

/* Marks claimed vertices as visited. The product gathers the highest bits of eight bytes. */
static void visit_claimed(void *context, uint64_t begin, uint64_t end)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    const struct visits *v = context;
    for (uint64_t w = begin; w < end; w++) {
        uint64_t word = 0;
        for (int i = 0; i < 64; i += 8) {
            uint64_t bytes;
            memcpy(&bytes, v->claims + 64 * w + i, sizeof bytes);
            bytes = (((bytes & low) + low) | bytes) & ~low;
            word |= ((bytes >> 7) * UINT64_C(0x0102040810204080) >> 56) << i;
        }
        v->visited[w] = word;
    }
}

/* Does it for all vertices. */
static void for_visits(struct device *dev, gang_body *body)
{
    enum { PIECE_WORDS = 256, WORDS_OF_WORK = 4 };
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        uint64_t words = mask_words(vertices_of(dev, (enum vertex_kind)kind));
        struct visits visits = {kind == DELEGATES ? dev->delegates.visited : dev->normals.visited,
                                claims_of(dev, (enum vertex_kind)kind)};
        gang_for(dev->means.gang, threads_for(dev, WORDS_OF_WORK * words), words, PIECE_WORDS, body, &visits);
    }
}

/* ---- step 1 ---- */

/* A push along g into the lists of a thread. */
static struct list_push crew_push(struct crew *c, int number, enum subgraph g)
{
    struct list_push p = describe_push(c->dev, g);
    struct crew_thread *t = &c->thread[number];
    enum vertex_kind to = subgraph_columns(g);
    p.claims = claims_of(c->dev, to);
    p.self = (uint8_t)(number + 1);
    p.aside = &c->aside;
    p.next = t->list[c->level % 2][to];
    p.from = t->from[to];
    return p;
}

/* Gives what a push found values, and notes how much. */
static void end_push(struct crew *c, int number, const struct list_push *p, uint64_t end)
{
    struct device *dev = c->dev;
    enum vertex_kind to = subgraph_columns(p->g);
    uint64_t *found = &c->thread[number].found[to];
    mark_depths(p->next + *found, end - *found, to == DELEGATES ? dev->delegates.depth : dev->normals.depth,
                dev->depth + 1);
    settle_parents(p, *found, end);
    *found = end;
}

static void push_list_of_crew(struct crew *c, int number, enum subgraph g, const uint32_t *list, uint64_t count)
{
    struct list_push p = crew_push(c, number, g);
    p.rows = list;
    p.row_count = count;
    end_push(c, number, &p, push_rows_of(&p, c->thread[number].found[subgraph_columns(g)]));
}

static uint64_t frontier_size(const struct crew *c, enum vertex_kind kind)
{
    return c->before[kind][c->last_threads];
}

static void add_up_parts(struct crew *c)
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
static void push_share(struct crew *c, int number, enum vertex_kind kind, int share)
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
                push_list_of_crew(c, number, g, c->parts[i].list[kind] + first, last - first);
        }
    }
}

/* Gives a thread its lists, when it comes first: one for each kind and level, and parents. */
static void give_lists(struct crew *c, int number)
{
    const struct device *dev = c->dev;
    struct crew_thread *t = &c->thread[number];
    uint32_t *at = (uint32_t *)(dev->crew.lists + (size_t)number * dev->crew.list_bytes);
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        uint64_t room = crew_list_room(vertices_of(dev, (enum vertex_kind)kind));
        t->list[0][kind] = at;
        t->list[1][kind] = at + room;
        t->from[kind] = dev->parents ? at + 2 * room : NULL;
        at += room * (dev->parents ? 3 : 2);
    }
}

/* Has a thread take part in a level. */
static void come(struct crew *c, int number)
{
    struct crew_thread *t = &c->thread[number];
    if (t->level == c->level)
        return;
    if (t->level == 0)
        give_lists(c, number);
    t->level = c->level;
    t->found[DELEGATES] = t->found[NORMALS] = 0;
}

/* The pieces of a thread are `threads` apart, and its shares lie side by side, mostly in the part
 * that it found. So the rows that it reads are in its cache from search to search. */
static void push_pieces(void *context, struct turn *turn)
{
    struct crew *c = context;
    uint64_t i, threads = (uint64_t)c->threads;
    while ((i = gang_piece(turn)) != GANG_NO_PIECE) {
        come(c, turn->number);
        enum vertex_kind kind = i < c->shares[DELEGATES] ? DELEGATES : NORMALS;
        i -= kind == NORMALS ? c->shares[DELEGATES] : 0;
        uint64_t each = c->shares[kind] / threads;
        push_share(c, turn->number, kind, each > 0 ? (int)(i % threads * each + i / threads) : (int)i);
    }
}

/* The piece of a long row that is piece `at` of all of them. */
static void push_long_piece(struct crew *c, int number, uint64_t at)
{
    int i = 0;
    while (i + 1 < (int)c->aside.count && c->aside.row[i + 1].pieces <= at)
        i++;
    const struct long_row *r = &c->aside.row[i];
    uint64_t begin = r->begin + (at - r->pieces) * LONG_ROW, left = r->end - begin;
    struct list_push p = crew_push(c, number, r->g);
    uint64_t count = c->thread[number].found[subgraph_columns(r->g)];
    end_push(c, number, &p, push_columns(&p, count, r->row, begin, begin + (left < LONG_ROW ? left : LONG_ROW)));
}

static void push_long_pieces(void *context, struct turn *turn)
{
    struct crew *c = context;
    uint64_t piece;
    while ((piece = gang_piece(turn)) != GANG_NO_PIECE) {
        come(c, turn->number);
        push_long_piece(c, turn->number, piece);
    }
}

static void push_long_rows(struct crew *c)
{
    uint64_t pieces = 0;
    if (c->aside.count > MOST_LONG)
        c->aside.count = MOST_LONG;
    for (uint32_t i = 0; i < c->aside.count; i++) {
        struct long_row *r = &c->aside.row[i];
        r->pieces = pieces;
        pieces += (r->end - r->begin + LONG_ROW - 1) / LONG_ROW;
    }
    if (pieces > 0)
        gang_run(c->dev->means.gang, c->threads, pieces, push_long_pieces, c);
    c->aside.count = 0;
}

/* ---- step 2 ---- */

/* Keeps the vertices of a list that are claimed by `self`. Returns how many. */
static uint64_t keep_claimed(const uint8_t *claims, uint8_t self, uint32_t *list, uint64_t count)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t v = list[i];
        list[kept] = v;
        kept += claims[v] == self;
    }
    return kept;
}

static void keep_part(struct crew *c, int number, enum vertex_kind kind)
{
    const struct device *dev = c->dev;
    const struct crew_thread *t = &c->thread[number];
    struct part *part = &c->parts[number];
    uint32_t *list = t->list[c->level % 2][kind];
    uint64_t count = t->level == c->level ? t->found[kind] : 0;
    count = keep_claimed(claims_of(dev, kind), (uint8_t)(number + 1), list, count);
    for (int to = 0; to < VERTEX_KINDS; to++) {
        enum subgraph g = subgraph_between(kind, (enum vertex_kind)to);
        struct row_count sources = {0};
        if (dev->shard->csr[g].edges > 0)
            sources = count_listed(dev, g, list, count);
        part->rows[g] = sources.rows;
        part->edges[g] = sources.edges;
    }
    part->list[kind] = list;
    part->count[kind] = count;
}

static void keep_parts(void *context, struct turn *turn)
{
    struct crew *c = context;
    for (uint64_t i; (i = gang_piece(turn)) != GANG_NO_PIECE;) {
        for (int kind = 0; kind < VERTEX_KINDS; kind++) {
            if (vertices_of(c->dev, (enum vertex_kind)kind) > 0)
                keep_part(c, (int)i, (enum vertex_kind)kind);
        }
    }
}

/* ---- from level to level ---- */

/* Makes the vertices that the crew found the frontier. */
static void advance(struct crew *c)
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
static uint64_t join_parts(const struct crew *c, enum vertex_kind kind, uint32_t *list)
{
    for (int i = 0; i < c->last_threads; i++) {
        const struct part *part = &c->parts[i];
        if (part->count[kind] > 0)
            memcpy(list + c->before[kind][i], part->list[kind], part->count[kind] * sizeof *list);
    }
    return frontier_size(c, kind);
}

/* Whether one thread did all shares. */
static int is_alone(const struct crew *c)
{
    int came = 0;
    for (int i = 0; i < c->threads; i++)
        came += c->thread[i].level == c->level;
    return came == 1 && c->shares[DELEGATES] + c->shares[NORMALS] >= (uint64_t)c->threads;
}

/* Chooses threads by the edges of a level, and shares by its rows. */
static void share_level(struct crew *c)
{
    uint64_t threads = (uint64_t)crew_threads(c->state), most = threads * PIECES_OF_THREAD;
    c->threads = (int)threads;
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        uint64_t shares = (frontier_size(c, (enum vertex_kind)kind) + PIECE_ROWS - 1) / PIECE_ROWS;
        shares = shares < most ? shares : most;
        c->shares[kind] = shares > threads ? shares - shares % threads : shares;
    }
}

static void run_level(struct crew *c)
{
    struct device *dev = c->dev;
    share_level(c);
    c->level++;
    gang_run(dev->means.gang, c->threads, c->shares[DELEGATES] + c->shares[NORMALS], push_pieces, c);
    push_long_rows(c);
    gang_run(dev->means.gang, c->threads, (uint64_t)c->threads, keep_parts, c);
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

/* Thread 0 has the whole frontier at first. The state of a thread is set when it comes first, since
 * clearing all of them takes as long as some levels. */
static void begin(struct crew *c, struct device *dev, struct search_state *state)
{
    list_whole_frontier(dev);
    c->dev = dev;
    c->state = state;
    c->threads = c->last_threads = 1;
    c->level = c->small_levels = c->lonely_levels = 0;
    c->aside.count = 0;
    for (int i = 0; i < state->threads; i++)
        c->thread[i].level = 0;
    memset(c->parts, 0, (size_t)state->threads * sizeof c->parts[0]);
    c->parts[0].list[DELEGATES] = dev->delegates.fresh;
    c->parts[0].list[NORMALS] = dev->normals.queue;
    c->parts[0].count[DELEGATES] = dev->delegates.fresh_count;
    c->parts[0].count[NORMALS] = dev->normals.queue_count;
    add_up_parts(c);
    for_visits(dev, claim_visited);
}

int run_levels_by_crew(struct device *dev, struct search_state *state)
{
    struct crew crew;
    uint64_t late = gang_late(dev->means.gang);
    begin(&crew, dev, state);
    do
        run_level(&crew);
    while (!is_at_end(&crew) && gang_late(dev->means.gang) == late);
    for_visits(dev, visit_claimed);
    dev->delegates.fresh_count = join_parts(&crew, DELEGATES, dev->delegates.fresh);
    dev->normals.queue_count = join_parts(&crew, NORMALS, dev->normals.queue);
    return gang_late(dev->means.gang) != late || crew.lonely_levels > LONELY_LEVELS;
}
