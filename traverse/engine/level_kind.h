/* level_kind.h: the kinds of levels, for C and CUDA files */
#ifndef DBFS_LEVEL_KIND_H
#define DBFS_LEVEL_KIND_H

/* Which code runs a level, and whether the level's frontier is sparse (a list of vertices) or dense (a bitmap). */
enum level_kind {
    LEVEL_STEPPED,      /* run by the level loop (loop.c), step by step */
    LEVEL_DENSE,        /* dense: a pull, or a push of a large frontier */
    LEVEL_SPARSE,       /* sparse: pushed by one thread of a CPU, or by all blocks of a GPU */
    LEVEL_REGION,       /* sparse: pushed by several threads of a CPU, in a parallel region that spans several levels */
    LEVEL_ROUND,        /* sparse: pushed by several threads of a CPU, which search several levels between two barriers (cpu_local.c) */
    LEVEL_THREAD_GROUP, /* sparse: pushed by blocks of a GPU, each of which visits what it found in the level before */
    LEVEL_BLOCK,        /* sparse: pushed by one block of a GPU */
    /* Sliced searches on a GPU (cuda_sliced.h). Kinds ALL, PULL and PUSH are dense. */
    LEVEL_SLICED_BLOCK,  /* sparse: pushed by one block */
    LEVEL_SLICED_SPARSE, /* sparse: pushed by all blocks */
    LEVEL_SLICED_ALL,    /* each slice (four columns) of the unvisited rows looks for a parent by itself */
    LEVEL_SLICED_PULL,   /* each unvisited row reads its slices until it has found a parent */
    LEVEL_SLICED_PUSH,   /* rows of the frontier are pushed */
    LEVEL_SLICED_NONE,   /* left out, as all vertices were visited */
    LEVEL_KINDS
};

#endif
