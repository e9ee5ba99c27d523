/* batch_gpu_ranks.c: moves words of ghosts and of delegates between GPUs of ranks (batch_gpu_ranks.h) */
#include "batch_gpu_ranks.h"

#include "formats/base/arith.h"

#include <string.h>

_Static_assert(sizeof(struct gpu_changed_word) == sizeof(struct mask_word), "both are an index and a word");

static const char what[] = "messages of a batch";

/* Returns the bytes of x->delegate_words. */
static uint64_t delegate_bytes(const struct batch_messages *m)
{
    return larger(8 * m->delegates * m->words, m->most * sizeof(struct mask_word));
}

enum status batch_gpu_ranks_open(struct batch_gpu_ranks *x, const struct joined_graph *graph, int words, struct joined_gpu *on,
                                 uint64_t *bytes, struct error *e)
{
    struct batch_messages *m = &x->messages;
    x->graph = graph;
    x->on = on;
    if (batch_messages_open(m, graph, words, e) != ST_OK)
        return e->status;
    *bytes = 2 * m->message_bytes + 4 * m->shown.begin[m->comm->ranks] + delegate_bytes(m) + m->most * sizeof *m->changed +
             (3 * m->comm->ranks + 2) * UINT64_C(8);
    return ST_OK;
}

enum status batch_gpu_ranks_take(struct batch_gpu_ranks *x, struct error *e)
{
    struct batch_messages *m = &x->messages;
    struct gpu_batch_ranks *gpu = &x->gpu;
    const uint32_t R = m->comm->ranks;
    const uint64_t shown = m->shown.begin[R];
    uint64_t *at;
    *gpu = (struct gpu_batch_ranks){.ranks = R, .delegates = m->delegates, .turn = x->graph->turn, .most = m->most};
    joined_gpu_take(x->on, &gpu->begin, R + 1, 8, e);
    joined_gpu_take(x->on, &gpu->at, R, 8, e);
    joined_gpu_take(x->on, &gpu->used, R + 1, 8, e);
    joined_gpu_take(x->on, &gpu->sent, m->message_bytes, 1, e);
    joined_gpu_take(x->on, &x->received, m->message_bytes, 1, e);
    joined_gpu_take(x->on, &gpu->changed, m->most, sizeof *gpu->changed, e);
    joined_gpu_take(x->on, &x->delegate_words, delegate_bytes(m), 1, e);
    joined_gpu_take(x->on, &x->shown, shown, 4, e);
    if (e->status != ST_OK || memory_charge(x->graph->budget, m->memory_bytes, what, e) != ST_OK)
        return e->status;
    if (cudaMallocHost(&x->memory, m->memory_bytes) != cudaSuccess) {
        memory_discharge(x->graph->budget, m->memory_bytes);
        return fail_memory(e, what, m->memory_bytes);
    }
    batch_messages_place(m, x->memory);
    at = (uint64_t *)m->sent; /* is not used yet */
    if (CUDA_TRY(cudaMallocHost((void **)&x->used, (R + 1) * sizeof *x->used), x->on->where, e) != ST_OK ||
        CUDA_TRY(cudaEventCreateWithFlags(&x->copied, cudaEventDisableTiming), x->on->where, e) != ST_OK)
        return e->status;
    joined_gpu_clear(x->on, gpu->used, (R + 1) * sizeof *x->used, e);
    for (uint32_t r = 0; r < R; r++)
        at[r] = batch_message_at(m, &m->ghosts, r) / 8;
    joined_gpu_copy(x->on, (void *)gpu->begin, m->ghosts.begin, (R + 1) * UINT64_C(8), e);
    joined_gpu_copy(x->on, (void *)gpu->at, at, R * UINT64_C(8), e);
    if (e->status == ST_OK)
        joined_gpu_copy(x->on, x->shown, m->shown.list, 4 * shown, e);
    return e->status;
}

void batch_gpu_ranks_close(struct batch_gpu_ranks *x)
{
    if (x->memory != NULL) {
        cudaFreeHost(x->memory);
        memory_discharge(x->graph->budget, x->messages.memory_bytes);
    }
    cudaFreeHost(x->used);
    if (x->copied != NULL)
        cudaEventDestroy(x->copied);
    batch_messages_close(&x->messages);
}

void batch_gpu_ranks_load(struct batch_gpu_ranks *x, const struct gpu_batch *b, struct error *e)
{
    const int has_vertex = x->graph->vertices > 0;
    struct gpu_batch_message message = {.count = (uint64_t)has_vertex, .words = x->gpu.sent};
    joined_gpu_clear(x->on, x->delegate_words, delegate_bytes(&x->messages), e);
    if (e->status != ST_OK)
        return;
    cuda_batch_count_words(b, &message, BATCH_PUSHED, x->gpu.used, x->on->stream);
    cuda_batch_write_words(b, &message, BATCH_PUSHED, x->gpu.used, x->on->stream);
    cuda_batch_read_words(b, &message, BATCH_PUSHED, message.count, NULL, x->on->stream); /* the zero that was written */
    message.index = (uint32_t *)x->received;
    cuda_batch_write_words(b, &message, BATCH_PUSHED, x->gpu.used, x->on->stream);
    cuda_batch_send_listed(b, &x->gpu, 0, x->on->stream);
    cuda_batch_list_changed(b, &x->gpu, x->on->stream);
    cuda_batch_take_changed(b, &x->gpu, (const struct gpu_changed_word *)x->delegate_words, x->gpu.most > 0, 0, x->on->stream);
    cuda_batch_take_delegates(b, &x->gpu, x->delegate_words, 0, x->on->stream);
    cuda_batch_see_delegates(b, &x->gpu, x->on->stream);
}

void batch_gpu_ranks_abort_if_failed(const struct batch_gpu_ranks *x, struct error *e)
{
    if (e->status != ST_OK)
        comm_abort(x->messages.comm, "dbfs-batch", e);
}

/* ---- messages ---- */

/* Copies the counts of gpu.used to the host, and waits for them. Then zeroes those of the GPU. */
static void copy_used(struct batch_gpu_ranks *x, struct error *e)
{
    const uint64_t bytes = (x->messages.comm->ranks + 1) * sizeof *x->used;
    if (CUDA_LAUNCHED(x->on->where, e) == ST_OK)
        joined_gpu_copy(x->on, x->used, x->gpu.used, bytes, e);
    joined_gpu_clear(x->on, x->gpu.used, bytes, e);
    batch_gpu_ranks_abort_if_failed(x, e);
}

/* Returns the message of this rank and another one in `memory`, which is that of sent or received messages in device memory. */
static struct gpu_batch_message message_of(const struct batch_gpu_ranks *x, const struct batch_side *side, uint32_t rank,
                                           uint64_t *memory)
{
    const struct batch_messages *m = &x->messages;
    const uint64_t begin = side->begin[rank];
    return (struct gpu_batch_message){.list = side->list != NULL ? x->shown + begin : NULL,
                                      .first = side->first + begin,
                                      .count = side->begin[rank + 1] - begin,
                                      .words = memory + batch_message_at(m, side, rank) / 8};
}

/* Sends the messages, whose copies to the host have begun in the stream, and launches the kernels that take in those of other ranks. */
static void move_messages(struct batch_gpu_ranks *x, const struct gpu_batch *b, enum batch_exchange exchange, uint32_t *brief,
                          struct error *e)
{
    struct batch_messages *m = &x->messages;
    const struct batch_side *from = exchange == BATCH_FRONTIER ? &m->shown : &m->ghosts;
    const struct batch_side *to = exchange == BATCH_FRONTIER ? &m->ghosts : &m->shown;
    joined_gpu_wait(x->on, e);
    batch_gpu_ranks_abort_if_failed(x, e);
    batch_messages_move(m, from, to);
    for (uint32_t r = 0; r < m->comm->ranks; r++) {
        const struct batch_message came = batch_message_from(m, to, r);
        struct gpu_batch_message message = message_of(x, to, r, x->received);
        if (came.count == 0)
            continue;
        if (came.index != NULL)
            message.index = (uint32_t *)(message.words + came.count * m->words);
        joined_gpu_begin_copy(x->on, message.words, came.words, came.count * (8 * m->words + (came.index != NULL ? 4 : 0)), e);
        batch_gpu_ranks_abort_if_failed(x, e);
        cuda_batch_read_words(b, &message, exchange, came.count, brief, x->on->stream);
    }
}

/* Exchanges words in a dense level: counts those for each rank, lets kernels write whole messages or lists, if shorter, and moves
 * them. `brief` is that of cuda_batch_read_words. */
static void exchange_words(struct batch_gpu_ranks *x, const struct gpu_batch *b, enum batch_exchange exchange, uint32_t *brief,
                           struct error *e)
{
    struct batch_messages *m = &x->messages;
    const struct batch_side *from = exchange == BATCH_FRONTIER ? &m->shown : &m->ghosts;
    const uint32_t R = m->comm->ranks;
    for (uint32_t r = 0; r < R; r++) {
        const struct gpu_batch_message message = message_of(x, from, r, x->gpu.sent);
        if (message.count > 0)
            cuda_batch_count_words(b, &message, exchange, &x->gpu.used[r], x->on->stream);
    }
    copy_used(x, e);
    for (uint32_t r = 0; r < R; r++) {
        struct gpu_batch_message message = message_of(x, from, r, x->gpu.sent);
        m->used[r] = x->used[r];
        const int is_list = batch_message_set_size(m, from, r);
        if (m->used[r] == 0)
            continue;
        const uint64_t words = (is_list ? m->used[r] : message.count) * m->words, bytes = 8 * words + (is_list ? 4 * m->used[r] : 0);
        if (is_list)
            message.index = (uint32_t *)(message.words + words);
        cuda_batch_write_words(b, &message, exchange, &x->gpu.used[r], x->on->stream);
        joined_gpu_begin_copy(x->on, m->sent + batch_message_at(m, from, r), message.words, bytes, e);
    }
    joined_gpu_clear(x->on, x->gpu.used, (R + 1) * sizeof *x->used, e);
    batch_messages_tell(m, 0);
    move_messages(x, b, exchange, brief, e);
}

/* ---- delegates ---- */

/* Begins to copy what this rank has found of delegates to the host: the `changed` words that copy_used has counted or, if the list has no
 * room for so many, all words. */
static void begin_copy_of_delegates(struct batch_gpu_ranks *x, const struct gpu_batch *b, uint64_t changed, struct error *e)
{
    struct batch_messages *m = &x->messages;
    const uint64_t words = m->words, turn = x->gpu.turn, rest = m->delegates - turn;
    if (changed <= m->most) {
        joined_gpu_begin_copy(x->on, m->changed, x->gpu.changed, changed * sizeof *m->changed, e);
        return;
    }
    joined_gpu_begin_copy(x->on, m->delegate_words, b->next + turn * words, 8 * rest * words, e);
    joined_gpu_begin_copy(x->on, m->delegate_words + rest * words, b->next, 8 * turn * words, e);
}

/* ORs the next words of delegates over all ranks, which have told each other how many words changed. `changed` of them changed on this
 * rank; they are on the host already (begin_copy_of_delegates). */
static void reduce_delegates(struct batch_gpu_ranks *x, const struct gpu_batch *b, uint64_t changed, int sparse, struct error *e)
{
    struct batch_messages *m = &x->messages;
    const uint64_t all = batch_messages_all_changed(m), words = m->delegates * m->words;
    if (all == 0)
        return;
    if (all <= m->most) {
        batch_messages_gather_changed(m);
        joined_gpu_begin_copy(x->on, x->delegate_words, m->all_changed, all * sizeof *m->all_changed, e);
        batch_gpu_ranks_abort_if_failed(x, e);
        cuda_batch_take_changed(b, &x->gpu, (const struct gpu_changed_word *)x->delegate_words, all, sparse, x->on->stream);
        return;
    }
    if (changed <= m->most) {
        begin_copy_of_delegates(x, b, m->most + 1, e);
        joined_gpu_wait(x->on, e);
        batch_gpu_ranks_abort_if_failed(x, e);
    }
    batch_messages_or_delegates(m);
    joined_gpu_begin_copy(x->on, x->delegate_words, m->delegate_words, 8 * words, e);
    batch_gpu_ranks_abort_if_failed(x, e);
    cuda_batch_take_delegates(b, &x->gpu, x->delegate_words, sparse, x->on->stream);
}

/* ---- levels ---- */

void batch_gpu_ranks_send_pushed(struct batch_gpu_ranks *x, const struct gpu_batch *b, struct error *e)
{
    const uint64_t ghosts = joined_ghosts_count(&x->graph->ghosts);
    exchange_words(x, b, BATCH_PUSHED, NULL, e);
    joined_gpu_clear(x->on, b->next + b->vertices * (uint64_t)b->words, ghosts * 8 * (uint64_t)b->words, e);
}

void batch_gpu_ranks_show_frontier(struct batch_gpu_ranks *x, const struct gpu_batch *b, uint32_t *brief, struct error *e)
{
    if (brief != NULL)
        joined_gpu_clear(x->on, brief + b->vertices, joined_ghosts_count(&x->graph->ghosts) * 4, e);
    exchange_words(x, b, BATCH_FRONTIER, brief, e);
}

void batch_gpu_ranks_begin_join(struct batch_gpu_ranks *x, const struct gpu_batch *b, struct error *e)
{
    cuda_batch_list_changed(b, &x->gpu, x->on->stream);
    copy_used(x, e);
    begin_copy_of_delegates(x, b, x->used[x->gpu.ranks], e);
    if (e->status == ST_OK)
        CUDA_TRY(cudaEventRecord(x->copied, x->on->stream), x->on->where, e);
}

void batch_gpu_ranks_end_join(struct batch_gpu_ranks *x, const struct gpu_batch *b, struct error *e)
{
    const uint64_t changed = x->used[x->gpu.ranks];
    if (e->status == ST_OK)
        CUDA_TRY(cudaEventSynchronize(x->copied), x->on->where, e);
    batch_gpu_ranks_abort_if_failed(x, e);
    batch_messages_tell(&x->messages, changed);
    reduce_delegates(x, b, changed, 0, e);
    cuda_batch_see_delegates(b, &x->gpu, x->on->stream);
}

void batch_gpu_ranks_move_found(struct batch_gpu_ranks *x, const struct gpu_batch *b, uint64_t most, struct error *e)
{
    struct batch_messages *m = &x->messages;
    const uint32_t R = m->comm->ranks;
    cuda_batch_send_listed(b, &x->gpu, most, x->on->stream);
    copy_used(x, e);
    const uint64_t changed = x->used[R];
    for (uint32_t r = 0; r < R; r++) {
        const struct gpu_batch_message message = message_of(x, &m->ghosts, r, x->gpu.sent);
        m->used[r] = x->used[r];
        batch_message_set_list_size(m, r);
        if (m->used[r] == 0)
            continue;
        joined_gpu_begin_copy(x->on, m->sent + batch_message_at(m, &m->ghosts, r), message.words, 8 * m->used[r] * m->words, e);
        joined_gpu_begin_copy(x->on, batch_message_index(m, &m->ghosts, r), message.words + message.count * m->words, 4 * m->used[r], e);
    }
    begin_copy_of_delegates(x, b, changed, e);
    batch_messages_tell(m, changed);
    move_messages(x, b, BATCH_FOUND, NULL, e);
    reduce_delegates(x, b, changed, 1, e);
}
