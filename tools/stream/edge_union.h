/* edge_union.h: several edge streams as one graph.
 *
 * Its totals are those of a single stream with all edges: numbers of edges and checksums add up, n
 * is the largest. Its provenance is that of this stream if rmatgen made all of them, as pieces of
 * one graph (`--first`, `--count`); else it has the lines that all of them have.
 *
 * Streams that contradict each other are refused: a direction or a randomisation of ids that differs, pieces
 * of different graphs, pieces that overlap, and ids that were numbered stream by stream.
 */
#ifndef DBFS_EDGE_UNION_H
#define DBFS_EDGE_UNION_H

#include "formats/edges/edges.h"

#include <stdint.h>
#include <stdio.h>

enum { STREAM_NAME_BYTES = 1024 };

/* A stream's own account of itself. It has no pointers, so that ranks can exchange it. */
struct stream_facts {
    char name[STREAM_NAME_BYTES];
    uint64_t bytes;
    struct edges_info info;
    struct edges_totals totals;
};

struct stream_piece;

struct edge_union {
    uint64_t streams, bytes;
    struct edges_info info; /* its provenance is final after edge_union_finish */
    struct edges_totals totals;
    char first[STREAM_NAME_BYTES]; /* the name of the first stream */
    char *names;                   /* of all, each followed by a newline; owned */
    size_t names_bytes;
    struct stream_piece *piece; /* [pieces], by the first edge; owned */
    size_t pieces;
    int generated;         /* rmatgen made all of them: */
    uint64_t graph_edges;  /* the edges of the whole graph */
    uint64_t piece_edges;  /* the edges of the pieces */
    char common[EDGES_MAX_PROVENANCE_BYTES]; /* the lines of their provenance, except those of pieces */
};

/* Adds a stream to a union that was zeroed. ST_BAD_DATA names the stream, and the one that it contradicts. */
enum status edge_union_add(struct edge_union *u, const struct stream_facts *facts, struct error *e);

/* Call it after all were added. */
void edge_union_finish(struct edge_union *u);
void edge_union_free(struct edge_union *u); /* a zeroed union is allowed */

/* The edges of the generated graph that none of the streams has; 0 for other graphs. */
uint64_t edge_union_missing(const struct edge_union *u);

/* Expects n and the edges of a stream by its provenance, before its trailer is there. Nonzero if rmatgen made the
 * stream. */
int edge_union_expect(const char *provenance, struct edges_totals *expected);

#endif
