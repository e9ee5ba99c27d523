/* cpu_device.h: the state of a search over one shard on the CPU, and the functions that the cpu_*.c files share
 *
 * A delegate is a vertex of high degree, which every shard knows. A normal is any other vertex with edges, and belongs
 * to one shard. The frontier is the set of vertices from which a level continues.
 *
 * A frontier has a sparse part, which is a list of vertices, and a dense part, which is a bitmap. Delegates are in one
 * of the two parts, normals may be in both: pulls, pushes into bitmaps and bitmaps of peers put them into the dense
 * part, other pushes and messages into the sparse part.
 *
 * Visited bits are bitmaps too. There are few delegates, so their visited bits stay in the cache while rows are read. A
 * depth or parent is valid only if its vertex's visited bit is set, so a new search clears bits, but no depths. It
 * clears parents only of delegates, and only with several shards.
 *
 * In sizes d is the number of delegates, `locals` that of normals of this shard, p that of shards, and mask_words(n)
 * that of 64-bit words of a bitmap of n vertices. */
#ifndef DBFS_CPU_DEVICE_H
#define DBFS_CPU_DEVICE_H

#include "cpu_columns.h"
#include "cpu_probe.h"
#include "thread_pool.h"

#include "traverse/engine/engine.h"

#include "formats/base/arith.h"
#include "formats/base/shared_memory.h"

#include <stddef.h>
#include <stdint.h>

/* ---- state ---- */

/* What a device works with: the budget, the threads and the inner loops. */
struct cpu_means {
    struct memory_budget *budget;
    struct thread_pool *pool;
    const struct probes *probes; /* the fastest inner loops of this machine (cpu_probe.h) */
    int32_t deepest;             /* the depth at which a whole search (cpu_run.c) ends */
};

/* The state of the delegates. Bitmaps have mask_words(d) words. */
struct cpu_delegates {
    uint64_t *visited;
    uint64_t *found_anywhere; /* bitmap of delegates that any device found; the next previsit makes them the frontier */
    uint64_t *found_here; /* bitmap of the delegates that this device found in this level */
    int any_found_anywhere, any_found_here; /* 0: the bitmap of this name is all zero; 1: it may have set bits */
    uint32_t *sparse; /* the frontier as a list, if is_sparse; space for list_capacity(d) ids, or with several shards
                       * mask_words(d) */
    uint64_t *dense;         /* the frontier as a bitmap, if not is_sparse */
    int is_sparse;
    uint64_t frontier_count; /* number of delegates of the frontier */
    int32_t frontier_depth;
    uint32_t *next_sparse;   /* [list_capacity(d)] with one shard: the next frontier, made by a sparse level */
    int32_t *depth;          /* [d] part of the array normals.depth, behind the normals */
    uint32_t *parent; /* [d] recorded parents: part of the array normals.parent, behind the normals; NULL: not recorded */
    uint64_t longest;        /* the largest degree of a delegate, and so the most edges in a row of one */
};

/* The state of this shard's normals. Bitmaps have mask_words(locals) words. Members `next_...` belong to the next
 * frontier. */
struct cpu_normals {
    uint64_t *visited;
    uint32_t *sparse, *next_sparse; /* [list_capacity(locals)] the sparse parts */
    uint64_t sparse_count, next_sparse_count; /* number of vertices in the sparse parts */
    uint64_t *dense, *next_dense; /* bitmaps of the dense parts; valid only if any_dense, or any_next_dense, is set */
    int any_dense, any_next_dense;
    uint64_t dense_count, next_dense_count; /* number of vertices in the dense parts */
    int32_t *depth;   /* [locals + d + 1] depths of normals, then of delegates; the last, for ids without a vertex, is
                       * DEPTH_UNREACHED */
    uint32_t *parent; /* [locals + d + 1] parents in the same order; the last is PARENT_NONE; NULL: not recorded */
    uint64_t longest; /* the largest degree of a normal, and so the most edges in a row of one */
};

/* Consecutive rows of one subgraph that all have the same length, as most rows of a grid or mesh do. The offset of each
 * such row follows from that of the first, so offsets need not be read. */
struct even_rows {
    uint64_t first, count; /* first row and number of rows; the number is 0 if too few rows have one length */
    uint64_t length;       /* number of columns of each row, without its head columns */
    uint64_t offset;       /* index of the first column of row `first` */
    int near;              /* most columns are close to the number of their row, as in a grid with ids in order */
};

/* Vertices of one other shard that one thread found, as local ids of that shard. A vertex may be there several times. */
struct shard_bin {
    uint32_t *ids; /* [capacity] */
    uint64_t count, capacity;
};

/* The sizes, in 64-bit words, of the arrays that a device shows to its peers. The arrays stand in this order, one after
 * the other. */
struct cpu_layout {
    uint64_t found_here_words, frontier_words, mask_words, id_words; /* of `found_here`, `frontier`, `mask` and `ids` */
};

/* The arrays of a device that its peers read. They are in one piece of memory, which begins with delegates.found_here. A
 * single shard has none. */
struct cpu_shown {
    struct shared_memory memory;
    struct cpu_layout layout;
    uint64_t *frontier;      /* bitmap of the normals of the frontier, written by cpu_show_frontier */
    uint64_t *mask; /* OUTGOING_MASK: the vertices found in other shards, as a bitmap over the columns of nn */
    uint32_t *ids;           /* OUTGOING_LIST: the vertices found in other shards, as local ids ordered by shard */
    uint64_t *begin, *count; /* [p] where each shard's ids begin in `ids`, and how many there are. OUTGOING_MASK: the number
                              * only says whether there are any */
    uint64_t charged_ids; /* number of entries of `ids` that were ever written, and so are charged to the budget */
    enum outgoing_form form; /* OUTGOING_LIST or OUTGOING_MASK, chosen for each level */
};

/* The arrays of a peer that a device reads. The peer may be the device itself, or a device of another process. */
struct cpu_peer {
    const uint64_t *found_here, *frontier;
    const uint32_t *mask, *ids;
    uint64_t frontier_words; /* number of 64-bit words of `frontier` */
    uint32_t shard;          /* the shard of the peer */
    struct shared_memory memory; /* the memory of a peer in another process; zeroed for peers of this process */
};

/* The peers of a device, and bitmaps that only several shards need. All is zero before cpu_join. */
struct cpu_peers {
    struct cpu_peer *all;  /* [count] one table for all devices of a process; NULL before cpu_join */
    uint32_t count;
    int owns_all;          /* 1: this device owns the table and frees it */
    uint64_t *own, *others; /* bitmaps of the rows of dd: of delegates that this shard owns, and of all others */
    uint64_t *gathered;    /* the normals in the frontiers of all shards, a bitmap by the numbers of nn's columns */
};

enum {
    MOST_REGION_THREADS = 64, /* the most threads of a parallel region (cpu_region.c), and so the most parts */
    MOST_BINNED = 1 << 21,    /* the most vertices for which a thread has memory for bins, or for the lists of a region */
    PUSHED_AHEAD = 1 << 14    /* the most edges, as they are counted (count_sparse), that a thread of a region pushes a level ahead */
};

/* Memory of each thread: that of thread t begins at index t * size. */
struct cpu_thread_memory {
    uint8_t *bins;    /* [threads][bin_bytes] vertices that each thread found, sorted by part (cpu_bins.h) */
    uint64_t bin_bytes; /* 0: there are no bins */
    uint8_t *lists;   /* [threads][list_bytes] frontiers and parents of a part in a parallel region */
    uint64_t list_bytes; /* 0: there are no parallel regions */
    uint64_t *bitmaps; /* [threads][bitmap_words] a bitmap of what each thread found */
    uint64_t bitmap_words;
};

/* Times, counts and notes of levels, for reports and traces. */
struct cpu_notes {
    struct breakdown times;     /* times of the phases of this level */
    int counts_probes;          /* probes of pulls are counted, and edges are counted exactly */
    uint64_t probes[SUBGRAPHS]; /* number of columns that the pulls of this level looked at */
    /* notes of the levels of a whole search (cpu_notes.c) */
    int keeps_levels;           /* 1: levels are noted */
    struct level_note *level;   /* [levels] the notes, owned */
    uint32_t levels;
    int out_of_memory;          /* memory for a note was missing, so later levels of this search have none */
    double visits_begun;        /* when the visits of the last noted level began, in seconds (cli_seconds) */
};

/* A device of the CPU: one shard, and the state of one search over it. The state of a level is apart: beside other
 * members its changes would take their cache lines from all threads, which read them in each level. */
struct device {
    const struct shard *shard;
    const uint32_t *locals; /* [p] number of normals of each shard */
    struct cpu_means means;
    int threads;   /* number of threads of the pool that this device may use */
    int parents;   /* 1: parents are recorded */
    enum direction_mode mode; /* the mode of the search that cpu_search_begin began */
    int single_thread_searches_left; /* number of searches in which one thread still replaces parallel regions (cpu_run.c) */
    struct cpu_delegates delegates;
    struct cpu_normals normals;
    struct even_rows even_rows[SUBGRAPHS];
    int rows_are_near; /* most rows of nn have a column close to one of the next row */
    uint32_t *gathered_rows; /* [most_rows] the frontier's vertices with edges in a subgraph, as a list (gather_sources) */
    uint32_t *found_parents; /* [2][list_capacity(most_rows)] parents of the vertices in next_sparse: normals, then
                              * delegates */
    struct shard_bin *shard_bins;  /* [threads][p] what each thread found in each other shard */
    struct error shard_bins_error; /* the failure if a bin could not grow */
    struct cpu_shown shown;
    struct cpu_peers peers;
    struct cpu_thread_memory per_thread;
    struct cpu_answers *answers; /* cpu_answers.h; NULL: answers are not open */
    /* the state of a level */
    _Alignas(APART) int32_t depth; /* depth of the normals' frontier; this level finds vertices of depth + 1 */
    enum vertex_kinds previsited; /* the kinds of vertices that the last previsit handled */
    uint64_t frontier_rows[SUBGRAPHS];  /* number of vertices of the frontier that have edges in each subgraph */
    uint64_t frontier_edges[SUBGRAPHS]; /* about the number of their edges; at least the number of vertices */
    uint64_t unvisited[SUBGRAPHS]; /* number of unvisited vertices with edges in each subgraph; the frontier counts as
                                    * visited */
    struct direction_costs costs;
    struct cpu_notes notes;
};

/* ---- sizes ---- */

/* Returns the number of entries of a list for up to `vertices` vertices of a frontier. It is one more, because a push
 * writes each destination behind the end of the list before it knows whether the destination is new. */
static inline uint64_t list_capacity(uint64_t vertices)
{
    return vertices + 1;
}

/* Returns the number of entries of a list of one part in a parallel region: space for all `vertices` vertices, but at
 * most MOST_BINNED, in whole cache lines. */
static inline uint64_t region_list_capacity(uint64_t vertices)
{
    enum { LINE = 16 };
    return list_capacity(vertices < MOST_BINNED ? vertices : MOST_BINNED) / LINE * LINE + LINE;
}

/* Returns the number of normals or delegates, whichever is larger: no subgraph has more rows. */
static inline uint64_t most_rows(const struct device *dev)
{
    return dev->shard->locals > dev->shard->d ? dev->shard->locals : dev->shard->d;
}

/* Returns how many 64-bit words each shard takes up in a bitmap over nn's columns. All shards take up the same number,
 * because a column of nn has its shard in the high bits, and its local id in the low local_bits bits. */
static inline uint64_t column_words(const struct shard *shard)
{
    return (UINT64_C(1) << shard->local_bits) / 64;
}

/* Returns 1 if columns of subgraph g may be vertices of other shards: g is nn, and there are several shards. */
static inline int leads_to_shards(const struct shard *shard, enum subgraph g)
{
    return g == NN && shard->p > 1;
}

/* Returns the 64-bit words of a bitmap over the columns of subgraph g. For nn of several shards it has the normals of
 * all shards. */
static inline uint64_t words_to(const struct shard *shard, enum subgraph g)
{
    if (leads_to_shards(shard, g))
        return shard->p * column_words(shard);
    return mask_words(subgraph_columns(g) == DELEGATES ? shard->d : shard->locals);
}

/* Estimates the unvisited rows that a pull along g looks at. */
static inline uint64_t unvisited_targets(const struct device *dev, enum subgraph g)
{
    return unvisited_pulled(dev->shard, g, dev->unvisited[subgraph_reverse(g)]);
}

/* ---- sharing work among threads ---- */

enum {
    CLEAR_WORDS = 256,    /* 64-bit words of a bitmap that a thread clears or combines at a time */
    /* rows or edges that are worth one more thread: their work takes some us, a barrier of 16 threads 2 us */
    WORK_OF_THREAD = 2048
};

/* Returns how many threads `work` rows or edges are worth, from 1 to dev->threads. */
static inline int threads_for(const struct device *dev, uint64_t work)
{
    uint64_t threads = work / WORK_OF_THREAD;
    return threads >= (uint64_t)dev->threads ? dev->threads : threads < 2 ? 1 : (int)threads;
}

/* ---- bits and rows ---- */

/* Sets bit i of a bitmap, without an atomic operation. */
static inline void set_mask_bit(uint64_t *mask, uint64_t i)
{
    mask[i / 64] |= UINT64_C(1) << (i % 64);
}

/* Returns the number of set bits of x, by arithmetic. The compiler's builtin would call a function if no option allows
 * popcnt. */
static inline uint64_t count_bits(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return x * UINT64_C(0x0101010101010101) >> 56;
}

/* Prefetches the cache line of an address that will be written, and takes it from other cores. A compiler for any x86-64 lets
 * __builtin_prefetch get a line for reading only, and the write would wait for other cores. Processors without PREFETCHW do nothing. */
static inline __attribute__((always_inline)) void prefetch_to_write(const void *at)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)at));
#else
    __builtin_prefetch(at, 1);
#endif
}

/* Prefetches the offset of a row. Inlined always: a compiler may drop calls of functions that only prefetch. */
static inline __attribute__((always_inline)) void prefetch_offset(const struct csr *csr, uint64_t row)
{
    __builtin_prefetch((const char *)csr->offsets + row * csr->offset_width);
}

/* Visits the normals `found`, which are bits of word w: adds them to the dense next frontier, sets their visited bits, and
 * gives them the depth dev->depth + 1. If next_dense is valid, because earlier visits of this level have written it, the bits
 * are added to its word, otherwise they overwrite it. None of the normals may be visited before. Returns their number. */
static inline uint64_t visit_normals_word(const struct device *dev, uint64_t w, uint64_t found, int next_dense_is_valid)
{
    const struct cpu_normals *n = &dev->normals;
    n->next_dense[w] = (next_dense_is_valid ? n->next_dense[w] : 0) | found;
    if (found == 0)
        return 0;
    n->visited[w] |= found;
    dev->means.probes->mark(n->depth, dev->shard->locals, w, found, dev->depth + 1);
    return count_bits(found);
}

/* Returns 1 if a dense level pushes subgraph g into a bitmap of each thread (cpu_push_bitmaps.c). The frontier must
 * have at least MANY edges in g, and one for each word of a bitmap, because all words are read later. Delegates of
 * several shards are sent as bitmaps anyway, so for them one edge for every EDGES_OF_WORD words is enough. The threads
 * must have bitmaps of this size. */
static inline int pushes_into_bitmaps(const struct device *dev, enum subgraph g)
{
    enum { MANY = 1 << 13, EDGES_OF_WORD = 8 };
    uint64_t words = words_to(dev->shard, g), least = words;
    if (dev->shard->p > 1 && subgraph_columns(g) == DELEGATES)
        least = words / EDGES_OF_WORD;
    return dev->frontier_edges[g] >= MANY && dev->frontier_edges[g] >= least && words <= dev->per_thread.bitmap_words;
}

/* ---- steps of a search, by file. Only the thread that uses the device calls them, except append_new_normals_shared ---- */

/* cpu_frontier.c. Makes unvisited delegates of `found_anywhere` the frontier: sets their visited bits, and gives them the
 * depth delegates.frontier_depth. Zeroes the words of `found_anywhere` that have bits, and the same words of `found_here`. */
void previsit_delegates(struct device *dev);

/* Makes the normals of the next frontier the frontier. The next frontier is empty afterwards. */
void previsit_normals(struct device *dev);

/* Counts the frontier's rows and edges in the two subgraphs whose rows are of the kind `rows`. Subtracts the rows from
 * `unvisited`, so it must be called just once for each frontier. */
void count_frontier_of(struct device *dev, enum vertex_kind rows);

/* A number of rows that have edges, and about how many edges these have. */
struct row_count {
    uint64_t rows, edges;
};

/* Counts the vertices of list[0..count) that have edges in subgraph g, and their edges. If a list is counted in pieces,
 * the counts add up to the same sum. */
struct row_count count_sparse(const struct device *dev, enum subgraph g, const uint32_t *list, uint64_t count);

/* Lists the frontier's vertices that have edges in subgraph g, in any order, in dev->gathered_rows. Returns their number. */
uint64_t gather_sources(struct device *dev, enum subgraph g);

/* Returns the exact number of the frontier's edges in subgraph g (FV of the paper). Overwrites dev->gathered_rows. */
uint64_t count_forward(struct device *dev, enum subgraph g);

/* Moves the dense parts of the frontier to its sparse parts. Only for a search of one shard, because with several
 * shards the list of delegates is too short. */
void make_frontier_sparse(struct device *dev);

/* cpu_messages.c. Appends each unvisited normal of ids[0..count) once to next_sparse. Sets its visited bit, its depth
 * (dev->depth + 1) and, if parents are recorded, its parent: parents[i], or PARENT_REMOTE if `parents` is NULL. All ids
 * must be below `locals`. */
void append_new_normals(struct device *dev, const uint32_t *ids, uint64_t count, const uint32_t *parents);

/* Does the same as append_new_normals, but several threads may call it at the same time. `count` is at most
 * MOST_APPENDED. */
enum { MOST_APPENDED = 1024 };
void append_new_normals_shared(struct device *dev, const uint32_t *ids, uint64_t count, const uint32_t *parents);

/* cpu_push.c. Pushes the frontier along nn by several threads, if there are several shards. Vertices of other shards go
 * into dev->shard_bins, and new normals of this shard into next_sparse. Sets dev->shard_bins_error if memory is short. */
void push_nn(struct device *dev);

/* cpu_push_bitmaps.c. Pushes the frontier along subgraph g by several threads, each with its own bitmap. New normals of
 * this shard go into next_dense, with depths and parents. New delegates go into `found_here`, and vertices of other shards
 * into dev->shown.mask. Returns the number of new normals of this shard. */
uint64_t push_into_bitmaps(struct device *dev, enum subgraph g);

/* cpu_sparse.c. Pushes the whole frontier along subgraph g by one thread. New normals go into next_sparse, with depths
 * and parents, and new delegates into `found_here`, with parents. g must not lead to other shards. */
void push_sparse(struct device *dev, enum subgraph g);

/* Runs a whole level of a search of one shard by one thread: pushes the frontier along all subgraphs. What is found
 * becomes the frontier, which is sparse, visited and counted. */
void run_sparse_level(struct device *dev);

/* cpu_pull.c. Pulls along subgraph g: each unvisited vertex of the bitmap `rows` (NULL: all) looks for a parent among
 * visited rows of g. Normals that find one go into next_dense, and delegates into `found_here`. Returns the number of
 * normals. Before nn of several shards is pulled, gather_peer_frontiers must be called. */
uint64_t pull_subgraph(struct device *dev, enum subgraph g, const uint64_t *rows);

/* cpu_peers.c. Allocates the arrays that peers read, among them delegates.found_here. `shared`: peers of other processes
 * read them, too. A single shard has none. release_shown frees them, also after a failure. */
enum status take_shown(struct device *dev, int shared, struct error *e);

/* Frees the arrays that take_shown allocated, and returns their bytes to the budget. Does nothing if there are none. */
void release_shown(struct device *dev);

/* Ends the reading of peers that cpu_join began. The device that owns the table of peers frees it, and closes the
 * memory of other processes. Does nothing before cpu_join. */
void leave_peers(struct device *dev);

/* Drops the vertices of other shards that the last level showed, and sets this level's form. Called before a visit. */
void begin_outgoing(struct device *dev, enum outgoing_form form);

/* Moves the vertices in dev->shard_bins to the list or bitmap that peers read, and empties the bins. A list is charged
 * to the budget. If the budget is too small, returns ST_RESOURCE, and the bins stay full. */
enum status show_shard_bins(struct device *dev, struct error *e);

/* Copies the frontiers of all peers to peers.gathered. Called when all peers have shown theirs. */
void gather_peer_frontiers(struct device *dev);

/* Adds what peers have found to delegates.found_here. Called between the two parts of a divided pull of dd. */
void take_peer_updates(struct device *dev);

/* cpu_rows.c. Finds rows of equal length in each subgraph (dev->even_rows), and whether rows are near (dev->rows_are_near). Called when
 * the device is opened; of the device only the shard is needed. */
void find_even_rows(struct device *dev);

/* cpu_answers.c. Frees dev->answers with its arrays. NULL is allowed. */
void cpu_close_answers(struct device *dev);

/* The functions of backend_cpu. engine.h has their contracts, in the same order. */
enum status cpu_open(struct device **device, const struct shard *shard, const struct device_options *options,
                     struct device_description *description, struct error *e);
void cpu_close(struct device *device);
uint64_t cpu_bytes_needed(const struct shard *shard, int threads, int parents);
enum status cpu_show(struct device *device, int elsewhere, struct peer_handle *handle, struct error *e);
enum status cpu_join(struct device *device, const struct peer_handle *handles, uint32_t count, int *searches_fused,
                     struct error *e);
enum status cpu_reach(struct device *device, const struct peer_handle *handles, uint32_t count, struct relay_buffers *buffers,
                      int *searches_fused, struct error *e);
void cpu_hear(struct device *device, const struct relay_buffers *buffers);
enum status cpu_wake(struct device *device, struct error *e);
enum status cpu_search_begin(struct device *device, const struct root_set *roots, enum direction_mode mode, int noted,
                             struct error *e);
enum status cpu_search_end(struct device *const *devices, uint32_t count, int noted, const struct message_relay *relay,
                           uint32_t *levels, struct error *e);
enum status cpu_replay_levels(struct device *device, level_noter *noter, void *context, struct error *e);
enum status cpu_start(struct device *device, const struct root_set *roots, struct error *e);
enum status cpu_previsit(struct device *device, enum vertex_kinds kinds, int32_t depth, struct error *e);
enum status cpu_counts(struct device *device, struct workload *work, struct error *e);
enum status cpu_count_edges(struct device *device, const int exact[SUBGRAPHS], struct workload *work, struct error *e);
enum status cpu_visit(struct device *device, const struct visit_plan *plan, enum visit_part part, struct error *e);
enum status cpu_finish(struct device *device, enum vertex_kinds kinds, struct visit_result *result, struct error *e);
void *cpu_take_buffer(struct device *device, enum exchange_memory kind, size_t bytes, const char *what, struct error *e);
void cpu_release_buffer(struct device *device, enum exchange_memory kind, void *memory);
enum status cpu_pin(struct device *device, void *memory, uint64_t bytes, struct error *e);
void cpu_unpin(struct device *device, void *memory);
enum status cpu_uniquify(struct device *device, struct vertex_span *spans, uint32_t count, struct error *e);
enum status cpu_copy_vertices(struct device *device, const struct vertex_span *span, uint32_t *to, int adds, uint32_t event,
                              struct error *e);
enum status cpu_is_over(struct device *device, uint32_t event, int *over, struct error *e);
enum status cpu_receive(struct device *device, const struct vertex_span *span, struct error *e);
enum status cpu_receive_peers(struct device *device, const struct vertex_span *spans, struct error *e);
enum status cpu_read_masks(struct device *device, const int *updating, struct mask_update *to, struct error *e);
enum status cpu_know_mask(struct device *device, const uint64_t *mask, struct error *e);
enum status cpu_take_mask(struct device *device, const struct mask_update *from, struct error *e);
enum status cpu_learn_sources(struct device *device, uint32_t shard, const uint32_t *bitmap, uint64_t words,
                              struct error *e);
enum status cpu_show_frontier(struct device *device, uint32_t *message, uint64_t *words, struct error *e);
enum status cpu_take_frontier(struct device *device, uint32_t shard, const uint32_t *message, struct error *e);

extern const struct backend_answers cpu_answers; /* cpu_answers.c */

#endif
