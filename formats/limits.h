/* limits.h: bounds that tools and traverse share; C and CUDA */
#ifndef DBFS_LIMITS_H
#define DBFS_LIMITS_H

/* A single GPU searches graphs of at most so many vertices and edges without classes of edges
 * (traverse/cuda/sliced/cuda_sliced.h). For them all TH take as long. */
enum {
    SLICED_MOST_VERTICES = 1 << 21,
    SLICED_NEAR_VERTICES = 1500000, /* the mask of so many fits into shared memory, beside the other arrays of a block */
    SLICED_MOST_EDGES = 1 << 27,
    SLICED_ALL_EDGES = 1 << 22      /* up to here each level reads all edges; beyond, rows */
};

#endif
