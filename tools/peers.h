/* peers.h: the processes of one job under mpiexec, which share the work of a tool.
 *
 * MPI is seen only by peers.c. Without a launcher, or with one process, MPI is not even started and
 * every function here does nothing. Functions on all ranks' data are collective: every rank calls
 * them in the same order, so a failure of one rank is first agreed upon (peers_agree).
 */
#ifndef DBFS_PEERS_H
#define DBFS_PEERS_H

#include "formats/status.h"

#include <stddef.h>
#include <stdint.h>

struct peers {
    uint32_t rank, count;
    uint32_t host_count; /* on this host */
    char host[64];
};

extern const struct peers peers_alone; /* rank 0 of 1 */

/* Starts MPI where a launcher started this process; it ends with the process. ST_RUNTIME when the
 * launcher belongs to another MPI. */
enum status peers_start(struct peers *peers, struct error *e);

/* The memory of this process: as given, or else its share of what the host has for all. */
uint64_t peers_memory(const struct peers *peers, uint64_t given_bytes);

/* If any rank failed, every rank gets a failure with the status and text of the lowest failing rank,
 * which is named unless all failed. Returns the common status. */
enum status peers_agree(const struct peers *peers, struct error *e);

/* Sums over all ranks, in place, modulo the width; with bounded memory beside the values. */
void peers_sum_u64(const struct peers *peers, uint64_t *values, uint64_t count);
void peers_sum_u32(const struct peers *peers, uint32_t *values, uint64_t count);
uint64_t peers_max_u64(const struct peers *peers, uint64_t value);
uint64_t peers_min_u64(const struct peers *peers, uint64_t value);

void peers_broadcast(const struct peers *peers, void *bytes, uint64_t count, uint32_t root);

#define PEERS_NONE UINT32_MAX

/* Sends one message to rank `to` while one comes from rank `from`, whose bytes are returned; both have
 * fewer than 2^31. Not collective: it ends when both peers have come that far. Either may be
 * PEERS_NONE. */
size_t peers_swap(const struct peers *peers, uint32_t to, const void *send, size_t send_bytes,
                  uint32_t from, void *receive, size_t capacity);

#endif
