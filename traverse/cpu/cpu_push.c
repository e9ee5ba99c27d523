/* cpu_push.c: forward visits: the frontier's rows mark their destinations (section IV-A).
 *
 * Rows may be long: those of delegates, and those of normals if TH is large. Long rows are gathered into a
 * list (cpu_gather.c), and threads take equal shares of its edges; a share may begin and end within a row. So
 * one hub cannot hold up a level (merge-based partitioning). If rows have at most SHORT_ROW edges, nothing is
 * gathered: threads take pieces of the frontier. Bytes that must move for each edge: 4 of the column. The
 * marks are probed at random.
 */
#include "cpu_device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_ROW = 256 };

/* ---- edges ---- */

/* Destinations that looked unvisited, waiting to be claimed. Whether a destination is new is a coin
 * toss, so the loop over edges stores it always and counts it only when new, without a branch; the
 * claims then run over what is left, where most succeed. */
struct candidates {
    uint32_t count;
    uint32_t to[512], from[512];
};

/* A thread's newly found normals, moved to the device's next queue a bufferful at a time. */
struct appender {
    uint32_t count;
    uint32_t ids[1024];
};

/* What a thread needs at each edge. */
struct push_thread {
    struct device *dev;
    struct bin *bins; /* [p] */
    int updated;
    struct candidates normals, delegates;
    uint32_t parent_tag; /* PARENT_DELEGATE_BIT where rows are delegates */
    struct appender appender;
};

static void flush_appender(struct push_thread *t)
{
    struct appender *a = &t->appender;
    uint64_t at = __atomic_fetch_add(&t->dev->normals.next_count, a->count, __ATOMIC_RELAXED);
    memcpy(t->dev->normals.next + at, a->ids, a->count * sizeof *a->ids);
    a->count = 0;
}

static inline void append(struct push_thread *t, uint32_t id)
{
    struct appender *a = &t->appender;
    if (a->count == sizeof a->ids / sizeof *a->ids)
        flush_appender(t);
    a->ids[a->count++] = id;
}

static void claim_delegates(struct push_thread *t)
{
    struct device *dev = t->dev;
    struct candidates *c = &t->delegates;
    for (uint32_t i = 0; i < c->count; i++) {
        if (!claim_mask_bit(dev->delegates.updated, c->to[i]))
            continue;
        t->updated = 1;
        if (dev->parents)
            dev->delegates.parent[c->to[i]] = t->parent_tag | c->from[i];
    }
    c->count = 0;
}

static void claim_normals(struct push_thread *t)
{
    struct device *dev = t->dev;
    struct candidates *c = &t->normals;
    for (uint32_t i = 0; i < c->count; i++) {
        if (!claim_mask_bit(dev->normals.visited, c->to[i]))
            continue;
        dev->normals.depth[c->to[i]] = dev->depth + 1;
        if (dev->parents)
            dev->normals.parent[c->to[i]] = t->parent_tag | c->from[i];
        append(t, c->to[i]);
    }
    c->count = 0;
}

static inline uint64_t load_word(const uint64_t *mask, uint64_t id)
{
    return __atomic_load_n(&mask[id / 64], __ATOMIC_RELAXED);
}

static inline void add_candidate(struct candidates *c, uint32_t row, uint64_t to, uint64_t word)
{
    c->to[c->count] = (uint32_t)to;
    c->from[c->count] = row;
    c->count += (uint32_t)(~word >> (to % 64) & 1);
}

static inline int is_full(const struct candidates *c)
{
    return c->count == sizeof c->to / sizeof *c->to;
}

typedef void visit_edge(struct push_thread *t, uint32_t row, uint64_t to);

static inline void visit_delegate(struct push_thread *t, uint32_t row, uint64_t to)
{
    const struct device *dev = t->dev;
    add_candidate(&t->delegates, row, to,
                  dev->delegates.visited[to / 64] | load_word(dev->delegates.updated, to));
    if (is_full(&t->delegates))
        claim_delegates(t);
}

static inline void visit_normal(struct push_thread *t, uint32_t row, uint64_t to)
{
    add_candidate(&t->normals, row, to, load_word(t->dev->normals.visited, to));
    if (is_full(&t->normals))
        claim_normals(t);
}

/* One thread at a time, for the budget. */
static void grow_bin(struct device *dev, struct bin *bin)
{
    static pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER;
    struct error *e = &dev->traffic.bins.error;
    uint64_t capacity = bin->capacity == 0 ? 64 : 2 * bin->capacity;
    uint64_t more = (capacity - bin->capacity) * sizeof *bin->ids;
    pthread_mutex_lock(&growing);
    if (e->status == ST_OK &&
        memory_charge(dev->means.budget, more, "bins of vertices for other shards", e) == ST_OK) {
        uint32_t *grown = realloc(bin->ids, capacity * sizeof *grown);
        if (grown != NULL) {
            bin->ids = grown;
            bin->capacity = capacity;
        } else {
            memory_discharge(dev->means.budget, more);
            fail_memory(e, "bins of vertices for other shards", more);
        }
    }
    pthread_mutex_unlock(&growing);
}

static inline void visit_nn_edge(struct push_thread *t, uint32_t row, uint64_t to)
{
    const struct shard *shard = t->dev->shard;
    uint64_t owner = to >> shard->local_bits;
    uint64_t local = to & ((UINT64_C(1) << shard->local_bits) - 1);
    if (owner == shard->index) {
        visit_normal(t, row, local);
        return;
    }
    struct bin *bin = &t->bins[owner];
    if (bin->count == bin->capacity)
        grow_bin(t->dev, bin);
    if (bin->count < bin->capacity)
        bin->ids[bin->count++] = (uint32_t)local;
}

/* Columns at..end of one row that are kept packed. */
static inline __attribute__((always_inline)) void
push_packed(struct push_thread *t, const struct csr *csr, uint32_t row, uint64_t at, uint64_t end,
            visit_edge *visit)
{
    uint32_t room[COLUMN_ROOM];
    while (at < end) {
        struct column_run run = next_columns(t->dev->means.readers, csr, row, at, end, room);
        for (uint64_t i = 0; i < run.count; i++)
            visit(t, row, run.columns[i]);
        at += run.count;
    }
}

/* Edges begin..end of one row; edge j < heads stands in the head columns. */
static inline __attribute__((always_inline)) void
push_row(struct push_thread *t, const struct csr *csr, uint32_t row, uint64_t begin, uint64_t end,
         visit_edge *visit)
{
    uint64_t k = csr->head_columns, rest = csr_offset(csr, row);
    for (uint64_t j = begin; j < end && j < k; j++)
        visit(t, row, csr->heads[j * csr->rows + row]);
    begin = begin < k ? k : begin;
    if (csr->packed.words != NULL && begin < end)
        push_packed(t, csr, row, rest + begin - k, rest + end - k, visit);
    for (uint64_t j = begin; j < end && csr->packed.words == NULL; j++)
        visit(t, row, csr_column(csr, rest + j - k));
}

static inline void begin_thread(struct push_thread *t, struct device *dev, int number,
                                uint32_t parent_tag)
{
    t->dev = dev;
    t->bins = dev->traffic.bins.of + (size_t)number * dev->shard->p;
    t->updated = 0;
    t->parent_tag = parent_tag;
    t->normals.count = t->delegates.count = t->appender.count = 0;
}

static void end_thread(struct push_thread *t)
{
    claim_delegates(t);
    claim_normals(t);
    flush_appender(t);
    if (t->updated)
        __atomic_store_n(&t->dev->delegates.any_updated, 1, __ATOMIC_RELAXED);
}

/* A push, as all threads see it. */
struct push {
    struct device *dev;
    enum subgraph g;
    uint64_t shares; /* of the gathered edges */
};

/* An equal share of the gathered edges. Always inlined, here and below, so that `visit` is a constant. */
static inline __attribute__((always_inline)) void
push_share(struct push_thread *t, const struct push *p, uint64_t share, visit_edge *visit)
{
    const struct push_list *push = &p->dev->push;
    const struct csr *csr = &p->dev->shard->csr[p->g];
    uint64_t begin = share_begin(push->edges, (int)p->shares, (int)share);
    uint64_t end = share_begin(push->edges, (int)p->shares, (int)share + 1);
    for (uint64_t i = begin < end ? row_of_edge(push, begin) : push->count;
         i < push->count && push->prefix[i] < end; i++) {
        uint64_t first = push->prefix[i], last = push->prefix[i + 1];
        push_row(t, csr, push->rows[i], begin > first ? begin - first : 0,
                 (end < last ? end : last) - first, visit);
    }
}

static inline __attribute__((always_inline)) void push_shares(const struct push *p, struct turn *turn,
                                                              visit_edge *visit)
{
    struct push_thread t;
    uint64_t share;
    begin_thread(&t, p->dev, turn->number,
                 subgraph_rows(p->g) == DELEGATES ? PARENT_DELEGATE_BIT : 0);
    while ((share = gang_piece(turn)) != GANG_NO_PIECE)
        push_share(&t, p, share, visit);
    end_thread(&t);
}

enum { LIST_PIECE = 256, MASK_PIECE = 64 };

static uint64_t pieces_of(uint64_t count, uint64_t step)
{
    return (count + step - 1) / step;
}

static uint64_t mask_pieces(const struct device *dev)
{
    return dev->normals.any_pulled ? pieces_of(mask_words(dev->shard->locals), MASK_PIECE) : 0;
}

/* A piece of the mask of normals in the frontier, whose rows are short. */
static inline __attribute__((always_inline)) void
push_piece_of_mask(struct push_thread *t, const struct csr *csr, uint64_t piece, visit_edge *visit)
{
    const uint64_t *mask = t->dev->normals.pulled;
    uint64_t begin = piece * MASK_PIECE, left = mask_words(csr->rows) - begin;
    uint64_t end = begin + (left < MASK_PIECE ? left : MASK_PIECE);
    for (uint64_t w = begin; w < end; w++) {
        uint64_t bits = mask[w] & csr->sources[w];
        for (; bits != 0; bits &= bits - 1) {
            uint32_t row = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits));
            push_row(t, csr, row, 0, source_row_length(csr, row), visit);
        }
    }
}

static inline __attribute__((always_inline)) void
push_piece_of_list(struct push_thread *t, const struct csr *csr, uint64_t piece, visit_edge *visit)
{
    const struct cpu_normals *n = &t->dev->normals;
    uint64_t begin = piece * LIST_PIECE, left = n->queue_count - begin;
    uint64_t end = begin + (left < LIST_PIECE ? left : LIST_PIECE);
    for (uint64_t i = begin; i < end; i++) {
        if (mask_bit(csr->sources, n->queue[i]))
            push_row(t, csr, n->queue[i], 0, source_row_length(csr, n->queue[i]), visit);
    }
}

static inline __attribute__((always_inline)) void
push_short_rows(const struct push *p, struct turn *turn, visit_edge *visit)
{
    const struct csr *csr = &p->dev->shard->csr[p->g];
    uint64_t masks = mask_pieces(p->dev), piece;
    struct push_thread t;
    begin_thread(&t, p->dev, turn->number, 0);
    while ((piece = gang_piece(turn)) != GANG_NO_PIECE) {
        if (piece < masks)
            push_piece_of_mask(&t, csr, piece, visit);
        else
            push_piece_of_list(&t, csr, piece - masks, visit);
    }
    end_thread(&t);
}

static void share_to_delegates(void *context, struct turn *turn)
{
    push_shares(context, turn, visit_delegate);
}

static void share_to_normals(void *context, struct turn *turn)
{
    push_shares(context, turn, visit_normal);
}

static void share_to_nn(void *context, struct turn *turn)
{
    push_shares(context, turn, visit_nn_edge);
}

static void short_rows_to_delegates(void *context, struct turn *turn)
{
    push_short_rows(context, turn, visit_delegate);
}

static void short_rows_to_nn(void *context, struct turn *turn)
{
    push_short_rows(context, turn, visit_nn_edge);
}

static void push_gathered(struct device *dev, enum subgraph g, gang_job *job)
{
    enum { SHARES_A_THREAD = 4 };
    int threads = gather_rows(dev, g);
    struct push push = {dev, g, threads == 1 ? 1 : (uint64_t)threads * SHARES_A_THREAD};
    gang_run(dev->means.gang, threads, push.shares, job, &push);
}

/* Of normals, whose rows TH usually keeps short. */
static void push_normals(struct device *dev, enum subgraph g, gang_job *shares, gang_job *short_rows)
{
    struct push push = {dev, g, 0};
    uint64_t pieces = mask_pieces(dev) + pieces_of(dev->normals.queue_count, LIST_PIECE);
    if (dev->shard->th > SHORT_ROW)
        push_gathered(dev, g, shares);
    else
        gang_run(dev->means.gang, threads_for(dev, 4 * dev->frontier[g]), pieces, short_rows, &push);
}

void push_dd(struct device *dev)
{
    push_gathered(dev, DD, share_to_delegates);
}

void push_dn(struct device *dev)
{
    push_gathered(dev, DN, share_to_normals);
}

void push_nd(struct device *dev)
{
    push_normals(dev, ND, share_to_delegates, short_rows_to_delegates);
}

void push_nn(struct device *dev)
{
    push_normals(dev, NN, share_to_nn, short_rows_to_nn);
}
