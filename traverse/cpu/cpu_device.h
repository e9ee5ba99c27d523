/* cpu_device.h: the state of a search over one shard on the CPU, and the functions that the cpu_*.c files share.
 *
 * A delegate is a vertex of high degree. Every shard knows all delegates. A normal is any other vertex that has edges.
 * Each normal belongs to one shard. The frontier is the set of vertices from which a level continues.
 *
 * A frontier has a sparse part, which is a list of vertices, and a dense part, which is a bitmap. The frontier of the
 * delegates is in only one of the two parts. The frontier of the normals may be in both parts. Pulls and pushes into
 * bitmaps put the normals that they find into the dense part. Bitmaps that peers found also go into the dense part. Other
 * pushes and messages go into the sparse part.
 *
 * Visited bits are bitmaps. There are few delegates, so their visited bits stay in the cache while rows are read. A depth
 * or parent is valid only if the visited bit of the vertex is set. So a new search clears the bitmaps, and does not clear
 * depths. A new search clears parents only of delegates, and only with several shards.
 *
 * Sizes: d is the number of delegates. `locals` is the number of normals of this shard. p is the number of shards.
 * mask_words(n) is the number of 64-bit words of a bitmap of n vertices. */
#ifndef DBFS_CPU_DEVICE_H
#define DBFS_CPU_DEVICE_H

#include "cpu_columns.h"
#include "cpu_probe.h"
#include "thread_pool.h"

#include "traverse/engine/engine.h"

#include "formats/base/shared_memory.h"

#include <stddef.h>
#include <stdint.h>

/* ---- state ---- */

/* The budget, threads and inner loops that a device uses. */
struct cpu_means {
    struct memory_budget *budget;
    struct thread_pool *pool;
    const struct probes *probes; /* the inner loops that are fastest on this machine (cpu_probe.h) */
    int32_t deepest;             /* the depth at which a whole search (cpu_run.c) ends */
};

/* The state of the delegates. Each bitmap has mask_words(d) words. */
struct cpu_delegates {
    uint64_t *visited;
    uint64_t *incoming; /* bitmap of the delegates that any device found; the previsit makes them the frontier, and zeroes
                         * this bitmap */
    uint64_t *updated;  /* bitmap of the delegates that this device found in this level */
    int any_incoming, any_updated; /* 0: the bitmap of this name is all zero; 1: it may have set bits */
    uint32_t *sparse; /* the frontier as a list, if is_sparse. It has mask_words(d) entries; with one shard
                       * list_capacity(d) */
    uint64_t *dense;         /* the frontier as a bitmap, if not is_sparse */
    int is_sparse;
    uint64_t frontier_count; /* number of delegates of the frontier */
    int32_t frontier_depth;
    uint32_t *next_sparse;   /* the next frontier, which a sparse level makes. With one shard list_capacity(d) entries */
    int32_t *depth;          /* [d], in the same array as the depths of normals, after them */
    uint32_t *parent; /* [d], in the same array as the parents of normals, after them; NULL: parents are not recorded */
    uint64_t longest;        /* the largest degree of a delegate; no row of a delegate has more edges */
};

/* The state of the normals of this shard: vertices that have edges and are no delegates. Each bitmap has
 * mask_words(locals) words. The members `next_...` belong to the next frontier. */
struct cpu_normals {
    uint64_t *visited;
    uint32_t *sparse, *next_sparse; /* [list_capacity(locals)] the sparse parts */
    uint64_t sparse_count, next_sparse_count; /* number of vertices in the sparse parts */
    uint64_t *dense, *next_dense; /* bitmaps of the dense parts, which are valid only if any_dense or any_next_dense is
                                   * set */
    int any_dense, any_next_dense;
    uint64_t dense_count, next_dense_count; /* number of vertices in the dense parts */
    int32_t *depth;   /* [locals + d + 1] depths of normals, then of delegates, then DEPTH_UNREACHED for no vertex */
    uint32_t *parent; /* [locals + d + 1] parents of the same vertices, then PARENT_NONE; NULL: parents are not recorded */
    uint64_t longest; /* the largest degree of a normal; no row of a normal has more edges */
};

/* Consecutive rows of one subgraph that have equal length, as most rows of a grid or a mesh. The offset of each row is
 * computed from the offset of the first row, so offsets need not be read. */
struct even_rows {
    uint64_t first, count; /* the first row, and the number of rows; count is 0 if too few rows have equal length */
    uint64_t length;       /* number of columns of each row, without its head columns */
    uint64_t offset;       /* index of the first column of row `first` */
    int near;              /* 1: most columns are close to the number of their row, as in a grid with ids in order */
};

/* Vertices of one other shard that one thread found, as local ids of that shard. A bin may have a vertex several times. */
struct shard_bin {
    uint32_t *ids; /* [capacity] */
    uint64_t count, capacity;
};

/* Sizes of the arrays that a device shows to its peers, in 64-bit words. The arrays lie one after the other in this
 * order. */
struct cpu_layout {
    uint64_t updated_words, frontier_words, mask_words, id_words; /* sizes of `updated`, `frontier`, `mask` and `ids` */
};

/* The arrays of a device that its peers read. They are in one piece of memory, after the array `updated` of the
 * delegates. With one shard there are no such arrays. */
struct cpu_shown {
    struct shared_memory memory;
    struct cpu_layout layout;
    uint64_t *frontier;      /* bitmap of the normals of the frontier, written by cpu_show_frontier */
    uint64_t *mask; /* for OUTGOING_MASK: bitmap of vertices found on other shards. A bit has the number of a column of nn */
    uint32_t *ids;           /* for OUTGOING_LIST: local ids of the vertices found on other shards, ordered by shard */
    uint64_t *begin, *count; /* [p] for each shard: first index in `ids`, and number of ids. With a bitmap count is above 0
                              * if the shard has any vertex */
    uint64_t charged_ids; /* number of entries of `ids` that are charged to the budget. The system allocates a page when it
                           * is first written */
    enum outgoing_form form; /* OUTGOING_LIST or OUTGOING_MASK, chosen for each level */
};

/* The arrays of one peer that a device reads. The peer may be the device itself, or a device of another process. */
struct cpu_peer {
    const uint64_t *updated, *frontier;
    const uint32_t *mask, *ids;
    uint64_t frontier_words; /* number of 64-bit words of `frontier` */
    uint32_t shard;          /* the shard of the peer */
    struct shared_memory memory; /* the opened memory of a peer in another process; zeroed if the peer is in this process */
};

/* The peers of a device, and bitmaps that are needed only with several shards. All members are zero before cpu_join. */
struct cpu_peers {
    struct cpu_peer *all;  /* [count] one table for all devices of a process; NULL before cpu_join */
    uint32_t count;
    int owns_all;          /* 1: this device owns the table and frees it */
    uint64_t *own, *others; /* bitmaps of rows of dd: the delegates that this shard owns, and all other delegates */
    uint64_t *gathered;    /* bitmap of the normals in the frontiers of all shards. A bit has the number of a column of nn */
};

enum {
    MOST_REGION_THREADS = 64, /* the largest number of threads of a parallel region (cpu_region.c), and of parts of the
                               * vertices */
    MOST_BINNED = 1 << 21     /* the largest number of vertices for which the bins or the lists of a thread have memory */
};

/* The memory of each thread. The memory of thread t begins at index t * size. */
struct cpu_thread_memory {
    uint8_t *bins;    /* [threads][bin_bytes] vertices that each thread found, sorted by part (cpu_bins.h) */
    uint64_t bin_bytes; /* 0: there are no bins */
    uint8_t *lists;   /* [threads][list_bytes] the lists of a part in a parallel region: its frontiers, and parents */
    uint64_t list_bytes; /* 0: there are no parallel regions */
    uint64_t *bitmaps; /* [threads][bitmap_words] bitmap of the vertices that each thread found */
    uint64_t bitmap_words;
};

/* Times, counts and notes of levels, for reports and traces. */
struct cpu_notes {
    struct breakdown times;     /* times of the phases of this level */
    int counts_probes;          /* 1: probes of pulls are counted, and edges are counted exactly */
    uint64_t probes[SUBGRAPHS]; /* number of columns that the pulls of this level looked at */
    /* notes of the levels of a whole search (cpu_notes.c) */
    int keeps_levels;           /* 1: levels are noted */
    struct level_note *level;   /* [levels] the notes, owned */
    uint32_t levels;
    int out_of_memory;          /* 1: memory for the note of a level was missing; later levels of the search are not noted */
    double visits_begun;        /* the time at which the visits of the last noted level began, in seconds (cli_seconds) */
};

/* A device of the CPU: one shard, and the state of one search over it. */
struct device {
    const struct shard *shard;
    const uint32_t *locals; /* [p] number of normals of each shard */
    struct cpu_means means;
    int threads;   /* number of threads of the pool that this device may use */
    int parents;   /* 1: parents are recorded */
    int32_t depth; /* the depth of the frontier of the normals; vertices found in this level get depth + 1 */
    enum vertex_kinds previsited; /* the kinds of the last previsit; ONLY_NORMALS: an earlier previsit of the level was for
                                   * the delegates */
    enum direction_mode mode; /* the mode of the search that cpu_search_begin began */
    struct cpu_delegates delegates;
    struct cpu_normals normals;
    uint64_t frontier[SUBGRAPHS];  /* number of vertices of the frontier that have edges in each subgraph */
    uint64_t forward[SUBGRAPHS];   /* about the number of edges of these vertices; at least the number of vertices */
    uint64_t unvisited[SUBGRAPHS]; /* number of unvisited vertices that have edges in each subgraph; the frontier counts as
                                    * visited */
    struct direction_costs costs;
    struct even_rows even_rows[SUBGRAPHS];
    uint32_t *gathered_rows; /* [most_rows] the frontier as a list of rows (gather_sources) */
    uint32_t *found_parents; /* [2][list_capacity(most_rows)] parents of the vertices in next_sparse: of normals, then of
                              * delegates */
    struct shard_bin *shard_bins;  /* [threads][p] the bins of each thread, one bin for each shard */
    struct error shard_bins_error; /* the failure if a bin could not grow */
    struct cpu_shown shown;
    struct cpu_peers peers;
    struct cpu_thread_memory per_thread;
    int searches_without_region; /* number of next searches that use one thread in place of parallel regions (cpu_run.c) */
    struct cpu_notes notes;
    struct cpu_answers *answers; /* cpu_answers.h; NULL: answers are not open */
};

/* ---- sizes ---- */

/* Returns the number of entries of a list for a sparse frontier of up to `vertices` vertices. The number is one more than
 * `vertices`: a push writes each destination behind the end of the list, and only then learns whether the destination is
 * new. */
static inline uint64_t list_capacity(uint64_t vertices)
{
    return vertices + 1;
}

/* Returns the number of entries of one list of a part in a parallel region (part_list of cpu_region.c). The list has
 * space for all `vertices` vertices, but for at most MOST_BINNED. The number is rounded up to whole cache lines. */
static inline uint64_t region_list_capacity(uint64_t vertices)
{
    enum { LINE = 16 };
    return list_capacity(vertices < MOST_BINNED ? vertices : MOST_BINNED) / LINE * LINE + LINE;
}

/* Returns the number of normals or the number of delegates, whichever is larger. No subgraph has more rows. */
static inline uint64_t most_rows(const struct device *dev)
{
    return dev->shard->locals > dev->shard->d ? dev->shard->locals : dev->shard->d;
}

/* Returns the number of 64-bit words of the normals of one shard in a bitmap over nn's columns. The number is the same
 * for all shards: a column of nn has the number of a shard in its high bits, and a local id of local_bits bits in its low
 * bits. */
static inline uint64_t column_words(const struct shard *shard)
{
    return (UINT64_C(1) << shard->local_bits) / 64;
}

/* Returns 1 if the columns of g may be vertices of several shards. This is so if g is nn and there are several shards. */
static inline int leads_to_shards(const struct shard *shard, enum subgraph g)
{
    return g == NN && shard->p > 1;
}

/* Returns the number of 64-bit words of a bitmap of the vertices that are columns of g. For nn with several shards the
 * bitmap has the normals of all shards. */
static inline uint64_t words_to(const struct shard *shard, enum subgraph g)
{
    if (leads_to_shards(shard, g))
        return shard->p * column_words(shard);
    return mask_words(subgraph_columns(g) == DELEGATES ? shard->d : shard->locals);
}

/* Returns an estimate of the number of unvisited rows that a pull along g looks at. */
static inline uint64_t unvisited_targets(const struct device *dev, enum subgraph g)
{
    return unvisited_pulled(dev->shard, g, dev->unvisited[subgraph_reverse(g)]);
}

/* ---- sharing work among threads ---- */

enum {
    CLEAR_WORDS = 256,    /* number of 64-bit words of a bitmap that a thread clears or combines at a time */
    /* number of rows or edges for which one more thread is worthwhile. Their work takes some us. A barrier of 16 threads
     * takes 2 us */
    WORK_OF_THREAD = 2048
};

/* Returns the number of threads that are worthwhile for `work` rows or edges: one thread for each WORK_OF_THREAD of them,
 * at least 1 and at most dev->threads. */
static inline int threads_for(const struct device *dev, uint64_t work)
{
    uint64_t threads = work / WORK_OF_THREAD;
    return threads >= (uint64_t)dev->threads ? dev->threads : threads < 2 ? 1 : (int)threads;
}

/* Divides 0..total into `count` nearly equal shares. Returns the index at which share i begins. For i = count returns the
 * end of the last share. */
static inline uint64_t share_begin(uint64_t total, int count, int i)
{
    uint64_t n = (uint64_t)count, at = (uint64_t)i;
    return total / n * at + total % n * at / n;
}

/* ---- bits and rows ---- */

/* Sets bit i of a bitmap, without an atomic operation. */
static inline void set_mask_bit(uint64_t *mask, uint64_t i)
{
    mask[i / 64] |= UINT64_C(1) << (i % 64);
}

/* Returns the number of set bits of x, by arithmetic. The compiler's builtin would call a function, unless an option
 * allows the instruction popcnt. */
static inline uint64_t count_bits(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return x * UINT64_C(0x0101010101010101) >> 56;
}

/* Prefetches the offset of a row. Always inlined, because a compiler may drop calls of functions that only prefetch. */
static inline __attribute__((always_inline)) void prefetch_offset(const struct csr *csr, uint64_t row)
{
    __builtin_prefetch((const char *)csr->offsets + row * csr->offset_width);
}

/* Adds the normals of `found`, which are bits of word w, to the dense next frontier. Sets their visited bits, and their
 * depths to dev->depth + 1. With `keeps` the bits are ORed into word w of next_dense. Without `keeps` they replace word
 * w, because the word is not valid before the first visit of a level. Returns the number of normals in `found`. The
 * caller must have removed visited normals from `found`, and must add the number to next_dense_count. */
static inline uint64_t visit_normals_word(const struct device *dev, uint64_t w, uint64_t found, int keeps)
{
    const struct cpu_normals *n = &dev->normals;
    n->next_dense[w] = (keeps ? n->next_dense[w] : 0) | found;
    if (found == 0)
        return 0;
    n->visited[w] |= found;
    dev->means.probes->mark(n->depth, dev->shard->locals, w, found, dev->depth + 1);
    return count_bits(found);
}

/* Returns 1 if a dense level pushes g into bitmaps, one for each thread (cpu_push_bitmaps.c). Three conditions must hold:
 * - The frontier has at least MANY edges in g.
 * - The frontier has at least one edge for each word of a bitmap. With several shards and delegates as columns one edge
 *   for every EDGES_OF_WORD words is enough, because delegates are sent as bitmaps anyway.
 * - The bitmaps of the threads are large enough. */
static inline int pushes_into_bitmaps(const struct device *dev, enum subgraph g)
{
    enum { MANY = 1 << 13, EDGES_OF_WORD = 8 };
    uint64_t words = words_to(dev->shard, g), least = words;
    if (dev->shard->p > 1 && subgraph_columns(g) == DELEGATES)
        least = words / EDGES_OF_WORD;
    return dev->forward[g] >= MANY && dev->forward[g] >= least && words <= dev->per_thread.bitmap_words;
}

/* ---- steps, by file. Only the thread that uses the device calls them. Several threads may call
 * append_new_normals_shared ---- */

/* cpu_frontier.c. Makes the incoming delegates that are not visited the frontier of the delegates. Sets their visited
 * bits, and sets their depths to delegates.frontier_depth. Zeroes `incoming`, and each word of `updated` whose word in
 * `incoming` has bits. */
void previsit_delegates(struct device *dev);

/* Makes the next frontier of the normals the frontier. The next frontier is empty afterwards. */
void previsit_normals(struct device *dev);

/* Counts the frontier in the two subgraphs whose rows are vertices of the kind `rows`. Sets `frontier` and `forward` of
 * these subgraphs. Subtracts the frontier's rows from `unvisited`, so this function must be called exactly once for each
 * frontier. */
void count_frontier_of(struct device *dev, enum vertex_kind rows);

/* A number of rows that have edges, and about the number of their edges. */
struct row_count {
    uint64_t rows, edges;
};

/* Counts the vertices of list[0..count) that have edges in g, and their edges. A list may be cut into pieces: the sum of
 * the counts does not depend on the order or the cuts. */
struct row_count count_sparse(const struct device *dev, enum subgraph g, const uint32_t *list, uint64_t count);

/* Lists the vertices of the frontier that have edges in g. Writes the list to dev->gathered_rows, in any order. Returns
 * the number of vertices listed. */
uint64_t gather_sources(struct device *dev, enum subgraph g);

/* Returns the exact number of edges of the frontier in g (FV of the paper). Overwrites dev->gathered_rows. */
uint64_t count_forward(struct device *dev, enum subgraph g);

/* Makes the frontier of both kinds sparse: moves the vertices of the dense parts to the sparse parts. Called only in a
 * search of one shard, because otherwise the list of delegates is too short. */
void make_frontier_sparse(struct device *dev);

/* cpu_messages.c. Appends each unvisited normal of ids[0..count) once to next_sparse. Sets its visited bit, and sets its
 * depth to dev->depth + 1. If parents are recorded, sets its parent to parents[i], or to PARENT_REMOTE if `parents` is
 * NULL. All ids must be below `locals`. */
void append_new_normals(struct device *dev, const uint32_t *ids, uint64_t count, const uint32_t *parents);

/* Does the same as append_new_normals, with atomic operations, so several threads may call it at the same time. `count`
 * is at most MOST_APPENDED. */
enum { MOST_APPENDED = 1024 };
void append_new_normals_shared(struct device *dev, const uint32_t *ids, uint64_t count, const uint32_t *parents);

/* cpu_push.c. Pushes the frontier along nn by several threads. Called if there are several shards. Vertices of other
 * shards go into dev->shard_bins. New vertices of this shard are appended to next_sparse. Sets dev->shard_bins_error if
 * memory for a bin is missing. */
void push_nn(struct device *dev);

/* cpu_push_bitmaps.c. Pushes the frontier along g by several threads, each with its own bitmap. New normals of this shard
 * get visited bits, depths and parents, and go into next_dense. New delegates go into `updated`. Vertices of other shards
 * go into dev->shown.mask. Returns the number of new normals of this shard. */
uint64_t push_into_bitmaps(struct device *dev, enum subgraph g);

/* cpu_sparse.c. Pushes the whole frontier along g by one thread. New normals are appended to next_sparse, with visited
 * bits, depths and parents. New delegates go into `updated`, with parents. g must not lead to other shards. */
void push_sparse(struct device *dev, enum subgraph g);

/* Runs a whole level of a search of one shard by one thread: pushes the frontier along all subgraphs. The vertices found
 * become the frontier, which is sparse, visited and counted. */
void run_sparse_level(struct device *dev);

/* cpu_pull.c. Pulls along g: each unvisited vertex that can be a column of g looks for a parent among visited rows of g.
 * A normal that finds a parent goes into next_dense. A delegate that finds a parent goes into `updated`. `rows` is a
 * bitmap of the vertices that look for a parent; NULL: all unvisited vertices look. Returns the number of normals found.
 * For nn with several shards gather_peer_frontiers must be called before. */
uint64_t pull_subgraph(struct device *dev, enum subgraph g, const uint64_t *rows);

/* cpu_peers.c. Allocates the arrays that peers read, and sets the pointers to them, also delegates.updated. `shared`:
 * peers of other processes read these arrays, too. Does nothing if there is one shard. cpu_close frees the arrays by
 * release_shown, also after a failure. */
enum status take_shown(struct device *dev, int shared, struct error *e);

/* Frees the arrays of take_shown, and returns the charged bytes to the budget. Allowed if take_shown failed or was not
 * called. */
void release_shown(struct device *dev);

/* Ends the use of the peers that cpu_join made readable, and frees the bitmaps of struct cpu_peers. The device that owns
 * the table of peers closes the memory of peers in other processes, and frees the table. Does nothing before cpu_join. */
void leave_peers(struct device *dev);

/* Drops the vertices for other shards that the last level showed, and sets the form for this level. Called before a
 * visit. */
void begin_outgoing(struct device *dev, enum outgoing_form form);

/* Moves the vertices in dev->shard_bins to the list or bitmap that peers read, and empties the bins. Charges the ids of a
 * list to the budget. Returns ST_RESOURCE if the budget is too small. The bins are then unchanged. */
enum status show_shard_bins(struct device *dev, struct error *e);

/* Copies the frontiers of the normals of all peers to peers.gathered. Called after all peers have shown their frontiers. */
void gather_peer_frontiers(struct device *dev);

/* Adds the delegates that peers have found in this level to delegates.updated. Called between the two parts of a divided
 * pull of dd. */
void take_peer_updates(struct device *dev);

/* cpu_rows.c. Looks for rows of equal length in each subgraph, and sets dev->even_rows. Called once, when the device is
 * opened. */
void find_even_rows(struct device *dev);

/* cpu_answers.c. Frees dev->answers with its arrays, and returns the charged bytes to the budget. dev->answers may be
 * NULL. */
void cpu_close_answers(struct device *dev);

/* The functions of backend_cpu, in the order of engine.h. engine.h has the contract of each function. */
enum status cpu_open(struct device **device, const struct shard *shard, const struct device_options *options,
                     struct device_description *description, struct error *e);
void cpu_close(struct device *device);
uint64_t cpu_bytes_needed(const struct shard *shard, int threads, int parents);
enum status cpu_show(struct device *device, int elsewhere, struct peer_handle *handle, struct error *e);
enum status cpu_join(struct device *device, const struct peer_handle *handles, uint32_t count, int *searches_fused,
                     struct error *e);
enum status cpu_wake(struct device *device, struct error *e);
enum status cpu_search_begin(struct device *device, const struct root *root, enum direction_mode mode, int noted,
                             struct error *e);
enum status cpu_search_end(struct device *const *devices, uint32_t count, int noted, uint32_t *levels, struct error *e);
enum status cpu_replay_levels(struct device *device, level_noter *noter, void *context, struct error *e);
enum status cpu_start(struct device *device, const struct root *root, struct error *e);
enum status cpu_previsit(struct device *device, enum vertex_kinds kinds, int32_t depth, struct error *e);
enum status cpu_counts(struct device *device, struct workload *work, struct error *e);
enum status cpu_count_edges(struct device *device, const int exact[SUBGRAPHS], struct workload *work, struct error *e);
enum status cpu_visit(struct device *device, const struct visit_plan *plan, enum visit_part part, struct error *e);
enum status cpu_finish(struct device *device, enum vertex_kinds kinds, struct visit_result *result, struct error *e);
void *cpu_take_buffer(struct device *device, enum exchange_memory kind, size_t bytes, const char *what, struct error *e);
void cpu_release_buffer(struct device *device, enum exchange_memory kind, void *memory);
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
