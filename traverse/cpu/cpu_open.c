/* cpu_open.c: the CPU backend: its tables (backend.h), and the memory of a device
 *
 * The backend serves hosts without a GPU. It is also the reference for the kernels of the GPU: each kernel
 * has a twin here that finds the same vertices.
 */
#include "cpu_bins.h"
#include "cpu_device.h"


#include <stdlib.h>
#include <string.h>

/* An array of a device: the place of its address, and its size. */
struct cpu_array {
    void **at;
    uint64_t count, width;
    const char *name;
};

enum { MOST_ARRAYS = 24 };

/* Every array of the device. Returns how many there are. */
static int list_arrays(struct device *dev, struct cpu_array list[MOST_ARRAYS])
{
    struct cpu_delegates *d = &dev->delegates;
    struct cpu_normals *n = &dev->normals;
    uint64_t delegates = dev->shard->d, words_d = mask_words(delegates);
    uint64_t locals = dev->shard->locals, words_n = mask_words(locals);
    uint64_t values = locals + delegates + 1; /* of vertices, and one of no vertex */
    uint64_t rows = most_rows(dev), threads = (uint64_t)dev->threads;
    uint64_t lists = dev->shard->p == 1 ? list_capacity(delegates) : 0;
    const struct cpu_array arrays[] = {
        {(void **)&d->visited, words_d, 8, "visited delegates"},
        {(void **)&d->incoming, words_d, 8, "reduced delegate mask"},
        {(void **)&d->frontier, words_d, 8, "delegate frontier"},
        {(void **)&d->fresh, lists > words_d ? lists : words_d, 4, "delegate frontier list"},
        {(void **)&d->next, lists, 4, "next delegate frontier list"},
        {(void **)&n->visited, words_n, 8, "visited vertices"},
        {(void **)&n->pulled, words_n, 8, "pulled frontier"},
        {(void **)&n->pulled_next, words_n, 8, "next pulled frontier"},
        {(void **)&n->queue, list_capacity(locals), 4, "frontier queue"},
        {(void **)&n->next, list_capacity(locals), 4, "next frontier queue"},
        {(void **)&n->depth, values, 4, "depths"},
        {(void **)&n->parent, dev->parents ? values : 0, 4, "parents"},
        {(void **)&dev->push.rows, rows, 4, "push rows"},
        {(void **)&dev->push.from, 2 * list_capacity(rows), 4, "parents of a push"},
        {(void **)&dev->region.seen, threads * dev->region.seen_words, 8, "marks of threads"},
        {(void **)&dev->region.lists, threads * dev->region.list_bytes, 1, "lists of threads"},
        {(void **)&dev->region.bins, threads * dev->region.bin_bytes, 1, "bins of threads"},
        {(void **)&dev->traffic.bins.of, threads * dev->shard->p, sizeof(struct bin), "bins"},
        {(void **)&d->updated, words_d, 8, "updated delegates"}};
    /* with several shards the last one is shown to peers */
    int count = (int)(sizeof arrays / sizeof *arrays) - (dev->shard->p > 1);
    for (int i = 0; i < count; i++)
        list[i] = arrays[i];
    return count;
}

/* Bytes of each thread for bins (of a parallel region, or of parents: cpu_marks.c) or for lists of a parallel region. 0 if those of all threads
 * would take more than an eighth of the memory left. */
static uint64_t bytes_if_small(const struct device *dev, uint64_t bytes)
{
    return (uint64_t)dev->threads * bytes <= memory_left(dev->means.budget) / 8 ? bytes : 0;
}

/* A thread puts a vertex into a bin once in a level, with its parent if parents are recorded. */
static uint64_t bin_bytes(const struct device *dev)
{
    enum { BEGUN = 256 }; /* chunks that are not full, and those around them */
    uint64_t vertices = dev->shard->d + dev->shard->locals;
    vertices = vertices < MOST_BINNED ? vertices : (uint64_t)MOST_BINNED;
    int wanted = dev->parents || (dev->shard->p == 1 && dev->threads > 1);
    return wanted ? bytes_if_small(dev, (BEGUN + vertices * (dev->parents ? 8 : 4) / 4000) * CHUNK_BYTES) : 0;
}

/* Lists of two levels, and parents of one (cpu_region.c). */
static uint64_t list_bytes(const struct device *dev)
{
    uint64_t places = region_list_capacity(dev->shard->d) + region_list_capacity(dev->shard->locals);
    int wanted = dev->shard->p == 1 && dev->threads > 1;
    return wanted ? bytes_if_small(dev, places * (dev->parents ? 12 : 8)) : 0;
}

/* Words of marks of one thread: whole lines of a cache. Marks for other shards are worth it if threads
 * take no more of them than nn's columns do. */
static uint64_t seen_words(const struct shard *shard, int threads)
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

static enum status take_arrays(struct device *dev, struct error *e)
{
    struct cpu_array list[MOST_ARRAYS];
    int count = list_arrays(dev, list);
    for (int i = 0; i < count && e->status == ST_OK; i++)
        memory_take(dev->means.budget, list[i].at, list[i].count, list[i].width, list[i].name, e);
    return e->status;
}

/* Asks for large pages for arrays that are read and written at random. */
static void advise_arrays(struct device *dev)
{
    memory_advise_huge(dev->region.bins);
    memory_advise_huge(dev->region.lists);
    memory_advise_huge(dev->normals.depth);
    memory_advise_huge(dev->normals.parent);
}

/* The degree of the first vertex: they are in the order of descending degrees. */
static uint64_t longest_row(const struct degree_list *degrees)
{
    return degrees->count > 0 ? degrees->runs[0].degree : 0;
}

/* Depths and parents of delegates come behind those of normals, and then those of no vertex. */
static void place_values(struct device *dev)
{
    uint64_t locals = dev->shard->locals, vertices = locals + dev->shard->d;
    dev->delegates.depth = dev->normals.depth + locals;
    dev->normals.depth[vertices] = DEPTH_UNREACHED;
    if (!dev->parents)
        return;
    dev->delegates.parent = dev->normals.parent + locals;
    dev->normals.parent[vertices] = PARENT_NONE;
}

static void touch_values(void *context, uint64_t begin, uint64_t end)
{
    const struct device *dev = context;
    memset(dev->normals.depth + begin, 0, (end - begin) * sizeof(int32_t));
    if (dev->parents)
        memset(dev->normals.parent + begin, 0, (end - begin) * sizeof(uint32_t));
}

/* Touches values by the threads of a search, before the first search: a page is given to a process when it is first
 * written, by the node of the thread that writes. */
static void touch_arrays(struct device *dev)
{
    uint64_t vertices = dev->shard->locals + dev->shard->d;
    pool_for(dev->means.pool, threads_for(dev, vertices), vertices, 64 * CLEAR_WORDS, touch_values, dev);
}

/* A search of EDGES_OF_TWO edges takes about 20 us: one thread is enough. Graphs of 300,000 to 450,000 edges
 * were fastest with 4 of 4, 8, 12 and 14 threads, 1 million with 8, 2 million with all. */
static int useful_threads(const struct shard *shard, int threads)
{
    enum { EDGES_OF_TWO = 1 << 15, EDGES_OF_MORE = 1 << 17 };
    uint64_t edges = shard_edges(shard), most = 1 + (edges >= EDGES_OF_TWO) + edges / EDGES_OF_MORE;
    return most < (uint64_t)threads ? (int)most : threads;
}

void cpu_close(struct device *dev)
{
    if (dev == NULL)
        return;
    struct cpu_array list[MOST_ARRAYS];
    int count = list_arrays(dev, list);
    uint64_t bins = (uint64_t)dev->threads * dev->shard->p;
    for (uint64_t i = 0; dev->traffic.bins.of != NULL && i < bins; i++) {
        const struct bin *bin = &dev->traffic.bins.of[i];
        memory_discharge(dev->means.budget, bin->capacity * sizeof *bin->ids);
        free(bin->ids);
    }
    for (int i = 0; i < count; i++)
        memory_release(dev->means.budget, *list[i].at);
    cpu_close_answers(dev);
    pool_close(dev->means.pool);
    free(dev->notes.levels.level);
    cpu_leave(dev);
    release_shown(dev);
    free(dev);
}

enum status cpu_open(struct device **result, const struct shard *shard, const struct device_options *options,
                     struct error *e)
{
    *result = NULL;
    struct device *dev = calloc(1, sizeof *dev);
    if (dev == NULL)
        return fail_memory(e, "device", sizeof *dev);
    dev->shard = shard;
    dev->locals = options->locals;
    dev->means.budget = options->budget;
    dev->threads = useful_threads(shard, options->threads);
    dev->parents = options->parents;
    dev->costs.graph = cost_graph_of(shard, &cost_rates_cpu);
    dev->costs.graph.rates.masks += dev->threads > 2 ? cost_rates_cpu.mask_thread * (dev->threads - 2) : 0;
    dev->delegates.longest = longest_row(&shard->degrees.delegates);
    dev->normals.longest = longest_row(&shard->degrees.locals);
    dev->means.probes = probes_best();
    dev->region.bin_bytes = bin_bytes(dev);
    dev->region.list_bytes = dev->region.bin_bytes > 0 ? list_bytes(dev) : 0;
    dev->region.seen_words = seen_words(shard, dev->threads);
    dev->means.deepest = options->deepest;
    dev->notes.counts_probes = options->probes;
    if (pool_open(&dev->means.pool, dev->threads, e) != ST_OK || take_arrays(dev, e) != ST_OK ||
        take_shown(dev, options->shared, e) != ST_OK) {
        cpu_close(dev);
        return e->status;
    }
    advise_arrays(dev);
    place_values(dev);
    touch_arrays(dev);
    find_even_rows(dev);
    *result = dev;
    return ST_OK;
}

void cpu_describe(const struct device *dev, struct device_description *d)
{
    *d = (struct device_description){.resident = RESIDENT_RAW};
    for (int g = 0; g < shard_row_sets(dev->shard); g++) {
        if (dev->shard->csr[g].packed.words != NULL)
            d->resident = RESIDENT_PACKED;
    }
    d->bytes = residence_bytes(dev->shard, d->resident);
}

uint64_t cpu_pci_address(uint32_t slot)
{
    (void)slot;
    return 0;
}

/* Bytes without a parallel region, which takes what is left. Answers: by vertex, and the values. */
uint64_t cpu_bytes_needed(const struct shard *shard, int threads, int parents)
{
    struct device dev = {.shard = shard, .threads = threads, .parents = parents};
    dev.region.seen_words = seen_words(shard, threads);
    struct cpu_array list[MOST_ARRAYS];
    int count = list_arrays(&dev, list);
    uint64_t vertices = shard->d + shard->locals, slots = shard->n / shard->p + 1;
    uint64_t value = parents ? answer_id_bytes(shard->n) : 4;
    uint64_t bytes = (parents ? 12 : 8) * vertices + (4 + value) * slots;
    for (int i = 0; i < count; i++)
        bytes += list[i].count * list[i].width;
    return bytes;
}


enum { PART_ROWS = 1 << 12 };

const struct backend backend_cpu = {
    .name = "cpu",
    .reads_host_columns = 1,
    .knows_costs = 1,
    .counts_probes = 1,
    .part_rows = PART_ROWS,
    .open = cpu_open,
    .close = cpu_close,
    .describe = cpu_describe,
    .bytes_needed = cpu_bytes_needed,
    .pci_address = cpu_pci_address,
    .show = cpu_show,
    .join = cpu_join,
    .wake = cpu_wake,
    .leave = cpu_leave,
    .can_search_fused = cpu_can_search_fused,
    .search_begin = cpu_search_begin,
    .search_end = cpu_search_end,
    .replay_levels = cpu_replay_levels,
    .start = cpu_start,
    .previsit = cpu_previsit,
    .counts = cpu_counts,
    .count_forward = cpu_count_forward,
    .show_frontier = cpu_show_frontier,
    .visit = cpu_visit,
    .finish_delegates = cpu_finish_delegates,
    .finish = cpu_finish,
    .keep_updates = cpu_keep_updates,
    .previsit_ahead = cpu_previsit_ahead,
    .visit_ahead = cpu_visit_ahead,
    .is_busy = cpu_is_busy,
    .exchange_take = cpu_exchange_take,
    .exchange_release = cpu_exchange_release,
    .host_take = cpu_host_take,
    .host_release = cpu_host_release,
    .outgoing = cpu_outgoing,
    .drop_repeated = cpu_drop_repeated,
    .take_outgoing = cpu_take_outgoing,
    .or_outgoing = cpu_or_outgoing,
    .record_copies = cpu_record_copies,
    .copies_are_over = cpu_copies_are_over,
    .uniquify = cpu_uniquify,
    .receive = cpu_receive,
    .receive_peers = cpu_receive_peers,
    .read_masks = cpu_read_masks,
    .read_mask_words = cpu_read_mask_words,
    .know_mask = cpu_know_mask,
    .take_mask = cpu_take_mask,
    .take_mask_words = cpu_take_mask_words,
    .learn_sources = cpu_learn_sources,
    .count_frontiers = cpu_count_frontiers,
    .frontier_words = cpu_frontier_words,
    .read_frontier = cpu_read_frontier,
    .write_frontier = cpu_write_frontier,
    .results = &cpu_results,
    .parents = &cpu_parents,
};
