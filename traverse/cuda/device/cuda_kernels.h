/* cuda_kernels.h: the launch interface of the CUDA kernels, in plain C.
 *
 * Each kernel family has a file, and a twin on the CPU that finds the same vertices:
 *   cuda_previsit.cu  cpu_frontier.c                 the frontier of a level: visited bits, sparse frontiers, workloads
 *   cuda_push.cu      cpu_rows.c, cpu_push.c         rows (nd, dn, nn, short dd), or equal shares of edges (dd)
 *   cuda_pull.cu      cpu_pull.c                     unvisited vertices look for a parent
 *   cuda_bins.cu      cpu_push.c, cpu_messages.c     vertices for other shards
 *   cuda_unique.cu    unique.c                       vertices for one shard without duplicates
 *   cuda_frontier_updates.cu  test_messages.c        frontiers for devices that are no peers
 *   cuda_masks.cu     cpu_messages.c, cpu_answers.c  bitmaps of several devices, results
 *   cuda_decode.cu    packed.c                       packed sections, while a shard is loaded
 *   cuda_ranges.cu    shard_ranges.c                 the ranges of loaded sections
 * Those of cuda_answers.cu and cuda_questions.cu are in cuda_answers.h.
 *
 * Bitmaps (members called visited, next, mask, ...) are arrays of 32-bit words; bit v of word v/32 is vertex v, as in the
 * shard files. All pointers are device memory, except those to a struct of this file, which the launch copies, and where
 * host memory is named. Functions without a result launch kernels on `stream`, of the current device, and return before
 * they run; CUDA_LAUNCHED (cuda_error.h) then tells whether a launch failed.
 */
#ifndef DBFS_CUDA_KERNELS_H
#define DBFS_CUDA_KERNELS_H

#include "cuda_limits.h"

#include "formats/graph/subgraph.h"
#include "formats/container/packed_row.h"
#include "formats/graph/shard_ranges.h"

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A CSR subgraph on a device (formats/graph/shard.h). */
struct gpu_csr {
    uint64_t rows, edges;
    uint32_t head_columns;               /* k */
    uint32_t offset_width, column_width; /* bytes: 4 or 8 */
    const uint32_t *heads;               /* [k][rows] */
    const void *offsets;                 /* [rows + 1] */
    const void *columns;                 /* behind the heads; not used if these are packed */
    struct packed_columns packed;        /* the same, packed, 4 bytes each if decoded; words NULL: they are not packed */
    const uint32_t *sources;             /* bitmap of rows that are not empty */
    uint32_t column_kind;                /* for fused searches: the kind of vertices that columns are */
    const uint32_t *wanted;              /* for fused searches: bitmap of rows that a pull looks at: all sources, or some */
};

/* Whether the columns behind the heads are packed. */
static inline int gpu_csr_is_packed(const struct gpu_csr *csr)
{
    return csr->packed.words != NULL;
}

/* The vertices of one kind: all delegates, or the local normals. */
struct gpu_vertices {
    uint64_t count, words;
    uint32_t *visited;  /* [words] */
    uint32_t *next;     /* [words]: found in this level */
    uint32_t *frontier; /* [words]: the dense frontier, visited in this level's previsit */
    uint32_t *queue;    /* [count]: the sparse frontier, or the part of it that was listed */
    int32_t *depth;     /* [count]: valid if visited */
    uint32_t *parent;   /* [count]; NULL: not recorded */
};

/* Counts of a previsit for one kind of vertices. These vertices are the rows of two subgraphs. An index is the kind of the
 * columns of the subgraph. */
struct gpu_counts {
    unsigned long long fresh;                 /* vertices of the frontier */
    unsigned long long listed;                /* of these, vertices in the sparse frontier: at most gpu_previsit.capacity */
    unsigned long long sources[VERTEX_KINDS]; /* q: vertices of the frontier that have a row */
    unsigned long long forward[VERTEX_KINDS]; /* FV: edges of the listed vertices, and 1 for each of the others */
};

/* Counters of a level. They are zero when it begins, and are published to the host after the previsits. */
struct gpu_level {
    struct gpu_counts of[VERTEX_KINDS];
    unsigned long long sent;              /* vertices for other shards */
    unsigned int found[VERTEX_KINDS];     /* nonzero: vertices of this kind were found */
    unsigned long long listed[SUBGRAPHS]; /* vertices that cuda_list_frontier has listed */
    unsigned int chunks[SUBGRAPHS];       /* pieces of long rows */
    unsigned int bad_ids;                 /* nonzero: ids arrived that this shard does not have */
    uint64_t report; /* of published counters: their number, above 32 bits that are 0. It is written last */
};

/* ---- previsit ---- */

struct gpu_previsit {
    struct gpu_vertices vertices; /* `next` is the bitmap that comes in */
    int32_t depth;
    struct gpu_csr csr[VERTEX_KINDS]; /* rows of the vertices, by the kind of columns */
    uint64_t capacity;                /* vertices to list, at most */
    struct gpu_counts *counts;
};

/* Makes the frontier of the bits of `next` that are not visited: sets their visited bits, gives the vertices `depth`, and
 * counts them. It clears `next`. The queue has all of them if `listed` equals `fresh` and is not above `capacity`. */
void cuda_previsit(const struct gpu_previsit *previsit, cudaStream_t stream);

/* Lists the vertices of the frontier that are `sources` in the queue. *listed, zero before, becomes their number. */
void cuda_list_frontier(const struct gpu_vertices *vertices, const uint32_t *sources,
                        unsigned long long *listed, cudaStream_t stream);

/* Adds the row lengths of the frontier to *forward. */
void cuda_count_forward(const struct gpu_vertices *vertices, const struct gpu_csr *csr,
                        unsigned long long *forward, cudaStream_t stream);

/* Copies the counters to `published`, host memory that the device sees, sets them to zero, and reports `number` there. */
void cuda_publish(struct gpu_level *level, struct gpu_level *published, uint32_t number, cudaStream_t stream);

/* ---- visits ---- */

/* The places that the destinations of a visit go to. */
struct gpu_target {
    struct gpu_vertices to;
    enum subgraph g;     /* that a push goes along, as parents have the kind of its rows */
    unsigned int *found; /* becomes nonzero if a vertex is found */
    /* nn: a destination is a code, shard << local_bits | local id */
    int coded;
    unsigned local_bits;
    uint32_t own_shard;
    uint32_t *out_mask; /* bitmap over codes for other shards; NULL: they are listed in out[*sent] */
    uint64_t *out;
    unsigned long long *sent;
};

/* A row of a frontier, or a piece of a long one. */
struct work_item {
    uint64_t at;     /* its first column; flags in the upper bits (visit/cuda_searching.cuh) */
    uint32_t length; /* columns, without the head columns */
    uint32_t row;
};

/* Pieces of long rows. Any warp may take them when all warps have finished their share. */
struct cut_list {
    struct work_item *pieces;
    unsigned int *count; /* zero before */
};

/* Rows to push from. */
struct gpu_sparse_frontier {
    const uint32_t *rows; /* [count] */
    uint64_t count;
};

/* Replaces each value by the sum of those before it. `scratch`: of cuda_scan_bytes(count) for either width. */
size_t cuda_scan_bytes(uint64_t count);
cudaError_t cuda_scan_u64(uint64_t *values, uint64_t count, void *scratch, size_t scratch_bytes, cudaStream_t stream);
cudaError_t cuda_scan_u32(uint32_t *values, uint64_t count, void *scratch, size_t scratch_bytes, cudaStream_t stream);

/* Memory for prefix sums over the rows of a sparse frontier. */
struct gpu_scan {
    uint64_t *prefix; /* [count + 1] */
    void *scratch;
    size_t scratch_bytes; /* cuda_scan_bytes of the largest count + 1 */
};

/* How warps share the rows of a push: by rows, or by equal shares of edges (merge-based). */
struct gpu_sharing {
    struct cut_list cut;         /* by rows: of gpu_chunk_capacity pieces, */
    int has_long;                /* and whether there may be long rows, which a second kernel visits */
    const struct gpu_scan *scan; /* by edges; NULL: by rows */
};

/* Pushes along the rows of a sparse frontier. Destinations that are not visited enter `next` of the target. */
void cuda_push(const struct gpu_csr *csr, const struct gpu_sparse_frontier *sparse, const struct gpu_target *target,
               const struct gpu_sharing *sharing, cudaStream_t stream);

/* Rows of `csr` that are neither visited nor in `next` of the target look for a column in the bitmap `parents`.
 * Those that find one enter `next`. Columns have 4 bytes. */
void cuda_pull_rows(const struct gpu_csr *csr, const struct gpu_target *target,
                    const uint32_t *parents, cudaStream_t stream);

/* ---- vertices for other shards ---- */

struct gpu_bins {
    uint64_t *codes;                /* [*sent]: shard << local_bits | local id */
    const unsigned long long *sent; /* how many */
    uint32_t p;                     /* shards, at most GPU_MOST_SHARDS */
    unsigned local_bits;
    uint32_t *ids;                 /* [*sent]: local ids, by shard */
    unsigned long long *begin;     /* [p + 1]: beginnings by shard; last, the number of ids */
    unsigned long long *cursor;    /* [p] */
    unsigned long long *published; /* [p + 1]: `begin` in host memory */
};

/* Sorts the codes by shard, as local ids. There are at most `most`; UINT64_MAX: any number. */
void cuda_bin(const struct gpu_bins *bins, uint64_t most, cudaStream_t stream);

/* Memory for dropping duplicates. */
struct gpu_seen {
    uint32_t *mask; /* [words]: a bit for every possible id, zero before and after */
    uint64_t words;
    uint32_t *kept; /* [capacity]: ids that are kept */
    uint64_t capacity;
};

/* Drops duplicates from ids[0..count), whose order is lost. *kept, zero before, becomes the number of ids left. */
void cuda_unique(uint32_t *ids, uint64_t count, const struct gpu_seen *seen, unsigned long long *kept,
                 cudaStream_t stream);

/* Takes in vertices that arrived: unvisited ones enter `next`, with `parent`. *bad becomes 1 if an id is not below the
 * vertices' count. */
void cuda_receive(const struct gpu_vertices *vertices, const uint32_t *ids, uint64_t count, uint32_t parent,
                  unsigned int *bad, cudaStream_t stream);

/* Does the same from words first..first + words of a bitmap of the vertices. */
void cuda_receive_mask(const struct gpu_vertices *vertices, const uint32_t *mask, uint64_t first, uint64_t words,
                       uint32_t parent, unsigned int *bad, cudaStream_t stream);

/* A bitmap of all normals, by nn's columns, that a device and devices that are no peers have alike: a bit is set if a
 * message said that the vertex is visited, or if no pull looks for it. A message about a shard has the bits of its
 * visited bitmap that are not set here, in order; the bits of each 256 words begin with a word of the message. */
struct gpu_frontier_update {
    uint32_t p;
    uint64_t shard_words;      /* of the bitmap of a shard */
    uint32_t *known;           /* [p][shard_words] */
    uint32_t *begin;           /* [p][gpu_frontier_update_begins]: in the message of a shard, the first word of each 256 */
    unsigned long long *words; /* [p] host memory: of a message */
};

/* Fills `begin` and `words`, which hold until the next message is written or read. */
void cuda_frontier_update_count(const struct gpu_frontier_update *update, cudaStream_t stream);

/* Writes the message about a shard, after cuda_frontier_update_count, and adds its bits to `known`. `visited`: [words],
 * of the shard's normals. `message`: [update->words[shard]], host memory that the device sees. */
void cuda_frontier_update_write(const struct gpu_frontier_update *update, uint32_t shard, const uint32_t *visited,
                                uint64_t words, uint32_t *message, cudaStream_t stream);

/* Adds the bits of such a message to `known`, on the other device, after cuda_frontier_update_count there. */
void cuda_frontier_update_read(const struct gpu_frontier_update *update, uint32_t shard, const uint32_t *message,
                               cudaStream_t stream);

/* ---- packed sections ---- */

/* Decodes a packed section (formats/container/packed.h) into the array, from element `begin` on. All pointers in `section`
 * and `rows` are device memory. `rows`: for the columns of a CSR, its rows, all of whose columns the array has; otherwise
 * NULL. *bad becomes 1 if a block cannot be decoded. */
void cuda_decode(const struct packed *section, const struct packed_rows *rows, uint64_t begin, void *array,
                 unsigned int *bad, cudaStream_t stream);

/* Looks for indices out of range in a subgraph of `columns` columns behind its heads, as csr_ranges_find
 * does. *found and bounds->locals are device memory. */
void cuda_find_ranges(const struct gpu_csr *csr, uint64_t columns, const struct column_bounds *bounds,
                      struct csr_ranges *found, cudaStream_t stream);

/* ---- bitmaps and results ---- */

/* Reads some of the words, which another device has, so that all links to it are awake. */
void cuda_wake_links(const uint32_t *from, uint64_t words, cudaStream_t stream);

/* to = from; with `keep`, to |= from. Both have `words` words. */
void cuda_or_mask(uint32_t *to, const uint32_t *from, uint64_t words, int keep, cudaStream_t stream);

/* Lists the words of a bitmap of `words` 64-bit words that are not zero, in any order, in memory of the host that the
 * device sees. Bits of `known` are left out; NULL: none. *count, zero before, becomes their number; or any number above
 * `most`, the capacity of the list. */
void cuda_list_words(const uint32_t *mask, const uint32_t *known, uint64_t words, struct mask_word *list, uint64_t most,
                     unsigned long long *count, cudaStream_t stream);

/* ORs listed words into a bitmap of `words` 64-bit words. Words beyond its end are left out. */
void cuda_or_words(uint32_t *mask, uint64_t words, const struct mask_word *list, uint64_t count,
                   cudaStream_t stream);

/* to = all bits that `from` does not have. */
void cuda_invert(uint32_t *to, const uint32_t *from, uint64_t words, cudaStream_t stream);

/* Sets the bit of one vertex, and its parent to `value` unless `parent` is NULL. */
void cuda_set_root(uint32_t *mask, uint32_t vertex, uint32_t *parent, uint32_t value,
                   cudaStream_t stream);

/* Sets values[v] to `none` for vertices below `count` that are not visited. */
void cuda_blank_unvisited(uint32_t *values, const uint32_t *visited, uint64_t count, uint32_t none,
                          cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
