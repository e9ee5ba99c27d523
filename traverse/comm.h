/* comm.h: the ranks: start-up, agreement on failures, and bulk transfers.
 *
 * MPI is seen only by comm.c; everything else speaks through these functions.
 */
#ifndef DBFS_COMM_H
#define DBFS_COMM_H

#include "formats/status.h"

#include <stddef.h>
#include <stdint.h>

struct comm {
    uint32_t rank, ranks;
    uint32_t host_rank, host_ranks; /* among the ranks of this host */
    char host[256];
    char library[64]; /* of the MPI library */
};

/* MPI_Init, and a refusal to run as many one-rank jobs when the launcher is another MPI's. */
enum status comm_init(struct comm *comm, struct error *e);
void comm_finalize(void);

/* Collective: if any rank failed, every rank gets a failure with the status and text of the lowest
 * failing rank. Returns the common status. */
enum status comm_agree(const struct comm *comm, struct error *e);

/* One rank failed where the others cannot learn of it: says host, rank and cause; ends the job. */
_Noreturn void comm_abort(const struct comm *comm, const char *program, const struct error *e);

void comm_barrier(const struct comm *comm);
void comm_sum_u64(const struct comm *comm, uint64_t *values, uint64_t count);
void comm_min_u64(const struct comm *comm, uint64_t *values, uint64_t count);
void comm_max_double(const struct comm *comm, double *values, uint64_t count);
void comm_max_i64(const struct comm *comm, int64_t *values, int count, uint32_t root);
void comm_broadcast(const struct comm *comm, void *bytes, size_t count, uint32_t root);

/* values[r*count ..] goes to rank r; the same slots of `received` hold what rank r sent. */
void comm_alltoall_u64(const struct comm *comm, const uint64_t *values, uint64_t *received,
                       int count);

/* ORs masks over all ranks, in place; blocking, or begun here and ended by comm_wait_masks. */
void comm_or_masks(const struct comm *comm, uint64_t *words, uint64_t count);
void comm_begin_or_masks(const struct comm *comm, uint64_t *words, uint64_t count);
void comm_wait_masks(const struct comm *comm);

/* Whether MPI says, when asked at run time, that the bytes of a message may be CUDA device memory. */
int comm_takes_device_memory(void);

/* A message to or from a peer. Bytes above the chunk size go in several. */
struct transfer {
    uint32_t peer;
    int tag;
    void *bytes;
    uint64_t size;
};

/* Sends and receives all of them, in chunks of at most `chunk_bytes`; sizes are known to both
 * sides. */
enum status comm_transfer(const struct comm *comm, const struct transfer *sends,
                          size_t send_count, const struct transfer *receives,
                          size_t receive_count, uint64_t chunk_bytes, struct error *e);

#endif
