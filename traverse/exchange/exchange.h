/* exchange.h: messages and shared memory of devices and ranks, in and between levels (Pan et al., section V).
 *
 * Devices that read each other's memory form a group (group.h). These are the devices of a rank or, with `peer`, the
 * devices of all ranks of a host. Within a group nothing is sent. Between groups there are messages.
 *
 * - Delegates: the masks of delegates that were found are reduced. First the masks of a group become one mask. Then the
 *   masks of all groups become one mask, by a blocking MPI_Allreduce, or by MPI_Iallreduce, which overlaps the exchange of
 *   vertices.
 * - Normals: a vertex that a push of nn found is given to the device that owns it, as 4 bytes in a list or as a bit of a
 *   bitmap. If nn is pulled, the frontier is given away instead, before the visit. It has one bit for a vertex.
 * - Counts: one small all-to-all per level says how many vertices follow, whether any mask changed, and whether the search
 *   is over. So a level without delegate updates reduces nothing (S' of section V-A).
 */
#ifndef DBFS_EXCHANGE_H
#define DBFS_EXCHANGE_H

#include "traverse/exchange/masks/masks.h"
#include "traverse/exchange/vertices/vertices.h"

/* The memory through which vertices and masks go:
 * - `peer`: devices of one host read each other's memory.
 * - `host` and `device`: all ranks send messages, from memory of that kind.
 * - `auto`: `peer` within a host if the devices can do so. Messages go from device memory if the MPI library says that it
 *   takes device memory. */
enum exchange_memory_choice {
    EXCHANGE_MEMORY_AUTO,
    EXCHANGE_MEMORY_HOST,
    EXCHANGE_MEMORY_DEVICE,
    EXCHANGE_MEMORY_PEER
};

/* Chooses the kind of memory from which messages go. ST_RESOURCE: device memory was asked for and cannot be used. */
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
    int nonblocking;      /* option IR: the mask reduction overlaps the nn exchange. 0: blocking reduction (option BR) */
    int local_all2all;    /* option L: device g gathers the vertices for device g of other ranks first */
    int uniquify;         /* option U: duplicates among the vertices for one device are dropped */
    uint64_t chunk_bytes; /* of nn messages */
};

/* The bytes and vertices that one level's exchange moved on this rank, and its times. */
struct exchange_stats {
    struct exchange_counts counts;
    int reduced_masks;       /* how many times masks of delegates were reduced in the level */
    struct breakdown times;  /* seconds of the level's phases; the exchange adds the seconds of its own phases */
};

/* How a level went. All ranks have the same values. */
struct level_state {
    int updated; /* a device of some rank found a delegate */
    int found;   /* a device of some rank found a normal vertex */
    int wide;    /* the next level may reach many normals: a pull of nn may be worth the frontiers' bytes */
};

/* The counts from which the direction of nn and the form of its vertices are chosen. */
struct nn_total {
    struct subgraph_work work; /* summed over all devices of all ranks if `everywhere`, else over the group */
    int everywhere;
    double reach;     /* an estimate of the normals that this rank's level reaches */
    uint64_t bits;    /* of the frontiers of all shards, which groups give each other if nn is pulled */
    uint64_t normals; /* normals of all shards */
    uint64_t sources; /* rows of nn that are not empty, of all shards */
};

/* The exchange of one rank. */
struct exchange {
    const struct rank *rank;
    struct exchange_options options;
    struct group group;
    struct level_state level;      /* how the last level went */
    struct exchange_counts counts; /* of this level; host thread 0 counts */
    struct pair_log *pairs;        /* the vertices between each pair of ranks; NULL: not wanted */
    struct nn_total nn;
    int has_bitmaps; /* vertices may leave as bitmaps over the columns of nn */
    int in_parts;    /* this group divides dd in this level. After exchange_sum_work: some group divides dd */
    struct masks masks;
    struct vertices vertices;
    char why[ERROR_TEXT_BYTES]; /* why the devices of this host form no group; empty: they do, or no group was wanted */
};

/* Collective. Forms the group, and allocates the memory of messages. The devices are open. */
enum status exchange_open(struct exchange *exchange, const struct rank *rank, const struct exchange_options *options,
                          struct error *e);
void exchange_close(struct exchange *exchange); /* collective; frees everything; a zeroed exchange is allowed */

/* Returns whether devices may search by themselves (backend.search_begin). Possible for one device that has the whole
 * graph, or for peers that hold all shards, if no form of vertices was asked for. The options of messages (L, U, IR) make
 * no difference, because no messages are sent. */
int exchange_is_fused(const struct exchange *exchange);

/* The functions below that have a parameter `thread` are called by every host thread with its own. Each adds its times to
 * `stats`, which is zero when a level begins. Only thread 0 gets the counts. */

/* ---- before a visit: each thread writes the work of its devices; after a barrier of the group each thread reads all ----
 */

/* Returns the place for the work of a device of this rank, in memory that the whole group sees. */
struct workload *exchange_work(const struct exchange *exchange, uint32_t device);

/* exchange_sum: adds up the work of the group's devices for one subgraph. A level that begins with dd needs only this sum.
 * exchange_sum_work: adds up the work for all subgraphs. If the frontier of nn may be large, the sum of nn is one over all
 * devices of all ranks (collective). */
void exchange_sum(const struct exchange *exchange, enum subgraph g, struct subgraph_work *total);
enum status exchange_sum_work(struct exchange *exchange, const struct host_thread *thread, struct workload *total,
                              struct error *e);

/* Returns whether a pull of dd is worth two parts. `dd`: the sum of the group's devices. `ahead`: the level begins with dd.
 */
int exchange_has_parts(const struct exchange *exchange, int ahead, const struct subgraph_work *dd);

/* Returns whether the exact forward workload of nn is needed to choose a form of vertices. `nn`: the work of one device. */
int exchange_needs_forward(const struct exchange *exchange, const struct subgraph_work *nn);

/* Returns whether nn can be pulled, and whether the pull is worth the bytes of the frontier. `nn`: of exchange_sum_work. */
int exchange_may_pull_nn(const struct exchange *exchange, const struct subgraph_work *nn);

/* Returns the form in which a push of nn keeps the vertices of other shards. `nn`: of exchange_sum_work. */
enum outgoing_form exchange_form_of(const struct exchange *exchange, const struct subgraph_work *nn);

/* Gives the normals of the frontier to all devices. Called before nn is pulled by several devices. */
enum status exchange_frontier(struct exchange *exchange, const struct host_thread *thread, struct exchange_stats *stats,
                              struct error *e);

/* Called between the two parts of a pull of dd: delegates that the first part found become known to all devices. */
enum status exchange_join_parts(struct exchange *exchange, const struct host_thread *thread,
                                struct exchange_stats *stats, struct error *e);

/* ---- the end of a level ---- */

/* exchange_overlaps returns whether the masks are reduced while devices still look for normals. That is so in all levels but
 * the root's, with several groups and a non-blocking reduction. In these levels exchange_begin_masks is called between the
 * visit and the wait for it: exchange_begin_masks waits for the delegates, and begins to reduce their masks. */
int exchange_overlaps(const struct exchange *exchange);
enum status exchange_begin_masks(struct exchange *exchange, const struct host_thread *thread,
                                 struct exchange_stats *stats, struct error *e);

/* Moves on a reduction that has begun, until the devices have finished their visits or the reduction is over. */
void exchange_drive(struct exchange *exchange, const struct host_thread *thread, struct error *e);

/* A level ends in two steps. Both follow group_put_result for all devices and a barrier of the group. After exchange_masks
 * the delegates of all ranks are known, and vertices may still be under way between ranks. Sets *done to whether nothing
 * was found on any rank; the search is over then. exchange_vertices, which waits for the vertices, is called in any case. */
enum status exchange_masks(struct exchange *exchange, const struct host_thread *thread, int *done,
                           struct exchange_stats *stats, struct error *e);
enum status exchange_vertices(struct exchange *exchange, const struct host_thread *thread, struct exchange_stats *stats,
                              struct error *e);

/* Returns whether the next level may begin with its delegates between the two steps. All devices get the same result. */
int exchange_runs_ahead(const struct exchange *exchange);

#endif
