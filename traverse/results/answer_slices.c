/* answer_slices.c: see answer_slices.h */
#include "answer_slices.h"

#include "formats/graph/partition.h"

#include <stdlib.h>
#include <string.h>

static const char what[] = "messages of answers";

enum { SLICE_TAG = 1 << 14, CHUNK_BYTES = 4 << 20 }; /* tags differ from those of the nn exchange */

/* Frees buffers[G], with their memory. NULL is allowed. */
static void close_buffers(const struct slices *x, struct slice_buffer *buffers)
{
    for (uint32_t g = 0; buffers != NULL && g < x->G; g++)
        x->rank->backend->release_buffer(x->rank->devices[0], EXCHANGE_HOST, buffers[g].memory);
    free(buffers);
}

/* Frees all tables and buffers. */
void slices_close(struct slices *x)
{
    free(x->out);
    free(x->in);
    free(x->cards);
    free(x->cards_in);
    free(x->sends);
    free(x->receives);
    free(x->transfers);
    close_buffers(x, x->send);
    close_buffers(x, x->receive);
}

/* Takes tables for each pair of a device of the rank and a shard, and no buffers yet. */
enum status slices_open(struct slices *x, const struct rank *rank, struct error *e)
{
    uint32_t G = rank->device_count, p = rank->graph->manifest.p;
    uint64_t pairs = (uint64_t)G * p;
    *x = (struct slices){.rank = rank, .G = G, .p = p};
    x->out = zeroed(pairs, sizeof *x->out, what, e);
    x->in = zeroed(pairs, sizeof *x->in, what, e);
    x->cards = zeroed(pairs, sizeof *x->cards, what, e);
    x->cards_in = zeroed(pairs, sizeof *x->cards_in, what, e);
    x->sends = zeroed(pairs, sizeof *x->sends, what, e);
    x->receives = zeroed(pairs, sizeof *x->receives, what, e);
    x->send = zeroed(G, sizeof *x->send, what, e);
    x->receive = zeroed(G, sizeof *x->receive, what, e);
    return e->status;
}

/* Returns the slices [p] that device g sends. */
struct slice *slices_out(const struct slices *x, uint32_t g)
{
    return x->out + (size_t)g * x->p;
}

/* Returns the slices [p] that device g received. */
struct slice *slices_in(const struct slices *x, uint32_t g)
{
    return x->in + (size_t)g * x->p;
}

/* Enlarges a buffer to at least `bytes`; old contents are lost. */
static enum status make_room(const struct slices *x, struct slice_buffer *buffer, uint64_t bytes,
                             struct error *e)
{
    const struct backend *backend = x->rank->backend;
    if (bytes <= buffer->capacity)
        return ST_OK;
    backend->release_buffer(x->rank->devices[0], EXCHANGE_HOST, buffer->memory);
    buffer->memory = backend->take_buffer(x->rank->devices[0], EXCHANGE_HOST, bytes, what, e);
    buffer->capacity = buffer->memory != NULL ? bytes : 0;
    return e->status;
}

/* ---- before the exchange ---- */

/* Returns where the device of shard s, on another rank, can read the slice of device g (see slice_card.place), or
 * 0 if it cannot read the memory or is on this rank. */
static uint64_t shown_place(const struct slices *x, uint32_t g, uint32_t s)
{
    const struct backend_results *results = x->rank->backend->results;
    if (x->hosted || results->show_slice == NULL || rank_of_shard(s, x->rank->comm->ranks) == x->rank->comm->rank)
        return 0;
    return results->show_slice(x->rank->devices[g], s, &slices_out(x, g)[s]);
}

/* Returns whether the slice of device g for shard s must be copied to memory of the host. */
static int is_staged(const struct slices *x, uint32_t g, uint32_t s)
{
    const struct rank *rank = x->rank;
    const struct backend_results *results = rank->backend->results;
    if (x->hosted || results->copy_slice == NULL)
        return 0;
    if (rank_of_shard(s, rank->comm->ranks) != rank->comm->rank)
        return shown_place(x, g, s) == 0;
    uint32_t other = device_of_shard(s, rank->comm->ranks);
    return !results->can_read(rank->devices[other], rank->devices[g]);
}

/* Called by rank_each for device g: copies the slices that must be sent from memory of the host into the send
 * buffer, and points slices_out there. The context is a struct slices. */
static enum status stage_device(void *context, uint32_t g, struct error *e)
{
    struct slices *x = context;
    struct slice *out = slices_out(x, g);
    uint64_t total = 0;
    for (uint32_t s = 0; s < x->p; s++)
        total += is_staged(x, g, s) ? out[s].bytes : 0;
    if (make_room(x, &x->send[g], total, e) != ST_OK)
        return e->status;
    char *at = x->send[g].memory;
    for (uint32_t s = 0; s < x->p && e->status == ST_OK; s++) {
        if (out[s].bytes == 0 || !is_staged(x, g, s))
            continue;
        x->rank->backend->results->copy_slice(x->rank->devices[g], &out[s], at, e);
        out[s].at = at;
        at += out[s].bytes;
    }
    return e->status;
}

/* Calls stage_device for all devices of the rank. */
static enum status stage(struct slices *x, struct error *e)
{
    return rank_each(x->rank, stage_device, x, e);
}

/* ---- the exchange ---- */

/* Returns the index of the card for a pair of devices in the cards exchanged with `rank`: `from` is the index of
 * the sending device in its rank, and `to` that of the receiving one. */
static size_t pair_of(const struct slices *x, uint32_t rank, uint32_t from, uint32_t to)
{
    return ((size_t)rank * x->G + from) * x->G + to;
}

/* Collective. Sends every rank the length and place of each slice for its devices, and receives the same about the
 * slices for the own devices in cards_in. */
static void share_cards(struct slices *x)
{
    uint32_t ranks = x->rank->comm->ranks;
    for (uint32_t g = 0; g < x->G; g++) {
        for (uint32_t s = 0; s < x->p; s++)
            x->cards[pair_of(x, rank_of_shard(s, ranks), g, device_of_shard(s, ranks))] =
                (struct slice_card){slices_out(x, g)[s].bytes, shown_place(x, g, s)};
    }
    if (ranks == 1)
        memcpy(x->cards_in, x->cards, x->G * x->p * sizeof *x->cards);
    else
        comm_alltoall_u64(x->rank->comm, &x->cards->bytes, &x->cards_in->bytes,
                          (int)(x->G * x->G * sizeof *x->cards / sizeof(uint64_t)));
}

/* Lists the messages to other ranks in x->sends. Returns the number of messages. */
static size_t list_sends(struct slices *x)
{
    size_t listed = 0;
    uint32_t ranks = x->rank->comm->ranks;
    for (uint32_t g = 0; g < x->G; g++) {
        for (uint32_t s = 0; s < x->p; s++) {
            const struct slice *out = &slices_out(x, g)[s];
            uint32_t to = rank_of_shard(s, ranks);
            int tag = SLICE_TAG + (int)(g * x->G + device_of_shard(s, ranks));
            if (to != x->rank->comm->rank && out->bytes > 0 && shown_place(x, g, s) == 0)
                x->sends[listed++] = (struct transfer){to, tag, (void *)out->at, out->bytes};
        }
    }
    return listed;
}

/* Returns what the rank of `shard` told about its slice for device g of this rank. */
static const struct slice_card *card_of(const struct slices *x, uint32_t shard, uint32_t g)
{
    uint32_t ranks = x->rank->comm->ranks;
    return &x->cards_in[pair_of(x, rank_of_shard(shard, ranks), device_of_shard(shard, ranks), g)];
}

/* Returns whether a slice of `shard` comes from another rank in a message, and not empty. */
static int comes_in_message(const struct slices *x, uint32_t shard, const struct slice_card *card)
{
    const struct comm *comm = x->rank->comm;
    return rank_of_shard(shard, comm->ranks) != comm->rank && card->place == 0 && card->bytes > 0;
}

/* Returns the address of the slice of `shard` for device g if the device reads it in place, or NULL if it comes in
 * a message or is empty. */
static const void *place_of(const struct slices *x, uint32_t shard, uint32_t g)
{
    const struct rank *rank = x->rank;
    const struct slice_card *card = card_of(x, shard, g);
    if (rank_of_shard(shard, rank->comm->ranks) == rank->comm->rank)
        return slices_out(x, device_of_shard(shard, rank->comm->ranks))[rank->graph->shards[g].index].at;
    return card->place == 0 ? NULL
                            : rank->backend->results->peers_slice(rank->devices[g], shard, card->place);
}

/* Sets slices_in of device g: slices that are read in place, and memory in the receive buffer for those that come
 * in messages. Appends these messages to x->receives, and adds their number to *receives. */
static enum status place_slices(struct slices *x, uint32_t g, size_t *receives, struct error *e)
{
    const struct comm *comm = x->rank->comm;
    struct slice *in = slices_in(x, g);
    uint64_t total = 0;
    for (uint32_t s = 0; s < x->p; s++) {
        in[s] = (struct slice){place_of(x, s, g), card_of(x, s, g)->bytes};
        total += comes_in_message(x, s, card_of(x, s, g)) ? in[s].bytes : 0;
    }
    if (make_room(x, &x->receive[g], total, e) != ST_OK)
        return e->status;
    char *at = x->receive[g].memory;
    for (uint32_t s = 0; s < x->p; s++) {
        int tag = SLICE_TAG + (int)(device_of_shard(s, comm->ranks) * x->G + g);
        if (!comes_in_message(x, s, card_of(x, s, g)))
            continue;
        in[s].at = at;
        x->receives[(*receives)++] =
            (struct transfer){rank_of_shard(s, comm->ranks), tag, at, in[s].bytes};
        at += in[s].bytes;
    }
    return ST_OK;
}

/* Collective. Exchanges the lengths and places of all slices between the ranks, takes memory for the messages that
 * will come, and prepares the transfers. */
static enum status share(struct slices *x, struct error *e)
{
    size_t receives = 0;
    share_cards(x);
    for (uint32_t g = 0; g < x->G && e->status == ST_OK; g++)
        place_slices(x, g, &receives, e);
    if (x->rank->comm->ranks == 1 || e->status != ST_OK)
        return e->status;
    free(x->transfers);
    return comm_prepare_transfers(&x->transfers, x->sends, list_sends(x), x->receives, receives,
                                  CHUNK_BYTES, e);
}

/* Stages, shares lengths, and moves the messages; see answer_slices.h. */
enum status slices_exchange(struct slices *x, struct error *e)
{
    if (stage(x, e) == ST_OK && share(x, e) == ST_OK)
        comm_move_transfers(x->rank->comm, x->transfers);
    return e->status;
}

/* Does all steps on every rank, failed ones too, until the ranks agree; see answer_slices.h. */
enum status slices_exchange_agreed(struct slices *x, struct error *e)
{
    const struct comm *comm = x->rank->comm;
    stage(x, e);
    share(x, e);
    if (comm_agree(comm, e) == ST_OK && comm->ranks > 1)
        comm_move_transfers(comm, x->transfers);
    return e->status;
}
