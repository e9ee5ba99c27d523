/* batch_search.c: the levels of a batch, and the choice of their kind (batch_search.h) */
#include "batch_search.h"

#include "formats/base/arith.h"
#include "formats/base/cli.h"

#include <string.h>

/* A level is sparse if its frontier has fewer edges than 1 / SPARSE_SHARE of the number of vertices. In a dense level a
 * root pulls if its frontier has more than 1 / PULL_SHARE of the edges that the root has not found yet; after a sparse
 * level the edges of each root's frontier are not known, and count as 0. All roots pull if the edges to push, times
 * PUSH_COST, are more than the edges of all rows that still lack a root. */
enum { SPARSE_SHARE = 8, PULL_SHARE = 15, PUSH_COST = 2 };

/* A batch is given up after TRIAL_LEVELS levels if a vertex of a frontier was found, on average, by fewer than
 * LEAST_SHARED roots at once. */
enum { TRIAL_LEVELS = 16, LEAST_SHARED = 4 };

/* Takes over the counts l->found of the level that has just ended: sets the roots with a frontier and the visits in
 * *l, lowers the edges left to each root, and adds the new vertices to run->results and the edges read to run->edges.
 * Called after the start and after each level. */
static void take_found(struct batch_levels *l, struct batch_run *run)
{
    memset(l->roots, 0, sizeof l->roots);
    l->visits = 0;
    for (uint32_t r = 0; r < run->count; r++) {
        if (l->found.count[r] == 0)
            continue;
        l->roots[r / 64] |= UINT64_C(1) << (r % 64);
        l->visits += l->found.count[r];
        l->left[r] -= smaller(l->found.weight[r], l->left[r]);
        batch_result_add(&run->results[r], l->depth, l->found.count[r]);
    }
    l->all_vertices += l->found.vertices;
    l->all_visits += l->visits;
    run->edges += l->found.read;
}

/* Notes the distances of the present frontier, if they are wanted and the frontier is not empty. Subtracts the time of this
 * from run->seconds. Does nothing after an error. */
static void note_depths(struct batch *b, struct batch_run *run, struct error *e)
{
    struct batch_level level = {.depth = b->levels.depth, .words = b->words, .count = b->graph->vertices};
    if (e->status != ST_OK || !batch_depths_wanted(run->depths) || b->levels.found.vertices == 0)
        return;
    double start = cli_seconds();
    b->backend->show(b->search, &b->levels, &level, e);
    if (e->status == ST_OK)
        batch_depths_note(run->depths, &level);
    run->seconds -= cli_seconds() - start;
}

/* Starts a batch: resets run->results and b->levels, and lets the backend make the roots the frontier, as a list of
 * depth 0. */
static void start(struct batch *b, struct batch_run *run, struct error *e)
{
    struct batch_levels *l = &b->levels;
    for (uint32_t r = 0; r < run->count; r++) {
        run->results[r] = (struct batch_result){.reached = run->roots[r] == JOINED_NOWHERE};
        l->left[r] = b->graph->push->edges;
    }
    l->rows_left = b->graph->pull->edges;
    l->depth = l->all_vertices = l->all_visits = 0;
    memset(l->pulls, 0, sizeof l->pulls);
    b->backend->start(b->search, run, l, e);
    l->is_sparse = 1;
    if (e->status == ST_OK)
        take_found(l, run);
    note_depths(b, run, e);
}

/* Chooses which of roots 0..roots pull in the coming dense level. Sets l->pulls, and l->pushes if a root with a frontier
 * does not pull. On entry l->pulls and l->pushes are zero. */
static void choose_pulls(struct batch_levels *l, uint32_t roots)
{
    uint64_t pushed = 0;
    for (uint32_t r = 0; r < roots; r++) {
        int pull = l->found.weight[r] > l->left[r] / PULL_SHARE;
        l->pulls[r / 64] |= (uint64_t)pull << (r % 64);
        pushed += pull ? 0 : l->found.weight[r];
    }
    pushed = l->is_sparse ? l->found.edges : smaller(pushed, l->found.edges);
    if (pushed * PUSH_COST > l->rows_left)
        memset(l->pulls, 0xff, sizeof l->pulls);
    for (int j = 0; j < BATCH_MOST_WORDS; j++) {
        l->pulls[j] &= l->roots[j];
        l->pushes |= l->pulls[j] != l->roots[j];
    }
}

/* Runs one level: chooses its kind and the roots that pull, lets the backend find the next frontier, adds the work to the
 * counts of the run, reports it to run->note, and notes the distances of the found vertices. */
static void run_level(struct batch *b, struct batch_run *run, struct error *e)
{
    struct batch_levels *l = &b->levels;
    const uint64_t vertices = b->graph->vertices;
    const int sparse = l->found.edges < vertices / SPARSE_SHARE;
    struct batch_note note = {
        .depth = l->depth + 1, .is_sparse = sparse, .vertices = l->found.vertices, .edges = l->found.edges};
    note.seconds = -cli_seconds();
    memset(l->pulls, 0, sizeof l->pulls);
    l->pushes = sparse;
    if (!sparse)
        choose_pulls(l, run->count);
    run->bytes += (sparse ? l->found.vertices : vertices) * (16 * (uint64_t)b->words + 8);
    b->backend->visit(b->search, sparse, l, e);
    l->is_sparse = sparse;
    l->depth++;
    run->levels++;
    if (e->status != ST_OK)
        return;
    take_found(l, run);
    note.seconds += cli_seconds();
    note.read = l->found.read;
    for (int j = 0; j < BATCH_MOST_WORDS; j++)
        note.pulls += (uint32_t)__builtin_popcountll(l->pulls[j]);
    if (run->note != NULL)
        run->note(run->context, &note);
    note_depths(b, run, e);
}

/* Returns whether the batch is to be given up: the backend can search from single roots, TRIAL_LEVELS levels have
 * passed, and so few roots shared their visits that a search from each root by one thread is faster. */
static int is_shared_little(const struct batch *b, const struct batch_run *run)
{
    const struct batch_levels *l = &b->levels;
    return b->backend->open_single != NULL && l->depth == TRIAL_LEVELS && l->is_sparse &&
           l->all_visits < LEAST_SHARED * l->all_vertices && run->count > 1;
}

/* Searches from all roots together, level by level. If the batch is given up after some levels, or an earlier batch was,
 * searches from each root by one thread; b->single_threads is the number of threads then. */
enum status batch_run(struct batch *b, struct batch_run *run, struct error *e)
{
    struct batch_levels *l = &b->levels;
    if (b->backend->wake != NULL)
        b->backend->wake(b->search);
    run->levels = run->edges = run->bytes = 0;
    batch_depths_begin(run->depths, run->count);
    run->seconds = -cli_seconds();
    if (b->single_threads == 0) {
        start(b, run, e);
        while (e->status == ST_OK && l->found.vertices > 0 && b->single_threads == 0) {
            run_level(b, run, e);
            if (e->status == ST_OK && is_shared_little(b, run))
                b->single_threads = b->backend->open_single(b->search);
        }
        l->is_sparse &= l->found.vertices == 0; /* 0 makes the next start zero the words of the frontier */
    }
    if (b->single_threads > 0) {
        run->seconds += cli_seconds();
        batch_depths_begin(run->depths, run->count);
        run->seconds -= cli_seconds();
        b->backend->run_single(b->search, run, b->single_threads);
    }
    run->seconds += cli_seconds();
    run->bytes += run->edges * (4 + (b->single_threads > 0 ? 1 : 8 * (uint64_t)b->words));
    return e->status;
}

/* Opens *b for searches in `graph` by `backend`; batch_close closes it, also after an error. */
enum status batch_open(struct batch *b, const struct batch_backend *backend, const struct joined_graph *graph,
                       const struct batch_setup *setup, struct error *e)
{
    *b = (struct batch){.backend = backend, .graph = graph, .words = setup->words};
    b->levels.is_sparse = 1;
    return backend->open(&b->search, graph, setup, e);
}

/* Closes the backend's search; *b may be zeroed. */
void batch_close(struct batch *b)
{
    if (b->backend != NULL)
        b->backend->close(b->search);
}
