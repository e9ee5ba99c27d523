/* joined_rows.h: the rows of a joined graph in device memory, for kernels */
#ifndef DBFS_JOINED_ROWS_H
#define DBFS_JOINED_ROWS_H

#include <stdint.h>

/* The arrays of a struct joined_rows (joined_graph.h) in device memory. */
struct gpu_rows {
    const uint64_t *offsets;
    const uint32_t *columns;
};

#ifdef __CUDACC__
/* Returns the number of edges of vertex v. Any thread may call it. */
__device__ static inline uint64_t row_edges(const gpu_rows &rows, uint64_t v)
{
    return rows.offsets[v + 1] - rows.offsets[v];
}
#endif

#endif
