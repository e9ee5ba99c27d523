/* batch_gpu.c: searches from many roots at once on a GPU, level by level: see batch_search.h
 *
 * The host launches a level, and waits for its counts. It takes the words of a level from the GPU only for a
 * watcher. */
#include "batch_kernels.h"

#include "traverse/batch/batch_search.h"
#include "traverse/joined/cuda/joined_gpu.h"

#include "formats/base/cli.h"

#include <stdlib.h>
#include <string.h>

/* A level is one by list where its frontier has fewer edges than 1 / LIST_SHARE of the vertices. In other levels a root pulls where
 * its frontier has more than 1 / PULL_SHARE of the edges left to it; after a level by list that is not known. All pull where
 * what would be pushed costs more, PUSH_COST an edge, than all that is left to be pulled. */
enum { LIST_SHARE = 8, PULL_SHARE = 15, PUSH_COST = 2 };

/* Words are read in brief where vertices of the frontier have fewer bits on average. */
enum { BRIEF_MEAN = 3 };

/* Words that a watcher gets at a time. */
enum { GATHERED = 1 << 18 };

/* Host memory, taken for the first watcher. */
struct shown {
    uint64_t *found; /* [vertices][words] */
    uint64_t *words; /* [GATHERED] */
    uint32_t *list;  /* [vertices] */
};

struct batch_search {
    const struct joined_graph *graph;
    struct gpu_batch gpu;
    struct joined_gpu on;          /* the graph on the GPU */
    uint32_t *roots;               /* device memory */
    struct gpu_batch_level *level; /* in memory of the host: counts of the last level */
    uint64_t *gathered;            /* device memory: words of listed vertices */
    struct shown shown;
    int is_list;                   /* the frontier is a list, and `next` is zero */
    uint64_t left;                 /* edges of rows that lack a root */
    uint32_t *brief[2];            /* device memory, see gpu_batch: of the frontier, and the next one */
    uint64_t visits;               /* bits in the words of the frontier */
    uint64_t unfound[BATCH_MOST];  /* edges of rows that a root has not reached, at most */
};

/* ---- memory ---- */

static uint64_t word_bytes(const struct batch_search *s)
{
    return s->graph->vertices * (uint64_t)s->gpu.words * 8;
}

/* Cuts rows that are not short into pieces. Returns how many; `to` NULL: only counts them. */
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

/* A frontier that is a list, and empty, has left no words. */
static void clear_words(struct batch_search *s, struct error *e)
{
    joined_gpu_clear(&s->on, s->gpu.seen, word_bytes(s), e);
    if (!s->is_list)
        joined_gpu_clear(&s->on, s->gpu.now, word_bytes(s), e);
    if (!s->is_list)
        joined_gpu_clear(&s->on, s->gpu.next, word_bytes(s), e);
    joined_gpu_clear(&s->on, s->gpu.level, sizeof *s->gpu.level, e);
}

/* CUDA loads a kernel when it is first launched, which is no part of a search. So each is launched without work. */
static enum status load_kernels(struct batch_search *s, struct error *e)
{
    clear_words(s, e);
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

static enum status batch_gpu_open(struct batch_search **search, const struct joined_graph *graph,
                                  const struct batch_place *place, struct error *e)
{
    struct batch_search *s = *search = calloc(1, sizeof *s);
    if (s == NULL)
        return fail_memory(e, "search", sizeof *s);
    s->graph = graph;
    s->gpu.vertices = graph->vertices;
    s->gpu.words = place->words;
    const struct gpu_user user = {place->host, place->rank, place->slot};
    if (joined_gpu_open(&s->on, graph, &user, e) != ST_OK)
        return e->status;
    s->gpu.push = s->on.push;
    s->gpu.pull = s->on.pull;
    if (copy_long_rows(s, e) == ST_OK && take_memory(s, e) == ST_OK)
        load_kernels(s, e);
    return e->status;
}

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

/* ---- finds of a level ---- */

struct progress {
    struct batch_run *run;
    uint64_t depth;
};

/* Makes the level's words the frontier. */
static enum status finish_level(struct batch_search *s, struct progress *p, struct error *e)
{
    uint64_t *words = s->gpu.now;
    if (CUDA_LAUNCHED(s->on.where, e) != ST_OK || joined_gpu_copy(&s->on, s->level, s->gpu.level, sizeof *s->level, e) != ST_OK)
        return e->status;
    s->gpu.now = s->gpu.next;
    s->gpu.next = words;
    memset(s->gpu.wanted, 0, sizeof s->gpu.wanted);
    s->visits = 0;
    for (uint32_t r = 0; r < p->run->count; r++) {
        if (s->level->count[r] == 0)
            continue;
        s->gpu.wanted[r / 64] |= UINT64_C(1) << (r % 64);
        s->visits += s->level->count[r];
        s->unfound[r] -= s->level->weight[r] < s->unfound[r] ? s->level->weight[r] : s->unfound[r];
        batch_result_add(&p->run->results[r], p->depth, s->level->count[r]);
    }
    p->run->edges += s->level->read;
    return ST_OK;
}

/* ---- a watcher ---- */

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

/* Copies the frontier, which is a list, and its words to the host. Words of other vertices stay as they are. */
static enum status copy_list(struct batch_search *s, struct error *e)
{
    uint64_t count = s->level->listed, W = (uint64_t)s->gpu.words, step = GATHERED / W;
    if (joined_gpu_copy(&s->on, s->shown.list, s->gpu.list.fresh, count * 4, e) != ST_OK)
        return e->status;
    for (uint64_t first = 0; first < count; first += step) {
        uint64_t some = count - first < step ? count - first : step;
        cuda_batch_gather(&s->gpu, first, some, s->gathered, s->on.stream);
        if (CUDA_LAUNCHED(s->on.where, e) != ST_OK || joined_gpu_copy(&s->on, s->shown.words, s->gathered, some * W * 8, e) != ST_OK)
            return e->status;
        for (uint64_t i = 0; i < some; i++)
            memcpy(s->shown.found + s->shown.list[first + i] * W, s->shown.words + i * W, W * 8);
    }
    return ST_OK;
}

static enum status show(struct batch_search *s, struct progress *p, struct error *e)
{
    const struct batch_watcher *watcher = &p->run->watcher;
    double start = cli_seconds();
    if (watcher->level == NULL || s->level->vertices == 0 || take_for_watcher(s, e) != ST_OK)
        return e->status;
    if ((s->is_list ? copy_list(s, e) : joined_gpu_copy(&s->on, s->shown.found, s->gpu.now, word_bytes(s), e)) != ST_OK)
        return e->status;
    watcher->level(watcher->context, &(struct batch_level){.depth = p->depth,
                                                           .words = s->gpu.words,
                                                           .found = s->shown.found,
                                                           .list = s->is_list ? s->shown.list : NULL,
                                                           .count = s->is_list ? s->level->listed : s->graph->vertices});
    p->run->seconds -= cli_seconds() - start;
    return ST_OK;
}

/* ---- levels ---- */

static enum status start(struct batch_search *s, struct progress *p, struct error *e)
{
    struct batch_run *run = p->run;
    uint32_t roots[BATCH_MOST];
    for (uint32_t i = 0; i < run->count; i++) {
        int nowhere = run->roots[i] == JOINED_NOWHERE;
        run->results[i] = (struct batch_result){.reached = (uint64_t)nowhere};
        roots[i] = nowhere ? BATCH_NO_ROOT : (uint32_t)run->roots[i];
    }
    clear_words(s, e);
    if (e->status != ST_OK || joined_gpu_copy(&s->on, s->roots, roots, run->count * sizeof *roots, e) != ST_OK)
        return e->status;
    s->is_list = 1;
    s->left = s->graph->pull->edges;
    for (uint32_t i = 0; i < run->count; i++)
        s->unfound[i] = s->graph->push->edges;
    memset(s->gpu.pulls, 0, sizeof s->gpu.pulls);
    cuda_batch_roots(&s->gpu, s->roots, run->count, s->on.stream);
    cuda_batch_take_list(&s->gpu, run->count, s->on.stream);
    return finish_level(s, p, e);
}

/* Makes a list from words of all vertices. Counts of the level stay. */
static enum status make_list(struct batch_search *s, struct error *e)
{
    joined_gpu_clear(&s->on, s->gpu.next, word_bytes(s), e);
    joined_gpu_clear(&s->on, s->gpu.level, offsetof(struct gpu_batch_level, vertices), e);
    if (e->status != ST_OK)
        return e->status;
    cuda_batch_list(&s->gpu, s->on.stream);
    s->is_list = 1;
    return CUDA_LAUNCHED(s->on.where, e) == ST_OK ? joined_gpu_copy(&s->on, s->level, s->gpu.level, sizeof *s->level, e) : e->status;
}

static void level_by_list(struct batch_search *s, struct batch_run *run, struct error *e)
{
    uint64_t pieces = s->level->pieces, edges = s->level->edges, vertices = s->graph->vertices;
    run->bytes += s->level->vertices * (16 * (uint64_t)s->gpu.words + 8);
    joined_gpu_clear(&s->on, s->gpu.level, sizeof *s->gpu.level, e);
    if (e->status != ST_OK)
        return;
    if (pieces > 0)
        cuda_batch_push(&s->gpu, pieces, s->on.stream);
    cuda_batch_clear(&s->gpu, s->gpu.now, s->gpu.list.pieces, pieces, s->on.stream);
    cuda_batch_take_list(&s->gpu, edges < vertices ? edges : vertices, s->on.stream);
}

/* Which of the roots that are wanted pull. Returns whether any pushes. */
static int choose_pulls(struct batch_search *s, uint32_t roots)
{
    uint64_t pushes = 0, pushed = s->is_list ? s->level->edges : 0;
    memset(s->gpu.pulls, 0, sizeof s->gpu.pulls);
    for (uint32_t r = 0; r < roots && !s->is_list; r++) {
        int pull = s->level->weight[r] > s->unfound[r] / PULL_SHARE;
        s->gpu.pulls[r / 64] |= (uint64_t)pull << (r % 64);
        pushed += pull ? 0 : s->level->weight[r];
    }
    pushed = pushed < s->level->edges ? pushed : s->level->edges;
    if (pushed * PUSH_COST > s->left)
        memset(s->gpu.pulls, 0xff, sizeof s->gpu.pulls);
    for (int j = 0; j < s->gpu.words; j++) {
        s->gpu.pulls[j] &= s->gpu.wanted[j];
        pushes |= s->gpu.wanted[j] & ~s->gpu.pulls[j];
    }
    return pushes != 0;
}

static void push_others(struct batch_search *s, struct error *e)
{
    if (!s->is_list)
        joined_gpu_clear(&s->on, s->gpu.next, word_bytes(s), e);
    if (e->status != ST_OK)
        return;
    if (!s->is_list)
        cuda_batch_list(&s->gpu, s->on.stream);
    cuda_batch_scatter(&s->gpu, s->is_list ? s->level->pieces : BATCH_AS_LISTED, s->on.stream);
}

static void level_by_all(struct batch_search *s, struct batch_run *run, struct error *e)
{
    run->bytes += s->graph->vertices * (32 * (uint64_t)s->gpu.words + 16);
    joined_gpu_clear(&s->on, s->gpu.level, sizeof *s->gpu.level, e);
    s->gpu.is_pushed = choose_pulls(s, run->count);
    s->gpu.brief = s->gpu.words > 1 && !s->is_list && s->visits < BRIEF_MEAN * s->level->vertices ? s->brief[0] : NULL;
    s->gpu.next_brief = s->brief[1];
    if (s->gpu.is_pushed)
        push_others(s, e);
    else
        cuda_batch_clear(&s->gpu, s->gpu.next, s->gpu.long_rows, s->gpu.long_pieces, s->on.stream);
    if (e->status != ST_OK)
        return;
    cuda_batch_pull(&s->gpu, s->on.stream);
    s->brief[1] = s->brief[0];
    s->brief[0] = s->gpu.next_brief;
    s->is_list = 0;
}

static enum status run_level(struct batch_search *s, struct progress *p, struct error *e)
{
    int by_list = s->level->edges < s->graph->vertices / LIST_SHARE;
    memset(s->gpu.pulls, 0, sizeof s->gpu.pulls);
    if (by_list && !s->is_list && make_list(s, e) != ST_OK)
        return e->status;
    if (by_list)
        level_by_list(s, p->run, e);
    else
        level_by_all(s, p->run, e);
    p->depth++;
    p->run->levels++;
    if (e->status == ST_OK && finish_level(s, p, e) == ST_OK)
        s->left = by_list ? s->left : s->level->left;
    return e->status;
}

static enum status run_noted(struct batch_search *s, struct progress *p, struct error *e)
{
    struct batch_note note = {.depth = p->depth + 1, .vertices = s->level->vertices, .edges = s->level->edges};
    uint64_t before = p->run->edges;
    note.seconds = -cli_seconds();
    if (run_level(s, p, e) != ST_OK)
        return e->status;
    note.seconds += cli_seconds();
    note.by_list = s->is_list;
    note.read = p->run->edges - before;
    note.pulls = batch_count_roots(s->gpu.pulls);
    if (p->run->note != NULL)
        p->run->note(p->run->context, &note);
    return show(s, p, e);
}

static enum status batch_gpu_run(struct batch_search *s, struct batch_run *run, struct error *e)
{
    struct progress p = {.run = run};
    run->levels = run->edges = run->bytes = 0;
    if (run->watcher.begin != NULL)
        run->watcher.begin(run->watcher.context);
    run->seconds = -cli_seconds();
    if (start(s, &p, e) == ST_OK)
        show(s, &p, e);
    while (e->status == ST_OK && s->level->vertices > 0)
        run_noted(s, &p, e);
    run->seconds += cli_seconds();
    run->bytes += run->edges * (4 + 8 * (uint64_t)s->gpu.words);
    return e->status;
}

const struct batch_backend batch_cuda = {batch_gpu_open, batch_gpu_close, batch_gpu_run};
