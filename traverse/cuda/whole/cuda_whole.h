/* cuda_whole.h: a whole search as one cooperative kernel, of a device that is alone; or, with what cuda_group.h adds, on
 * each of several that read each other's memory.
 *
 * The host starts the kernel and waits for its end. So a level costs some barriers of the grid, or one barrier
 * of a few blocks while the frontier is small. In the level loop (bfs.c) a level costs several launches, and the
 * host waits for it.
 * Both find the same distances: the loop is the twin of this kernel.
 *
 * The kernel is a template. It is compiled for one GPU and for several, for raw and for packed columns, and to note what
 * each level did or not; what it is not compiled for costs it no instruction. The host takes the notes when the search is
 * over, or earlier if there are more levels than the device has room for. What the frontiers were is counted after the
 * search, from depths.
 *
 *   cuda_whole_kernel.cuh    the start, and which way a level goes
 *   cuda_whole_levels.cuh    levels of all blocks, by lists and by masks
 *   cuda_whole_choose.cuh    the choice between them, and between push and pull
 *   cuda_whole_team.cuh      small frontiers of one GPU: a cluster of blocks works by itself
 *   cuda_whole_progress.cuh  what a search knows between two levels
 *   cuda_whole_grid.cuh      the barrier, the counters
 *   cuda_whole_cost.h        what levels cost
 *   cuda_whole_plain.cu, cuda_whole_noted.cu  the kernels of one GPU, for raw and for packed columns
 *   cuda_whole_launch.cu     how they are launched
 *   cuda_whole_after.cu      what is found beside a search: row lengths, depths, frontiers
 * What a level visits is in traverse/cuda/visit/.
 */
#ifndef DBFS_CUDA_WHOLE_H
#define DBFS_CUDA_WHOLE_H

#include "traverse/cuda/cuda_kernels.h"
#include "cuda_whole_cost.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A row of the frontier, or a piece of a long one. */
struct whole_piece {
    uint64_t at;     /* its first column; flags in the upper bits (cuda_list.cuh) */
    uint32_t length; /* columns, without the head columns */
    uint32_t row;
};

enum {
    WHOLE_FIRST_CLASS = 3, /* rows of 8 edges and less are of the first class; each class is twice as long */
    WHOLE_CLASSES = 11,    /* the last one has rows of 8,192 */
    WHOLE_MOST_TEAM = 16,
    WHOLE_ONE_ROOM = 2560, /* vertices that one block of the team can reach in a level */
    WHOLE_MOST_KEPT = 24
};

enum {
    WHOLE_FRESH,
    WHOLE_SOURCES,
    WHOLE_FORWARD = WHOLE_SOURCES + SUBGRAPHS,
    WHOLE_COUNTS = WHOLE_FORWARD + SUBGRAPHS,
    WHOLE_PROBES = WHOLE_COUNTS, /* of pulls, by the subgraph that a push would go along: for notes */
    WHOLE_NOTED_COUNTS = WHOLE_PROBES + SUBGRAPHS
};

/* What a level found. */
struct whole_counts {
    unsigned long long count[WHOLE_NOTED_COUNTS];
    unsigned int pieces; /* in the next list */
    unsigned int cut;    /* pieces of long rows that a level by masks leaves for a second pass */
    /* for notes: when the first warp was done with its pulls, inverted, and when the last one was */
    unsigned long long first_pulled, last_pulled;
};

struct whole_state {
    unsigned int arrived;   /* blocks at the barrier, summed up over all searches */
    unsigned int apart[31]; /* fills a cache line, so that the barrier has one for itself */
    unsigned int arrivals;  /* what `arrived` was when the last search ended */
    struct whole_counts counts[3]; /* taken in turn */
    /* where the team left the search */
    unsigned long long seen[SUBGRAPHS], seen_edges[SUBGRAPHS]; /* sources, and their edges */
    int32_t depth;  /* of its frontier */
    uint32_t moved; /* it has done a level */
    /* the levels by masks whose frontiers were kept, and their depths */
    uint32_t kept;
    int32_t kept_depth[WHOLE_MOST_KEPT];
};

/* ---- notes ---- */

/* Which blocks do a level, and how. */
enum whole_way { WHOLE_BY_BLOCK, WHOLE_BY_TEAM, WHOLE_BY_LIST, WHOLE_BY_MASKS, WHOLE_BY_SLICES /* cuda_sliced.h */ };

/* When a level came to a point: nanoseconds of the device's clock. 0: it did not. */
enum {
    WHOLE_BEGUN,
    WHOLE_CHOSEN, /* and what it pushes is listed */
    WHOLE_FIRST_PULLED,
    WHOLE_LAST_PULLED,
    WHOLE_VISITED, /* by masks: all that is left is the previsit */
    WHOLE_ENDED,   /* 0: when the next level began */
    WHOLE_TIMES
};

struct whole_note {
    unsigned long long at[WHOLE_TIMES];
    unsigned long long probes[SUBGRAPHS];
    uint32_t way;
    uint32_t pulled; /* subgraphs, a bit each */
    /* of GPUs that search together: nanoseconds between a letter and that of the last peer; vertices that peers
     * sent; and words that were read of their masks */
    unsigned long long waited, arrived, words;
};

/* Memory of the host that the device sees. The device waits where it has filled its notes. */
struct whole_mail {
    uint64_t report;  /* when the search is over, its number in the upper half, and how many levels there were
                         in the lower one */
    uint64_t answered; /* its number in the upper half, when the answer that is made with it stands */
    uint32_t written; /* by the device: levels noted so far */
    uint32_t taken;   /* by the host: of these */
};

struct whole_outputs {
    struct whole_mail *mail;
    struct whole_note *notes; /* [WHOLE_NOTES_KEPT], of level L at L modulo that */
};

/* What the host asks of a search. */
struct whole_order {
    uint32_t number; /* of the search */
    int32_t deepest; /* the depth at which it ends, above 0 */
};

/* What the frontier of a level was. */
struct whole_frontier {
    unsigned long long forward[SUBGRAPHS]; /* FV */
    unsigned int sources[SUBGRAPHS];
    unsigned int vertices[VERTEX_KINDS];
};

/* ---- a search ---- */

/* A third kind of vertices: the normals of all shards, numbered as nn's columns are (cuda_group.h). */
enum { WHOLE_COLUMNS = VERTEX_KINDS, WHOLE_KINDS };

/* The masks that a search clears: visited and next, of both kinds. */
struct whole_masks {
    uint32_t *all;
    uint64_t words;
};

struct gpu_whole {
    struct gpu_csr csr[SUBGRAPHS], pulled[SUBGRAPHS]; /* rows to push, and to pull: two sets if edges are directed */
    struct gpu_vertices of[WHOLE_KINDS];
    struct cost_graph graph;
    enum whole_mode mode;
    struct whole_piece *list[2]; /* as long as gpu_whole_room says */
    uint32_t team;              /* blocks that work alone while the frontier is small */
    uint32_t team_room;         /* vertices that each of them has room for, twice */
    /* vertices from longest[kind][k] on have rows of at most 2^(WHOLE_FIRST_CLASS + k) edges */
    uint32_t longest[VERTEX_KINDS][WHOLE_CLASSES];
    /* A level by masks writes no depths: it keeps its frontier as a mask, while there is room for `keeps` of
     * them, and cuda_whole_settle gives the vertices their depth after the search. They lie in the queues,
     * which only the level loop uses. */
    uint32_t keeps;
    struct whole_masks cleared;
    struct whole_state *state; /* zero before the first search */
    struct whole_outputs out;
    struct whole_order order;
    uint32_t root;
    enum vertex_kind root_kind;
};

/* A kernel. */
struct whole_program {
    const void *kernel;
    size_t warp_bytes; /* of shared memory that each warp wants */
};

/* `packed`: columns may lie packed. */
struct whole_program cuda_whole_plain(int packed);
struct whole_program cuda_whole_noted(int packed);

/* How a kernel is launched. */
struct whole_launch {
    struct whole_program program;
    int blocks, threads; /* no blocks: the device has no cooperative launches */
    size_t shared_bytes;
    uint32_t team, team_room;
    int has_team; /* blocks keep lists of their own in shared memory: `team_room` vertices each, twice */
    int share; /* of the processors, in eighths, that must have a block if several blocks are the team; 0: one block is */
    int few_threads; /* a block: levels are so small that their barriers matter most */
};

/* Chooses the launch for the current device. The caller sets launch->program, has_team, share and few_threads. */
cudaError_t cuda_whole_plan(struct whole_launch *launch);

/* Finds search->longest, as an array in device memory, which is zero before. */
void cuda_whole_measure(const struct gpu_whole *search, uint32_t *longest, cudaStream_t stream);

/* Completes the depths after a search. */
void cuda_whole_settle(const struct gpu_whole *search, cudaStream_t stream);

/* to[i] = depth + 1 of vertex i of a kind, 0 if it was not visited, whether depths are complete or not. They are below
 * 255. */
void cuda_whole_byte_depths(const struct gpu_whole *search, enum vertex_kind kind, uint8_t *to, cudaStream_t stream);

/* The same of all normals, of all delegates behind them, and 0 of no vertex. */
void cuda_whole_all_byte_depths(const struct gpu_whole *search, uint8_t *to, cudaStream_t stream);

/* After a search, when its depths are complete: counts the frontiers of levels first..first+levels. `to` is
 * zero before. */
void cuda_whole_count(const struct gpu_whole *search, uint32_t first, uint32_t levels,
                     struct whole_frontier *to, cudaStream_t stream);

/* Starts the search: a struct gpu_whole or, for the kernels of cuda_group.h and cuda_sliced.h, a gpu_group or gpu_sliced. */
cudaError_t cuda_whole_start(const void *search, const struct whole_launch *launch,
                            cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
