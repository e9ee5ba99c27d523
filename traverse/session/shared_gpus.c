/* shared_gpus.c: finds out whether several ranks of a host would use the same GPU; see shared_gpus.h */
#include "shared_gpus.h"

#include "formats/base/arith.h"
#include "formats/base/crc.h"
#include "formats/base/hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether addresses[count] has this address. */
static int is_among(uint64_t address, const uint64_t *addresses, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (addresses[i] == address)
            return 1;
    }
    return 0;
}

/* Collective. Returns 1 if two ranks would use the same GPU, and rank 0 sees all GPUs that the ranks would use; otherwise 0.
 * Each rank has G devices. own[p] and leader[p] must be zeroed. The call sets own[s] to the address (backend_gpu_address) of
 * the GPU that device s would use on its rank, and leader[s] to that of the GPU that it would use on rank 0. */
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
        shared |= is_among(own[s], own, s - s % G); /* the first s - s % G elements are the GPUs of lower ranks */
    }
    return shared;
}

/* Collective. Sets *shared to 1 if rank 0 should search for all ranks, for the reasons in shared_gpus.h. */
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

enum status gpus_warn_if_uneven(const struct comm *comm, const struct args *args, uint32_t devices, struct error *e)
{
    const uint32_t p = devices * comm->ranks, host = crc32_bytes(0, comm->host, strlen(comm->host));
    uint64_t *gpus = zeroed(p, sizeof *gpus, "devices", e), *own = gpus + comm->rank * devices, most = 0, least = p;
    for (uint32_t g = 0; g < devices && e->status == ST_OK; g++)
        own[g] = hash_pair(backend_gpu_address(args->backend, comm->host_rank * devices + g), host);
    if (comm_agree(comm, e) == ST_OK)
        comm_sum_u64(comm, gpus, p);
    for (uint32_t s = 0; s < p && e->status == ST_OK; s++) {
        uint64_t users = 0;
        for (uint32_t i = 0; i < p; i++)
            users += gpus[i] == gpus[s];
        most = larger(most, users);
        least = smaller(least, users);
    }
    if (least < most && comm->rank == 0)
        cli_warn(&args->cli, "some GPUs have %" PRIu64 " shards and others %" PRIu64 ", and all wait for the slowest: a host needs as "
                 "many GPUs as it has shards", most, least);
    free(gpus);
    return e->status;
}
