/* answer_marks.c: see answer_marks.h
 *
 * Only the rank of a shard knows which of its ids have edges. It tells each block's device once, a bit for each id:
 * all messages of all ranks together have n bits.
 */
#include "answer_marks.h"

#include "traverse/devices/answer_blocks.h"

#include <stdlib.h>
#include <string.h>

enum { MARKS_TAG = 1 << 14, CHUNK_BYTES = 4 << 20 };

/* Bits of a device: those of its shard, by block, and those for its block, by shard. Each block and each shard begins
 * with a word. */
struct bits {
    uint32_t *sent, *received;
    uint64_t *sent_at; /* [p + 1] */
};

struct marking {
    struct places *places;
    uint32_t G, p, ranks;
    struct bits *of; /* [G] */
    struct transfer *sends, *receives; /* [G * p] */
    size_t send_count, receive_count;
    struct transfers *transfers;
};

/* ---- marks that this rank knows ---- */

/* Writes marks of ids begin..end of a shard to `bits`, and appends the numbers of those with edges at *to. */
static void list_vertices(uint32_t *vertex, uint64_t begin, uint64_t end, uint32_t none, uint64_t *to, uint32_t *bits)
{
    for (uint64_t i = begin; i < end; i++) {
        uint32_t number = vertex[i], has_edges = number != none;
        bits[(i - begin) / 32] |= has_edges << ((i - begin) % 32);
        vertex[*to] = number;
        *to += has_edges;
    }
}

static void list_device(const struct marking *w, uint32_t g)
{
    const struct shard *shard = &w->places->rank->graph->shards[g];
    const struct bits *bits = &w->of[g];
    uint64_t *starts = w->places->starts[g], listed = 0;
    for (uint32_t b = 0; b < w->p; b++) {
        uint64_t begin = starts[b];
        starts[b] = listed;
        list_vertices(w->places->vertex[g], begin, starts[b + 1], (uint32_t)(shard->locals + shard->d), &listed,
                      bits->sent + bits->sent_at[b]);
    }
    starts[w->p] = listed;
}

static enum status take_bits(const struct marking *w, uint32_t g, struct error *e)
{
    struct bits *bits = &w->of[g];
    struct memory_budget *budget = w->places->rank->budget;
    const uint64_t *starts = w->places->starts[g];
    uint64_t marks = w->places->marks_of[g][w->p];
    bits->sent_at = calloc((size_t)w->p + 1, sizeof *bits->sent_at);
    if (bits->sent_at == NULL)
        return fail_memory(e, "blocks of ids", (w->p + 1) * sizeof *bits->sent_at);
    for (uint32_t b = 0; b < w->p; b++)
        bits->sent_at[b + 1] = bits->sent_at[b] + marks_for(starts[b + 1] - starts[b]);
    if (memory_take(budget, (void **)&bits->sent, bits->sent_at[w->p], 4, "ids with edges", e) != ST_OK ||
        memory_take(budget, (void **)&bits->received, marks, 4, "ids with edges", e) != ST_OK)
        return e->status;
    memset(bits->sent, 0, bits->sent_at[w->p] * sizeof *bits->sent);
    return memory_take(budget, (void **)&w->places->marks[g], marks, sizeof **w->places->marks,
                       "ids with edges", e);
}

/* ---- messages between shards ---- */

/* The message between device `from` of one rank and device `to` of another. */
static struct transfer message(const struct marking *w, uint32_t rank, uint32_t from, uint32_t to, uint32_t *words,
                               uint64_t count)
{
    return (struct transfer){rank, MARKS_TAG + (int)(from * w->G + to), words, count * sizeof *words};
}

/* Bits of device g for block b. */
static void send_bits(struct marking *w, uint32_t g, uint32_t b)
{
    const struct bits *bits = &w->of[g];
    uint32_t rank = b / w->G, to = b % w->G, shard = w->places->rank->graph->shards[g].index;
    uint32_t *words = bits->sent + bits->sent_at[b];
    uint64_t count = bits->sent_at[b + 1] - bits->sent_at[b];
    if (rank == w->places->rank->comm->rank)
        memcpy(w->of[to].received + w->places->marks_of[to][shard], words, count * sizeof *words);
    else if (count > 0)
        w->sends[w->send_count++] = message(w, rank, g, to, words, count);
}

/* Bits of shard s for the block of device g. */
static void receive_bits(struct marking *w, uint32_t g, uint32_t s)
{
    const uint64_t *at = w->places->marks_of[g] + s;
    uint32_t rank = rank_of_shard(s, w->ranks);
    if (rank != w->places->rank->comm->rank && at[1] > at[0])
        w->receives[w->receive_count++] =
            message(w, rank, device_of_shard(s, w->ranks), g, w->of[g].received + at[0], at[1] - at[0]);
}

static enum status prepare(struct marking *w, struct error *e)
{
    for (uint32_t g = 0; g < w->G; g++) {
        for (uint32_t i = 0; i < w->p; i++) {
            send_bits(w, g, i);
            receive_bits(w, g, i);
        }
    }
    return comm_prepare_transfers(&w->transfers, w->sends, w->send_count, w->receives, w->receive_count,
                                  CHUNK_BYTES, e);
}

/* ---- all of it ---- */

static void set_marks(const struct marking *w, uint32_t g)
{
    const uint64_t *at = w->places->marks_of[g];
    struct id_marks *marks = w->places->marks[g];
    for (uint32_t s = 0; s < w->p; s++) {
        uint32_t earlier = 0;
        for (uint64_t i = at[s]; i < at[s + 1]; i++) {
            marks[i] = (struct id_marks){w->of[g].received[i], earlier};
            earlier += (uint32_t)__builtin_popcount(marks[i].bits);
        }
    }
}

static enum status make_messages(struct marking *w, struct error *e)
{
    size_t pairs = (size_t)w->G * w->p;
    w->of = calloc(w->G, sizeof *w->of);
    w->sends = calloc(pairs, sizeof *w->sends);
    w->receives = calloc(pairs, sizeof *w->receives);
    if (w->of == NULL || w->sends == NULL || w->receives == NULL)
        return fail_memory(e, "messages of answers", pairs * sizeof *w->sends);
    for (uint32_t g = 0; g < w->G && e->status == ST_OK; g++)
        take_bits(w, g, e);
    if (e->status != ST_OK)
        return e->status;
#pragma omp parallel for schedule(dynamic)
    for (uint32_t g = 0; g < w->G; g++)
        list_device(w, g);
    return prepare(w, e);
}

static void forget(struct marking *w)
{
    for (uint32_t g = 0; w->of != NULL && g < w->G; g++) {
        memory_release(w->places->rank->budget, w->of[g].sent);
        memory_release(w->places->rank->budget, w->of[g].received);
        free(w->of[g].sent_at);
    }
    free(w->of);
    free(w->sends);
    free(w->receives);
    free(w->transfers);
}

enum status places_mark(struct places *places, struct error *e)
{
    const struct rank *rank = places->rank;
    struct marking w = {.places = places,
                        .G = rank->device_count,
                        .p = rank->graph->manifest.p,
                        .ranks = rank->comm->ranks};
    if (e->status == ST_OK)
        make_messages(&w, e);
    if (comm_agree(rank->comm, e) == ST_OK) {
        comm_move_transfers(rank->comm, w.transfers);
        for (uint32_t g = 0; g < w.G; g++)
            set_marks(&w, g);
    }
    forget(&w);
    return e->status;
}
