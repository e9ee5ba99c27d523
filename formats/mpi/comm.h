/* comm.h: the ranks of one job under mpiexec: start-up, agreement on failures, sums, messages.
 *
 * MPI is seen only in this folder, whose archive is linked to degsplit, dbfs-pack and dbfs-traverse alone.
 * Unless it says otherwise, a function is collective: every rank calls it, in the same order, so a failure of one
 * rank is first agreed upon (comm_agree). With one rank every function returns at once, and MPI need not
 * have been started.
 */
#ifndef DBFS_COMM_H
#define DBFS_COMM_H

#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>

struct comm {
    uint32_t rank, ranks;
    uint32_t host_rank, host_ranks; /* among the ranks of this host */
    char host[256];
    char library[64]; /* of MPI; empty where MPI was not started */
};

extern const struct comm comm_alone; /* rank 0 of 1 */

/* ---- start-up and failures (comm.c) ---- */

enum comm_start { COMM_IF_LAUNCHED, COMM_ALWAYS };

/* Starts MPI, or with COMM_IF_LAUNCHED does so only where a launcher started this process. MPI ends with the
 * process. ST_RUNTIME where the launcher belongs to another MPI, which would run as many jobs of one rank. */
enum status comm_start(struct comm *comm, enum comm_start when, struct error *e);

/* The start of a tool that runs alone as well: COMM_IF_LAUNCHED. All ranks but the first are silent, and each takes
 * its share of the host. */
struct cli;
enum status comm_start_tool(struct comm *comm, struct cli *cli, struct error *e);

/* The memory of this rank: `given_bytes`, or if that is 0 and there are other ranks, its share of three
 * quarters of what the host has left. Not collective. */
uint64_t comm_memory(const struct comm *comm, uint64_t given_bytes);

/* If any rank failed, every rank gets a failure with the status and text of the lowest failing rank,
 * which is named unless all failed. Returns the common status. */
enum status comm_agree(const struct comm *comm, struct error *e);

/* One rank failed where the others cannot learn of it: says host, rank and cause, and ends the job. */
_Noreturn void comm_abort(const struct comm *comm, const char *program, const struct error *e);

void comm_barrier(const struct comm *comm);

/* ---- reductions and copies (reduce.c) ---- */

/* In place, over all ranks; sums modulo the width. MPI needs bounded memory beside the values. */
void comm_sum_u64(const struct comm *comm, uint64_t *values, uint64_t count);
void comm_sum_u32(const struct comm *comm, uint32_t *values, uint64_t count);
void comm_min_u64(const struct comm *comm, uint64_t *values, uint64_t count);
void comm_max_double(const struct comm *comm, double *values, uint64_t count);
void comm_or_masks(const struct comm *comm, uint64_t *words, uint64_t count);

/* The smallest and the largest of one value of each rank. */
uint64_t comm_min_of(const struct comm *comm, uint64_t value);
uint64_t comm_max_of(const struct comm *comm, uint64_t value);

/* The result is in the values of `root`. */
void comm_max_i64(const struct comm *comm, int64_t *values, int count, uint32_t root);

/* comm_or_masks in two steps, for at most 2^31 - 1 words: other work may be done between them. */
void comm_begin_or_masks(const struct comm *comm, uint64_t *words, uint64_t count);
void comm_wait_masks(const struct comm *comm);

void comm_broadcast(const struct comm *comm, void *bytes, uint64_t count, uint32_t root);

/* values[r*count ..] goes to rank r; the same slots of `received` hold what rank r sent. */
void comm_alltoall_u64(const struct comm *comm, const uint64_t *values, uint64_t *received,
                       int count);

/* ---- messages (messages.c) ---- */

/* Whether MPI says, when asked at run time, that the bytes of a message may be CUDA device memory. Not
 * collective. */
int comm_takes_device_memory(void);

/* A message to or from another rank. */
struct transfer {
    uint32_t rank;
    int tag;
    void *bytes;
    uint64_t size;
};

/* Sends and receives all of them, in chunks of at most `chunk_bytes`; both sides know the sizes. It ends
 * when the ranks that it names have called it too. */
enum status comm_transfer(const struct comm *comm, const struct transfer *sends,
                          size_t send_count, const struct transfer *receives,
                          size_t receive_count, uint64_t chunk_bytes, struct error *e);

#define COMM_NONE UINT32_MAX

/* Sends one message to rank `to` while one comes from rank `from`, and returns the bytes of that; both
 * have fewer than 2^31. It ends when both have come that far. Either may be COMM_NONE. */
size_t comm_swap(const struct comm *comm, uint32_t to, const void *send, size_t send_bytes,
                 uint32_t from, void *receive, size_t capacity);

#endif
