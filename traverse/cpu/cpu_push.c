/* cpu_push.c: a push of nn by one of several shards: it marks and lists vertices of its own, and puts the
 * vertices of other shards into bins, for their owners
 *
 * Rows may be long if TH is large. Several threads gather rows into a list (cpu_gather.c), and take equal
 * shares of its edges; a share may begin and end within a row. So one hub cannot hold up a level (merge-based
 * partitioning). If rows have at most SHORT_ROW edges, nothing is gathered: threads take pieces of the
 * frontier. Bytes that must move for each edge: 4 of the column, and 4 of a bin. The marks are probed at
 * random. Large pushes set marks instead (cpu_marks.c).
 */
#include "cpu_list.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHORT_ROW = 256,
    OWN_ROOM = 512 /* vertices of this shard that wait in their bin */
};

/* ---- edges ---- */

/* The state of a thread at each edge. The shard of a destination, and whether it is new, are coin tosses.
 * So it goes into the bin of its shard without a branch. The bin of this shard is emptied when full. */
struct push_thread {
    struct device *dev;
    struct bin *bins, *own; /* [p]; the one of this shard */
    int alone;              /* no other thread marks vertices meanwhile */
    uint32_t from[OWN_ROOM + 1]; /* parents of `own`, and of the next destination, wherever it goes */
    uint32_t claimed[OWN_ROOM];
};

/* Empties the bin of this shard, whose vertices other threads may mark. Those that this thread marks go
 * behind the next queue together. */
static void claim_own(struct push_thread *t)
{
    struct cpu_normals *n = &t->dev->normals;
    uint64_t count = 0;
    for (uint64_t i = 0; i < t->own->count; i++) {
        uint32_t id = t->own->ids[i];
        if (!claim_mask_bit(n->visited, id))
            continue;
        n->depth[id] = t->dev->depth + 1;
        if (t->dev->parents)
            n->parent[id] = t->from[i];
        t->claimed[count++] = id;
    }
    uint64_t at = __atomic_fetch_add(&n->next_count, count, __ATOMIC_RELAXED);
    memcpy(n->next + at, t->claimed, count * sizeof *n->next);
}

static void mark_own(struct push_thread *t)
{
    struct cpu_normals *n = &t->dev->normals;
    uint64_t first = n->next_count, count = first;
    uint32_t nowhere;
    for (uint64_t i = 0; i < t->own->count; i++) {
        uint64_t next = reach_normal(n, count, t->own->ids[i]);
        if (t->dev->parents)
            *(next > count ? &n->parent[t->own->ids[i]] : &nowhere) = t->from[i];
        count = next;
    }
    mark_depths(n->next + first, count - first, n->depth, t->dev->depth + 1);
    n->next_count = count;
}

static void empty_own(struct push_thread *t)
{
    if (t->alone)
        mark_own(t);
    else
        claim_own(t);
    t->own->count = 0;
}

/* Grows a bin. One thread at a time does, for the budget. */
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

/* Makes room in a full bin. Nonzero: it has room. */
static int make_room(struct push_thread *t, struct bin *bin)
{
    if (bin == t->own && bin->capacity >= OWN_ROOM)
        empty_own(t);
    else
        grow_bin(t->dev, bin);
    return bin->count < bin->capacity;
}

static inline void visit_nn_edge(struct push_thread *t, uint32_t row, uint64_t to)
{
    const struct shard *shard = t->dev->shard;
    struct bin *bin = &t->bins[to >> shard->local_bits];
    if (bin->count == bin->capacity && !make_room(t, bin))
        return;
    t->from[t->own->count] = row; /* of this destination, if it is of this shard */
    bin->ids[bin->count++] = (uint32_t)(to & ((UINT64_C(1) << shard->local_bits) - 1));
}

/* Pushes columns at..end of one row, which are kept packed. */
static void push_packed(struct push_thread *t, const struct csr *csr, uint32_t row, uint64_t at, uint64_t end)
{
    uint32_t room[COLUMN_ROOM];
    while (at < end) {
        struct column_run run = next_columns(t->dev->means.readers, csr, row, at, end, room);
        for (uint64_t i = 0; i < run.count; i++)
            visit_nn_edge(t, row, run.columns[i]);
        at += run.count;
    }
}

/* Pushes edges begin..end of one row; edge j < heads stands in the head columns. */
static inline void push_row(struct push_thread *t, const struct csr *csr, uint32_t row, uint64_t begin,
                            uint64_t end)
{
    uint64_t k = csr->head_columns, rest = csr_offset(csr, row);
    for (uint64_t j = begin; j < end && j < k; j++)
        visit_nn_edge(t, row, csr->heads[j * csr->rows + row]);
    begin = begin < k ? k : begin;
    if (csr->packed.words != NULL && begin < end)
        push_packed(t, csr, row, rest + begin - k, rest + end - k);
    for (uint64_t j = begin; j < end && csr->packed.words == NULL; j++)
        visit_nn_edge(t, row, csr_column(csr, rest + j - k));
}

static inline void begin_thread(struct push_thread *t, struct device *dev, const struct turn *turn)
{
    t->dev = dev;
    t->bins = dev->traffic.bins.of + (size_t)turn->number * dev->shard->p;
    t->own = &t->bins[dev->shard->index];
    t->alone = turn->threads == 1;
}

/* A push, as all threads see it. */
struct push {
    struct device *dev;
    uint64_t shares; /* of the gathered edges */
};

/* Pushes an equal share of the gathered edges. */
static void push_share(struct push_thread *t, const struct push *p, uint64_t share)
{
    const struct push_list *push = &p->dev->push;
    const struct csr *csr = &p->dev->shard->csr[NN];
    uint64_t begin = share_begin(push->edges, (int)p->shares, (int)share);
    uint64_t end = share_begin(push->edges, (int)p->shares, (int)share + 1);
    for (uint64_t i = begin < end ? row_of_edge(push, begin) : push->count;
         i < push->count && push->prefix[i] < end; i++) {
        uint64_t first = push->prefix[i], last = push->prefix[i + 1];
        push_row(t, csr, push->rows[i], begin > first ? begin - first : 0,
                 (end < last ? end : last) - first);
    }
}

static void push_shares(void *context, struct turn *turn)
{
    const struct push *p = context;
    struct push_thread t;
    uint64_t share;
    begin_thread(&t, p->dev, turn);
    while ((share = gang_piece(turn)) != GANG_NO_PIECE)
        push_share(&t, p, share);
    empty_own(&t);
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

/* Pushes a piece of the mask of normals in the frontier, whose rows are short. */
static void push_piece_of_mask(struct push_thread *t, const struct csr *csr, uint64_t piece)
{
    const uint64_t *mask = t->dev->normals.pulled;
    uint64_t begin = piece * MASK_PIECE, left = mask_words(csr->rows) - begin;
    uint64_t end = begin + (left < MASK_PIECE ? left : MASK_PIECE);
    for (uint64_t w = begin; w < end; w++) {
        uint64_t bits = mask[w] & csr->sources[w];
        for (; bits != 0; bits &= bits - 1) {
            uint32_t row = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits));
            push_row(t, csr, row, 0, source_row_length(csr, row));
        }
    }
}

static void push_piece_of_list(struct push_thread *t, const struct csr *csr, uint64_t piece)
{
    const struct cpu_normals *n = &t->dev->normals;
    const struct list_push list = {.csr = csr, .rows = n->queue, .row_count = n->queue_count};
    const struct row_form form = {.heads = csr->head_columns, .offset_width = csr->offset_width,
                                  .sparse = is_sparse(csr)};
    uint64_t begin = piece * LIST_PIECE, left = n->queue_count - begin;
    uint64_t end = begin + (left < LIST_PIECE ? left : LIST_PIECE);
    for (uint64_t i = begin; i < end; i++) {
        ask_ahead(&list, i, form);
        if (mask_bit(csr->sources, n->queue[i]))
            push_row(t, csr, n->queue[i], 0, source_row_length(csr, n->queue[i]));
    }
}

static void push_short_rows(void *context, struct turn *turn)
{
    const struct push *p = context;
    const struct csr *csr = &p->dev->shard->csr[NN];
    uint64_t masks = mask_pieces(p->dev), piece;
    struct push_thread t;
    begin_thread(&t, p->dev, turn);
    while ((piece = gang_piece(turn)) != GANG_NO_PIECE) {
        if (piece < masks)
            push_piece_of_mask(&t, csr, piece);
        else
            push_piece_of_list(&t, csr, piece - masks);
    }
    empty_own(&t);
}

/* Rows are gathered only if they may be long: TH usually keeps rows of normals short. */
void push_nn(struct device *dev)
{
    enum { SHARES_A_THREAD = 4 };
    struct push push = {.dev = dev};
    uint64_t pieces = mask_pieces(dev) + pieces_of(dev->normals.queue_count, LIST_PIECE);
    int threads = threads_for(dev, dev->forward[NN]);
    if (threads > 1 && dev->shard->th > SHORT_ROW) {
        threads = gather_rows(dev, NN);
        push.shares = threads == 1 ? 1 : (uint64_t)threads * SHARES_A_THREAD;
        gang_run(dev->means.gang, threads, push.shares, push_shares, &push);
    } else {
        gang_run(dev->means.gang, threads, pieces, push_short_rows, &push);
    }
}
