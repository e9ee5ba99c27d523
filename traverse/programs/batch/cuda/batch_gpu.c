/* batch_gpu.c: searches from a batch of roots on a GPU, as a struct batch_backend (batch_search.h)
 *
 * One kernel runs many levels (cuda_batch_levels), and the host then takes the counts of one level after the other from its log. If
 * distances are noted, a kernel runs one level, and the host copies the words of the level from the GPU. If ranks divide the graph, the
 * host launches a kernel for each step of a level, and passes words on between them. */
#include "batch_gpu_ranks.h"

#include "traverse/programs/batch/batch_choose.h"

#include "formats/base/arith.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* GATHERED: number of 64-bit words of listed vertices that are copied to the host at a time, at most. */
enum { GATHERED = 1 << 18 };

struct batch_search {
    const struct joined_graph *graph;
    struct gpu_batch gpu;
    struct joined_gpu on;          /* the GPU with the graph on it; owns all device memory */
    struct batch_gpu_ranks *ranks; /* what the ranks that divide the graph exchange; NULL: this rank has all shards */
    struct gpu_batch_log *log;     /* device memory */
    struct gpu_batch_log *levels;  /* memory of the host: copy of the log, with the counts of the last launch */
    uint32_t at;                   /* index in levels->level of the last level that the caller has got */
    struct gpu_batch_level *level; /* the counts of that level, in *levels */
    uint32_t most_ahead;           /* number of levels that a launch may run */
    uint64_t most_levels;          /* as in struct batch_run */
    uint32_t count;                /* number of roots of the batch */
    int blocks;                    /* cuda_batch_levels_blocks */
    uint64_t *gathered;            /* [gathered_words] device memory: words of listed vertices, in the order of the list */
    /* [vertices and ghosts] device memory: briefs of the frontier words (0) and next words (1); unused with one word per vertex */
    uint32_t *brief[2];
    /* Memory of the host, allocated when a level is first shown. batch_depths_note reads `shown` and `shown_list`. */
    uint64_t *shown;               /* [noted vertices][words] the frontier words */
    uint64_t *shown_gathered;      /* [gathered_words] copy of `gathered` */
    uint32_t *shown_list;          /* [vertices and ghosts] the vertices of a sparse frontier */
};

/* Returns the number of vertices and ghosts. */
static uint64_t all_vertices(const struct batch_search *s)
{
    return s->graph->vertices + joined_ghosts_count(&s->graph->ghosts);
}

/* Returns the number of bytes of an array of words for all vertices and ghosts, such as s->gpu.seen. */
static uint64_t word_bytes(const struct batch_search *s)
{
    return all_vertices(s) * (uint64_t)s->gpu.words * 8;
}

/* Returns the number of words that s->gathered has room for. */
static uint64_t gathered_words(const struct batch_search *s)
{
    return smaller(GATHERED, all_vertices(s) * (uint64_t)s->gpu.words);
}

/* Returns how long a short row to pull may be. A warp pulls along 32 short rows, so in a small graph the pass over all vertices would wait
 * for the longest of them. In a large graph more rows are short, as each piece of a long row takes a warp. */
static uint64_t longest_short_row(uint64_t edges)
{
    const uint64_t share = edges >> 18;
    return share < BATCH_LEAST_SHORT ? BATCH_LEAST_SHORT : smaller(share, BATCH_MOST_SHORT);
}

/* Cuts the long rows to pull, of more than `short_row` columns, into pieces of BATCH_PULL_PIECE columns. Writes the
 * pieces to `to`, unless `to` is NULL. Returns the number of pieces. */
static uint64_t cut_long_rows(const struct joined_graph *graph, uint64_t short_row, struct gpu_batch_piece *to)
{
    const uint64_t *offsets = graph->pull->offsets;
    uint64_t pieces = 0;
    for (uint64_t v = 0; v < graph->vertices; v++) {
        uint64_t edges = offsets[v + 1] - offsets[v];
        for (uint64_t at = 0; edges > short_row && at < edges; at += BATCH_PULL_PIECE, pieces++) {
            if (to != NULL)
                to[pieces] = (struct gpu_batch_piece){(uint32_t)v, (uint32_t)(at / BATCH_PULL_PIECE)};
        }
    }
    return pieces;
}

/* Returns the first number from which on no vertex is a hub, as vertices have descending degrees if there is one shard. Ghosts may be hubs
 * of other ranks. */
static uint64_t end_of_hubs(const struct joined_graph *graph)
{
    const uint64_t *offsets = graph->pull->offsets;
    uint64_t v = graph->vertices;
    if (joined_graph_is_divided(graph))
        return v + joined_ghosts_count(&graph->ghosts);
    while (v > 0 && offsets[v] - offsets[v - 1] <= BATCH_FEW)
        v--;
    return v;
}

/* An array of device memory: the address of its pointer, and its elements. */
struct device_array {
    void *pointer;
    uint64_t count, width;
};

/* Sets array[ARRAYS] to the device memory of a search, without the graph and without messages. Returns its bytes. */
enum { ARRAYS = 12 };
static uint64_t list_arrays(struct batch_search *s, struct device_array array[ARRAYS])
{
    struct gpu_batch *gpu = &s->gpu;
    const uint64_t all = all_vertices(s), width = 8 * (uint64_t)gpu->words, briefs = gpu->words > 1 ? all : 0;
    const struct device_array arrays[ARRAYS] = {
        {&gpu->long_rows, gpu->long_pieces, sizeof *gpu->long_rows},
        {&gpu->seen, all, width},
        {&gpu->now, all, width},
        {&gpu->next, all, width},
        {&gpu->listed, all / 32 + 1, 4},
        {&gpu->list, all, 4},
        {&gpu->pieces, s->graph->vertices + s->graph->push->edges / BATCH_PUSH_PIECE, sizeof *gpu->pieces},
        {&gpu->frontier, all, 4},
        {&s->log, 1, sizeof *s->log},
        {&s->brief[0], briefs, 4},
        {&s->brief[1], briefs, 4},
        {&s->gathered, gathered_words(s), 8}};
    uint64_t bytes = 0;
    memcpy(array, arrays, sizeof arrays);
    for (int i = 0; i < ARRAYS; i++)
        bytes += arrays[i].count * arrays[i].width;
    return bytes;
}

/* Allocates all memory of a search except the graph and messages: device memory, and s->levels on the host. Fills in the pieces of
 * long rows. batch_gpu_close frees everything, even after a failure. */
static enum status take_memory(struct batch_search *s, const struct device_array array[ARRAYS], struct error *e)
{
    struct gpu_batch *gpu = &s->gpu;
    const uint64_t bytes = gpu->long_pieces * sizeof *gpu->long_rows;
    struct gpu_batch_piece *long_rows = bytes > 0 && e->status == ST_OK ? malloc(bytes) : NULL;
    if (bytes > 0 && e->status == ST_OK && long_rows == NULL)
        fail_memory(e, "pieces of rows", bytes);
    for (int i = 0; i < ARRAYS; i++)
        joined_gpu_take(&s->on, array[i].pointer, array[i].count, array[i].width, e);
    if (e->status == ST_OK && long_rows != NULL) {
        cut_long_rows(s->graph, gpu->short_row, long_rows);
        joined_gpu_copy(&s->on, (void *)gpu->long_rows, long_rows, bytes, e);
    }
    free(long_rows);
    if (e->status == ST_OK)
        CUDA_TRY(cudaMallocHost((void **)&s->levels, sizeof *s->levels), s->on.where, e);
    if (e->status == ST_OK) {
        s->level = s->levels->level;
        gpu->level = s->log->level;
    }
    joined_gpu_clear(&s->on, gpu->listed, (all_vertices(s) / 32 + 1) * 4, e);
    return e->status;
}

/* Zeroes the seen words and the counts of the first level for a new batch. If `both` is 1, also zeroes the frontier and next words,
 * which are zero already if the last frontier was an empty list. Does not wait for the GPU. */
static void clear_words(struct batch_search *s, int both, struct error *e)
{
    joined_gpu_clear(&s->on, s->gpu.seen, word_bytes(s), e);
    if (both) {
        joined_gpu_clear(&s->on, s->gpu.now, word_bytes(s), e);
        joined_gpu_clear(&s->on, s->gpu.next, word_bytes(s), e);
    }
    joined_gpu_clear(&s->on, s->log->level, sizeof *s->log->level, e);
}

/* Opens the search as batch_gpu_open does, but for what is collective: copies the graph to the GPU, and allocates all memory. */
static enum status open_on_gpu(struct batch_search *s, const struct batch_setup *setup, struct error *e)
{
    struct device_array array[ARRAYS];
    uint64_t bytes = 0;
    s->gpu.vertices = s->gpu.pull_end = s->graph->vertices;
    s->gpu.noted = s->graph->noted;
    s->gpu.words = setup->words;
    s->gpu.short_row = longest_short_row(s->graph->pull->edges);
    s->gpu.long_pieces = cut_long_rows(s->graph, s->gpu.short_row, NULL);
    s->gpu.hubs = end_of_hubs(s->graph);
    if (joined_graph_is_divided(s->graph)) {
        s->ranks = zeroed(1, sizeof *s->ranks, "search", e);
        if (s->ranks == NULL || batch_gpu_ranks_open(s->ranks, s->graph, setup->words, &s->on, &bytes, e) != ST_OK)
            return e->status;
    }
    bytes += list_arrays(s, array);
    if (joined_gpu_open(&s->on, s->graph, setup->comm, bytes, e) != ST_OK)
        return e->status;
    s->gpu.push = s->on.push;
    s->gpu.pull = s->on.pull;
    if (take_memory(s, array, e) == ST_OK && s->ranks != NULL)
        batch_gpu_ranks_take(s->ranks, e);
    return e->status;
}

/* Launches the kernels of single steps, as batch_gpu_open says. No vertex is active and all words are zero, so they find nothing. */
static void load_steps(struct batch_search *s, struct error *e)
{
    cuda_batch_push(&s->gpu, 0, s->on.stream);
    cuda_batch_scatter(&s->gpu, 0, s->on.stream);
    cuda_batch_clear(&s->gpu, s->gpu.now, s->gpu.pieces, 0, s->on.stream);
    s->gpu.next_brief = s->brief[1];
    cuda_batch_pull(&s->gpu, s->on.stream);
    cuda_batch_list(&s->gpu, s->on.stream);
    batch_gpu_ranks_load(s->ranks, &s->gpu, e);
}

/* Opens *search on the GPU of the rank: copies the graph to the GPU, and allocates all device memory. Launches each kernel
 * once without work, because CUDA loads a kernel at its first launch, and searches must not wait for this. Collective if ranks divide
 * the graph. The caller calls batch_gpu_close even after a failure. */
static enum status batch_gpu_open(struct batch_search **search, const struct joined_graph *graph,
                                  const struct batch_setup *setup, struct error *e)
{
    struct batch_search *s = *search = calloc(1, sizeof *s);
    if (s == NULL)
        fail_memory(e, "search", sizeof *s);
    else
        s->graph = graph;
    if (comm_agree(graph->ghosts.comm, e) != ST_OK)
        return e->status;
    if (open_on_gpu(s, setup, e) == ST_RESOURCE) {
        const size_t used = strlen(e->text);
        snprintf(e->text + used, sizeof e->text - used, "; a smaller --batch takes less, and so do more %s, each with a GPU%s",
                 s->ranks != NULL ? "shards and ranks" : "ranks", s->ranks != NULL ? "" : ", that divide the graph (--distribute)");
    }
    if (e->status == ST_OK)
        clear_words(s, 1, e);
    if (comm_agree(graph->ghosts.comm, e) != ST_OK)
        return e->status;
    s->blocks = cuda_batch_levels_blocks(&s->gpu);
    cuda_batch_roots(&s->gpu, s->log->roots, 0, s->on.stream);
    cuda_batch_take_list(&s->gpu, 0, s->on.stream);
    const struct gpu_batch_walk no_levels = {.b = s->gpu, .log = s->log, .blocks = s->blocks};
    if (s->ranks != NULL)
        load_steps(s, e);
    else
        CUDA_TRY(cuda_batch_levels(&no_levels, s->on.stream), s->on.where, e);
    return CUDA_LAUNCHED(s->on.where, e) == ST_OK ? joined_gpu_wait(&s->on, e) : e->status;
}

/* Frees all memory of a search, on the GPU and on the host. `s` may be NULL, or opened in part. */
static void batch_gpu_close(struct batch_search *s)
{
    if (s == NULL)
        return;
    cudaFreeHost(s->levels);
    if (s->ranks != NULL)
        batch_gpu_ranks_close(s->ranks);
    free(s->ranks);
    joined_gpu_close(&s->on);
    memory_release(s->graph->budget, s->shown);
    memory_release(s->graph->budget, s->shown_gathered);
    memory_release(s->graph->budget, s->shown_list);
    free(s);
}

/* Copies the frontier words of the vertices that this rank notes to the host, and sets level->found to the copy. If the frontier is
 * sparse, also copies its list, and sets level->list and level->count. Then only the words of listed vertices are copied, and all other
 * words in level->found are old. The first call allocates memory of the host, within the budget. */
static void copy_frontier(struct batch_search *s, const struct batch_levels *l, struct batch_level *level, struct error *e)
{
    struct memory_budget *budget = s->graph->budget;
    const uint64_t noted = s->graph->noted, vertices = s->graph->vertices - noted, W = (uint64_t)s->gpu.words, step = GATHERED / W;
    if (s->shown_list == NULL &&
        (memory_take(budget, (void **)&s->shown, vertices * W, 8, "words of a level", e) != ST_OK ||
         memory_take(budget, (void **)&s->shown_gathered, gathered_words(s), 8, "words of a level", e) != ST_OK ||
         memory_take(budget, (void **)&s->shown_list, all_vertices(s), 4, "frontier of a batch", e) != ST_OK))
        return;
    level->found = s->shown;
    level->count = vertices;
    if (!l->is_sparse) {
        joined_gpu_copy(&s->on, s->shown, s->gpu.now + noted * W, vertices * W * 8, e);
        return;
    }
    level->list = s->shown_list;
    level->count = 0;
    joined_gpu_copy(&s->on, s->shown_list, s->gpu.list, s->level->listed * 4, e);
    for (uint64_t first = 0; first < s->level->listed && e->status == ST_OK; first += step) {
        const uint64_t part = smaller(s->level->listed - first, step);
        cuda_batch_gather(&s->gpu, first, part, s->gathered, s->on.stream);
        if (CUDA_LAUNCHED(s->on.where, e) != ST_OK ||
            joined_gpu_copy(&s->on, s->shown_gathered, s->gathered, part * W * 8, e) != ST_OK)
            return;
        for (uint64_t i = 0; i < part; i++) {
            const uint64_t v = s->shown_list[first + i];
            if (v < noted || v >= s->graph->vertices) /* another rank notes it */
                continue;
            memcpy(s->shown + (v - noted) * W, s->shown_gathered + i * W, W * 8);
            s->shown_list[level->count++] = (uint32_t)(v - noted);
        }
    }
}

/* Gives those who note distances the frontier that the last level has found (batch_backend.show). l->found has the counts of all ranks. If
 * ranks divide the graph, level->found_by becomes the counts of the vertices that this rank notes. */
static void show(struct batch_search *s, const struct batch_levels *l, struct batch_level *level, struct error *e)
{
    copy_frontier(s, l, level, e);
    if (s->ranks == NULL)
        return;
    batch_gpu_ranks_abort_if_failed(s->ranks, e);
    level->found_by = s->ranks->messages.here;
}

/* Makes the words that a level has found the frontier words. */
static void turn_words(struct gpu_batch *gpu)
{
    uint64_t *words = gpu->now;
    gpu->now = gpu->next;
    gpu->next = words;
}

/* Copies the counts of the level *s->level into l->found. */
static void take_counts(const struct batch_search *s, struct batch_levels *l)
{
    l->found = (struct batch_found){.vertices = s->level->vertices, .edges = s->level->edges, .read = s->level->read,
                                    .pull_edges_left = s->level->pull_edges_left};
    for (int r = 0; r < BATCH_MOST; r++) {
        l->found.count[r] = s->level->count[r];
        l->found.weight[r] = s->level->weight[r];
    }
}

/* Ends a level of ranks that divide the graph, or the start of a batch: waits for the GPU, and takes the counts. With such ranks, l->found
 * becomes the sum over all of them, and a failure ends the job. Does nothing if *e has failed before. */
static void end_level(struct batch_search *s, struct batch_levels *l, struct error *e)
{
    if (e->status == ST_OK && CUDA_LAUNCHED(s->on.where, e) == ST_OK)
        joined_gpu_copy(&s->on, s->level, s->gpu.level, sizeof *s->level, e);
    if (s->ranks != NULL)
        batch_gpu_ranks_abort_if_failed(s->ranks, e);
    if (e->status != ST_OK)
        return;
    turn_words(&s->gpu);
    take_counts(s, l);
    if (s->ranks != NULL)
        batch_messages_sum(&s->ranks->messages, &l->found);
}

/* ---- many levels in one kernel ---- */

/* Launches the kernel of many levels, from the frontier whose counts are level s->at of the log, and copies the log of its levels to
 * s->levels. `sparse` is 1 if the frontier is a list. */
static void run_ahead(struct batch_search *s, const struct batch_levels *l, int sparse, struct error *e)
{
    const uint64_t left = s->most_levels > 0 ? s->most_levels - 1 - l->depth : BATCH_LOGGED;
    struct gpu_batch_walk walk = {.b = s->gpu, .brief = {s->brief[0], s->brief[1]}, .log = s->log, .pull_edges_left = l->pull_edges_left,
                                  .push_cost = batch_cuda.push_cost, .list_cost = batch_cuda.list_cost,
                                  .all_vertices = s->graph->all_vertices,
                                  .mean_edges = batch_mean_edges(s->graph->push->all_edges, s->graph->all_vertices),
                                  .words_of = all_vertices(s),
                                  .roots = s->count, .most_levels = (uint32_t)smaller(left, s->most_ahead), .is_sparse = sparse,
                                  .blocks = s->blocks};
    const size_t head = offsetof(struct gpu_batch_log, level), first = 1 + smaller(BATCH_FIRST_COPIED, walk.most_levels);
    memcpy(walk.edges_left, l->edges_left, sizeof walk.edges_left);
    if (s->at > 0)
        joined_gpu_begin_copy(&s->on, s->log->level, &s->log->level[s->at], sizeof *s->log->level, e);
    joined_gpu_clear(&s->on, s->log, 2 * sizeof(uint32_t), e);
    joined_gpu_clear(&s->on, &s->log->level[1], walk.most_levels * sizeof *s->log->level, e);
    if (e->status == ST_OK && CUDA_TRY(cuda_batch_levels(&walk, s->on.stream), s->on.where, e) == ST_OK)
        joined_gpu_copy(&s->on, s->levels, s->log, head + first * sizeof *s->log->level, e);
    if (e->status == ST_OK && s->levels->levels >= first)
        joined_gpu_copy(&s->on, &s->levels->level[first], &s->log->level[first],
                        (s->levels->levels + 1 - first) * sizeof *s->log->level, e);
    s->at = 0;
}

/* Takes the next level from the log, after more levels were run if it has no more. Changes places of arrays as the kernel did. The
 * kernel has chosen the kind of the level by the rules by which the caller chose it. */
static void take_level(struct batch_search *s, int sparse, struct batch_levels *l, struct error *e)
{
    if (s->at == s->levels->levels)
        run_ahead(s, l, l->is_sparse, e);
    if (e->status != ST_OK)
        return;
    const unsigned long long begin_ns = s->levels->level[s->at].end_ns;
    s->level = &s->levels->level[++s->at];
    if (s->at > s->levels->levels || (int)s->level->is_sparse != sparse || memcmp(s->level->pulls, l->pulls, sizeof l->pulls) != 0) {
        fail(e, ST_RUNTIME, "%s: level %" PRIu64 " of a batch was run otherwise than chosen: a fault of dbfs", s->on.where, l->depth + 1);
        return;
    }
    turn_words(&s->gpu);
    take_counts(s, l);
    l->found.seconds = 1e-9 * (double)(s->level->end_ns - begin_ns);
    if (sparse) {
        uint32_t *list = s->gpu.list;
        s->gpu.list = s->gpu.frontier;
        s->gpu.frontier = list;
    } else {
        uint32_t *brief = s->brief[0];
        s->brief[0] = s->brief[1];
        s->brief[1] = brief;
    }
}

/* Forgets the last batch, and makes the roots of *run the frontier, as a list. Waits for the GPU, and sets l->found. If no distances are
 * noted, levels have run ahead. */
static void start(struct batch_search *s, const struct batch_run *run, struct batch_levels *l, struct error *e)
{
    for (uint32_t i = 0; i < run->count; i++)
        s->levels->roots[i] = run->roots[i] >= JOINED_ELSEWHERE ? BATCH_NO_ROOT : (uint32_t)run->roots[i];
    s->count = run->count;
    s->most_ahead = batch_run_notes_levels(run) ? 1 : BATCH_LOGGED;
    s->most_levels = run->most_levels;
    s->levels->levels = s->at = 0;
    s->level = s->levels->level;
    s->gpu.level = s->log->level;
    clear_words(s, !l->is_sparse, e);
    joined_gpu_begin_copy(&s->on, s->log->roots, s->levels->roots, run->count * sizeof *s->log->roots, e);
    if (e->status == ST_OK) {
        cuda_batch_roots(&s->gpu, s->log->roots, run->count, s->on.stream);
        cuda_batch_take_list(&s->gpu, run->count, s->on.stream);
    }
    if (s->ranks != NULL || s->most_ahead == 1) {
        end_level(s, l, e);
        return;
    }
    turn_words(&s->gpu);
    run_ahead(s, l, 1, e);
    if (e->status == ST_OK)
        take_counts(s, l);
}

/* Launches the kernels of a sparse level: they push the frontier, zero the frontier words, and list the found vertices as
 * the next frontier. Does not wait for them. If the frontier is dense, first makes a list of it, and waits for its
 * length. If ranks divide the graph, words of listed ghosts go to their owners before. */
static void visit_sparse(struct batch_search *s, const struct batch_levels *l, struct error *e)
{
    if (!l->is_sparse) {
        joined_gpu_clear(&s->on, s->gpu.next, word_bytes(s), e);
        /* zeroes only the members `listed` and `pieces` */
        joined_gpu_clear(&s->on, s->gpu.level, offsetof(struct gpu_batch_level, vertices), e);
        if (e->status != ST_OK)
            return;
        cuda_batch_list(&s->gpu, s->on.stream);
        if (CUDA_LAUNCHED(s->on.where, e) == ST_OK)
            joined_gpu_copy(&s->on, s->level, s->gpu.level, sizeof *s->level, e);
    }
    const uint64_t pieces = s->level->pieces, most = smaller(l->found.edges, all_vertices(s));
    joined_gpu_clear(&s->on, s->gpu.level, sizeof *s->gpu.level, e);
    if (e->status != ST_OK)
        return;
    if (pieces > 0)
        cuda_batch_push(&s->gpu, pieces, s->on.stream);
    cuda_batch_clear(&s->gpu, s->gpu.now, s->gpu.pieces, pieces, s->on.stream);
    batch_gpu_ranks_move_found(s->ranks, &s->gpu, most, e);
    cuda_batch_take_list(&s->gpu, most, s->on.stream);
}

/* Launches the pulls of a dense level if ranks divide the graph. Ghosts are not found here but at their owners, which get the pushed
 * bits; and what all ranks have found of a delegate is put together. */
static void pull_with_ranks(struct batch_search *s, const struct batch_levels *l, struct error *e)
{
    const uint64_t vertices = s->graph->vertices, delegates = s->graph->shards->manifest.d, words = (uint64_t)s->gpu.words;
    const int pulls = (l->pulls[0] | l->pulls[1] | l->pulls[2] | l->pulls[3]) != 0;
    if (l->pushes)
        batch_gpu_ranks_send_pushed(s->ranks, &s->gpu, e);
    if (pulls)
        batch_gpu_ranks_show_frontier(s->ranks, &s->gpu, s->gpu.brief != NULL ? s->brief[0] : NULL, e);
    cuda_batch_pull_long(&s->gpu, s->on.stream);
    s->gpu.pull_end = delegates;
    cuda_batch_pull(&s->gpu, s->on.stream);
    /* they are counted behind the reduction: other ranks may have found the same bits */
    joined_gpu_clear(&s->on, &s->gpu.level->vertices, 2 * sizeof s->gpu.level->vertices, e);
    joined_gpu_clear(&s->on, s->gpu.level->count, sizeof s->gpu.level->count + sizeof s->gpu.level->weight, e);
    batch_gpu_ranks_begin_join(s->ranks, &s->gpu, e);
    s->gpu.pull_from = delegates;
    s->gpu.pull_end = vertices;
    cuda_batch_pull(&s->gpu, s->on.stream);
    batch_gpu_ranks_end_join(s->ranks, &s->gpu, e);
    s->gpu.pull_from = 0;
    if (pulls)
        joined_gpu_clear(&s->on, s->gpu.now + vertices * words, (all_vertices(s) - vertices) * words * 8, e);
}

/* Launches the kernels of a dense level, and does not wait for them. If some roots do not pull, they push first, from a list of
 * vertices. Then the vertices pull, and also take the bits that were pushed. Pulls read briefs (batch_words.cuh) if few bits
 * are set in the frontier words. */
static void visit_dense(struct batch_search *s, const struct batch_levels *l, struct error *e)
{
    joined_gpu_clear(&s->on, s->gpu.level, sizeof *s->gpu.level, e);
    if (e->status != ST_OK)
        return;
    s->gpu.is_pushed = l->pushes;
    s->gpu.brief = s->gpu.words > 1 && !l->is_sparse && batch_reads_briefs(l->finds, l->found.vertices) ? s->brief[0] : NULL;
    s->gpu.next_brief = s->brief[1];
    if (l->pushes && !l->is_sparse) {
        joined_gpu_clear(&s->on, s->gpu.next, word_bytes(s), e);
        cuda_batch_list(&s->gpu, s->on.stream);
    }
    if (l->pushes)
        cuda_batch_scatter(&s->gpu, l->is_sparse ? s->level->pieces : BATCH_AS_LISTED, s->on.stream);
    else
        cuda_batch_clear(&s->gpu, s->gpu.next, s->gpu.long_rows, s->gpu.long_pieces, s->on.stream);
    pull_with_ranks(s, l, e);
    s->brief[1] = s->brief[0];
    s->brief[0] = s->gpu.next_brief;
}

/* Runs one level, and waits for its end. The found vertices become the frontier. Sets l->found, and after a dense level
 * l->pull_edges_left. */
static void visit(struct batch_search *s, int sparse, struct batch_levels *l, struct error *e)
{
    if (s->ranks == NULL) {
        take_level(s, sparse, l, e);
    } else {
        memcpy(s->gpu.active, l->active, sizeof s->gpu.active);
        memcpy(s->gpu.pulls, l->pulls, sizeof s->gpu.pulls);
        if (sparse)
            visit_sparse(s, l, e);
        else
            visit_dense(s, l, e);
        end_level(s, l, e);
    }
    l->pull_edges_left = sparse ? l->pull_edges_left : l->found.pull_edges_left;
}

/* ---- before the graph is opened ---- */

/* Returns about how many bytes of its GPU a rank takes that has the whole graph. All rows may be long. */
static uint64_t device_bytes(uint64_t vertices, uint64_t edges, int directed, int words)
{
    const struct joined_rows rows = {.edges = edges};
    const struct joined_graph graph = {.vertices = vertices, .push = &rows};
    struct batch_search s = {.graph = &graph, .gpu = {.words = words, .long_pieces = edges / longest_short_row(edges)}};
    struct device_array array[ARRAYS];
    return list_arrays(&s, array) + joined_gpu_row_bytes(vertices, edges) + (directed ? joined_gpu_row_bytes(vertices, 0) : 0);
}

/* Sets *bytes to what the GPU of the rank has left for it. Ranks that share a GPU have a part each. */
static enum status device_left(const struct comm *comm, uint64_t *bytes, struct error *e)
{
    const struct gpu_user user = {comm->host, comm->rank, comm->host_rank};
    char where[GPU_WHERE];
    size_t unused = 0, total = 0;
    int ordinal, gpus = 1;
    if (gpu_choose(&user, &ordinal, where, e) == ST_OK && CUDA_TRY(cudaGetDeviceCount(&gpus), where, e) == ST_OK)
        CUDA_TRY(cudaMemGetInfo(&unused, &total), where, e);
    *bytes = unused / divide_up(comm->host_ranks, (uint64_t)gpus);
    return e->status;
}

const struct batch_backend batch_cuda = {.push_cost = 2,
                                         .push_cost_alone = 2,
                                         .list_cost = 1,
                                         .open = batch_gpu_open,
                                         .close = batch_gpu_close,
                                         .start = start,
                                         .visit = visit,
                                         .show = show,
                                         .device_bytes = device_bytes,
                                         .device_left = device_left};
