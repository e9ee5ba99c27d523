/* cpu_device.h: the state of a search over one shard on the CPU, and the functions that the cpu_*.c files offer each other.
 *
 * A delegate is a vertex of high degree, which every shard knows. A normal is any other vertex with edges. Each normal
 * belongs to one shard. The frontier is the set of vertices from which a level goes on.
 *
 * A frontier has a sparse part, which is a list of vertices, and a dense part, which is a bitmap. The frontier of the
 * delegates is in one of the two parts. The frontier of the normals may be in both parts. Pulls and pushes into bitmaps put
 * the normals that they find into the dense part, and so do bitmaps of peers. Other pushes and messages use the sparse
 * part.
 *
 * Visited bits are bitmaps. The visited bits of the delegates are so few that they stay in the cache while rows are read. A
 * depth or parent counts only if the visited bit of the vertex is set. So a new search clears the bitmaps, and does not
 * clear depths. It clears parents only of delegates, and only with several shards.
 *
 * Sizes: d is the number of delegates. `locals` is the number of normals of this shard. p is the number of shards.
 * mask_words(n) is the number of 64-bit words of a bitmap of n vertices.
 */
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

/* The budget, threads and inner loops that a device works with. */
struct cpu_means {
    struct memory_budget *budget;
    struct thread_pool *pool;
    const struct probes *probes; /* the inner loops that suit this machine (cpu_probe.h) */
    int32_t deepest;             /* the depth at which a whole search (cpu_run.c) ends */
};

/* The state of the delegates. Each bitmap has mask_words(d) words. */
struct cpu_delegates {
    uint64_t *visited;
    uint64_t *incoming; /* bitmap of the delegates that any device found; the previsit takes them, and zeroes it */
    uint64_t *updated;  /* bitmap of the delegates that this device found in this level */
    int any_incoming, any_updated; /* 1: the bitmap of this name may have a bit */
    uint32_t *sparse;        /* the frontier as a list, if is_sparse. [mask_words(d)]; with one shard [list_capacity(d)] */
    uint64_t *dense;         /* the frontier as a bitmap, if not is_sparse */
    int is_sparse;
    uint64_t frontier_count; /* delegates of the frontier, whether it is a list or a bitmap */
    int32_t frontier_depth;
    uint32_t *next_sparse;   /* the next frontier, as a sparse level makes it. With one shard [list_capacity(d)] */
    int32_t *depth;          /* [d], behind the depths of normals in the same array */
    uint32_t *parent;        /* [d], behind the parents of normals in the same array; NULL: not recorded */
    uint64_t longest;        /* the largest degree of a delegate: no row of a delegate has more edges */
};

/* The state of the normals, which are the vertices of this shard that have edges and are no delegates. Each bitmap has
 * mask_words(locals) words. The members `next_...` belong to the next frontier. */
struct cpu_normals {
    uint64_t *visited;
    uint32_t *sparse, *next_sparse; /* [list_capacity(locals)] the sparse parts */
    uint64_t sparse_count, next_sparse_count; /* vertices of the sparse parts */
    uint64_t *dense, *next_dense;   /* the dense parts: bitmaps that hold garbage unless any_dense, any_next_dense */
    int any_dense, any_next_dense;
    uint64_t dense_count, next_dense_count; /* vertices of the dense parts */
    int32_t *depth;   /* [locals + d + 1]: depths of normals, then of delegates, then DEPTH_UNREACHED for no vertex */
    uint32_t *parent; /* [locals + d + 1]: parents of the same vertices, then PARENT_NONE; NULL: not recorded */
    uint64_t longest; /* the largest degree of a normal: no row of a normal has more edges */
};

/* Consecutive rows of one subgraph that have equal length, as most rows of a grid or a mesh. The offset of each row follows
 * from the offset of the first one, so offsets need not be read. */
struct even_rows {
    uint64_t first, count; /* the first row, and the number of rows; count 0: too few rows have equal length */
    uint64_t length;       /* columns of each row behind its heads */
    uint64_t offset;       /* where the columns of row `first` begin */
    int near;              /* 1: most columns are near the number of their row, as in a grid whose ids are in order */
};

/* Vertices of one other shard that one thread found: local ids of that shard. A bin may have a vertex several times. */
struct shard_bin {
    uint32_t *ids; /* [capacity] */
    uint64_t count, capacity;
};

/* Sizes of the arrays that a device shows to its peers, in 64-bit words. The arrays lie one behind the other in this
 * order. */
struct cpu_layout {
    uint64_t updated_words, frontier_words, mask_words, id_words; /* of `updated`, `frontier`, `mask`, `ids` */
};

/* The arrays of a device that its peers read. The array `updated` of the delegates lies in front of them in the same
 * memory. With one shard there are no such arrays. */
struct cpu_shown {
    struct shared_memory memory;
    struct cpu_layout layout;
    uint64_t *frontier;      /* bitmap of the normals of the frontier, as cpu_show_frontier wrote it */
    uint64_t *mask;          /* for OUTGOING_MASK: bitmap of vertices found on other shards; nn's columns number its bits */
    uint32_t *ids;           /* for OUTGOING_LIST: local ids of the vertices found on other shards, ordered by shard */
    uint64_t *begin, *count; /* [p] by shard: first index in `ids`, and number of ids; in a bitmap count > 0 if it has any */
    uint64_t charged_ids;    /* entries of `ids` charged to the budget: a page is taken only when it is first written */
    enum outgoing_form form; /* OUTGOING_LIST or OUTGOING_MASK, for this level */
};

/* The arrays of one peer that a device reads. The peer may be the device itself, or belong to another process. */
struct cpu_peer {
    const uint64_t *updated, *frontier;
    const uint32_t *mask, *ids;
    uint64_t frontier_words; /* 64-bit words of `frontier` */
    uint32_t shard;          /* the shard of the peer */
    struct shared_memory memory; /* the opened memory of a peer in another process; zeroed for a peer in this process */
};

/* The peers of a device, and the bitmaps that it needs only if there are several shards. All members are zero before
 * cpu_join. */
struct cpu_peers {
    struct cpu_peer *all;  /* [count], one table for all devices of a process; NULL before cpu_join */
    uint32_t count;
    int owns_all;          /* 1: this device frees the table */
    uint64_t *own, *others; /* bitmaps of the rows of dd: rows of delegates that this shard owns; the other rows */
    uint64_t *gathered;    /* bitmap of the normals in the frontiers of all shards; nn's columns number its bits */
};

enum {
    MOST_REGION_THREADS = 64, /* threads of a parallel region (cpu_region.c), and parts of the vertices */
    MOST_BINNED = 1 << 21     /* vertices that the bins or the lists of a thread have memory for, at most */
};

/* The memory of each thread. Thread t has the bytes or words from index t * size on. */
struct cpu_thread_memory {
    uint8_t *bins;    /* [threads][bin_bytes] vertices that the thread found, sorted by part (cpu_bins.h) */
    uint64_t bin_bytes; /* 0: there are no bins */
    uint8_t *lists;   /* [threads][list_bytes] lists of a part: its frontiers in a parallel region, and parents */
    uint64_t list_bytes; /* 0: there are no parallel regions */
    uint64_t *bitmaps; /* [threads][bitmap_words] bitmap of vertices that the thread found */
    uint64_t bitmap_words;
};

/* Times, counts and notes of levels that reports and traces ask for. */
struct cpu_notes {
    struct breakdown times;     /* of the phases of this level */
    int counts_probes;          /* 1: probes of pulls are counted, and edges are counted exactly */
    uint64_t probes[SUBGRAPHS]; /* columns that the pulls of this level looked at */
    /* notes of the levels of a whole search (cpu_notes.c) */
    int keeps_levels;           /* 1: levels are noted */
    struct level_note *level;   /* [levels], owned */
    uint32_t levels;
    int out_of_memory;          /* 1: a level found no memory for its note; later levels of the search are not noted */
    double visits_begun;        /* when the visits of the last noted level began, in seconds (cli_seconds) */
};

/* A device of the CPU: one shard, and the state of one search over it. */
struct device {
    const struct shard *shard;
    const uint32_t *locals; /* [p]: number of normals of each shard */
    struct cpu_means means;
    int threads;   /* threads of the pool that this device may use */
    int parents;   /* 1: record parents */
    int32_t depth; /* the depth of the frontier of the normals; vertices that are found get depth + 1 */
    enum vertex_kinds previsited; /* by the last previsit; ONLY_NORMALS: an earlier previsit of the level took delegates */
    enum direction_mode mode; /* of the search that cpu_search_begin began */
    struct cpu_delegates delegates;
    struct cpu_normals normals;
    uint64_t frontier[SUBGRAPHS];  /* vertices of the frontier whose row in the subgraph has edges */
    uint64_t forward[SUBGRAPHS];   /* about the number of edges of these rows; at least the number of rows */
    uint64_t unvisited[SUBGRAPHS]; /* rows with edges of unvisited vertices; the frontier counts as visited */
    struct direction_costs costs;
    struct even_rows even_rows[SUBGRAPHS];
    uint32_t *gathered_rows; /* [most_rows] a frontier as a list of rows (gather_sources) */
    uint32_t *found_parents; /* [2][list_capacity(most_rows)] parents of next_sparse: of the normals, of the delegates */
    struct shard_bin *shard_bins;  /* [threads][p] the bins of each thread, one for each shard */
    struct error shard_bins_error; /* why a bin could not grow */
    struct cpu_shown shown;
    struct cpu_peers peers;
    struct cpu_thread_memory per_thread;
    int searches_without_region; /* number of next searches in which one thread replaces parallel regions (cpu_run.c) */
    struct cpu_notes notes;
    struct cpu_answers *answers; /* cpu_answers.h; NULL: answers are not open */
};

/* ---- sizes ---- */

/* Returns the number of entries of a list for a sparse frontier of up to `vertices` vertices: one more than `vertices`. A
 * push writes each destination behind the end of the list, and only then learns whether the destination is new. So the list
 * needs an entry behind the last vertex. */
static inline uint64_t list_capacity(uint64_t vertices)
{
    return vertices + 1;
}

/* Returns the number of entries of one list of a part in a parallel region (part_list of cpu_region.c). The list has space
 * for at most MOST_BINNED of the `vertices` vertices. The number is a multiple of a cache line. */
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

/* Returns the number of 64-bit words that the normals of one shard take in a bitmap over nn's columns. All shards take
 * equally many, as a column of nn is the number of a shard in front of a local id of local_bits bits. */
static inline uint64_t column_words(const struct shard *shard)
{
    return (UINT64_C(1) << shard->local_bits) / 64;
}

/* Returns 1 if the columns of g may be vertices of several shards: g is nn, and there are several shards. */
static inline int leads_to_shards(const struct shard *shard, enum subgraph g)
{
    return g == NN && shard->p > 1;
}

/* Returns the number of 64-bit words of a bitmap of the vertices that are columns of g. With several shards the bitmap for
 * nn has the normals of all shards. */
static inline uint64_t words_to(const struct shard *shard, enum subgraph g)
{
    if (leads_to_shards(shard, g))
        return shard->p * column_words(shard);
    return mask_words(subgraph_columns(g) == DELEGATES ? shard->d : shard->locals);
}

/* Returns about how many unvisited rows a pull along g looks at. */
static inline uint64_t unvisited_targets(const struct device *dev, enum subgraph g)
{
    return unvisited_pulled(dev->shard, g, dev->unvisited[subgraph_reverse(g)]);
}

/* ---- sharing work among threads ---- */

enum {
    CLEAR_WORDS = 256,    /* 64-bit words of a bitmap that a thread clears or combines at a time */
    /* rows or edges that are worth one more thread: they take some us, and a barrier of 16 threads takes 2 us */
    WORK_OF_THREAD = 2048
};

/* Returns the number of threads that are worth starting for `work` rows or edges: one for each WORK_OF_THREAD of them, at
 * least 1 and at most dev->threads. */
static inline int threads_for(const struct device *dev, uint64_t work)
{
    uint64_t threads = work / WORK_OF_THREAD;
    return threads >= (uint64_t)dev->threads ? dev->threads : threads < 2 ? 1 : (int)threads;
}

/* Cuts 0..total into `count` nearly equal shares. Returns the index at which share i begins. For i = count returns the end
 * of the last share. */
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

/* Returns the number of set bits of x, by arithmetic. The builtin of the compiler would call a function unless an option
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

/* Makes the normals of `found`, which are bits of word w, part of the dense next frontier. Sets their visited bits, and
 * their depths to dev->depth + 1. With `keeps` the bits are ORed into word w of next_dense. Without `keeps` they replace
 * the word, which holds garbage before the first visit of a level. Returns the number of normals of `found`. The caller has
 * removed visited normals from `found`, and adds the number to next_dense_count. */
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

/* Returns 1 if a dense level pushes g into bitmaps, one of each thread (cpu_push_bitmaps.c). This is so if the frontier has
 * at least MANY edges in g, and at least one edge for each word of a bitmap. The bitmaps of the threads must be large
 * enough. With several shards and delegates as columns, one edge for every EDGES_OF_WORD words is enough, because delegates
 * leave as bitmaps anyway. */
static inline int pushes_into_bitmaps(const struct device *dev, enum subgraph g)
{
    enum { MANY = 1 << 13, EDGES_OF_WORD = 8 };
    uint64_t words = words_to(dev->shard, g), least = words;
    if (dev->shard->p > 1 && subgraph_columns(g) == DELEGATES)
        least = words / EDGES_OF_WORD;
    return dev->forward[g] >= MANY && dev->forward[g] >= least && words <= dev->per_thread.bitmap_words;
}

/* ---- steps, by file. Only the thread that uses the device calls them, except append_new_normals_shared ---- */

/* cpu_frontier.c. Makes the incoming delegates that are not visited the frontier of the delegates. Sets their visited bits,
 * and sets their depths to delegates.frontier_depth. Zeroes `incoming`, and the words of `updated` that `incoming` has bits
 * in. */
void previsit_delegates(struct device *dev);

/* Makes the next frontier of the normals their frontier. Leaves an empty next frontier. */
void previsit_normals(struct device *dev);

/* Counts the frontier in the two subgraphs whose rows are vertices of the kind `rows`. Sets `frontier` and `forward` of
 * these subgraphs. Subtracts the frontier's rows from `unvisited`, so it must be called exactly once for each frontier. */
void count_frontier_of(struct device *dev, enum vertex_kind rows);

/* A number of rows that have edges, and about how many edges these rows have. */
struct row_count {
    uint64_t rows, edges;
};

/* Counts the vertices list[0..count) as rows of g, which has edges. Rows without edges do not count. The sum of several
 * counts does not depend on how a list is ordered or cut. */
struct row_count count_sparse(const struct device *dev, enum subgraph g, const uint32_t *list, uint64_t count);

/* Lists the vertices of the frontier whose rows in g have edges. Writes the list to dev->gathered_rows, in any order.
 * Returns the number of vertices listed. */
uint64_t gather_sources(struct device *dev, enum subgraph g);

/* Returns the exact number of edges that the rows of the frontier have in g (FV of the paper). Overwrites
 * dev->gathered_rows. */
uint64_t count_forward(struct device *dev, enum subgraph g);

/* Makes the whole frontier sparse, of both kinds: moves the vertices of dense parts into the sparse parts. Only for a
 * search of one shard, as the list of delegates is long enough only then. */
void make_frontier_sparse(struct device *dev);

/* cpu_messages.c. Appends each unvisited normal of ids[0..count) once to next_sparse. Sets its visited bit, sets its depth
 * to dev->depth + 1 and, if parents are recorded, its parent to parents[i]. `ids` are local ids below `locals`. `parents`
 * NULL: each parent is PARENT_REMOTE. */
void append_new_normals(struct device *dev, const uint32_t *ids, uint64_t count, const uint32_t *parents);

/* Does what append_new_normals does, by atomic operations: several threads may call it at the same time. `count` is at most
 * MOST_APPENDED. */
enum { MOST_APPENDED = 1024 };
void append_new_normals_shared(struct device *dev, const uint32_t *ids, uint64_t count, const uint32_t *parents);

/* cpu_push.c. Pushes the frontier along nn by several threads, if there are several shards. Vertices of other shards go
 * into dev->shard_bins. New vertices of this shard go into the next frontier, behind next_sparse. Sets
 * dev->shard_bins_error if a bin gets no memory. */
void push_nn(struct device *dev);

/* cpu_push_bitmaps.c. Pushes the frontier along g by several threads, each of which has a bitmap. New normals of this shard
 * get visited bits, depths and parents, and go into next_dense. New delegates go into `updated`, and vertices of other
 * shards into dev->shown.mask. Returns the number of new normals of this shard. */
uint64_t push_into_bitmaps(struct device *dev, enum subgraph g);

/* cpu_sparse.c. Pushes the whole frontier along g by one thread. New normals go behind next_sparse, with visited bits,
 * depths and parents. New delegates go into `updated`, with parents. g does not lead to other shards. */
void push_sparse(struct device *dev, enum subgraph g);

/* Runs a whole level of a search of one shard by one thread: pushes the frontier along all subgraphs. The vertices found
 * become the frontier, which is sparse, visited and counted. */
void run_sparse_level(struct device *dev);

/* cpu_pull.c. Pulls along g: each unvisited vertex that can be a column of g looks for a parent among visited rows of g. A
 * normal that finds a parent goes into next_dense, a delegate into `updated`. `rows` is a bitmap of the vertices that look.
 * With `rows` NULL all of them look. Returns the number of normals found. A pull of nn with several shards wants
 * gather_peer_frontiers before. */
uint64_t pull_subgraph(struct device *dev, enum subgraph g, const uint64_t *rows);

/* cpu_peers.c. Takes the arrays that peers read, and sets the pointers to them, delegates.updated included. `shared`: peers
 * of other processes read them, too. Does nothing if there is one shard. cpu_close frees the arrays by release_shown, also
 * after a failure. */
enum status take_shown(struct device *dev, int shared, struct error *e);

/* Frees the arrays of take_shown, and gives their bytes back to the budget. Allowed if take_shown failed or was not
 * called. */
void release_shown(struct device *dev);

/* Forgets the peers that cpu_join made readable, and frees the bitmaps of struct cpu_peers. The device that owns the table
 * of peers closes the memory of peers in other processes, and frees the table. Does nothing before cpu_join. */
void leave_peers(struct device *dev);

/* Forgets the vertices for other shards that the last level showed, and sets the form of this level. Called before a
 * visit. */
void begin_outgoing(struct device *dev, enum outgoing_form form);

/* Moves the vertices in dev->shard_bins to the list or bitmap that peers read, and empties the bins. Charges the ids of a
 * list to the budget. ST_RESOURCE: the budget is too small. The bins are then unchanged. */
enum status show_shard_bins(struct device *dev, struct error *e);

/* Copies the frontiers of the normals of all peers to peers.gathered. Called after all peers have shown their frontiers. */
void gather_peer_frontiers(struct device *dev);

/* Adds the delegates that peers have found in this level to delegates.updated. Called between the two parts of a divided
 * pull of dd. */
void take_peer_updates(struct device *dev);

/* cpu_rows.c. Looks for rows of equal length in each subgraph, and sets dev->even_rows. Called once, when the device is
 * opened. */
void find_even_rows(struct device *dev);

/* cpu_answers.c. Frees dev->answers with its arrays, which go back to the budget. dev->answers may be NULL. */
void cpu_close_answers(struct device *dev);

/* The functions of backend_cpu, in the order of engine.h. engine.h has the contract of each. */
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
