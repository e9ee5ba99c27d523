/* level_kind.h: the kinds of levels; the C and the CUDA files share them */
#ifndef DBFS_LEVEL_KIND_H
#define DBFS_LEVEL_KIND_H

/* What runs a level, and the form of its frontier: sparse, as a list of vertices, or dense, as a bitmap. */
enum level_kind {
    LEVEL_STEPPED,      /* the level loop (loop.c), step by step */
    LEVEL_DENSE,        /* dense: pulls, and pushes of large frontiers */
    LEVEL_SPARSE,       /* sparse: pushed by one thread of a CPU, or by all blocks of a GPU */
    LEVEL_REGION,       /* sparse: by several threads of a CPU, in a parallel region of several levels */
    LEVEL_THREAD_GROUP, /* sparse: by a few blocks of a GPU, which need no others */
    LEVEL_BLOCK,        /* sparse: by one block of a GPU */
    /* of sliced searches on a GPU (cuda_sliced.h); the last three are dense */
    LEVEL_SLICED_BLOCK,  /* sparse: pushed by one block */
    LEVEL_SLICED_SPARSE, /* sparse: pushed by all blocks */
    LEVEL_SLICED_ALL,    /* all slices of unvisited rows look for a parent */
    LEVEL_SLICED_PULL,   /* unvisited rows look for a parent, each until it has one */
    LEVEL_SLICED_PUSH,   /* rows of the frontier are pushed */
    LEVEL_KINDS
};

#endif
