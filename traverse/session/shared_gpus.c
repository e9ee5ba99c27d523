/* shared_gpus.c: finds out whether ranks of a host would share GPUs; see shared_gpus.h */
#include "shared_gpus.h"

#include <stdlib.h>

/* Returns whether an address is among `count` addresses. */
static int is_among(uint64_t address, const uint64_t *addresses, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (addresses[i] == address)
            return 1;
    }
    return 0;
}

/* Collective. Returns whether two ranks of G shards each would share a GPU, and rank 0 sees all GPUs that the ranks would
 * use. Sets own[s] and leader[s] to the address of the GPU of each slot s of the host; 0: there is no GPU. own: each rank
 * drives its own devices. leader: rank 0 drives all devices. Both arrays have p elements, which must be 0. */
static int can_be_led(uint64_t *own, uint64_t *leader, uint32_t G, const struct comm *comm, const struct args *args)
{
    const uint32_t p = G * comm->ranks, first = G * comm->host_rank;
    int shared = 0;
    for (uint32_t s = first; s < first + G; s++)
        own[s] = backend_gpu_address(args->backend, s);
    for (uint32_t s = 0; s < p && comm->rank == 0; s++)
        leader[s] = backend_gpu_address(args->backend, s);
    comm_sum_u64(comm, own, p);
    comm_sum_u64(comm, leader, p);
    for (uint32_t s = 0; s < p; s++) {
        if (own[s] == 0 || !is_among(own[s], leader, p))
            return 0;
        shared |= is_among(own[s], own, s - s % G); /* among the GPUs of the ranks before */
    }
    return shared;
}

/* Collective. Sets *shared to 1 if rank 0 should search for all ranks, because ranks of one host would share GPUs and rank
 * 0 sees all these GPUs. Otherwise sets *shared to 0, also if the graph cannot be read. */
enum status gpus_are_shared(int *shared, const struct comm *comm, const struct args *args, struct error *e)
{
    uint32_t G = 0;
    *shared = 0;
    if (comm->ranks == 1 || comm->host_ranks < comm->ranks || args->backend == BACKEND_CPU ||
        args->exchange.memory != EXCHANGE_MEMORY_AUTO)
        return ST_OK;
    if (comm->rank == 0) {
        struct manifest m;
        struct error ignored = {0};
        if (manifest_read(&m, args->folder, &ignored) == ST_OK) {
            G = shards_of_rank(m.p, comm->ranks, args->shards_per_rank);
            manifest_free(&m);
        }
    }
    comm_broadcast(comm, &G, sizeof G, 0);
    if (G == 0)
        return ST_OK;
    const uint32_t p = G * comm->ranks;
    uint64_t *own = zeroed(2 * (uint64_t)p, sizeof *own, "devices", e);
    if (comm_agree(comm, e) == ST_OK)
        *shared = can_be_led(own, own + p, G, comm, args);
    free(own);
    return e->status;
}
