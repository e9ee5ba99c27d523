/* exchange_open.c: the choice of memory, and opening and closing an exchange; see exchange.h */
#include "exchange_internal.h"

#include <stdlib.h>

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

void exchange_close(struct exchange *x)
{
    if (x == NULL)
        return;
    masks_close(&x->masks, x->rank);
    vertices_close(&x->vertices, x->rank);
    group_close(&x->group);
    free(x);
}

/* Collective. */
static void count_normals(struct exchange *x)
{
    const struct graph *graph = x->rank->graph;
    for (uint32_t s = 0; s < graph->manifest.p; s++)
        x->nn.normals += graph->locals[s];
    for (uint32_t g = 0; g < graph->device_count; g++)
        x->nn.sources += graph->shards[g].csr[NN].source_rows;
    comm_sum_u64(x->rank->comm, &x->nn.sources, 1);
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
    x->level.wide = options->form == EXCHANGE_FORM_BITS;
    *result = x; /* opened parts are closed with it */
    count_normals(x);
    if (group_open(&x->group, rank, reach_of(options->memory), x->why, e) != ST_OK)
        return e->status;
    forget_frontiers(x);
    if (!x->group.whole)
        vertices_open(&x->vertices, &x->group, options->chunk_bytes, options->local_all2all, has_masks(x), e);
    masks_open(&x->masks, &x->group, options->nonblocking, e);
    return comm_agree(rank->comm, e);
}

const char *exchange_why_no_peers(const struct exchange *x)
{
    return x->why[0] != '\0' ? x->why : NULL;
}

void exchange_log_pairs(struct exchange *x, struct pair_log *log)
{
    x->pairs = log;
}

int exchange_sends_messages(const struct exchange *x)
{
    return !x->group.whole;
}

int exchange_has_peer_ranks(const struct exchange *x)
{
    return x->group.of_host;
}
