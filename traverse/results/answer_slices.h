/* answer_slices.h: bytes that each device has for every shard, brought to the devices of these shards.
 *
 * Between devices of a rank a slice is read where it lies. Between ranks it is a message, which goes through
 * memory of the host.
 */
#ifndef DBFS_ANSWER_SLICES_H
#define DBFS_ANSWER_SLICES_H

#include "traverse/rank_devices.h"

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
    uint64_t *sizes, *sizes_in; /* [R][G * G] */
    struct transfer *sends, *receives; /* [G * p] */
    struct slice_buffer *send, *receive; /* [G] */
};

enum status slices_open(struct slices *slices, const struct rank *rank, struct error *e);
void slices_close(struct slices *slices); /* a zeroed one is allowed */

/* What device g has for, and what it got from, the shards: [p]. */
struct slice *slices_out(const struct slices *slices, uint32_t g);
struct slice *slices_in(const struct slices *slices, uint32_t g);

/* In this order, when all `out` are set:
 * - slices_stage copies what its devices send to memory of the host, where that is necessary: by each member.
 * - slices_exchange, by member 0, when all have staged: collective. All `in` are set then. They stay valid
 *   until the next exchange, or until what `out` points to changes. */
enum status slices_stage(struct slices *slices, const struct member *member, struct error *e);
enum status slices_exchange(struct slices *slices, struct error *e);

#endif
