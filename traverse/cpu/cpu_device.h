/* cpu_device.h: the state of one shard's search on the CPU backend, shared by the cpu_*.c files.
 *
 * Visited marks are bit masks. The mask of the delegates is small enough to stay in cache while rows are
 * read. A depth or parent has a meaning only if the visited bit is set, so a new search clears masks and no
 * arrays. The frontier of normals has two parts: those that a pull found are in a mask, the others in a list.
 */
#ifndef DBFS_CPU_DEVICE_H
#define DBFS_CPU_DEVICE_H

#include "cpu_columns.h"
#include "cpu_probe.h"
#include "thread_pool.h"

#include "traverse/engine/backend.h"

#include "formats/base/shared_memory.h"

#include <stddef.h>
#include <stdint.h>

/* Vertices bound for one other shard, as one thread collected them. */
struct bin {
    uint32_t *ids;
    uint64_t count, capacity;
};

/* Consecutive rows of equal length, as most rows of a grid or a mesh are. Their offsets need not be read: each
 * follows from that of the first one. */
struct even_rows {
    uint64_t first, count; /* count 0: there are not enough to look for them */
    uint64_t length;       /* columns of a row, without heads */
    uint64_t offset;       /* of the first row */
    int near;              /* most columns are near their row, as in a grid whose ids are in order */
};

/* Rows to push from. */
struct push_list {
    uint32_t *rows; /* [most_rows] gathered from masks (cpu_gather.c) */
    uint32_t *from; /* [2 * list_capacity(most_rows)] parents of vertices that a push from lists finds, of both kinds */
    struct even_rows even[SUBGRAPHS];
};

/* Delegates: [d] or mask_words(d). */
struct cpu_delegates {
    uint64_t *visited;
    uint64_t *incoming; /* the reduced mask of the last level's updates */
    uint64_t *frontier; /* incoming and not visited before */
    uint64_t *updated;  /* found in this level */
    int any_incoming, any_updated;
    int32_t level; /* depth of `frontier` */
    int ahead;     /* the previsit of the delegates came before that of the normals, and dd was visited */
    uint32_t *fresh; /* the delegates of `frontier`, if they are few: [mask_words(d)]; p = 1: list_capacity(d) */
    uint64_t fresh_count;
    int fresh_listed; /* `fresh` holds them all; 0: too many, only the mask has them */
    uint32_t *next;   /* of a level by lists: the next `fresh`; [list_capacity(d)] if p = 1 */
    int32_t *depth;   /* behind the depths of normals */
    uint32_t *parent; /* the same; NULL: not recorded */
    uint64_t longest; /* no row of a delegate has more edges */
};

/* Local normals: [locals] or mask_words(locals). */
struct cpu_normals {
    uint64_t *visited;
    uint64_t *pulled;      /* the part of the frontier that masks have; valid if any_pulled */
    uint64_t *pulled_next; /* the same of the next level */
    int any_pulled, any_pulled_next;
    uint64_t pulled_count, pulled_next_count; /* bits of them, if valid */
    uint32_t *queue; /* [list_capacity(locals)]: the part of the frontier that pushes found or others sent */
    uint64_t queue_count;
    uint32_t *next; /* the queue of the next level: [list_capacity(locals)] */
    uint64_t next_count;
    int32_t *depth; /* [locals + d + 1]: of the delegates too, and DEPTH_UNREACHED */
    uint32_t *parent; /* the same with PARENT_NONE; NULL: not recorded */
    uint64_t longest; /* no row of a normal has more edges */
};

/* The sizes of the arrays that peers read, in 64-bit words. */
struct cpu_layout {
    uint64_t updated_words, frontier_words, mask_words, id_words;
};

/* Arrays that peers read. They lie in `memory`, with `updated` of the delegates. There are none if there is
 * one shard. */
struct cpu_shown {
    struct cpu_layout layout;
    uint64_t *frontier; /* of the normals; valid after show_frontier */
    uint64_t *mask;     /* by nn's columns: vertices found on other shards */
    uint32_t *ids;      /* the same as a list, by shard */
    uint64_t charged_ids;    /* charged to the budget: pages are taken as they are used */
    uint64_t *begin, *count; /* [p]: where the ids for a shard begin, and how many they are */
    enum outgoing_form form; /* of this level */
    struct shared_memory memory;
};

/* A device whose memory this one reads: itself, one of this process, or one of another process. */
struct cpu_peer {
    const uint64_t *updated, *frontier;
    const uint32_t *mask, *ids;
    uint64_t frontier_words;
    uint32_t shard;
    struct shared_memory memory; /* if it is of another process */
};

struct cpu_peers {
    struct cpu_peer *all; /* [count], of all devices of this process; NULL: they have not met */
    int owns_all;
    uint32_t count;
    uint64_t *own, *others; /* masks: dd's rows of delegates that this shard owns, and its other rows */
    uint64_t *gathered;     /* by nn's columns: the frontier of all shards */
};

/* Vertices for other shards. */
struct cpu_bins {
    struct bin *of;     /* [threads][p] */
    struct error error; /* why some bin could not grow */
};

/* Vertices and masks that leave and arrive. */
struct cpu_traffic {
    struct cpu_bins bins;
    struct cpu_shown shown;
    struct cpu_peers peers;
};

/* The most threads of a parallel region (cpu_region.c), and vertices that a thread has room for, in bins or lists. */
enum { MOST_REGION_THREADS = 64, MOST_BINNED = 1 << 21 };

struct cpu_region_memory {
    uint8_t *bins; /* [threads][bin_bytes]: of a parallel region, or of parents (cpu_marks.c) */
    uint64_t bin_bytes;
    uint8_t *lists; /* [threads][list_bytes]: of a parallel region */
    uint64_t list_bytes; /* 0: there is no parallel region */
    uint64_t *seen;      /* [threads][seen_words]: marks of vertices */
    uint64_t seen_words; /* in a parallel region: of delegates, then of normals */
    int rest;           /* searches in which one thread stands in for the parallel region where it can (cpu_run.c) */
};

/* The levels of a search that goes from level to level by itself (cpu_notes.c). */
struct cpu_level_notes {
    int kept;                 /* this search is to note them */
    struct level_note *level; /* [count], owned */
    uint32_t count;
    int failed;    /* there was no memory for a level; it and those after it are lost */
    double begun;  /* when the last level's visits began */
};

/* Notes of a level for reports. */
struct cpu_notes {
    struct breakdown times;
    int counts_probes;          /* probes are counted, and FV exactly */
    uint64_t probes[SUBGRAPHS]; /* of this level's pulls, if they are counted */
    struct cpu_level_notes levels;
};

struct row_count {
    uint64_t rows, edges;
};

/* The means of a device: memory, threads and loops. */
struct cpu_means {
    struct memory_budget *budget;
    struct thread_pool *pool;
    const struct probes *probes;
    int32_t deepest; /* `run` ends at this depth */
};

struct device {
    const struct shard *shard;
    const uint32_t *locals; /* [p]: local vertices of every shard */
    struct cpu_means means;
    int threads; /* of the thread pool that this device may use */
    int parents;   /* record them */
    int32_t depth; /* of the current frontier */
    enum direction_mode mode; /* of a search that cpu_search_begin began */
    struct cpu_delegates delegates;
    struct cpu_normals normals;
    uint64_t frontier[SUBGRAPHS];  /* sources of each subgraph in the frontier */
    uint64_t forward[SUBGRAPHS];   /* about their edges; at least as many as sources */
    uint64_t unvisited[SUBGRAPHS]; /* sources of each subgraph not visited yet */
    struct direction_costs costs;
    struct push_list push;
    struct cpu_traffic traffic;
    struct cpu_region_memory region;
    struct cpu_notes notes;
    struct cpu_answers *answers; /* NULL: there are none (cpu_answers.h) */
};

/* About how many rows a pull along g looks at. */
static inline uint64_t unvisited_targets(const struct device *dev, enum subgraph g)
{
    return unvisited_pulled(dev->shard, g, dev->unvisited[subgraph_reverse(g)]);
}

/* Words of a mask that a thread clears at a time. */
enum { CLEAR_WORDS = 256 };

/* Rows or edges that are worth one more thread: they take some us, a meeting of 16 threads 2. */
enum { WORK_OF_THREAD = 2048 };

/* Words of the masks of a shard's vertices, as nn's columns number them. */
static inline uint64_t column_words(const struct shard *shard)
{
    return (UINT64_C(1) << shard->local_bits) / 64;
}

/* Whether the columns of g are vertices of several shards. */
static inline int leads_to_shards(const struct shard *shard, enum subgraph g)
{
    return g == NN && shard->p > 1;
}

/* Words of a mask of the vertices that g leads to. */
static inline uint64_t words_to(const struct shard *shard, enum subgraph g)
{
    if (leads_to_shards(shard, g))
        return shard->p * column_words(shard);
    return mask_words(subgraph_columns(g) == DELEGATES ? shard->d : shard->locals);
}

/* Whether g is pushed by masks of marks (cpu_marks.c), if the level goes by masks: its edges are many, and
 * not few for the words of the masks. With several shards fewer do for delegates, which leave as masks. */
static inline int pushes_marks(const struct device *dev, enum subgraph g)
{
    enum { MANY = 1 << 13, MARKS_OF_WORD = 8 };
    uint64_t words = words_to(dev->shard, g), least = words;
    if (dev->shard->p > 1 && subgraph_columns(g) == DELEGATES)
        least = words / MARKS_OF_WORD;
    return dev->forward[g] >= MANY && dev->forward[g] >= least && words <= dev->region.seen_words;
}

/* Places of a list. A push may write one behind it. */
static inline uint64_t list_capacity(uint64_t vertices)
{
    return vertices + 1;
}

/* Places of a list of a thread of a parallel region, in whole lines of a cache. */
static inline uint64_t region_list_capacity(uint64_t vertices)
{
    enum { LINE = 16 };
    return list_capacity(vertices < MOST_BINNED ? vertices : MOST_BINNED) / LINE * LINE + LINE;
}

static inline uint64_t most_rows(const struct device *dev)
{
    return dev->shard->locals > dev->shard->d ? dev->shard->locals : dev->shard->d;
}

static inline int threads_for(const struct device *dev, uint64_t work)
{
    uint64_t threads = work / WORK_OF_THREAD;
    return threads >= (uint64_t)dev->threads ? dev->threads : threads < 2 ? 1 : (int)threads;
}

static inline void set_mask_bit(uint64_t *mask, uint64_t i)
{
    mask[i / 64] |= UINT64_C(1) << (i % 64);
}

/* Edges of a row that is known not to be empty. If rows have one head, it is filled and need not be read. */
static inline uint64_t source_row_length(const struct csr *csr, uint64_t row)
{
    if (csr->head_columns <= 1)
        return csr_offset(csr, row + 1) - csr_offset(csr, row) + csr->head_columns;
    return csr_row_length(csr, row);
}

/* The frontier of the sources of a subgraph: vertices in a list, and more in a mask of `words`. */
struct frontier_view {
    const uint32_t *list;
    uint64_t size;
    const uint64_t *mask;
    uint64_t words;
};

static inline struct frontier_view view_frontier(const struct device *dev, enum subgraph g)
{
    const struct cpu_normals *n = &dev->normals;
    const struct cpu_delegates *d = &dev->delegates;
    if (subgraph_rows(g) == NORMALS)
        return (struct frontier_view){n->queue, n->queue_count, n->pulled,
                                      n->any_pulled ? mask_words(dev->shard->locals) : 0};
    if (d->fresh_listed)
        return (struct frontier_view){d->fresh, d->fresh_count, NULL, 0};
    return (struct frontier_view){NULL, 0, d->frontier, mask_words(dev->shard->d)};
}

static inline __attribute__((always_inline)) void prefetch_offset(const struct csr *csr, uint64_t row)
{
    __builtin_prefetch((const char *)csr->offsets + row * csr->offset_width);
}

/* Counts bits with arithmetic, because the compiler's builtin calls a function unless an option allows
 * popcnt. */
static inline uint64_t count_bits(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return x * UINT64_C(0x0101010101010101) >> 56;
}

/* The begin of the i-th of `count` nearly equal shares of 0..total. */
static inline uint64_t share_begin(uint64_t total, int count, int i)
{
    uint64_t n = (uint64_t)count, at = (uint64_t)i;
    return total / n * at + total % n * at / n;
}

/* Notes the normals of a word that a level found by masks; `keeps`: adds them to those that it found
 * before. Returns how many they are. */
static inline uint64_t visit_word(const struct device *dev, uint64_t w, uint64_t found, int keeps)
{
    const struct cpu_normals *n = &dev->normals;
    n->pulled_next[w] = (keeps ? n->pulled_next[w] : 0) | found;
    if (found == 0)
        return 0;
    n->visited[w] |= found;
    dev->means.probes->mark(n->depth, dev->shard->locals, w, found, dev->depth + 1);
    return count_bits(found);
}

/* The same of delegates, whose bits are always kept. Returns whether there are any. */
static inline uint64_t update_word(const struct device *dev, uint64_t w, uint64_t found, int keeps)
{
    (void)keeps;
    dev->delegates.updated[w] |= found;
    return found != 0;
}

/* cpu_costs.c. Prices of visits of this frontier by masks, and of a push from lists by one thread. */
void set_visit_costs(const struct device *dev, enum subgraph g, struct workload *work);
double sparse_cost(const struct device *dev, enum subgraph g, const struct workload *work);

/* cpu_gather.c. Lists the vertices of a frontier, with `sources` only those in that mask. Returns how many. */
uint64_t gather_frontier(struct device *device, struct frontier_view frontier, const uint64_t *sources,
                         uint32_t *rows);

/* Puts the frontier's rows of subgraph g that are not empty into device->push.rows. Returns how many. */
uint64_t gather_sources(struct device *device, enum subgraph g);

uint64_t count_forward(struct device *dev, enum subgraph g); /* FV */

/* cpu_messages.c. Takes normals in: those that are not visited are marked, and go behind the next queue. from: their
 * parents; NULL: other shards have them. `alone`: no other thread marks normals meanwhile; else at most REACHED_AT_ONCE
 * at a time. */
enum { REACHED_AT_ONCE = 1024 };
void reach_normals(struct device *dev, const uint32_t *ids, uint64_t count, const uint32_t *from, int alone);

/* cpu_push.c */
void push_nn(struct device *dev); /* with several shards: puts vertices into bins */

/* cpu_marks.c; returns how many normals it found */
uint64_t push_marks(struct device *dev, enum subgraph g);

/* cpu_pull.c; each returns how many normals it found */
uint64_t pull_dd(struct device *dev);
void pull_dd_rows(struct device *dev, const uint64_t *rows); /* a part of its rows */
uint64_t pull_nd(struct device *dev);
uint64_t pull_dn(struct device *dev);
uint64_t pull_nn(struct device *dev);

/* cpu_peers.c */
enum status take_shown(struct device *dev, int shared, struct error *e);
void release_shown(struct device *dev);
void hide_outgoing(struct device *dev, enum outgoing_form form); /* before a visit */
enum status show_bins(struct device *dev, struct error *e);       /* after push_nn; empties them */
void gather_frontiers(struct device *dev);                       /* of the peers, before nn is pulled */
void take_peers_updates(struct device *dev);                     /* finds their delegates, too */

/* cpu_previsit.c */
void previsit_delegates(struct device *dev);
void previsit_normals(struct device *dev);
struct row_count count_listed(const struct device *dev, enum subgraph g, const uint32_t *list,
                              uint64_t size);
/* dev->frontier: q; forward; takes q from unvisited */
void count_frontier_of(struct device *dev, enum vertex_kind rows);
void count_frontier(struct device *dev);

/* cpu_rows.c */
void find_even_rows(struct device *dev); /* for push.even */

/* cpu_list.c */
void list_whole_frontier(struct device *dev); /* with the part that masks have */
void swap_lists(struct device *dev, uint64_t delegates, uint64_t normals); /* so many are in `next` */
void push_from_list(struct device *dev, enum subgraph g); /* not to other shards */
void run_level_by_lists(struct device *dev);              /* of the only device; with the next previsit */

/* cpu_answers.c */
void cpu_close_answers(struct device *dev);

/* The functions of backend_cpu, in the order of backend.h, which says what each does. */
enum status cpu_open(struct device **device, const struct shard *shard, const struct device_options *options,
                     struct error *e);
void cpu_close(struct device *device);
void cpu_describe(const struct device *device, struct device_description *description);
uint64_t cpu_bytes_needed(const struct shard *shard, int threads, int parents);
uint64_t cpu_pci_address(uint32_t slot);
enum status cpu_show(struct device *device, int elsewhere, struct peer_handle *handle, struct error *e);
enum status cpu_join(struct device *device, const struct peer_handle *handles, uint32_t count, struct error *e);
enum status cpu_wake(struct device *device, struct error *e);
void cpu_leave(struct device *device);
int cpu_can_search_fused(const struct device *device);
enum status cpu_search_begin(struct device *device, const struct root *root, enum direction_mode mode, int noted,
                             struct error *e);
enum status cpu_search_end(struct device *const *devices, uint32_t count, int noted, uint32_t *levels, struct error *e);
enum status cpu_replay_levels(struct device *device, level_noter *noter, void *context, struct error *e);
enum status cpu_start(struct device *device, const struct root *root, struct error *e);
enum status cpu_previsit(struct device *device, int32_t depth, struct error *e);
enum status cpu_counts(struct device *device, struct workload *work, struct error *e);
enum status cpu_count_forward(struct device *device, enum subgraph g, uint64_t *forward, struct error *e);
void cpu_show_frontier(struct device *device);
enum status cpu_visit(struct device *device, const struct visit_plan *plan, struct error *e);
enum status cpu_finish_delegates(struct device *device, int *found, struct error *e);
enum status cpu_finish(struct device *device, struct visit_result *result, struct error *e);
void cpu_keep_updates(struct device *device);
enum status cpu_previsit_ahead(struct device *device, int32_t depth, struct subgraph_work *dd, struct error *e);
enum status cpu_visit_ahead(struct device *device, const struct visit_plan *plan, struct error *e);
int cpu_is_busy(const struct device *device);
void *cpu_exchange_take(struct device *device, size_t bytes, const char *what, struct error *e);
void cpu_exchange_release(struct device *device, void *memory);
void *cpu_host_take(size_t bytes, const char *what, struct error *e);
void cpu_host_release(void *memory);
struct vertex_span cpu_outgoing(const struct device *device, uint32_t shard);
enum status cpu_drop_repeated(struct device *device, struct error *e);
enum status cpu_take_outgoing(struct device *device, const struct vertex_span *span, uint32_t *to, struct error *e);
enum status cpu_or_outgoing(struct device *device, const struct vertex_span *span, uint32_t *to, struct error *e);
enum status cpu_record_copies(struct device *device, uint32_t event, struct error *e);
enum status cpu_copies_are_over(struct device *device, uint32_t event, int *over, struct error *e);
enum status cpu_uniquify(struct device *device, struct send_buffer *buffers, uint32_t count, struct error *e);
enum status cpu_receive(struct device *device, const uint32_t *from, const struct vertex_span *part, struct error *e);
enum status cpu_receive_peers(struct device *device, const struct vertex_span *spans, struct error *e);
enum status cpu_read_masks(struct device *device, const int *updating, uint64_t *mask, struct error *e);
enum status cpu_read_mask_words(struct device *device, const int *updating, struct mask_words_list *list,
                                struct error *e);
enum status cpu_know_mask(struct device *device, const uint64_t *mask, struct error *e);
enum status cpu_take_mask(struct device *device, const uint64_t *mask, struct error *e);
enum status cpu_take_mask_words(struct device *device, const struct mask_word *words, uint64_t count, struct error *e);
enum status cpu_learn_sources(struct device *device, uint32_t shard, const uint32_t *bitmap, uint64_t words,
                              struct error *e);
enum status cpu_count_frontiers(struct device *device, struct error *e);
uint64_t cpu_frontier_words(const struct device *device, uint32_t shard);
enum status cpu_read_frontier(struct device *device, uint32_t *to, struct error *e);
enum status cpu_write_frontier(struct device *device, uint32_t shard, const uint32_t *from, struct error *e);
extern const struct backend_results cpu_results;   /* cpu_answers.c */
extern const struct backend_parents cpu_parents;   /* cpu_questions.c */

#endif
