/* batch_gpu.c: searches from many roots at once on a GPU, level by level: see batch_search.h
 *
 * The host launches a level, and waits for its counts. It takes the words of a level from the GPU only for a
 * watcher. */
#include "batch_kernels.h"

#include "traverse/programs/batch/batch_search.h"
#include "traverse/programs/joined/cuda/joined_gpu.h"

#include "formats/base/arith.h"

#include <stdlib.h>
#include <string.h>

/* Pulls read the words of neighbours in brief (see batch_words.cuh) if the vertices of the frontier have on average
 * fewer set bits than this. */
enum { BRIEF_MEAN = 3 };

/* 64-bit words of listed vertices that are copied to the host at a time. */
enum { GATHERED = 1 << 18 };

/* Host memory for a watcher, taken when a level is first shown. */
struct shown {
    uint64_t *found; /* [vertices][words] */
    uint64_t *words; /* [GATHERED] words of listed vertices, one after the other */
    uint32_t *list;  /* [vertices] the listed vertices */
};

struct batch_search {
    const struct joined_graph *graph;
    struct gpu_batch gpu;
    struct joined_gpu on;          /* the graph on the GPU */
    uint32_t *roots;               /* [BATCH_MOST] device memory */
    struct gpu_batch_level *level; /* in memory of the host: counts of the last level */
    uint64_t *gathered;            /* [GATHERED] device memory: words of listed vertices */
    struct shown shown;
    uint32_t *brief[2];            /* device memory, see gpu_batch: for the frontier, and for the next one */
};

/* ---- memory ---- */

/* Returns the bytes of one array of words, such as s->gpu.seen. */
static uint64_t word_bytes(const struct batch_search *s)
{
    return s->graph->vertices * (uint64_t)s->gpu.words * 8;
}

/* Cuts the rows to pull that are longer than BATCH_SHORT_ROW into pieces of BATCH_PULL_PIECE columns. Writes the
 * pieces to `to`, unless it is NULL, and returns how many there are. */
static uint64_t cut_long_rows(const struct joined_graph *graph, struct gpu_batch_piece *to)
{
    const uint64_t *offsets = graph->pull->offsets;
    uint64_t pieces = 0;
    for (uint64_t v = 0; v < graph->vertices; v++) {
        uint64_t edges = offsets[v + 1] - offsets[v];
        for (uint64_t at = 0; edges > BATCH_SHORT_ROW && at < edges; at += BATCH_PULL_PIECE, pieces++) {
            if (to != NULL)
                to[pieces] = (struct gpu_batch_piece){(uint32_t)v, (uint32_t)(at / BATCH_PULL_PIECE)};
        }
    }
    return pieces;
}

/* Sets s->gpu.long_rows and s->gpu.long_pieces: the pieces of long rows, in device memory. */
static enum status copy_long_rows(struct batch_search *s, struct error *e)
{
    uint64_t count = cut_long_rows(s->graph, NULL);
    struct gpu_batch_piece *pieces;
    s->gpu.long_pieces = count;
    if (count == 0 || joined_gpu_take(&s->on, &s->gpu.long_rows, count, sizeof *pieces, e) != ST_OK)
        return e->status;
    pieces = malloc(count * sizeof *pieces);
    if (pieces == NULL)
        return fail_memory(e, "pieces of rows", count * sizeof *pieces);
    cut_long_rows(s->graph, pieces);
    joined_gpu_copy(&s->on, (void *)s->gpu.long_rows, pieces, count * sizeof *pieces, e);
    free(pieces);
    return e->status;
}

/* Takes the device memory of a search but that for the graph, and host memory for the counts of a level. */
static enum status take_memory(struct batch_search *s, struct error *e)
{
    struct gpu_batch *gpu = &s->gpu;
    uint64_t vertices = s->graph->vertices, width = 8 * (uint64_t)gpu->words;
    uint64_t pieces = vertices + s->graph->push->edges / BATCH_PUSH_PIECE;
    joined_gpu_take(&s->on, &gpu->seen, vertices, width, e);
    joined_gpu_take(&s->on, &gpu->now, vertices, width, e);
    joined_gpu_take(&s->on, &gpu->next, vertices, width, e);
    joined_gpu_take(&s->on, &gpu->list.marks, vertices / 32 + 1, 4, e);
    joined_gpu_take(&s->on, &gpu->list.fresh, vertices, 4, e);
    joined_gpu_take(&s->on, &gpu->list.pieces, pieces, sizeof *gpu->list.pieces, e);
    joined_gpu_take(&s->on, &gpu->level, 1, sizeof *gpu->level, e);
    for (int i = 0; i < 2; i++)
        joined_gpu_take(&s->on, &s->brief[i], gpu->words > 1 ? vertices : 0, 4, e);
    joined_gpu_take(&s->on, &s->roots, BATCH_MOST, 4, e);
    joined_gpu_take(&s->on, &s->gathered, GATHERED, 8, e);
    if (e->status == ST_OK)
        CUDA_TRY(cudaMallocHost((void **)&s->level, sizeof *s->level), s->on.where, e);
    joined_gpu_clear(&s->on, gpu->list.marks, (vertices / 32 + 1) * 4, e);
    return e->status;
}

/* ---- opening ---- */

/* Zeroes the seen words and the counts for a new batch, and the words of both frontiers if `are_left`. They need no
 * zeroing if the last frontier was a list, and empty. */
static void clear_words(struct batch_search *s, int are_left, struct error *e)
{
    joined_gpu_clear(&s->on, s->gpu.seen, word_bytes(s), e);
    if (are_left)
        joined_gpu_clear(&s->on, s->gpu.now, word_bytes(s), e);
    if (are_left)
        joined_gpu_clear(&s->on, s->gpu.next, word_bytes(s), e);
    joined_gpu_clear(&s->on, s->gpu.level, sizeof *s->gpu.level, e);
}

/* Launches each kernel once, without work, and waits: CUDA loads a kernel when it is first launched, and the time of
 * that is no part of a search. */
static enum status load_kernels(struct batch_search *s, struct error *e)
{
    clear_words(s, 1, e);
    if (e->status != ST_OK)
        return e->status;
    cuda_batch_roots(&s->gpu, s->roots, 0, s->on.stream);
    cuda_batch_push(&s->gpu, 0, s->on.stream);
    cuda_batch_scatter(&s->gpu, 0, s->on.stream);
    cuda_batch_clear(&s->gpu, s->gpu.now, s->gpu.list.pieces, 0, s->on.stream);
    cuda_batch_take_list(&s->gpu, 0, s->on.stream);
    s->gpu.next_brief = s->brief[1];
    cuda_batch_pull(&s->gpu, s->on.stream);
    cuda_batch_list(&s->gpu, s->on.stream);
    return CUDA_LAUNCHED(s->on.where, e) == ST_OK ? joined_gpu_wait(&s->on, e) : e->status;
}

/* The `open` of batch_cuda: opens *search on the GPU of the rank; batch_gpu_close closes it, also after an error. */
static enum status batch_gpu_open(struct batch_search **search, const struct joined_graph *graph,
                                  const struct batch_place *place, struct error *e)
{
    struct batch_search *s = *search = calloc(1, sizeof *s);
    if (s == NULL)
        return fail_memory(e, "search", sizeof *s);
    s->graph = graph;
    s->gpu.vertices = graph->vertices;
    s->gpu.words = place->words;
    if (joined_gpu_open(&s->on, graph, place->comm, e) != ST_OK)
        return e->status;
    s->gpu.push = s->on.push;
    s->gpu.pull = s->on.pull;
    if (copy_long_rows(s, e) == ST_OK && take_memory(s, e) == ST_OK)
        load_kernels(s, e);
    return e->status;
}

/* The `close` of batch_cuda: frees all memory of a search, on the GPU and on the host. */
static void batch_gpu_close(struct batch_search *s)
{
    if (s == NULL)
        return;
    cudaFreeHost(s->level);
    joined_gpu_close(&s->on);
    memory_release(s->graph->budget, s->shown.found);
    memory_release(s->graph->budget, s->shown.words);
    memory_release(s->graph->budget, s->shown.list);
    free(s);
}

/* ---- the end of a level ---- */

/* Fills in *found from the counts of the last level, which are in host memory. */
static void take_counts(struct batch_search *s, struct batch_found *found)
{
    *found = (struct batch_found){.vertices = s->level->vertices, .edges = s->level->edges, .read = s->level->read};
    for (int r = 0; r < BATCH_MOST; r++) {
        found->count[r] = s->level->count[r];
        found->weight[r] = s->level->weight[r];
    }
}

/* Ends a level or the start: waits for the GPU, copies the counts of the level to the host and into l->found, and
 * swaps the frontier words and the next words. Does nothing after an error. */
static void end_level(struct batch_search *s, struct batch_levels *l, struct error *e)
{
    uint64_t *words = s->gpu.now;
    if (e->status != ST_OK || CUDA_LAUNCHED(s->on.where, e) != ST_OK ||
        joined_gpu_copy(&s->on, s->level, s->gpu.level, sizeof *s->level, e) != ST_OK)
        return;
    s->gpu.now = s->gpu.next;
    s->gpu.next = words;
    take_counts(s, &l->found);
}

/* ---- a watcher ---- */

/* Takes the host memory for a watcher, unless that is done. */
static enum status take_for_watcher(struct batch_search *s, struct error *e)
{
    struct memory_budget *budget = s->graph->budget;
    if (s->shown.list != NULL)
        return ST_OK;
    if (memory_take(budget, (void **)&s->shown.found, s->graph->vertices * (uint64_t)s->gpu.words, 8, "words of a level", e) == ST_OK &&
        memory_take(budget, (void **)&s->shown.words, GATHERED, 8, "words of a level", e) == ST_OK)
        memory_take(budget, (void **)&s->shown.list, s->graph->vertices, 4, "frontier of a batch", e);
    return e->status;
}

/* Copies the list of the frontier and the words of the listed vertices to s->shown. Words of other vertices there stay
 * as they are. */
static enum status copy_list(struct batch_search *s, struct error *e)
{
    uint64_t count = s->level->listed, W = (uint64_t)s->gpu.words, step = GATHERED / W;
    if (joined_gpu_copy(&s->on, s->shown.list, s->gpu.list.fresh, count * 4, e) != ST_OK)
        return e->status;
    for (uint64_t first = 0; first < count; first += step) {
        uint64_t part = count - first < step ? count - first : step;
        cuda_batch_gather(&s->gpu, first, part, s->gathered, s->on.stream);
        if (CUDA_LAUNCHED(s->on.where, e) != ST_OK || joined_gpu_copy(&s->on, s->shown.words, s->gathered, part * W * 8, e) != ST_OK)
            return e->status;
        for (uint64_t i = 0; i < part; i++)
            memcpy(s->shown.found + s->shown.list[first + i] * W, s->shown.words + i * W, W * 8);
    }
    return ST_OK;
}

/* The `show` of batch_cuda: copies the words and, if there is one, the list of the frontier to the host, and points
 * *level at them. */
static void show(struct batch_search *s, const struct batch_levels *l, struct batch_level *level, struct error *e)
{
    if (take_for_watcher(s, e) != ST_OK)
        return;
    level->found = s->shown.found;
    if (!l->is_list) {
        joined_gpu_copy(&s->on, s->shown.found, s->gpu.now, word_bytes(s), e);
        return;
    }
    level->list = s->shown.list;
    level->count = s->level->listed;
    copy_list(s, e);
}

/* ---- steps ---- */

/* The `start` of batch_cuda: makes the roots of the run the frontier, as a list. */
static void start(struct batch_search *s, const struct batch_run *run, struct batch_levels *l, struct error *e)
{
    uint32_t roots[BATCH_MOST], count = run->count;
    for (uint32_t i = 0; i < count; i++)
        roots[i] = run->roots[i] == JOINED_NOWHERE ? BATCH_NO_ROOT : (uint32_t)run->roots[i];
    clear_words(s, !l->is_list, e);
    if (e->status != ST_OK || joined_gpu_copy(&s->on, s->roots, roots, count * sizeof *roots, e) != ST_OK)
        return;
    cuda_batch_roots(&s->gpu, s->roots, count, s->on.stream);
    cuda_batch_take_list(&s->gpu, count, s->on.stream);
    end_level(s, l, e);
}

/* Makes a list of the frontier, and the pieces of its rows, after a level by all vertices. Zeroes the next words. The
 * counts of that level stay in s->level. */
static void make_list(struct batch_search *s, struct error *e)
{
    joined_gpu_clear(&s->on, s->gpu.next, word_bytes(s), e);
    joined_gpu_clear(&s->on, s->gpu.level, offsetof(struct gpu_batch_level, vertices), e);
    if (e->status != ST_OK)
        return;
    cuda_batch_list(&s->gpu, s->on.stream);
    if (CUDA_LAUNCHED(s->on.where, e) == ST_OK)
        joined_gpu_copy(&s->on, s->level, s->gpu.level, sizeof *s->level, e);
}

/* Launches the kernels of a level by list. The first pushes the frontier, the second zeroes the frontier's words, and the
 * third makes the found vertices the next frontier. */
static void visit_list(struct batch_search *s, const struct batch_levels *l)
{
    uint64_t pieces = s->level->pieces;
    if (pieces > 0)
        cuda_batch_push(&s->gpu, pieces, s->on.stream);
    cuda_batch_clear(&s->gpu, s->gpu.now, s->gpu.list.pieces, pieces, s->on.stream);
    cuda_batch_take_list(&s->gpu, smaller(l->found.edges, s->graph->vertices), s->on.stream);
}

/* Launches a level by all vertices: first the pushes of roots that do not pull, then the pulls, which also take what
 * was pushed. */
static void visit_all(struct batch_search *s, const struct batch_levels *l, struct error *e)
{
    s->gpu.is_pushed = l->pushes;
    s->gpu.brief = s->gpu.words > 1 && !l->is_list && l->visits < BRIEF_MEAN * l->found.vertices ? s->brief[0] : NULL;
    s->gpu.next_brief = s->brief[1];
    if (l->pushes && !l->is_list) {
        joined_gpu_clear(&s->on, s->gpu.next, word_bytes(s), e);
        cuda_batch_list(&s->gpu, s->on.stream);
    }
    if (l->pushes)
        cuda_batch_scatter(&s->gpu, l->is_list ? s->level->pieces : BATCH_AS_LISTED, s->on.stream);
    else
        cuda_batch_clear(&s->gpu, s->gpu.next, s->gpu.long_rows, s->gpu.long_pieces, s->on.stream);
    cuda_batch_pull(&s->gpu, s->on.stream);
    s->brief[1] = s->brief[0];
    s->brief[0] = s->gpu.next_brief;
}

/* The `visit` of batch_cuda: runs one level, waits for its end, and sets l->found and l->rows_left. */
static void visit(struct batch_search *s, int by_list, struct batch_levels *l, struct error *e)
{
    memcpy(s->gpu.wanted, l->roots, sizeof s->gpu.wanted);
    memcpy(s->gpu.pulls, l->pulls, sizeof s->gpu.pulls);
    if (by_list && !l->is_list)
        make_list(s, e);
    joined_gpu_clear(&s->on, s->gpu.level, sizeof *s->gpu.level, e);
    if (e->status != ST_OK)
        return;
    if (by_list)
        visit_list(s, l);
    else
        visit_all(s, l, e);
    end_level(s, l, e);
    l->rows_left = by_list ? l->rows_left : s->level->left;
}

const struct batch_backend batch_cuda = {.open = batch_gpu_open,
                                         .close = batch_gpu_close,
                                         .start = start,
                                         .visit = visit,
                                         .show = show};
