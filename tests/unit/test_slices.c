/* test_slices.c: the slices of an edge stream make up the stream; each reader refuses damage in its slice */
#include "stream.h"
#include "unit.h"

#include "formats/edges/edges_scan.h"

#include <stdlib.h>
#include <string.h>

enum { EDGES = 10 * EDGES_BLOCK_EDGES + 17 };

/* Adds up the records of a pass, by a sum that does not depend on order. */
static enum status visit(void *context, int thread, const struct edge *edges, size_t count,
                         struct error *e)
{
    struct edges_totals own = {0}, *sums = context;
    (void)thread;
    (void)e;
    edges_tally(&own, EDGES_UNDIRECTED_ONCE, edges, count);
#pragma omp critical(test_slices)
    edges_tally_merge(sums, &own);
    return ST_OK;
}

static int same(const struct edges_totals *a, const struct edges_totals *b)
{
    return a->edges == b->edges && a->loops == b->loops && a->max_id == b->max_id &&
           a->checksum == b->checksum;
}

/* Makes one pass over slice `index` of `count`; expected NULL: the first pass. Its tally is added to `tally`. */
static enum status pass(const struct edge_source *source, uint32_t index, uint32_t count,
                        const struct edges_totals *expected, struct edges_totals *sums,
                        struct edges_totals *tally, struct error *e)
{
    struct edges_totals own;
    struct edges_scan scan = {.threads = 2, .visit = visit, .context = sums, .trailer = expected,
                               .proven = expected != NULL};
    if (e->status == ST_OK && edge_stream_open_reader(&source->stream[0], &scan.reader, e) == ST_OK &&
        edges_reader_slice(scan.reader, index, count, e) == ST_OK &&
        edges_scan_slice(&scan, &own, e) == ST_OK)
        edges_tally_merge(tally, &own);
    edges_reader_close(scan.reader);
    return e->status;
}

/* Both kinds of pass. */
static enum status passes(const struct edge_source *source, uint32_t index, uint32_t count,
                          const struct edges_totals *totals, struct edges_totals sums[2],
                          struct edges_totals tally[2], struct error *e)
{
    pass(source, index, count, NULL, &sums[0], &tally[0], e);
    return pass(source, index, count, totals, &sums[1], &tally[1], e);
}

static struct edges_totals whole(const struct edge_source *source)
{
    struct edges_totals totals, seen = {0};
    struct error e = {0};
    struct edges_reader *reader = NULL;
    if (edge_stream_open_reader(&source->stream[0], &reader, &e) != ST_OK ||
        edges_scan(reader, 1, visit, &seen, &totals, &e) != ST_OK)
        stop_at(&e);
    edges_reader_close(reader);
    return totals;
}

static int slices_make_the_stream(const struct edge_source *source,
                                  const struct edges_totals *totals, uint32_t count)
{
    struct edges_totals sums[2] = {{0}, {0}}, tally[2] = {{0}, {0}};
    struct error e = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (passes(source, i, count, totals, sums, tally, &e) != ST_OK)
            stop_at(&e);
    }
    return same(&sums[0], totals) && same(&sums[1], totals) && same(&tally[0], totals) &&
           tally[1].edges == totals->edges;
}

/* The status of a pass over each slice of a cut stream, and over the whole stream. */
static int cut_is_found(const struct edge_source *source, const char *path,
                        const struct edges_totals *totals, off_t bytes)
{
    int found = 1;
    if (truncate(path, bytes) != 0)
        return 0;
    for (uint32_t i = 0; i < 3; i++) {
        struct edges_totals sums[2] = {{0}, {0}}, tally[2] = {{0}, {0}};
        struct error first = {0}, further = {0};
        found &= pass(source, i, 3, NULL, sums, tally, &first) == ST_BAD_DATA;
        found &= pass(source, i, 3, totals, sums, tally, &further) == ST_BAD_DATA;
        found &= strstr(first.text, "without its trailer") != NULL;
        found &= strstr(further.text, "without its trailer") != NULL;
    }
    return found;
}

static int pipe_is_refused(void)
{
    int ends[2];
    struct error e = {0};
    struct edges_reader *reader = NULL;
    struct stream s = random_stream(5, 100, 10, 0);
    struct edge_source source = open_stream(&s);
    char bytes[4096];
    ssize_t got = pread(source.stream[0].fd, bytes, sizeof bytes, source.stream[0].start);
    if (pipe(ends) != 0 || write(ends[1], bytes, (size_t)got) != got)
        return 0;
    close(ends[1]);
    int refused = edges_reader_open_fd(&reader, ends[0], "a pipe", &e) == ST_OK &&
                  edges_reader_slice(reader, 0, 2, &e) == ST_RUNTIME;
    edges_reader_close(reader);
    edge_source_close(&source);
    free(s.edges);
    return refused;
}

int main(void)
{
    char path[64], *const paths[] = {path};
    struct error e = {0};
    struct edge_source source;
    struct stream s = random_stream(3, 100000, EDGES, 0);
    snprintf(path, sizeof path, "/tmp/dbfs-slices.%ld.edges", (long)getpid());
    write_stream(&s, path);
    if (open_source(&source, paths, 1, &e) != ST_OK)
        stop_at(&e);
    struct edges_totals totals = whole(&source);
    int ok = totals.edges == EDGES;
    for (uint32_t count = 1; count <= 13; count++)
        ok &= slices_make_the_stream(&source, &totals, count);
    report(ok, "slices of 1 to 13 readers are together the stream");
    off_t bytes = lseek(source.stream[0].fd, 0, SEEK_END);
    ok = 1;
    const off_t cuts[] = {bytes - 1, bytes - 64, bytes / 2, 999};
    for (int i = 0; i < 4; i++)
        ok &= cut_is_found(&source, path, &totals, cuts[i]);
    report(ok, "a cut is found by every slice");
    report(pipe_is_refused(), "a pipe has no slices");
    edge_source_close(&source);
    unlink(path);
    free(s.edges);
    return unit_result();
}
