/* fuzz_stream.c: an edge stream, read as a whole: preamble, blocks, trailer; with and without CRCs of blocks */
#include "fuzz.h"

#include "formats/edges/edges_scan.h"

#include <unistd.h>

static enum status visit(void *context, int thread, const struct edge *edges, size_t count,
                         struct error *e)
{
    uint64_t *sum = context;
    (void)thread;
    for (size_t i = 0; i < count; i++)
        *sum += edges[i].u ^ edges[i].v;
    return e->status;
}

static int scan(int file, enum edges_crcs crcs)
{
    struct edges_scan scan = {.threads = 1, .visit = visit, .crcs = crcs};
    struct edges_totals tally = {0}, totals;
    struct error e = {0};
    uint64_t sum = 0;
    scan.context = &sum;
    lseek(file, 0, SEEK_SET);
    int fd = dup(file);
    if (fd >= 0 && edges_reader_open_fd(&scan.reader, fd, "stream", &e) == ST_OK &&
        edges_scan_slice(&scan, &tally, &e) == ST_OK)
        edges_reader_finish(scan.reader, &tally, &totals, &e);
    edges_reader_close(scan.reader);
    return e.status == ST_OK;
}

int fuzz_one(const unsigned char *bytes, size_t size)
{
    struct edges_totals totals;
    int file;
    fuzz_file(bytes, size, &file);
    edges_peek_totals(file, &totals);
    int good = scan(file, EDGES_CRCS_CHECKED);
    return scan(file, EDGES_CRCS_LEFT) && good;
}
