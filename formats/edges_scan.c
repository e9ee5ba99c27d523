/* edges_scan.c: see edges_scan.h */
#include "edges_scan.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

struct scan {
    struct edges_reader *reader;
    enum edges_crcs crcs;
    edges_visitor visit;
    void *context;
    int ended; /* no further block: trailer read, or a failure somewhere */
    struct edges_totals tally;
    struct error *error;
};

/* Takes the next block under the lock; returns 0 when there is none. */
static int take_block(struct scan *s, struct edges_block *block)
{
    int taken = 0;
#pragma omp critical(edges_scan_state)
    if (!s->ended) {
        int end = 0;
        s->ended = edges_reader_take(s->reader, block, &end, s->error) != ST_OK || end;
        taken = !s->ended;
    }
    return taken;
}

static void end_with(struct scan *s, const struct error *cause)
{
#pragma omp critical(edges_scan_state)
    {
        s->ended = 1;
        if (s->error->status == ST_OK)
            *s->error = *cause;
    }
}

/* A piece at a time, so that it is still in the first cache when it is visited. */
static enum status scan_block(struct scan *s, int thread, struct edges_block *block,
                              struct error *e)
{
    struct edge edges[EDGES_VISIT_PIECE];
    enum edges_direction direction = edges_reader_info(s->reader)->direction;
    const char *name = edges_reader_name(s->reader);
    size_t count = edges_block_count(block);
    if (edges_reader_fill(s->reader, block, e) == ST_OK && s->crcs == EDGES_CRCS_CHECKED)
        edges_check_block(block, name, e);
    for (size_t first = 0; first < count && e->status == ST_OK; first += EDGES_VISIT_PIECE) {
        size_t take = count - first < EDGES_VISIT_PIECE ? count - first : EDGES_VISIT_PIECE;
        if (edges_decode_piece(block, direction, name, first, edges, take, e) == ST_OK &&
            s->visit != NULL)
            s->visit(s->context, thread, edges, take, e);
    }
    return e->status;
}

static void scan_blocks(struct scan *s, int thread)
{
    struct error error = {0};
    struct edges_totals tally = {0};
    struct edges_block block = {0};
    edges_block_init(&block, EDGES_BLOCK_EDGES, &error);
    while (error.status == ST_OK && take_block(s, &block)) {
        if (scan_block(s, thread, &block, &error) == ST_OK)
            edges_tally_merge(&tally, &block.tally);
    }
    if (error.status != ST_OK)
        end_with(s, &error);
#pragma omp critical(edges_scan_state)
    edges_tally_merge(&s->tally, &tally);
    edges_block_free(&block);
}

enum status edges_scan_slice(struct edges_reader *reader, enum edges_crcs crcs, int threads,
                             edges_visitor visit, void *context, struct edges_totals *tally,
                             struct error *e)
{
    struct scan s = {.reader = reader, .crcs = crcs, .visit = visit, .context = context, .error = e};
#pragma omp parallel num_threads(threads)
    scan_blocks(&s, omp_get_thread_num());
    *tally = s.tally;
    return e->status;
}

enum status edges_scan(struct edges_reader *reader, int threads, edges_visitor visit,
                       void *context, struct edges_totals *totals, struct error *e)
{
    struct edges_totals tally;
    memset(totals, 0, sizeof *totals);
    if (edges_scan_slice(reader, EDGES_CRCS_CHECKED, threads, visit, context, &tally, e) != ST_OK)
        return e->status;
    return edges_reader_finish(reader, &tally, totals, e);
}
