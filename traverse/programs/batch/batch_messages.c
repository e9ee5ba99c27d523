/* batch_messages.c: sizes, places and exchange of the messages of a level (batch_messages.h) */
#include "batch_messages.h"

#include "formats/base/arith.h"
#include "formats/mpi/window.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* CHUNK_BYTES: bytes that MPI sends at a time. IS_LIST: set in the size of a message that is a list. */
enum { CHUNK_BYTES = 1 << 26 };
#define IS_LIST (UINT64_C(1) << 63)

/* What a rank tells another before they exchange messages. */
struct batch_sizes {
    uint64_t bytes;   /* of the message to the other rank; IS_LIST may be set */
    uint64_t changed; /* number of words of delegates that changed */
};

enum status batch_messages_open(struct batch_messages *m, const struct joined_graph *graph, int words, struct error *e)
{
    static const char what[] = "messages of a batch";
    const struct joined_ghosts *ghosts = &graph->ghosts;
    const uint32_t R = ghosts->comm->ranks;
    *m = (struct batch_messages){.comm = ghosts->comm, .words = (uint64_t)words, .delegates = graph->shards->manifest.d,
                                 .ghosts = {ghosts->begin, NULL, graph->vertices},
                                 .shown = {ghosts->shown_begin, ghosts->shown, 0}};
    m->most = smaller(m->delegates * m->words / 4, INT_MAX / 4);
    m->message_bytes = larger(batch_message_at(m, &m->ghosts, R), batch_message_at(m, &m->shown, R)) + 16;
    m->memory_bytes = 2 * m->message_bytes + 8 * m->delegates * m->words + 2 * m->most * sizeof *m->changed;
    m->to = zeroed(R, sizeof *m->to, what, e);
    m->from = zeroed(R, sizeof *m->from, what, e);
    m->used = zeroed(R, sizeof *m->used, what, e);
    m->move = zeroed(2 * R, sizeof *m->move, what, e);
    m->counts = zeroed(R, sizeof *m->counts, what, e);
    m->begins = zeroed(R, sizeof *m->begins, what, e);
    return e->status;
}

void batch_messages_place(struct batch_messages *m, void *memory)
{
    m->sent = memory;
    m->received = m->sent + m->message_bytes;
    m->delegate_words = (uint64_t *)(m->received + m->message_bytes);
    m->changed = (struct mask_word *)(m->delegate_words + m->delegates * m->words);
    m->all_changed = m->changed + m->most;
}

void batch_messages_close(struct batch_messages *m)
{
    void *const tables[] = {m->to, m->from, m->used, m->move, m->counts, m->begins};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        free(tables[i]);
    *m = (struct batch_messages){0};
}

/* ---- words of ghosts ---- */

uint32_t batch_side_rank(const struct batch_messages *m, const struct batch_side *side, uint64_t i)
{
    uint32_t first = 0, end = m->comm->ranks;
    while (end - first > 1) {
        const uint32_t middle = first + (end - first) / 2;
        if (side->begin[middle] <= i)
            first = middle;
        else
            end = middle;
    }
    return first;
}

void batch_message_set_list_size(struct batch_messages *m, uint32_t rank)
{
    m->to[rank].bytes = m->used[rank] > 0 ? m->used[rank] * batch_entry_bytes(m) | IS_LIST : 0;
}

int batch_message_set_size(struct batch_messages *m, const struct batch_side *from, uint32_t rank)
{
    const uint64_t whole = 8 * m->words * (from->begin[rank + 1] - from->begin[rank]);
    if (m->used[rank] * batch_entry_bytes(m) < whole) {
        batch_message_set_list_size(m, rank);
        return m->used[rank] > 0;
    }
    m->to[rank].bytes = whole;
    return 0;
}

uint32_t *batch_message_index(const struct batch_messages *m, const struct batch_side *from, uint32_t rank)
{
    const uint64_t entries = (m->to[rank].bytes & ~IS_LIST) / batch_entry_bytes(m);
    return (uint32_t *)(m->sent + batch_message_at(m, from, rank) + 8 * m->words * entries);
}

/* Sends the row of sizes for each rank to it, with the number of words of delegates that changed here. */
void batch_messages_tell(struct batch_messages *m, uint64_t changed)
{
    for (uint32_t r = 0; r < m->comm->ranks; r++)
        m->to[r].changed = changed;
    comm_alltoall_u64(m->comm, (const uint64_t *)m->to, (uint64_t *)m->from, sizeof *m->to / 8);
}

void batch_messages_move(struct batch_messages *m, const struct batch_side *from, const struct batch_side *to)
{
    const uint32_t R = m->comm->ranks;
    struct error e = {0};
    for (uint32_t r = 0; r < R; r++) {
        const uint64_t sent = m->to[r].bytes & ~IS_LIST, received = m->from[r].bytes & ~IS_LIST;
        m->move[r] = (struct transfer){r, 0, m->sent + batch_message_at(m, from, r), sent};
        m->move[R + r] = (struct transfer){r, 0, m->received + batch_message_at(m, to, r), received};
        m->sent_bytes += sent;
    }
    if (comm_transfer(m->comm, m->move, R, m->move + R, R, CHUNK_BYTES, &e) != ST_OK)
        comm_abort(m->comm, "dbfs-batch", &e);
    memset(m->to, 0, R * sizeof *m->to);
}

struct batch_message batch_message_from(const struct batch_messages *m, const struct batch_side *to, uint32_t rank)
{
    const uint64_t bytes = m->from[rank].bytes & ~IS_LIST;
    struct batch_message message = {.words = (const uint64_t *)(m->received + batch_message_at(m, to, rank)),
                                    .count = bytes / (8 * m->words)};
    if ((m->from[rank].bytes & IS_LIST) != 0) {
        message.count = bytes / batch_entry_bytes(m);
        message.index = (const uint32_t *)(message.words + message.count * m->words);
    }
    return message;
}

/* ---- words of delegates ---- */

uint64_t batch_messages_all_changed(struct batch_messages *m)
{
    uint64_t all = 0;
    for (uint32_t r = 0; r < m->comm->ranks; r++) {
        m->begins[r] = (int)smaller(2 * all, INT_MAX);
        m->counts[r] = (int)smaller(2 * m->from[r].changed, INT_MAX);
        all += m->from[r].changed;
    }
    return all;
}

void batch_messages_gather_changed(struct batch_messages *m)
{
    const int own = m->counts[m->comm->rank];
    comm_gather_mask_words(NULL, m->changed, own, m->all_changed, m->counts, m->begins);
    m->sent_bytes += 8 * (uint64_t)own;
}

void batch_messages_or_delegates(struct batch_messages *m)
{
    comm_or_masks(m->comm, m->delegate_words, m->delegates * m->words);
    m->sent_bytes += 8 * m->delegates * m->words;
}

/* ---- counts ---- */

void batch_messages_sum(struct batch_messages *m, struct batch_found *found)
{
    memcpy(m->here, found->count, sizeof m->here);
    found->sent = m->sent_bytes;
    m->sent_bytes = 0;
    comm_sum_u64(m->comm, (uint64_t *)found, sizeof *found / 8);
}
