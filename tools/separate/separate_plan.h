/* separate_plan.h: plans the memory, disk space and passes of degree separation from the numbers of vertices and edges, without
 * reading the edges */
#ifndef DBFS_SEPARATE_PLAN_H
#define DBFS_SEPARATE_PLAN_H

#include "formats/edges/edges.h"
#include "formats/base/memory.h"
#include "separate.h"

#include <stdint.h>
#include <stdio.h>

struct separation_plan {
    struct edges_info info;
    struct edges_totals totals; /* from the trailers */
    uint64_t stream_bytes;      /* of one pass over all streams */
    uint64_t directed_edges;
    uint64_t ids; /* that passes give: n, or at most the ids that edges have (sparse_ids.h) */
    uint32_t windows;       /* of vertices */
    uint64_t values_bytes;  /* memory for their values */
    uint64_t tiles_bytes;   /* memory for edges that stay in memory; 0 if they do not */
    uint64_t tables_bytes;  /* self-loops, tables over degrees, a list of ids */
    uint64_t disk_bytes;    /* for windows, and for a stream that came from a pipe */
    uint64_t degree_passes, scan_passes; /* over the stream; scan: a pass that needs both ends */
};

/* `budget` is the one that the program starts with. */
enum status separation_plan_make(struct separation_plan *plan, const struct edge_source *source,
                                 const struct separation_options *options,
                                 const struct memory_budget *budget, struct error *e);

/* The certainty of a planned number. */
enum plan_quality { PLAN_EXACT, PLAN_AT_MOST, PLAN_ESTIMATE };

/* Prints a line "key value quality". */
void plan_print(FILE *stream, const char *key, uint64_t value, enum plan_quality quality);

/* Prints the lines about the stream and its vertices. */
void separation_plan_print(const struct separation_plan *plan, FILE *stream);

#endif
