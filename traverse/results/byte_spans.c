/* byte_spans.c: brings byte spans from devices to other devices, in place or by messages; see byte_spans.h */
#include "byte_spans.h"

#include "formats/graph/partition.h"

#include <stdlib.h>
#include <string.h>

static const char what[] = "messages of answers";

/* SPAN_TAG: the lowest MPI tag of a message with a span. The nn exchange uses lower tags. CHUNK_BYTES: a message is sent
 * in chunks of this size at most. */
enum { SPAN_TAG = 1 << 14, CHUNK_BYTES = 4 << 20 };

/* The first exchange allocates the buffers. Charges no memory budget. */
enum status byte_spans_open(struct byte_spans *x, const struct rank *rank, struct error *e)
{
    uint32_t G = rank->device_count, p = rank->graph->manifest.p;
    uint64_t pairs = (uint64_t)G * p;
    *x = (struct byte_spans){.rank = rank, .G = G, .p = p};
    x->out = zeroed(pairs, sizeof *x->out, what, e);
    x->in = zeroed(pairs, sizeof *x->in, what, e);
    x->out_by_rank = zeroed(pairs, sizeof *x->out_by_rank, what, e);
    x->in_by_rank = zeroed(pairs, sizeof *x->in_by_rank, what, e);
    x->sends = zeroed(pairs, sizeof *x->sends, what, e);
    x->receives = zeroed(pairs, sizeof *x->receives, what, e);
    x->send = zeroed(G, sizeof *x->send, what, e);
    x->receive = zeroed(G, sizeof *x->receive, what, e);
    return e->status;
}

void byte_spans_close(struct byte_spans *x)
{
    struct span_buffer *const buffers[] = {x->send, x->receive};
    for (int i = 0; i < 2; i++) {
        for (uint32_t g = 0; buffers[i] != NULL && g < x->G; g++)
            x->rank->backend->release_buffer(x->rank->devices[g], EXCHANGE_HOST, buffers[i][g].memory);
        free(buffers[i]);
    }
    free(x->out);
    free(x->in);
    free(x->out_by_rank);
    free(x->in_by_rank);
    free(x->sends);
    free(x->receives);
    free(x->transfers);
}

/* Frees the memory of *buffer, a buffer of device g, and allocates `bytes` instead, so the old content is lost. Does nothing
 * if the buffer has `bytes` or more. After a failure the buffer has no memory. Charges no memory budget. */
static enum status grow_buffer(const struct byte_spans *x, uint32_t g, struct span_buffer *buffer, uint64_t bytes,
                               struct error *e)
{
    const struct backend *backend = x->rank->backend;
    struct device *device = x->rank->devices[g];
    if (bytes <= buffer->capacity)
        return ST_OK;
    backend->release_buffer(device, EXCHANGE_HOST, buffer->memory);
    buffer->memory = backend->take_buffer(device, EXCHANGE_HOST, bytes, what, e);
    buffer->capacity = buffer->memory != NULL ? bytes : 0;
    return e->status;
}

/* Returns whether a span that goes to shard s, or comes from shard s, needs a message. It does if it is not empty, shard s is
 * on another rank, and the receiver cannot read the span in place (span->place is 0). */
static int is_message(const struct byte_spans *x, uint32_t s, const struct byte_span *span)
{
    const struct comm *comm = x->rank->comm;
    return span->bytes > 0 && span->place == 0 && rank_of_shard(s, comm->ranks) != comm->rank;
}

/* Returns whether the span of device g for shard s must be copied to memory of the host. This is so if the span is in device
 * memory and not empty, and either needs a message, or is for a device of this rank that cannot read that memory. */
static int is_staged(const struct byte_spans *x, uint32_t g, uint32_t s)
{
    const struct rank *rank = x->rank;
    const struct byte_span *span = &byte_spans_out(x, g)[s];
    if (x->caller_stages || !rank->backend->has_device_memory || span->bytes == 0)
        return 0;
    if (rank_of_shard(s, rank->comm->ranks) != rank->comm->rank)
        return is_message(x, s, span);
    const struct device *reader = rank->devices[device_of_shard(s, rank->comm->ranks)];
    return !rank->backend->answers->reads_peer(reader, rank->graph->shards[g].index);
}

/* Copies the spans of device g that must be in memory of the host (is_staged) into its send buffer, and makes byte_spans_out
 * point to the copies. Enlarges the buffer if needed. Called by rank_each, with the struct byte_spans. */
static enum status stage_device(void *context, uint32_t g, struct error *e)
{
    struct byte_spans *x = context;
    struct byte_span *out = byte_spans_out(x, g);
    uint64_t total = 0;
    for (uint32_t s = 0; s < x->p; s++)
        total += is_staged(x, g, s) ? out[s].bytes : 0;
    if (grow_buffer(x, g, &x->send[g], total, e) != ST_OK)
        return e->status;
    char *at = x->send[g].memory;
    for (uint32_t s = 0; s < x->p && e->status == ST_OK; s++) {
        if (!is_staged(x, g, s))
            continue;
        x->rank->backend->answers->copy(x->rank->devices[g], at, out[s].at, out[s].bytes, e);
        out[s].at = at;
        at += out[s].bytes;
    }
    return e->status;
}

/* Returns the index, in out_by_rank and in_by_rank, of the span that device `from` sends to device `to`. One of the two is a
 * device of this rank, and the other is a device of rank `other`. */
static size_t pair_of(const struct byte_spans *x, uint32_t other, uint32_t from, uint32_t to)
{
    return ((size_t)other * x->G + from) * x->G + to;
}

/* Collective. Tells every rank where the spans for its devices are, and how long, even if *e has failed before. Prepares the
 * messages, but sends none. Sets byte_spans_in:
 * - A span of this rank points to the memory of its sender.
 * - A span that comes in a message points into the receive buffer.
 * - Any other span of another rank is read in place: its pointer is NULL, and only `place` says where its bytes are. */
static enum status share_spans(struct byte_spans *x, struct error *e)
{
    const struct comm *comm = x->rank->comm;
    size_t sends = 0, receives = 0;
    for (uint32_t g = 0; g < x->G; g++) {
        for (uint32_t s = 0; s < x->p; s++) {
            const struct byte_span *out = &byte_spans_out(x, g)[s];
            uint32_t rank = rank_of_shard(s, comm->ranks), to = device_of_shard(s, comm->ranks);
            x->out_by_rank[pair_of(x, rank, g, to)] = *out;
            if (is_message(x, s, out))
                x->sends[sends++] =
                    (struct transfer){rank, SPAN_TAG + (int)(g * x->G + to), (void *)out->at, out->bytes};
        }
    }
    if (comm->ranks == 1)
        memcpy(x->in_by_rank, x->out_by_rank, x->G * x->p * sizeof *x->out_by_rank);
    else
        comm_alltoall_u64(comm, (const uint64_t *)(const void *)x->out_by_rank, (uint64_t *)(void *)x->in_by_rank,
                          (int)(x->G * x->G * sizeof *x->out_by_rank / sizeof(uint64_t)));
    if (e->status != ST_OK) /* this rank must not return earlier, because the other ranks wait in comm_alltoall_u64 */
        return e->status;
    for (uint32_t g = 0; g < x->G; g++) {
        struct byte_span *in = byte_spans_in(x, g);
        uint64_t total = 0;
        for (uint32_t s = 0; s < x->p; s++) {
            in[s] = x->in_by_rank[pair_of(x, rank_of_shard(s, comm->ranks), device_of_shard(s, comm->ranks), g)];
            total += is_message(x, s, &in[s]) ? in[s].bytes : 0;
        }
        if (grow_buffer(x, g, &x->receive[g], total, e) != ST_OK)
            return e->status;
        char *at = x->receive[g].memory;
        for (uint32_t s = 0; s < x->p; s++) {
            uint32_t rank = rank_of_shard(s, comm->ranks), from = device_of_shard(s, comm->ranks);
            if (rank != comm->rank)
                in[s].at = NULL; /* the address is valid only in the other process */
            if (!is_message(x, s, &in[s]))
                continue;
            in[s].at = at;
            x->receives[receives++] = (struct transfer){rank, SPAN_TAG + (int)(from * x->G + g), at, in[s].bytes};
            at += in[s].bytes;
        }
    }
    if (comm->ranks == 1)
        return ST_OK;
    free(x->transfers);
    return comm_prepare_transfers(&x->transfers, x->sends, sends, x->receives, receives, CHUNK_BYTES, e);
}

/* Collective. Brings the spans to their receivers (byte_spans.h): copies spans to memory of the host where needed, tells all
 * ranks the lengths, and sends and receives the messages. A rank that fails returns at once, and must end the job. */
enum status byte_spans_exchange(struct byte_spans *x, struct error *e)
{
    if (rank_each(x->rank, stage_device, x, e) == ST_OK && share_spans(x, e) == ST_OK)
        comm_move_transfers(x->rank->comm, x->transfers);
    return e->status;
}

/* Collective. Does what byte_spans_exchange does, but all ranks agree before they send messages. */
enum status byte_spans_exchange_agreed(struct byte_spans *x, struct error *e)
{
    const struct comm *comm = x->rank->comm;
    rank_each(x->rank, stage_device, x, e);
    share_spans(x, e);
    if (comm_agree(comm, e) == ST_OK && comm->ranks > 1)
        comm_move_transfers(comm, x->transfers);
    return e->status;
}
