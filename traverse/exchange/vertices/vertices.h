/* vertices.h: the vertices that devices give to each other (Pan et al., section V-B; exchange.h)
 *
 * Within a group there are no messages: a device reads vertices where its peers have them (peer_vertices.c). The steps
 * of a level between groups, in their order:
 * 1. vertices_collect (send_buffers.c) puts leaving vertices into send buffers, which option L gathers there.
 * 2. vertices_share (vertices.c): ranks tell each other how their level went, and how much each send buffer has.
 * 3. vertices_begin to vertices_end (vertex_flow.c): buffers are copied, sent, and taken in, all side by side.
 * If nn is pulled, devices give each other the frontier instead, before the visit (frontiers.c).
 *
 * A function with a `thread` parameter is called by every host thread, for its devices. Thread 0 calls the others.
 */
#ifndef DBFS_VERTICES_H
#define DBFS_VERTICES_H

#include "traverse/exchange/exchange_counts.h"
#include "traverse/exchange/group.h"

/* Exchange memory of one device, grown as needed. */
struct message_memory {
    uint32_t *ids;
    uint64_t capacity; /* ids */
};

/* The messages of a device. Its chunks are chunk[..end) of struct vertices: those before `sent` are sent, the next ones up
 * to `copied` are being copied. */
struct device_messages {
    struct message_memory send, receive;
    size_t sent, copied, end;
    uint32_t event; /* of the next copy (backend.copy_vertices) */
};

struct vertices {
    const struct group *group;
    const struct rank *rank;
    uint64_t chunk_bytes;
    int gathers; /* option L: device g gathers the vertices for device g of other ranks first */
    int leaving; /* there are vertices for other groups in this level */
    struct vertex_span *buffer;  /* [G from][R][G to] send buffers, in exchange memory of the device `from`; those to this
                                  * group stay empty */
    struct device_messages *of;  /* [G] */
    uint64_t *control;         /* [2][R] rows to and from each rank: a note, and G*G counts */
    struct rank_note *notes;   /* [R], by vertices_share */
    struct pair_note *to;      /* [R] counts of this level, for each rank */
    struct transfer *sends;    /* [R*G]: of frontiers */
    struct transfer *receives; /* [R*G*G] */
    size_t receive_count;
    struct transfer *chunk; /* chunks of send buffers, by the device that sends them */
    struct comm_flow *flow; /* of this level; NULL: none */
    uint32_t *frontiers;    /* by nn's columns: frontiers between groups; NULL: never given */
    uint64_t *frontier_words; /* [G][p]: words of the messages in `frontiers`, as each device counts them */
};

/* Collective, in groups that do not hold all shards. A rank that failed before takes part. `frontiers`: groups may give each
 * other theirs. */
enum status vertices_open(struct vertices *vertices, struct group *group, uint64_t chunk_bytes, int gathers,
                          int frontiers, struct error *e);
void vertices_close(struct vertices *vertices, const struct rank *rank); /* a zeroed one is allowed */

/* ---- within a group ---- */

/* Gives devices the vertices that their peers found for them. */
enum status vertices_take_peers(const struct group *group, const struct host_thread *thread, struct error *e);

/* Counts vertices, or before a visit frontiers, that this rank's devices read of peers in a level. */
void vertices_count_peers(const struct group *group, struct exchange_counts *counts);
void vertices_count_frontiers(const struct group *group, struct exchange_counts *counts);

/* ---- between groups ---- */

/* Counts the vertices of lists that leave, before duplicates are dropped. vertices_begin counts the others. */
void vertices_count_found(const struct vertices *vertices);

/* Sets `leaving` and the sizes of send buffers. With option L fills the buffers, too, and waits. */
enum status vertices_collect(struct vertices *vertices, struct error *e);

/* Collective. Sends `own` and the sizes of send buffers to all ranks, and sets `notes`. */
void vertices_share(struct vertices *vertices, const struct rank_note *own);

/* Begins all messages of a level; moves them on as far as is possible now; ends them, once vertices_are_here says that all
 * have arrived and are sent. After a failure of the first two the job must end. */
enum status vertices_begin(struct vertices *vertices, struct exchange_counts *counts, struct error *e);
enum status vertices_move(struct vertices *vertices, struct error *e);
int vertices_are_here(const struct vertices *vertices);
void vertices_end(struct vertices *vertices);

/* Shows the frontiers of the devices to their peers and, unless `sent` is NULL, writes the messages for devices of other
 * groups into sent->frontiers. */
enum status vertices_show_frontiers(const struct group *group, const struct vertices *sent, const struct host_thread *thread,
                                    struct error *e);

/* Gives the frontiers of this group to the devices of all others, after vertices_show_frontiers and a barrier. */
enum status vertices_give_frontiers(struct vertices *vertices, const struct host_thread *thread,
                                    struct exchange_counts *counts, struct error *e);

/* ---- for the files of this folder ---- */

/* Grows the memory to `need` ids at least; the old content is lost. */
enum status message_memory_grow(const struct vertices *vertices, uint32_t device, struct message_memory *memory,
                                uint64_t need, struct error *e);

/* Send buffers of one device: one for each device of each rank, and so for each shard. */
static inline size_t buffers_of_device(const struct vertices *v)
{
    return (size_t)v->rank->comm->ranks * v->rank->device_count;
}

/* The buffer of messages from device `from` to device `to` of another rank. */
static inline struct vertex_span *send_buffer_of(const struct vertices *v, uint32_t from, uint32_t rank, uint32_t to)
{
    return v->buffer + from * buffers_of_device(v) + (size_t)rank * v->rank->device_count + to;
}

/* The message from device `from` of a rank to device `to` of this one: ids, or words of a bitmap; after vertices_share. */
struct vertex_span incoming_span(const struct vertices *vertices, uint32_t rank, uint32_t from, uint32_t to);

/* Takes memory for frontiers, and lets devices know which normals of each shard have nn edges, if frontiers go as updates.
 * Collective, as vertices_open. */
enum status open_frontiers(struct vertices *vertices, struct group *group, struct error *e);

#endif
