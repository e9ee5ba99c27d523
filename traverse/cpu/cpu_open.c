/* cpu_open.c: opens and closes a device of the CPU, and has the backend's table (engine.h)
 *
 * The backend serves hosts without a GPU. It is also the reference for the GPU: for each kernel there is a function in
 * cpu/ that finds the same vertices. */
#include "cpu_bins.h"
#include "cpu_device.h"

#include "formats/base/arith.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

/* An array of a device that is charged to the budget. */
struct cpu_array {
    void **at;              /* the pointer in struct device that gets the address */
    uint64_t count, width; /* the number of elements, and the bytes of each element */
    const char *name;      /* for messages about failures */
};

enum { MOST_ARRAYS = 24 };

/* Lists the arrays that a device allocates for itself: where their addresses go, their sizes and names. Returns their
 * number. Needs the shard, `threads`, `parents` and the sizes of per_thread in `dev`. */
static int list_arrays(struct device *dev, struct cpu_array list[MOST_ARRAYS])
{
    struct cpu_delegates *d = &dev->delegates;
    struct cpu_normals *n = &dev->normals;
    uint64_t delegates = dev->shard->d, words_d = mask_words(delegates);
    uint64_t locals = dev->shard->locals, words_n = mask_words(locals);
    uint64_t values = locals + delegates + 1; /* one value for each vertex, and one that stands for no vertex */
    uint64_t rows = most_rows(dev), threads = (uint64_t)dev->threads;
    uint64_t sparse_d = dev->shard->p == 1 ? list_capacity(delegates) : 0;
    const struct cpu_array arrays[] = {
        {(void **)&d->visited, words_d, 8, "visited delegates"},
        {(void **)&d->found_anywhere, words_d, 8, "reduced delegate mask"},
        {(void **)&d->dense, words_d, 8, "delegate frontier"},
        {(void **)&d->sparse, sparse_d > words_d ? sparse_d : words_d, 4, "delegate frontier list"},
        {(void **)&d->next_sparse, sparse_d, 4, "next delegate frontier list"},
        {(void **)&n->visited, words_n, 8, "visited vertices"},
        {(void **)&n->dense, words_n, 8, "pulled frontier"},
        {(void **)&n->next_dense, words_n, 8, "next pulled frontier"},
        {(void **)&n->sparse, list_capacity(locals), 4, "frontier queue"},
        {(void **)&n->next_sparse, list_capacity(locals), 4, "next frontier queue"},
        {(void **)&n->depth, values, 4, "depths"},
        {(void **)&n->parent, dev->parents ? values : 0, 4, "parents"},
        {(void **)&dev->gathered_rows, rows, 4, "push rows"},
        {(void **)&dev->found_parents, 2 * list_capacity(rows), 4, "parents of a push"},
        {(void **)&dev->per_thread.bitmaps, threads * dev->per_thread.bitmap_words, 8, "marks of threads"},
        {(void **)&dev->per_thread.lists, threads * dev->per_thread.list_bytes, 1, "lists of threads"},
        {(void **)&dev->per_thread.bins, threads * dev->per_thread.bin_bytes, 1, "bins of threads"},
        {(void **)&dev->shard_bins, threads * dev->shard->p, sizeof(struct shard_bin), "bins"},
        {(void **)&d->found_here, words_d, 8, "updated delegates"}};
    /* with several shards take_shown allocates the last array (`found_here`), because peers read it */
    int count = (int)(sizeof arrays / sizeof *arrays) - (dev->shard->p > 1);
    memcpy(list, arrays, (size_t)count * sizeof *list);
    return count;
}

/* Sets how many bytes each thread gets for bins, and for the lists of a parallel region. A thread gets none if no search
 * needs them, or if those of all threads would exceed an eighth of the memory that is left. Bins have space for each vertex
 * once, because a thread puts a vertex into a bin at most once a level, and for its parent if bins have parents. Lists
 * have space for the frontiers of two levels, and the parents of one. */
static void size_bins_and_lists(struct device *dev)
{
    enum { BEGUN = 256 }; /* chunks beside the full ones: a partly filled one for each bin, and one with the state of the
                           * bins */
    const int in_region = dev->shard->p == 1 && dev->threads > 1;
    uint64_t most = memory_left(dev->means.budget) / 8, threads = (uint64_t)dev->threads;
    uint64_t vertices = smaller(dev->shard->d + dev->shard->locals, MOST_BINNED);
    uint64_t entries = region_list_capacity(dev->shard->d) + region_list_capacity(dev->shard->locals);
    uint64_t width = dev->parents || learns_parents(dev, dev->threads) ? PAIR_BYTES : sizeof(uint32_t);
    uint64_t bin_bytes = (SECOND_SET_CHUNKS + BEGUN + vertices * width / 4000) * CHUNK_BYTES;
    uint64_t list_bytes = entries * (dev->parents ? 12 : 8);
    if ((dev->parents || in_region) && threads * bin_bytes <= most)
        dev->per_thread.bin_bytes = bin_bytes;
    if (dev->per_thread.bin_bytes > 0 && in_region && threads * list_bytes <= most)
        dev->per_thread.list_bytes = list_bytes;
}

/* Returns the 64-bit words of each thread's bitmap. With one shard it has all delegates and normals. With several shards it
 * has the normals of all shards, if such bitmaps of all threads are no larger than the columns of nn; otherwise the
 * delegates or the normals of the shard, whichever are more. */
static uint64_t bitmap_words(const struct shard *shard, int threads)
{
    enum { LINE_WORDS = 8 };
    uint64_t delegates = mask_words(shard->d), normals = mask_words(shard->locals);
    uint64_t columns = words_to(shard, NN), most = delegates > normals ? delegates : normals;
    if (shard->p == 1)
        return (delegates + normals + LINE_WORDS - 1) / LINE_WORDS * LINE_WORDS;
    if (!shard_has_masks(shard) || 2 * (uint64_t)threads * columns > shard->csr[NN].edges)
        return most;
    return columns > most ? columns : most;
}

/* Zeroes the depths and parents of vertices begin..end, so that the system places their pages near the threads that
 * will search. Threads of the pool run this for take_arrays; `context` is the device. */
static void touch_values(void *context, uint64_t begin, uint64_t end)
{
    const struct device *dev = context;
    memset(dev->normals.depth + begin, 0, (end - begin) * sizeof(int32_t));
    if (dev->parents)
        memset(dev->normals.parent + begin, 0, (end - begin) * sizeof(uint32_t));
}

/* Allocates all arrays of the device, also those that peers read, charged to the budget. `shared`: peers of other
 * processes read them, too. cpu_close frees them, also after a failure. */
static enum status take_arrays(struct device *dev, int shared, struct error *e)
{
    struct cpu_array list[MOST_ARRAYS];
    int count = list_arrays(dev, list);
    uint64_t locals = dev->shard->locals, vertices = locals + dev->shard->d;
    for (int i = 0; i < count && e->status == ST_OK; i++)
        memory_take(dev->means.budget, list[i].at, list[i].count, list[i].width, list[i].name, e);
    if (e->status != ST_OK || take_shown(dev, shared, e) != ST_OK)
        return e->status;
    /* asks for large pages for arrays that are read and written at random */
    memory_advise_huge(dev->per_thread.bins);
    memory_advise_huge(dev->per_thread.lists);
    memory_advise_huge(dev->normals.depth);
    memory_advise_huge(dev->normals.parent);
    dev->delegates.depth = dev->normals.depth + locals;
    dev->normals.depth[vertices] = DEPTH_UNREACHED;
    if (dev->parents) {
        dev->delegates.parent = dev->normals.parent + locals;
        dev->normals.parent[vertices] = PARENT_NONE;
    }
    pool_for(dev->means.pool, threads_for(dev, vertices), vertices, 64 * CLEAR_WORDS, touch_values, dev);
    return ST_OK;
}

/* ---- opening ---- */

/* Returns the largest degree of a list, which begins with it; 0 if the list is empty. */
static uint64_t longest_row(const struct degree_list *degrees)
{
    return degrees->count > 0 ? degrees->runs[0].degree : 0;
}

/* Returns how many of `threads` a search of the device's shard can use. A search of fewer than EDGES_OF_TWO edges takes about 20
 * us on one thread. Graphs of 300,000 to 450,000 edges were fastest with 4 threads, even if 8, 12 or 14 were allowed.
 * Graphs of 1 million edges were fastest with 8 threads, and graphs of 2 million with all. Road networks of more than half a million edges
 * are searched in rounds, which have few barriers (cpu_local.c), so each 2^15 of their edges take a thread. Needs dev->rows_are_near. */
static int useful_threads(const struct device *dev, int threads)
{
    enum { EDGES_OF_TWO = 1 << 15, EDGES_OF_MORE = 1 << 17, ROAD_EDGES = 1 << 19, ROAD_EDGES_OF_MORE = 1 << 15, ROAD_DEGREE = 4 };
    uint64_t edges = shard_edges(dev->shard), vertices = dev->shard->d + dev->shard->locals;
    int is_road = dev->rows_are_near && edges >= ROAD_EDGES && edges <= ROAD_DEGREE * vertices;
    uint64_t most = 1 + (edges >= EDGES_OF_TWO) + edges / (is_road ? ROAD_EDGES_OF_MORE : EDGES_OF_MORE);
    return most < (uint64_t)threads ? (int)most : threads;
}

/* Frees a device with all it has, and ends its use of peers and threads. It may be NULL, or opened in part. */
void cpu_close(struct device *dev)
{
    if (dev == NULL)
        return;
    struct cpu_array list[MOST_ARRAYS];
    int count = list_arrays(dev, list);
    uint64_t bins = (uint64_t)dev->threads * dev->shard->p;
    for (uint64_t i = 0; dev->shard_bins != NULL && i < bins; i++) {
        const struct shard_bin *bin = &dev->shard_bins[i];
        memory_discharge(dev->means.budget, bin->capacity * sizeof *bin->ids);
        free(bin->ids);
    }
    for (int i = 0; i < count; i++)
        memory_release(dev->means.budget, *list[i].at);
    cpu_close_answers(dev);
    pool_close(dev->means.pool);
    free(dev->notes.level);
    leave_peers(dev);
    release_shown(dev);
    free(dev);
}

/* Describes a shard for reports: its bytes in memory, and whether any of its columns are packed. */
static struct device_description describe(const struct shard *shard)
{
    struct device_description description = {.resident = RESIDENT_RAW};
    for (int g = 0; g < shard_row_sets(shard); g++) {
        if (shard->csr[g].packed.words != NULL)
            description.resident = RESIDENT_PACKED;
    }
    description.bytes = residence_bytes(shard, description.resident);
    return description;
}

/* Opens a device: allocates its memory, opens the thread pool, and looks for even rows. The shard, options->locals and
 * the budget must outlive the device. After a failure nothing stays allocated. */
enum status cpu_open(struct device **result, const struct shard *shard, const struct device_options *options,
                     struct device_description *description, struct error *e)
{
    *result = NULL;
    struct device *dev = aligned_alloc(_Alignof(struct device), sizeof *dev);
    if (dev == NULL)
        return fail_memory(e, "device", sizeof *dev);
    *dev = (struct device){.shard = shard};
    dev->locals = options->locals;
    dev->means.budget = options->budget;
    dev->means.probes = probes_best();
    dev->means.deepest = options->deepest;
    find_even_rows(dev);
    dev->threads = useful_threads(dev, options->threads);
    dev->parents = options->parents;
    dev->notes.counts_probes = options->probes;
    dev->delegates.longest = longest_row(&shard->degrees.delegates);
    dev->normals.longest = longest_row(&shard->degrees.locals);
    dev->costs.graph = cost_graph_of(shard, &cost_rates_cpu);
    dev->costs.graph.rates.masks += dev->threads > 2 ? cost_rates_cpu.mask_thread * (dev->threads - 2) : 0;
    dev->per_thread.bitmap_words = bitmap_words(shard, dev->threads);
    size_bins_and_lists(dev);
    if (pool_open(&dev->means.pool, dev->threads, e) != ST_OK || take_arrays(dev, options->shared, e) != ST_OK) {
        cpu_close(dev);
        return e->status;
    }
    if (description != NULL)
        *description = describe(shard);
    *result = dev;
    return ST_OK;
}

/* Returns the bytes that a device will charge to the budget, with answers: input ids by vertex, vertex numbers by
 * value, and values. Does not count what peers read, nor bins and lists of threads, which only use a part of the memory
 * that is left. */
uint64_t cpu_bytes_needed(const struct shard *shard, int threads, int parents)
{
    struct device dev = {.shard = shard, .threads = threads, .parents = parents};
    dev.per_thread.bitmap_words = bitmap_words(shard, threads);
    struct cpu_array list[MOST_ARRAYS];
    int count = list_arrays(&dev, list);
    uint64_t vertices = shard->d + shard->locals, slots = shard->n / shard->p + 1;
    uint64_t value = parents ? answer_id_bytes(shard->n) : 4;
    uint64_t bytes = (parents ? 12 : 8) * vertices + (4 + value) * slots;
    for (int i = 0; i < count; i++)
        bytes += list[i].count * list[i].width;
    return bytes;
}

/* ---- the table ---- */

const struct backend backend_cpu = {
    .name = "cpu",
    .reads_host_columns = 1,
    .knows_costs = 1,
    .counts_probes = 1,
    .fused_roots = UINT64_MAX,
    .part_rows = 1 << 12,
    .open = cpu_open,
    .close = cpu_close,
    .bytes_needed = cpu_bytes_needed,
    .show = cpu_show,
    .join = cpu_join,
    .reach = cpu_reach,
    .hear = cpu_hear,
    .wake = cpu_wake,
    .search_begin = cpu_search_begin,
    .search_end = cpu_search_end,
    .replay_levels = cpu_replay_levels,
    .start = cpu_start,
    .previsit = cpu_previsit,
    .counts = cpu_counts,
    .count_edges = cpu_count_edges,
    .visit = cpu_visit,
    .finish = cpu_finish,
    .take_buffer = cpu_take_buffer,
    .release_buffer = cpu_release_buffer,
    .pin = cpu_pin,
    .unpin = cpu_unpin,
    .uniquify = cpu_uniquify,
    .copy_vertices = cpu_copy_vertices,
    .is_over = cpu_is_over,
    .receive = cpu_receive,
    .receive_peers = cpu_receive_peers,
    .read_masks = cpu_read_masks,
    .know_mask = cpu_know_mask,
    .take_mask = cpu_take_mask,
    .learn_sources = cpu_learn_sources,
    .show_frontier = cpu_show_frontier,
    .take_frontier = cpu_take_frontier,
    .answers = &cpu_answers,
};
