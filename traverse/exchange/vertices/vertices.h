/* vertices.h: the vertices that devices give to each other (Pan et al., section V-B; exchange.h)
 *
 * Within a group there are no messages: a device reads vertices in the memory of its peers (peer_vertices.c). The steps
 * of a level between groups, in their order:
 * 1. vertices_collect (send_buffers.c) puts leaving vertices into send buffers. With option L it gathers them there.
 * 2. vertices_share (vertices.c): ranks tell each other how their level went, and how much each send buffer has.
 * 3. vertices_begin to vertices_end (vertex_flow.c): buffers are copied, sent and taken in, all at the same time.
 * If nn is pulled, devices give each other the frontier instead, before the visit (frontiers.c).
 *
 * A function with a `thread` parameter is called by every host thread, for the devices of that thread. Thread 0 calls the
 * other functions.
 */
#ifndef DBFS_VERTICES_H
#define DBFS_VERTICES_H

#include "traverse/exchange/exchange_counts.h"
#include "traverse/exchange/group.h"

/* Exchange memory of one device, which grows as needed. */
struct message_memory {
    uint32_t *ids;
    uint64_t capacity; /* in ids */
};

/* The messages of a device. The device's chunks stand in `chunk` of struct vertices, and end before index `end`. Chunks
 * before `sent` are sent. Chunks from `sent` to `copied` - 1 are being copied. The other chunks have not begun. */
struct device_messages {
    struct message_memory send, receive;
    size_t sent, copied, end;
    uint32_t event; /* the event that the next copy records (backend.copy_vertices) */
};

/* The messages of one rank with vertices. */
struct vertices {
    const struct group *group;
    const struct rank *rank;
    uint64_t chunk_bytes;
    int gathers; /* option L: device g gathers the vertices for device g of other ranks first */
    int leaving; /* this level has vertices for other groups */
    struct vertex_span *buffer;  /* [G from][R][G to] send buffers, in exchange memory of the device `from`. Buffers to
                                  * devices of this group stay empty */
    struct device_messages *of;  /* [G] */
    uint64_t *control;         /* [2][R] rows to each rank, and rows from each rank. A row has a note and G*G counts */
    struct rank_note *notes;   /* [R] the notes of all ranks, set by vertices_share */
    struct pair_note *to;      /* [R] counts of this level, for each receiving rank */
    struct transfer *sends;    /* [R*G]: messages with frontiers */
    struct transfer *receives; /* [R*G*G]: messages with frontiers or vertices; receive_count of them with vertices */
    size_t receive_count;
    struct transfer *chunk; /* the chunks of send buffers, in the order of the devices that send them */
    struct comm_flow *flow; /* of this level; NULL: no messages are under way */
    uint32_t *frontiers;    /* a bitmap over the columns of nn, with the frontiers of all groups; NULL: never exchanged */
    uint64_t *frontier_words; /* [G][p]: 32-bit words of each shard's message in `frontiers`, as each device counts them */
};

/* Collective, in groups that do not hold all shards. Allocates the memory of messages. A rank that failed before takes part.
 * `frontiers`: groups may give each other their frontiers. */
enum status vertices_open(struct vertices *vertices, struct group *group, uint64_t chunk_bytes, int gathers,
                          int frontiers, struct error *e);
void vertices_close(struct vertices *vertices, const struct rank *rank); /* frees all; zeroed vertices are allowed */

/* ---- within a group ---- */

/* Lets the devices of this thread take in the vertices that their peers found for them. */
enum status vertices_take_peers(const struct group *group, const struct host_thread *thread, struct error *e);

/* vertices_count_peers: counts the vertices that this rank's devices read of peers in a level. vertices_count_frontiers:
 * counts the bytes of the frontiers that they read of peers before a visit. */
void vertices_count_peers(const struct group *group, struct exchange_counts *counts);
void vertices_count_frontiers(const struct group *group, struct exchange_counts *counts);

/* ---- between groups ---- */

/* Counts the vertices that leave in lists, before duplicates are dropped. vertices_begin counts what is sent. */
void vertices_count_found(const struct vertices *vertices);

/* Sets `leaving`, and the sizes and places of the send buffers. With option L also fills the buffers, and waits. */
enum status vertices_collect(struct vertices *vertices, struct error *e);

/* Collective. Sends the note `own` and the sizes of send buffers to all ranks. Sets `notes`, the notes of all ranks. */
void vertices_share(struct vertices *vertices, const struct rank_note *own);

/* The messages of a level. vertices_begin begins them. vertices_move moves them on as far as is possible now.
 * vertices_are_here returns whether all messages have arrived and are sent; vertices_end then ends them. After a failure of
 * vertices_begin or vertices_move the job must end. */
enum status vertices_begin(struct vertices *vertices, struct exchange_counts *counts, struct error *e);
enum status vertices_move(struct vertices *vertices, struct error *e);
int vertices_are_here(const struct vertices *vertices);
void vertices_end(struct vertices *vertices);

/* Shows the frontiers of the thread's devices to their peers. Unless `sent` is NULL, also writes the messages for devices of
 * other groups into sent->frontiers. */
enum status vertices_show_frontiers(const struct group *group, const struct vertices *sent, const struct host_thread *thread,
                                    struct error *e);

/* Gives the frontiers of this group to the devices of all other groups, and takes in theirs. Called after
 * vertices_show_frontiers and a barrier. */
enum status vertices_give_frontiers(struct vertices *vertices, const struct host_thread *thread,
                                    struct exchange_counts *counts, struct error *e);

/* ---- for the files of this folder ---- */

/* Grows the memory to `need` ids at least. If the memory grows, its old content is lost. */
enum status message_memory_grow(const struct vertices *vertices, uint32_t device, struct message_memory *memory,
                                uint64_t need, struct error *e);

/* Returns the number of send buffers of one device: one for each device of each rank, which is one for each shard. */
static inline size_t buffers_of_device(const struct vertices *v)
{
    return (size_t)v->rank->comm->ranks * v->rank->device_count;
}

/* Returns the buffer of messages from device `from` of this rank to device `to` of another rank. */
static inline struct vertex_span *send_buffer_of(const struct vertices *v, uint32_t from, uint32_t rank, uint32_t to)
{
    return v->buffer + from * buffers_of_device(v) + (size_t)rank * v->rank->device_count + to;
}

/* Returns the message from device `from` of a rank to device `to` of this rank, without its ids: the number of ids, or of
 * words of a bitmap. Called after vertices_share. */
struct vertex_span incoming_span(const struct vertices *vertices, uint32_t rank, uint32_t from, uint32_t to);

/* Collective. Allocates memory for frontiers. If frontiers go as updates, also tells the devices which normals of each
 * shard have nn edges. Called by vertices_open. */
enum status open_frontiers(struct vertices *vertices, struct group *group, struct error *e);

#endif
