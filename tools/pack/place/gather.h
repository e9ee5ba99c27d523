/* gather.h: brings the records of one shard together from all ranks.
 *
 * Each rank has placed its own share of the stream, so every rank holds records of every shard. Shards are built in rounds, in
 * each of which a rank builds one shard, or none. It first gathers the records of that shard in steps: in step i each rank
 * sends to the i-th rank after itself and receives from the i-th before, in messages of bounded size, so that memory does not
 * depend on the number of ranks. The order in which records arrive does not matter, because rows are sorted later.
 */
#ifndef DBFS_GATHER_H
#define DBFS_GATHER_H

#include "placement.h"
#include "formats/mpi/comm.h"

#include <stdint.h>

/* The memory that a round takes beside its store of records: two messages, and a buffer to read spilled records. */
enum {
    GATHER_MESSAGE_BYTES = 1 << 20,
    GATHER_BUFFER_BYTES = 2 * GATHER_MESSAGE_BYTES + BUCKET_READ_BYTES
};

struct gathering {
    const struct placement *own; /* the records that this rank has placed */
    const struct comm *comm;
    const uint32_t *target;  /* [comm->ranks] the shard that each rank builds, or COMM_NONE */
    uint64_t shard_records;  /* expected in a shard */
    uint64_t store_bytes;    /* memory for the records that arrive */
    const struct spill *spill; /* its folders take the records that do not fit; NULL: none */
};

/* The shard that a rank builds in a round. */
struct gathered {
    struct placement placement; /* the rows are those of `own` */
    struct spill spill;
};

/* Gathers the records of the shard that this rank builds, if it builds one. Collective; all ranks return the same status. */
enum status gather_shard(struct gathered *gathered, const struct gathering *gathering,
                         struct memory_budget *budget, struct error *e);
void gather_free(struct gathered *gathered);

#endif
