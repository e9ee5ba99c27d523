/* exchange.h: what devices and ranks tell each other in a level, by shared memory and by messages (Pan et al., section
 * V)
 *
 * Devices that read each other's memory form a group (group.h): those of one rank or, with `peer`, those of all ranks
 * of a host. Nothing is sent within a group. Between groups ranks send messages of three kinds:
 * - Delegates: the masks of found delegates are reduced to one, first within each group, and then over all groups by a
 *   blocking MPI_Allreduce, or by an MPI_Iallreduce that runs while normals are exchanged.
 * - Normals: a vertex that a push of nn found in another shard goes to its owner, as 4 bytes of a list or one bit of a
 *   bitmap. Before a pull of nn devices send each other their frontiers instead, one bit a vertex.
 * - Counts: a small all-to-all each level tells every rank how many vertices follow, whether any mask changed, and
 *   whether the search is over. So a level in which no mask changed needs no reduction (S' of section V-A). */
#ifndef DBFS_EXCHANGE_H
#define DBFS_EXCHANGE_H

#include "traverse/exchange/masks/masks.h"
#include "traverse/exchange/relay.h"
#include "traverse/exchange/vertices/vertices.h"

/* The choices of --exchange-memory:
 * - `peer`: devices of one host read each other's memory.
 * - `host`: all ranks send messages, from host memory.
 * - `device`: all ranks send messages, from device memory. Searches are then stepped.
 * - `auto`: as `peer` within each host where devices can read each other's memory, and else from host memory, which was faster
 *   than device memory wherever both were measured. */
enum exchange_memory_choice {
    EXCHANGE_MEMORY_AUTO,
    EXCHANGE_MEMORY_HOST,
    EXCHANGE_MEMORY_DEVICE,
    EXCHANGE_MEMORY_PEER
};

/* Chooses the memory from which messages are sent. Returns ST_RESOURCE if the option wants device memory that cannot be
 * used. */
enum status exchange_memory_choose(enum exchange_memory *memory, enum exchange_memory_choice choice,
                                   const struct backend *backend, const struct comm *comm, struct error *e);

enum { EXCHANGE_CHUNK_BYTES = 4 << 20 }; /* the paper's best message size, section VI-A */

/* How a push of nn passes on vertices of other shards: always as lists, always as bitmaps, or as what has fewer bytes. */
enum exchange_form { EXCHANGE_FORM_AUTO, EXCHANGE_FORM_LIST, EXCHANGE_FORM_BITS };

/* The options of the exchange. */
struct exchange_options {
    enum exchange_memory_choice memory;
    enum exchange_form form;
    int stepped;     /* searches go level by level, with the host between levels */
    int nonblocking; /* option IR: masks are reduced while normals are exchanged; 0: option BR, a blocking reduction */
    int local_all2all;    /* option L: vertices for the devices g of other ranks are first gathered on this rank's device g */
    int uniquify;         /* option U: duplicates are dropped among the vertices that go to one device */
    uint64_t chunk_bytes; /* the bytes of a chunk of an nn message */
};

/* What one level's exchange moved on this rank, and the time that it took. */
struct exchange_stats {
    struct exchange_counts counts;
    int reduced_masks;       /* the number of mask reductions in the level */
    struct breakdown times;  /* seconds of each phase of the level; the exchange adds to its own phases */
};

/* What all ranks found in the last level. All ranks have the same values. */
struct level_state {
    int updated;        /* a device of some rank found a delegate */
    int found;          /* a device of some rank found a normal vertex */
    int may_reach_many; /* the next level may reach so many normals that a pull of nn may be worth sending frontiers */
};

/* The counts by which nn's direction and the form of its vertices are chosen. */
struct nn_total {
    struct subgraph_work work; /* summed over the devices of all ranks if `is_over_all_ranks` is set, else of the group */
    int is_over_all_ranks;
    double reach;     /* how many normals this rank's level will reach, by estimate */
    uint64_t bits;    /* bits of the frontiers of all shards, which groups send each other before a pull of nn */
    uint64_t normals; /* the number of normals of all shards */
    uint64_t sources; /* number of rows of nn, in all shards, that have edges */
};

/* The exchange of one rank. */
struct exchange {
    const struct rank *rank;
    struct exchange_options options;
    struct group group;
    struct level_state level;      /* what the last level found */
    struct exchange_counts counts; /* the counts of this level, kept by host thread 0 */
    struct pair_log *pairs;        /* vertices sent between each pair of ranks, by level; NULL: not wanted */
    struct nn_total nn;
    int has_bitmaps; /* a push of nn may keep what it finds as bitmaps over the columns of nn */
    int own_divides_dd; /* this group divides a pull of dd in this level, which begins with dd (run_ahead) */
    int any_divides_dd; /* any group does; set by exchange_sum_work */
    struct masks masks;
    struct vertices vertices;
    struct relay relay;   /* for searches that devices run by themselves although the group has not all shards */
    struct message_relay message_relay;
    char why[ERROR_TEXT_BYTES]; /* why this host's devices form no group; empty if they do, or if none was wanted */
};

/* Collective. Forms the group of the open devices, and allocates the memory of messages. exchange_close frees
 * everything, also after a failure. */
enum status exchange_open(struct exchange *exchange, const struct rank *rank, const struct exchange_options *options,
                          struct error *e);
void exchange_close(struct exchange *exchange); /* collective; frees everything; a zeroed exchange is allowed */

/* Returns whether devices may run whole searches by themselves (backend.search_begin). Either one device has the whole
 * graph, or all devices are peers and no option prescribes the form of vertices, or messages between groups are relayed. The
 * options L, U and IR do not matter where nothing is sent; between groups they make searches stepped. */
int exchange_is_fused(const struct exchange *exchange);

/* Functions below with a parameter `thread` are called by every host thread, with its own struct host_thread. Each thread
 * also passes its own `stats`, zeroed when a level begins. Times are added to the stats of all threads, but counts only to
 * those of thread 0. */

/* ---- before a visit: each thread writes the counts of its devices' frontiers. After a barrier all threads of the
 * group read them ---- */

/* exchange_sum adds up the counts of the group's devices in subgraph g, for a level that begins with dd and needs no other.
 * exchange_sum_work is collective, and does this for all subgraphs. If the frontier of nn may be large, it adds up the
 * counts of nn over the devices of all ranks. */
void exchange_sum(const struct exchange *exchange, enum subgraph g, struct subgraph_work *total);
enum status exchange_sum_work(struct exchange *exchange, const struct host_thread *thread, struct workload *total,
                              struct error *e);

/* Returns whether a pull of dd is worth dividing into two parts. `dd` has the summed counts of the group. `ahead`: the
 * level begins with dd while vertices are under way. */
int exchange_has_parts(const struct exchange *exchange, int ahead, const struct subgraph_work *dd);

/* Returns whether the choice between list and bitmap needs FV, the number of the frontier's edges, exactly. `nn` has
 * the counts of one device in nn. */
int exchange_needs_forward(const struct exchange *exchange, const struct subgraph_work *nn);

/* Returns whether nn can be pulled, and is worth sending frontiers. `nn` has its counts, as exchange_sum_work summed
 * them. */
int exchange_may_pull_nn(const struct exchange *exchange, const struct subgraph_work *nn);

/* Returns the form in which a push of nn keeps vertices of other shards. `nn` has its counts, as exchange_sum_work
 * summed them. */
enum outgoing_form exchange_form_of(const struct exchange *exchange, const struct subgraph_work *nn);

/* Gives the frontier's normals to all devices. Called before nn is pulled, if there are several devices. */
enum status exchange_frontier(struct exchange *exchange, const struct host_thread *thread, struct exchange_stats *stats,
                              struct error *e);

/* Tells all devices which delegates the first part of a divided pull of dd found. */
enum status exchange_join_parts(struct exchange *exchange, const struct host_thread *thread,
                                struct exchange_stats *stats, struct error *e);

/* ---- the end of a level ---- */

/* Returns whether masks are reduced while devices still look for normals, the same on all ranks. With several groups and option IR they
 * are, except in the level of the roots: it mostly reaches few delegates, and to find out that they are few takes longer than to reduce
 * them. */
static inline int exchange_overlaps(const struct exchange *exchange)
{
    return !exchange->group.holds_all_shards && exchange->options.nonblocking && (exchange->level.updated || exchange->level.found);
}

/* Called if exchange_overlaps, when visits have begun. Waits for the delegates alone, and begins to reduce their masks. */
enum status exchange_begin_masks(struct exchange *exchange, const struct host_thread *thread,
                                 struct exchange_stats *stats, struct error *e);

/* Continues a reduction that has begun, until it is over or the devices have finished their visits. */
void exchange_drive(struct exchange *exchange, const struct host_thread *thread, struct error *e);

/* exchange_masks and exchange_vertices end a level, when group_put_result has been called for all devices and a barrier has
 * passed. After exchange_masks all ranks know which delegates were found, and *done says whether the search is over because
 * nobody found anything. Vertices may still be under way. exchange_vertices waits for them, and must always be called. */
enum status exchange_masks(struct exchange *exchange, const struct host_thread *thread, int *done,
                           struct exchange_stats *stats, struct error *e);
enum status exchange_vertices(struct exchange *exchange, const struct host_thread *thread, struct exchange_stats *stats,
                              struct error *e);

/* Returns whether the next level may begin with dd before exchange_vertices, while vertices are under way. Only groups that send messages
 * gain by this, and only if there are new delegates. The same on all devices. */
static inline int exchange_runs_ahead(const struct exchange *exchange)
{
    return !exchange->group.holds_all_shards && exchange->level.updated;
}

#endif
