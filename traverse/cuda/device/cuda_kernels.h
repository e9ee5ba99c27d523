/* cuda_kernels.h: the launch interface of the CUDA kernels, in plain C. Each family of kernels has a file, and a twin on
 * the CPU that finds the same vertices:
 *
 *   cuda_previsit.cu  cpu_frontier.c                 the frontier of a level: visited bits, sparse frontiers, workloads
 *   cuda_push.cu      cpu_rows.c, cpu_push.c         pushes: by rows (nd, dn, nn, short dd) or equal shares of edges (dd)
 *   cuda_pull.cu      cpu_pull.c                     unvisited vertices look for a parent
 *   cuda_bins.cu      cpu_push.c, cpu_messages.c     vertices for other shards
 *   cuda_unique.cu    unique.c                       vertices for one shard without duplicates
 *   cuda_frontier_updates.cu  test_messages.c        frontiers for devices that are no peers
 *   cuda_masks.cu     cpu_messages.c, cpu_answers.c  bitmaps of several devices, results
 *   cuda_decode.cu    packed.c                       packed sections, while a shard is loaded
 *   cuda_ranges.cu    shard_ranges.c                 the ranges of loaded sections
 *
 * Functions without a result launch kernels on `stream`, a stream of the current GPU, and return before the kernels run.
 * CUDA_LAUNCHED (cuda_error.h) then tells whether a launch failed. Pointers are device memory, except pointers to structs
 * of this file, which the launch copies, and those marked "host memory". Bitmaps (visited, next, mask, ...) are arrays of
 * 32-bit words as in the shard files: vertex v is bit v % 32 of word v / 32.
 *
 * The columns of nn number the normals of all shards: a column is shard << local_bits | local id. In a bitmap by nn's
 * columns each shard has the same number of words. cuda_answers.h has the kernels of cuda_answers.cu and
 * cuda_questions.cu.
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

/* A sum to which blocks add at a barrier (cuda_sum_barrier.cuh), alone in its cache line. */
struct barrier_sum {
    unsigned long long sum;
    unsigned int apart[30];
};

/* A subgraph in CSR form on a device (formats/graph/shard.h). The first columns of a row, its head columns, lie apart. */
struct gpu_csr {
    uint64_t rows, edges;
    uint32_t head_columns;               /* the number k of head columns of a row */
    uint32_t offset_width, column_width; /* bytes: 4 or 8 */
    const uint32_t *heads;               /* [k][rows]: the head columns */
    const void *offsets;                 /* [rows + 1]: the index in `columns` at which each row begins */
    const void *columns;                 /* the columns behind the head columns, if they are not packed */
    /* the columns behind the head columns, if they are packed, each for 4 bytes; packed.words is NULL if not */
    struct packed_columns packed;
    /* Raw copies of the first columns behind the head columns, which pulls read, if columns are packed or lie in memory of the host:
     * copies[copied_begin[j] + row] is the j-th such column of a row below copied_begin[j + 1] - copied_begin[j], or NO_HEAD. No later
     * row has so many columns. */
    uint32_t copied_columns;
    const uint64_t *copied_begin; /* [copied_columns + 1] */
    uint32_t *copies;
    uint32_t hosted; /* 1: the columns behind the head columns lie in memory of the host */
    const uint32_t *sources;             /* [rows] bits: the rows that are not empty, the sources of the subgraph's edges */
    uint32_t column_kind;                /* the kind of vertices that columns are; only for functions of visit/ */
    /* for fused searches: the bitmap of the rows that a pull visits, a part of `sources` */
    const uint32_t *wanted;
};

/* Returns whether the columns behind the head columns are packed. */
static inline int gpu_csr_is_packed(const struct gpu_csr *csr)
{
    return csr->packed.words != NULL;
}

/* The vertices of one kind: all delegates, or the local normals. */
struct gpu_vertices {
    uint64_t count; /* the number of vertices */
    uint64_t words; /* the number of 32-bit words of a bitmap of the vertices: gpu_mask_words(count) */
    uint32_t *visited;  /* [words] */
    uint32_t *next;     /* [words]: the vertices found in this level */
    uint32_t *frontier; /* [words]: the dense frontier, which this level's previsit made */
    uint32_t *queue;    /* [count]: the sparse frontier, or the part of it that was listed */
    int32_t *depth;     /* [count]: valid for visited vertices */
    uint32_t *parent;   /* [count]; NULL: parents are not recorded */
};

/* The roots of a search that a device has: all that are delegates, and its own normals. A single root stands in `first`. Several
 * are listed in the queues of their kinds when the search begins (gpu_take_roots). */
struct gpu_roots {
    uint32_t count;
    uint32_t delegates; /* how many of them are delegates */
    uint32_t first;     /* the first root, with PARENT_DELEGATE_BIT if it is a delegate; 0: there is none */
};

/* What a previsit counts for one kind of vertices. Vertices of a kind have rows in two subgraphs. Element k of an array is for
 * the subgraph whose columns are vertices of kind k. */
struct gpu_counts {
    unsigned long long fresh; /* the number of vertices of the frontier */
    /* the number of places of the queue that were reserved; if above gpu_previsit.capacity, some vertices are missing */
    unsigned long long places_reserved;
    /* q of the paper: the number of vertices of the frontier that have edges in the subgraph */
    unsigned long long sources[VERTEX_KINDS];
    /* FV of the paper: the edges of the listed vertices, plus 1 for each vertex with edges that was not listed */
    unsigned long long forward[VERTEX_KINDS];
};

/* The counters of a level, in device memory. cuda_publish copies them to host memory and sets them to zero. */
struct gpu_level {
    struct gpu_counts of[VERTEX_KINDS];
    unsigned long long sent;              /* the number of codes of found vertices of other shards (struct gpu_bins) */
    unsigned int found[VERTEX_KINDS];     /* nonzero: the visit found vertices of this kind */
    unsigned long long listed[SUBGRAPHS]; /* the number of vertices that cuda_fill_queue has listed */
    unsigned int chunks[SUBGRAPHS];       /* the number of pieces of long rows */
    unsigned int bad_ids;                 /* nonzero: an id arrived that this shard does not have */
    /* only for the host's copy of the counters: its upper half is the number of the copy, and is written last */
    uint64_t report;
};

/* ---- previsit ---- */

/* The argument of a previsit of one kind of vertices. */
struct gpu_previsit {
    struct gpu_vertices vertices; /* `next` is the bitmap of found vertices that the previsit reads */
    int32_t depth;                    /* the depth of the new frontier */
    struct gpu_csr csr[VERTEX_KINDS]; /* the rows of the vertices, by the kind of columns */
    uint64_t capacity;                /* the largest number of vertices that the queue can list */
    struct gpu_counts *counts;        /* the kernel adds its counts to these */
};

/* Launches a previsit: the vertices in `next` that are not visited become the frontier. Writes the frontier's bitmap, sets the
 * visited bits and depths of its vertices, adds to *counts, and clears `next`. Lists the vertices in the queue if there are
 * few: the queue has the whole frontier if counts->places_reserved equals counts->fresh and is at most `capacity`. */
void cuda_previsit(const struct gpu_previsit *previsit, cudaStream_t stream);

/* Launches a kernel that fills the queue with those vertices of the frontier that are set in the bitmap `sources`. *listed must
 * be zero, and becomes the number of vertices in the queue. */
void cuda_fill_queue(const struct gpu_vertices *vertices, const uint32_t *sources,
                        unsigned long long *listed, cudaStream_t stream);

/* Launches a kernel that counts the edges of the frontier in `csr`, and adds this count to *forward. */
void cuda_count_forward(const struct gpu_vertices *vertices, const struct gpu_csr *csr,
                        unsigned long long *forward, cudaStream_t stream);

/* Launches a kernel that copies the counters *level to *published, host memory that the device can write, and sets *level
 * to zero. When the copy is complete, the upper half of published->report becomes `number`. */
void cuda_publish(struct gpu_level *level, struct gpu_level *published, uint32_t number, cudaStream_t stream);

/* ---- visits ---- */

/* Where a visit puts the vertices that it finds. */
struct gpu_target {
    struct gpu_vertices to; /* receives the found vertices of this shard, in to.next */
    enum subgraph g;        /* the subgraph whose edges are pushed or pulled; recorded parents are of the kind of its rows */
    unsigned int *found;    /* becomes nonzero if a vertex is found */
    /* The members below are for nn of several shards, whose columns are codes: shard << local_bits | local id. */
    int coded; /* 1: the columns are codes */
    unsigned local_bits;
    uint32_t own_shard;
    /* bitmap that receives the found vertices of other shards. NULL: they are appended to the list `out` instead */
    uint32_t *out_mask;
    uint64_t *out;
    unsigned long long *sent; /* the length of `out` */
};

/* A row of a frontier, or a piece of a long row. */
struct work_item {
    uint64_t at;     /* where the item's columns begin in csr.columns; flags in the upper bits (visit/cuda_searching.cuh) */
    uint32_t length; /* the number of columns, without head columns */
    uint32_t row;    /* the vertex */
};

/* Pieces of rows that are too long for one warp. All warps share the pieces when they have finished their own rows. */
struct cut_list {
    struct work_item *pieces;
    unsigned int *count; /* the number of pieces; zero before the rows are cut */
};

/* The rows to push: the vertices of a frontier. */
struct gpu_sparse_frontier {
    const uint32_t *rows; /* [count] */
    uint64_t count;
};

/* cuda_scan_u64 and cuda_scan_u32 launch an exclusive prefix sum: each of `count` values becomes the sum of the values
 * before it. `scratch` has at least cuda_scan_bytes(count) bytes, which are enough for both widths. */
size_t cuda_scan_bytes(uint64_t count);
cudaError_t cuda_scan_u64(uint64_t *values, uint64_t count, void *scratch, size_t scratch_bytes, cudaStream_t stream);
cudaError_t cuda_scan_u32(uint32_t *values, uint64_t count, void *scratch, size_t scratch_bytes, cudaStream_t stream);

/* Memory for prefix sums over the rows of a sparse frontier. */
struct gpu_scan {
    uint64_t *prefix; /* [count + 1], where `count` is the largest number of rows of a frontier */
    void *scratch;
    size_t scratch_bytes; /* at least cuda_scan_bytes(count + 1) */
};

/* How warps share the rows of a push: by rows, or by equal shares of edges (merge-based). */
struct gpu_sharing {
    struct cut_list cut;         /* by rows: gpu_chunk_capacity places for pieces of long rows */
    int has_long;                /* by rows: there may be long rows, and a second kernel visits their pieces */
    const struct gpu_scan *scan; /* memory for sharing by edges. NULL: warps share by rows */
};

/* Launches a push along the rows of a sparse frontier. Columns that are not visited are added to `next` of the target.
 * Columns of other shards (only in nn) go to out_mask or `out` of the target. */
void cuda_push(const struct gpu_csr *csr, const struct gpu_sparse_frontier *sparse, const struct gpu_target *target,
               const struct gpu_sharing *sharing, cudaStream_t stream);

/* Launches a pull. The rows of `csr` that are neither visited nor in `next` of the target look for a column that is set
 * in the bitmap `parents`. A row that finds such a column is added to `next`. If parents are recorded, the column becomes
 * the parent of the row. Columns have 4 bytes. */
void cuda_pull_rows(const struct gpu_csr *csr, const struct gpu_target *target,
                    const uint32_t *parents, cudaStream_t stream);

/* ---- vertices for other shards ---- */

/* The vertices of other shards that pushes of nn found. They are first a list of codes. Sorting turns the list into bins, one
 * for each shard, which have the local ids of the shard's vertices. */
struct gpu_bins {
    uint64_t *codes;                /* [*sent]: shard << local_bits | local id */
    const unsigned long long *sent; /* the number of codes */
    uint32_t p;                     /* the number of shards, at most GPU_MOST_SHARDS */
    unsigned local_bits;
    uint32_t *ids;                 /* [*sent]: local ids, one bin behind the other */
    /* [p + 1]: the index in `ids` at which the bin of each shard begins; begin[p] is the number of all ids */
    unsigned long long *begin;
    unsigned long long *cursor;    /* [p]: scratch for the sorting; after that gpu_uniquify counts kept ids here */
    /* [p + 1], host memory: a copy of `begin` for the host; in levels that pull nn it is gpu_frontier_update.words */
    unsigned long long *published;
};

/* Launches kernels that sort at most `most` codes into bins: fills ids, begin and published. UINT64_MAX: any number of
 * codes. */
void cuda_bin(const struct gpu_bins *bins, uint64_t most, cudaStream_t stream);

/* Memory for dropping duplicates. */
struct gpu_seen {
    uint32_t *mask; /* [words]: a bit for each possible id; all bits are zero before and after */
    uint64_t words;
    uint32_t *kept; /* [capacity]: the ids that are kept */
    uint64_t capacity;
};

/* Launches kernels that drop duplicates from ids[0..count). The kept ids stand at the beginning of the array, in any
 * order. *kept must be zero, and becomes the number of kept ids. */
void cuda_unique(uint32_t *ids, uint64_t count, const struct gpu_seen *seen, unsigned long long *kept,
                 cudaStream_t stream);

/* Launches a kernel that takes in vertices from another shard, with the local ids ids[count]: those that are neither
 * visited nor in `next` are added to `next`. If parents are recorded, `parent` becomes the parent of the added vertices.
 * *bad becomes 1 if an id is not below vertices->count; this id is left out. */
void cuda_receive(const struct gpu_vertices *vertices, const uint32_t *ids, uint64_t count, uint32_t parent,
                  unsigned int *bad, cudaStream_t stream);

/* Does the same as cuda_receive for vertices that arrive as a bitmap: the set bits of mask[words], whose first word is
 * word `first` of the shard's bitmap. *bad becomes 1 if a bit is not below vertices->count; its word is left out. */
void cuda_receive_mask(const struct gpu_vertices *vertices, const uint32_t *mask, uint64_t first, uint64_t words,
                       uint32_t parent, unsigned int *bad, cudaStream_t stream);

/* Messages by which devices that are no peers tell each other which of their normals are visited. A message is about one shard.
 * It has one bit for each normal of the shard that is not in `known`, 1 if the normal is visited. `known` is a bitmap of the
 * normals of all shards, equal on all devices. It has the vertices that earlier messages called visited, and those without
 * edges of nn, which no pull needs. The bits lie one behind the other, but those for each 256 words of the shard's bitmap begin
 * with a new word. */
struct gpu_frontier_update {
    uint32_t p;                /* the number of shards */
    uint64_t shard_words;      /* the number of 32-bit words of the bitmap of a shard */
    uint32_t *known;           /* [p][shard_words] */
    /* [p][gpu_frontier_update_begins]: for each 256 words of a shard's bitmap, where in the message (a word) their bits
     * begin */
    uint32_t *begin;
    unsigned long long *words; /* [p], host memory: the number of 32-bit words of the message about each shard */
};

/* Launches kernels that compute the layout of the messages about all shards, `begin` and `words`. The layout holds until
 * a message is written or read, because this changes `known`. */
void cuda_frontier_update_count(const struct gpu_frontier_update *update, cudaStream_t stream);

/* Launches a kernel that writes the message about a shard, and adds the shard's visited vertices to `known`. Called after
 * cuda_frontier_update_count. visited[words] is the bitmap of the shard's visited normals. message[update->words[shard]]
 * is host memory that the device can write. */
void cuda_frontier_update_write(const struct gpu_frontier_update *update, uint32_t shard, const uint32_t *visited,
                                uint64_t words, uint32_t *message, cudaStream_t stream);

/* Launches a kernel that reads a received message about a shard, and adds the vertices that are visited to `known`.
 * Called after cuda_frontier_update_count. `message` is host memory that the device can read. */
void cuda_frontier_update_read(const struct gpu_frontier_update *update, uint32_t shard, const uint32_t *message,
                               cudaStream_t stream);

/* ---- packed sections ---- */

/* Launches a kernel that decodes a packed section (formats/container/packed.h) into `array`, from element `begin` on. All
 * pointers in *section and *rows are device memory. For the columns of a subgraph, *rows are its rows, and `array` has
 * room for the columns of all rows. For other sections `rows` is NULL. *bad becomes 1 if a block cannot be decoded. */
void cuda_decode(const struct packed *section, const struct packed_rows *rows, uint64_t begin, void *array,
                 unsigned int *bad, cudaStream_t stream);

/* Launches a kernel that fills csr->copies. The columns have 4 bytes. */
void cuda_copy_columns(const struct gpu_csr *csr, cudaStream_t stream);

/* Launches kernels that check that the indices of a subgraph are in range. The subgraph has `columns` columns behind the head
 * columns. *found gets the first row or column with each fault, and counts of rows and edges. *found and bounds->locals are
 * device memory. Twin: csr_find_faults. */
void cuda_find_faults(const struct gpu_csr *csr, uint64_t columns, const struct column_bounds *bounds,
                      struct csr_faults *found, cudaStream_t stream);

/* ---- bitmaps and results ---- */

/* Launches reads of from[words], an array of another device, to wake the links, over which a first read is slow. */
void cuda_wake_links(const uint32_t *from, uint64_t words, cudaStream_t stream);

/* Launches a kernel that copies a bitmap of `words` words to `to`, or with `keep` ORs it into `to`. */
void cuda_or_mask(uint32_t *to, const uint32_t *from, uint64_t words, int keep, cudaStream_t stream);

/* Launches a kernel that lists the words of the bitmap `mask` that are not zero, in any order. The bitmap has `words` 64-bit
 * words. If `known` is not NULL, bits that are set there count as zero. list[most] is host memory that the device can write.
 * *count must be zero, and becomes the number of words that are not zero, of which at most `most` are listed. */
void cuda_list_words(const uint32_t *mask, const uint32_t *known, uint64_t words, struct mask_word *list, uint64_t most,
                     unsigned long long *count, cudaStream_t stream);

/* Launches a kernel that ORs the words of list[count] into a bitmap of `words` 64-bit words, except words beyond its end. */
void cuda_or_words(uint32_t *mask, uint64_t words, const struct mask_word *list, uint64_t count,
                   cudaStream_t stream);

/* Launches to = ~from. Both bitmaps have `words` words. */
void cuda_invert(uint32_t *to, const uint32_t *from, uint64_t words, cudaStream_t stream);

/* Launches a kernel that sets the bit of each root in `next` of its kind, and its parent to `value` if parents are recorded. */
void cuda_set_roots(const struct gpu_roots *roots, const struct gpu_vertices of[VERTEX_KINDS], uint32_t value,
                    cudaStream_t stream);

/* Launches a kernel that sets values[v] to `none` for each vertex v below `count` that is not visited. */
void cuda_blank_unvisited(uint32_t *values, const uint32_t *visited, uint64_t count, uint32_t none,
                          cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
