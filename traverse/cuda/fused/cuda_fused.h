/* cuda_fused.h: a whole search as one cooperative kernel, of one GPU; or, with the additions of cuda_peers.h, one on each
 * of several GPUs that read each other's memory
 *
 * The host starts the kernel and waits for its end. A level costs some barriers of the grid, or one barrier of a few
 * blocks while the frontier is small. In the level loop (loop.c) a level costs several launches, and the host waits for
 * it. Both find the same distances: the loop is the twin of this kernel.
 *
 * The kernel is a template. It is compiled for one GPU and for several, for raw and for packed columns, and with and without
 * notes of levels; each pays for nothing that it is not compiled for. The host takes the notes when the search is over, or
 * earlier if there are more levels than the device has memory for. Frontiers are counted from depths after the search.
 *
 *   cuda_fused_kernel.cuh        the search and its levels: the file to begin with
 *   cuda_fused_choose.cuh        the choice of a level: sparse or dense, push or pull; cuda_fused_cost.h has the costs
 *   cuda_fused_thread_group.cuh  very small frontiers of one GPU: a few blocks work by themselves
 *   cuda_fused_progress.cuh      between two levels: the barrier of the grid, counters, the state of the search
 *   cuda_fused_launch.cu         the launch of kernels
 *   cuda_fused_after.cu          kernels beside a search: row lengths, depths, frontiers
 *   cuda_fused_run.c, _notes.c   the host's side; cuda_fused.c: sliced or fused
 * The visits of a level are in traverse/cuda/visit/.
 */
#ifndef DBFS_CUDA_FUSED_H
#define DBFS_CUDA_FUSED_H

#include "traverse/cuda/device/cuda_kernels.h"
#include "cuda_fused_cost.h"

#include "traverse/engine/level_kind.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FUSED_FIRST_CLASS = 3, /* rows of 8 edges and less are of class 0; each class is twice as long */
    FUSED_CLASSES = 11,    /* the last one has rows of 8,192 */
    FUSED_HUB_WORDS = 2 << FUSED_FIRST_CLASS, /* of a hub bitmap, for each thread: it takes the memory of two lists */
    FUSED_MOST_THREAD_GROUP = 16, /* blocks */
    FUSED_MOST_KEPT = 24          /* frontiers kept as bitmaps */
};

/* ---- the state in device memory ---- */

/* Counters of a level. */
enum {
    FUSED_FRESH,                                /* vertices of the next frontier */
    FUSED_SOURCES,                              /* of these, vertices with rows, by subgraph */
    FUSED_FORWARD = FUSED_SOURCES + SUBGRAPHS,  /* edges of these rows */
    FUSED_COUNTS = FUSED_FORWARD + SUBGRAPHS,
    FUSED_PROBES = FUSED_COUNTS, /* for notes: of pulls, by the subgraph that a push would go along */
    FUSED_NOTED_COUNTS = FUSED_PROBES + SUBGRAPHS
};

struct fused_counts {
    unsigned long long count[FUSED_NOTED_COUNTS];
    unsigned int items; /* work items of the next frontier */
    unsigned int cut;   /* pieces of long rows that a dense level leaves to a second pass */
    /* for notes: times at which the first warp, inverted, and the last one ended their pulls */
    unsigned long long first_pulled, last_pulled;
};

struct fused_state {
    unsigned int arrived;   /* blocks at the barrier of the grid, summed up over all searches */
    unsigned int apart[31]; /* fills a cache line, so that the barrier has one for itself */
    unsigned int arrivals;  /* the value of `arrived` when the last search ended */
    struct fused_counts counts[3]; /* by rounds */
    /* the search, as the thread group left it */
    unsigned long long seen[SUBGRAPHS], seen_edges[SUBGRAPHS]; /* sources, and their edges */
    int32_t depth;  /* of its frontier */
    uint32_t moved; /* the thread group has done a level */
    uint32_t kept;  /* the number of dense frontiers that were kept, and their depths */
    int32_t kept_depth[FUSED_MOST_KEPT];
};

/* ---- notes and reports ---- */

/* Times at which a level came to a point: nanoseconds of the device's clock. 0: it did not. */
enum {
    FUSED_BEGUN,
    FUSED_CHOSEN, /* and the frontier has work items, if the level is sparse */
    FUSED_FIRST_PULLED,
    FUSED_LAST_PULLED,
    FUSED_VISITED, /* of a dense level: only the previsit is left */
    FUSED_ENDED,   /* 0: when the next level began */
    FUSED_TIMES
};

struct fused_note {
    unsigned long long at[FUSED_TIMES];
    unsigned long long probes[SUBGRAPHS];
    uint32_t kind;   /* enum level_kind */
    uint32_t pulled; /* subgraphs, a bit each */
    /* of several GPUs: nanoseconds from the own flag to the last one of a peer; vertices that peers sent; words read of
     * their bitmaps */
    unsigned long long waited, arrived, words;
};

/* Memory of the host that the device sees. The device waits when its notes are full. */
struct fused_mapped {
    uint64_t report;   /* when the search is over: its number in the upper half, the number of its levels in the lower one */
    uint64_t answered; /* when the answer that is made with a search is complete: its number in the upper half */
    uint32_t written;  /* by the device: levels noted so far */
    uint32_t taken;    /* by the host: of these */
};

struct fused_outputs {
    struct fused_mapped *mapped;
    struct fused_note *notes; /* [FUSED_NOTES_KEPT], of level L at L modulo that; NULL: searches note nothing */
};

/* ---- a search ---- */

/* The host's order to a search. */
struct fused_order {
    uint32_t number; /* of the search */
    int32_t deepest; /* the depth at which it ends, above 0 */
};

/* A third kind of vertices: the normals of all shards, numbered as nn's columns are (cuda_peers.h). */
enum { FUSED_COLUMNS = VERTEX_KINDS, FUSED_KINDS };

struct fused_root {
    uint32_t index;
    enum vertex_kind kind;
};

/* The bitmaps that a search clears: visited and next, of both kinds. */
struct cleared_words {
    uint32_t *all;
    uint64_t words;
};

/* The parameters of the kernel. */
struct gpu_fused {
    struct gpu_csr csr[SUBGRAPHS], pulled[SUBGRAPHS]; /* rows to push, and to pull: two sets if edges are directed */
    struct gpu_vertices of[FUSED_KINDS];
    struct cost_graph graph;
    enum fused_mode mode;
    struct work_item *sparse[2];    /* frontiers, of this level and the next: gpu_fused_capacity work items each */
    uint32_t thread_group;          /* blocks that do small levels by themselves */
    uint32_t thread_group_capacity; /* vertices that each of them has memory for, in each of two lists */
    /* vertices from longest[kind][k] on have rows of at most 2^(FUSED_FIRST_CLASS + k) edges */
    uint32_t longest[VERTEX_KINDS][FUSED_CLASSES];
    /* A dense level writes no depths: it keeps its frontier as a bitmap, while there is memory for `keeps` of them, and
     * cuda_fused_settle gives the vertices their depths after the search. They lie in the queues, which only the level loop
     * uses. */
    uint32_t keeps;
    uint32_t hub_words; /* of the visited bits of delegates, which blocks keep while they pull (cuda_pull_words.cuh) */
    struct cleared_words cleared;
    struct fused_state *state; /* zero before the first search */
    struct fused_outputs out;
    struct fused_order order;
    struct fused_root root;
};

/* ---- kernels and their launch ---- */

struct fused_program {
    const void *kernel;
    size_t warp_bytes; /* of shared memory that each warp wants */
};

/* Returns the kernel of one GPU. `packed`: columns may lie packed. */
struct fused_program cuda_fused_plain(int packed);
struct fused_program cuda_fused_noted(int packed);

/* A launch. The caller of cuda_fused_plan sets the first part. */
struct fused_launch {
    struct fused_program program;
    int has_thread_group; /* blocks keep two lists of `thread_group_capacity` vertices in shared memory */
    int has_hubs;         /* blocks keep a hub bitmap, in the memory of these lists */
    int share;       /* eighths of the processors that must have a block if the thread group has several; 0: it has one */
    int few_threads; /* in a block: levels are so small that barriers matter most */
    int blocks, threads; /* no blocks: the device has no cooperative launches */
    size_t shared_bytes;
    uint32_t thread_group, thread_group_capacity;
};

/* Plans the launch for the current device, and prepares the kernel for it. */
cudaError_t cuda_fused_plan(struct fused_launch *launch);

/* Starts a search, whose parameters are copied: a gpu_fused or, for the kernels of cuda_peers.h and cuda_sliced.h, a
 * gpu_fused_peers or gpu_sliced. It ends with search->out.mapped->report. */
cudaError_t cuda_fused_start(const void *search, const struct fused_launch *launch, cudaStream_t stream);

/* ---- beside a search (cuda_fused_after.cu); errors are those of the launches ---- */

/* Finds search->longest: the same array in device memory, which is zero before. */
void cuda_fused_measure(const struct gpu_fused *search, uint32_t *longest, cudaStream_t stream);

/* Writes the depths of vertices in kept frontiers, after a search. Depths are complete then. */
void cuda_fused_settle(const struct gpu_fused *search, cudaStream_t stream);

/* Writes to[i] = depth + 1 of vertex i of a kind, or 0 if it was not visited. Depths are below 255, and need not be
 * complete. */
void cuda_fused_byte_depths(const struct gpu_fused *search, enum vertex_kind kind, uint8_t *to, cudaStream_t stream);

/* The same for all normals, behind them all delegates, and then 0 for no vertex. */
void cuda_fused_all_byte_depths(const struct gpu_fused *search, uint8_t *to, cudaStream_t stream);

/* Counts of the frontier of a level. */
struct fused_frontier {
    unsigned long long forward[SUBGRAPHS]; /* FV */
    unsigned int sources[SUBGRAPHS];
    unsigned int vertices[VERTEX_KINDS];
};

/* Counts the frontiers of levels first..first + levels, after a search whose depths are complete. `to` is zero before. */
void cuda_fused_count(const struct gpu_fused *search, uint32_t first, uint32_t levels, struct fused_frontier *to,
                      cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
