/* batch_balls.h: for each root of a batch, the ball: the vertices that the search has reached, in the order of their distance.
 *
 * A ball takes memory and time for its own vertices, and none for the other vertices of the graph. */
#ifndef DBFS_BATCH_BALLS_H
#define DBFS_BATCH_BALLS_H

#include "batch_depths.h"

/* The vertices that one root has reached. */
struct ball {
    uint64_t *ids;            /* [count] input ids; those of a smaller distance come first */
    uint64_t count, capacity;
};

struct batch_balls {
    const struct joined_graph *graph;
    struct ball ball[BATCH_MOST];
    struct gathered_ids *gathered; /* [threads] what each thread has found, and not yet appended to the balls */
    int has_failed;                /* 1: memory was short, and `error` says for what */
    struct error error;
};

/* Opens *balls for levels that up to `threads` threads note. Balls are charged to the budget of the graph. The caller calls
 * batch_balls_close even after a failure. */
enum status batch_balls_open(struct batch_balls *balls, const struct joined_graph *graph, int threads, struct error *e);
void batch_balls_close(struct batch_balls *balls); /* frees all memory; *balls may be all zeros */

/* Empties the balls of `count` roots. Called when a batch begins, or begins again from the start. */
void batch_balls_begin(struct batch_balls *balls, uint32_t count);

/* Appends the vertices that a level has found to the balls. Called for each level, from level 0 on. For levels of single roots,
 * several threads may call the function at once, each with its own root. If memory is short, sets balls->has_failed. */
void batch_balls_note(struct batch_balls *balls, const struct batch_level *level);

/* Returns the first of the roots whose whole balls rank r gets, among `count` roots. */
static inline uint32_t batch_balls_of_rank(uint32_t count, uint32_t r, uint32_t ranks)
{
    return (uint32_t)((uint64_t)count * r / ranks);
}

/* Collective, if ranks divide the graph. Gives each rank the whole balls of its roots, and empties those of other roots. If a rank
 * fails, the call fails on all ranks. */
enum status batch_balls_move(struct batch_balls *balls, uint32_t count, struct error *e);

/* Makes the ball of root `number`, which has no edges, the root alone. `id` is its input id. */
void batch_balls_isolate(struct batch_balls *balls, uint32_t number, uint64_t id);

/* Sorts the ball of root `number`: vertices of the same distance by id. vertices[levels] is the number of vertices at each
 * distance. Several threads may call the function at once, each with its own root. */
void batch_balls_sort(struct batch_balls *balls, uint32_t number, const uint64_t *vertices, uint64_t levels);

#endif
