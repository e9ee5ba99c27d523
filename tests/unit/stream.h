/* stream.h: edge streams for the unit tests of the tools, in unlinked temporary files */
#ifndef DBFS_TESTS_STREAM_H
#define DBFS_TESTS_STREAM_H

#include "formats/edges/edges.h"
#include "formats/base/hash.h"
#include "tools/stream/edge_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STREAM_MAX_EDGES = 20000 };

struct stream {
    enum edges_direction direction;
    uint64_t n;
    size_t count;
    struct edge *edges;
};

_Noreturn static inline void stop_at(const struct error *e)
{
    printf("not ok - unexpected: %s\n", e->text);
    exit(1);
}

/* Makes about `count` edges over ids below n: self-loops, duplicates in both orientations, hubs at ids that depend
 * on the seed, and gaps, as ids divisible by 5 do not occur if n is above 20. */
static inline struct stream random_stream(uint64_t seed, uint64_t n, size_t count, int symmetric)
{
    struct stream s = {.direction = symmetric ? EDGES_SYMMETRIC : EDGES_UNDIRECTED_ONCE, .n = n};
    uint64_t counter = 0;
    s.edges = calloc(2 * count + 1, sizeof *s.edges);
    for (size_t i = 0; i < count; i++) {
        uint64_t ends[2];
        for (int j = 0; j < 2; j++) {
            uint64_t r = random64(seed, counter++), range = r % 3 == 0 ? n : n / (2 + r % 7) + 1;
            ends[j] = (random64(seed, counter++) % range + seed) % n;
            if (n > 20 && ends[j] % 5 == 0)
                ends[j]++;
            ends[j] %= n;
        }
        s.edges[s.count++] = (struct edge){ends[0], ends[1]};
        if (symmetric && ends[0] != ends[1])
            s.edges[s.count++] = (struct edge){ends[1], ends[0]};
    }
    return s;
}

static inline void write_stream(const struct stream *s, const char *path)
{
    struct error e = {0};
    struct outfile *out;
    struct edges_writer *writer = NULL;
    struct edges_info info = {.direction = s->direction, .provenance = "a test\n"};
    if (outfile_open(&out, path, &e) != ST_OK ||
        edges_writer_open(&writer, out, &info, &e) != ST_OK ||
        edges_writer_add(writer, s->edges, s->count, &e) != ST_OK ||
        edges_writer_finish(writer, s->n, NULL, &e) != ST_OK ||
        outfile_commit(out, NULL, &e) != ST_OK)
        stop_at(&e);
    edges_writer_free(writer);
}

/* Opens a source of these streams, in one process. */
static inline enum status open_source(struct edge_source *source, char *const *paths, size_t count,
                                      struct error *e)
{
    struct edge_inputs inputs;
    if (edge_inputs_open(&inputs, paths, count, 0, e) == ST_OK)
        edge_source_open(source, &inputs, "/tmp", &comm_alone, NULL, e);
    edge_inputs_close(&inputs);
    return e->status;
}

static inline struct edge_source open_stream(const struct stream *s)
{
    char path[64], *const paths[] = {path};
    struct error e = {0};
    struct edge_source source;
    snprintf(path, sizeof path, "/tmp/dbfs-unit.%ld.edges", (long)getpid());
    write_stream(s, path);
    if (open_source(&source, paths, 1, &e) != ST_OK)
        stop_at(&e);
    unlink(path);
    return source;
}

/* The degree by definition: edge ends in the doubled input, without self-loops. */
static inline uint64_t *plain_degrees(const struct stream *s)
{
    uint64_t *degree = calloc(s->n + 1, sizeof *degree);
    for (size_t i = 0; i < s->count; i++) {
        if (s->edges[i].u == s->edges[i].v)
            continue;
        degree[s->edges[i].u]++;
        if (s->direction != EDGES_SYMMETRIC)
            degree[s->edges[i].v]++;
    }
    return degree;
}

#endif
