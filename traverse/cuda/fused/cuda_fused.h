/* cuda_fused.h: a whole search as one cooperative kernel
 *
 * In the level loop (loop.c), the plain twin of this kernel, a level costs several launches, and the host waits for each level.
 * Here the host starts one kernel and waits for its end. A level then costs some barriers of the grid or, while the frontier is
 * small, one barrier without a fence. Several GPUs that read each other's memory run one such kernel each, with the additions of
 * cuda_peers.h.
 *
 * The kernel is a template. It is compiled for one GPU and for several, for raw and for packed columns, and with and without
 * notes of levels, so that no search pays for what it does not use. The host copies the notes when the search is over, and
 * earlier when the memory for notes is full.
 *
 *   cuda_fused_kernel.cuh        the search and its levels: the file to begin with
 *   cuda_fused_choose.cuh        the choice of a level: sparse or dense, push or pull
 *   cuda_fused_cost.h            the costs on which this choice rests
 *   cuda_fused_thread_group.cuh  small frontiers of one GPU: blocks keep what they found
 *   cuda_fused_progress.cuh      between two levels: the barrier of the grid, counters, the state of the search
 *   cuda_fused_launch.cu         the launch of kernels
 *   cuda_fused_after.cu          kernels beside a search: row lengths, depths, frontiers
 *   cuda_fused_run.c, _notes.c   the host's side: start and end of a search, notes of levels
 *   cuda_fused.c                 the host's side: whether a search is sliced or fused
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
    FUSED_FIRST_CLASS = 3, /* length class 0 has vertices of up to 2^3 edges, class k of up to 2^(3 + k) edges */
    FUSED_CLASSES = 11,    /* number of length classes; vertices of the last class have up to 8,192 edges */
    /* the capacity that is enough for a list of reached vertices: a single block does levels of at most 320 rows of 2^3 edges
     * each, or as many edges of longer rows */
    FUSED_ENOUGH_REACHED = 320 << FUSED_FIRST_CLASS,
    FUSED_EVEN_LENGTHS = 4, /* the most edges of a row that the thread group finds without its offset (even_rows) */
    FUSED_MOST_THREAD_GROUP = 256, /* the most blocks of a thread group */
    FUSED_MOST_KEPT = 24          /* the most frontiers that a search keeps as bitmaps */
};

/* ---- the state in device memory ---- */

/* Indices of the counters of a level. */
enum {
    FUSED_FRESH,                                /* vertices of the next frontier */
    FUSED_SOURCES,                              /* + g: vertices of the next frontier with a row in subgraph g */
    FUSED_FORWARD = FUSED_SOURCES + SUBGRAPHS,  /* + g: edges of the rows in subgraph g */
    FUSED_COUNTS = FUSED_FORWARD + SUBGRAPHS,   /* the number of counters without notes */
    FUSED_PROBES = FUSED_COUNTS, /* + g: columns read by a pull in place of the push along g; counted only for notes */
    FUSED_NOTED_COUNTS = FUSED_PROBES + SUBGRAPHS /* the number of counters with notes */
};

/* The counters of a level, to which all blocks add. */
struct fused_counts {
    unsigned long long count[FUSED_NOTED_COUNTS];
    unsigned int items;  /* work items of the next frontier */
    unsigned int pieces; /* pieces of long rows that a dense level leaves to a second pass */
    /* For notes: when the first and when the last warp ended its pulls. The bits of first_pulled are inverted, so that
     * atomicMax finds the earliest time, and 0 means that there is none. */
    unsigned long long first_pulled, last_pulled;
};

/* The state of a GPU's searches, in device memory. */
struct fused_state {
    unsigned int arrived;   /* arrivals of blocks at the barrier of the grid, summed up over all searches */
    unsigned int apart[31]; /* padding, so that no other member lies in the cache line of `arrived` */
    struct barrier_sum barrier[2]; /* of the barriers of the thread group, summed up over all searches */
    unsigned int dealt;     /* vertices that the thread group has dealt to its blocks, summed up over all searches */
    unsigned int arrivals;  /* the value of `arrived` when the last search ended */
    struct fused_counts counts[3]; /* the set of counters of round r is counts[r % 3] */
    /* [g]: vertices with a row in subgraph g that the thread group has visited, and the edges of these rows. */
    unsigned long long seen[SUBGRAPHS], seen_edges[SUBGRAPHS];
    int32_t depth;  /* the depth of the frontier that the thread group leaves to the grid */
    uint32_t moved; /* 1: the thread group has done levels, so its frontier replaces that of the grid; 0: it has done none */
    uint32_t kept;  /* the number of dense frontiers that the search kept as bitmaps */
    int32_t kept_depth[FUSED_MOST_KEPT]; /* the depths of these frontiers */
};

/* ---- notes and reports ---- */

/* The points of a level at which its note gets a time. */
enum {
    FUSED_BEGUN,  /* the level begins */
    FUSED_CHOSEN, /* the level is chosen. If it is sparse, the frontier has work items */
    FUSED_FIRST_PULLED, /* the first warp has ended its pulls */
    FUSED_LAST_PULLED,  /* the last warp has ended its pulls */
    FUSED_VISITED, /* only the previsit of a dense level is left; a sparse level of several GPUs has all flags */
    FUSED_ENDED,   /* the level has ended; written only if the search is over, or if the device waits for the host next */
    FUSED_TIMES
};

struct fused_note {
    unsigned long long at[FUSED_TIMES]; /* by point: nanoseconds of the device's clock; 0: the level has no such time */
    unsigned long long probes[SUBGRAPHS]; /* the counters FUSED_PROBES + g */
    uint32_t kind;   /* enum level_kind */
    uint32_t pulled; /* bit g: subgraph g was pulled */
    /* The next three members are 0 if there is one GPU. */
    unsigned long long waited;  /* nanoseconds that this GPU waited for the flags of its peers, after it had written its own */
    unsigned long long arrived; /* vertices that peers sent */
    unsigned long long words;   /* words of bitmaps that were read from peers or written to them */
};

/* Messages between host and device during a search, in mapped host memory. When all notes of the device are full, the device
 * sets `written`, and waits until the host has copied them and set `taken` to the same value. */
struct fused_mapped {
    /* The device writes `report` when the search is over. Upper 32 bits: number of the search; lower 32: number of levels. */
    uint64_t report;
    /* The device writes `answered` when the search's answer is complete: the number of the search in the upper 32 bits. */
    uint64_t answered;
    uint32_t written;  /* written by the device: number of levels noted so far, a multiple of FUSED_NOTES_KEPT */
    uint32_t taken;    /* written by the host: number of levels whose notes the host has copied */
};

/* The memory to which a search writes its report and its notes. */
struct fused_outputs {
    struct fused_mapped *mapped;
    struct fused_note *notes; /* [FUSED_NOTES_KEPT]: level L has notes[L % FUSED_NOTES_KEPT]; NULL: no search is noted */
};

/* ---- a search ---- */

/* The host's order to a search. */
struct fused_order {
    uint32_t number; /* the number of the search, which is reported when the search is over */
    int32_t deepest; /* the depth at which the search ends: at least 1 */
};

/* A third kind of vertices, if several GPUs search: the normals of all shards, numbered by the columns of nn (cuda_peers.h). */
enum { FUSED_COLUMNS = VERTEX_KINDS, FUSED_KINDS };

/* The bitmaps that a search clears when it starts: `visited` and `next` of both kinds of vertices. They lie end to end in
 * memory, so they are cleared as one array of words. */
struct cleared_words {
    uint32_t *all;
    uint64_t words;
};

/* Neighbouring rows of nn with the same number of edges L, none if `end` is not above `begin`. Their edges lie in csr.columns in the order
 * of rows, so that row v begins at base + L * v, and no offset needs to be read. */
struct even_rows {
    uint32_t begin, end;
    uint64_t base;
};

/* The parameters of the kernel. */
struct gpu_fused {
    struct gpu_csr csr[SUBGRAPHS], pulled[SUBGRAPHS]; /* rows to push; rows to pull, which differ if edges are directed */
    struct gpu_vertices of[FUSED_KINDS];
    struct cost_graph graph;
    enum fused_mode mode;
    struct work_item *sparse[2];    /* two sparse frontiers of gpu_fused_capacity work items, for this level and the next */
    uint32_t thread_group;          /* the number of blocks that do small levels by themselves: 1 or, in a deep search, all */
    uint32_t thread_group_capacity; /* the most vertices of a list of reached vertices; each block has two lists */
    /* Bounds of edges by vertex number, as vertices are in the order of their degrees: vertices from first_of_class[kind][k] on
     * are of length class k or less, with at most 2^(FUSED_FIRST_CLASS + k) edges in their two rows. */
    uint32_t first_of_class[VERTEX_KINDS][FUSED_CLASSES];
    struct even_rows even[FUSED_EVEN_LENGTHS]; /* rows of nn with 1, 2, ... edges */
    uint32_t only;        /* the only subgraph with edges, NN or DD, if all vertices are of one kind; otherwise SUBGRAPHS */
    uint32_t headed_from; /* the rows of this subgraph from here on have no columns behind the head columns */
    /* The number of dense frontiers that a search keeps as bitmaps until it ends. cuda_fused_settle then writes the depths of
     * their vertices. The bitmaps lie in gpu_vertices::queue, which otherwise only the level loop uses. */
    uint32_t keeps;
    uint32_t hub_words; /* words of the hub bitmap, which each block keeps in a pull (cuda_pull_words.cuh); 0: no bitmap */
    struct cleared_words cleared;
    struct fused_state *state; /* zero before the first search */
    struct fused_outputs out;
    struct fused_order order;
    struct gpu_roots roots;
};

/* ---- kernels and their launch ---- */

struct fused_program {
    const void *kernel;
    size_t warp_bytes; /* bytes of shared memory that each warp needs */
};

/* Return the kernel of one GPU, without notes of levels (cuda_fused_plain) or with notes (cuda_fused_noted). If `packed`, the
 * kernel also reads packed columns. */
struct fused_program cuda_fused_plain(int packed);
struct fused_program cuda_fused_noted(int packed);

/* The launch of a search. The caller of cuda_fused_plan sets the members up to few_threads, and cuda_fused_plan the others. */
struct fused_launch {
    struct fused_program program;
    int has_thread_group;    /* blocks keep two lists of `thread_group_capacity` vertices in shared memory */
    int has_hubs;            /* blocks keep a hub bitmap, in the memory of the two lists */
    int is_deep;             /* the thread group has all blocks from the root on, as levels are many and small */
    int few_threads;         /* 1: half as many threads in a block, for levels so short that barriers take most of the time */
    int blocks, threads; /* blocks of the grid, or 0 if the device has no cooperative launches; threads of a block */
    size_t shared_bytes; /* dynamic shared memory of a block */
    uint32_t hub_capacity; /* the most words of the hub bitmap (cuda_pull_words.cuh); 0: none */
    uint32_t thread_group, thread_group_capacity; /* as in struct gpu_fused */
};

/* Plans the launch of launch->program on the current device, and prepares the kernel for it. launch->blocks becomes 0 if the
 * device has no cooperative launches. */
cudaError_t cuda_fused_plan(struct fused_launch *launch);

/* Launches the kernel of a search, and does not wait. *search has the kernel's parameters, which are copied: a gpu_fused, a
 * gpu_fused_peers (cuda_peers.h) or a gpu_sliced (cuda_sliced.h). When the kernel ends, it writes out.mapped->report. */
cudaError_t cuda_fused_start(const void *search, const struct fused_launch *launch, cudaStream_t stream);

/* ---- beside a search (cuda_fused_after.cu): each function launches kernels and does not wait ---- */

/* What cuda_fused_measure finds out about rows. */
struct fused_rows {
    uint32_t first_of_class[VERTEX_KINDS][FUSED_CLASSES]; /* as in gpu_fused */
    /* [L - 1]: 1 + the last row of nn with more than L edges; the inverted bits of the first row with less than L edges; 0 if none */
    uint32_t longer[FUSED_EVEN_LENGTHS], shorter[FUSED_EVEN_LENGTHS];
};

/* Writes *rows in device memory, which is zero before the launch. */
void cuda_fused_measure(const struct gpu_fused *search, struct fused_rows *rows, cudaStream_t stream);

/* Writes the depths of all vertices in kept frontiers, after a search. Afterwards all depths of the search are complete. */
void cuda_fused_settle(const struct gpu_fused *search, cudaStream_t stream);

/* Sets to[i] to the depth + 1 of vertex i of one kind, or to 0 if it was not visited. Depths must be below 255. May be called
 * before cuda_fused_settle. */
void cuda_fused_byte_depths(const struct gpu_fused *search, enum vertex_kind kind, uint8_t *to, cudaStream_t stream);

/* Writes a byte for each vertex: its depth + 1, or 0 if it was not visited. First come all normals, then all delegates. The byte behind
 * them becomes 0, too: its number is what answer_tables.vertex has for ids without edges. May be called before cuda_fused_settle. */
void cuda_fused_all_byte_depths(const struct gpu_fused *search, uint8_t *to, cudaStream_t stream);

/* The same in four bits for each vertex, of depths below 15: the lower ones of a byte are those of the first of two vertices. Delegates
 * begin at the next multiple of 64 vertices behind the normals. Nothing stands for ids without edges. */
void cuda_fused_nibble_depths(const struct gpu_fused *search, void *to, cudaStream_t stream);

/* Counts of the frontier of a level. */
struct fused_frontier {
    unsigned long long forward[SUBGRAPHS]; /* edges of the frontier's rows (FV) */
    unsigned int sources[SUBGRAPHS];       /* vertices of the frontier that have a row */
    unsigned int vertices[VERTEX_KINDS];   /* vertices of the frontier */
};

/* Counts the frontiers of levels first to first + levels - 1, after a search whose depths are complete. Adds the counts of
 * level first + i to to[i], which is zero before the launch. */
void cuda_fused_count(const struct gpu_fused *search, uint32_t first, uint32_t levels, struct fused_frontier *to,
                      cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
