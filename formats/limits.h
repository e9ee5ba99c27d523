/* limits.h: bounds that tools and traverse share; C and CUDA */
#ifndef DBFS_LIMITS_H
#define DBFS_LIMITS_H

/* A single GPU searches a small graph by slices (traverse/cuda/sliced/cuda_sliced.h), without separating its edges into
 * nn, nd, dn and dd. So every TH takes the same time, and tools and traverse must agree on which graphs are small. These are the
 * bounds of an H200, for which TH is chosen. A GPU with less shared memory searches fewer graphs so (cuda_traits.h). */
enum {
    SLICED_MOST_VERTICES = 1 << 21,
    SLICED_NEAR_VERTICES = 1585000, /* as many bits of a bitmap as fit into shared memory, beside other arrays */
    SLICED_FLAT_VERTICES = 1500000, /* graphs up to here may have any mean degree */
    SLICED_FAR_DEGREE = 7,          /* the least mean degree of larger sliced graphs: grids of 1250 x 1250 take 1.36 times as long sliced */
    SLICED_MOST_EDGES = 1 << 27,
    SLICED_ALL_EDGES = 1 << 22      /* up to here each level reads all edges; beyond, in most graphs, rows (gpu_slices_have_heads) */
};

/* Nonzero if a graph is searched by slices on a GPU with these bounds of vertices. `edges` are counted from both ends. It is a
 * macro because the emulated GPU of the tests has other bounds. */
#define SLICED_TAKES(vertices, edges, near_vertices, most_vertices) \
    ((edges) <= SLICED_MOST_EDGES && (vertices) <= (most_vertices) && \
     (((vertices) <= (near_vertices) && (vertices) <= SLICED_FLAT_VERTICES) || (edges) >= SLICED_FAR_DEGREE * (vertices)))

#endif
