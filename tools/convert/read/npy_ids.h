/* npy_ids.h: the ids of edges in arrays of NumPy; what the readers of .npy and .npz share */
#ifndef DBFS_NPY_IDS_H
#define DBFS_NPY_IDS_H

#include "graph_reader.h"
#include "npy_array.h"

/* Sets which ids are allowed. In arrays of a signed type no id may be negative, not even if ids are to be numbered. */
void npy_limit_ids(struct graph_reader *r, const struct npy_array *array);

/* Makes the ids of a piece 0-based. Refuses the first id out of range, and names its row, counted from piece->in.range_begin.
 * `u` and `v` are the arrays that the two ends come from; NULL for ends that are the numbers of rows. */
enum status npy_rebase_ids(const struct graph_reader *r, struct piece *piece, const struct npy_array *u,
                           const struct npy_array *v, struct error *e);

#endif
