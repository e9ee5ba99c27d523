/* cuda_kernels.h: the launch interface of the CUDA kernels, in plain C.
 *
 * Each family of kernels has a file. Each family has a twin on the CPU, which finds the same vertices:
 *   cuda_previsit.cu  cpu_frontier.c                 the frontier of a level: visited bits, sparse frontiers, workloads
 *   cuda_push.cu      cpu_rows.c, cpu_push.c         pushes: by rows (nd, dn, nn, short dd) or equal shares of edges (dd)
 *   cuda_pull.cu      cpu_pull.c                     unvisited vertices look for a parent
 *   cuda_bins.cu      cpu_push.c, cpu_messages.c     vertices for other shards
 *   cuda_unique.cu    unique.c                       vertices for one shard without duplicates
 *   cuda_frontier_updates.cu  test_messages.c        frontiers for devices that are no peers
 *   cuda_masks.cu     cpu_messages.c, cpu_answers.c  bitmaps of several devices, results
 *   cuda_decode.cu    packed.c                       packed sections, while a shard is loaded
 *   cuda_ranges.cu    shard_ranges.c                 the ranges of loaded sections
 * The kernels of cuda_answers.cu and cuda_questions.cu are declared in cuda_answers.h.
 *
 * Bitmaps (members called visited, next, mask, ...) are arrays of 32-bit words. Vertex v is bit v % 32 of word v / 32, as in
 * the shard files. Pointers are addresses in device memory, with two exceptions: the comment says "host memory", or the
 * pointer leads to a struct of this file, which the launch copies. Functions without a result launch kernels on `stream`, a
 * stream of the current GPU, and return before the kernels run. CUDA_LAUNCHED (cuda_error.h) then tells whether a launch
 * failed.
 *
 * nn's columns number the normals of all shards: a column is shard << local_bits | local id. A bitmap by nn's columns has
 * the same number of words for each shard.
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

/* A CSR subgraph on a device (formats/graph/shard.h). The first columns of a row are head columns, which lie apart from the
 * other columns. */
struct gpu_csr {
    uint64_t rows, edges;
    uint32_t head_columns;               /* the number k of head columns of a row */
    uint32_t offset_width, column_width; /* bytes: 4 or 8 */
    const uint32_t *heads;               /* [k][rows] head columns */
    const void *offsets;                 /* [rows + 1] index in `columns` at which each row begins */
    const void *columns;                 /* the columns behind the head columns; not used if they are packed */
    struct packed_columns packed;        /* the same columns, packed; decoded they have 4 bytes. words NULL: not packed */
    const uint32_t *sources;             /* bitmap of the rows that are not empty */
    uint32_t column_kind;                /* for functions of visit/: the kind of vertices that columns are */
    const uint32_t *wanted;              /* for fused searches: bitmap of the rows that a pull looks at; part of `sources` */
};

/* Returns whether the columns behind the head columns lie packed. */
static inline int gpu_csr_is_packed(const struct gpu_csr *csr)
{
    return csr->packed.words != NULL;
}

/* The vertices of one kind: all delegates, or the local normals. */
struct gpu_vertices {
    uint64_t count; /* vertices */
    uint64_t words; /* 32-bit words of a bitmap of the vertices: gpu_mask_words(count) */
    uint32_t *visited;  /* [words] */
    uint32_t *next;     /* [words]: the vertices found in this level */
    uint32_t *frontier; /* [words]: the dense frontier, which this level's previsit made */
    uint32_t *queue;    /* [count]: the sparse frontier, or as much of it as was listed */
    int32_t *depth;     /* [count]: valid for visited vertices */
    uint32_t *parent;   /* [count]; NULL: parents are not recorded */
};

/* Counts of a previsit for one kind of vertices. Vertices of a kind are the rows of two subgraphs. Element k of an array is
 * for the subgraph whose columns are vertices of kind k. */
struct gpu_counts {
    unsigned long long fresh; /* vertices of the frontier */
    /* places that were reserved in the sparse frontier. A number above gpu_previsit.capacity says that the vertices of some
     * blocks found no room there */
    unsigned long long listed;
    unsigned long long sources[VERTEX_KINDS]; /* q: vertices of the frontier that have edges in the subgraph */
    unsigned long long forward[VERTEX_KINDS]; /* FV: edges of listed vertices, and 1 for each source that was not listed */
};

/* Counters of a level, in device memory. cuda_publish copies the counters to memory of the host, and then sets the counters
 * to zero. */
struct gpu_level {
    struct gpu_counts of[VERTEX_KINDS];
    unsigned long long sent;              /* codes of found vertices of other shards (struct gpu_bins) */
    unsigned int found[VERTEX_KINDS];     /* nonzero: the visit found vertices of this kind */
    unsigned long long listed[SUBGRAPHS]; /* vertices that cuda_list_frontier has listed */
    unsigned int chunks[SUBGRAPHS];       /* pieces that long rows were cut into */
    unsigned int bad_ids;                 /* nonzero: an id arrived that this shard does not have */
    uint64_t report; /* only in the host's copy: the number of the copy in the upper half, 0 in the lower. Written last */
};

/* ---- previsit ---- */

/* The argument of a previsit of one kind of vertices. */
struct gpu_previsit {
    struct gpu_vertices vertices; /* `next` is the bitmap of found vertices that the previsit reads */
    int32_t depth;                    /* of the new frontier */
    struct gpu_csr csr[VERTEX_KINDS]; /* the rows of the vertices, by the kind of columns */
    uint64_t capacity;                /* the most vertices to list in the queue */
    struct gpu_counts *counts;        /* the counts are added here */
};

/* Launches a previsit: the vertices in `next` that are not visited become the frontier. Writes the frontier's bitmap, sets
 * the visited bits and the depths of its vertices, adds the counts, and clears `next`. Lists the vertices in the queue while
 * there are few. The queue has the whole frontier if counts->listed equals counts->fresh and is not above `capacity`. */
void cuda_previsit(const struct gpu_previsit *previsit, cudaStream_t stream);

/* Launches a kernel that lists vertices of the frontier in the queue: those whose bit is set in `sources`. *listed, zero
 * before, becomes the number of these vertices. */
void cuda_list_frontier(const struct gpu_vertices *vertices, const uint32_t *sources,
                        unsigned long long *listed, cudaStream_t stream);

/* Launches a kernel that counts the edges of the frontier in `csr`, and adds this count to *forward. */
void cuda_count_forward(const struct gpu_vertices *vertices, const struct gpu_csr *csr,
                        unsigned long long *forward, cudaStream_t stream);

/* Launches the publication of counters: copies *level to *published, which is host memory that the device sees, and sets
 * *level to zero. Writes `number` to the upper half of published->report when the copy is complete. */
void cuda_publish(struct gpu_level *level, struct gpu_level *published, uint32_t number, cudaStream_t stream);

/* ---- visits ---- */

/* Where a visit puts the vertices that it finds. */
struct gpu_target {
    struct gpu_vertices to; /* found vertices of this shard enter to.next */
    enum subgraph g;        /* the subgraph that a push goes along. Its rows have the kind of the recorded parents */
    unsigned int *found;    /* becomes nonzero if a vertex is found */
    /* The rest is for nn of several shards, whose columns are codes: shard << local_bits | local id. */
    int coded; /* the columns are codes */
    unsigned local_bits;
    uint32_t own_shard;
    uint32_t *out_mask; /* bitmap that receives the codes of other shards. NULL: the codes are listed in out[0..*sent) */
    uint64_t *out;
    unsigned long long *sent; /* the length of `out` */
};

/* A row of a frontier, or a piece of a long row. */
struct work_item {
    uint64_t at;     /* index of the first column in csr.columns; flags in the upper bits (visit/cuda_searching.cuh) */
    uint32_t length; /* how many columns, without head columns */
    uint32_t row;    /* the vertex */
};

/* A list of pieces of long rows. Warps take the pieces when all warps have finished their own rows. */
struct cut_list {
    struct work_item *pieces;
    unsigned int *count; /* of pieces; zero before the rows are cut */
};

/* The rows to push: the vertices of a frontier. */
struct gpu_sparse_frontier {
    const uint32_t *rows; /* [count] */
    uint64_t count;
};

/* cuda_scan_u64 and cuda_scan_u32 launch an exclusive prefix sum: each of `count` values becomes the sum of the values
 * before it. `scratch` has at least the bytes that cuda_scan_bytes returns for this count, which is enough for both
 * widths. */
size_t cuda_scan_bytes(uint64_t count);
cudaError_t cuda_scan_u64(uint64_t *values, uint64_t count, void *scratch, size_t scratch_bytes, cudaStream_t stream);
cudaError_t cuda_scan_u32(uint32_t *values, uint64_t count, void *scratch, size_t scratch_bytes, cudaStream_t stream);

/* Memory for prefix sums over the rows of a sparse frontier. */
struct gpu_scan {
    uint64_t *prefix; /* [count + 1], `count` the most rows of a frontier */
    void *scratch;
    size_t scratch_bytes; /* at least cuda_scan_bytes(count + 1) */
};

/* How warps share the rows of a push: by rows, or by equal shares of edges (merge-based). */
struct gpu_sharing {
    struct cut_list cut;         /* by rows: gpu_chunk_capacity places for pieces of long rows */
    int has_long;                /* by rows: there may be long rows, so a second kernel visits their pieces */
    const struct gpu_scan *scan; /* memory for sharing by edges. NULL: warps share by rows */
};

/* Launches a push along the rows of a sparse frontier. Columns that are not visited enter `next` of the target. Columns of
 * other shards (nn) go to the target's out_mask or `out`. */
void cuda_push(const struct gpu_csr *csr, const struct gpu_sparse_frontier *sparse, const struct gpu_target *target,
               const struct gpu_sharing *sharing, cudaStream_t stream);

/* Launches a pull. The rows of `csr` that are neither visited nor in `next` of the target look for a column that is set in
 * the bitmap `parents`. A row that finds such a column enters `next`. If parents are recorded, the column becomes the parent
 * of the row. Columns have 4 bytes. */
void cuda_pull_rows(const struct gpu_csr *csr, const struct gpu_target *target,
                    const uint32_t *parents, cudaStream_t stream);

/* ---- vertices for other shards ---- */

/* The vertices that pushes of nn found on other shards. They are found as a list of codes, and are sorted into bins: a bin
 * has the local ids of the vertices of one shard. */
struct gpu_bins {
    uint64_t *codes;                /* [*sent]: shard << local_bits | local id */
    const unsigned long long *sent; /* how many codes there are */
    uint32_t p;                     /* how many shards there are, at most GPU_MOST_SHARDS */
    unsigned local_bits;
    uint32_t *ids;                 /* [*sent]: local ids, one bin behind the other */
    unsigned long long *begin;     /* [p + 1]: index in `ids` at which the bin of a shard begins; begin[p]: all ids */
    unsigned long long *cursor;    /* [p]: scratch of the sorting */
    unsigned long long *published; /* [p + 1], host memory: the copy of `begin` from which the host knows the bins */
};

/* Launches kernels that sort the codes into bins. The kernels fill ids, begin and published. `most` is a bound on the number
 * of codes; UINT64_MAX stands for no bound. */
void cuda_bin(const struct gpu_bins *bins, uint64_t most, cudaStream_t stream);

/* Memory for dropping duplicates. */
struct gpu_seen {
    uint32_t *mask; /* [words]: a bit for every possible id; all zero before and after */
    uint64_t words;
    uint32_t *kept; /* [capacity]: the ids that are kept */
    uint64_t capacity;
};

/* Launches kernels that drop duplicates from ids[0..count). The ids that are left stand at the beginning of the array, in
 * any order. *kept, zero before, becomes the number of ids left. */
void cuda_unique(uint32_t *ids, uint64_t count, const struct gpu_seen *seen, unsigned long long *kept,
                 cudaStream_t stream);

/* Launches a kernel that adds arrived vertices to `next`. ids[count] are their local ids, which another shard sent. Vertices
 * that are neither visited nor in `next` enter `next`. If parents are recorded, `parent` becomes the parent of these
 * vertices. *bad becomes 1 if an id is not below vertices->count; this id is left out. */
void cuda_receive(const struct gpu_vertices *vertices, const uint32_t *ids, uint64_t count, uint32_t parent,
                  unsigned int *bad, cudaStream_t stream);

/* Launches a kernel that adds arrived vertices to `next`. The vertices are the set bits of mask[words], which another shard
 * sent. mask[0] is word `first` of a bitmap of `vertices`. Vertices that are neither visited nor in `next` enter `next`. If
 * parents are recorded, `parent` becomes the parent of these vertices. *bad becomes 1 if a bit is not below vertices->count;
 * this word is left out. */
void cuda_receive_mask(const struct gpu_vertices *vertices, const uint32_t *mask, uint64_t first, uint64_t words,
                       uint32_t parent, unsigned int *bad, cudaStream_t stream);

/* Messages by which devices that are no peers tell each other their frontiers of normals. Sender and receivers have the same
 * bitmap `known`, of the normals of all shards by nn's columns. A bit of `known` is set if an earlier message said that the
 * vertex is visited, or if the vertex has no nn edges, so that no pull needs it. A message about a shard has one bit for
 * each vertex of the shard that is not set in `known`: 1 if the vertex is visited. The bits lie one behind the other. The
 * bits of each 256 words of the shard's bitmap begin with a word of the message. */
struct gpu_frontier_update {
    uint32_t p;                /* how many shards there are */
    uint64_t shard_words;      /* 32-bit words of the bitmap of a shard */
    uint32_t *known;           /* [p][shard_words] */
    uint32_t *begin; /* [p][gpu_frontier_update_begins]: for each 256 words of the bitmap, the first word of the message */
    unsigned long long *words; /* [p], host memory: 32-bit words of the message about each shard */
};

/* Launches kernels that lay out the messages about all shards. The kernels fill `begin` and `words`. Both are valid until a
 * message is written or read, which changes `known`. */
void cuda_frontier_update_count(const struct gpu_frontier_update *update, cudaStream_t stream);

/* Launches a kernel that writes the message about a shard, and adds the visited bits of the shard to `known`. Called after
 * cuda_frontier_update_count. visited[words] is the bitmap of the shard's visited normals. message[update->words[shard]] is
 * host memory that the device sees. */
void cuda_frontier_update_write(const struct gpu_frontier_update *update, uint32_t shard, const uint32_t *visited,
                                uint64_t words, uint32_t *message, cudaStream_t stream);

/* Launches a kernel that reads a received message about a shard. The kernel sets the bits in `known` of the vertices that
 * the message calls visited. Called after cuda_frontier_update_count on this device. `message` is host memory that the
 * device sees. */
void cuda_frontier_update_read(const struct gpu_frontier_update *update, uint32_t shard, const uint32_t *message,
                               cudaStream_t stream);

/* ---- packed sections ---- */

/* Launches a kernel that decodes a packed section (formats/container/packed.h) into `array`, from element `begin` of the
 * array on. All pointers in *section and *rows are device memory. If the section has columns of a CSR subgraph, *rows are
 * the rows of the subgraph, and `array` has room for the columns of all rows. Otherwise `rows` is NULL. *bad becomes 1 if a
 * block cannot be decoded. */
void cuda_decode(const struct packed *section, const struct packed_rows *rows, uint64_t begin, void *array,
                 unsigned int *bad, cudaStream_t stream);

/* Launches the search for indices out of range in a subgraph with `columns` columns behind its head columns. Fills *found:
 * the first row with each fault, and counts (csr_ranges_find does so on the CPU). *found and bounds->locals are device
 * memory. */
void cuda_find_ranges(const struct gpu_csr *csr, uint64_t columns, const struct column_bounds *bounds,
                      struct csr_ranges *found, cudaStream_t stream);

/* ---- bitmaps and results ---- */

/* Launches reads of some of from[words], an array of another device, so that all links to that device wake. */
void cuda_wake_links(const uint32_t *from, uint64_t words, cudaStream_t stream);

/* Launches to = from or, with `keep`, to |= from. Both bitmaps have `words` words. */
void cuda_or_mask(uint32_t *to, const uint32_t *from, uint64_t words, int keep, cudaStream_t stream);

/* Launches a kernel that lists the words of a bitmap that are not zero, in any order. The bitmap has `words` 64-bit words.
 * Bits that are set in `known` count as zero; `known` may be NULL. list[most] is memory of the host that the device sees.
 * *count, zero before, becomes the number of words that are not zero. If *count is above `most`, the list has only `most` of
 * these words. */
void cuda_list_words(const uint32_t *mask, const uint32_t *known, uint64_t words, struct mask_word *list, uint64_t most,
                     unsigned long long *count, cudaStream_t stream);

/* Launches a kernel that ORs the listed words, list[count], into a bitmap of `words` 64-bit words. Listed words beyond the
 * end of the bitmap are left out. */
void cuda_or_words(uint32_t *mask, uint64_t words, const struct mask_word *list, uint64_t count,
                   cudaStream_t stream);

/* Launches to = ~from. Both bitmaps have `words` words. */
void cuda_invert(uint32_t *to, const uint32_t *from, uint64_t words, cudaStream_t stream);

/* Launches a kernel that sets the bit of one vertex in `mask`. Unless `parent` is NULL, the kernel also sets parent[vertex]
 * to `value`. */
void cuda_set_root(uint32_t *mask, uint32_t vertex, uint32_t *parent, uint32_t value,
                   cudaStream_t stream);

/* Launches a kernel that sets values[v] to `none` for each vertex v below `count` that is not visited. */
void cuda_blank_unvisited(uint32_t *values, const uint32_t *visited, uint64_t count, uint32_t none,
                          cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
