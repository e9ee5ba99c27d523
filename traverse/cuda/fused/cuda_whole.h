/* cuda_whole.h: a whole search as one cooperative kernel, of a device that is alone; or, with the
 * additions of cuda_group.h, on each of several that read each other's memory.
 *
 * The host starts the kernel and waits for its end. So a level costs some barriers of the grid, or one barrier
 * of a few blocks while the frontier is small. In the level loop (bfs.c) a level costs several launches, and the
 * host waits for it.
 * Both find the same distances: the loop is the twin of this kernel.
 *
 * The kernel is a template. It is compiled for one GPU and for several, for raw and for packed columns, and with or
 * without notes of levels; each pays for nothing that it is not compiled for. The host takes the notes when the search is
 * over, or earlier if there are more levels than the device has room for. Frontiers are counted from depths after the
 * search.
 *
 *   cuda_whole_kernel.cuh    the start, and the way of a level
 *   cuda_whole_levels.cuh    levels of all blocks, by lists and by masks
 *   cuda_whole_choose.cuh    the choice between them, and between push and pull
 *   cuda_whole_team.cuh      small frontiers of one GPU: a cluster of blocks works by itself
 *   cuda_whole_progress.cuh  the state of a search between two levels
 *   cuda_whole_grid.cuh      the barrier, the counters
 *   cuda_whole_cost.h        the costs of levels
 *   cuda_whole_plain.cu, cuda_whole_noted.cu  the kernels of one GPU, for raw and for packed columns
 *   cuda_whole_launch.cu     the launch of these
 *   cuda_whole_after.cu      kernels beside a search: row lengths, depths, frontiers
 * Visits of a level are in traverse/cuda/visit/.
 */
#ifndef DBFS_CUDA_WHOLE_H
#define DBFS_CUDA_WHOLE_H

#include "traverse/cuda/device/cuda_kernels.h"
#include "cuda_whole_cost.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WHOLE_FIRST_CLASS = 3, /* rows of 8 edges and less are of the first class; each class is twice as long */
    WHOLE_CLASSES = 11,    /* the last one has rows of 8,192 */
    /* of the marks of hubs that a block keeps, a thread: the room of the team's two lists */
    WHOLE_HUB_WORDS = 2 << WHOLE_FIRST_CLASS,
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

/* The counts of a level. */
struct whole_counts {
    unsigned long long count[WHOLE_NOTED_COUNTS];
    unsigned int pieces; /* in the next list */
    unsigned int cut;    /* pieces of long rows that a level by masks leaves to a second pass */
    /* for notes: times at which the first warp, inverted, and the last one ended their pulls */
    unsigned long long first_pulled, last_pulled;
};

struct whole_state {
    unsigned int arrived;   /* blocks at the barrier, summed up over all searches */
    unsigned int apart[31]; /* fills a cache line, so that the barrier has one for itself */
    unsigned int arrivals;  /* the value of `arrived` when the last search ended */
    struct whole_counts counts[3]; /* taken in turn */
    /* the search, as the team left it */
    unsigned long long seen[SUBGRAPHS], seen_edges[SUBGRAPHS]; /* sources, and their edges */
    int32_t depth;  /* of its frontier */
    uint32_t moved; /* the team has done a level */
    /* the levels by masks whose frontiers were kept, and their depths */
    uint32_t kept;
    int32_t kept_depth[WHOLE_MOST_KEPT];
};

/* ---- notes ---- */

/* The blocks that do a level, and their way. */
enum whole_way { WHOLE_BY_BLOCK, WHOLE_BY_TEAM, WHOLE_BY_LIST, WHOLE_BY_MASKS, WHOLE_BY_SLICES /* cuda_sliced.h */ };

/* Times at which a level came to a point: nanoseconds of the device's clock. 0: it did not. */
enum {
    WHOLE_BEGUN,
    WHOLE_CHOSEN, /* and its frontier is listed, if it goes by lists */
    WHOLE_FIRST_PULLED,
    WHOLE_LAST_PULLED,
    WHOLE_VISITED, /* by masks: only the previsit is left */
    WHOLE_ENDED,   /* 0: when the next level began */
    WHOLE_TIMES
};

struct whole_note {
    unsigned long long at[WHOLE_TIMES];
    unsigned long long probes[SUBGRAPHS];
    uint32_t way;
    uint32_t pulled; /* subgraphs, a bit each */
    /* for GPUs that search together: nanoseconds from a GPU's own signal to the last of a peer;
     * vertices that peers sent; words read of their masks */
    unsigned long long waited, arrived, words;
};

/* Memory of the host that the device sees. The device waits when its notes are full. */
struct whole_mail {
    uint64_t report;  /* when the search is over: its number in the upper half, and the number of its levels
                         in the lower one */
    uint64_t answered; /* when the answer that is made with it is complete: its number in the upper half */
    uint32_t written; /* by the device: levels noted so far */
    uint32_t taken;   /* by the host: of these */
};

struct whole_outputs {
    struct whole_mail *mail;
    struct whole_note *notes; /* [WHOLE_NOTES_KEPT], of level L at L modulo that */
};

/* The host's order to a search. */
struct whole_order {
    uint32_t number; /* of the search */
    int32_t deepest; /* the depth at which it ends, above 0 */
};

/* Counts of the frontier of a level. */
struct whole_frontier {
    unsigned long long forward[SUBGRAPHS]; /* FV */
    unsigned int sources[SUBGRAPHS];
    unsigned int vertices[VERTEX_KINDS];
};

/* ---- a search ---- */

/* A third kind of vertices: the normals of all shards, numbered as nn's columns are (cuda_group.h). */
enum { WHOLE_COLUMNS = VERTEX_KINDS, WHOLE_KINDS };

/* Where a search begins. */
struct whole_root {
    uint32_t index;
    enum vertex_kind kind;
};

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
    struct whole_piece *list[2]; /* gpu_whole_room pieces each */
    uint32_t team;              /* blocks that work alone while the frontier is small */
    uint32_t team_room;         /* vertices that each of them has room for, in each of two lists */
    /* vertices from longest[kind][k] on have rows of at most 2^(WHOLE_FIRST_CLASS + k) edges */
    uint32_t longest[VERTEX_KINDS][WHOLE_CLASSES];
    /* A level by masks writes no depths: it keeps its frontier as a mask, while there is room for `keeps` of
     * them, and cuda_whole_settle gives the vertices their depth after the search. They lie in the queues,
     * which only the level loop uses. */
    uint32_t keeps;
    uint32_t hub_words; /* of the visited mask of delegates, which blocks keep while they pull (cuda_pull_words.cuh) */
    struct whole_masks cleared;
    struct whole_state *state; /* zero before the first search */
    struct whole_outputs out;
    struct whole_order order;
    struct whole_root root;
};

/* A kernel. */
struct whole_program {
    const void *kernel;
    size_t warp_bytes; /* of shared memory that each warp wants */
};

/* `packed`: columns may lie packed. */
struct whole_program cuda_whole_plain(int packed);
struct whole_program cuda_whole_noted(int packed);

/* The launch of a kernel. */
struct whole_launch {
    struct whole_program program;
    int blocks, threads; /* no blocks: the device has no cooperative launches */
    size_t shared_bytes;
    uint32_t team, team_room;
    int has_team; /* blocks keep lists of their own in shared memory: `team_room` vertices each, twice */
    int has_hubs; /* blocks keep marks of hubs, in the room of these lists */
    int share; /* eighths of the processors that must have a block if the team has several blocks; 0: it has one */
    int few_threads; /* for blocks, as levels are so small that barriers matter most */
};

/* Chooses the launch for the current device. The caller sets launch->program, has_team, has_hubs, share and
 * few_threads. */
cudaError_t cuda_whole_plan(struct whole_launch *launch);

/* Finds search->longest, as an array in device memory, which is zero before. */
void cuda_whole_measure(const struct gpu_whole *search, uint32_t *longest, cudaStream_t stream);

/* Completes the depths after a search. */
void cuda_whole_settle(const struct gpu_whole *search, cudaStream_t stream);

/* to[i] = depth + 1 of vertex i of a kind, or 0 if it was not visited. Depths are below 255, and
 * need not be complete. */
void cuda_whole_byte_depths(const struct gpu_whole *search, enum vertex_kind kind, uint8_t *to, cudaStream_t stream);

/* The same for all normals, behind them all delegates, and then 0 for no vertex. */
void cuda_whole_all_byte_depths(const struct gpu_whole *search, uint8_t *to, cudaStream_t stream);

/* Counts the frontiers of levels first..first+levels, after a search, when its depths are complete.
 * `to` is zero before. */
void cuda_whole_count(const struct gpu_whole *search, uint32_t first, uint32_t levels,
                     struct whole_frontier *to, cudaStream_t stream);

/* Starts the search: a struct gpu_whole or, for the kernels of cuda_group.h and cuda_sliced.h, a gpu_group or gpu_sliced. */
cudaError_t cuda_whole_start(const void *search, const struct whole_launch *launch,
                            cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
