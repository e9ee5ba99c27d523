/* vertices.h: the vertices that devices give to each other (Pan et al., section V-B; exchange.h)
 *
 * Within a group there are no messages: a device reads vertices in the memory of its peers (peer_vertices.c). The steps
 * of a level between groups, in their order:
 * 1. vertices_collect (send_buffers.c) prepares the send buffers for the vertices that leave. With option L it also fills
 *    them.
 * 2. vertices_share (vertices.c) tells all ranks what this rank found, and the size of each send buffer.
 * 3. vertices_begin to vertices_end (vertex_flow.c) copy, send and take in the content of the buffers. The three happen
 *    at once.
 * If nn is pulled, devices give each other the frontier instead, before the visit (frontiers.c).
 *
 * Every host thread calls the functions with a `thread` parameter, for the devices of that thread. Thread 0 calls all
 * other functions. */
#ifndef DBFS_VERTICES_H
#define DBFS_VERTICES_H

#include "traverse/exchange/exchange_counts.h"
#include "traverse/exchange/group.h"

/* Exchange memory of one device. The memory grows as needed. */
struct message_memory {
    uint32_t *ids;
    uint64_t capacity; /* number of ids that fit */
};

/* The messages of a device. The chunks of the device are in `chunk` of struct vertices, before index `end`. Chunks before
 * index `sent` have been sent. Chunks from `sent` to `copied` - 1 are being copied. Later chunks have not begun. */
struct device_messages {
    struct message_memory send, receive;
    size_t sent, copied, end;
    uint32_t event; /* the event that the next copy records (backend.copy_vertices) */
};

/* The messages with vertices of one rank. */
struct vertices {
    const struct group *group;
    const struct rank *rank;
    uint64_t chunk_bytes;
    int gathers; /* option L: device g of a rank first gathers all vertices that go to device g of other ranks */
    int leaving; /* vertices leave for other groups in this level */
    struct vertex_span *buffer; /* [G from][R][G to] send buffers, in exchange memory of the device `from`. Buffers for
                                 * devices of this group stay empty */
    struct device_messages *of;  /* [G] the messages of each device */
    uint64_t *control; /* [2][R] first the rows for each rank, then the rows from each rank. A row has a note and G*G
                        * counts */
    struct rank_note *notes;   /* [R] the notes of all ranks, set by vertices_share */
    struct pair_note *to;      /* [R] counts of this level, for each receiving rank */
    struct transfer *sends;    /* [R*G] messages with frontiers */
    struct transfer *receives; /* [R*G*G] messages with frontiers or vertices; if vertices, receive_count messages are
                                * valid */
    size_t receive_count;
    struct transfer *chunk; /* the chunks of send buffers, in the order of the devices that send them */
    struct comm_flow *flow; /* the flow of this level; NULL: no messages are under way */
    uint32_t *frontiers; /* a bitmap over the columns of nn with the frontiers of all groups; NULL: frontiers are never
                          * exchanged */
    uint64_t *frontier_words; /* [G][p] the number of 32-bit words of each shard's message in `frontiers`, as counted by
                               * each device */
};

/* Collective. Called in groups that do not hold all shards. Allocates the memory of messages. A rank with a failure in *e
 * takes part, too. `frontiers`: groups may give each other their frontiers. */
enum status vertices_open(struct vertices *vertices, struct group *group, uint64_t chunk_bytes, int gathers,
                          int frontiers, struct error *e);
void vertices_close(struct vertices *vertices, const struct rank *rank); /* frees all memory; zeroed vertices are allowed */

/* ---- within a group ---- */

/* Lets the devices of this thread take in the vertices that their peers found for them. */
enum status vertices_take_peers(const struct group *group, const struct host_thread *thread, struct error *e);

/* vertices_count_peers counts the vertices that devices of this rank read in the memory of peers in a level.
 * vertices_count_frontiers counts the bytes of frontiers that these devices read in the memory of peers before a visit. */
void vertices_count_peers(const struct group *group, struct exchange_counts *counts);
void vertices_count_frontiers(const struct group *group, struct exchange_counts *counts);

/* ---- between groups ---- */

/* Counts the vertices that leave in lists, before duplicates are dropped. vertices_begin later counts the vertices that
 * are sent. */
void vertices_count_found(const struct vertices *vertices);

/* Sets `leaving`, and the size and place of each send buffer. With option L also fills the send buffers, and waits. */
enum status vertices_collect(struct vertices *vertices, struct error *e);

/* Collective. Sends the note `own` and the sizes of send buffers to all ranks. Sets `notes`, the notes of all ranks. */
void vertices_share(struct vertices *vertices, const struct rank_note *own);

/* The messages of a level. vertices_begin prepares the messages. vertices_move continues the messages without waiting.
 * vertices_are_here returns whether all messages have been sent and have arrived. vertices_end then closes the flow.
 * After a failure of vertices_begin or vertices_move the job must end. */
enum status vertices_begin(struct vertices *vertices, struct exchange_counts *counts, struct error *e);
enum status vertices_move(struct vertices *vertices, struct error *e);
int vertices_are_here(const struct vertices *vertices);
void vertices_end(struct vertices *vertices);

/* Shows the frontiers of the thread's devices to their peers. Unless `sent` is NULL, also writes the messages for devices of
 * other groups into sent->frontiers. */
enum status vertices_show_frontiers(const struct group *group, const struct vertices *sent, const struct host_thread *thread,
                                    struct error *e);

/* Gives the frontiers of this group to the devices of all other groups, and takes in the frontiers of the other groups.
 * Called after vertices_show_frontiers and a barrier. */
enum status vertices_give_frontiers(struct vertices *vertices, const struct host_thread *thread,
                                    struct exchange_counts *counts, struct error *e);

/* ---- for the files of this folder ---- */

/* Grows the memory to at least `need` ids. If the memory grows, its old content is lost. */
enum status message_memory_grow(const struct vertices *vertices, uint32_t device, struct message_memory *memory,
                                uint64_t need, struct error *e);

/* Returns the number of send buffers of one device: one for each device of each rank, which is one for each shard. */
static inline size_t buffers_of_device(const struct vertices *v)
{
    return (size_t)v->rank->comm->ranks * v->rank->device_count;
}

/* Returns the send buffer from device `from` of this rank to device `to` of another rank. */
static inline struct vertex_span *send_buffer_of(const struct vertices *v, uint32_t from, uint32_t rank, uint32_t to)
{
    return v->buffer + from * buffers_of_device(v) + (size_t)rank * v->rank->device_count + to;
}

/* Returns the message from device `from` of a rank to device `to` of this rank, without its ids. The span has the number
 * of ids, or the number of words of a bitmap. Called after vertices_share. */
struct vertex_span incoming_span(const struct vertices *vertices, uint32_t rank, uint32_t from, uint32_t to);

/* Collective. Allocates the memory for frontiers. If frontiers go as updates, also tells the devices which normals of
 * each shard have nn edges. Called by vertices_open. */
enum status open_frontiers(struct vertices *vertices, struct group *group, struct error *e);

#endif
