/* edge_union.h: several edge streams as one graph.
 *
 * The totals of the union are those of a single stream with all edges: numbers of edges and checksums add up, n is the largest.
 * If rmatgen made all streams, as pieces of one graph (`--first`, `--count`), the union has the provenance of that graph, else
 * the lines that all streams have.
 *
 * Streams that contradict each other are refused: different directions or randomisations of ids, pieces of different graphs,
 * pieces that overlap, and ids that were numbered stream by stream. Streams whose ids begin at 0 and at 1 are refused, too, unless
 * the user has said where those of the graph begin: the first vertices of all streams are then one vertex.
 */
#ifndef DBFS_EDGE_UNION_H
#define DBFS_EDGE_UNION_H

#include "edge_inputs.h"

#include "formats/edges/edges.h"

#include <stdint.h>
#include <stdio.h>

enum { STREAM_NAME_BYTES = 1024 };

/* What a stream says of itself. There are no pointers in it, so that ranks can exchange it. */
struct stream_facts {
    char name[STREAM_NAME_BYTES];
    uint64_t bytes;
    struct edges_info info;
    struct edges_totals totals;
};

struct stream_piece;

struct edge_union {
    enum base_choice base; /* set by the caller, before the first stream */
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

/* Adds a stream to a union, which is zeroed at first, but for its base. ST_BAD_DATA names the stream and the one that it contradicts. */
enum status edge_union_add(struct edge_union *u, const struct stream_facts *facts, struct error *e);

/* Call it after all were added. */
void edge_union_finish(struct edge_union *u);
void edge_union_free(struct edge_union *u); /* a zeroed union is allowed */

/* Returns how many edges of the generated graph are in none of its streams; 0 for a graph that rmatgen did not make. */
uint64_t edge_union_missing(const struct edge_union *u);

/* Sets n and the number of edges of a stream from its provenance, before its trailer can be read. Returns 0 if that is not
 * possible, because rmatgen did not make the stream. */
int edge_union_expect(const char *provenance, struct edges_totals *expected);

#endif
