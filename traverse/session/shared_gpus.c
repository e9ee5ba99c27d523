/* shared_gpus.c: see shared_gpus.h */
#include "shared_gpus.h"

#include <stdlib.h>

/* G as graph_open finds it; 0: the graph cannot be opened with so many ranks. */
static uint32_t shards_of_rank(const struct comm *comm, const struct args *args)
{
    struct manifest m;
    struct error ignored = {0};
    if (manifest_read(&m, args->folder, &ignored) != ST_OK)
        return 0;
    uint64_t p = m.p, wanted = (uint64_t)args->shards_per_rank * comm->ranks;
    manifest_free(&m);
    return p % comm->ranks == 0 && (wanted == 0 || wanted == p) ? (uint32_t)(p / comm->ranks) : 0;
}

/* Collective. asked[s]: the GPU of slot s if each rank drives its devices; seen[s]: if rank 0 drives them all. */
static void find_places(uint64_t *asked, uint64_t *seen, uint32_t G, const struct comm *comm,
                        const struct args *args)
{
    const struct backend *backend = NULL;
    struct error ignored = {0};
    uint32_t p = G * comm->ranks, first = G * comm->host_rank;
    if (backend_choose(&backend, args->backend, &ignored) == ST_OK && backend->device->place != NULL) {
        for (uint32_t s = first; s < first + G; s++)
            asked[s] = backend->device->place(s);
        for (uint32_t s = 0; s < p && comm->rank == 0; s++)
            seen[s] = backend->device->place(s);
    }
    comm_sum_u64(comm, asked, p);
    comm_sum_u64(comm, seen, p);
}

static int is_among(uint64_t place, const uint64_t *places, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (places[i] == place)
            return 1;
    }
    return 0;
}

static int can_be_led(const uint64_t *asked, const uint64_t *seen, uint32_t G, uint32_t p)
{
    int shared = 0;
    for (uint32_t s = 0; s < p; s++) {
        if (asked[s] == 0 || !is_among(asked[s], seen, p))
            return 0;
        shared |= is_among(asked[s], asked, s - s % G); /* of ranks before */
    }
    return shared;
}

enum status gpus_are_shared(int *shared, const struct comm *comm, const struct args *args,
                            struct error *e)
{
    uint32_t G = 0;
    *shared = 0;
    if (comm->ranks == 1 || comm->host_ranks < comm->ranks || args->backend == BACKEND_CPU ||
        args->exchange.memory != EXCHANGE_MEMORY_AUTO)
        return ST_OK;
    if (comm->rank == 0)
        G = shards_of_rank(comm, args);
    comm_broadcast(comm, &G, sizeof G, 0);
    if (G == 0)
        return ST_OK;
    uint32_t p = G * comm->ranks;
    uint64_t *asked = zeroed(2 * (uint64_t)p, sizeof *asked, "devices", e);
    if (comm_agree(comm, e) == ST_OK) {
        find_places(asked, asked + p, G, comm, args);
        *shared = can_be_led(asked, asked + p, G, p);
    }
    free(asked);
    return e->status;
}
