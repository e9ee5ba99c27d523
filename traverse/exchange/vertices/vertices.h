/* vertices.h: moves the normal vertices that devices found for each other (Pan et al., section V-B)
 *
 * Within a group a device reads vertices in the memory of its peers (peer_vertices.c). Between groups a level has these
 * steps:
 * 1. vertices_collect (send_buffers.c) sizes the send buffers for vertices that leave and, with option L, fills them.
 * 2. vertices_share (vertices.c) tells all ranks what this rank found, and how large its send buffers are.
 * 3. vertices_begin to vertices_end (vertex_flow.c) copy the vertices to the buffers, send them and take them in, all
 *    at the same time.
 * Before a pull of nn devices give each other their frontiers instead (frontiers.c).
 *
 * Every host thread calls the functions with a `thread` parameter, for its own devices. Thread 0 calls the others. */
#ifndef DBFS_VERTICES_H
#define DBFS_VERTICES_H

#include "traverse/exchange/exchange_counts.h"
#include "traverse/exchange/group.h"

/* Memory of one device from which messages are sent, or to which they come. It grows as needed. */
struct message_memory {
    uint32_t *ids;
    uint64_t capacity; /* number of ids that fit */
};

/* The messages of a device, which are sent in chunks. Its chunks end before index `end` of `chunk` in struct vertices. Those
 * before `sent` are sent, those from `sent` to `copied` - 1 are being copied, and later ones have not begun. */
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
    int gathers; /* option L: vertices for the devices g of other ranks are first gathered on this rank's device g */
    int leaving; /* vertices leave for other groups in this level */
    struct vertex_span *buffer; /* [G][R][G] send buffers from each device of this rank to each device of each rank, in
                                 * memory of the sending device; empty for receivers in this group */
    struct device_messages *of;  /* [G] the messages of each device */
    uint64_t *control; /* [2][R] rows of a note and G*G counts: those sent to each rank, then those received from each */
    struct rank_note *notes;   /* [R] the notes of all ranks, set by vertices_share */
    struct pair_note *to;      /* [R] counts of this level, for each receiving rank */
    struct transfer *sends;    /* [R*G] messages with frontiers */
    struct transfer *receives; /* [R*G*G] messages with frontiers, or receive_count messages with vertices */
    size_t receive_count;
    struct transfer *chunk; /* the chunks of all send buffers, ordered by the device that sends them */
    struct comm_flow *flow; /* the flow of this level; NULL: no messages are under way */
    struct group_memory frontiers; /* of all groups, a bitmap over the columns of nn; empty: never exchanged */
    uint64_t *frontier_words; /* [G][p] the number of 32-bit words of each shard's message in `frontiers`, as each device reckons it */
};

/* Collective with `frontiers`. Allocates the tables of messages, for groups that do not hold all shards; on GPUs also the memory of
 * messages, and with `frontiers`, if groups may give each other their frontiers, the memory of these. `gathers` is option L. A rank with a
 * failure in *e takes part, too. Ranks may fail alone. vertices_close frees what was allocated, also after a failure. */
enum status vertices_open(struct vertices *vertices, struct group *group, uint64_t chunk_bytes, int gathers,
                          int frontiers, struct error *e);
void vertices_close(struct vertices *vertices, const struct rank *rank); /* *vertices may be zeroed or opened in part */

/* ---- within a group ---- */

/* Lets the devices of this thread take in the vertices that their peers found for them. */
enum status vertices_take_peers(const struct group *group, const struct host_thread *thread, struct error *e);

/* Count what devices of this rank read in the memory of peers: vertices_count_peers the vertices that peers found in a
 * level, and vertices_count_frontiers the frontiers that are read before a pull of nn. */
void vertices_count_peers(const struct group *group, struct exchange_counts *counts);
void vertices_count_frontiers(const struct group *group, struct exchange_counts *counts);

/* ---- between groups ---- */

/* Counts the vertices that leave in lists, for each receiving rank, before duplicates are dropped. vertices_begin counts what is sent. */
void vertices_count_found(const struct vertices *vertices);

/* Sets `leaving`, and sizes and places the send buffers of vertices that leave. With option L also fills them, and waits. */
enum status vertices_collect(struct vertices *vertices, struct error *e);

/* Collective. Tells all ranks the note `own` and the sizes of this rank's send buffers, and learns theirs. */
void vertices_share(struct vertices *vertices, const struct rank_note *own);

/* The messages of a level. vertices_begin prepares them, and vertices_move continues them without waiting, until
 * vertices_are_here says that all are sent and have arrived. vertices_end then closes the flow. After a failure of
 * vertices_begin or vertices_move the job must end. */
enum status vertices_begin(struct vertices *vertices, struct exchange_counts *counts, struct error *e);
enum status vertices_move(struct vertices *vertices, struct error *e);
int vertices_are_here(const struct vertices *vertices);
void vertices_end(struct vertices *vertices);

/* Shows the frontiers of this thread's devices to their peers. Unless `sent` is NULL, also writes the messages for other groups to
 * sent->frontiers, and the lengths of all messages to sent->frontier_words. */
enum status vertices_show_frontiers(const struct group *group, const struct vertices *sent, const struct host_thread *thread,
                                    struct error *e);

/* Gives the frontiers of this group to all other groups, and theirs to this thread's devices: thread 0 sends and receives while the others
 * wait. Called after vertices_show_frontiers and a barrier. */
enum status vertices_give_frontiers(struct vertices *vertices, const struct host_thread *thread,
                                    struct exchange_counts *counts, struct error *e);

/* ---- for the files of this folder ---- */

/* Makes sure that a device's memory for messages has space for `need` ids. If it must grow, the old content is lost. */
enum status message_memory_grow(const struct vertices *vertices, uint32_t device, struct message_memory *memory,
                                uint64_t need, struct error *e);

/* Returns the number of send buffers of one device: one for each device of all ranks. */
static inline size_t buffers_of_device(const struct vertices *v)
{
    return (size_t)v->rank->comm->ranks * v->rank->device_count;
}

/* Returns the send buffer from device `from` of this rank to device `to` of another rank. */
static inline struct vertex_span *send_buffer_of(const struct vertices *v, uint32_t from, uint32_t rank, uint32_t to)
{
    return v->buffer + from * buffers_of_device(v) + (size_t)rank * v->rank->device_count + to;
}

/* Returns the form and size of the message from device `from` of a rank to device `to` of this rank; its ids are not
 * set. Called after vertices_share. */
struct vertex_span incoming_span(const struct vertices *vertices, uint32_t rank, uint32_t from, uint32_t to);

/* Collective, called by vertices_open. Allocates the memory for frontiers. If the backend sends frontiers as updates, also
 * tells the devices which normals of each shard have nn edges. */
enum status open_frontiers(struct vertices *vertices, struct group *group, struct error *e);

#endif
