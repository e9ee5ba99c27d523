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

/* The values of a flag that the host reads. The device has others before them, 19 in all (checked in cuda_far.c). */
enum relay_value {
    /* how many vertices follow. A vertex has 8 bytes: the lower half is the vertex, the upper half the number of the barrier. It may
     * arrive later than the flag */
    RELAY_VERTICES = 19,
    /* the bytes of the message to this far device alone, and of the message to all far devices: multiples of 4, to which the device may
     * add up to 3 for its own use. These messages are complete before the flag */
    RELAY_SINGLE_BYTES,
    RELAY_ALL_BYTES,
    RELAY_VALUES
};

/* A flag. Each value takes two words: half[0] has its lower 32 bits and half[1] its upper ones, both in the lower half of the word. The
 * upper half of every word is the number of the barrier: a word without it has not arrived. */
struct relay_flag {
    unsigned long long half[2][RELAY_VALUES];
};

/* The buffers of a device for messages to and from one far device, in memory of the host that the device reads and writes. The device
 * writes what ends in _out, and the host what ends in _in. Barrier b uses flag_out[b % 2] and flag_in[b % 2], and vertices from
 * (b % 2) * most_vertices on. Messages that a device writes need no second buffer: it writes them again only when it has the far
 * flags of this barrier, and the host writes a far flag only when its own sends are over. */
struct far_buffers {
    struct relay_flag *flag_out, *flag_in;          /* [2] */
    unsigned long long *vertices_out, *vertices_in; /* [2][most_vertices] */
    unsigned char *single_out, *single_in;          /* [single_bytes] the message to this far device alone, and that from it */
};

/* All buffers of a device for messages to far devices. */
struct relay_buffers {
    struct far_buffers *far; /* [count] one for each far device, in the order of the handles given to backend.reach (engine.h) */
    uint32_t count;
    unsigned char *all_out; /* [all_bytes] the message to all far devices */
    uint64_t most_vertices, single_bytes, all_bytes;
    /* The messages that far devices send to all devices. The devices of a group read the same ones, and one of them receives for all
     * (relay.c). The message of far device i is at relay_all_in(.., i) or, if it came by a barrier with an odd number, all_second bytes
     * behind that. */
    unsigned char *all_in; /* [count][relay_all_piece] */
    uint64_t all_second;
    /* The search after a barrier with this number or a larger one begins its numbers again at the last one % 2, so that they stay
     * small and the two buffers still take turns. Device and host (relay_begin) do this alike. */
    uint32_t number_limit;
};

enum { RELAY_NOTE_BYTES = 64 /* a cache line */ };

/* Returns the bytes of all_in for one far device: one or two messages, and a note of relay.c behind them. */
static inline uint64_t relay_all_piece(const struct relay_buffers *buffers)
{
    return buffers->all_second + buffers->all_bytes + RELAY_NOTE_BYTES;
}

/* Returns where the message of far device `far` to all devices arrives, if it comes by a barrier with an even number, or if all_second is
 * 0; otherwise it arrives all_second bytes behind. */
static inline unsigned char *relay_all_in(const struct relay_buffers *buffers, uint32_t far)
{
    return buffers->all_in + far * relay_all_piece(buffers);
}

/* What relays messages: the thread that waits for devices calls `pass` again and again. It moves what can move, does not wait for
 * messages, and returns e->status. */
struct message_relay {
    enum status (*pass)(void *context, struct error *e);
    void *context;
};

#endif
