/* cuda_device.h: a device of the CUDA backend, which searches one shard on a GPU, and the functions that the C files of the
 * backend offer each other. An error names host, rank and GPU. */
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

/* The bitmaps that a search clears. They lie one behind the other, so that one call clears all. */
struct gpu_masks {
    void *all; /* visited and next of both kinds of vertices (struct gpu_vertices), and `incoming` */
    size_t bytes;
    uint32_t *incoming; /* the delegate mask of all devices; NULL: there is one shard */
    uint32_t *in;       /* the bitmap of delegates that the next previsit reads: `incoming` or next */
    int known; /* `incoming` has delegates of this level, which all devices learned between the two parts of a visit */
};

/* Memory that a visit works with. */
struct gpu_scratch {
    struct gpu_scan scan;                   /* for merge-based pushes of dd */
    struct work_item *chunks[VERTEX_KINDS]; /* [gpu_chunk_capacity]: pieces of long rows, by kind of destination */
};

/* The arrays that a GPU shows to its peers. All members are pointers into its allocation. */
struct gpu_shown_arrays {
    uint32_t *found;     /* bitmap of the delegates that it found in this level */
    uint32_t *sent_mask; /* bitmap of the vertices that it sends, by nn's columns */
    uint32_t *found_too, *sent_too; /* second bitmaps of the same, for fused searches with peers (cuda_peers.h), */
    uint32_t *gathered;             /* as are this and the next two: those of struct gpu_peers */
    unsigned long long *arrivals;
    struct peers_state *state;
    uint32_t *visited, *ids; /* bitmap of its visited normals; local ids in its bins */
    void *answer_ids, *by_vertex, *values; /* after a search: those of struct gpu_answers */
    int32_t *depth;                        /* of its normals */
};

/* The facts about a GPU that its peers must know. */
struct gpu_facts {
    uint32_t shard;
    uint64_t words, locals; /* words of a bitmap of its normals; how many normals it has */
    uint64_t pci_address;
    int joins; /* it can take part in a search fused on several GPUs */
    struct peers_size size;
};

/* A GPU whose memory this one reads: itself, one of this process, or one of another process. */
struct gpu_peer {
    int here;     /* it is of this process */
    int readable; /* kernels can read its memory; otherwise the driver copies it */
    int ordinal;  /* its number, if it is of this process */
    struct gpu_facts is;
    struct gpu_shown_arrays shows;
    cudaEvent_t masks_read, first_part; /* those of its gpu_streams; NULL: hosts wait for them */
    void *mapped;                       /* its memory, mapped here, if it is of another process */
};

/* All devices that read each other's memory, and the arrays by which they do. */
struct gpu_peers {
    struct gpu_peer *all; /* [count], by shard; NULL: they are not joined */
    uint32_t count;
    int shared;             /* other processes read this device's memory */
    int host_waits;         /* hosts wait for events, because kernels of some process cannot */
    uint32_t *own, *others; /* bitmaps of dd's rows: rows of delegates that this device owns, and the rest */
    uint32_t *gathered;     /* bitmap of all shards' normals, by nn's columns, in which nn is pulled */
    uint32_t *sent_too;     /* for cuda_peers.h, as the next two */
    unsigned long long *arrivals;
    struct peers_state *peers_state;
};

/* Vertices that leave for other shards, and arrive. */
struct gpu_traffic {
    struct gpu_bins bins;
    uint32_t *sent_mask; /* bitmap of vertices by nn's columns; if they are sent as lists, scratch for dropping duplicates */
    size_t sent_mask_bytes;
    enum outgoing_form form;  /* bitmap or lists: how this level sends vertices */
    int binned;               /* bins or sent_mask are those of this level */
    unsigned long long *kept; /* [p], host memory: ids left of each span by gpu_uniquify; or NULL */
    uint32_t *received; /* [received_capacity]: copies of ids or words that kernels cannot read where they are */
    uint64_t received_capacity;
    struct gpu_peers peers;
    /* frontiers for devices that are no peers; update.known is peers.gathered */
    struct gpu_frontier_update update;
    uint32_t *update_sources; /* bitmap of normals with nn edges, of all shards, as update.known */
    int update_begun;         /* frontiers have been sent in this search */
};

/* Counters of a level, and host memory that the device copies them to. A visit ahead of a level has
 * counters of its own, since it begins before those of the level are zero. */
enum { COUNTERS_OF_LEVEL, COUNTERS_AHEAD, GPU_COUNTERS_KINDS };
struct gpu_counters {
    struct gpu_level *level;     /* [GPU_COUNTERS_KINDS] */
    struct gpu_level *published; /* [GPU_COUNTERS_KINDS], host memory */
    uint32_t number;             /* of the last publication */
    unsigned int *updated;       /* [GPU_COUNTERS_KINDS], host memory: copies of found[DELEGATES] */
};

/* The counts of the frontier, as the host has them. */
struct gpu_frontier {
    enum vertex_kinds previsited; /* by the last previsit (gpu_came_ahead) */
    uint64_t fresh[VERTEX_KINDS];
    int listed[VERTEX_KINDS]; /* gpu_vertices.queue holds the whole frontier of this kind */
    uint64_t sources[SUBGRAPHS], forward[SUBGRAPHS], unvisited[SUBGRAPHS]; /* as of struct subgraph_work (choose.h) */
};

/* A stream for each kind of vertices that visits find: delegates (dd, nd) and normals (dn, nn). */
struct gpu_streams {
    cudaStream_t of[VERTEX_KINDS];
    cudaEvent_t reached[VERTEX_KINDS]; /* a point of a stream, after which the other stream goes on */
    cudaEvent_t masks_read;            /* this device has read the delegate masks of its peers */
    cudaEvent_t event[DEVICE_EVENTS];  /* of engine.h */
    cudaEvent_t first_part;            /* this device has found the delegates that it owns (enum visit_part) */
};

/* Events that time the phases of a level. */
struct gpu_clock {
    int runs; /* phases are timed; otherwise there are no events */
    cudaEvent_t begin[DEVICE_PHASES], end[DEVICE_PHASES];
    int timed[DEVICE_PHASES]; /* the phase has both events in this level */
};

/* Notes of the levels of a fused or sliced search (cuda_fused_notes.c). */
struct gpu_notes {
    struct fused_note *kept; /* [count + 1]: those that were copied from the device */
    uint32_t count;
    uint32_t levels; /* of the last search; 0 if it was not noted */
};

/* A search fused on several GPUs (cuda_peers.h). launch.blocks 0: there are none. */
struct gpu_peers_search {
    struct gpu_fused_peers search;
    struct fused_launch launch, noted;
    int ran; /* the last search was of this kind */
};

/* A sliced search. launch.blocks 0: searches are not sliced; noted.blocks 0: the device was opened without notes. */
struct gpu_sliced_search {
    struct gpu_sliced search;
    struct fused_launch launch, noted;
};

/* Searches of all levels in one kernel, on a single GPU (cuda_fused.h) or with its peers. */
struct gpu_fused_search {
    struct gpu_peers_search group;
    struct gpu_sliced_search sliced;
    struct gpu_fused search;
    struct fused_launch launch, noted; /* noted is planned if the device was opened with notes */
    struct gpu_notes notes;
    int32_t deepest;         /* the depth at which a search ends */
    int possible;            /* the plan has memory for a fused search, and columns that it can read */
    int settled;             /* the depths of the last search are complete, or the level loop made them */
    enum answer_kind answer; /* the answer that is made with a search */
    int ahead;               /* kernels launched behind the search make this answer (cuda_values.c) */
    int answers;             /* the last search made this answer, or does so, and nothing was written over it */
    int is_deep;             /* the last search had too many levels for an answer ahead */
};

/* Two allocations that have all arrays of the plan. */
struct gpu_memory {
    void *device;
    void *host;          /* columns that kernels read over the link (cuda_shard.c), or NULL */
    uint64_t host_bytes; /* charged to the budget */
    struct memory_budget *budget;
};

/* How loading the shard went. */
struct gpu_load {
    double seconds;
    double ranges_s;     /* the part of `seconds` in which ranges were checked */
    uint64_t bytes;      /* of the graph in the device's memory */
    uint64_t host_bytes; /* of the graph in memory of the host that the device reads */
};

struct device {
    const struct shard *shard;
    int ordinal;
    char where[GPU_WHERE]; /* host, rank and GPU, for messages */
    struct gpu_load load;
    struct gpu_memory memory;
    struct gpu_csr csr[ROW_SETS]; /* as the shard has them */
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

/* Whether the delegates of this level were previsited, and dd was visited, before the normals. */
static inline int gpu_came_ahead(const struct device *dev)
{
    return dev->frontier.previsited != BOTH_KINDS;
}

/* Whether columns of any subgraph are packed on the device. */
static inline int gpu_is_packed(const struct device *dev)
{
    int is_packed = 0;
    for (int g = 0; g < shard_row_sets(dev->shard); g++)
        is_packed |= dev->csr[g].packed.words != NULL;
    return is_packed;
}

/* The rows that a pull along g reads. */
static inline const struct gpu_csr *gpu_pull_rows(const struct device *dev, enum subgraph g)
{
    return &dev->csr[shard_pulled(dev->shard, subgraph_reverse(g))];
}

/* Whether the depths of the last search are complete. */
static inline int gpu_is_settled(const struct device *dev)
{
    return dev->fused.settled || dev->fused.search.order.number == 0;
}

/* Makes the device's GPU that of the calling thread. */
static inline enum status gpu_use(const struct device *dev, struct error *e)
{
    return CUDA_TRY(cudaSetDevice(dev->ordinal), dev->where, e);
}

/* Copies to the device, from it, or on it, and waits, so that every stream finds the bytes. The copy runs in a stream of the
 * device. cudaMemcpy would copy in the default stream, for which these streams do not wait, and would return before bytes
 * from pageable memory have come to the device. */
static inline enum status gpu_copy(const struct device *dev, void *to, const void *from, uint64_t bytes, struct error *e)
{
    cudaStream_t stream = dev->stream.of[NORMALS];
    if (bytes == 0 || gpu_use(dev, e) != ST_OK ||
        CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), dev->where, e) != ST_OK)
        return e->status;
    return CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e);
}

/* Waits for the stream, unless a launch before this call has failed; then returns the error of the launch. */
static inline enum status gpu_wait(const struct device *dev, cudaStream_t stream, struct error *e)
{
    if (CUDA_LAUNCHED(dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e);
    return e->status;
}

/* Copies bytes that launches on the stream have made to memory of the host, and waits. Returns an error of these launches,
 * too. */
static inline enum status gpu_fetch(const struct device *dev, void *to, const void *from, uint64_t bytes,
                                    cudaStream_t stream, struct error *e)
{
    if (CUDA_LAUNCHED(dev->where, e) == ST_OK &&
        CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream), dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamSynchronize(stream), dev->where, e);
    return e->status;
}

/* cuda_capacity.c. Makes *plan one that fits, with planned->resident or, if that is RESIDENT_AUTO, the first residence with
 * such a plan, and takes its device memory, which closing the device frees. *planned becomes the options of *plan.
 * ST_RESOURCE: no plan fits; *e says how many GPUs would do. */
enum status gpu_take_memory(struct device *device, struct gpu_plan_options *planned, struct gpu_plan *plan,
                            struct error *e);

/* cuda_shard.c, in the order of opening a device. ST_BAD_DATA: a packed block is corrupt, or an index out of range.
 * - gpu_take_hosted: takes memory of the host for the arrays that the plan has there, if it has any, and fills it by
 *   `threads` threads; gpu_free_hosted frees it.
 * - gpu_load_shard: fills the arrays of sections in device memory, at[i] the address of array i, and decodes packed columns
 *   that the plan wants decoded. It takes the plan's staging_bytes of device memory meanwhile.
 * - gpu_check_ranges: checks the loaded shard (shard_ranges.h). Columns that are packed on the device are checked in the
 *   file, by `threads` threads of the host. `locals`: [p], of every shard. */
enum status gpu_take_hosted(struct device *device, const struct gpu_plan *plan, int threads, struct error *e);
void gpu_free_hosted(struct device *device);
enum status gpu_load_shard(struct device *device, const struct gpu_plan *plan, void *const at[GPU_ARRAY_COUNT],
                           const struct device_options *options, struct error *e);
enum status gpu_check_ranges(struct device *device, const uint32_t *locals, int threads, struct error *e);

/* cuda_fused_run.c. gpu_fused_open makes ready for fused searches, with several shards also for the part of a search that
 * cuda_peers.h needs. `possible`: the plan has memory for fused searches; `notes`: and for notes of their levels. */
enum status gpu_fused_open(struct device *device, int possible, int notes, struct error *e);
void gpu_fused_close(struct device *device);

/* Whether the device has so many vertices, and among them hubs, that blocks keep a hub bitmap
 * (visit/cuda_pull_words.cuh). In smaller graphs a copy costs as much as it saves. */
int gpu_has_hubs(const struct device *device);

/* Begins a fused search, with notes of its levels if `noted`. If there are several shards, all peers begin it together,
 * after gpu_peers_open. gpu_await_kernels waits for its end. */
enum status gpu_fused_begin(struct device *device, const struct root *root, enum direction_mode mode, int noted,
                            struct error *e);

/* Finds how long rows are (gpu_fused.longest), after the sections are loaded. */
enum status gpu_fused_measure(struct device *device, struct error *e);

/* cuda_sliced_run.c.
 * - gpu_sliced_open makes the slices, after gpu_fused_open and after the sections are loaded. `notes`: as the plan has them.
 * - gpu_sliced_open_answers lets searches write answers if they can, once `answers` is complete.
 * - gpu_sliced_begin starts the kernel; gpu_await_kernels waits for its end. */
enum status gpu_sliced_open(struct device *device, int notes, struct error *e);
void gpu_sliced_open_answers(struct device *device);
enum status gpu_sliced_begin(struct device *device, const struct root *root, int noted, struct error *e);

/* cuda_peers_open.c. Makes ready for searches fused with all peers, after gpu_join. */
enum status gpu_peers_open(struct device *device, struct error *e);

/* cuda_fused_run.c. Begins the kernel of `launch` for `search` (cuda_fused_start). */
enum status gpu_begin_kernel(struct device *device, const void *search, const struct fused_launch *launch, int noted,
                             struct error *e);

/* The same file. Waits until the kernels of all these devices have reported, and takes their notes meanwhile. *levels
 * becomes the number of levels, alike on all of them. */
enum status gpu_await_kernels(struct device *const *devices, uint32_t count, int noted, uint32_t *levels, struct error *e);

/* The same file. Waits until a kernel of the stream has put this number above bit 32 of a word in memory of the host,
 * which is sooner than the end of the kernel. */
enum status gpu_wait_for_report(struct device *device, const volatile uint64_t *report, uint32_t number,
                                enum vertex_kind stream, struct error *e);

/* The same file. Waits until the answer that is made with the last search is complete. */
enum status gpu_wait_for_answer(struct device *device, struct error *e);

/* cuda_fused_notes.c. Copies the notes of levels before `levels` that were not copied yet. */
enum status gpu_copy_notes(struct device *device, uint32_t levels, struct error *e);

/* cuda_peers.c
 * - gpu_can_read: whether GPU `from`, which is the thread's current one, can read the memory of `to`. Enables it.
 * - gpu_leave: ends the sharing with peers.
 * - gpu_wait_for_peers: before the peers go on, the host waits for an event of this device that they cannot wait for.
 * - gpu_gather_frontiers: the visited bits of all peers' normals, before nn is pulled.
 * - gpu_or_found: to |= the delegates that peers found, those i with updating[i] or, if that is
 *   NULL, all but this device. `staging`: a bitmap of delegates, for a copy of one that kernels cannot read.
 * - gpu_take_peers_updates: adds the delegates that peers found in the first part of a visit to next. */
int gpu_can_read(int from, int to);
void gpu_leave(struct device *device);
enum status gpu_wait_for_peers(struct device *device, cudaEvent_t event, struct error *e);
enum status gpu_gather_frontiers(struct device *device, struct error *e);
enum status gpu_or_found(struct device *device, const int *updating, uint32_t *to,
                         uint32_t *staging, struct error *e);
enum status gpu_take_peers_updates(struct device *device, struct error *e);

/* Answers are made on one stream. Behind the cursors in their tables stands the number of vertices
 * whose parent is on another device, then a flag. */
static inline cudaStream_t gpu_answer_stream(const struct device *device)
{
    return device->stream.of[NORMALS];
}

static inline unsigned long long *gpu_remote_count(const struct device *device)
{
    return (unsigned long long *)device->answers.tables + device->shard->p;
}

static inline unsigned int *gpu_bad_flag(const struct device *device)
{
    return (unsigned int *)(gpu_remote_count(device) + 1);
}

/* Bytes of a value of an answer. */
static inline uint32_t gpu_value_width(const struct device *device, enum answer_kind kind)
{
    return kind == ANSWER_DEPTHS ? 4 : device->answers.id_bytes;
}

/* cuda_values.c
 * - gpu_follow_search: launches on the stream of normals wait for the search on the other one.
 * - gpu_fused_settle: completes depths, before results are read.
 * - gpu_write_depths: depths of vertices of one kind, by number of vertex, from a search that need not be settled.
 * - gpu_write_parents: input ids of the parents that the device recorded, by number of vertex or, if it scatters answers, where
 *   they belong. Vertices whose parent another device has are listed in `remote`; NULL: there are none.
 * - gpu_gather_values, gpu_scatter_values: all values of an answer, by way of arrays by number of vertex, or without them.
 * - gpu_can_answer_ahead, gpu_answer_ahead: launch the kernels of an answer behind that of its search. */
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

/* cuda_parents.c: functions of backend_answers, and what opening answers prepares for all_read. */
int gpu_reads_peer(const struct device *device, uint32_t shard);
enum status gpu_open_look(struct device *device, struct error *e);
enum status gpu_ask(struct device *device, uint32_t levels, struct slice *questions, struct error *e);
enum status gpu_reply(struct device *device, const struct slice *questions, struct slice *replies, struct error *e);
enum status gpu_take_replies(struct device *device, const struct slice *replies, struct error *e);

/* The functions of backend_cuda, in the order of engine.h, which says what each does. */
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
