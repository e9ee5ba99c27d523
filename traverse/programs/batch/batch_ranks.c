/* batch_ranks.c: moves words of ghosts and of delegates between ranks on CPUs (batch_ranks.h), by messages (batch_messages.h) */
#include "batch_ranks.h"

#include "batch_level.h"

#include <stdlib.h>
#include <string.h>

struct batch_ranks {
    struct batch_messages messages;
    void *memory;    /* of the messages */
    uint8_t *weight; /* [delegates] weight (batch_weight) by all edges of a delegate */
};

/* ---- opening ---- */

/* Collective. Sets the weights of delegates by the edges that all ranks have of them, and s->weight. */
static void weigh(struct batch_ranks *x, struct batch_search *s)
{
    const struct joined_graph *graph = s->graph;
    const uint64_t *offsets = graph->push->offsets, delegates = x->messages.delegates;
    uint64_t *degree = x->messages.delegate_words; /* is not used yet, and has a word at least for each delegate */
    for (uint64_t i = 0; i < delegates; i++) {
        const uint64_t v = joined_delegate(graph, delegates, i);
        degree[i] = offsets[v + 1] - offsets[v];
    }
    comm_sum_u64(x->messages.comm, degree, delegates);
    for (uint64_t i = 0; i < delegates; i++)
        x->weight[joined_delegate(graph, delegates, i)] = (uint8_t)(63 - __builtin_clzll(degree[i] | 1));
    s->weight = 0;
    for (uint64_t v = graph->noted; v < graph->vertices; v++)
        s->weight += UINT64_C(1) << (v < delegates ? x->weight[v] : batch_weight(graph->push, v));
    comm_sum_u64(x->messages.comm, &s->weight, 1);
}

enum status batch_ranks_open(struct batch_ranks **ranks, struct batch_search *s, struct error *e)
{
    static const char what[] = "messages of a batch";
    struct memory_budget *budget = s->graph->budget;
    struct batch_ranks *x = *ranks = zeroed(1, sizeof *x, what, e);
    if (x != NULL && batch_messages_open(&x->messages, s->graph, s->words, e) == ST_OK &&
        memory_take(budget, &x->memory, x->messages.memory_bytes, 1, what, e) == ST_OK) {
        batch_messages_place(&x->messages, x->memory);
        memory_take(budget, (void **)&x->weight, x->messages.delegates, 1, what, e);
    }
    if (comm_agree(s->graph->ghosts.comm, e) == ST_OK)
        weigh(x, s);
    return e->status;
}

void batch_ranks_close(struct batch_ranks *x, struct memory_budget *budget)
{
    if (x == NULL)
        return;
    batch_messages_close(&x->messages);
    memory_release(budget, x->memory);
    memory_release(budget, x->weight);
    free(x);
}

/* ---- messages ---- */

/* An exchange of words of one side with the other. */
struct word_exchange {
    struct batch_search *search;
    const struct batch_side *from, *to;
    int pushed;     /* 1: next words of ghosts go to their owners; 0: frontier words of owners go to ghosts */
    uint32_t rank;  /* of the message that is read */
};

/* Writes the words of the vertices, of numbers `begin` to `end` - 1 of a side, into whole messages, and counts in m->used those of which a
 * word is not 0. Pushed words become seen words. Called by pool_for. */
static void write_words(void *context, uint64_t begin, uint64_t end)
{
    const struct word_exchange *w = context;
    struct batch_search *s = w->search;
    struct batch_messages *m = &s->ranks->messages;
    const uint64_t W = (uint64_t)s->words;
    for (uint64_t i = begin; i < end;) {
        const uint32_t r = batch_side_rank(m, w->from, i);
        uint64_t *to = (uint64_t *)(m->sent + batch_message_at(m, w->from, r)) + (i - w->from->begin[r]) * W, used = 0;
        for (const uint64_t last = smaller(end, w->from->begin[r + 1]); i < last; i++, to += W) {
            uint64_t *seen = s->seen + batch_side_vertex(w->from, i) * W, *next = s->next + batch_side_vertex(w->from, i) * W, any = 0;
            const uint64_t *now = s->now + batch_side_vertex(w->from, i) * W;
            for (uint64_t j = 0; j < W; j++) {
                any |= to[j] = w->pushed ? next[j] & ~seen[j] : now[j] & s->pulls[j];
                if (w->pushed) {
                    seen[j] |= to[j];
                    next[j] = 0;
                }
            }
            used += any != 0;
        }
        __atomic_fetch_add(&m->used[r], used, __ATOMIC_RELAXED);
    }
}

/* Sets the size of the message to a rank, and makes the whole message a list, if that is shorter. Called by pool_run. Returns 0. */
static uint64_t shorten(void *context, int thread, uint64_t rank)
{
    const struct word_exchange *w = context;
    struct batch_messages *m = &w->search->ranks->messages;
    const uint64_t W = m->words, all = w->from->begin[rank + 1] - w->from->begin[rank];
    const uint64_t at = batch_message_at(m, w->from, (uint32_t)rank);
    uint64_t *words = (uint64_t *)(m->sent + at), used = 0;
    uint32_t *index = (uint32_t *)(m->received + at); /* is not yet used for what comes */
    (void)thread;
    if (!batch_message_set_size(m, w->from, (uint32_t)rank))
        return 0;
    for (uint64_t i = 0; i < all; i++) {
        uint64_t any = 0;
        for (uint64_t j = 0; j < W; j++)
            any |= words[used * W + j] = words[i * W + j];
        index[used] = (uint32_t)i;
        used += any != 0;
    }
    memcpy(words + used * W, index, used * sizeof *index);
    return 0;
}

/* Called by pool_for. Takes entries begin to end - 1 of the message from w->rank: after pushes ORs them into `next`, otherwise copies
 * them to `now` and ORs them into `seen`. */
static void read_words(void *context, uint64_t begin, uint64_t end)
{
    const struct word_exchange *w = context;
    struct batch_search *s = w->search;
    const uint64_t W = (uint64_t)s->words;
    const struct batch_message message = batch_message_from(&s->ranks->messages, w->to, w->rank);
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t v = batch_side_vertex(w->to, w->to->begin[w->rank] + (message.index != NULL ? message.index[i] : i));
        for (uint64_t j = 0; j < W; j++) {
            const uint64_t word = message.words[i * W + j];
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
    pool_for(s->pool, level_threads(count, s->threads), count, LEVEL_STEP, body, context);
}

/* Moves words of ghosts in a dense level: with `pushed`, the next words from the ranks that have found them to the owners; otherwise
 * frontier words from the owners to the ranks that read them. */
static void exchange_words(struct batch_search *s, int pushed)
{
    struct batch_messages *m = &s->ranks->messages;
    const uint32_t R = m->comm->ranks;
    struct word_exchange w = {s, pushed ? &m->ghosts : &m->shown, pushed ? &m->shown : &m->ghosts, pushed, 0};
    memset(m->used, 0, R * sizeof *m->used);
    loop(s, w.from->begin[R], write_words, &w);
    pool_run(s->pool, s->threads, R, shorten, &w);
    batch_messages_tell(m, 0);
    batch_messages_move(m, w.from, w.to);
    for (w.rank = 0; w.rank < R; w.rank++)
        loop(s, batch_message_from(m, w.to, w.rank).count, read_words, &w);
}

/* ---- delegates ---- */

/* ORs bits into word number `at` of the delegates' words. In a sparse level also appends the delegate to s->found, if these are the first
 * bits that this rank has of it in the level. */
static void take_delegate_word(struct batch_search *s, uint64_t at, uint64_t bits, int sparse)
{
    const uint64_t W = (uint64_t)s->words, v = joined_delegate(s->graph, s->ranks->messages.delegates, at / W);
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
    struct batch_messages *m = &s->ranks->messages;
    const uint64_t W = (uint64_t)s->words, v = joined_delegate(s->graph, m->delegates, delegate);
    for (uint64_t j = 0; j < W; j++) {
        const uint64_t bits = s->next[v * W + j];
        if (bits != 0 && count++ < m->most)
            m->changed[count - 1] = (struct mask_word){delegate * W + j, bits};
    }
    return count;
}

/* ORs the `next` words of delegates over all ranks, which have told each other how many words changed. */
static void reduce_delegates(struct batch_search *s, int sparse)
{
    struct batch_messages *m = &s->ranks->messages;
    const uint64_t W = m->words, words = m->delegates * W, all = batch_messages_all_changed(m);
    if (all == 0)
        return;
    if (all <= m->most) {
        batch_messages_gather_changed(m);
        for (uint64_t i = 0; i < all; i++)
            take_delegate_word(s, m->all_changed[i].at, m->all_changed[i].bits, sparse);
        return;
    }
    for (uint64_t i = 0; i < m->delegates; i++)
        memcpy(m->delegate_words + i * W, s->next + joined_delegate(s->graph, m->delegates, i) * W, 8 * W);
    batch_messages_or_delegates(m);
    for (uint64_t at = 0; at < words; at++) {
        if (m->delegate_words[at] != 0)
            take_delegate_word(s, at, m->delegate_words[at], sparse);
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
    exchange_words(s, /* pushed */ 1);
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
        exchange_words(s, /* pushed */ 0);
}

void batch_ranks_clear_frontier(struct batch_search *s)
{
    const uint64_t W = (uint64_t)s->words;
    if (any_pulls(s))
        memset(s->now + s->graph->vertices * W, 0, joined_ghosts_count(&s->graph->ghosts) * W * 8);
}

void batch_ranks_join_delegates(struct batch_search *s)
{
    struct batch_messages *m = &s->ranks->messages;
    uint64_t changed = 0;
    for (int i = 0; i < s->threads; i++) { /* other ranks may have found the same bits */
        struct tally *t = &s->tally[i];
        memset(&t->sums, 0, sizeof t->sums);
        memset(t->count, 0, sizeof t->count);
        memset(t->weight, 0, sizeof t->weight);
        t->vertices = t->edges = 0;
    }
    for (uint64_t i = 0; i < m->delegates; i++)
        changed = note_changed(s, i, changed);
    batch_messages_tell(m, changed);
    reduce_delegates(s, 0);
    batch_for(s, m->delegates, LEVEL_STEP, m->delegates, see_by_words[s->words]);
}

/* Counts the found ghosts of each rank in m->used, and notes the words of found delegates. Returns the number of these words. */
static uint64_t count_found(struct batch_search *s)
{
    struct batch_messages *m = &s->ranks->messages;
    uint64_t changed = 0;
    memset(m->used, 0, m->comm->ranks * sizeof *m->used);
    for (uint64_t i = 0; i < s->found.count; i++) {
        const uint64_t v = s->found.vertex[i];
        if (v < m->delegates)
            changed = note_changed(s, v < s->graph->turn ? v + m->delegates - s->graph->turn : v - s->graph->turn, changed);
        else if (v >= s->graph->vertices)
            m->used[batch_side_rank(m, &m->ghosts, v - s->graph->vertices)]++;
    }
    return changed;
}

/* Takes the found ghosts out of s->found, into messages, which are lists. */
static void take_ghosts(struct batch_search *s)
{
    struct batch_messages *m = &s->ranks->messages;
    const uint64_t W = (uint64_t)s->words, count = s->found.count;
    s->found.count = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t v = s->found.vertex[i], ghost = v - s->graph->vertices;
        if (v < s->graph->vertices) {
            s->found.vertex[s->found.count++] = (uint32_t)v;
            continue;
        }
        const uint32_t r = batch_side_rank(m, &m->ghosts, ghost);
        uint64_t *words = (uint64_t *)(m->sent + batch_message_at(m, &m->ghosts, r));
        const uint64_t at = --m->used[r];
        memcpy(words + at * W, s->next + v * W, 8 * W);
        batch_message_index(m, &m->ghosts, r)[at] = (uint32_t)(ghost - m->ghosts.begin[r]);
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
static void take_list(struct batch_search *s, const struct batch_message *message, uint64_t begin)
{
    const uint64_t W = (uint64_t)s->words;
    for (uint64_t i = 0; i < message->count; i++) {
        const uint64_t v = s->ranks->messages.shown.list[begin + message->index[i]];
        uint64_t before = 0, after = 0;
        for (uint64_t j = 0; j < W; j++) {
            before |= s->next[v * W + j];
            after |= s->next[v * W + j] |= message->words[i * W + j] & ~s->seen[v * W + j];
        }
        if (before == 0 && after != 0)
            s->found.vertex[s->found.count++] = (uint32_t)v;
    }
}

void batch_ranks_move_found(struct batch_search *s)
{
    struct batch_messages *m = &s->ranks->messages;
    const uint64_t changed = count_found(s);
    for (uint32_t r = 0; r < m->comm->ranks; r++)
        batch_message_set_list_size(m, r);
    take_ghosts(s);
    batch_messages_tell(m, changed);
    batch_messages_move(m, &m->ghosts, &m->shown);
    for (uint32_t r = 0; r < m->comm->ranks; r++) {
        const struct batch_message message = batch_message_from(m, &m->shown, r);
        take_list(s, &message, m->shown.begin[r]);
    }
    reduce_delegates(s, 1);
}

void batch_ranks_sum(struct batch_search *s, struct batch_found *found)
{
    batch_messages_sum(&s->ranks->messages, found);
}

const uint64_t *batch_ranks_found_here(const struct batch_ranks *x)
{
    return x->messages.here;
}
