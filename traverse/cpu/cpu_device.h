/* cpu_device.h: the state of a search over one shard on the CPU, and the steps that the cpu_*.c files offer each other.
 *
 * A frontier has a sparse part, a list of vertices, and a dense part, a bitmap. The frontier of the delegates is one of
 * them; the frontier of the normals may be both: pulls and pushes into bitmaps find its dense part, other pushes and
 * other shards its sparse part. Visited bits are bitmaps: those of the delegates are few enough to stay in cache while
 * rows are read. A depth or parent counts only if the visited bit is set, so a new search clears bitmaps and no arrays.
 *
 * Sizes: d delegates, `locals` normals, p shards; mask_words(n) = 64-bit words of a bitmap of n vertices.
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

/* What a device works with. */
struct cpu_means {
    struct memory_budget *budget;
    struct thread_pool *pool;
    const struct probes *probes; /* inner loops for this machine */
    int32_t deepest;             /* a whole search (cpu_run.c) ends at this depth */
};

/* The delegates. Bitmaps have mask_words(d) words. */
struct cpu_delegates {
    uint64_t *visited;
    uint64_t *incoming; /* the reduced delegate mask, before a previsit; zero after it */
    uint64_t *updated;  /* found by the visits of this level */
    int any_incoming, any_updated;
    uint32_t *sparse;        /* the frontier, if is_sparse: [mask_words(d)], or with one shard [list_capacity(d)] */
    uint64_t *dense;         /* the frontier, if not is_sparse */
    int is_sparse;
    uint64_t frontier_count; /* vertices of the frontier, in either form */
    int32_t frontier_depth;
    uint32_t *next_sparse;   /* the frontier that a sparse level makes: with one shard [list_capacity(d)] */
    int32_t *depth;          /* [d], behind the depths of normals */
    uint32_t *parent;        /* [d], behind the parents of normals; NULL: parents are not recorded */
    uint64_t longest;        /* most edges of a row */
};

/* The normals with edges in this shard. Bitmaps have mask_words(locals) words. */
struct cpu_normals {
    uint64_t *visited;
    uint32_t *sparse, *next_sparse; /* [list_capacity(locals)] sparse part of the frontier, of the next frontier */
    uint64_t sparse_count, next_sparse_count;
    uint64_t *dense, *next_dense;   /* dense parts; garbage unless any_dense, any_next_dense */
    int any_dense, any_next_dense;
    uint64_t dense_count, next_dense_count;
    int32_t *depth;   /* [locals + d + 1]: of normals, delegates, and DEPTH_UNREACHED */
    uint32_t *parent; /* the same, with PARENT_NONE; NULL: parents are not recorded */
    uint64_t longest; /* most edges of a row */
};

/* Consecutive rows of equal length, as most rows of a grid or a mesh are: offsets follow from that of the first. */
struct even_rows {
    uint64_t first, count; /* count 0: there are too few to look for them */
    uint64_t length;       /* columns of a row behind its heads */
    uint64_t offset;       /* of row `first` */
    int near;              /* most columns are near their row, as in a grid whose ids are in order */
};

/* Vertices bound for one other shard, as one thread found them: local ids there, with duplicates. */
struct shard_bin {
    uint32_t *ids; /* [capacity] */
    uint64_t count, capacity;
};

/* 64-bit words of the arrays that a device shows to its peers, which lie in this order. */
struct cpu_layout {
    uint64_t updated_words, frontier_words, mask_words, id_words;
};

/* Arrays that peers read, with `updated` of the delegates in front. With one shard there are none. */
struct cpu_shown {
    struct shared_memory memory;
    struct cpu_layout layout;
    uint64_t *frontier;      /* bitmap of the normals, after show_frontier */
    uint64_t *mask;          /* OUTGOING_MASK: bitmap of the vertices found on other shards, as nn's columns number them */
    uint32_t *ids;           /* OUTGOING_LIST: local ids, by shard */
    uint64_t *begin, *count; /* [p] where the ids for a shard begin, and their number; of a mask: count > 0 if any */
    uint64_t charged_ids;    /* charged to the budget: pages of `ids` are taken as they are written */
    enum outgoing_form form; /* of this level */
};

/* What a device reads of one device of its group. That device may be itself, or belong to another process. */
struct cpu_peer {
    const uint64_t *updated, *frontier;
    const uint32_t *mask, *ids;
    uint64_t frontier_words;
    uint32_t shard;
    struct shared_memory memory; /* of another process: its arrays */
};

struct cpu_peers {
    struct cpu_peer *all;  /* [count], one table for all devices of a process; NULL before cpu_join */
    uint32_t count;
    int owns_all;          /* this device frees the table */
    uint64_t *own, *others; /* bitmaps of delegates: the rows of dd whose delegate this shard owns; the other rows */
    uint64_t *gathered;    /* bitmap of the frontiers of all shards, as nn's columns number them */
};

enum {
    MOST_REGION_THREADS = 64, /* of a parallel region (cpu_region.c) */
    MOST_BINNED = 1 << 21     /* vertices for which the memory of a thread is large enough, in bins or lists */
};

/* Memory of each thread: thread t has the bytes or words from t * size on. */
struct cpu_thread_memory {
    uint8_t *bins;    /* [threads][bin_bytes] found vertices, by the part that they belong to (cpu_bins.h) */
    uint64_t bin_bytes;
    uint8_t *lists;   /* [threads][list_bytes] frontiers of a parallel region */
    uint64_t list_bytes; /* 0: there are no parallel regions */
    uint64_t *bitmaps; /* [threads][bitmap_words] vertices that the thread found */
    uint64_t bitmap_words;
};

/* What reports and traces ask for. */
struct cpu_notes {
    struct breakdown times;
    int counts_probes;          /* probes are counted, and edges exactly */
    uint64_t probes[SUBGRAPHS]; /* columns that this level's pulls looked at */
    /* levels of a whole search (cpu_notes.c) */
    int keeps_levels;
    struct level_note *level;   /* [levels], owned */
    uint32_t levels;
    int out_of_memory;          /* a level found no memory for its note; those behind it have none, either */
    double visits_begun;        /* seconds */
};

struct device {
    const struct shard *shard;
    const uint32_t *locals; /* [p]: local vertices of every shard */
    struct cpu_means means;
    int threads;   /* of the thread pool that this device may use */
    int parents;   /* 1: record parents */
    int32_t depth; /* of the frontier of the normals */
    enum vertex_kinds previsited; /* by the last previsit; after ONLY_NORMALS the delegates had come ahead */
    enum direction_mode mode; /* of the search that cpu_search_begin began */
    struct cpu_delegates delegates;
    struct cpu_normals normals;
    uint64_t frontier[SUBGRAPHS];  /* rows of the frontier that have edges */
    uint64_t forward[SUBGRAPHS];   /* about their edges; at least as many as rows */
    uint64_t unvisited[SUBGRAPHS]; /* rows with edges that are not visited yet, the frontier counted as visited */
    struct direction_costs costs;
    struct even_rows even_rows[SUBGRAPHS];
    uint32_t *gathered_rows; /* [most_rows] a frontier made sparse (cpu_frontier.c) */
    uint32_t *found_parents; /* [2][list_capacity(most_rows)] parents of next_sparse of the normals, of the delegates */
    struct shard_bin *shard_bins;  /* [threads][p] */
    struct error shard_bins_error; /* why a bin could not grow */
    struct cpu_shown shown;
    struct cpu_peers peers;
    struct cpu_thread_memory per_thread;
    int searches_without_region; /* so many searches use one thread where a parallel region is chosen (cpu_run.c) */
    struct cpu_notes notes;
    struct cpu_answers *answers; /* cpu_answers.h; NULL: answers are not open */
};

/* ---- sizes ---- */

/* Returns the entries of a list for a sparse frontier of so many vertices. A push writes a vertex behind the last one before
 * it knows whether the vertex is new. */
static inline uint64_t list_capacity(uint64_t vertices)
{
    return vertices + 1;
}

/* Returns the entries of the list of one thread of a parallel region, in whole lines of a cache. */
static inline uint64_t region_list_capacity(uint64_t vertices)
{
    enum { LINE = 16 };
    return list_capacity(vertices < MOST_BINNED ? vertices : MOST_BINNED) / LINE * LINE + LINE;
}

/* Returns the number of normals or of delegates, whichever is larger: no subgraph has more rows. */
static inline uint64_t most_rows(const struct device *dev)
{
    return dev->shard->locals > dev->shard->d ? dev->shard->locals : dev->shard->d;
}

/* Returns the words of a bitmap of one shard's normals, as nn's columns number them. */
static inline uint64_t column_words(const struct shard *shard)
{
    return (UINT64_C(1) << shard->local_bits) / 64;
}

/* Returns 1 if the columns of g are vertices of several shards. */
static inline int leads_to_shards(const struct shard *shard, enum subgraph g)
{
    return g == NN && shard->p > 1;
}

/* Returns the words of a bitmap of the vertices that g leads to. */
static inline uint64_t words_to(const struct shard *shard, enum subgraph g)
{
    if (leads_to_shards(shard, g))
        return shard->p * column_words(shard);
    return mask_words(subgraph_columns(g) == DELEGATES ? shard->d : shard->locals);
}

/* Returns about how many rows a pull along g looks at. */
static inline uint64_t unvisited_targets(const struct device *dev, enum subgraph g)
{
    return unvisited_pulled(dev->shard, g, dev->unvisited[subgraph_reverse(g)]);
}

/* ---- sharing work among threads ---- */

enum {
    CLEAR_WORDS = 256,    /* words of a bitmap that a thread clears or combines at a time */
    WORK_OF_THREAD = 2048 /* rows or edges that are worth one more thread: they take some us, a barrier of 16 threads 2 */
};

/* Returns the number of threads, 1 to dev->threads, that share `work` rows or edges. */
static inline int threads_for(const struct device *dev, uint64_t work)
{
    uint64_t threads = work / WORK_OF_THREAD;
    return threads >= (uint64_t)dev->threads ? dev->threads : threads < 2 ? 1 : (int)threads;
}

/* Returns where the i-th of `count` nearly equal shares of 0..total begins. */
static inline uint64_t share_begin(uint64_t total, int count, int i)
{
    uint64_t n = (uint64_t)count, at = (uint64_t)i;
    return total / n * at + total % n * at / n;
}

/* ---- bits and rows ---- */

/* Sets bit i of a bitmap. */
static inline void set_mask_bit(uint64_t *mask, uint64_t i)
{
    mask[i / 64] |= UINT64_C(1) << (i % 64);
}

/* Returns the number of set bits, by arithmetic: the compiler's builtin calls a function unless an option allows popcnt. */
static inline uint64_t count_bits(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return x * UINT64_C(0x0101010101010101) >> 56;
}

/* Prefetches the offset of a row. Always inlined: a compiler may drop calls that only prefetch. */
static inline __attribute__((always_inline)) void prefetch_offset(const struct csr *csr, uint64_t row)
{
    __builtin_prefetch((const char *)csr->offsets + row * csr->offset_width);
}

/* Adds the normals `found`, bits of word w, to next_dense, and sets their visited bits and depths. `keeps` 0: this is the
 * first visit of the level that writes next_dense, and overwrites the word. Returns the number of normals. */
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

/* Returns 1 if a dense level pushes g into bitmaps, one of each thread (cpu_push_bitmaps.c): the edges are many, and not few
 * for the words of a bitmap. With several shards fewer edges do for delegates, which leave as bitmaps anyway. */
static inline int pushes_into_bitmaps(const struct device *dev, enum subgraph g)
{
    enum { MANY = 1 << 13, EDGES_OF_WORD = 8 };
    uint64_t words = words_to(dev->shard, g), least = words;
    if (dev->shard->p > 1 && subgraph_columns(g) == DELEGATES)
        least = words / EDGES_OF_WORD;
    return dev->forward[g] >= MANY && dev->forward[g] >= least && words <= dev->per_thread.bitmap_words;
}

/* ---- steps, by file; all of them are called by the thread that uses the device ---- */

/* cpu_frontier.c. Makes the incoming delegates that are not visited the frontier, of depth delegates.frontier_depth. */
void previsit_delegates(struct device *dev);

/* Makes the next frontier of the normals their frontier. */
void previsit_normals(struct device *dev);

/* Counts the frontier whose rows are of one kind into `frontier` and `forward`, and takes its rows from `unvisited`: once
 * for each frontier. */
void count_frontier_of(struct device *dev, enum vertex_kind rows);

/* Rows with edges, and about how many edges they have. */
struct row_count {
    uint64_t rows, edges;
};

/* Counts list[0..count) as rows of g, which has edges. Sums do not depend on the order of the list or on how it is cut. */
struct row_count count_sparse(const struct device *dev, enum subgraph g, const uint32_t *list, uint64_t count);

/* Lists the frontier's rows of g that have edges in dev->gathered_rows, in any order. Returns how many. */
uint64_t gather_sources(struct device *dev, enum subgraph g);

/* Returns the exact number of edges of the frontier in g (FV). Overwrites dev->gathered_rows. */
uint64_t count_forward(struct device *dev, enum subgraph g);

/* Makes the dense part of the frontier sparse, too. With one shard. */
void make_frontier_sparse(struct device *dev);

/* cpu_messages.c. Appends those of ids[0..count) that are not visited to next_sparse of the normals, and gives them their
 * visited bits, depths and parents. ids: local ids below `locals`. parents[count]; NULL: PARENT_REMOTE. */
void append_new_normals(struct device *dev, const uint32_t *ids, uint64_t count, const uint32_t *parents);

/* The same while other threads call it, too; count is at most MOST_APPENDED. */
enum { MOST_APPENDED = 1024 };
void append_new_normals_shared(struct device *dev, const uint32_t *ids, uint64_t count, const uint32_t *parents);

/* cpu_push.c. Pushes nn, with several shards: vertices of other shards go into dev->shard_bins, new vertices of this shard
 * behind next_sparse. Sets shard_bins_error if there is too little memory. */
void push_nn(struct device *dev);

/* cpu_push_bitmaps.c. Pushes g by several threads. Returns how many normals of this shard it found. */
uint64_t push_into_bitmaps(struct device *dev, enum subgraph g);

/* cpu_sparse.c. Pushes the whole frontier of g by one thread: new normals go behind next_sparse, new delegates into
 * `updated`. g does not lead to other shards. */
void push_sparse(struct device *dev, enum subgraph g);

/* Runs a level of the only device: pushes all subgraphs, and makes and counts the next frontier, which is sparse. */
void run_sparse_level(struct device *dev);

/* cpu_pull.c. Pulls g: its unvisited columns look for a visited parent, and go into next_dense or `updated`. `rows`: bitmap
 * of the columns that look; NULL: all. Returns how many normals it found. nn of several shards: after
 * gather_peer_frontiers. */
uint64_t pull_subgraph(struct device *dev, enum subgraph g, const uint64_t *rows);

/* cpu_peers.c. Takes the arrays that peers read; `shared`: peers of other processes, too. With one shard it does nothing. */
enum status take_shown(struct device *dev, int shared, struct error *e);
void release_shown(struct device *dev);

/* Frees what cpu_join has opened: the bitmaps and, on the device that owns it, the table of peers with their memory. */
void leave_peers(struct device *dev);

/* Forgets the vertices for other shards, before a visit, and chooses their form in this level. */
void begin_outgoing(struct device *dev, enum outgoing_form form);

/* Moves the vertices in dev->shard_bins to where peers read them. */
enum status show_shard_bins(struct device *dev, struct error *e);

/* Copies the frontiers of all peers to peers.gathered, after they have shown them. */
void gather_peer_frontiers(struct device *dev);

/* Adds the delegates that peers have updated to this device's updates, between the parts of a visit. */
void take_peer_updates(struct device *dev);

/* cpu_rows.c. Sets dev->even_rows, once. */
void find_even_rows(struct device *dev);

/* cpu_answers.c. Releases dev->answers, which may be NULL. */
void cpu_close_answers(struct device *dev);

/* The functions of backend_cpu, in the order of engine.h, which says what each does. */
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
