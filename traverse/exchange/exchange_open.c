/* exchange_open.c: the choice of memory, and opening and closing an exchange; see exchange.h */
#include "exchange_internal.h"

#include <stdlib.h>
#include <string.h>

enum status exchange_memory_choose(enum exchange_memory *memory, enum exchange_memory_choice choice,
                                   const struct backend *backend, const struct comm *comm,
                                   struct error *e)
{
    int usable = choice != EXCHANGE_MEMORY_HOST && backend->has_device_memory &&
                 comm_takes_device_memory();
    *memory = usable ? EXCHANGE_DEVICE : EXCHANGE_HOST;
    if (choice != EXCHANGE_MEMORY_DEVICE || usable)
        return ST_OK;
    if (!backend->has_device_memory)
        return fail(e, ST_RESOURCE, "--exchange-memory device: the %s backend has host memory only",
                    backend->name);
    return fail(e, ST_RESOURCE, "--exchange-memory device: the MPI library does not say that it "
                "takes device memory: %s", comm->library);
}

int exchange_shares_memory(enum exchange_memory_choice choice, const struct comm *comm)
{
    return comm->host_ranks > 1 &&
           (choice == EXCHANGE_MEMORY_AUTO || choice == EXCHANGE_MEMORY_PEER);
}

static enum group_reach reach_of(enum exchange_memory_choice choice)
{
    return choice == EXCHANGE_MEMORY_AUTO   ? GROUP_OF_HOST_IF_POSSIBLE
           : choice == EXCHANGE_MEMORY_PEER ? GROUP_OF_HOST
                                            : GROUP_OF_RANK;
}

static void release_buffers(const struct exchange *x, struct buffer *buffers)
{
    for (uint32_t g = 0; buffers != NULL && g < x->G; g++)
        release_buffer(x, g, &buffers[g]);
    free(buffers);
}

static void close_mail(const struct exchange *x)
{
    free(x->mail.control);
    free(x->mail.control_in);
    free(x->mail.outbox);
    free(x->mail.sends);
    free(x->mail.receives);
    free(x->mail.out);
    release_buffers(x, x->mail.send);
    release_buffers(x, x->mail.receive);
}

static void close_sparse(const struct exchange *x)
{
    const struct sparse_masks *s = &x->masks.sparse;
    x->rank->backend->messages->host_release(s->own);
    x->rank->backend->messages->host_release(s->all);
    free(s->counts);
    free(s->begins);
}

void exchange_close(struct exchange *x)
{
    if (x == NULL)
        return;
    mask_reduction_close(x->masks.reduction, x->rank->budget);
    group_close(&x->group);
    memory_discharge(x->rank->budget, x->charged);
    close_mail(x);
    close_sparse(x);
    x->rank->backend->messages->host_release(x->masks.bits);
    x->rank->backend->messages->host_release(x->nn.frontiers);
    free(x->locals);
    free(x);
}

static enum status charge(struct exchange *x, uint64_t bytes, const char *what, struct error *e)
{
    if (memory_charge(x->rank->budget, bytes, what, e) == ST_OK)
        x->charged += bytes;
    return e->status;
}

static enum status open_mail(struct exchange *x, struct error *e)
{
    struct mail *mail = &x->mail;
    size_t pairs = x->G * boxes_of_device(x);
    uint64_t bytes = 2 * x->R * control_width(x) * sizeof *mail->control +
                     pairs * (sizeof *mail->outbox + 2 * sizeof *mail->sends);
    if (charge(x, bytes, "tables of messages", e) != ST_OK)
        return e->status;
    mail->control = calloc(x->R * control_width(x), sizeof *mail->control);
    mail->control_in = calloc(x->R * control_width(x), sizeof *mail->control_in);
    mail->outbox = calloc(pairs, sizeof *mail->outbox);
    mail->send = calloc(x->G, sizeof *mail->send);
    mail->receive = calloc(x->G, sizeof *mail->receive);
    mail->sends = calloc(pairs, sizeof *mail->sends);
    mail->receives = calloc(pairs, sizeof *mail->receives);
    mail->out = calloc(x->G, sizeof *mail->out);
    if (mail->control == NULL || mail->control_in == NULL || mail->outbox == NULL ||
        mail->send == NULL || mail->receive == NULL || mail->sends == NULL ||
        mail->receives == NULL || mail->out == NULL)
        return fail_memory(e, "exchange", pairs * sizeof *mail->outbox);
    return ST_OK;
}

static void count_locals(struct exchange *x)
{
    uint32_t p = x->R * x->G;
    for (uint32_t g = 0; g < x->G; g++) {
        x->locals[shard_of_device(x->rank->comm->rank, g, x->R)] = x->rank->graph->shards[g].locals;
        x->nn_sources += x->rank->graph->shards[g].csr[NN].source_rows;
    }
    comm_sum_u64(x->rank->comm, x->locals, p);
    comm_sum_u64(x->rank->comm, &x->nn_sources, 1);
    for (uint32_t s = 0; s < p; s++)
        x->normals += x->locals[s];
}

/* Words with their places are worth it if there are few. A mask of fewer words takes as long as one word. */
static enum status open_sparse(struct exchange *x, struct error *e)
{
    enum { LEAST_WORDS = 64 };
    struct sparse_masks *s = &x->masks.sparse;
    if (x->masks.words < LEAST_WORDS)
        return ST_OK;
    s->most = x->masks.words / 4;
    if (charge(x, 2 * s->most * sizeof *s->own, "words of masks", e) != ST_OK)
        return e->status;
    const struct backend_messages *messages = x->rank->backend->messages;
    s->own = messages->host_take(s->most * sizeof *s->own, "words of masks", e);
    if (e->status == ST_OK)
        s->all = messages->host_take(s->most * sizeof *s->all, "words of masks", e);
    s->counts = calloc(x->R, sizeof *s->counts);
    s->begins = calloc(x->R, sizeof *s->begins);
    if (e->status == ST_OK && (s->counts == NULL || s->begins == NULL))
        fail_memory(e, "words of masks", 2 * x->R * sizeof *s->counts);
    return e->status;
}

static enum status open_mask(struct exchange *x, struct error *e)
{
    uint64_t bytes = (x->masks.words + 1) * sizeof *x->masks.bits;
    if (charge(x, bytes, "masks of delegates", e) == ST_OK)
        x->masks.bits = x->rank->backend->messages->host_take(bytes, "masks of delegates", e);
    return e->status;
}

/* Every device learns which normals of a shard have nn edges. */
static void tell_sources(struct exchange *x, uint32_t shard, const uint32_t *mask, struct error *e)
{
    const struct rank *rank = x->rank;
    for (uint32_t g = 0; g < x->G && e->status == ST_OK; g++)
        rank->backend->frontiers->learn(rank->devices[g], shard, mask, mask_parcel_words(x, shard), e);
}

/* Collective: a rank that failed before takes part. */
static enum status learn_sources(struct exchange *x, struct error *e)
{
    const struct rank *rank = x->rank;
    uint64_t longest = 0;
    if (rank->backend->frontiers->learn == NULL || !has_masks(x) || comm_agree(rank->comm, e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < x->R * x->G; s++)
        longest = x->locals[s] > longest ? x->locals[s] : longest;
    uint64_t *mask = NULL;
    memory_take(rank->budget, (void **)&mask, mask_words(longest) + 1, sizeof *mask, "normals with nn edges", e);
    if (comm_agree(rank->comm, e) != ST_OK) {
        memory_release(rank->budget, mask);
        return e->status;
    }
    for (uint32_t s = 0; s < x->R * x->G; s++) {
        uint32_t owner = rank_of_shard(s, x->R);
        if (owner == rank->comm->rank)
            memcpy(mask, rank->graph->shards[device_of_shard(s, x->R)].csr[NN].sources,
                   4 * mask_parcel_words(x, s));
        comm_broadcast(rank->comm, mask, 4 * mask_parcel_words(x, s), owner);
        tell_sources(x, s, (const uint32_t *)mask, e);
    }
    memory_release(rank->budget, mask);
    return e->status;
}

/* For groups that give each other their frontiers. */
static enum status open_frontiers(struct exchange *x, struct error *e)
{
    uint64_t bytes = ((uint64_t)(x->R * x->G) << x->rank->graph->shards[0].local_bits) / 8;
    if (!has_masks(x))
        return ST_OK;
    if (charge(x, bytes, "frontiers of other ranks", e) == ST_OK)
        x->nn.frontiers =
            x->rank->backend->messages->host_take(bytes, "frontiers of other ranks", e);
    return e->status;
}

/* Room for the longest lists that are shorter than masks, as far as shards have edges for them, so that no search waits
 * for more: to get memory that devices copy to fast takes milliseconds. */
static enum status open_buffers(struct exchange *x, struct error *e)
{
    for (uint32_t g = 0; x->rank->backend->has_device_memory && g < x->G && e->status == ST_OK; g++) {
        uint64_t most = x->rank->graph->shards[g].csr[NN].edges, room = x->normals / 32 + 1;
        if (grow_buffer(x, g, &x->mail.send[g], room < most ? room : most, e) == ST_OK)
            grow_buffer(x, g, &x->mail.receive[g], room < most ? room : most, e);
    }
    return e->status;
}

/* Collective: a rank that failed before takes part. */
static enum status open_reduction(struct exchange *x, struct error *e)
{
    if (!x->options.nonblocking || x->masks.words == 0)
        return e->status;
    return mask_reduction_open(&x->masks.reduction, x->rank->comm, x->group.of_host ? x->group.window : NULL,
                               x->masks.words, x->rank->budget, e);
}

/* What only groups that do not hold all shards need. */
static enum status open_messages(struct exchange *x, struct error *e)
{
    if (open_mail(x, e) == ST_OK && open_mask(x, e) == ST_OK && open_sparse(x, e) == ST_OK)
        open_frontiers(x, e);
    if (e->status == ST_OK)
        open_buffers(x, e);
    forget_frontiers(x);
    learn_sources(x, e);
    return open_reduction(x, e);
}

/* Collective. */
static enum status open_all(struct exchange *x, struct error *e)
{
    x->locals = calloc(x->R * x->G, sizeof *x->locals);
    if (x->locals == NULL)
        fail_memory(e, "exchange", x->R * x->G * sizeof *x->locals);
    if (comm_agree(x->rank->comm, e) != ST_OK)
        return e->status;
    count_locals(x);
    if (group_open(&x->group, x->rank, reach_of(x->options.memory), x->why, e) != ST_OK)
        return e->status;
    if (!x->group.whole)
        open_messages(x, e);
    return comm_agree(x->rank->comm, e);
}

enum status exchange_open(struct exchange **result, const struct rank *rank,
                          const struct exchange_options *options, struct error *e)
{
    *result = NULL;
    struct exchange *x = calloc(1, sizeof *x);
    if (x == NULL)
        fail_memory(e, "exchange", sizeof *x);
    if (comm_agree(rank->comm, e) != ST_OK) {
        free(x);
        return e->status;
    }
    x->rank = rank;
    x->options = *options;
    x->G = rank->device_count;
    x->R = rank->comm->ranks;
    x->masks.words = mask_words(rank->graph->manifest.d);
    x->level.wide = options->form == EXCHANGE_FORM_BITS;
    *result = x; /* what is open is closed with it */
    return open_all(x, e);
}

const char *exchange_why_no_peers(const struct exchange *x)
{
    return x->why[0] != '\0' ? x->why : NULL;
}

int exchange_sends_messages(const struct exchange *x)
{
    return !x->group.whole;
}

int exchange_has_peer_ranks(const struct exchange *x)
{
    return x->group.of_host;
}
