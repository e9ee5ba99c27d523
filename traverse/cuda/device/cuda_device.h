/* cuda_device.h: a device of the CUDA backend, which searches one shard on a GPU. The file also declares the functions
 * that the C files of the backend offer each other. The message of an error names host, rank and GPU.
 *
 * A function that gets `struct error *e` returns e->status. If the function fails, it writes the failure to *e, unless *e
 * has an earlier failure. Names in this file:
 * - A *peer* of a GPU is a GPU of the same host whose memory the first GPU reads. Each device is also a peer of itself.
 * - *nn's columns* number the normals of all shards: the shard stands in the upper bits, the local id in the lower bits.
 *   In a bitmap by nn's columns each shard has the same number of words.
 * - A *fused* search runs all levels in one kernel. A *sliced* search does so for a small graph on a single GPU. In a
 *   *stepped* search the host launches kernels for each level.
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

/* The bitmaps that are cleared when a search begins. They lie one behind the other, so that one call clears all bitmaps. */
struct gpu_masks {
    void *all;    /* visited and next of both kinds of vertices (struct gpu_vertices). `incoming` follows */
    size_t bytes; /* the bytes of all these bitmaps */
    uint32_t *incoming; /* the bitmap of the delegates that any device found; NULL: there is one shard */
    uint32_t *in;       /* the bitmap of delegates that the next previsit reads: `incoming` or next */
    /* 1: gpu_know_mask has been called in this level. `incoming` then has delegates that all devices know as found */
    int known;
};

/* Scratch memory of a visit. */
struct gpu_scratch {
    struct gpu_scan scan;                   /* for merge-based pushes of dd */
    struct work_item *chunks[VERTEX_KINDS]; /* [gpu_chunk_capacity]: pieces of long rows, for each kind of columns */
};

/* The arrays that a GPU shows to its peers. All members are pointers into the allocation of this GPU. */
struct gpu_shown_arrays {
    uint32_t *found;     /* the bitmap of the delegates that the GPU found in this level */
    uint32_t *sent_mask; /* the bitmap of the vertices of other shards that the GPU found, by nn's columns */
    /* for fused searches with peers (cuda_peers.h) */
    /* second bitmaps like `found` and `sent_mask`; levels use the first and the second bitmaps in turn */
    uint32_t *found_too, *sent_too;
    uint32_t *gathered;             /* this array and the next two are the arrays of struct gpu_peers */
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
    int joins;            /* 1: the GPU can take part in a search fused on several GPUs */
    struct peers_size size;
};

/* A GPU whose memory this device reads: its own GPU, another GPU of this process, or a GPU of another process. */
struct gpu_peer {
    int here;     /* 1: the peer belongs to this process */
    int readable; /* 1: kernels of this device can read the peer's memory; 0: the driver copies the memory */
    int ordinal;  /* the number of the peer's GPU, if the peer belongs to this process */
    struct gpu_facts is;
    struct gpu_shown_arrays shows; /* addresses that are valid in this process */
    cudaEvent_t masks_read, first_part; /* the events of the peer's gpu_streams; NULL: hosts wait for these events */
    void *mapped; /* the memory of a peer of another process, as mapped into this process; NULL for a peer of this process */
};

/* All devices that read each other's memory, and the arrays with which they exchange data. */
struct gpu_peers {
    struct gpu_peer *all; /* [count], in the order of the handles that gpu_join received; NULL: there are no peers */
    uint32_t count;       /* the number of peers, this device included */
    int shared;           /* 1: other processes read this device's memory */
    /* 1: hosts wait for the events of peers, as GPUs of some process cannot wait for them (hosts_wait) */
    int host_waits;
    uint32_t *own;        /* a bitmap of the rows of dd: the delegates that this device owns */
    uint32_t *others;     /* a bitmap of the rows of dd: all other delegates */
    uint32_t *gathered;   /* the bitmap of visited normals of all shards, by nn's columns; pulls of nn look in it */
    uint32_t *sent_too;   /* this array and the next two are for fused searches with peers (cuda_peers.h) */
    unsigned long long *arrivals;
    struct peers_state *peers_state;
};

/* Found vertices that are sent to other shards, and vertices that arrive. */
struct gpu_traffic {
    struct gpu_bins bins;
    /* the bitmap of the vertices of other shards that were found, by nn's columns. In a level that keeps these vertices
     * as lists, it is scratch for dropping duplicates */
    uint32_t *sent_mask;
    size_t sent_mask_bytes;
    enum outgoing_form form;  /* how this level keeps vertices of other shards: as a bitmap or as lists */
    int binned;               /* 1: bins or sent_mask have vertices of other shards in this level */
    /* [p], host memory: for each span, the number of ids that gpu_uniquify kept; NULL: gpu_uniquify is not called */
    unsigned long long *kept;
    uint32_t *received; /* [received_capacity]: copies of ids or words, if kernels cannot read the memory of the peer */
    uint64_t received_capacity;
    struct gpu_peers peers;
    /* messages that send frontiers to devices that are no peers (cuda_frontiers.c) */
    struct gpu_frontier_update update; /* update.known is the array peers.gathered */
    uint32_t *update_sources; /* the bitmap of the normals of all shards that have nn edges, by nn's columns */
    int update_begun;         /* 1: a message with a frontier has been written in this search */
};

/* Counters of a level, and host memory to which the device copies the counters. There are two sets of counters.
 * COUNTERS_DD_FIRST is for levels in which the previsit of delegates and the visit of dd run before the previsit of
 * normals (gpu_dd_went_first). It counts for these two steps. COUNTERS_OF_LEVEL counts everything else. The visit of dd
 * needs its own set, because it begins while COUNTERS_OF_LEVEL still has counts of the level before. */
enum { COUNTERS_OF_LEVEL, COUNTERS_DD_FIRST, GPU_COUNTERS_KINDS };
struct gpu_counters {
    struct gpu_level *level;     /* [GPU_COUNTERS_KINDS], device memory */
    struct gpu_level *published; /* [GPU_COUNTERS_KINDS], host memory: the last copies of `level` */
    uint32_t number;             /* the number of the last copy; each copy has the next number */
    unsigned int *updated;       /* [GPU_COUNTERS_KINDS], host memory: copies of level[].found[DELEGATES] */
};

/* The counts of the frontier, in memory of the host. */
struct gpu_frontier {
    enum vertex_kinds previsited; /* the kinds of vertices of the last previsit (gpu_dd_went_first) */
    uint64_t fresh[VERTEX_KINDS]; /* the number of vertices of the frontier */
    int listed[VERTEX_KINDS];     /* 1: gpu_vertices.queue has the whole frontier of this kind */
    uint64_t sources[SUBGRAPHS];   /* the number of vertices of the frontier that have edges of the subgraph */
    /* FV: the number of edges of the frontier in the subgraph; a lower bound if the frontier was not listed whole */
    uint64_t forward[SUBGRAPHS];
    uint64_t unvisited[SUBGRAPHS]; /* the number of unvisited vertices that have edges of the subgraph */
};

/* For each kind of vertices, the stream of the visits that find this kind: delegates (dd, nd) and normals (dn, nn). */
struct gpu_streams {
    cudaStream_t of[VERTEX_KINDS];
    cudaEvent_t reached[VERTEX_KINDS]; /* a point in the stream of this kind; the other stream waits for this point */
    cudaEvent_t masks_read;            /* recorded when this device has read the delegate masks of its peers */
    cudaEvent_t event[DEVICE_EVENTS];  /* the events of engine.h */
    cudaEvent_t first_part; /* recorded when this device has pulled the rows of dd that it owns (VISIT_DD of engine.h) */
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

/* A search that is fused on several GPUs (cuda_peers.h). launch.blocks 0: this device takes part in no such search. */
struct gpu_peers_search {
    struct gpu_fused_peers search;
    struct fused_launch launch, noted; /* the kernel without and with notes of levels */
    int ran;                           /* 1: the last search was fused on several GPUs */
};

/* A sliced search. launch.blocks 0: searches are not sliced. noted.blocks 0: the device was opened without notes. */
struct gpu_sliced_search {
    struct gpu_sliced search;
    struct fused_launch launch, noted; /* the kernel without and with notes of levels */
};

/* Searches that run all levels in one kernel, on a single GPU (cuda_fused.h) or on this GPU together with its peers
 * (cuda_peers.h). */
struct gpu_fused_search {
    struct gpu_peers_search group;
    struct gpu_sliced_search sliced;
    struct gpu_fused search;
    /* the kernel for one GPU, without and with notes; `noted` is set only if the device was opened with notes */
    struct fused_launch launch, noted;
    struct gpu_notes notes;
    int32_t deepest;         /* the depth at which a search ends */
    int possible;            /* 1: the plan has memory for a fused search */
    int settled;             /* 1: the depths of the last search are complete, or the search was stepped */
    enum answer_kind answer; /* the answer that is made with each search */
    /* 1: kernels that were launched behind the kernel of the search make this answer (cuda_values.c) */
    int ahead;
    /* 1: the last search made this answer, or its kernels are still making it, and nothing has overwritten the answer */
    int answers;
    int is_deep; /* 1: the last search had more than BYTE_LEVELS levels, so no answer is launched behind the next search */
};

/* The two allocations that have all arrays of the plan. */
struct gpu_memory {
    void *device;        /* device memory */
    void *host;          /* memory of the host: columns that kernels read over the link (cuda_shard.c); NULL: none */
    uint64_t host_bytes; /* the bytes of `host`, which are charged to the budget */
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
    char where[GPU_WHERE]; /* host, rank and GPU, for messages */
    struct gpu_load load;
    struct gpu_memory memory;
    struct gpu_csr csr[ROW_SETS]; /* in the order of shard->csr */
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

/* Returns whether this level visits dd before it makes the frontier of normals. Such a level has two previsits: first the
 * previsit of the delegates, and later the previsit of the normals. Between the two previsits dd is visited, while
 * normals still arrive from other ranks. */
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

/* Returns the rows that a pull along g reads. They are the rows of the reverse subgraph of g: the rows of the vertices
 * that look for a parent. */
static inline const struct gpu_csr *gpu_pull_rows(const struct device *dev, enum subgraph g)
{
    return &dev->csr[shard_pulled(dev->shard, subgraph_reverse(g))];
}

/* Returns whether the depths of the last search are complete. A stepped search writes all depths; its order.number is 0. A
 * fused search leaves some depths to gpu_fused_settle, which sets fused.settled. */
static inline int gpu_is_settled(const struct device *dev)
{
    return dev->fused.settled || dev->fused.search.order.number == 0;
}

/* Makes the device's GPU the current GPU of the calling thread. */
static inline enum status gpu_use(const struct device *dev, struct error *e)
{
    return CUDA_TRY(cudaSetDevice(dev->ordinal), dev->where, e);
}

/* Copies `bytes` bytes between any two of host and device memory, and waits, so that every stream finds the bytes at
 * `to`. The copy runs in the stream of the normals, after all earlier launches on this stream. cudaMemcpy is not used for
 * two reasons. It copies in the default stream, and the streams of the device do not wait for the default stream. It may
 * also return before bytes from pageable memory have reached the device. */
static inline enum status gpu_copy(const struct device *dev, void *to, const void *from, uint64_t bytes, struct error *e)
{
    cudaStream_t stream = dev->stream.of[NORMALS];
    if (bytes == 0 || gpu_use(dev, e) != ST_OK ||
        CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), dev->where, e) != ST_OK)
        return e->status;
    return CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e);
}

/* Waits until all launches on the stream are done. If an earlier launch has failed, returns the error of this launch, and
 * does not wait. */
static inline enum status gpu_wait(const struct device *dev, cudaStream_t stream, struct error *e)
{
    if (CUDA_LAUNCHED(dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e);
    return e->status;
}

/* Copies `bytes` bytes from device memory to memory of the host, and waits. The copy runs in `stream`, after all earlier
 * launches on this stream. If an earlier launch has failed, returns the error of this launch, and copies nothing. */
static inline enum status gpu_fetch(const struct device *dev, void *to, const void *from, uint64_t bytes,
                                    cudaStream_t stream, struct error *e)
{
    if (CUDA_LAUNCHED(dev->where, e) == ST_OK &&
        CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream), dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e);
    return e->status;
}

/* cuda_capacity.c. Chooses a plan that fits the memory of the GPU, and writes it to *plan and its options to *planned.
 * The plan has the residence planned->resident; for RESIDENT_AUTO it has the first residence that fits. Then allocates
 * the device memory of the plan, which gpu_close frees. ST_RESOURCE: no plan fits; *e says how many shards, and so GPUs,
 * would be enough. */
enum status gpu_take_memory(struct device *device, struct gpu_plan_options *planned, struct gpu_plan *plan,
                            struct error *e);

/* cuda_shard.c. gpu_open calls these functions in this order. ST_BAD_DATA: a packed block is corrupt, or an index is out
 * of range.
 * - gpu_take_hosted: if the plan has columns in memory of the host, allocates this memory and charges it to the budget.
 *   Then `threads` threads fill the memory with the columns. gpu_free_hosted frees the memory and gives the bytes back to
 *   the budget.
 * - gpu_load_shard: copies the sections of the shard to device memory, and decodes the packed columns that are to be raw
 *   on the device. at[i] is the address of array i of the plan. The function allocates plan->staging_bytes bytes of
 *   device memory, and frees them before it returns.
 * - gpu_check_ranges: checks that all indices of the loaded shard are in range (shard_ranges.h). Columns that are packed
 *   on the device are checked in the file, by `threads` threads of the host. locals[p] has the number of normals of every
 *   shard. */
enum status gpu_take_hosted(struct device *device, const struct gpu_plan *plan, int threads, struct error *e);
void gpu_free_hosted(struct device *device);
enum status gpu_load_shard(struct device *device, const struct gpu_plan *plan, void *const at[GPU_ARRAY_COUNT],
                           const struct device_options *options, struct error *e);
enum status gpu_check_ranges(struct device *device, const uint32_t *locals, int threads, struct error *e);

/* cuda_fused_run.c. gpu_fused_open prepares fused searches. With several shards it prepares only what each device can
 * prepare alone, and gpu_peers_open does the rest. `possible`: the plan has memory for fused searches. `notes`: the plan
 * has memory for notes of levels. gpu_fused_close frees the host memory of these searches. */
enum status gpu_fused_open(struct device *device, int possible, int notes, struct error *e);
void gpu_fused_close(struct device *device);

/* Returns whether blocks of a fused search keep a hub bitmap: a copy of the visited bits of hubs in shared memory
 * (visit/cuda_pull_words.cuh). The blocks keep one if the device has at least FUSED_HUBS_FROM vertices and the degrees
 * differ much. In smaller graphs the copy costs as much time as it saves. */
int gpu_has_hubs(const struct device *device);

/* Starts the kernel of a fused search, and returns at once. gpu_await_kernels waits for the end of the search. `noted`:
 * the kernel notes its levels. With several shards, gpu_peers_open must have been called, and all peers must begin the
 * same search. */
enum status gpu_fused_begin(struct device *device, const struct root *root, enum direction_mode mode, int noted,
                            struct error *e);

/* Fills gpu_fused.longest, which says for some lengths from which vertex on no row is longer. Waits. Called when the
 * sections are loaded. */
enum status gpu_fused_measure(struct device *device, struct error *e);

/* cuda_sliced_run.c.
 * - gpu_sliced_open makes the slices of sliced searches. Called after gpu_fused_open and after the sections are loaded.
 *   `notes`: the plan has memory for notes of levels.
 * - gpu_sliced_open_answers lets sliced searches write their answers, if they can. Called when device->answers is complete.
 * - gpu_sliced_begin starts the kernel of a sliced search, and returns at once. gpu_await_kernels waits for the end of the
 *   search. */
enum status gpu_sliced_open(struct device *device, int notes, struct error *e);
void gpu_sliced_open_answers(struct device *device);
enum status gpu_sliced_begin(struct device *device, const struct root *root, int noted, struct error *e);

/* cuda_peers_open.c. Prepares searches that are fused on all peers, if all peers can take part. gpu_join calls it when
 * the peers are known. */
enum status gpu_peers_open(struct device *device, struct error *e);

/* cuda_fused_run.c. Starts the kernel of `launch` with the parameters *search (cuda_fused_start), and returns at once.
 * With `noted` the notes of the last search are dropped. If device->fused.ahead, also launches the kernels of the answer
 * behind the kernel of the search. */
enum status gpu_begin_kernel(struct device *device, const void *search, const struct fused_launch *launch, int noted,
                             struct error *e);

/* In cuda_fused_run.c. Waits until the kernels of all `count` devices have reported the end of the search. With `noted`,
 * notes of levels are copied from the devices while the host waits. *levels becomes the number of levels, which is the
 * same on all devices. */
enum status gpu_await_kernels(struct device *const *devices, uint32_t count, int noted, uint32_t *levels, struct error *e);

/* cuda_fused_run.c. Waits until the upper half of *report is `number`. *report is memory of the host. A kernel of the
 * stream writes the number when its work is done, so the host sees the number before the kernel has ended. Fails if the
 * kernel fails. */
enum status gpu_wait_for_report(struct device *device, const volatile uint64_t *report, uint32_t number,
                                enum vertex_kind stream, struct error *e);

/* cuda_fused_run.c. Waits until the answer that is made with the last search is complete. */
enum status gpu_wait_for_answer(struct device *device, struct error *e);

/* In cuda_fused_notes.c. Copies notes of levels from the device: those of levels below `levels`, without notes that were
 * copied before. */
enum status gpu_copy_notes(struct device *device, uint32_t levels, struct error *e);

/* cuda_peers.c
 * - gpu_can_read: returns whether GPU `from`, the current GPU of the thread, can read the memory of GPU `to`. Enables the
 *   access.
 * - gpu_leave: ends the sharing of memory with peers.
 * - gpu_host_waits_for: the host waits for an event of this device, if the GPUs of peers cannot wait for it. Otherwise
 *   does nothing.
 * - gpu_gather_frontiers: begins to copy the visited bits of all peers' normals to peers.gathered. Called before nn is
 *   pulled.
 * - gpu_or_found: launches to |= the delegates that peers found. It reads the peers i with updating[i]. If `updating` is
 *   NULL, it reads all peers except this device. staging[words] is scratch for a bitmap of delegates that kernels cannot
 *   read.
 * - gpu_take_peers_updates: launches kernels that read the bitmaps of the delegates that peers found in VISIT_DD. The
 *   kernels OR these bitmaps into this device's `next`. */
int gpu_can_read(int from, int to);
void gpu_leave(struct device *device);
enum status gpu_host_waits_for(struct device *device, cudaEvent_t event, struct error *e);
enum status gpu_gather_frontiers(struct device *device, struct error *e);
enum status gpu_or_found(struct device *device, const int *updating, uint32_t *to,
                         uint32_t *staging, struct error *e);
enum status gpu_take_peers_updates(struct device *device, struct error *e);

/* Returns the stream on which answers are made. */
static inline cudaStream_t gpu_answer_stream(const struct device *device)
{
    return device->stream.of[NORMALS];
}

/* Returns the address, in device memory, of a counter: the number of vertices with a parent on another device. In the
 * tables of answers the counter follows a cursor for each shard. */
static inline unsigned long long *gpu_remote_count(const struct device *device)
{
    return (unsigned long long *)device->answers.tables + device->shard->p;
}

/* Returns the address, in device memory, of a flag. The flag becomes 1 if a question or a column names a vertex that does
 * not exist. In the tables of answers the flag follows the counter of gpu_remote_count. */
static inline unsigned int *gpu_bad_flag(const struct device *device)
{
    return (unsigned int *)(gpu_remote_count(device) + 1);
}

/* Returns the number of bytes of a value of an answer. A depth has 4 bytes. A parent has the width of input ids. */
static inline uint32_t gpu_value_width(const struct device *device, enum answer_kind kind)
{
    return kind == ANSWER_DEPTHS ? 4 : device->answers.id_bytes;
}

/* cuda_values.c. These functions launch kernels and do not wait.
 * - gpu_follow_search: makes later launches on the stream of the normals wait for the search on the stream of the
 *   delegates.
 * - gpu_fused_settle: completes the depths of the last search, if they are not complete.
 * - gpu_write_depths: writes the depths of the vertices of one kind to `to`, in the order of the vertices' numbers. The
 *   depths of the search may be incomplete before.
 * - gpu_write_parents: writes the input ids of the parents that the device recorded. Usually the ids go to
 *   answers.by_vertex, in the order of vertex numbers. If the device scatters answers, the ids go to answers.values, at
 *   the input ids of the vertices. Normals with a parent on another device are listed in `remote`; if `remote` is NULL,
 *   there is no list.
 * - gpu_gather_values: writes all values of an answer. The values are first written in the order of vertex numbers.
 * - gpu_scatter_values: writes all values of an answer directly to the places of their input ids.
 * - gpu_can_answer_ahead: returns whether the answer of the next search can be launched behind the kernel of the search.
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

/* cuda_parents.c. gpu_reads_peer, gpu_ask, gpu_reply and gpu_take_replies are functions of backend_answers (engine.h).
 * gpu_open_look is called when answers are opened, if all devices read each other's memory. It copies the addresses of
 * the arrays that each peer shows to the device. */
int gpu_reads_peer(const struct device *device, uint32_t shard);
enum status gpu_open_look(struct device *device, struct error *e);
enum status gpu_ask(struct device *device, uint32_t levels, struct byte_span *questions, struct error *e);
enum status gpu_reply(struct device *device, const struct byte_span *questions, struct byte_span *replies, struct error *e);
enum status gpu_take_replies(struct device *device, const struct byte_span *replies, struct error *e);

/* The functions of backend_cuda, in the order of engine.h. The contract of each function stands in engine.h. */
enum status gpu_open(struct device **device, const struct shard *shard, const struct device_options *options,
                     struct device_description *description, struct error *e);
void gpu_close(struct device *device);
uint64_t gpu_bytes_needed(const struct shard *shard, int threads, int parents);
enum status gpu_show(struct device *device, int elsewhere, struct peer_handle *handle, struct error *e);
enum status gpu_join(struct device *device, const struct peer_handle *handles, uint32_t count, int *searches_fused,
                     struct error *e);
enum status gpu_wake(struct device *device, struct error *e);
enum status gpu_search_begin(struct device *device, const struct root *root, enum direction_mode mode, int noted,
                             struct error *e);
enum status gpu_search_end(struct device *const *devices, uint32_t count, int noted, uint32_t *levels, struct error *e);
enum status gpu_replay_levels(struct device *device, level_noter *noter, void *context, struct error *e);
enum status gpu_start(struct device *device, const struct root *root, struct error *e);
enum status gpu_previsit(struct device *device, enum vertex_kinds kinds, int32_t depth, struct error *e);
enum status gpu_counts(struct device *device, struct workload *work, struct error *e);
enum status gpu_count_edges(struct device *device, const int exact[SUBGRAPHS], struct workload *work, struct error *e);
enum status gpu_visit(struct device *device, const struct visit_plan *plan, enum visit_part part, struct error *e);
enum status gpu_finish(struct device *device, enum vertex_kinds kinds, struct visit_result *result, struct error *e);
void *gpu_take_buffer(struct device *device, enum exchange_memory kind, size_t bytes, const char *what, struct error *e);
void gpu_release_buffer(struct device *device, enum exchange_memory kind, void *memory);
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
