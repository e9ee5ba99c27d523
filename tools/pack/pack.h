/* pack.h: packs an edge stream into a shard directory.
 *
 * There are two or three passes over the edges: the first counts degrees, the second, if TH is to be suggested, counts the edges
 * of nn, nd, dn and dd for each TH, and the last puts edges into buckets. If the edges stay in memory (edge_tiles.h), only the
 * first pass reads the stream. Then the shards are built and written, the last one first, then grid parts, if wanted, and the
 * manifest. README.md beside this file follows an edge through all steps.
 */
#ifndef DBFS_PACK_H
#define DBFS_PACK_H

#include "tools/pack/build/csr_build.h"
#include "tools/pack/grid/grid_write.h"
#include "tools/stream/edge_source.h"
#include "tools/spill/spill.h"
#include "formats/graph/manifest.h"
#include "formats/base/memory.h"
#include "formats/graph/shard.h"
#include "tools/pack/folder/pack_folder.h"
#include "tools/separate/suggest.h"

#include <stdint.h>

enum { PACK_MAX_P = 4096 };

struct pack_options {
    uint32_t p;
    const char *split_path; /* NULL: none */
    int th_given;
    uint64_t th;
    enum th_choice suggest_by; /* without both */
    enum shard_links links;    /* for that */
    int heads[SUBGRAPHS];
    enum pack_encoding encoding;
    int out_only; /* of a directed graph, without in-rows */
    struct grid_layout layout; /* grid parts are written, too, and directed edges refused */
    int threads;
    const char *folder;
    enum pack_folder_mode mode;
    struct spill *spill; /* for edges that the budget cannot hold; NULL: none */
};

/* The rows that a stream's edges are put into. */
static inline enum placed_rows pack_rows(const struct pack_options *options, const struct edges_info *info)
{
    if (info->direction != EDGES_DIRECTED)
        return ROWS_UNDIRECTED;
    return options->out_only ? ROWS_OUT : ROWS_OUT_AND_IN;
}

struct pack_times {
    double degrees, classes, order, buckets, build;
    double prove; /* reading the parts of an earlier run */
    double sync;  /* within build */
};

struct pack_report {
    struct edges_totals totals;
    uint64_t th, d;
    int suggested;
    struct suggestion suggestion; /* where it was suggested */
    uint64_t edges[SUBGRAPHS];
    uint32_t taken_over;     /* parts of an earlier run that were whole */
    int complete;            /* it was already, and nothing was written */
    uint32_t finished_parts; /* in place, after a failure too: --resume need not write them again */
    uint32_t unseen_parts;   /* on hosts whose folder is not that of the first rank */
    struct grid_report grid;
    struct pack_times seconds;
    uint64_t spilled_bytes;
};

/* Sets the bounds up to which a pipe with an open end (edge_source.h) can be read into tiles, in source->totals; keeps the pipe if there is
 * too little memory. Does nothing with other sources. */
enum status pack_bound_pipe(struct edge_source *source, const struct pack_options *options, const struct memory_budget *budget,
                            struct error *e);

/* Packs the edges of `source`. If the edges stay in memory, it frees the copy of a pipe that the source keeps. */
enum status pack(const struct pack_options *options, struct edge_source *source,
                 struct memory_budget *budget, struct pack_report *report, struct error *e);

#endif
