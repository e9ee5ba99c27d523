/* answer_slices.c: see answer_slices.h */
#include "answer_slices.h"

#include "formats/graph/partition.h"

#include <stdlib.h>
#include <string.h>

enum { SLICE_TAG = 1 << 14, CHUNK_BYTES = 4 << 20 }; /* tags apart from those of the nn exchange */

static void close_buffers(const struct slices *x, struct slice_buffer *buffers)
{
    for (uint32_t g = 0; buffers != NULL && g < x->G; g++)
        x->rank->backend->messages->host_release(buffers[g].memory);
    free(buffers);
}

void slices_close(struct slices *x)
{
    free(x->out);
    free(x->in);
    free(x->sizes);
    free(x->sizes_in);
    free(x->sends);
    free(x->receives);
    close_buffers(x, x->send);
    close_buffers(x, x->receive);
}

enum status slices_open(struct slices *x, const struct rank *rank, struct error *e)
{
    uint32_t G = rank->device_count, p = rank->graph->manifest.p;
    size_t pairs = (size_t)G * p;
    *x = (struct slices){.rank = rank, .G = G, .p = p};
    x->out = calloc(pairs, sizeof *x->out);
    x->in = calloc(pairs, sizeof *x->in);
    x->sizes = calloc(pairs, sizeof *x->sizes);
    x->sizes_in = calloc(pairs, sizeof *x->sizes_in);
    x->sends = calloc(pairs, sizeof *x->sends);
    x->receives = calloc(pairs, sizeof *x->receives);
    x->send = calloc(G, sizeof *x->send);
    x->receive = calloc(G, sizeof *x->receive);
    if (x->out == NULL || x->in == NULL || x->sizes == NULL || x->sizes_in == NULL ||
        x->sends == NULL || x->receives == NULL || x->send == NULL || x->receive == NULL)
        return fail_memory(e, "messages of answers", pairs * sizeof *x->out);
    return ST_OK;
}

struct slice *slices_out(const struct slices *x, uint32_t g)
{
    return x->out + (size_t)g * x->p;
}

struct slice *slices_in(const struct slices *x, uint32_t g)
{
    return x->in + (size_t)g * x->p;
}

static enum status make_room(const struct slices *x, struct slice_buffer *buffer, uint64_t bytes,
                             struct error *e)
{
    const struct backend_messages *messages = x->rank->backend->messages;
    if (bytes <= buffer->room)
        return ST_OK;
    messages->host_release(buffer->memory);
    buffer->room = 0;
    buffer->memory = messages->host_take(bytes);
    if (buffer->memory == NULL)
        return fail_memory(e, "messages of answers", bytes);
    buffer->room = bytes;
    return ST_OK;
}

/* ---- before the exchange ---- */

/* Whether what device g has for shard s must be copied to memory of the host. */
static int is_staged(const struct slices *x, uint32_t g, uint32_t s)
{
    const struct rank *rank = x->rank;
    const struct backend_results *results = rank->backend->results;
    if (results->copy_slice == NULL)
        return 0;
    if (rank_of_shard(s, rank->comm->ranks) != rank->comm->rank)
        return 1;
    uint32_t other = device_of_shard(s, rank->comm->ranks);
    return !results->can_read(rank->devices[other], rank->devices[g]);
}

static enum status stage_device(struct slices *x, uint32_t g, struct error *e)
{
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

enum status slices_stage(struct slices *x, const struct member *m, struct error *e)
{
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++)
        stage_device(x, g, e);
    return e->status;
}

/* ---- the exchange ---- */

/* The pair (device of a rank, device of another) in the sizes that a rank gets from, or sends to, `rank`. */
static size_t pair_of(const struct slices *x, uint32_t rank, uint32_t from, uint32_t to)
{
    return ((size_t)rank * x->G + from) * x->G + to;
}

static void share_sizes(struct slices *x)
{
    uint32_t ranks = x->rank->comm->ranks;
    for (uint32_t g = 0; g < x->G; g++) {
        for (uint32_t s = 0; s < x->p; s++)
            x->sizes[pair_of(x, rank_of_shard(s, ranks), g, device_of_shard(s, ranks))] =
                slices_out(x, g)[s].bytes;
    }
    if (ranks == 1)
        memcpy(x->sizes_in, x->sizes, x->G * x->p * sizeof *x->sizes);
    else
        comm_alltoall_u64(x->rank->comm, x->sizes, x->sizes_in, (int)(x->G * x->G));
}

static size_t list_sends(struct slices *x)
{
    size_t listed = 0;
    uint32_t ranks = x->rank->comm->ranks;
    for (uint32_t g = 0; g < x->G; g++) {
        for (uint32_t s = 0; s < x->p; s++) {
            const struct slice *out = &slices_out(x, g)[s];
            uint32_t to = rank_of_shard(s, ranks);
            int tag = SLICE_TAG + (int)(g * x->G + device_of_shard(s, ranks));
            if (to != x->rank->comm->rank && out->bytes > 0)
                x->sends[listed++] = (struct transfer){to, tag, (void *)out->at, out->bytes};
        }
    }
    return listed;
}

/* Where each slice for device g will lie; messages for those of other ranks. */
static enum status place_slices(struct slices *x, uint32_t g, size_t *receives, struct error *e)
{
    const struct comm *comm = x->rank->comm;
    struct slice *in = slices_in(x, g);
    uint64_t total = 0;
    for (uint32_t s = 0; s < x->p; s++) {
        uint32_t rank = rank_of_shard(s, comm->ranks), from = device_of_shard(s, comm->ranks);
        in[s].bytes = x->sizes_in[pair_of(x, rank, from, g)];
        total += rank != comm->rank ? in[s].bytes : 0;
    }
    if (make_room(x, &x->receive[g], total, e) != ST_OK)
        return e->status;
    char *at = x->receive[g].memory;
    for (uint32_t s = 0; s < x->p; s++) {
        uint32_t rank = rank_of_shard(s, comm->ranks), from = device_of_shard(s, comm->ranks);
        in[s].at = at;
        if (rank == comm->rank) {
            in[s].at = slices_out(x, from)[x->rank->graph->shards[g].index].at;
        } else if (in[s].bytes > 0) {
            x->receives[(*receives)++] =
                (struct transfer){rank, SLICE_TAG + (int)(from * x->G + g), at, in[s].bytes};
            at += in[s].bytes;
        }
    }
    return ST_OK;
}

enum status slices_exchange(struct slices *x, struct error *e)
{
    size_t receives = 0;
    share_sizes(x);
    for (uint32_t g = 0; g < x->G && e->status == ST_OK; g++)
        place_slices(x, g, &receives, e);
    if (x->rank->comm->ranks == 1 || e->status != ST_OK)
        return e->status;
    return comm_transfer(x->rank->comm, x->sends, list_sends(x), x->receives, receives,
                         CHUNK_BYTES, e);
}
