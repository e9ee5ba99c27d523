/* exchange.h: messages and shared memory between devices and ranks, within a level and between levels (Pan et al.,
 * section V).
 *
 * Devices that read each other's memory form a group (group.h). The group has the devices of one rank or, with `peer`,
 * the devices of all ranks of a host. Within a group nothing is sent. Between groups ranks send messages.
 *
 * - Delegates: the masks of the delegates that were found are reduced. First the masks of the devices of a group become
 *   one mask. Then the masks of all groups become one mask. A blocking MPI_Allreduce does this, or an MPI_Iallreduce that
 *   runs during the exchange of vertices.
 * - Normals: a vertex that a push of nn found is given to the device that owns the vertex. The vertex goes as 4 bytes in
 *   a list or as a bit of a bitmap. If nn is pulled, devices give away their frontier instead, before the visit. The
 *   frontier has one bit for a vertex.
 * - Counts: one small all-to-all per level tells each rank how many vertices follow, whether any mask changed, and
 *   whether the search is over. So a level in which no mask changed reduces nothing (S' of section V-A). */
#ifndef DBFS_EXCHANGE_H
#define DBFS_EXCHANGE_H

#include "traverse/exchange/masks/masks.h"
#include "traverse/exchange/vertices/vertices.h"

/* The memory through which vertices and masks go:
 * - `peer`: devices of one host read each other's memory.
 * - `host`: all ranks send messages from host memory.
 * - `device`: all ranks send messages from device memory.
 * - `auto`: as `peer` within a host if the devices can read each other's memory. Messages go from device memory if the
 *   MPI library says that it accepts device memory, else from host memory. */
enum exchange_memory_choice {
    EXCHANGE_MEMORY_AUTO,
    EXCHANGE_MEMORY_HOST,
    EXCHANGE_MEMORY_DEVICE,
    EXCHANGE_MEMORY_PEER
};

/* Chooses the kind of memory from which messages go. Returns ST_RESOURCE if the option wants device memory that cannot be
 * used. */
enum status exchange_memory_choose(enum exchange_memory *memory, enum exchange_memory_choice choice,
                                   const struct backend *backend, const struct comm *comm, struct error *e);

/* Returns whether devices of other ranks of this host will read the memory of this rank's devices. */
int exchange_shares_memory(enum exchange_memory_choice choice, const struct comm *comm);

enum { EXCHANGE_CHUNK_BYTES = 4 << 20 }; /* the paper's best message size, section VI-A */

/* The form of vertices that leave a device: always lists, always bitmaps, or the form that has fewer bytes. */
enum exchange_form { EXCHANGE_FORM_AUTO, EXCHANGE_FORM_LIST, EXCHANGE_FORM_BITS };

/* The options of the exchange. */
struct exchange_options {
    enum exchange_memory_choice memory;
    enum exchange_form form;
    int nonblocking; /* option IR: the reduction of masks runs during the nn exchange. 0: blocking reduction (option BR) */
    int local_all2all;    /* option L: device g of a rank first gathers all vertices that go to device g of other ranks */
    int uniquify;         /* option U: duplicates are dropped among the vertices that go to one device */
    uint64_t chunk_bytes; /* the bytes of a chunk of an nn message */
};

/* The bytes and vertices that one level's exchange moved on this rank, and its times. */
struct exchange_stats {
    struct exchange_counts counts;
    int reduced_masks;       /* the number of mask reductions in the level */
    struct breakdown times;  /* seconds of each phase of the level; the exchange adds to its own phases */
};

/* What the last level found. All ranks have the same values. */
struct level_state {
    int updated; /* a device of some rank found a delegate */
    int found;   /* a device of some rank found a normal vertex */
    int wide;    /* the next level may reach many normals, so it may be worthwhile to send the frontiers for a pull of nn */
};

/* The counts from which the direction of nn and the form of its vertices are chosen. */
struct nn_total {
    struct subgraph_work work; /* the sum over all devices of all ranks if `everywhere` is set, else over the group */
    int everywhere;
    double reach;     /* an estimate of the normals that this rank's level reaches */
    uint64_t bits;    /* the bits of the frontiers of all shards; groups give each other these frontiers if nn is pulled */
    uint64_t normals; /* the number of normals of all shards */
    uint64_t sources; /* the number of rows of nn, in all shards, that are not empty */
};

/* The exchange of one rank. */
struct exchange {
    const struct rank *rank;
    struct exchange_options options;
    struct group group;
    struct level_state level;      /* what the last level found */
    struct exchange_counts counts; /* the counts of this level, kept by host thread 0 */
    struct pair_log *pairs;        /* the counts of vertices between each pair of ranks; NULL: these counts are not wanted */
    struct nn_total nn;
    int has_bitmaps; /* a push of nn may keep its vertices as bitmaps over the columns of nn */
    int in_parts; /* this group divides dd into two parts in this level. exchange_sum_work then sets it if any group divides
                   * dd */
    struct masks masks;
    struct vertices vertices;
    char why[ERROR_TEXT_BYTES]; /* why the devices of this host form no group; empty if they form a group, or if no group
                                 * was wanted */
};

/* Collective. Forms the group, and allocates the memory of messages. The devices must be open. exchange_close frees
 * everything, also after a failure. */
enum status exchange_open(struct exchange *exchange, const struct rank *rank, const struct exchange_options *options,
                          struct error *e);
void exchange_close(struct exchange *exchange); /* collective; frees everything; a zeroed exchange is allowed */

/* Returns whether devices may search by themselves (backend.search_begin). Either one device has the whole graph, or
 * peers hold all shards and no option asks for a form of vertices. The options of messages (L, U, IR) make no difference,
 * because no messages are sent. */
int exchange_is_fused(const struct exchange *exchange);

/* Every host thread calls the functions below that have a parameter `thread`, and passes its own struct host_thread. Each
 * thread has its own `stats`, which is zero when a level begins, and the functions add times to it. Only thread 0 gets
 * the counts. */

/* ---- before a visit: each thread writes the work of its devices. After a barrier of the group each thread reads the
 * work of all devices of the group ---- */

/* Returns where the work of a device of this rank is kept. The whole group sees this memory. */
struct workload *exchange_work(const struct exchange *exchange, uint32_t device);

/* Both functions add up the work of the devices of the group:
 * - exchange_sum: for one subgraph. A level that begins with dd needs only this sum.
 * - exchange_sum_work: for all subgraphs. Collective. If the frontier of nn may be large, the sum of nn is over all
 *   devices of all ranks. */
void exchange_sum(const struct exchange *exchange, enum subgraph g, struct subgraph_work *total);
enum status exchange_sum_work(struct exchange *exchange, const struct host_thread *thread, struct workload *total,
                              struct error *e);

/* Returns whether it is worthwhile to divide a pull of dd into two parts. `dd`: the sum over the devices of the group.
 * `ahead`: the level begins with dd. */
int exchange_has_parts(const struct exchange *exchange, int ahead, const struct subgraph_work *dd);

/* Returns whether the exact forward workload of nn is needed to choose the form of vertices, list or bitmap. `nn`: the
 * work of one device. */
int exchange_needs_forward(const struct exchange *exchange, const struct subgraph_work *nn);

/* Returns whether nn can be pulled, and whether the pull is worth sending the frontier. `nn`: the sum that
 * exchange_sum_work made. */
int exchange_may_pull_nn(const struct exchange *exchange, const struct subgraph_work *nn);

/* Returns the form, list or bitmap, in which a push of nn keeps the vertices of other shards. `nn`: the sum that
 * exchange_sum_work made. */
enum outgoing_form exchange_form_of(const struct exchange *exchange, const struct subgraph_work *nn);

/* Gives the normals of the frontier to all devices. Called before nn is pulled by several devices. */
enum status exchange_frontier(struct exchange *exchange, const struct host_thread *thread, struct exchange_stats *stats,
                              struct error *e);

/* Tells all devices which delegates the first part of a pull of dd found. Called between the two parts. */
enum status exchange_join_parts(struct exchange *exchange, const struct host_thread *thread,
                                struct exchange_stats *stats, struct error *e);

/* ---- the end of a level ---- */

/* exchange_overlaps returns whether the masks are reduced while devices still look for normals. This is so with several
 * groups and a non-blocking reduction, in every level except the level of the root. In these levels exchange_begin_masks
 * is called after the visits have begun and before the wait for them. exchange_begin_masks waits for the delegates, and
 * begins to reduce their masks. */
int exchange_overlaps(const struct exchange *exchange);
enum status exchange_begin_masks(struct exchange *exchange, const struct host_thread *thread,
                                 struct exchange_stats *stats, struct error *e);

/* Continues a reduction that has begun, until the reduction is over or the devices have finished their visits. */
void exchange_drive(struct exchange *exchange, const struct host_thread *thread, struct error *e);

/* A level ends in two steps, exchange_masks and exchange_vertices. Before the steps come group_put_result for all devices
 * and a barrier of the group. After exchange_masks the delegates of all ranks are known, and vertices may still be under
 * way between ranks. exchange_masks sets *done to whether no rank found anything. The search is then over.
 * exchange_vertices waits for the vertices, and is called in any case. */
enum status exchange_masks(struct exchange *exchange, const struct host_thread *thread, int *done,
                           struct exchange_stats *stats, struct error *e);
enum status exchange_vertices(struct exchange *exchange, const struct host_thread *thread, struct exchange_stats *stats,
                              struct error *e);

/* Returns whether the next level may begin with its delegates between exchange_masks and exchange_vertices. All devices
 * get the same result. */
int exchange_runs_ahead(const struct exchange *exchange);

#endif
