/* edges_rescan.c: see edges_rescan.h */
#include "edges_rescan.h"
#include "edges_layout.h"

#include "formats/base/bytes.h"

#include <omp.h>
#include <string.h>

struct rescan {
    struct edges_reader *reader;
    edges_visitor visit;
    void *context;
    const struct edges_totals *expected;
    int ended; /* no further block: trailer read, or a failure somewhere */
    uint64_t edges;
    struct error *error;
};

enum status edges_rescan_changed(const char *name, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: the edge stream changed while it was read", name);
}

/* Takes the next block under the lock; returns 0 when there is none. */
static int take_block(struct rescan *s, struct edges_block *block)
{
    int taken = 0;
#pragma omp critical(edges_rescan_state)
    if (!s->ended) {
        int end = 0;
        s->ended = edges_reader_take(s->reader, block, &end, s->error) != ST_OK || end;
        taken = !s->ended;
    }
    return taken;
}

/* Decodes edges `first` to `first + count` of a block; returns the bits of all ids joined. */
static uint64_t decode_piece(const unsigned char *payload, unsigned width, size_t first,
                             size_t count, struct edge *edges)
{
    uint64_t joined = 0;
    if (width == 8) {
        memcpy(edges, payload + 16 * first, 16 * count);
        for (size_t i = 0; i < count; i++)
            joined |= edges[i].u | edges[i].v;
        return joined;
    }
    const uint32_t *ids = (const uint32_t *)(const void *)payload + 2 * first;
    for (size_t i = 0; i < count; i++) {
        edges[i].u = ids[2 * i];
        edges[i].v = ids[2 * i + 1];
        joined |= edges[i].u | edges[i].v;
    }
    return joined;
}

static int all_below(const struct edge *edges, size_t count, uint64_t n)
{
    for (size_t i = 0; i < count; i++) {
        if (edges[i].u >= n || edges[i].v >= n)
            return 0;
    }
    return 1;
}

static enum status visit_block(const struct rescan *s, int thread, struct edges_block *block,
                               struct error *e)
{
    struct edge edges[EDGES_VISIT_PIECE];
    const unsigned char *header = block->bytes, *payload = header + EDGES_BLOCK_HEADER_BYTES;
    size_t count = edges_block_count(block);
    unsigned width = get_u32(header + BLOCK_WIDTH_AT);
    if (edges_reader_fill(s->reader, block, e) != ST_OK ||
        edges_check_block(block, edges_reader_name(s->reader), e) != ST_OK)
        return e->status;
    for (size_t first = 0; first < count && e->status == ST_OK; first += EDGES_VISIT_PIECE) {
        size_t take = count - first < EDGES_VISIT_PIECE ? count - first : EDGES_VISIT_PIECE;
        /* the joined bits bound every id from above, so that ids are rarely compared one by one */
        if (decode_piece(payload, width, first, take, edges) >= s->expected->n &&
            !all_below(edges, take, s->expected->n))
            return edges_rescan_changed(edges_reader_name(s->reader), e);
        s->visit(s->context, thread, edges, take, e);
    }
    return e->status;
}

static void visit_blocks(struct rescan *s, int thread)
{
    struct error error = {0};
    struct edges_block block = {0};
    uint64_t edges = 0;
    edges_block_init(&block, EDGES_BLOCK_EDGES, &error);
    while (error.status == ST_OK && take_block(s, &block)) {
        visit_block(s, thread, &block, &error);
        edges += get_u32(block.bytes + BLOCK_COUNT_AT);
    }
#pragma omp critical(edges_rescan_state)
    {
        s->edges += edges;
        if (error.status != ST_OK) {
            s->ended = 1;
            if (s->error->status == ST_OK)
                *s->error = error;
        }
    }
    edges_block_free(&block);
}

enum status edges_rescan_slice(struct edges_reader *reader, int threads, edges_visitor visit,
                               void *context, const struct edges_totals *expected,
                               uint64_t *edges, struct error *e)
{
    struct rescan s = {.reader = reader, .visit = visit, .context = context, .expected = expected,
                       .error = e};
    struct edges_totals totals;
    struct error cause = {0};
#pragma omp parallel num_threads(threads)
    visit_blocks(&s, omp_get_thread_num());
    *edges = s.edges;
    if (e->status != ST_OK)
        return e->status;
    /* the trailer must be the one that the first pass found to fit the blocks */
    if (edges_reader_finish(reader, expected, &totals, &cause) != ST_OK || totals.n != expected->n)
        return edges_rescan_changed(edges_reader_name(reader), e);
    return ST_OK;
}

enum status edges_rescan(struct edges_reader *reader, int threads, edges_visitor visit,
                         void *context, const struct edges_totals *expected, struct error *e)
{
    uint64_t edges;
    if (edges_rescan_slice(reader, threads, visit, context, expected, &edges, e) != ST_OK)
        return e->status;
    return edges == expected->edges ? ST_OK
                                    : edges_rescan_changed(edges_reader_name(reader), e);
}
