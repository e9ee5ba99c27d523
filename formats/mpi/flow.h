/* flow.h: messages that are sent in chunks while others arrive.
 *
 * Both sides know the sizes. All receives are posted when a flow is opened. A chunk is sent as soon as its
 * bytes are ready, and can be used as soon as it has arrived. The chunks of a message arrive in their order.
 */
#ifndef DBFS_COMM_FLOW_H
#define DBFS_COMM_FLOW_H

#include "comm.h"

struct comm_flow;

/* A part of a message. */
struct flow_chunk {
    size_t message; /* number of the receive */
    uint64_t at, size; /* bytes */
};

/* `receives` stay until the flow is closed. Chunks have `chunk_bytes`, except the last of a message, which may
 * have fewer. `send_count`: chunks that will be sent, at most. */
enum status comm_flow_open(struct comm_flow **flow, const struct transfer *receives,
                           size_t receive_count, size_t send_count, uint64_t chunk_bytes,
                           struct error *e);

/* Sends the next chunk of a message: `chunk` has its bytes. They stay until the flow is closed. */
void comm_flow_send(struct comm_flow *flow, const struct transfer *chunk);

/* Nonzero if a chunk has arrived, which is put into *chunk. Each is reported once. Every call lets
 * MPI go on with its messages. */
int comm_flow_arrived(struct comm_flow *flow, struct flow_chunk *chunk);

int comm_flow_has_arrived(const struct comm_flow *flow); /* everything that was to be received */

/* Waits for all that is under way. NULL is allowed. */
void comm_flow_close(struct comm_flow *flow);

#endif
