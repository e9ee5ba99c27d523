/* edges_scan.c: see edges_scan.h */
#include "edges_scan.h"

#include "formats/base/progress.h"

#include <omp.h>
#include <pthread.h>
#include <string.h>

/* The state that all threads of a pass share. Its lock is a pthread mutex, on which threads sleep: the thread that
 * reads may wait for a pipe, and the program that writes to the pipe needs the cores. OpenMP's locks would spin. */
struct pass {
    const struct edges_scan *scan;
    pthread_mutex_t lock;
    int ended; /* no further block: trailer read, or a failure somewhere */
    struct edges_totals tally;
    struct error *error;
};

/* Fails: a later pass has found another stream than the first. */
enum status edges_scan_changed(const char *name, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: the edge stream changed while it was read", name);
}

/* Takes the next block under the lock; returns 0 if there is none, or any thread failed. */
static int take_block(struct pass *p, struct edges_block *block)
{
    int taken = 0, end = 0;
    pthread_mutex_lock(&p->lock);
    if (!p->ended && (p->scan->stop == NULL || !__atomic_load_n(p->scan->stop, __ATOMIC_RELAXED))) {
        p->ended = edges_reader_take(p->scan->reader, block, &end, p->error) != ST_OK || end;
        taken = !p->ended;
    }
    pthread_mutex_unlock(&p->lock);
    return taken;
}

/* Called when a thread ends. Adds its tally to that of the pass, and keeps its failure unless another thread failed before. */
static void merge_thread(struct pass *p, const struct edges_totals *tally, const struct error *cause)
{
    pthread_mutex_lock(&p->lock);
    edges_tally_merge(&p->tally, tally);
    if (cause->status != ST_OK) {
        p->ended = 1;
        if (p->error->status == ST_OK)
            *p->error = *cause;
    }
    pthread_mutex_unlock(&p->lock);
}

static int all_below(const struct edge *edges, size_t count, uint64_t n)
{
    for (size_t i = 0; i < count; i++) {
        if (edges[i].u >= n || edges[i].v >= n)
            return 0;
    }
    return 1;
}

/* Checks that `id`, the largest so far, is one that the trailer and the provenance allow. */
static enum status check_id(const struct edges_scan *scan, uint64_t id, struct error *e)
{
    const char *name = edges_reader_name(scan->reader);
    if (scan->trailer != NULL && id >= scan->trailer->n)
        return fail(e, ST_BAD_DATA, "%s: trailer does not match the blocks: it says %llu vertices, and "
                    "there is an id %llu", name, (unsigned long long)scan->trailer->n,
                    (unsigned long long)id);
    if (scan->most_ids > 0 && id >= scan->most_ids)
        return fail(e, ST_BAD_DATA, "%s: provenance does not match the blocks: it says %llu vertices, "
                    "and there is an id %llu", name, (unsigned long long)scan->most_ids,
                    (unsigned long long)id);
    return ST_OK;
}

/* Decodes `count` edges from number `first` on, as this pass does: tallies them, or only compares ids with a proven n. */
static enum status decode_piece(const struct edges_scan *scan, struct edges_block *block,
                                size_t first, struct edge *edges, size_t count, struct error *e)
{
    const char *name = edges_reader_name(scan->reader);
    if (!scan->proven) {
        if (edges_decode_piece(block, edges_reader_info(scan->reader)->direction, name, first, edges, count, e) == ST_OK)
            check_id(scan, block->tally.max_id, e);
        return e->status;
    }
    /* no id exceeds the OR of all ids, so single ids are rarely compared */
    if (edges_decode_ids(block, first, edges, count) >= scan->trailer->n &&
        !all_below(edges, count, scan->trailer->n))
        return edges_scan_changed(name, e);
    block->tally = (struct edges_totals){.edges = first + count};
    return ST_OK;
}

/* Gives the edges of a block to the visitor, decoding a piece at a time, so that a piece is still in the first-level
 * cache when it is visited. */
static enum status scan_block(const struct edges_scan *scan, int thread, struct edges_block *block, struct error *e)
{
    struct edge edges[EDGES_VISIT_PIECE];
    size_t count = edges_block_count(block);
    if (edges_reader_fill(scan->reader, block, e) == ST_OK && scan->crcs == EDGES_CRCS_CHECKED)
        edges_check_block(block, edges_reader_name(scan->reader), e);
    for (size_t first = 0; first < count && e->status == ST_OK; first += EDGES_VISIT_PIECE) {
        size_t left = count - first, piece = left < EDGES_VISIT_PIECE ? left : EDGES_VISIT_PIECE;
        if (decode_piece(scan, block, first, edges, piece, e) == ST_OK && scan->visit != NULL)
            scan->visit(scan->context, thread, edges, piece, e);
    }
    progress_add(count);
    return e->status;
}

/* The work of each thread: takes blocks until none is left, and gives their edges to the visitor. */
static void scan_blocks(struct pass *p, int thread)
{
    struct error error = {0};
    struct edges_totals tally = {0};
    struct edges_block block = {0};
    edges_block_init(&block, &error);
    while (error.status == ST_OK && take_block(p, &block)) {
        if (scan_block(p->scan, thread, &block, &error) == ST_OK)
            edges_tally_merge(&tally, &block.tally);
    }
    merge_thread(p, &tally, &error);
    edges_block_free(&block);
}

/* Reads the stream, or the slice of its reader, to the end with all threads, and sets *tally. */
enum status edges_scan_slice(const struct edges_scan *scan, struct edges_totals *tally, struct error *e)
{
    struct pass p = {.scan = scan, .error = e};
    pthread_mutex_init(&p.lock, NULL);
#pragma omp parallel num_threads(scan->threads)
    scan_blocks(&p, omp_get_thread_num());
    pthread_mutex_destroy(&p.lock);
    *tally = p.tally;
    if (e->status != ST_OK || scan->trailer == NULL)
        return e->status;
    struct edges_totals totals;
    struct error cause = {0};
    if (edges_reader_finish(scan->reader, scan->trailer, &totals, &cause) != ST_OK || totals.n != scan->trailer->n)
        return edges_scan_changed(edges_reader_name(scan->reader), e);
    return ST_OK;
}

/* Makes the first pass over a whole stream, and compares its tally with the trailer, which *totals receives. */
enum status edges_scan(struct edges_reader *reader, int threads, edges_visitor visit,
                       void *context, struct edges_totals *totals, struct error *e)
{
    const struct edges_scan scan = {
        .reader = reader, .threads = threads, .visit = visit, .context = context};
    struct edges_totals tally;
    memset(totals, 0, sizeof *totals);
    if (edges_scan_slice(&scan, &tally, e) != ST_OK)
        return e->status;
    return edges_reader_finish(reader, &tally, totals, e);
}
