/* relay_buffers.h: messages between a device that searches by itself and devices whose memory it cannot read
 *
 * Devices that search by themselves meet at barriers, which are numbered (cuda/fused/cuda_peers.h). A device whose memory another
 * one cannot read is far from it. For each far device it has buffers. Before barrier b it writes there what the far device
 * must know, and last a flag with the number b. The host sends this to the buffers of the far device (exchange/relay.c), and
 * writes the flag there last, for which the far device waits. So the device needs the host for nothing but bytes.
 */
#ifndef DBFS_RELAY_BUFFERS_H
#define DBFS_RELAY_BUFFERS_H

#include "formats/base/status.h"

#include <stdint.h>

/* Where a flag has its values. Only these say what the host must send; the others are the device's. */
enum relay_value {
    RELAY_VERTICES = 19, /* how many vertices follow, of 8 bytes each. Their upper half is the number of the barrier, and a
                         * vertex is complete when it has this number, which may be later than the flag */
    /* the bytes of `part`, the message for this far device alone, and of `whole`, the message for all far devices: multiples of 4,
     * to which the device may add up to 3 for its own use. Messages are complete before the flag */
    RELAY_PART_BYTES,
    RELAY_WHOLE_BYTES,
    RELAY_VALUES
};

/* A flag. Values are split: half[0] has the lower 32 bits, half[1] the upper. The upper half of each word is the number of the
 * barrier, which tells that the word has arrived. */
struct relay_flag {
    unsigned long long half[2][RELAY_VALUES];
};

/* The buffers of a device for messages to and from one far device. Arrays with two elements are used by barriers in turn: b % 2. The device writes
 * what ends in _out, and the host what ends in _in. All is in memory of the host that the device reads and writes. */
struct far_buffers {
    struct relay_flag *flag_out, *flag_in;                     /* [2] */
    unsigned long long *vertices_out, *vertices_in;           /* [2][most_vertices] */
    unsigned char *part_out, *part_in, *whole_in;             /* [part_bytes], [part_bytes], [whole_bytes] */
};

/* All buffers of a device for messages to far devices. */
struct relay_buffers {
    struct far_buffers *far; /* [count] one for each far device, in the order of the handles given to `reach` */
    uint32_t count;
    unsigned char *whole_out; /* [whole_bytes] */
    uint64_t most_vertices, part_bytes, whole_bytes;
    /* the limit of barrier numbers: a search that begins when the last number has reached it goes on from that number % 2, so that
     * the two buffers are still used in turn */
    uint32_t numbers;
};

/* What relays messages while devices search: the thread that waits for the devices calls `pass` again and again. */
struct message_relay {
    enum status (*pass)(void *context, struct error *e);
    void *context;
};

#endif
