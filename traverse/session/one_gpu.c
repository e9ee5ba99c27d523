/* one_gpu.c: decides whether one GPU searches all shards; see one_gpu.h */
#include "one_gpu.h"
#include "graph.h"
#include "plan.h"
#include "predict_time.h"

#include "formats/base/arith.h"
#include "formats/base/text.h"
#include "formats/graph/shard_join.h"

#include <inttypes.h>
#include <stdlib.h>

/* Returns whether the user has said how devices divide the graph, how they exchange, or where columns lie. */
static int user_chose(const struct args *args)
{
    const struct exchange_options *x = &args->exchange;
    const int exchange = x->memory != EXCHANGE_MEMORY_AUTO || x->form != EXCHANGE_FORM_AUTO || x->stepped || x->nonblocking ||
                         x->local_all2all || x->uniquify || x->chunk_bytes != EXCHANGE_CHUNK_BYTES || args->count_pairs;
    return args->shards_per_rank != 0 || exchange ||
           (args->resident != RESIDENT_AUTO && args->resident != RESIDENT_RAW);
}

/* Collective. Sets *gpus to the number of different GPUs that p devices would use, 0 if any of them would use none. Ranks on several
 * hosts have one for each device. */
static enum status count_gpus(uint32_t *gpus, uint32_t p, const struct comm *comm, const struct args *args, struct error *e)
{
    const uint32_t G = p / comm->ranks, first = G * comm->host_rank;
    uint64_t *address = zeroed(p, sizeof *address, "devices", e);
    *gpus = 0;
    if (comm_agree(comm, e) == ST_OK && comm->host_ranks < comm->ranks)
        *gpus = backend_gpu_address(args->backend, 0) != 0 ? p : 0;
    else if (e->status == ST_OK) {
        for (uint32_t s = first; s < first + G; s++)
            address[s] = backend_gpu_address(args->backend, s);
        comm_sum_u64(comm, address, p);
        uint32_t with_gpu = 0;
        for (uint32_t s = 0, before; s < p; s++) {
            for (before = 0; address[before] != address[s]; before++)
                ;
            *gpus += before == s;
            with_gpu += address[s] != 0;
        }
        *gpus = with_gpu == p ? *gpus : 0;
    }
    free(address);
    return e->status;
}

/* Sets *choice: whether one GPU searches all shards, joined, in place of `gpus`. Prints a note if it is predicted to be faster than
 * several, and cannot have all shards. Called by rank 0. */
static void choose_by_time(struct one_gpu *choice, uint32_t gpus, const struct manifest *m, const struct comm *comm,
                           const struct args *args)
{
    const uint64_t given = args->cli.memory_bytes, host_bytes = given == 0 ? memory_available() / 4 * 3 : given * comm->ranks;
    char why_not[100] = "", need[16], left[16];
    struct joined_bytes bytes;
    struct error e = {0};
    *choice = (struct one_gpu){.gpus = gpus, .one_s = predicted_seconds(m, 1), .several_s = predicted_seconds(m, gpus)};
    if (!one_is_predicted_faster(m, gpus) || !shard_can_join(m->totals.n))
        return;
    if (comm->host_ranks < comm->ranks) {
        snprintf(why_not, sizeof why_not, "the ranks are on several hosts");
    } else {
        const uint64_t unused = backend_gpu_memory(args->backend, 0);
        if (plan_joined(args, &bytes, &e) != ST_OK)
            return;
        if (bytes.device > unused)
            snprintf(why_not, sizeof why_not, "all shards need %s of its memory, and %s are free",
                     format_size(bytes.device, need, sizeof need), format_size(unused, left, sizeof left));
        else if (bytes.host > host_bytes)
            snprintf(why_not, sizeof why_not, "joining the shards takes %s of host memory, and there are %s (-S)",
                     format_size(bytes.host, need, sizeof need), format_size(host_bytes, left, sizeof left));
    }
    choice->joins = why_not[0] == '\0';
    if (!choice->joins && gpus > 1)
        cli_note(&args->cli, "one GPU is predicted to search the graph in %.0f us, %u in %.0f, but %s: 'dbfs-pack -p 1' makes one shard",
                 1e6 * choice->one_s, gpus, 1e6 * choice->several_s, why_not);
}

enum status one_gpu_choose(struct one_gpu *choice, const struct comm *comm, const struct args *args, int may_join, struct error *e)
{
    const int asked = args->shards_per_rank == 1 && comm->ranks == 1;
    uint32_t p = 0, gpus = 0;
    struct manifest m = {0};
    struct error ignored = {0};
    *choice = (struct one_gpu){0};
    if (!asked && (!may_join || args->backend == BACKEND_CPU || user_chose(args)))
        return ST_OK;
    if (comm->rank == 0 && manifest_read(&m, args->folder, asked ? e : &ignored) == ST_OK && shards_of_rank(m.p, comm->ranks, 0) != 0)
        p = m.p;
    comm_broadcast(comm, &p, sizeof p, 0);
    if (p > 1 && asked)
        choice->joins = 1;
    else if (p > 1 && count_gpus(&gpus, p, comm, args, e) == ST_OK && gpus > 0 && comm->rank == 0)
        choose_by_time(choice, gpus, &m, comm, args);
    comm_broadcast(comm, choice, sizeof *choice, 0);
    manifest_free(&m);
    return e->status;
}
