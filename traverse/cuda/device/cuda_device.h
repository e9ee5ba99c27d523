/* cuda_device.h: a device of the CUDA backend, which searches one shard on a GPU, and the functions that the C files of
 * the backend offer each other. A function that takes `struct error *e` returns e->status. If it fails, it writes the
 * failure to *e, with rank, host and GPU, unless *e has an earlier failure. Words of this file:
 *
 * - A *peer* is a GPU of the same host whose memory this GPU reads. Each device is also a peer of itself.
 * - *nn's columns* number the normals of all shards: the shard stands in the upper bits, the local id in the lower bits.
 *   In a bitmap by nn's columns each shard has the same number of words.
 * - A search is *fused* if one kernel runs all levels, *sliced* if that kernel is the one for small graphs on a single
 *   GPU, and *stepped* if the host launches kernels for each level.
 */
#ifndef DBFS_CUDA_DEVICE_H
#define DBFS_CUDA_DEVICE_H

#include "traverse/cuda/answers/cuda_answers.h"
#include "cuda_choose.h"
#include "cuda_error.h"
#include "traverse/cuda/fused/cuda_peers.h"
#include "cuda_kernels.h"
#include "cuda_plan.h"
#include "traverse/cuda/fused/cuda_fused.h"
#include "traverse/cuda/sliced/cuda_sliced.h"

#include "traverse/engine/engine.h"

/* The bitmaps that are cleared when a search begins. All lie in one array, so one call clears them. */
struct gpu_masks {
    /* the array of these bitmaps: visited and next of delegates and of normals (struct gpu_vertices), then `incoming` */
    void *all;
    size_t bytes; /* the bytes of this array */
    /* the delegates that any device found in this level; NULL: one shard. Also scratch in gpu_take_peers_updates, and the
     * second bitmap gpu_shown_arrays.found in a fused search with peers */
    uint32_t *incoming;
    uint32_t *next_input; /* the bitmap of found delegates for the next previsit: `incoming`, or `next` of the delegates */
    /* 1: gpu_know_mask has told this device the delegates that other devices found in this level; `incoming` has them */
    int has_known;
};

/* Scratch memory of a visit. After the visit, cuda_delegates.c uses the memory of `scan`, too. */
struct gpu_scratch {
    struct gpu_scan scan;                   /* for merge-based pushes of dd */
    struct work_item *chunks[VERTEX_KINDS]; /* pieces of long rows, gpu_chunk_capacity for each kind of columns */
};

/* The arrays that a GPU shows to its peers: pointers into the allocation of the GPU. */
struct gpu_shown_arrays {
    /* bitmaps of what the GPU found in this level: delegates (found), and vertices of other shards, in a bitmap of the
     * normals of all shards (sent). Levels of fused searches use the two elements in turn, other levels element 0 */
    uint32_t *found[2], *sent[2];
    /* for fused searches with peers (cuda_peers.h) */
    /* `gathered`, `arrivals` and `state` are the arrays of the same names in struct gpu_peers */
    uint32_t *gathered;
    unsigned long long *arrivals;
    struct peers_state *state;
    /* for all searches */
    uint32_t *visited; /* the bitmap of the GPU's visited normals */
    uint32_t *ids;     /* local ids of found vertices in the bins of their shards (struct gpu_bins) */
    void *answer_ids, *by_vertex, *values; /* after a search: the arrays of struct gpu_answers */
    int32_t *depth;                        /* the depths of the GPU's normals */
};

/* The facts about a GPU that its peers must know. */
struct gpu_facts {
    uint32_t shard;       /* the index of the GPU's shard */
    uint64_t words;       /* the number of 32-bit words of a bitmap of the GPU's normals */
    uint64_t locals;      /* the number of normals of the GPU */
    uint64_t pci_address; /* gpu_bus_address */
    uint64_t host;        /* tells hosts apart: a checksum of the host's name */
    int joins;            /* 1: the GPU can take part in a search fused on several GPUs */
    struct peers_size size;
};

/* A GPU whose memory this device reads: its own, or another one of this process or of another process. */
struct gpu_peer {
    int here;     /* 1: the peer belongs to this process */
    int readable; /* 1: kernels of this device can read the peer's memory; 0: the driver copies the memory */
    int ordinal;  /* the number of the peer's GPU, if the peer belongs to this process */
    struct gpu_facts is;
    struct gpu_shown_arrays shows; /* addresses that are valid in this process */
    /* events of the peer (struct gpu_streams), for which this GPU waits; NULL: the hosts wait for them instead */
    cudaEvent_t masks_read, first_part;
    /* the peer's memory in the address space of this process, if the peer belongs to another process; otherwise NULL */
    void *mapped;
};

/* The peers of this device, and the arrays with which the peers exchange data. */
struct gpu_peers {
    struct gpu_peer *all; /* [count]: the peers, in the order of the handles given to gpu_join; NULL if there are none */
    uint32_t count;       /* the number of peers, this device included */
    int shared;           /* 1: other processes read this device's memory */
    /* 1: the hosts wait for the events of peers, since GPUs may not (hosts_wait in cuda_peers.c says why) */
    int host_waits;
    uint32_t *own;        /* a bitmap of the rows of dd: the delegates that this device owns */
    uint32_t *others;     /* a bitmap of the rows of dd: all other delegates */
    /* the visited normals of all shards, a bitmap in which pulls of nn look for parents. Peers' bitmaps are copied to it, and
     * messages set bits in it (update.known) */
    uint32_t *gathered;
    uint32_t *second_sent_mask; /* this and the next two members are for fused searches with peers (cuda_peers.h) */
    unsigned long long *arrivals;
    struct peers_state *peers_state;
};

/* The devices that are far from this one, if searches with them are fused, and the buffers for messages to them. */
struct gpu_far {
    struct gpu_facts *facts; /* [buffers.count] */
    struct relay_buffers buffers;
    struct peers_far kernel; /* what the kernel needs */
    void *messages, *bitmaps, *counts, *owned; /* allocations: all buffers, in memory of the host, and what only the kernel uses */
};

/* Found vertices that are sent to other shards, and vertices that arrive. */
struct gpu_traffic {
    struct gpu_bins bins;
    /* a bitmap of the normals of all shards. In a level that sends bitmaps it has the vertices of other shards that were found.
     * In a level that sends lists it is scratch for dropping duplicates */
    uint32_t *sent_mask;
    size_t sent_mask_bytes;
    enum outgoing_form form;  /* how this level keeps vertices of other shards: as a bitmap or as lists */
    int binned;               /* 1: bins or sent_mask have vertices of other shards in this level */
    /* [p], host memory: the length of each list after gpu_uniquify; NULL: duplicates are not dropped */
    unsigned long long *kept;
    uint32_t *received; /* [received_capacity]: ids or words, copied from a peer whose memory kernels cannot read */
    uint64_t received_capacity;
    struct gpu_peers peers;
    struct gpu_far far;
    /* for sending frontiers as messages to devices that are no peers (cuda_frontiers.c) */
    struct gpu_frontier_update update; /* update.known is the array peers.gathered */
    uint32_t *update_sources; /* the normals with edges of nn: a bitmap of the normals of all shards */
    int update_begun;         /* 1: a message with a frontier has been written in this search */
};

/* The two sets of counters of a level. Usually a level counts in COUNTERS_OF_LEVEL alone. But some levels visit dd before the
 * normals have arrived (gpu_dd_went_first), when COUNTERS_OF_LEVEL still has the counts of the level before. In such a level
 * the previsit of the delegates and the visit of dd count in COUNTERS_DD_FIRST. */
enum { COUNTERS_OF_LEVEL, COUNTERS_DD_FIRST, GPU_COUNTERS_KINDS };
struct gpu_counters {
    struct gpu_level *level;     /* [GPU_COUNTERS_KINDS], device memory */
    /* [GPU_COUNTERS_KINDS], host memory: copies of `level`, which the device makes for the host */
    struct gpu_level *published;
    uint32_t number;             /* the number of the last copy; each copy has the next number */
    /* [GPU_COUNTERS_KINDS], host memory: copies of `found[DELEGATES]` of each element of `level` */
    unsigned int *updated;
};

/* The counts of the frontier, in memory of the host. */
struct gpu_frontier {
    /* the kinds of vertices for which the last previsit was; not both if dd is visited first (gpu_dd_went_first) */
    enum vertex_kinds previsited;
    uint64_t fresh[VERTEX_KINDS]; /* the number of vertices of the frontier */
    int listed[VERTEX_KINDS];     /* 1: gpu_vertices.queue has the whole frontier of this kind */
    uint64_t sources[SUBGRAPHS];   /* the number of vertices of the frontier that have edges of the subgraph */
    /* FV of the paper: the edges of the frontier in the subgraph; a lower bound if the queue lists only a part */
    uint64_t forward[SUBGRAPHS];
    uint64_t unvisited[SUBGRAPHS]; /* the number of unvisited vertices that have edges of the subgraph */
};

/* Streams and events. Visits that find delegates (dd, nd) run in one stream, those that find normals (dn, nn) in the
 * other. */
struct gpu_streams {
    cudaStream_t of[VERTEX_KINDS];
    /* recorded in the stream of each kind where the stream of the other kind is to wait for it */
    cudaEvent_t reached[VERTEX_KINDS];
    cudaEvent_t masks_read;            /* recorded when this device has read the delegate masks of its peers */
    cudaEvent_t event[DEVICE_EVENTS];  /* the events of engine.h */
    cudaEvent_t first_part; /* recorded after the first part of a divided pull of dd (VISIT_DD of engine.h) */
};

/* Events that time the phases of a level. */
struct gpu_clock {
    int runs; /* 1: phases are timed; 0: there are no events */
    cudaEvent_t begin[DEVICE_PHASES], end[DEVICE_PHASES];
    int timed[DEVICE_PHASES]; /* 1: both events of the phase were recorded in this level */
};

/* Notes of the levels of a fused or sliced search (cuda_fused_notes.c). */
struct gpu_notes {
    struct fused_note *kept; /* [count + 1]: the notes that were copied from the device */
    uint32_t count;          /* the number of levels with notes that were copied */
    uint32_t levels;         /* the number of levels of the last search; 0 if the last search was not noted */
};

/* A search by one kernel on each of several GPUs (cuda_peers.h). launch.blocks is 0 if this device takes part in none. */
struct gpu_peers_search {
    struct gpu_fused_peers search;
    struct fused_launch launch, noted; /* the kernel without and with notes of levels */
    int ran;                           /* 1: the last search was fused on several GPUs */
};

/* A sliced search. launch.blocks is 0 if searches are not sliced, and noted.blocks is 0 if no notes of levels are made. */
struct gpu_sliced_search {
    struct gpu_sliced search;
    struct fused_launch launch, noted; /* the kernel without and with notes of levels */
};

/* Searches that run all levels in one kernel: on several GPUs (`group`), sliced, or fused on a single GPU. */
struct gpu_fused_search {
    struct gpu_peers_search group;
    struct gpu_sliced_search sliced;
    struct gpu_fused search;
    /* the kernel for one GPU, without and with notes; `noted` is set only if the device was opened with notes */
    struct fused_launch launch, noted;
    struct gpu_notes notes;
    int32_t deepest;         /* the depth at which a search ends */
    int possible;            /* 1: the plan has memory for a fused search */
    int settled;             /* 1: the depths of the last search are complete, as those of a stepped search always are */
    enum answer_kind answer_kind; /* the answer that is made with each search */
    /* 1: the answer of the last search was launched while the search still ran (cuda_values.c) */
    int answer_launched;
    /* 1: the last search's answer of the kind answer_kind is complete or on its way, and nothing has overwritten it */
    int answer_valid;
    uint32_t ahead_levels; /* answers that are launched ahead have depths below this: NIBBLE_LEVELS, BYTE_LEVELS once a search had more */
    int is_deep; /* 1: the last search had more than BYTE_LEVELS levels, so the next one launches no answer ahead */
};

/* The two allocations that have all arrays of the plan. */
struct gpu_memory {
    void *device;        /* device memory */
    void *host;          /* columns in memory of the host, which kernels read over the link (cuda_shard.c); NULL: none */
    uint64_t host_bytes; /* the bytes of `host`, which are charged to the budget */
    int managed;         /* 1: `host` is managed memory; 0: it is pinned */
    struct memory_budget *budget;
};

/* The time and the memory that loading the shard took. */
struct gpu_load {
    double seconds;      /* the seconds to load the shard and check it */
    double ranges_s;     /* the part of `seconds` in which ranges were checked */
    uint64_t bytes;      /* the bytes of the graph in device memory */
    uint64_t host_bytes; /* the bytes of the graph in memory of the host that the device reads */
};

/* A device: one shard on one GPU, and the state of one search over it. */
struct device {
    const struct shard *shard;
    int ordinal;
    char where[GPU_WHERE]; /* rank, host and GPU, for messages */
    char model[256];          /* the name of the GPU's model; empty: CUDA does not tell */
    struct gpu_traits traits; /* of the GPU; its name is `model` */
    struct cost_rates rates;  /* of the GPU, for this shard */
    struct gpu_load load;
    struct gpu_memory memory;
    struct gpu_csr csr[ROW_SETS]; /* in the order of shard->csr */
    uint64_t further_rows[ROW_SETS]; /* the rows that may have columns behind the copied ones; 0: none are copied */
    struct gpu_vertices of[VERTEX_KINDS];
    struct gpu_masks masks;
    struct gpu_scratch scratch;
    struct gpu_traffic traffic;
    struct gpu_counters counters;
    struct gpu_frontier frontier;
    struct gpu_streams stream;
    struct gpu_clock clock;
    struct gpu_fused_search fused;
    struct gpu_answers answers;
};

/* Returns whether this level visits dd early: after the previsit of the delegates, but before the previsit of the
 * normals, since normals still arrive from other ranks. */
static inline int gpu_dd_went_first(const struct device *dev)
{
    return dev->frontier.previsited != BOTH_KINDS;
}

/* Returns whether the columns of any subgraph are packed on the device. */
static inline int gpu_is_packed(const struct device *dev)
{
    int is_packed = 0;
    for (int g = 0; g < shard_row_sets(dev->shard); g++)
        is_packed |= dev->csr[g].packed.words != NULL;
    return is_packed;
}

/* Returns the rows that a pull along g reads: those of the vertices that look for a parent, in the reverse subgraph of g. */
static inline const struct gpu_csr *gpu_pull_rows(const struct device *dev, enum subgraph g)
{
    return &dev->csr[shard_pulled(dev->shard, subgraph_reverse(g))];
}

/* Returns whether the depths of the last search are complete. A stepped search (order.number is 0) writes all depths. A
 * fused search leaves some depths to gpu_fused_settle, which then sets fused.settled. */
static inline int gpu_is_settled(const struct device *dev)
{
    return dev->fused.settled || dev->fused.search.order.number == 0;
}

/* Makes the device's GPU the current GPU of the calling thread. */
static inline enum status gpu_use(const struct device *dev, struct error *e)
{
    return CUDA_TRY(cudaSetDevice(dev->ordinal), dev->where, e);
}

/* Copies `bytes` bytes between host and device memory, in any direction, behind earlier launches on the stream of the
 * normals. Waits, so that every stream then finds the bytes at `to`. cudaMemcpy copies in the default stream, for which
 * the device's streams do not wait, and may return before bytes from pageable memory have reached the device. */
static inline enum status gpu_copy(const struct device *dev, void *to, const void *from, uint64_t bytes, struct error *e)
{
    cudaStream_t stream = dev->stream.of[NORMALS];
    if (bytes == 0 || gpu_use(dev, e) != ST_OK ||
        CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), dev->where, e) != ST_OK)
        return e->status;
    return CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e);
}

/* Waits for all launches on the stream. If an earlier launch has failed, returns its error at once. */
static inline enum status gpu_wait(const struct device *dev, cudaStream_t stream, struct error *e)
{
    if (CUDA_LAUNCHED(dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e);
    return e->status;
}

/* Copies `bytes` bytes from device memory to the host, and waits. The copy runs in `stream`, behind earlier launches. If
 * an earlier launch has failed, returns its error and copies nothing. */
static inline enum status gpu_fetch(const struct device *dev, void *to, const void *from, uint64_t bytes,
                                    cudaStream_t stream, struct error *e)
{
    if (CUDA_LAUNCHED(dev->where, e) == ST_OK &&
        CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream), dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e);
    return e->status;
}

/* In cuda_capacity.c. Chooses the first plan that fits the free memory of the GPU, and allocates its device memory, which
 * gpu_close frees. Plans have the residence planned->resident; for RESIDENT_AUTO all residences are tried in turn. Writes
 * the plan to *plan and its options to *planned. ST_RESOURCE: no plan fits; *e says how many shards (GPUs) would do. */
enum status gpu_take_memory(struct device *device, struct gpu_plan_options *planned, struct gpu_plan *plan,
                            struct error *e);

/* In cuda_shard.c. gpu_open calls these functions in this order. ST_BAD_DATA: a packed block is corrupt, or an index is out of
 * range.
 * - gpu_take_hosted: allocates the host memory of the plan, for columns, charges it to the budget, and fills it by `threads`
 *   threads. gpu_free_hosted frees it, and gives the bytes back to the budget.
 * - gpu_load_shard: copies the sections of the shard to device memory, and decodes packed columns that are to be raw there.
 *   at[i] is the address of array i of the plan. Meanwhile plan->staging_bytes more bytes of device memory are allocated.
 * - gpu_check_ranges: checks that all indices of the loaded shard are in range (shard_ranges.h). locals[p] has the number of
 *   normals of every shard. Columns that stay packed are checked in the file, by `threads` threads of the host.
 * - gpu_copy_columns: copies the first columns of rows for pulls (struct gpu_copied), when ranges are checked. */
enum status gpu_take_hosted(struct device *device, const struct gpu_plan *plan, int threads, struct error *e);
void gpu_free_hosted(struct device *device);
enum status gpu_load_shard(struct device *device, const struct gpu_plan *plan, void *const at[GPU_ARRAY_COUNT],
                           const struct device_options *options, struct error *e);
enum status gpu_check_ranges(struct device *device, const uint32_t *locals, int threads, struct error *e);
enum status gpu_copy_columns(struct device *device, const struct gpu_plan *plan, struct error *e);

/* In cuda_roots.c. Sets *to to those of the roots that the device has: delegates, and normals of its shard. Several are listed
 * in gpu_vertices.queue by a copy in the stream of the delegates; what reads them must be launched behind it. */
enum status gpu_take_roots(struct device *device, const struct root_set *roots, struct gpu_roots *to, struct error *e);

/* In cuda_fused_run.c. gpu_fused_open prepares fused searches; with several shards gpu_peers_open does the rest when the peers
 * are known. `possible`: the plan has memory for fused searches. `notes`: the plan has memory for notes of levels.
 * gpu_fused_close frees what gpu_fused_open allocated. */
enum status gpu_fused_open(struct device *device, int possible, int notes, struct error *e);
void gpu_fused_close(struct device *device);

/* Returns whether blocks of a fused search keep the visited bits of hubs, the vertices of the highest degrees, in shared
 * memory while they pull (visit/cuda_pull_words.cuh). They do if the device has at least FUSED_HUBS_FROM vertices and the
 * degrees differ much. In smaller graphs the copy costs as much time as it saves. */
int gpu_has_hubs(const struct device *device);

/* Starts a fused search, and returns at once; gpu_await_kernels waits for its end. With `noted` the kernel notes its
 * levels. With several shards, all peers must begin the same search, after gpu_peers_open. */
enum status gpu_fused_begin(struct device *device, const struct root_set *roots, enum direction_mode mode, int noted,
                            struct error *e);

/* Measures the lengths of rows, when the sections are loaded, and waits. Sets gpu_fused.first_of_class, which says for some
 * lengths from which vertex on all rows are at most so long. */
enum status gpu_fused_measure(struct device *device, struct error *e);

/* In cuda_sliced_run.c.
 * - gpu_sliced_open: cuts the rows into slices of four columns, in device memory that the plan has set aside, and chooses blocks and
 *   threads of the kernel. With `notes` it does so for the kernel that notes its levels, too. Called once, after gpu_fused_open.
 * - gpu_sliced_open_answers: lets sliced searches write their answers, if they can. Called when device->answers is complete.
 * - gpu_sliced_begin: starts a sliced search, and returns at once. gpu_await_kernels waits for its end. */
enum status gpu_sliced_open(struct device *device, int notes, struct error *e);
void gpu_sliced_open_answers(struct device *device);
enum status gpu_sliced_begin(struct device *device, const struct root_set *roots, int noted, struct error *e);

/* In cuda_peers_open.c. Prepares searches that are fused on all peers, if all peers can take part. Called by gpu_join and gpu_reach. */
enum status gpu_peers_open(struct device *device, struct error *e);

/* In cuda_fused_run.c. Starts a kernel that runs a whole search with the parameters *search, and returns at once. With `noted`
 * forgets the notes of the last search. If fused.answer_launched, launches the kernels of the answer, too. */
enum status gpu_begin_kernel(struct device *device, const void *search, const struct fused_launch *launch, int noted,
                             struct error *e);

/* In cuda_fused_run.c. Waits until all `count` devices have reported the end of the search. With `noted` copies notes of
 * levels from the devices meanwhile, and with a relay relays messages. *levels becomes the number of levels, the same on all devices. */
enum status gpu_await_kernels(struct device *const *devices, uint32_t count, int noted, const struct message_relay *relay,
                              uint32_t *levels, struct error *e);

/* In cuda_fused_run.c. Waits until the upper half of *report, host memory, is `number`. A kernel in `stream` writes the
 * number when its work is done, so the host need not wait for the end of the kernel. Fails if the kernel fails. */
enum status gpu_wait_for_report(struct device *device, const volatile uint64_t *report, uint32_t number,
                                enum vertex_kind stream, struct error *e);

/* In cuda_fused_run.c. Waits until the answer that is made with the last search is complete. */
enum status gpu_wait_for_answer(struct device *device, struct error *e);

/* In cuda_fused_notes.c. Copies from the device the notes of levels below `levels` that were not copied before. */
enum status gpu_copy_notes(struct device *device, uint32_t levels, struct error *e);

/* In cuda_peers.c.
 * - gpu_can_read: returns whether GPU `from`, the current GPU of the thread, can read the memory of GPU `to`, and enables the
 *   access.
 * - gpu_leave: ends the sharing of memory with peers.
 * - gpu_host_waits_for: waits on the host for an event of this device, if the GPUs of peers cannot wait for it.
 * - gpu_gather_frontiers: begins to copy the visited normals of all peers to peers.gathered. Called before nn is pulled.
 * - gpu_or_found: launches kernels that OR delegates that peers found into the bitmap `to`: those of each peer i with
 *   updating[i] or, if `updating` is NULL, of all other devices. staging[words] is scratch for a bitmap that kernels cannot
 *   read in the peer's memory.
 * - gpu_take_peers_updates: launches kernels that add the delegates that peers found in VISIT_DD to this device's `next`. */
int gpu_can_read(int from, int to);
void gpu_leave(struct device *device);
enum status gpu_host_waits_for(struct device *device, cudaEvent_t event, struct error *e);
enum status gpu_gather_frontiers(struct device *device, struct error *e);
enum status gpu_or_found(struct device *device, const int *updating, uint32_t *to,
                         uint32_t *staging, struct error *e);
enum status gpu_take_peers_updates(struct device *device, struct error *e);

/* Returns the facts about the device of a handle. In cuda_peers.c. */
struct gpu_facts gpu_facts_of(const struct peer_handle *handle);

/* In cuda_far.c. gpu_reach opens buffers for messages to far devices (engine.h). gpu_far_close frees them; there may be none. */
enum status gpu_reach(struct device *device, const struct peer_handle *handles, uint32_t count, struct relay_buffers *buffers,
                      int *searches_fused, struct error *e);
void gpu_hear(struct device *device, const struct relay_buffers *buffers);
void gpu_far_close(struct device *device);

/* Returns the stream on which answers are made. */
static inline cudaStream_t gpu_answer_stream(const struct device *device)
{
    return device->stream.of[NORMALS];
}

/* Returns the counter of the vertices with a parent on another device. It lies in answers.tables (device memory). */
static inline unsigned long long *gpu_remote_count(const struct device *device)
{
    return (unsigned long long *)device->answers.tables + device->shard->p;
}

/* Returns the flag that becomes 1 if another device asks about a vertex that does not exist, or a column names one. */
static inline unsigned int *gpu_bad_flag(const struct device *device)
{
    return (unsigned int *)(gpu_remote_count(device) + 1);
}

/* Returns the bytes of a value of an answer: 4 for a depth, and the width of input ids for a parent. */
static inline uint32_t gpu_value_width(const struct device *device, enum answer_kind kind)
{
    return kind == ANSWER_DEPTHS ? 4 : device->answers.id_bytes;
}

/* In cuda_values.c. These functions launch kernels and do not wait.
 * - gpu_follow_search: lets later launches on the stream of the normals wait for the search on the stream of the delegates.
 * - gpu_fused_settle: completes the depths of the last search, if they are not complete.
 * - gpu_write_depths: writes the depths of the vertices of one kind to `to`, in the order of vertex numbers. The depths of
 *   the search need not be complete before.
 * - gpu_write_parents: writes the input ids of the recorded parents to answers.by_vertex, in the order of vertex numbers. If
 *   the device scatters answers, they go to answers.values, each at the input id of its vertex. Normals with a parent on
 *   another device are listed in `remote`, unless it is NULL.
 * - gpu_gather_values: writes all values of an answer, first in the order of vertex numbers, and then in that of the answer.
 * - gpu_scatter_values: writes all values of an answer, each directly at its input id.
 * - gpu_can_answer_ahead: returns whether the next search can launch its answer before it has ended.
 * - gpu_answer_ahead: launches the kernels of the answer behind the kernel of the search, before the search has ended. */
enum status gpu_follow_search(struct device *device, struct error *e);
enum status gpu_fused_settle(struct device *device, struct error *e);
enum status gpu_write_depths(struct device *device, enum vertex_kind kind, enum value_form form, void *to,
                             cudaStream_t stream, struct error *e);
enum status gpu_write_parents(struct device *device, uint32_t *remote, cudaStream_t stream, struct error *e);
enum status gpu_gather_values(struct device *device, enum answer_kind kind, uint32_t levels, cudaStream_t stream,
                              struct error *e);
enum status gpu_scatter_values(struct device *device, enum answer_kind kind, struct error *e);
int gpu_can_answer_ahead(const struct device *device);
enum status gpu_answer_ahead(struct device *device, struct error *e);

/* In cuda_parents.c. gpu_open_look is called when answers are opened, if all devices read each other's memory: it copies to
 * the device the addresses of the arrays that peers show. The other functions are those of backend_answers (engine.h). */
int gpu_reads_peer(const struct device *device, uint32_t shard);
enum status gpu_open_look(struct device *device, struct error *e);
void gpu_forget_ids(struct device *device);
enum status gpu_know_ids(struct device *device, const struct byte_span *ids, struct error *e);
enum status gpu_name_parents(struct device *device, uint32_t levels, struct byte_span *depths, struct error *e);
enum status gpu_ask(struct device *device, enum vertex_kind kind, struct byte_span *questions, struct error *e);
enum status gpu_reply(struct device *device, enum vertex_kind kind, const struct byte_span *questions, struct byte_span *replies,
                      struct error *e);
enum status gpu_take_replies(struct device *device, enum vertex_kind kind, const struct byte_span *replies, struct error *e);
enum status gpu_look(struct device *device, const struct byte_span *depths, struct error *e);

/* In cuda_kept.c. The functions are those of backend_answers (engine.h). */
enum status gpu_keep_answer(const struct device *device, const void *from, uint64_t bytes, struct kept_values *kept, struct error *e);
void gpu_release_answer(const struct device *device, struct kept_values *kept);

/* The functions of backend_cuda, in the order of engine.h. The contract of each function stands in engine.h. */
enum status gpu_open(struct device **device, const struct shard *shard, const struct device_options *options,
                     struct device_description *description, struct error *e);
void gpu_close(struct device *device);
uint64_t gpu_bytes_needed(const struct shard *shard, int threads, int parents);
enum status gpu_show(struct device *device, int elsewhere, struct peer_handle *handle, struct error *e);
enum status gpu_join(struct device *device, const struct peer_handle *handles, uint32_t count, int *searches_fused,
                     struct error *e);
enum status gpu_wake(struct device *device, struct error *e);
enum status gpu_search_begin(struct device *device, const struct root_set *roots, enum direction_mode mode, int noted,
                             struct error *e);
enum status gpu_search_end(struct device *const *devices, uint32_t count, int noted, const struct message_relay *relay,
                           uint32_t *levels, struct error *e);
enum status gpu_replay_levels(struct device *device, level_noter *noter, void *context, struct error *e);
enum status gpu_start(struct device *device, const struct root_set *roots, struct error *e);
enum status gpu_previsit(struct device *device, enum vertex_kinds kinds, int32_t depth, struct error *e);
enum status gpu_counts(struct device *device, struct workload *work, struct error *e);
enum status gpu_count_edges(struct device *device, const int exact[SUBGRAPHS], struct workload *work, struct error *e);
enum status gpu_visit(struct device *device, const struct visit_plan *plan, enum visit_part part, struct error *e);
enum status gpu_finish(struct device *device, enum vertex_kinds kinds, struct visit_result *result, struct error *e);
void *gpu_take_buffer(struct device *device, enum exchange_memory kind, size_t bytes, const char *what, struct error *e);
void gpu_release_buffer(struct device *device, enum exchange_memory kind, void *memory);
enum status gpu_pin(struct device *device, void *memory, uint64_t bytes, struct error *e);
void gpu_unpin(struct device *device, void *memory);
enum status gpu_uniquify(struct device *device, struct vertex_span *spans, uint32_t count, struct error *e);
enum status gpu_copy_vertices(struct device *device, const struct vertex_span *span, uint32_t *to, int adds, uint32_t event,
                              struct error *e);
enum status gpu_is_over(struct device *device, uint32_t event, int *over, struct error *e);
enum status gpu_receive(struct device *device, const struct vertex_span *span, struct error *e);
enum status gpu_receive_peers(struct device *device, const struct vertex_span *spans, struct error *e);
enum status gpu_read_masks(struct device *device, const int *updating, struct mask_update *to, struct error *e);
enum status gpu_know_mask(struct device *device, const uint64_t *mask, struct error *e);
enum status gpu_take_mask(struct device *device, const struct mask_update *from, struct error *e);
enum status gpu_learn_sources(struct device *device, uint32_t shard, const uint32_t *bitmap, uint64_t words,
                              struct error *e);
enum status gpu_show_frontier(struct device *device, uint32_t *message, uint64_t *words, struct error *e);
enum status gpu_take_frontier(struct device *device, uint32_t shard, const uint32_t *message, struct error *e);
extern const struct backend_answers cuda_answers; /* cuda_results.c */

#endif
