/* results.h: what a search reached: counts, checksums, and depths and parents by original id */
#ifndef DBFS_RESULTS_H
#define DBFS_RESULTS_H

#include "traverse/rank_devices.h"

#include "formats/name_map.h"

/* Counts over all ranks. An edge is an undirected input edge with an end that was reached. */
struct reach {
    uint64_t vertices;      /* the root included */
    uint64_t edges;         /* as in Graph500's specification: with duplicates and self-loops */
    uint64_t edges_no_loops;/* as in its reference code: without self-loops */
    uint64_t edges_kept;    /* deduplicated, without self-loops */
    uint64_t levels;        /* largest depth + 1 */
    uint64_t checksum;      /* over (original id, depth) of the vertices reached */
};

struct results;

/* Allocates arrays over the vertices of this rank: for depths; with `parents` for parents; with `output` for
 * the index by id that results_write needs. */
enum status results_open(struct results **results, const struct rank *rank, int parents,
                         int output, struct error *e);
void results_close(struct results *results); /* NULL is allowed */

/* Collective. Fetches the depths of the last search and counts. */
enum status results_collect(struct results *results, const struct root *root, struct reach *reach,
                            struct error *e);

/* Collective, after results_collect. Gives every vertex its parent. A delegate gets the smallest id that any
 * device found. A normal vertex reached over an nn edge asks the owners of its neighbours. */
enum status results_parents(struct results *results, struct error *e);

enum result_kind { RESULT_DEPTHS, RESULT_PARENTS };

/* Collective. Rank 0 writes a file. A %d in its name stands for the original id of the root. A name that ends
 * in .npy gives an array indexed by id (depths int32, parents int64). Otherwise the file has lines "id
 * value", or with a `map` (of rank 0; NULL: none) lines of name, tab, and depth or name. -1: unreached. */
enum status results_write(struct results *results, enum result_kind kind, const struct root *root,
                          const char *name, const struct name_map *map, struct error *e);

#endif
