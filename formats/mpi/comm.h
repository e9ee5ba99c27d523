/* comm.h: the ranks of one job under mpiexec: start-up, agreement on failures, reductions, messages.
 *
 * Only this folder uses MPI. Its archive is linked to degsplit, dbfs-pack, dbfs-check, dbfs-traverse,
 * dbfs-graph500, dbfs-paths and dbfs-batch alone. A function is collective unless its comment says otherwise: every rank calls it, in the
 * same order. So the ranks agree on a failure of one rank (comm_agree) before they go on. With one rank every
 * function returns at once, and MPI need not have been started.
 */
#ifndef DBFS_COMM_H
#define DBFS_COMM_H

#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>

struct cli;

struct comm {
    uint32_t rank, ranks;
    uint32_t host_rank, host_ranks; /* among the ranks of this host */
    uint32_t core_ranks; /* ranks of this host that share their cores: 1 if a launcher gave each its own */
    int idle_cores;      /* it gave each a single core, and the host has more cores than ranks */
    char host[256];
    char library[64]; /* name of the MPI library */
};

extern const struct comm comm_alone; /* rank 0 of 1 */

/* ---- start-up and failures (comm.c) ---- */

/* Starts MPI if a launcher started this process, with one rank or more. Otherwise there is one
 * rank, and MPI is not started, because that would take longer than many a search. MPI ends with
 * the process. ST_RUNTIME if the launcher belongs to another MPI library: the ranks would then run
 * as separate jobs of one rank each. */
enum status comm_start(struct comm *comm, struct error *e);

/* Starts MPI if that has not been done. 0: it cannot be started. Not collective. */
int comm_start_mpi(void);

/* Warns of idle cores, on the first rank. Not collective. */
void comm_warn_of_idle_cores(const struct comm *comm, const struct cli *cli);

/* comm_start for a tool, and comm_share_host. */
enum status comm_start_tool(struct comm *comm, struct cli *cli, struct error *e);

/* Only the first rank prints messages. Each rank takes its share of the host's cores. Not collective. */
void comm_share_host(const struct comm *comm, struct cli *cli);

/* The memory of this rank in bytes. With one rank, or if `given_bytes` is not 0: `given_bytes`. Otherwise:
 * this rank's share of three quarters of the memory left on the host. Not collective. */
uint64_t comm_memory(const struct comm *comm, uint64_t given_bytes);

/* Makes all ranks agree on a failure. If any rank failed, every rank gets the status and the text of the
 * lowest failing rank. The text names that rank unless all ranks failed. Returns the common status. */
enum status comm_agree(const struct comm *comm, struct error *e);

/* Ends the job after a failure of this rank that the other ranks cannot learn of. Prints the host, the rank
 * and the cause, and removes this rank's temporary files. Not collective. */
_Noreturn void comm_abort(const struct comm *comm, const char *program, const struct error *e);

/* Ends a program that fails before it has called comm_start, with the exit code of *e. The other ranks must not
 * wait in comm_start for ever, so it calls that too, and comm_agree, as they do. */
_Noreturn void comm_leave(const struct cli *cli, struct error *e);

void comm_barrier(const struct comm *comm);

/* ---- reductions and copies (reduce.c) ---- */

/* Reduce `values` in place over all ranks. Sums are modulo the width of the values. MPI needs only a bounded
 * amount of memory in addition to the values. */
void comm_sum_u64(const struct comm *comm, uint64_t *values, uint64_t count);
void comm_sum_u32(const struct comm *comm, uint32_t *values, uint64_t count);
void comm_min_u64(const struct comm *comm, uint64_t *values, uint64_t count);
/* Makes each of these signed ids, of 4 or 8 bytes, the largest of all ranks. */
void comm_max_ids(const struct comm *comm, void *ids, uint32_t id_bytes, uint64_t count);
void comm_max_double(const struct comm *comm, double *values, uint64_t count);
void comm_or_masks(const struct comm *comm, uint64_t *words, uint64_t count);

/* The smallest, or the largest, of the values that the ranks pass. */
uint64_t comm_min_of(const struct comm *comm, uint64_t value);
uint64_t comm_max_of(const struct comm *comm, uint64_t value);

/* The sum of the values that the ranks before this one pass. */
uint64_t comm_sum_before(const struct comm *comm, uint64_t value);

/* comm_sum_u64 of one value in two steps, so that other work can be done between them. (For masks: window.h.) */
void comm_begin_sum(const struct comm *comm, uint64_t *value);
int comm_sum_is_here(const struct comm *comm); /* lets MPI go on; 0: not yet */

void comm_broadcast(const struct comm *comm, void *bytes, uint64_t count, uint32_t root);

/* Sends values[r*count ..] to rank r. received[r*count ..] receives the values that rank r sent. */
void comm_alltoall_u64(const struct comm *comm, const uint64_t *values, uint64_t *received,
                       int count);

/* ---- messages (messages.c) ---- */

/* Nonzero if the bytes of a message may be in CUDA device memory. MPI is asked at run time, and
 * started for that if need be. Not collective. */
int comm_takes_device_memory(void);

/* A message to or from another rank. */
struct transfer {
    uint32_t rank;
    int tag;
    void *bytes;
    uint64_t size;
};

/* Messages that are about to be sent and received; one free() releases it. */
struct transfers;

/* Takes the memory that all these messages need while they move, in chunks of at most `chunk_bytes`. Both sides
 * know the sizes. The lists are not read later. Ranks that agree after this step, and then move the messages,
 * do not wait for one that has no memory. */
enum status comm_prepare_transfers(struct transfers **transfers, const struct transfer *sends,
                                   size_t send_count, const struct transfer *receives,
                                   size_t receive_count, uint64_t chunk_bytes, struct error *e);

/* Moves them. It returns when the ranks named in the messages have called it too. */
void comm_move_transfers(const struct comm *comm, struct transfers *transfers);

/* Both steps. */
enum status comm_transfer(const struct comm *comm, const struct transfer *sends,
                          size_t send_count, const struct transfer *receives,
                          size_t receive_count, uint64_t chunk_bytes, struct error *e);

#define COMM_NONE UINT32_MAX

/* Sends one message to rank `to` and receives one from rank `from`; returns the bytes received. Both messages
 * have fewer than 2^31 bytes. It returns when both ranks have called it too. `to` and `from` may each be
 * COMM_NONE. */
size_t comm_swap(const struct comm *comm, uint32_t to, const void *send, size_t send_bytes,
                 uint32_t from, void *receive, size_t capacity);

#endif
