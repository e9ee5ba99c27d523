/* batch_search.c: runs the levels of a batch, and chooses the kind of each level (batch_search.h) */
#include "batch_choose.h"
#include "batch_search.h"

#include "formats/base/arith.h"
#include "formats/base/cli.h"

#include <string.h>

/* A batch is given up after TRIAL_LEVELS levels if its roots share little work: if, on average, fewer than LEAST_SHARED roots
 * found a vertex of a frontier together. */
enum { TRIAL_LEVELS = 16, LEAST_SHARED = 4 };

/* Takes over the counts of the level that has just ended (l->found): sets l->active and l->finds, lowers l->edges_left by what
 * each root has found, and adds to the sums over all levels and to the results. Called after the start and after each level. */
static void take_found(struct batch_levels *l, struct batch_run *run)
{
    memset(l->active, 0, sizeof l->active);
    l->finds = 0;
    for (uint32_t r = 0; r < run->count; r++) {
        if (l->found.count[r] == 0)
            continue;
        l->active[r / 64] |= UINT64_C(1) << (r % 64);
        l->finds += l->found.count[r];
        l->edges_left[r] -= smaller(l->found.weight[r], l->edges_left[r]);
        batch_result_add(&run->results[r], l->depth, l->found.count[r]);
        if (run->hops != NULL)
            batch_hops_note(run->hops, r, l->depth, l->found.count[r]);
    }
    l->all_vertices += l->found.vertices;
    l->all_finds += l->finds;
    run->edges += l->found.read;
    run->sent += l->found.sent;
}

int batch_run_notes_levels(const struct batch_run *run)
{
    return (run->depths != NULL && (run->depths->depth != NULL || run->depths->checksums)) || run->balls != NULL || run->targets != NULL ||
           run->sums != NULL || run->receive != NULL;
}

void batch_run_note(const struct batch_run *run, const struct batch_level *level)
{
    if (run->depths != NULL)
        batch_depths_note(run->depths, level);
    if (run->balls != NULL)
        batch_balls_note(run->balls, level);
    if (run->targets != NULL)
        batch_targets_note(run->targets, level);
    if (run->sums != NULL)
        vertex_sums_note(run->sums, level);
    if (run->receive != NULL)
        run->receive(run->context, level);
}

/* Forgets what was noted of the last batch, or of this batch, which begins from the start. */
static void forget_notes(const struct batch_run *run)
{
    if (run->depths != NULL)
        batch_depths_begin(run->depths, run->count);
    if (run->balls != NULL)
        batch_balls_begin(run->balls, run->count);
    if (run->targets != NULL)
        batch_targets_begin(run->targets, run->roots, run->count);
    if (run->sums != NULL)
        vertex_sums_begin(run->sums);
    if (run->hops != NULL)
        batch_hops_begin(run->hops, run->count);
    for (uint32_t r = 0; run->hops != NULL && r < run->count; r++) {
        if (run->roots[r] == JOINED_NOWHERE) /* no level has it */
            batch_hops_note(run->hops, r, 0, 1);
    }
}

/* Fails if memory was too short to note all distances. */
static enum status check_notes(const struct batch_run *run, struct error *e)
{
    if (run->hops != NULL && run->hops->failed_bytes > 0)
        fail_memory(e, "vertices at each distance", run->hops->failed_bytes);
    if (run->balls != NULL && run->balls->has_failed)
        fail(e, run->balls->error.status, "%s", run->balls->error.text);
    return e->status;
}

/* Passes the present frontier to all that note distances. Does nothing if *e has failed, if no distances are wanted, or if the frontier is
 * empty. */
static void note_level(struct batch *b, struct batch_run *run, struct error *e)
{
    struct batch_level level = {.depth = b->levels.depth, .words = b->words, .count = b->graph->vertices,
                                .roots = run->count, .found_by = b->levels.found.count, .pool = b->pool, .threads = b->threads};
    if (e->status != ST_OK || !batch_run_notes_levels(run) || b->levels.found.vertices == 0)
        return;
    b->backend->show(b->search, &b->levels, &level, e);
    if (e->status == ST_OK)
        batch_run_note(run, &level);
}

/* Starts a batch: resets run->results and b->levels, lets the backend make the roots the frontier, and counts and notes
 * them as reached at distance 0. A root without edges reaches only itself. Adds its time, without noting, to run->seconds. */
static void start(struct batch *b, struct batch_run *run, struct error *e)
{
    const double begun = cli_seconds();
    struct batch_levels *l = &b->levels;
    for (uint32_t r = 0; r < run->count; r++) {
        run->results[r] = (struct batch_result){.reached = run->roots[r] == JOINED_NOWHERE};
        l->edges_left[r] = b->graph->push->all_edges;
    }
    l->pull_edges_left = b->graph->pull->all_edges;
    l->depth = l->all_vertices = l->all_finds = 0;
    memset(l->pulls, 0, sizeof l->pulls);
    b->backend->start(b->search, run, l, e);
    l->is_sparse = 1;
    if (e->status == ST_OK)
        take_found(l, run);
    run->seconds += cli_seconds() - begun;
    note_level(b, run, e);
}

/* Chooses which of the first `roots` roots pull in the coming dense level, and sets their bits in l->pulls. Sets l->pushes to 1
 * if any other root has a frontier, and so pushes. l->pulls and l->pushes must be zero before the call. */
static void choose_pulls(const struct batch *b, struct batch_levels *l, uint32_t roots)
{
    const uint64_t vertices = b->graph->all_vertices, mean = batch_mean_edges(b->graph->push->all_edges, vertices);
    uint64_t pushed = 0;
    for (uint32_t r = 0; r < roots; r++) {
        int pull = batch_root_pulls(l->found.count[r], l->found.weight[r], l->edges_left[r], mean);
        l->pulls[r / 64] |= (uint64_t)pull << (r % 64);
        pushed += pull ? 0 : l->found.weight[r];
    }
    pushed = l->is_sparse ? l->found.edges : smaller(pushed, l->found.edges);
    if (batch_all_pull(pushed, b->push_cost, b->backend->list_cost * vertices, l->pull_edges_left))
        memset(l->pulls, 0xff, sizeof l->pulls);
    for (int j = 0; j < BATCH_MOST_WORDS; j++) {
        l->pulls[j] &= l->active[j];
        l->pushes |= l->pulls[j] != l->active[j];
    }
}

/* Runs one level: chooses its kind and the roots that pull, lets the backend find the next frontier, adds the work of the
 * level and its time to *run, calls run->note, and notes the distances of the found vertices. Returns early if the backend fails. */
static void run_level(struct batch *b, struct batch_run *run, struct error *e)
{
    const double begun = cli_seconds();
    struct batch_levels *l = &b->levels;
    const uint64_t vertices = b->graph->all_vertices;
    const int sparse = batch_is_sparse(l->found.edges, vertices);
    struct batch_note note = {
        .depth = l->depth + 1, .is_sparse = sparse, .vertices = l->found.vertices, .edges = l->found.edges};
    memset(l->pulls, 0, sizeof l->pulls);
    l->pushes = sparse;
    if (!sparse)
        choose_pulls(b, l, run->count);
    run->bytes += (sparse ? l->found.vertices : vertices) * (16 * (uint64_t)b->words + 8);
    b->backend->visit(b->search, sparse, l, e);
    l->is_sparse = sparse;
    l->depth++;
    run->levels++;
    if (e->status != ST_OK)
        return;
    take_found(l, run);
    note.seconds = cli_seconds() - begun;
    run->seconds += note.seconds;
    if (l->found.seconds > 0)
        note.seconds = l->found.seconds;
    note.read = l->found.read;
    for (int j = 0; j < BATCH_MOST_WORDS; j++)
        note.pulls += (uint32_t)__builtin_popcountll(l->pulls[j]);
    if (run->note != NULL)
        run->note(run->context, &note);
    note_level(b, run, e);
}

/* Returns whether the batch ends although its frontier has neighbours. Collective if ranks divide the graph. */
static int is_ended(const struct batch *b, const struct batch_run *run)
{
    uint64_t left = run->targets != NULL ? run->targets->left_of_all : 0;
    if (run->targets != NULL && run->targets->ends)
        comm_sum_u64(b->graph->ghosts.comm, &left, 1);
    return batch_run_ends(run, b->levels.depth, left);
}

/* Returns whether the batch is to be given up after this level, because a search from each root by a single thread is
 * faster if roots share little work. This is so if the backend can do such searches, the batch has several roots, exactly
 * TRIAL_LEVELS levels have passed, the last of them was sparse, and few roots found the same vertices in the same level. Sums of
 * several batches cannot forget one of them, and a rank that has a part of the graph cannot search alone. */
static int is_shared_little(const struct batch *b, const struct batch_run *run)
{
    const struct batch_levels *l = &b->levels;
    return b->backend->open_single != NULL && !joined_graph_is_divided(b->graph) && l->depth == TRIAL_LEVELS && l->is_sparse &&
           l->all_finds < LEAST_SHARED * l->all_vertices && run->count > 1 && (run->sums == NULL || run->sums->batches == 0);
}

/* Searches from each root of *run by itself, by b->single_threads threads with a root each, and adds the time to run->seconds. With sums,
 * searches from a part of the roots at a time, whose distances are then added. */
static void run_singles(struct batch *b, struct batch_run *run, struct error *e)
{
    struct vertex_sums *sums = run->sums;
    const uint64_t first = sums != NULL ? sums->first : 0;
    if (sums != NULL && vertex_sums_open_part(sums, e) != ST_OK)
        return;
    const uint32_t rows = sums != NULL ? sums->rows : run->count;
    for (uint32_t done = 0; done < run->count; done += rows) {
        struct batch_run part = *run;
        part.roots += done;
        part.results += done;
        part.count = (uint32_t)smaller(run->count - done, rows);
        if (sums != NULL)
            sums->first = first + done;
        const double begun = cli_seconds();
        b->backend->run_single(b->search, &part, b->single_threads);
        run->seconds = part.seconds + cli_seconds() - begun;
        run->levels = part.levels;
        run->edges = part.edges;
        if (sums != NULL)
            vertex_sums_add_part(sums, part.count, b->pool, b->threads);
    }
}

/* Searches from all roots of *run level by level. Returns before the end if the batch is given up, and then sets b->single_threads. */
static void run_together(struct batch *b, struct batch_run *run, struct error *e)
{
    struct batch_levels *l = &b->levels;
    start(b, run, e);
    while (e->status == ST_OK && l->found.vertices > 0 && !is_ended(b, run) && b->single_threads == 0) {
        run_level(b, run, e);
        if (e->status == ST_OK && is_shared_little(b, run) && !is_ended(b, run))
            b->single_threads = b->backend->open_single(b->search);
    }
    /* A search that was not completed has left bits in the frontier and next words. With is_sparse at 0, the next start zeroes
     * these words. */
    l->is_sparse &= l->found.vertices == 0;
}

/* Searches from all roots of *run together. If the batch is given up, it is searched again from the beginning, root by root, and so are
 * all later batches. Fills in the results, seconds and counts of *run. */
enum status batch_run(struct batch *b, struct batch_run *run, struct error *e)
{
    if (b->backend->wake != NULL)
        b->backend->wake(b->search);
    run->levels = run->edges = run->bytes = run->sent = 0;
    run->seconds = 0;
    forget_notes(run);
    if (b->single_threads == 0)
        run_together(b, run, e);
    if (b->single_threads > 0) {
        forget_notes(run);
        run_singles(b, run, e);
    }
    if (run->sums != NULL)
        run->sums->batches++;
    run->bytes += run->edges * (4 + (b->single_threads > 0 ? 1 : 8 * (uint64_t)b->words));
    return check_notes(run, e);
}

/* Opens *b for searches in `graph` by `backend`. The caller calls batch_close even after a failure. */
enum status batch_open(struct batch *b, const struct batch_backend *backend, const struct joined_graph *graph,
                       const struct batch_setup *setup, struct error *e)
{
    *b = (struct batch){.backend = backend, .graph = graph, .threads = setup->threads, .words = setup->words,
                         .push_cost = setup->threads > 1 ? backend->push_cost : backend->push_cost_alone};
    b->levels.is_sparse = 1;
    pool_open(&b->pool, setup->threads, e);
    return comm_agree(graph->ghosts.comm, e) == ST_OK ? backend->open(&b->search, graph, setup, e) : e->status;
}

/* Frees the search of the backend. *b may be all zeros, or opened in part. It is not zeroed, so it must not be closed
 * twice. */
void batch_close(struct batch *b)
{
    if (b->backend != NULL)
        b->backend->close(b->search);
    pool_close(b->pool);
}
