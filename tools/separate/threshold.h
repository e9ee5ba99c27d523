/* threshold.h: counts the edges of nn, nd, dn and dd for every TH, and suggests a TH by the paper's rule of memory. An edge is nn if
 * the larger degree of its ends is at most TH, and dd if the smaller degree is above TH. So two histograms of the edges, by the ranks
 * of the larger and of the smaller degree, give the exact counts for every TH at once (Pan et al., section III-A, figures 5 and 12). */
#ifndef DBFS_THRESHOLD_H
#define DBFS_THRESHOLD_H

#include "tools/stream/edge_source.h"
#include "formats/base/memory.h"
#include "formats/split.h"
#include "rank.h"

#include <stdint.h>

struct edge_ranks {
    uint64_t n, directed_edges;
    const struct ranks *ranks;
    /* [ranks->count + 1], for each cut between ranks: */
    uint64_t *nn;        /* directed edges with both ranks below it */
    uint64_t *dd;        /* directed edges with no rank below it */
    uint64_t *delegates; /* vertices not below it */
};

/* Counts the edges by rank, in one pass over them. ST_BAD_DATA if the totals of the stream have changed since the first pass. */
enum status edge_ranks_count(struct edge_ranks *er, const struct edge_supply *edges,
                             uint64_t directed_edges, struct vertex_ranks *rank_of,
                             const struct ranks *ranks, struct memory_budget *budget,
                             struct error *e);
void edge_ranks_free(struct edge_ranks *er, struct memory_budget *budget);

/* The counts for TH `th`. The row records `th` as it was given. */
struct sweep_row edge_ranks_row(const struct edge_ranks *er, uint64_t th);

/* Returns the bytes of all subgraphs on p devices by Table I of Pan et al.: 8n + 8dp + 4m + 4|Enn|. */
uint64_t table1_bytes(uint64_t n, uint64_t d, uint64_t p, uint64_t m, uint64_t nn);

/* Suggests a TH by the paper's rule of memory (section VI-B), made precise: of all TH with d <= 4n/p and fewer than 10% nn edges,
 * the one with the fewest bytes; among equals, the largest. If no TH meets both conditions, *both_met is 0 and the result is the
 * TH with the fewest nn edges among those with d <= 4n/p. */
uint64_t suggest_th(const struct edge_ranks *er, uint64_t p, int *both_met);

/* Makes the rows of the sweep, one for each of these TH: 0, 1, 2, 3, 4, 6, 8, 11, 16, ..., in steps of about the square root of
 * two, up to the largest degree; `th`; `other`; and an infinite one. *rows is allocated from the budget. */
enum status sweep_make(const struct edge_ranks *er, uint64_t th, uint64_t other,
                       struct sweep_row **rows, uint64_t *count, struct memory_budget *budget, struct error *e);

#endif
