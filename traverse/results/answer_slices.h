/* answer_slices.h: brings the bytes that each device has for every shard to the devices of these shards.
 *
 * Devices of a rank, and peers of a host (engine.h), read a slice in place. Between other devices a slice is sent in a
 * message, which goes through memory of the host. */
#ifndef DBFS_ANSWER_SLICES_H
#define DBFS_ANSWER_SLICES_H

#include "traverse/engine/rank_devices.h"

/* Memory of the host for the messages of one device. */
struct slice_buffer {
    char *memory;
    uint64_t capacity;
};

/* The slices of all devices of a rank. G is the number of devices of each rank, p the number of shards, and R the number of
 * ranks. */
struct slices {
    const struct rank *rank;
    uint32_t G, p;
    int hosted; /* slices lie in memory of the host, even if devices have memory of their own */
    struct slice *out; /* [G][p] the slices of device g for shard s */
    struct slice *in;  /* [G][p] the slices of shard s for device g */
    struct slice *told, *told_by; /* [R][G * G] what this rank tells each rank of `out`, and each rank tells it */
    struct transfer *sends, *receives; /* [G * p] messages of the next exchange */
    struct transfers *transfers;       /* made from `sends` and `receives`; freed by slices_close */
    struct slice_buffer *send, *receive; /* [G] a buffer for each device */
};

/* Allocates the tables of slices, all of which are empty. After a failure slices_close is still to be called. */
enum status slices_open(struct slices *slices, const struct rank *rank, struct error *e);
void slices_close(struct slices *slices); /* frees tables and buffers; zeroed slices are allowed */

/* Returns the slices [p] that device g of this rank sends to each shard. */
static inline struct slice *slices_out(const struct slices *slices, uint32_t g)
{
    return slices->out + (size_t)g * slices->p;
}

/* Returns the slices [p] that device g of this rank received from each shard. */
static inline struct slice *slices_in(const struct slices *slices, uint32_t g)
{
    return slices->in + (size_t)g * slices->p;
}

/* Collective. Called when all slices of slices_out are set. Sets all slices of slices_in. They stay valid until the next
 * exchange, or until the bytes that were sent change. A rank that fails must end the job, as the other ranks wait for it. */
enum status slices_exchange(struct slices *slices, struct error *e);

/* Exchanges the slices as slices_exchange does, but a failure does not end the job. If one rank fails, or passes an `e`
 * that has failed, the call fails on all ranks. */
enum status slices_exchange_agreed(struct slices *slices, struct error *e);

#endif
