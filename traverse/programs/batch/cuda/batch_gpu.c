/* batch_gpu.c: searches from a batch of roots on a GPU, as a struct batch_backend (batch_search.h)
 *
 * The host launches the kernels of a level, and waits for the counts of the level. If distances are noted, it also copies
 * the words of the level from the GPU. */
#include "batch_kernels.h"

#include "traverse/programs/batch/batch_search.h"
#include "traverse/programs/joined/cuda/joined_gpu.h"

#include "formats/base/arith.h"

#include <stdlib.h>
#include <string.h>

/* BRIEF_MEAN: pulls read briefs (batch_words.cuh) instead of words if, on average, fewer roots than this have found a vertex of
 * the frontier. GATHERED: number of 64-bit words of listed vertices that are copied to the host at a time. */
enum { BRIEF_MEAN = 3, GATHERED = 1 << 18 };

struct batch_search {
    const struct joined_graph *graph;
    struct gpu_batch gpu;
    struct joined_gpu on;          /* the GPU with the graph on it; owns all device memory */
    uint32_t *roots;               /* [BATCH_MOST] device memory: the vertices of the roots */
    struct gpu_batch_level *level; /* memory of the host: the counts of the last level */
    uint64_t *gathered;            /* [GATHERED] device memory: words of listed vertices, in the order of the list */
    /* [vertices] device memory: briefs of the frontier words (0) and next words (1); unused with one word per vertex */
    uint32_t *brief[2];
    /* Memory of the host, which batch_depths_note reads. The three arrays are allocated when a level is first shown. */
    uint64_t *shown;               /* [vertices][words] the frontier words */
    uint64_t *shown_gathered;      /* [GATHERED] copy of `gathered` */
    uint32_t *shown_list;          /* [vertices] the vertices of a sparse frontier */
};

/* Returns the number of bytes of an array of words for all vertices, such as s->gpu.seen. */
static uint64_t word_bytes(const struct batch_search *s)
{
    return s->graph->vertices * (uint64_t)s->gpu.words * 8;
}

/* Cuts the long rows to pull, of more than BATCH_SHORT_ROW columns, into pieces of BATCH_PULL_PIECE columns. Writes the
 * pieces to `to`, unless `to` is NULL. Returns the number of pieces. */
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

/* Allocates all memory of a search except the graph: device memory, and s->level on the host. Fills in the pieces of long
 * rows. batch_gpu_close frees everything, even after a failure. */
static enum status take_memory(struct batch_search *s, struct error *e)
{
    struct gpu_batch *gpu = &s->gpu;
    const uint64_t vertices = s->graph->vertices, width = 8 * (uint64_t)gpu->words;
    const uint64_t pieces = vertices + s->graph->push->edges / BATCH_PUSH_PIECE;
    gpu->long_pieces = cut_long_rows(s->graph, NULL);
    if (gpu->long_pieces > 0) {
        const uint64_t bytes = gpu->long_pieces * sizeof *gpu->long_rows;
        struct gpu_batch_piece *long_rows;
        if (joined_gpu_take(&s->on, &gpu->long_rows, gpu->long_pieces, sizeof *gpu->long_rows, e) != ST_OK)
            return e->status;
        long_rows = malloc(bytes);
        if (long_rows == NULL)
            return fail_memory(e, "pieces of rows", bytes);
        cut_long_rows(s->graph, long_rows);
        joined_gpu_copy(&s->on, (void *)gpu->long_rows, long_rows, bytes, e);
        free(long_rows);
    }
    joined_gpu_take(&s->on, &gpu->seen, vertices, width, e);
    joined_gpu_take(&s->on, &gpu->now, vertices, width, e);
    joined_gpu_take(&s->on, &gpu->next, vertices, width, e);
    joined_gpu_take(&s->on, &gpu->listed, vertices / 32 + 1, 4, e);
    joined_gpu_take(&s->on, &gpu->list, vertices, 4, e);
    joined_gpu_take(&s->on, &gpu->pieces, pieces, sizeof *gpu->pieces, e);
    joined_gpu_take(&s->on, &gpu->level, 1, sizeof *gpu->level, e);
    for (int i = 0; i < 2; i++)
        joined_gpu_take(&s->on, &s->brief[i], gpu->words > 1 ? vertices : 0, 4, e);
    joined_gpu_take(&s->on, &s->roots, BATCH_MOST, 4, e);
    joined_gpu_take(&s->on, &s->gathered, GATHERED, 8, e);
    if (e->status == ST_OK)
        CUDA_TRY(cudaMallocHost((void **)&s->level, sizeof *s->level), s->on.where, e);
    joined_gpu_clear(&s->on, gpu->listed, (vertices / 32 + 1) * 4, e);
    return e->status;
}

/* Zeroes the seen words and the counts of a level for a new batch. If `both` is 1, also zeroes the frontier and next words,
 * which are zero already if the last frontier was an empty list. Does not wait for the GPU. */
static void clear_words(struct batch_search *s, int both, struct error *e)
{
    joined_gpu_clear(&s->on, s->gpu.seen, word_bytes(s), e);
    if (both) {
        joined_gpu_clear(&s->on, s->gpu.now, word_bytes(s), e);
        joined_gpu_clear(&s->on, s->gpu.next, word_bytes(s), e);
    }
    joined_gpu_clear(&s->on, s->gpu.level, sizeof *s->gpu.level, e);
}

/* Opens *search on the GPU of the rank: copies the graph to the GPU, and allocates all device memory. Launches each kernel
 * once without work, because CUDA loads a kernel at its first launch, and searches must not wait for this. The caller calls
 * batch_gpu_close even after a failure. */
static enum status batch_gpu_open(struct batch_search **search, const struct joined_graph *graph,
                                  const struct batch_setup *setup, struct error *e)
{
    struct batch_search *s = *search = calloc(1, sizeof *s);
    if (s == NULL)
        return fail_memory(e, "search", sizeof *s);
    s->graph = graph;
    s->gpu.vertices = graph->vertices;
    s->gpu.words = setup->words;
    if (joined_gpu_open(&s->on, graph, setup->comm, e) != ST_OK)
        return e->status;
    s->gpu.push = s->on.push;
    s->gpu.pull = s->on.pull;
    if (take_memory(s, e) == ST_OK)
        clear_words(s, 1, e);
    if (e->status != ST_OK)
        return e->status;
    cuda_batch_roots(&s->gpu, s->roots, 0, s->on.stream);
    cuda_batch_push(&s->gpu, 0, s->on.stream);
    cuda_batch_scatter(&s->gpu, 0, s->on.stream);
    cuda_batch_clear(&s->gpu, s->gpu.now, s->gpu.pieces, 0, s->on.stream);
    cuda_batch_take_list(&s->gpu, 0, s->on.stream);
    s->gpu.next_brief = s->brief[1];
    /* no vertex is active and all words are zero, so these find nothing */
    cuda_batch_pull(&s->gpu, s->on.stream);
    cuda_batch_list(&s->gpu, s->on.stream);
    return CUDA_LAUNCHED(s->on.where, e) == ST_OK ? joined_gpu_wait(&s->on, e) : e->status;
}

/* Frees all memory of a search, on the GPU and on the host. `s` may be NULL, or opened in part. */
static void batch_gpu_close(struct batch_search *s)
{
    if (s == NULL)
        return;
    cudaFreeHost(s->level);
    joined_gpu_close(&s->on);
    memory_release(s->graph->budget, s->shown);
    memory_release(s->graph->budget, s->shown_gathered);
    memory_release(s->graph->budget, s->shown_list);
    free(s);
}

/* Copies the frontier words to the host, and sets level->found to the copy. If the frontier is sparse, also copies its
 * list, and sets level->list and level->count. Then only the words of listed vertices are copied, and all other words in
 * level->found are old. The first call allocates memory of the host, within the budget. */
static void show(struct batch_search *s, const struct batch_levels *l, struct batch_level *level, struct error *e)
{
    struct memory_budget *budget = s->graph->budget;
    const uint64_t vertices = s->graph->vertices, W = (uint64_t)s->gpu.words, step = GATHERED / W;
    if (s->shown_list == NULL &&
        (memory_take(budget, (void **)&s->shown, vertices * W, 8, "words of a level", e) != ST_OK ||
         memory_take(budget, (void **)&s->shown_gathered, GATHERED, 8, "words of a level", e) != ST_OK ||
         memory_take(budget, (void **)&s->shown_list, vertices, 4, "frontier of a batch", e) != ST_OK))
        return;
    level->found = s->shown;
    if (!l->is_sparse) {
        joined_gpu_copy(&s->on, s->shown, s->gpu.now, word_bytes(s), e);
        return;
    }
    level->list = s->shown_list;
    level->count = s->level->listed;
    joined_gpu_copy(&s->on, s->shown_list, s->gpu.list, level->count * 4, e);
    for (uint64_t first = 0; first < level->count && e->status == ST_OK; first += step) {
        const uint64_t part = smaller(level->count - first, step);
        cuda_batch_gather(&s->gpu, first, part, s->gathered, s->on.stream);
        if (CUDA_LAUNCHED(s->on.where, e) != ST_OK ||
            joined_gpu_copy(&s->on, s->shown_gathered, s->gathered, part * W * 8, e) != ST_OK)
            return;
        for (uint64_t i = 0; i < part; i++)
            memcpy(s->shown + s->shown_list[first + i] * W, s->shown_gathered + i * W, W * 8);
    }
}

/* Ends a level, or the start of a batch: waits for the GPU, copies the counts of the level into s->level and l->found, and
 * swaps the frontier and next words. Does nothing if *e has failed before. */
static void end_level(struct batch_search *s, struct batch_levels *l, struct error *e)
{
    uint64_t *words = s->gpu.now;
    if (e->status != ST_OK || CUDA_LAUNCHED(s->on.where, e) != ST_OK ||
        joined_gpu_copy(&s->on, s->level, s->gpu.level, sizeof *s->level, e) != ST_OK)
        return;
    s->gpu.now = s->gpu.next;
    s->gpu.next = words;
    l->found = (struct batch_found){.vertices = s->level->vertices, .edges = s->level->edges, .read = s->level->read};
    for (int r = 0; r < BATCH_MOST; r++) {
        l->found.count[r] = s->level->count[r];
        l->found.weight[r] = s->level->weight[r];
    }
}

/* Forgets the last batch, and makes the roots of *run the frontier, as a list. Waits for the GPU, and sets l->found. */
static void start(struct batch_search *s, const struct batch_run *run, struct batch_levels *l, struct error *e)
{
    uint32_t roots[BATCH_MOST], count = run->count;
    for (uint32_t i = 0; i < count; i++)
        roots[i] = run->roots[i] == JOINED_NOWHERE ? BATCH_NO_ROOT : (uint32_t)run->roots[i];
    clear_words(s, !l->is_sparse, e);
    if (e->status != ST_OK || joined_gpu_copy(&s->on, s->roots, roots, count * sizeof *roots, e) != ST_OK)
        return;
    cuda_batch_roots(&s->gpu, s->roots, count, s->on.stream);
    cuda_batch_take_list(&s->gpu, count, s->on.stream);
    end_level(s, l, e);
}

/* Launches the kernels of a sparse level: they push the frontier, zero the frontier words, and list the found vertices as
 * the next frontier. Does not wait for them. If the frontier is dense, first makes a list of it, and waits for its
 * length. */
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
    const uint64_t pieces = s->level->pieces;
    joined_gpu_clear(&s->on, s->gpu.level, sizeof *s->gpu.level, e);
    if (e->status != ST_OK)
        return;
    if (pieces > 0)
        cuda_batch_push(&s->gpu, pieces, s->on.stream);
    cuda_batch_clear(&s->gpu, s->gpu.now, s->gpu.pieces, pieces, s->on.stream);
    cuda_batch_take_list(&s->gpu, smaller(l->found.edges, s->graph->vertices), s->on.stream);
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
    s->gpu.brief = s->gpu.words > 1 && !l->is_sparse && l->finds < BRIEF_MEAN * l->found.vertices ? s->brief[0] : NULL;
    s->gpu.next_brief = s->brief[1];
    if (l->pushes && !l->is_sparse) {
        joined_gpu_clear(&s->on, s->gpu.next, word_bytes(s), e);
        cuda_batch_list(&s->gpu, s->on.stream);
    }
    if (l->pushes)
        cuda_batch_scatter(&s->gpu, l->is_sparse ? s->level->pieces : BATCH_AS_LISTED, s->on.stream);
    else
        cuda_batch_clear(&s->gpu, s->gpu.next, s->gpu.long_rows, s->gpu.long_pieces, s->on.stream);
    cuda_batch_pull(&s->gpu, s->on.stream);
    s->brief[1] = s->brief[0];
    s->brief[0] = s->gpu.next_brief;
}

/* Runs one level, and waits for its end. The found vertices become the frontier. Sets l->found, and after a dense level
 * l->pull_edges_left. */
static void visit(struct batch_search *s, int sparse, struct batch_levels *l, struct error *e)
{
    memcpy(s->gpu.active, l->active, sizeof s->gpu.active);
    memcpy(s->gpu.pulls, l->pulls, sizeof s->gpu.pulls);
    if (sparse)
        visit_sparse(s, l, e);
    else
        visit_dense(s, l, e);
    end_level(s, l, e);
    l->pull_edges_left = sparse ? l->pull_edges_left : s->level->pull_edges_left;
}

const struct batch_backend batch_cuda = {.open = batch_gpu_open,
                                         .close = batch_gpu_close,
                                         .start = start,
                                         .visit = visit,
                                         .show = show};
