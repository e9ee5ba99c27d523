/* answer_slices.h: bytes that each device has for every shard, brought to the devices of these shards.
 *
 * Between devices of a rank, and between peers of a host (backend.h), a slice is read where it lies. Between
 * other devices it is a message, which goes through memory of the host.
 */
#ifndef DBFS_ANSWER_SLICES_H
#define DBFS_ANSWER_SLICES_H

#include "traverse/devices/rank_devices.h"

/* A rank's note to another one about a slice. */
struct slice_card {
    uint64_t bytes;
    uint64_t place; /* where the other device reads it; 0: it comes in a message */
};

/* Memory of the host for messages. */
struct slice_buffer {
    char *memory;
    uint64_t room;
};

struct slices {
    const struct rank *rank;
    uint32_t G, p;
    struct slice *out; /* [G][p] what device g has for shard s */
    struct slice *in;  /* [G][p] what shard s has for device g */
    struct slice_card *cards, *cards_in; /* [R][G * G] */
    struct transfer *sends, *receives; /* [G * p] */
    struct transfers *transfers;       /* made of both */
    struct slice_buffer *send, *receive; /* [G] */
};

enum status slices_open(struct slices *slices, const struct rank *rank, struct error *e);
void slices_close(struct slices *slices); /* a zeroed one is allowed */

/* The slices that device g has for the shards, and those that it got from them: [p]. */
struct slice *slices_out(const struct slices *slices, uint32_t g);
struct slice *slices_in(const struct slices *slices, uint32_t g);

/* By each member, collective, when all `out` are set. All `in` are set then. They stay valid until the next exchange, or
 * until what `out` points to changes. A rank that fails must end the job, as the others wait for it. */
enum status slices_exchange(struct slices *slices, const struct member *member, struct error *e);

/* The same where a failure does not end the job: if one rank fails, here or before, all do. */
enum status slices_exchange_agreed(struct slices *slices, const struct member *member, struct error *e);

/* Ends the exchange, by member 0, when all members have read `in`. Collective. The bytes at `out` may change. */
void slices_release(const struct slices *slices);

#endif
