/* flow.h: sends messages in chunks while others arrive, so that work on some bytes overlaps with the transfer of others. Both
 * sides know the sizes. All receives are posted when a flow is opened. A chunk is sent as soon as its bytes are ready, and can
 * be used as soon as it has arrived. The chunks of one message arrive in order. */
#ifndef DBFS_COMM_FLOW_H
#define DBFS_COMM_FLOW_H

#include "comm.h"

struct comm_flow;

/* A part of a message. */
struct flow_chunk {
    size_t message; /* number of the receive */
    uint64_t at, size; /* bytes */
};

/* Opens a flow. `receives` must stay valid until the flow is closed. At most `send_count` chunks will be sent. A chunk has
 * `chunk_bytes` bytes; the last one of a message may have fewer. */
enum status comm_flow_open(struct comm_flow **flow, const struct transfer *receives,
                           size_t receive_count, size_t send_count, uint64_t chunk_bytes,
                           struct error *e);

/* Sends the next chunk of a message, whose bytes must stay unchanged until the flow is closed. */
void comm_flow_send(struct comm_flow *flow, const struct transfer *chunk);

/* Returns nonzero if another chunk has arrived, and describes it in *chunk. Every call also lets MPI go on with its messages. */
int comm_flow_arrived(struct comm_flow *flow, struct flow_chunk *chunk);

int comm_flow_has_arrived(const struct comm_flow *flow); /* everything that was to be received */

/* Waits for all that is under way. NULL is allowed. */
void comm_flow_close(struct comm_flow *flow);

#endif
