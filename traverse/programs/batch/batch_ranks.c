/* batch_ranks.c: moves words of ghosts and of delegates between ranks (batch_ranks.h)
 *
 * A message to a rank has words of ghosts that one of both ranks owns. It is whole, with the words of all of these ghosts in the
 * order of their numbers, or a list of words and then of indices, if that is shorter. What is found of delegates is reduced as the
 * masks of a search are: all words or, if few changed, a list of these. */
#include "batch_ranks.h"

#include "batch_level.h"

#include "formats/mpi/window.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* CHUNK_BYTES: bytes that MPI sends at a time. IS_LIST: set in the size of a message that is a list. */
enum { CHUNK_BYTES = 1 << 26 };
#define IS_LIST (UINT64_C(1) << 63)

/* What a rank tells another before they exchange messages. */
struct rank_sizes {
    uint64_t bytes;   /* of the message to the other rank; IS_LIST may be set */
    uint64_t changed; /* number of words of delegates that changed */
};

/* Vertices that other ranks own or know: vertex number i, for rank r, is number begin[r] + i of all. */
struct side {
    const uint64_t *begin;
    const uint32_t *list; /* the vertices; NULL: consecutive ones from `first` on */
    uint64_t first;
};

struct batch_ranks {
    const struct comm *comm;
    struct side ghosts, shown; /* ghosts of this rank; its vertices that are ghosts of others */
    unsigned char *sent, *received; /* the messages to and from all ranks, each at message_at */
    struct rank_sizes *to, *from;   /* [ranks] */
    uint64_t *used;                 /* [ranks] number of vertices in the message to a rank of which a word is not 0 */
    struct transfer *move;          /* [2 * ranks] */
    uint64_t delegates;
    uint8_t *weight;                /* [delegates] weight (batch_weight) by all edges of a delegate */
    uint64_t *delegate_words;       /* [delegates][words] in the order of delegates, which is the same on all ranks */
    /* [most] words of delegates that changed, by their index in delegate_words: of this rank, and of all */
    struct mask_word *changed, *all_changed;
    uint64_t most;
    int *counts, *begins;           /* [ranks] */
    uint64_t here[BATCH_MOST];
    uint64_t sent_bytes;            /* since the last call of batch_ranks_sum */
};

static inline uint64_t side_vertex(const struct side *side, uint64_t i)
{
    return side->list != NULL ? side->list[i] : side->first + i;
}

/* Returns the bytes of an entry of a list: words and an index. */
static uint64_t entry_bytes(const struct batch_search *s)
{
    return 8 * (uint64_t)s->words + 4;
}

/* Returns the byte at which the message to or from a rank begins in `sent` or `received`. Each rank's part has room for entries of all
 * vertices that this side has of the rank. */
static uint64_t message_at(const struct batch_search *s, const struct side *side, uint32_t rank)
{
    return (side->begin[rank] * entry_bytes(s) + 7) / 8 * 8 + 8 * rank;
}

/* ---- opening ---- */

/* Collective. Sets the weights of delegates by the edges that all ranks have of them, and s->weight. */
static void weigh(struct batch_ranks *x, struct batch_search *s)
{
    const struct joined_graph *graph = s->graph;
    const uint64_t *offsets = graph->push->offsets;
    uint64_t *degree = x->delegate_words; /* is not used yet, and has a word at least for each delegate */
    for (uint64_t i = 0; i < x->delegates; i++) {
        const uint64_t v = joined_delegate(graph, x->delegates, i);
        degree[i] = offsets[v + 1] - offsets[v];
    }
    comm_sum_u64(x->comm, degree, x->delegates);
    for (uint64_t i = 0; i < x->delegates; i++)
        x->weight[joined_delegate(graph, x->delegates, i)] = (uint8_t)(63 - __builtin_clzll(degree[i] | 1));
    s->weight = 0;
    for (uint64_t v = graph->noted; v < graph->vertices; v++)
        s->weight += UINT64_C(1) << (v < x->delegates ? x->weight[v] : batch_weight(graph->push, v));
    comm_sum_u64(x->comm, &s->weight, 1);
}

enum status batch_ranks_open(struct batch_ranks **ranks, struct batch_search *s, struct error *e)
{
    static const char what[] = "messages of a batch";
    const struct joined_ghosts *ghosts = &s->graph->ghosts;
    const uint32_t R = ghosts->comm->ranks;
    struct memory_budget *budget = s->graph->budget;
    struct batch_ranks *x = *ranks = zeroed(1, sizeof *x, what, e);
    if (x != NULL) {
        *x = (struct batch_ranks){.comm = ghosts->comm, .delegates = s->graph->shards->manifest.d,
                                  .ghosts = {ghosts->begin, NULL, s->graph->vertices},
                                  .shown = {ghosts->shown_begin, ghosts->shown, 0}};
        const uint64_t words = x->delegates * (uint64_t)s->words;
        const uint64_t bytes = larger(message_at(s, &x->ghosts, R), message_at(s, &x->shown, R)) + 8;
        x->most = smaller(words / 4, INT_MAX / 4);
        x->to = zeroed(R, sizeof *x->to, what, e);
        x->from = zeroed(R, sizeof *x->from, what, e);
        x->used = zeroed(R, sizeof *x->used, what, e);
        x->move = zeroed(2 * R, sizeof *x->move, what, e);
        x->counts = zeroed(R, sizeof *x->counts, what, e);
        x->begins = zeroed(R, sizeof *x->begins, what, e);
        if (e->status == ST_OK && memory_take(budget, (void **)&x->sent, bytes, 1, what, e) == ST_OK &&
            memory_take(budget, (void **)&x->received, bytes, 1, what, e) == ST_OK &&
            memory_take(budget, (void **)&x->weight, x->delegates, 1, what, e) == ST_OK &&
            memory_take(budget, (void **)&x->delegate_words, words, 8, what, e) == ST_OK &&
            memory_take(budget, (void **)&x->changed, x->most, sizeof *x->changed, what, e) == ST_OK)
            memory_take(budget, (void **)&x->all_changed, x->most, sizeof *x->all_changed, what, e);
    }
    if (comm_agree(ghosts->comm, e) == ST_OK)
        weigh(x, s);
    return e->status;
}

void batch_ranks_close(struct batch_ranks *x, struct memory_budget *budget)
{
    if (x == NULL)
        return;
    void *const charged[] = {x->sent, x->received, x->weight, x->delegate_words, x->changed, x->all_changed};
    void *const tables[] = {x->to, x->from, x->used, x->move, x->counts, x->begins, x};
    for (size_t i = 0; i < sizeof charged / sizeof *charged; i++)
        memory_release(budget, charged[i]);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        free(tables[i]);
}

/* ---- messages ---- */

/* Tells all ranks the sizes of messages, and how many words of delegates changed here. */
static void tell_sizes(struct batch_ranks *x, uint64_t changed)
{
    for (uint32_t r = 0; r < x->comm->ranks; r++)
        x->to[r].changed = changed;
    comm_alltoall_u64(x->comm, (const uint64_t *)x->to, (uint64_t *)x->from, sizeof *x->to / 8);
}

/* Sends the messages of `from`, and receives those for `to`. The ranks have told each other the sizes before (tell_sizes). */
static void move_messages(struct batch_search *s, const struct side *from, const struct side *to)
{
    struct batch_ranks *x = s->ranks;
    const uint32_t R = x->comm->ranks;
    struct error e = {0};
    for (uint32_t r = 0; r < R; r++) {
        const uint64_t sent = x->to[r].bytes & ~IS_LIST, received = x->from[r].bytes & ~IS_LIST;
        x->move[r] = (struct transfer){r, 0, x->sent + message_at(s, from, r), sent};
        x->move[R + r] = (struct transfer){r, 0, x->received + message_at(s, to, r), received};
        x->sent_bytes += sent;
    }
    if (comm_transfer(x->comm, x->move, R, x->move + R, R, CHUNK_BYTES, &e) != ST_OK)
        comm_abort(x->comm, "dbfs-batch", &e);
    memset(x->to, 0, R * sizeof *x->to);
}

/* An exchange of words of one side with the other. */
struct word_exchange {
    struct batch_search *search;
    const struct side *from, *to;
    int pushed;     /* 1: next words of ghosts go to their owners; 0: frontier words of owners go to ghosts */
    uint32_t rank;  /* of the message that is read */
};

/* Returns the rank of number i of all vertices on a side. */
static uint32_t rank_of(const struct batch_ranks *x, const struct side *side, uint64_t i)
{
    uint32_t first = 0, end = x->comm->ranks;
    while (end - first > 1) {
        const uint32_t middle = first + (end - first) / 2;
        if (side->begin[middle] <= i)
            first = middle;
        else
            end = middle;
    }
    return first;
}

/* Writes the words of the vertices, of numbers `begin` to `end` - 1 of a side, into whole messages, and counts in x->used those of which a
 * word is not 0. Pushed words become seen words. Called by pool_for. */
static void write_words(void *context, uint64_t begin, uint64_t end)
{
    const struct word_exchange *w = context;
    struct batch_search *s = w->search;
    struct batch_ranks *x = s->ranks;
    const uint64_t W = (uint64_t)s->words;
    for (uint64_t i = begin; i < end;) {
        const uint32_t r = rank_of(x, w->from, i);
        uint64_t *to = (uint64_t *)(x->sent + message_at(s, w->from, r)) + (i - w->from->begin[r]) * W, used = 0;
        for (const uint64_t last = smaller(end, w->from->begin[r + 1]); i < last; i++, to += W) {
            uint64_t *seen = s->seen + side_vertex(w->from, i) * W, *next = s->next + side_vertex(w->from, i) * W, any = 0;
            const uint64_t *now = s->now + side_vertex(w->from, i) * W;
            for (uint64_t j = 0; j < W; j++) {
                any |= to[j] = w->pushed ? next[j] & ~seen[j] : now[j] & s->pulls[j];
                if (w->pushed) {
                    seen[j] |= to[j];
                    next[j] = 0;
                }
            }
            used += any != 0;
        }
        __atomic_fetch_add(&x->used[r], used, __ATOMIC_RELAXED);
    }
}

/* Makes the whole message to a rank a list, if that is shorter, and sets its size. Called by pool_run. Returns 0. */
static uint64_t shorten(void *context, int thread, uint64_t rank)
{
    const struct word_exchange *w = context;
    struct batch_search *s = w->search;
    struct batch_ranks *x = s->ranks;
    const uint64_t W = (uint64_t)s->words, all = w->from->begin[rank + 1] - w->from->begin[rank];
    const uint64_t at = message_at(s, w->from, (uint32_t)rank), bytes = x->used[rank] * entry_bytes(s);
    uint64_t *words = (uint64_t *)(x->sent + at), used = 0;
    uint32_t *index = (uint32_t *)(x->received + at); /* is not yet used for what comes */
    (void)thread;
    x->to[rank].bytes = bytes < 8 * W * all ? bytes | (bytes > 0 ? IS_LIST : 0) : 8 * W * all;
    for (uint64_t i = 0; (x->to[rank].bytes & IS_LIST) != 0 && i < all; i++) {
        uint64_t any = 0;
        for (uint64_t j = 0; j < W; j++)
            any |= words[used * W + j] = words[i * W + j];
        index[used] = (uint32_t)i;
        used += any != 0;
    }
    memcpy(words + used * W, index, used * sizeof *index);
    return 0;
}

/* A message that was received: `count` words of vertices, and their indices if it is a list. */
struct message {
    const uint64_t *words;
    const uint32_t *index; /* NULL: the message is whole */
    uint64_t count;
};

/* Returns the message from a rank. */
static struct message message_from(const struct batch_search *s, const struct side *to, uint32_t rank)
{
    const struct batch_ranks *x = s->ranks;
    const uint64_t bytes = x->from[rank].bytes & ~IS_LIST, W = (uint64_t)s->words;
    struct message m = {.words = (const uint64_t *)(x->received + message_at(s, to, rank)), .count = bytes / (8 * W)};
    if ((x->from[rank].bytes & IS_LIST) != 0) {
        m.count = bytes / entry_bytes(s);
        m.index = (const uint32_t *)(m.words + m.count * W);
    }
    return m;
}

/* Called by pool_for. Takes entries begin to end - 1 of the message from w->rank: after pushes ORs them into `next`, otherwise copies
 * them to `now` and ORs them into `seen`. */
static void read_words(void *context, uint64_t begin, uint64_t end)
{
    const struct word_exchange *w = context;
    struct batch_search *s = w->search;
    const uint64_t W = (uint64_t)s->words;
    const struct message m = message_from(s, w->to, w->rank);
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t v = side_vertex(w->to, w->to->begin[w->rank] + (m.index != NULL ? m.index[i] : i));
        for (uint64_t j = 0; j < W; j++) {
            const uint64_t word = m.words[i * W + j];
            if (w->pushed) {
                s->next[v * W + j] |= word;
            } else {
                s->now[v * W + j] = word;
                s->seen[v * W + j] |= word;
            }
        }
    }
}

/* Runs a loop over `count` entries of messages on as many threads as they are worth. */
static void loop(struct batch_search *s, uint64_t count, pool_body *body, void *context)
{
    pool_for(s->pool, level_threads(divide_up(count, LEVEL_STEP), s->threads), count, LEVEL_STEP, body, context);
}

/* Exchanges words of ghosts in a dense level. */
static void exchange_words(struct batch_search *s, int pushed)
{
    struct batch_ranks *x = s->ranks;
    const uint32_t R = x->comm->ranks;
    struct word_exchange w = {s, pushed ? &x->ghosts : &x->shown, pushed ? &x->shown : &x->ghosts, pushed, 0};
    memset(x->used, 0, R * sizeof *x->used);
    loop(s, w.from->begin[R], write_words, &w);
    pool_run(s->pool, s->threads, R, shorten, &w);
    tell_sizes(x, 0);
    move_messages(s, w.from, w.to);
    for (w.rank = 0; w.rank < R; w.rank++)
        loop(s, message_from(s, w.to, w.rank).count, read_words, &w);
}

/* ---- delegates ---- */

/* ORs bits into word number `at` of the delegates' words. In a sparse level also appends the delegate to s->found, if these are the first
 * bits that this rank has of it in the level. */
static void take_delegate_word(struct batch_search *s, uint64_t at, uint64_t bits, int sparse)
{
    const uint64_t W = (uint64_t)s->words, v = joined_delegate(s->graph, s->ranks->delegates, at / W);
    uint64_t before = 0;
    for (uint64_t j = 0; sparse && j < W; j++)
        before |= s->next[v * W + j];
    if (sparse && before == 0)
        s->found.vertex[s->found.count++] = (uint32_t)v;
    s->next[v * W + at % W] |= bits;
}

/* Notes the words of a found delegate in the list of changed words, while there is room. Returns the new number of words. */
static uint64_t note_changed(struct batch_search *s, uint64_t delegate, uint64_t count)
{
    struct batch_ranks *x = s->ranks;
    const uint64_t W = (uint64_t)s->words, v = joined_delegate(s->graph, x->delegates, delegate);
    for (uint64_t j = 0; j < W; j++) {
        const uint64_t bits = s->next[v * W + j];
        if (bits != 0 && count++ < x->most)
            x->changed[count - 1] = (struct mask_word){delegate * W + j, bits};
    }
    return count;
}

/* ORs the `next` words of delegates over all ranks, which have told each other how many words changed. */
static void reduce_delegates(struct batch_search *s, int sparse)
{
    struct batch_ranks *x = s->ranks;
    const uint64_t W = (uint64_t)s->words, words = x->delegates * W;
    uint64_t all = 0;
    for (uint32_t r = 0; r < x->comm->ranks; r++) {
        x->begins[r] = (int)smaller(2 * all, INT_MAX);
        x->counts[r] = (int)smaller(2 * x->from[r].changed, INT_MAX);
        all += x->from[r].changed;
    }
    if (all == 0)
        return;
    if (all <= x->most) {
        const int own = x->counts[x->comm->rank];
        comm_gather_mask_words(NULL, x->changed, own, x->all_changed, x->counts, x->begins);
        x->sent_bytes += 8 * (uint64_t)own;
        for (uint64_t i = 0; i < all; i++)
            take_delegate_word(s, x->all_changed[i].at, x->all_changed[i].bits, sparse);
        return;
    }
    for (uint64_t i = 0; i < x->delegates; i++)
        memcpy(x->delegate_words + i * W, s->next + joined_delegate(s->graph, x->delegates, i) * W, 8 * W);
    comm_or_masks(x->comm, x->delegate_words, words);
    x->sent_bytes += 8 * words;
    for (uint64_t at = 0; at < words; at++) {
        if (x->delegate_words[at] != 0)
            take_delegate_word(s, at, x->delegate_words[at], sparse);
    }
}

/* Adds the next words of delegates to their seen words, and counts them in *t: the delegates that this rank notes, and the edges
 * that it has of any. */
BATCH_INLINE void see_delegates(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end, const int W)
{
    const uint64_t *offsets = s->graph->push->offsets;
    for (uint64_t v = begin; v < end; v++) {
        const uint64_t *next = s->next + v * (uint64_t)W;
        uint64_t any = 0;
        for (int j = 0; j < W; j++) {
            s->seen[v * (uint64_t)W + (uint64_t)j] |= next[j];
            any |= next[j];
        }
        t->edges += any != 0 ? offsets[v + 1] - offsets[v] : 0;
        if (any != 0 && v >= s->graph->noted)
            tally_found(t, next, s->ranks->weight[v], W);
    }
}
BATCH_BY_WORDS(see_by_words, see_delegates(s, t, begin, end, W))

/* ---- levels ---- */

void batch_ranks_send_pushed(struct batch_search *s)
{
    exchange_words(s, 1);
}

/* Returns whether any root pulls in this level. */
static int any_pulls(const struct batch_search *s)
{
    uint64_t any = 0;
    for (int j = 0; j < s->words; j++)
        any |= s->pulls[j];
    return any != 0;
}

void batch_ranks_show_frontier(struct batch_search *s)
{
    if (any_pulls(s))
        exchange_words(s, 0);
}

void batch_ranks_clear_frontier(struct batch_search *s)
{
    const uint64_t W = (uint64_t)s->words;
    if (any_pulls(s))
        memset(s->now + s->graph->vertices * W, 0, joined_ghosts_count(&s->graph->ghosts) * W * 8);
}

void batch_ranks_join_delegates(struct batch_search *s)
{
    struct batch_ranks *x = s->ranks;
    uint64_t changed = 0;
    for (int i = 0; i < s->threads; i++) { /* other ranks may have found the same bits */
        struct tally *t = &s->tally[i];
        memset(&t->sums, 0, sizeof t->sums);
        memset(t->count, 0, sizeof t->count);
        memset(t->weight, 0, sizeof t->weight);
        t->vertices = t->edges = 0;
    }
    for (uint64_t i = 0; i < x->delegates; i++)
        changed = note_changed(s, i, changed);
    tell_sizes(x, changed);
    reduce_delegates(s, 0);
    batch_for(s, x->delegates, LEVEL_STEP, x->delegates, see_by_words[s->words]);
}

/* Counts the found ghosts of each rank in x->used, and notes the words of found delegates. Returns the number of these words. */
static uint64_t count_found(struct batch_search *s)
{
    struct batch_ranks *x = s->ranks;
    uint64_t changed = 0;
    memset(x->used, 0, x->comm->ranks * sizeof *x->used);
    for (uint64_t i = 0; i < s->found.count; i++) {
        const uint64_t v = s->found.vertex[i];
        if (v < x->delegates)
            changed = note_changed(s, v < s->graph->turn ? v + x->delegates - s->graph->turn : v - s->graph->turn, changed);
        else if (v >= s->graph->vertices)
            x->used[rank_of(x, &x->ghosts, v - s->graph->vertices)]++;
    }
    return changed;
}

/* Takes the found ghosts out of s->found, into messages, which are lists. */
static void take_ghosts(struct batch_search *s)
{
    struct batch_ranks *x = s->ranks;
    const uint64_t W = (uint64_t)s->words, count = s->found.count;
    s->found.count = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t v = s->found.vertex[i], ghost = v - s->graph->vertices;
        if (v < s->graph->vertices) {
            s->found.vertex[s->found.count++] = (uint32_t)v;
            continue;
        }
        const uint32_t r = rank_of(x, &x->ghosts, ghost);
        uint64_t *words = (uint64_t *)(x->sent + message_at(s, &x->ghosts, r));
        const uint64_t entries = (x->to[r].bytes & ~IS_LIST) / entry_bytes(s), at = --x->used[r];
        memcpy(words + at * W, s->next + v * W, 8 * W);
        ((uint32_t *)(words + entries * W))[at] = (uint32_t)(ghost - x->ghosts.begin[r]);
        for (uint64_t j = 0; j < W; j++) {
            s->seen[v * W + j] |= s->next[v * W + j];
            s->next[v * W + j] = 0;
        }
        if (s->listed != NULL)
            s->listed[v] = 0;
        batch_touch(s, &s->found.vertex[i], 1);
    }
}

/* Adds the words of a message to next words, without bits that a vertex has seen, and lists the vertices that get their first bit. */
static void take_list(struct batch_search *s, const struct message *m, uint64_t begin)
{
    const uint64_t W = (uint64_t)s->words;
    for (uint64_t i = 0; i < m->count; i++) {
        const uint64_t v = s->ranks->shown.list[begin + m->index[i]];
        uint64_t before = 0, after = 0;
        for (uint64_t j = 0; j < W; j++) {
            before |= s->next[v * W + j];
            after |= s->next[v * W + j] |= m->words[i * W + j] & ~s->seen[v * W + j];
        }
        if (before == 0 && after != 0)
            s->found.vertex[s->found.count++] = (uint32_t)v;
    }
}

void batch_ranks_move_found(struct batch_search *s)
{
    struct batch_ranks *x = s->ranks;
    const uint64_t changed = count_found(s);
    for (uint32_t r = 0; r < x->comm->ranks; r++)
        x->to[r].bytes = x->used[r] > 0 ? x->used[r] * entry_bytes(s) | IS_LIST : 0;
    take_ghosts(s);
    tell_sizes(x, changed);
    move_messages(s, &x->ghosts, &x->shown);
    for (uint32_t r = 0; r < x->comm->ranks; r++) {
        const struct message m = message_from(s, &x->shown, r);
        take_list(s, &m, x->shown.begin[r]);
    }
    reduce_delegates(s, 1);
}

void batch_ranks_sum(struct batch_search *s, struct batch_found *found)
{
    struct batch_ranks *x = s->ranks;
    memcpy(x->here, found->count, sizeof x->here);
    found->sent = x->sent_bytes;
    x->sent_bytes = 0;
    comm_sum_u64(x->comm, (uint64_t *)found, sizeof *found / 8);
}

const uint64_t *batch_ranks_found_here(const struct batch_ranks *x)
{
    return x->here;
}
