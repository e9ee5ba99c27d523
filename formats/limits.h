/* limits.h: bounds that tools and traverse share; C and CUDA */
#ifndef DBFS_LIMITS_H
#define DBFS_LIMITS_H

/* A single GPU searches graphs of at most so many vertices and edges without classes of edges
 * (traverse/cuda/sliced/cuda_sliced.h). For them all TH take as long. */
enum {
    SLICED_MOST_VERTICES = 1 << 21,
    SLICED_NEAR_VERTICES = 1500000, /* the mask of so many fits into shared memory, beside the other arrays of a block */
    SLICED_FAR_DEGREE = 8,          /* of the mean vertex, at least, where there are more: grids of 1400 take longer so */
    SLICED_MOST_EDGES = 1 << 27,
    SLICED_ALL_EDGES = 1 << 22      /* up to here each level reads all edges; beyond, rows */
};

/* Whether such a search takes so many vertices, and edges counted from both ends. A macro, as an emulated GPU has other
 * bounds. */
#define SLICED_TAKES(vertices, edges) \
    ((edges) <= SLICED_MOST_EDGES && (vertices) <= SLICED_MOST_VERTICES && \
     ((vertices) <= SLICED_NEAR_VERTICES || (edges) >= SLICED_FAR_DEGREE * (vertices)))

#endif
