/* peers.c: see peers.h */
#include "peers.h"

#include "formats/memory.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REDUCE_WORDS = 1 << 20, BROADCAST_BYTES = 1 << 26 };

const struct peers peers_alone = {.rank = 0, .count = 1, .host_count = 1};

/* ---- start and end ---- */

/* What launchers tell their processes. Batch scripts set SLURM_NTASKS for every step, so only the
 * step's own count tells. */
static long launched_ranks(const char **variable)
{
    static const char *const variables[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE",
                                            "SLURM_STEP_NUM_TASKS"};
    long most = 1;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *text = getenv(variables[i]);
        long ranks = text != NULL ? strtol(text, NULL, 10) : 0;
        if (ranks > most) {
            most = ranks;
            *variable = variables[i];
        }
    }
    return most;
}

/* Every way out of the program leads through here, as MPI wants it. */
static void finalize(void)
{
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized)
        MPI_Finalize();
}

static void find_place(struct peers *peers)
{
    int rank, count, host_count, length = 0;
    char name[MPI_MAX_PROCESSOR_NAME];
    MPI_Comm host;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &host_count);
    MPI_Comm_free(&host);
    MPI_Get_processor_name(name, &length);
    *peers = (struct peers){.rank = (uint32_t)rank,
                            .count = (uint32_t)count,
                            .host_count = (uint32_t)host_count};
    snprintf(peers->host, sizeof peers->host, "%.*s", (int)sizeof peers->host - 1, name);
}

enum status peers_start(struct peers *peers, struct error *e)
{
    int provided;
    const char *variable = NULL;
    long launched = launched_ranks(&variable);
    *peers = peers_alone;
    if (launched == 1 && getenv("PMIX_RANK") == NULL)
        return ST_OK;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return fail(e, ST_RUNTIME, "MPI: cannot start");
    atexit(finalize);
    find_place(peers);
    if (peers->count == 1 && launched > 1)
        return fail(e, ST_RUNTIME, "launcher: %s is %ld, but MPI sees one rank: this program was "
                    "built with another MPI than the launcher's", variable, launched);
    return ST_OK;
}

uint64_t peers_memory(const struct peers *peers, uint64_t given_bytes)
{
    if (given_bytes != 0 || peers->count == 1)
        return given_bytes;
    return memory_available() / 4 * 3 / peers->host_count;
}

/* ---- failures ---- */

static void name_rank(const struct peers *peers, struct error *e)
{
    char text[ERROR_TEXT_BYTES];
    memcpy(text, e->text, sizeof text);
    snprintf(e->text, sizeof e->text, "rank %u on %s: %.*s", peers->rank, peers->host,
             ERROR_TEXT_BYTES - 128, text);
}

enum status peers_agree(const struct peers *peers, struct error *e)
{
    int failed = e->status != ST_OK, ranks_failed = failed;
    int first = failed ? (int)peers->rank : (int)peers->count;
    if (peers->count == 1)
        return e->status;
    MPI_Allreduce(MPI_IN_PLACE, &ranks_failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (ranks_failed == 0)
        return ST_OK;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == (int)peers->rank && ranks_failed < (int)peers->count)
        name_rank(peers, e);
    MPI_Bcast(e, sizeof *e, MPI_BYTE, first, MPI_COMM_WORLD);
    return e->status;
}

/* ---- sums and copies ---- */

static void sum(const struct peers *peers, void *values, uint64_t count, size_t width,
                MPI_Datatype type)
{
    for (uint64_t at = 0; at < count && peers->count > 1; at += REDUCE_WORDS) {
        uint64_t left = count - at;
        MPI_Allreduce(MPI_IN_PLACE, (unsigned char *)values + at * width,
                      (int)(left < REDUCE_WORDS ? left : REDUCE_WORDS), type, MPI_SUM,
                      MPI_COMM_WORLD);
    }
}

void peers_sum_u64(const struct peers *peers, uint64_t *values, uint64_t count)
{
    sum(peers, values, count, sizeof *values, MPI_UINT64_T);
}

void peers_sum_u32(const struct peers *peers, uint32_t *values, uint64_t count)
{
    sum(peers, values, count, sizeof *values, MPI_UINT32_T);
}

uint64_t peers_max_u64(const struct peers *peers, uint64_t value)
{
    /* some MPICH order unsigned words as if they were signed: give it signed ones of that order */
    const uint64_t sign = UINT64_C(1) << 63;
    if (peers->count == 1)
        return value;
    value ^= sign;
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return value ^ sign;
}

uint64_t peers_min_u64(const struct peers *peers, uint64_t value)
{
    return ~peers_max_u64(peers, ~value);
}

void peers_broadcast(const struct peers *peers, void *bytes, uint64_t count, uint32_t root)
{
    for (uint64_t at = 0; at < count && peers->count > 1; at += BROADCAST_BYTES) {
        uint64_t left = count - at;
        MPI_Bcast((unsigned char *)bytes + at, (int)(left < BROADCAST_BYTES ? left : BROADCAST_BYTES),
                  MPI_BYTE, (int)root, MPI_COMM_WORLD);
    }
}

/* ---- messages ---- */

static int rank_of(uint32_t peer)
{
    return peer == PEERS_NONE ? MPI_PROC_NULL : (int)peer;
}

size_t peers_swap(const struct peers *peers, uint32_t to, const void *send, size_t send_bytes,
                  uint32_t from, void *receive, size_t capacity)
{
    int received = 0;
    MPI_Status status;
    (void)peers;
    MPI_Sendrecv(send, (int)send_bytes, MPI_BYTE, rank_of(to), 0, receive, (int)capacity, MPI_BYTE,
                 rank_of(from), 0, MPI_COMM_WORLD, &status);
    if (from != PEERS_NONE)
        MPI_Get_count(&status, MPI_BYTE, &received);
    return (size_t)received;
}
