/* batch_level.h: a level of a batch, as those who note what it found get it (batch_depths, batch_balls, batch_targets, vertex_sums) */
#ifndef DBFS_BATCH_LEVEL_H
#define DBFS_BATCH_LEVEL_H

#include "traverse/cpu/thread_pool.h"

#include <stddef.h>

/* The vertices that a level has found, in a search from all roots of a batch together, or in a search from a single root. */
struct batch_level {
    uint64_t depth;        /* distance of the found vertices from the roots that found them */
    int words;             /* number of 64-bit words per vertex in `found` */
    /* [vertices][words] bit r is set if root r found the vertex. NULL: root number `root` found each vertex of `list`. */
    const uint64_t *found;
    /* [count] the vertices with a bit in `found`. NULL: there is no list, and any vertex may have a bit in `found`. */
    const uint32_t *list;
    uint64_t count;        /* length of the list; the number of all vertices if there is no list */
    uint32_t root;         /* number of the single root within the batch; used only if `found` is NULL */
    /* used only if `found` is not NULL: number of roots of the batch; [roots] number of vertices that each root found */
    uint32_t roots;
    const uint64_t *found_by;
    struct thread_pool *pool; /* of the `threads` threads that may note a level of all roots */
    int threads;
};

/* A thread works on LEVEL_STEP entries of a level of all roots at a time: of its list or, without one, of all vertices. */
enum { LEVEL_STEP = 1024 };

/* Returns the vertex of entry i of a level of all roots. */
static inline uint64_t level_vertex(const struct batch_level *level, uint64_t i)
{
    return level->list != NULL ? level->list[i] : i;
}

/* Returns the words of `found` of a vertex: bit r of them is set if root r found it. */
static inline const uint64_t *level_found(const struct batch_level *level, uint64_t vertex)
{
    return level->found + vertex * (uint64_t)level->words;
}

/* Returns how many of the threads so many entries are worth. */
static inline int level_threads(uint64_t entries, int threads)
{
    return entries <= 7 * LEVEL_STEP ? 1 : threads;
}

/* Notes the entries begin..end of a level of all roots in `sink`, as thread number `thread`. */
typedef void level_body(void *sink, const struct batch_level *level, int thread, uint64_t begin, uint64_t end);

/* Runs `body` over `count` entries of a level of all roots, by the threads of level->pool. */
void level_run(const struct batch_level *level, uint64_t count, level_body *body, void *sink);

#endif
