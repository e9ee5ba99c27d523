/* vertices.h: the vertices that devices give to each other (Pan et al., section V-B; exchange.h)
 *
 * Within a group there are no messages: a device reads vertices where its peers have them (peer_vertices.c). The steps
 * of a level between groups, in their order:
 * 1. vertices_collect (outboxes.c) puts leaving vertices into boxes; options L and U work there.
 * 2. vertices_share (control.c): ranks tell each other how their level went, and how much each box has.
 * 3. vertices_begin to vertices_end (vertex_flow.c): boxes are copied, sent, and taken in, all side by side.
 * If nn is pulled, devices give each other the frontier instead, before the visit (frontiers.c).
 *
 * A function with a `member` parameter is called by every member, for its devices. Member 0 calls the others.
 */
#ifndef DBFS_VERTICES_H
#define DBFS_VERTICES_H

#include "traverse/exchange/exchange_counts.h"
#include "traverse/exchange/group.h"

/* Exchange memory of one device, grown as needed. */
struct buffer {
    uint32_t *ids;
    uint64_t capacity;
};

/* What a device sends and receives. Of its chunks some are sent, and the next ones are being copied. */
struct device_messages {
    struct buffer send, receive;
    size_t sent, copied, end; /* places among all chunks */
    uint32_t mark;            /* of the next copy */
};

struct vertices {
    const struct group *group;
    const struct rank *rank;
    uint64_t chunk_bytes;
    int gathers; /* option L: device g gathers the vertices for device g of other ranks first */
    int leaving; /* there are vertices for other groups in this level */
    struct send_buffer *box;            /* [G from][R][G to]; those to this group stay empty */
    struct device_messages *of;    /* [G] */
    uint64_t *control;         /* [2][R] rows to and from each rank: a note, and G*G counts */
    struct rank_note *notes;    /* [R], by vertices_share */
    struct pair_note *to;       /* [R] counts of this level, for each rank */
    struct transfer *sends;    /* [R*G]: of frontiers */
    struct transfer *receives; /* [R*G*G] */
    size_t receive_count;
    struct transfer *chunk; /* chunks of boxes, by the device that sends them */
    struct comm_flow *flow; /* of this level; NULL: none */
    uint32_t *frontiers;    /* by nn's columns: frontiers between groups; NULL: never given */
};

/* Collective, in groups that do not hold all shards. A rank that failed before takes part. `frontiers`:
 * groups may give each other theirs. */
enum status vertices_open(struct vertices *vertices, struct group *group, uint64_t chunk_bytes, int gathers,
                          int frontiers, struct error *e);
void vertices_close(struct vertices *vertices, const struct rank *rank); /* a zeroed one is allowed */

/* ---- within a group ---- */

enum status vertices_take_peers(const struct group *group, const struct host_thread *member, struct error *e);

/* Counts vertices, or before a visit frontiers, that this rank's devices read of peers in a level. */
void vertices_count_peers(const struct group *group, struct exchange_counts *counts);
void vertices_count_frontiers(const struct group *group, struct exchange_counts *counts);

/* ---- between groups ---- */

/* Counts the vertices of lists that leave, before duplicates are dropped. vertices_begin counts the others. */
void vertices_count_found(const struct vertices *vertices);

/* Option U: drops duplicates among the vertices that each device found for another. */
enum status vertices_drop_repeated(const struct group *group, const struct host_thread *member, struct error *e);

enum status vertices_collect(struct vertices *vertices, struct error *e);

/* Options U and L: one box has all vertices for a device, so duplicates between devices go, too. */
enum status vertices_drop_duplicates(const struct vertices *vertices, const struct host_thread *member, struct error *e);

/* Collective. */
void vertices_share(struct vertices *vertices, const struct rank_note *own);

enum status vertices_begin(struct vertices *vertices, struct exchange_counts *counts, struct error *e);
enum status vertices_move(struct vertices *vertices, struct error *e); /* does all that is possible now */
int vertices_are_here(const struct vertices *vertices); /* and are sent */
void vertices_end(struct vertices *vertices);

/* Gives the frontiers of this group to the devices of all others. */
enum status vertices_give_frontiers(struct vertices *vertices, const struct host_thread *member,
                                    struct exchange_counts *counts, struct error *e);

/* ---- for the files of this folder ---- */

/* Makes room for `need` ids; its old content is lost. */
enum status buffer_grow(const struct vertices *vertices, uint32_t device, struct buffer *buffer, uint64_t need,
                        struct error *e);

static inline size_t buffers_of_device(const struct vertices *v)
{
    return (size_t)v->rank->comm->ranks * v->rank->device_count;
}

/* The box of messages from device `from` to device `to` of another rank. */
static inline struct send_buffer *send_buffer_of(const struct vertices *v, uint32_t from, uint32_t rank, uint32_t to)
{
    return v->box + from * buffers_of_device(v) + (size_t)rank * v->rank->device_count + to;
}

/* The message from device `from` of a rank to device `to` of this one: ids, or words of a mask. */
struct vertex_span control_incoming(const struct vertices *vertices, uint32_t rank, uint32_t from, uint32_t to);
size_t control_width(const struct rank *rank); /* words of a row */

/* Takes memory for frontiers. Devices learn which normals of each shard have nn edges, if they want to. Collective, as
 * vertices_open. */
enum status open_frontiers(struct vertices *vertices, struct group *group, struct error *e);

#endif
