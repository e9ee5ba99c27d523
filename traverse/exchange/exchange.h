/* exchange.h: messages and shared memory of devices and ranks, in and between levels (Pan et al., section V).
 *
 * Devices that read each other's memory form a group (group.h): those of a rank or, with `peer`, those of all
 * ranks of a host. Within it nothing is sent. Between groups there are messages.
 *
 * - Delegates: the masks of updated delegates are reduced. First the masks of a group become one. Then those of
 *   all groups become one, by a blocking MPI_Allreduce, or by MPI_Iallreduce, which overlaps the exchange of vertices.
 * - Normals: a vertex that a push of nn found is given to the device that owns it, as 4 bytes in a list or as a
 *   bit of a bitmap. If nn is pulled, the frontier is given away instead, before the visit: one bit a vertex.
 * - Counts: one small all-to-all per level says how many vertices follow, whether any mask changed, and
 *   whether the search is over. So a level without delegate updates reduces nothing (S' of section V-A).
 */
#ifndef DBFS_EXCHANGE_H
#define DBFS_EXCHANGE_H

#include "traverse/exchange/masks/masks.h"
#include "traverse/exchange/vertices/vertices.h"

/* Memory through which vertices and masks go. `peer`: devices of one host read each other's memory. `host` and
 * `device`: all ranks send messages, from memory of that kind. `auto`: `peer` within a host if that can be, and
 * messages from device memory if the MPI library says that it takes it. */
enum exchange_memory_choice {
    EXCHANGE_MEMORY_AUTO,
    EXCHANGE_MEMORY_HOST,
    EXCHANGE_MEMORY_DEVICE,
    EXCHANGE_MEMORY_PEER
};

/* Chooses the memory of messages. ST_RESOURCE: device memory was asked for and cannot be had. */
enum status exchange_memory_choose(enum exchange_memory *memory, enum exchange_memory_choice choice,
                                   const struct backend *backend, const struct comm *comm, struct error *e);

/* Whether devices of other ranks will read the memory of this rank's devices. */
int exchange_shares_memory(enum exchange_memory_choice choice, const struct comm *comm);

enum { EXCHANGE_CHUNK_BYTES = 4 << 20 }; /* the paper's best message size, section VI-A */

/* The form of vertices that leave a device: always lists, always bitmaps, or the form of fewer bytes. */
enum exchange_form { EXCHANGE_FORM_AUTO, EXCHANGE_FORM_LIST, EXCHANGE_FORM_BITS };

struct exchange_options {
    enum exchange_memory_choice memory;
    enum exchange_form form;
    int nonblocking;      /* IR: overlaps the nn exchange; otherwise BR */
    int local_all2all;    /* L: device g gathers the vertices for device g of other ranks first */
    int uniquify;         /* U: drop duplicates among the vertices for one device */
    uint64_t chunk_bytes; /* of nn messages */
};

/* Bytes and vertices that one exchange moved, on this rank. */
struct exchange_stats {
    struct exchange_counts counts;
    int reduced_masks;       /* how many times masks were reduced */
    struct breakdown times;  /* of the level: its phases of the exchange are added here */
};

/* How a level went, as all ranks know. */
struct level_state {
    int updated; /* a device of some rank found a delegate */
    int found;   /* a device of some rank found a normal vertex */
    int wide;    /* the next level may reach so many normals that their frontier is worth sending */
};

/* Counts that the direction of nn depends on. */
struct nn_total {
    struct subgraph_work work; /* of all devices if `everywhere`, else of the group */
    int everywhere;
    double reach;     /* estimate of the normals that this rank's level reaches */
    uint64_t bits;    /* of all frontiers, which groups give each other if nn is pulled */
    uint64_t normals; /* of all shards */
    uint64_t sources; /* of all shards: rows of nn that are not empty */
};

struct exchange {
    const struct rank *rank;
    struct exchange_options options;
    struct group group;
    struct level_state level;      /* the last one */
    struct exchange_counts counts; /* of this level, by host thread 0 */
    struct pair_log *pairs;        /* the same for each pair of ranks; NULL: not wanted */
    struct nn_total nn;
    int has_bitmaps; /* vertices may leave as bitmaps by nn's columns */
    int in_parts;    /* 1: this group visits dd in two parts in this level; after exchange_sum_work: some group does so */
    struct masks masks;
    struct vertices vertices;
    char why[ERROR_TEXT_BYTES]; /* why the devices of this host form no group; empty: they do, or nobody asked for it */
};

/* Collective. Opens the group, and memory of messages. The devices are open. */
enum status exchange_open(struct exchange *exchange, const struct rank *rank, const struct exchange_options *options,
                          struct error *e);
void exchange_close(struct exchange *exchange); /* collective; a zeroed one is allowed */

/* Whether devices may search by themselves (backend.search_begin): one that has the whole graph, or peers that hold all
 * shards, if nobody asked for a form. The options of messages (L, U, IR) make no difference, as none is sent. */
int exchange_is_fused(const struct exchange *exchange);

/* Functions below that take a `thread` are called by every host thread with its own. Each adds its times to `stats`, which
 * is zero when a level begins; thread 0 alone gets the counts. */

/* ---- before a visit: each thread writes the work of its devices, a barrier of the group follows, each thread reads ---- */

/* Where the work of a device of this rank is written. */
struct workload *exchange_work(const struct exchange *exchange, uint32_t device);

/* Adds up the work of the group's devices: for one subgraph, of a level that begins with it, or for all; for nn then that of
 * all devices of all ranks, if there may be much (collective). */
void exchange_sum(const struct exchange *exchange, enum subgraph g, struct subgraph_work *total);
enum status exchange_sum_work(struct exchange *exchange, const struct host_thread *thread, struct workload *total,
                              struct error *e);

/* Whether a pull of dd is worth two parts. `dd` is total; `ahead`: the level begins with it. */
int exchange_has_parts(const struct exchange *exchange, int ahead, const struct subgraph_work *dd);

/* Whether the exact forward workload of nn is needed to choose a form. `nn` is one device's. */
int exchange_needs_forward(const struct exchange *exchange, const struct subgraph_work *nn);

/* Whether nn can be pulled, and is worth the bytes of the frontier. `nn` is total. */
int exchange_may_pull_nn(const struct exchange *exchange, const struct subgraph_work *nn);

/* The form in which a push of nn keeps the vertices of other shards. `nn` is total. */
enum outgoing_form exchange_form_of(const struct exchange *exchange, const struct subgraph_work *nn);

/* Gives the normals of the frontier to all devices, before nn is pulled. */
enum status exchange_frontier(struct exchange *exchange, const struct host_thread *thread, struct exchange_stats *stats,
                              struct error *e);

/* Between the two parts of a visit: delegates that the first one found become known to all devices. */
enum status exchange_join_parts(struct exchange *exchange, const struct host_thread *thread,
                                struct exchange_stats *stats, struct error *e);

/* ---- the end of a level ---- */

/* Whether the masks are reduced while devices still look for normals. That is so in all levels but the root's, with several
 * groups and a non-blocking reduction. Then exchange_begin_masks is called between visiting and finishing:
 * it waits for the delegates and begins to reduce their masks. */
int exchange_overlaps(const struct exchange *exchange);
enum status exchange_begin_masks(struct exchange *exchange, const struct host_thread *thread,
                                 struct exchange_stats *stats, struct error *e);

/* Drives a reduction that has begun until the devices have finished their visits. */
void exchange_drive(struct exchange *exchange, const struct host_thread *thread, struct error *e);

/* A level ends in two steps, after group_put_result for all devices and a barrier of the group. After exchange_masks the
 * delegates of all ranks are known, and vertices may still be under way between ranks. *done: nothing was found anywhere,
 * and the search is over; exchange_vertices is called in any case. */
enum status exchange_masks(struct exchange *exchange, const struct host_thread *thread, int *done,
                           struct exchange_stats *stats, struct error *e);
enum status exchange_vertices(struct exchange *exchange, const struct host_thread *thread, struct exchange_stats *stats,
                              struct error *e);

/* Whether the next level may begin with its delegates between the two steps. All devices know alike. */
int exchange_runs_ahead(const struct exchange *exchange);

#endif
