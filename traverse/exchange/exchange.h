/* exchange.h: what devices and ranks tell each other between two levels (Pan et al., section V).
 *
 * - Delegates: the masks of updated delegates are reduced. First the masks of a rank's devices become one.
 *   Then those of all ranks become one, by a blocking MPI_Allreduce, or by an MPI_Iallreduce that overlaps
 *   the exchange of vertices.
 * - Normals: a vertex that an nn visit found is sent to the device that owns it, as 4 bytes. It is sent from
 *   pinned host memory or, if the MPI library accepts it, from memory of the device.
 * - Counts: one small all-to-all per level says how many vertices follow, whether any mask changed, and
 *   whether the search is over. So a level without delegate updates reduces nothing (S' of section V-A).
 */
#ifndef DBFS_EXCHANGE_H
#define DBFS_EXCHANGE_H

#include "traverse/rank_devices.h"

enum exchange_memory_choice { EXCHANGE_MEMORY_AUTO, EXCHANGE_MEMORY_HOST, EXCHANGE_MEMORY_DEVICE };

/* EXCHANGE_MEMORY_AUTO chooses device memory if the backend has it and the MPI library says that it accepts
 * it. ST_RESOURCE: device memory was asked for and cannot be had; *e says why. */
enum status exchange_memory_choose(enum exchange_memory *memory, enum exchange_memory_choice choice,
                                   const struct backend *backend, const struct comm *comm,
                                   struct error *e);

enum { EXCHANGE_CHUNK_BYTES = 4 << 20 }; /* the paper's best message size, section VI-A */

struct exchange_options {
    int nonblocking;      /* IR: MPI_Iallreduce, overlapping the nn exchange; otherwise BR */
    int local_all2all;    /* L: gather what goes to device g of other ranks on device g first */
    int uniquify;         /* U: drop duplicates among the vertices for one device */
    uint64_t chunk_bytes; /* of nn messages */
};

/* What one exchange moved, on this rank. */
struct exchange_stats {
    uint64_t leaving_vertices; /* nn destinations to other ranks, before uniquify */
    uint64_t sent_vertices;  /* and after it */
    uint64_t local_vertices; /* nn destinations to other devices of this rank */
    int reduced_masks;       /* 1 if the masks were reduced */
    double local_s, remote_s, masks_s;
};

struct exchange;

enum status exchange_open(struct exchange **exchange, const struct rank *rank,
                          const struct exchange_options *options, struct error *e);
void exchange_close(struct exchange *exchange); /* NULL is allowed */

/* Whether the masks can be reduced while devices still look for normals. They can if there are several ranks
 * and the reduction is non-blocking. Then exchange_begin_masks is called between visiting and finishing: it
 * waits for the delegates and begins to reduce their masks. */
int exchange_overlaps(const struct exchange *exchange);

/* Both are called by every member of the team. Only member 0 sees and changes `stats`, which is zero when a
 * level begins. */
enum status exchange_begin_masks(struct exchange *exchange, const struct member *member,
                                 struct exchange_stats *stats, struct error *e);

/* Ends a level, after its visits. `found`: local normals that this rank's devices newly reached. *done:
 * nothing was found anywhere, the search is over. */
enum status exchange_level(struct exchange *exchange, const struct member *member, uint64_t found,
                           int *done, struct exchange_stats *stats, struct error *e);

#endif
