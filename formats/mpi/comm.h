/* comm.h: the ranks of one job under mpiexec: start-up, agreement on failures, reductions, messages.
 *
 * Only this folder uses MPI, and only degsplit, dbfs-pack, dbfs-check, dbfs-components and the programs of traverse/ link it. A
 * function is collective unless its comment says otherwise: every rank calls it, in the same order. So when one rank fails, all ranks
 * must agree on that (comm_agree) before they go on. With one rank every function returns at once, and MPI need not have been started.
 */
#ifndef DBFS_COMM_H
#define DBFS_COMM_H

#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>

struct cli;
struct memory_budget;

struct comm {
    uint32_t rank, ranks;
    uint32_t host_rank, host_ranks; /* among the ranks of this host */
    uint32_t core_ranks; /* ranks of this host that share cores; 1 if the launcher gave each its own */
    int idle_cores;      /* nonzero: the launcher gave each rank a single core, although the host has more cores than ranks */
    char host[256];
    char library[64]; /* name of the MPI library */
};

extern const struct comm comm_alone; /* rank 0 of 1 */

/* ---- start-up and failures (comm.c) ---- */

/* Starts MPI if a launcher started this process, even as a single rank. Without a launcher MPI is not started, because that would
 * take longer than many searches. MPI ends with the process. ST_RUNTIME if the launcher belongs to another MPI library, as each
 * rank would then run as a job of its own, or if the library does not let a rank have several threads (MPI_THREAD_FUNNELED). */
enum status comm_start(struct comm *comm, struct error *e);

/* Starts MPI if it is not yet started, for callers that need it without a launcher. Returns 0 if it cannot be started. Not collective. */
int comm_start_mpi(void);

/* Warns of idle cores, on the first rank. Not collective. */
void comm_warn_of_idle_cores(const struct comm *comm, const struct cli *cli);

/* comm_start for a tool, and comm_share_host. */
enum status comm_start_tool(struct comm *comm, struct cli *cli, struct error *e);

/* Gives each rank its share of the host's cores, and lets only the first rank print messages. Not collective. */
void comm_share_host(const struct comm *comm, struct cli *cli);

/* Returns the memory of this rank in bytes: `given_bytes` (-S) if it is not 0, otherwise an equal share of three quarters of
 * the memory left on the host. With one rank returns `given_bytes` in any case. Not collective. */
uint64_t comm_memory(const struct comm *comm, uint64_t given_bytes);

/* Makes all ranks agree on a failure and returns the common status. If any rank failed, every rank gets the status and the
 * message of the lowest one, which names that rank unless all failed. */
enum status comm_agree(const struct comm *comm, struct error *e);

/* Ends the job after a failure that the other ranks cannot learn of. Prints the rank, its host and the cause, and removes this
 * rank's temporary files. Not collective. */
_Noreturn void comm_abort(const struct comm *comm, const char *program, struct error *e);

/* Ends a program that fails before comm_start, with the exit code of *e. It calls comm_start and comm_agree itself, because the
 * other ranks would wait there for ever. */
_Noreturn void comm_leave(const struct cli *cli, struct error *e);

void comm_barrier(const struct comm *comm);

/* ---- reductions and copies (reduce.c) ---- */

/* Reduce `values` over all ranks, in place; every rank gets the result. Sums are modulo the width of the values. MPI needs only a
 * bounded amount of memory besides. */
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

/* Sum one value over all ranks, as comm_sum_u64 does, but in two steps, so that other work can be done between them. */
void comm_begin_sum(const struct comm *comm, uint64_t *value);
int comm_sum_is_here(const struct comm *comm); /* lets MPI go on; 0: not yet */

void comm_broadcast(const struct comm *comm, void *bytes, uint64_t count, uint32_t root);

/* Sends values[r*count..] to each rank r; received[r*count..] is set to the `count` values that rank r sent to this rank. */
void comm_alltoall_u64(const struct comm *comm, const uint64_t *values, uint64_t *received, int count);

/* ---- messages (messages.c) ---- */

/* Returns NULL if MPI can send bytes of the memory of a CUDA device, or else why it cannot: a clause of a message, a constant.
 * Starts MPI, if it is not started, to ask. Not collective. */
const char *comm_refuses_device_memory(void);

/* A message to or from another rank. */
struct transfer {
    uint32_t rank;
    int tag;
    void *bytes;
    uint64_t size;
};

/* Messages that are about to be sent and received; one free() releases it. */
struct transfers;

/* Takes the memory for the messages of both lists, which will move in chunks of at most `chunk_bytes`. Both sides give equal
 * sizes. The lists are not read after the call. A step of its own, so that ranks agree on a failure before one waits. */
enum status comm_prepare_transfers(struct transfers **transfers, const struct transfer *sends,
                                   size_t send_count, const struct transfer *receives,
                                   size_t receive_count, uint64_t chunk_bytes, struct error *e);

/* Sends and receives the messages. It returns when the ranks that they name have called it, too. */
void comm_move_transfers(const struct comm *comm, struct transfers *transfers);

/* Both steps. */
enum status comm_transfer(const struct comm *comm, const struct transfer *sends,
                          size_t send_count, const struct transfer *receives,
                          size_t receive_count, uint64_t chunk_bytes, struct error *e);

/* Sends to each rank r the next counts[r] records of `own`, of `width` bytes each. Sets *got to the records from all ranks, in the order
 * of the ranks, and begin[ranks + 1] to where those of each rank begin. *got is charged to the budget, and released by
 * memory_release. `what` names it if memory is short. If a rank fails, or passes an `e` that has failed, the call fails on all
 * ranks. */
enum status comm_deal(const struct comm *comm, const void *own, const uint64_t *counts, uint64_t width,
                      struct memory_budget *budget, void **got, uint64_t *begin, const char *what, struct error *e);

#define COMM_NONE UINT32_MAX

/* Sends a message to rank `to` and receives one from rank `from`; returns the bytes received. Both have fewer than 2^31 bytes.
 * `to` or `from` may be COMM_NONE: then nothing is sent or received. It returns when these ranks have called it, too. */
size_t comm_swap(const struct comm *comm, uint32_t to, const void *send, size_t send_bytes,
                 uint32_t from, void *receive, size_t capacity);

#endif
