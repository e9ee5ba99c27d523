/* lanes.h: the threads of a block, its lanes, as fibers of one thread of the system
 *
 * One lane runs until it waits for others, at a barrier or in an operation of its warp. Then another lane
 * continues, of the same warp or of another one, as the seed decides. Lanes that wait for something outside the
 * block are asleep: they look again when no other lane can continue. */
#ifndef EMULATOR_LANES_H
#define EMULATOR_LANES_H

#include "context.h"
#include "grid.h"
#include "report.h"

#include <cstdint>

namespace emulated {

enum { WARP_LANES = 32, MOST_WARPS = 32 };

enum warp_operation { WARP_SYNC, WARP_SHUFFLE, WARP_BALLOT, WARP_MATCH, WARP_ADD, WARP_MAX };

struct lane {
    context place;
    site at; /* the place at which it waits */
    uint64_t value, result;
    unsigned source; /* the lane that a shuffle reads */
};

/* Lanes of a warp that the mask names, and that wait for each other. */
struct meeting {
    unsigned mask, arrived;
    warp_operation operation;
};

/* The lanes of a warp, a bit each. Lanes in no mask but `alive` wait in a meeting, or run. */
struct warp {
    unsigned alive, ready, asleep, at_barrier, gathering;
    unsigned meetings;
    meeting met[WARP_LANES];
    lane lanes[WARP_LANES];
};

/* The barrier of a block. */
struct block_barrier {
    unsigned waiting; /* lanes */
    site at;
    bool sum, last_sum; /* of __syncthreads_or */
};

/* the time in which all lanes have been asleep or waiting */
struct block_idle {
    unsigned times;
    double since;
};

struct block {
    const grid *what;
    unsigned index, warps;
    unsigned alive; /* lanes that have not ended */
    block_barrier barrier;
    block_idle idle;
    warp *own;          /* the warp and the lane that run */
    unsigned lane_index;
    context main; /* the thread of the system */
    bool seeded;
    uint64_t random;
    warp all[MOST_WARPS];
};

extern __thread block *running; /* this thread's block */

/* Runs a block from its begin to its end. */
void run_block(const grid &what, unsigned index);

/* Makes the running lane wait and continues with another one. The masks of its warp say what it waits for. */
void leave_lane();

/* Lets other lanes continue before the running lane looks again. */
void sleep_lane(site at);

/* Continues with another lane now and then, if there is a seed. */
void maybe_change_lanes();

uint64_t next_random(block &b);

inline unsigned own_bit(const block &b)
{
    return 1u << b.lane_index;
}

inline lane &own_lane(block &b)
{
    return b.own->lanes[b.lane_index];
}

/* warp.cc: ends meetings after a lane of the warp has ended, as nobody waits for it. */
void finish_meetings(warp &w);

/* warp.cc: answers lanes that ask who is with them, when no lane of the block can continue. */
void finish_gathering(warp &w);

}

#endif
