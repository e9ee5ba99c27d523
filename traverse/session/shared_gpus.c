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

/* Collective. Finds the GPU of each slot of the host, by its address: own[p] if each rank drives its devices, leader[p] if
 * rank 0 drives them all. 0: none. */
static void find_gpus(uint64_t *own, uint64_t *leader, uint32_t G, const struct comm *comm, const struct args *args)
{
    const uint32_t p = G * comm->ranks, first = G * comm->host_rank;
    for (uint32_t s = first; s < first + G; s++)
        own[s] = backend_gpu_address(args->backend, s);
    for (uint32_t s = 0; s < p && comm->rank == 0; s++)
        leader[s] = backend_gpu_address(args->backend, s);
    comm_sum_u64(comm, own, p);
    comm_sum_u64(comm, leader, p);
}

static int is_among(uint64_t address, const uint64_t *addresses, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (addresses[i] == address)
            return 1;
    }
    return 0;
}

/* Whether two ranks would share a GPU, and rank 0 sees all GPUs of all ranks. */
static int can_be_led(const uint64_t *own, const uint64_t *leader, uint32_t G, uint32_t p)
{
    int shared = 0;
    for (uint32_t s = 0; s < p; s++) {
        if (own[s] == 0 || !is_among(own[s], leader, p))
            return 0;
        shared |= is_among(own[s], own, s - s % G); /* of ranks before */
    }
    return shared;
}

enum status gpus_are_shared(int *shared, const struct comm *comm, const struct args *args, struct error *e)
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
    uint64_t *own = zeroed(2 * (uint64_t)p, sizeof *own, "devices", e);
    if (comm_agree(comm, e) == ST_OK) {
        find_gpus(own, own + p, G, comm, args);
        *shared = can_be_led(own, own + p, G, p);
    }
    free(own);
    return e->status;
}
