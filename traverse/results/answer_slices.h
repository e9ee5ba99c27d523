/* answer_slices.h: bytes that each device has for every shard, brought to the devices of these shards.
 *
 * Devices of a rank, and peers of a host (backend.h), read a slice in place. Between other devices it is a
 * message, which goes through memory of the host. */
#ifndef DBFS_ANSWER_SLICES_H
#define DBFS_ANSWER_SLICES_H

#include "traverse/engine/rank_devices.h"

/* A rank's note to another one about a slice. */
struct slice_card {
    uint64_t bytes;
    uint64_t place; /* the other device reads it there; 0: it comes in a message */
};

/* Memory of the host for messages. */
struct slice_buffer {
    char *memory;
    uint64_t capacity;
};

struct slices {
    const struct rank *rank;
    uint32_t G, p;
    int hosted; /* slices lie in memory of the host, also those of devices that have memory of their own */
    struct slice *out; /* [G][p] the slices of device g for shard s */
    struct slice *in;  /* [G][p] the slices of shard s for device g */
    struct slice_card *cards, *cards_in; /* [R][G * G] */
    struct transfer *sends, *receives; /* [G * p] */
    struct transfers *transfers;       /* made of sends and receives */
    struct slice_buffer *send, *receive; /* [G] */
};

enum status slices_open(struct slices *slices, const struct rank *rank, struct error *e);
void slices_close(struct slices *slices); /* a zeroed one is allowed */

/* The slices that device g has for the shards, and those that it got from them: [p]. */
struct slice *slices_out(const struct slices *slices, uint32_t g);
struct slice *slices_in(const struct slices *slices, uint32_t g);

/* Collective, when all `out` are set. All `in` are set then, and stay valid until the next
 * exchange, or until the bytes at `out` change. A rank that fails must end the job, as the others wait for it. */
enum status slices_exchange(struct slices *slices, struct error *e);

/* The same, but a failure does not end the job: if one rank fails, here or before, all do. */
enum status slices_exchange_agreed(struct slices *slices, struct error *e);

#endif
