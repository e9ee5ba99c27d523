/* gather.h: the records of one shard, brought together from all ranks that placed edges.
 *
 * Each rank has placed its share of the stream, so the records of every shard lie on all ranks. A
 * round gives every rank, or some, one shard to build. The ranks pass records on in steps: in step i
 * rank r sends to rank r + i and receives from rank r - i, in messages of bounded size, so that memory
 * does not depend on the number of ranks. What arrives goes into a store of the same kind; rows are
 * sorted and duplicates dropped afterwards, so the order of arrival changes nothing.
 */
#ifndef DBFS_GATHER_H
#define DBFS_GATHER_H

#include "placement.h"
#include "formats/mpi/comm.h"

#include <stdint.h>

/* What a round takes beside the store: two messages, and a buffer for what was spilled. */
enum {
    GATHER_MESSAGE_BYTES = 1 << 20,
    GATHER_BUFFER_BYTES = 2 * GATHER_MESSAGE_BYTES + BUCKET_READ_BYTES
};

struct gathering {
    const struct placement *own; /* what this rank has placed */
    const struct comm *comm;
    const uint32_t *target;  /* [comm->ranks] the shard that each rank builds, or COMM_NONE */
    uint64_t shard_records;  /* expected of a shard */
    uint64_t store_bytes;    /* memory for what arrives */
    const struct spill *spill; /* whose folders take what does not fit; NULL: none */
};

/* What a rank holds of its shard in a round. */
struct gathered {
    struct placement placement; /* the rows are those of `own` */
    struct spill spill;
};

/* Collective, and so is the status. Without a shard of its own a rank holds nothing afterwards. */
enum status gather_shard(struct gathered *gathered, const struct gathering *gathering,
                         struct memory_budget *budget, struct error *e);
void gather_free(struct gathered *gathered);

#endif
