/* relay.h: relays messages between devices that search by themselves and are far from each other (engine/relay_buffers.h)
 *
 * A link joins a device of this rank with a far device. At each barrier a link
 * 1. sends what the device has written in its buffers;
 * 2. receives what the far device has written in its own;
 * 3. writes the far device's flag, for which the device waits.
 * A message begins with a packet: the values of the flag, and the first vertices. What has no room in the packet follows in messages of
 * its own.
 *
 * What a device tells all devices goes to each group once (group_receives), into memory that all peers of the group read. The link that
 * receives such a message notes there which barrier it belongs to. Other links with the same far device wait for the note before they
 * write a flag. A device without peers needs no notes, and one buffer.
 *
 * Otherwise barriers take two buffers in turn, so barrier b + 2 fills the buffer of barrier b again. Nobody reads it any more:
 * - The host receives for b + 2 when the receiving device has entered b + 2, and so has left b + 1.
 * - A device leaves b + 1 when all its peers have entered it, which they do after they have read the messages of b.
 * The same holds across searches: a search ends at the same barrier on all devices, and the next search begins with the next barrier. Notes
 * count barriers since relay_open, so an old note is not taken for a new one. A search that fails ends the job. */
#ifndef DBFS_RELAY_H
#define DBFS_RELAY_H

#include "traverse/engine/rank_devices.h"
#include "group.h"

#include "formats/base/patience.h"
#include "formats/mpi/requests.h"

struct relay_link;

struct relay {
    struct relay_buffers *buffers; /* [device_count] those of each device */
    struct relay_link *links;      /* [count] */
    uint32_t count;
    struct comm_requests requests; /* for each link a place for each of its messages (enum relay_place in relay.c) */
    struct group_memory all_in;    /* relay_buffers.all_in of all devices of the group */
    uint32_t number;           /* of the last barrier of the last search */
    int searches_fused;        /* the devices of all ranks can run all levels of a search without the host but for this relay */
    uint64_t sent_vertices;    /* in lists, in this search */
    struct patience patience;  /* since anything moved */
    int told_watch;            /* the watch was told that this rank waits for others */
};

/* Collective. Tells the devices of this rank which devices are outside the group, and makes the links to those. Sets
 * relay->searches_fused; if some device cannot search so, that is no failure, and the others keep their buffers until they are closed.
 * relay_close frees everything. No search may be under way. */
enum status relay_open(struct relay *relay, struct group *group, struct error *e);
void relay_close(struct relay *relay, const struct rank *rank); /* a zeroed relay is allowed */

/* Makes the links ready for a search that is about to begin. */
void relay_begin(struct relay *relay);

/* Moves what can move now. If nothing can, spins once, and sleeps for 50 us if another thread wants this core. Never waits for a message.
 * `context` is the struct relay. */
enum status relay_pass(void *context, struct error *e);

#endif
