/* answer_slices.h: brings slices of answers from devices to other devices.
 *
 * A slice is the bytes that one device has for one shard. The device of this shard receives it: it reads the slice in place
 * if both devices are of one rank, or are peers on one host (engine.h). Otherwise the slice is sent in a message, from
 * memory of the host. */
#ifndef DBFS_ANSWER_SLICES_H
#define DBFS_ANSWER_SLICES_H

#include "traverse/engine/rank_devices.h"

/* Memory of the host for the messages that one device sends, or receives. */
struct slice_buffer {
    char *memory;
    uint64_t capacity;
};

/* The slices of all devices of a rank. G is the number of devices of a rank, p of shards, and R of ranks. */
struct slices {
    const struct rank *rank;
    uint32_t G, p;
    int hosted; /* 1: the caller puts all slices into memory of the host, so that none must be copied there */
    struct slice *out; /* [G][p] the slice that device g has for shard s */
    struct slice *in;  /* [G][p] the slice that shard s has for device g */
    struct slice *told, *told_by; /* [R][G * G] the slices that this rank has for each rank, and each rank for this rank */
    struct transfer *sends, *receives; /* [G * p] the messages of the current exchange */
    struct transfers *transfers;       /* made from `sends` and `receives`; freed by slices_close */
    struct slice_buffer *send, *receive; /* [G] one buffer for each device */
};

/* Allocates the tables of slices. All slices are empty at first. The caller calls slices_close, even after a failure. */
enum status slices_open(struct slices *slices, const struct rank *rank, struct error *e);
void slices_close(struct slices *slices); /* frees tables and buffers; *slices may be zeroed */

/* Returns the array of the slices that device g of this rank has for the p shards. */
static inline struct slice *slices_out(const struct slices *slices, uint32_t g)
{
    return slices->out + (size_t)g * slices->p;
}

/* Returns the array of the slices that device g of this rank has received from the p shards. */
static inline struct slice *slices_in(const struct slices *slices, uint32_t g)
{
    return slices->in + (size_t)g * slices->p;
}

/* Collective. Called when all slices of slices_out are set. Brings them to their receivers, and sets all slices of
 * slices_in, which are valid until the next exchange, or until the sender changes the bytes. A rank that fails must end the
 * job, because the other ranks wait for it. */
enum status slices_exchange(struct slices *slices, struct error *e);

/* Collective. Works like slices_exchange, but a failure does not end the job. If one rank fails, or passes an `e` that has
 * failed, the call fails on all ranks. */
enum status slices_exchange_agreed(struct slices *slices, struct error *e);

#endif
