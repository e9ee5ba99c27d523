/* grid.h: the blocks of a kernel
 *
 * A block runs on a thread of the system, whose thread-local variables are its shared memory. Blocks of a cooperative
 * launch have threads of their own, as they wait for each other. The others run one after another.
 */
#ifndef EMULATOR_GRID_H
#define EMULATOR_GRID_H

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>

namespace emulated {

enum { MOST_CLUSTER = 16 };

struct grid {
    std::string name;
    unsigned blocks, threads;
    size_t shared_bytes;
    unsigned cluster; /* in a cluster; 1: there are no clusters */
    bool cooperative;
    std::function<void()> body; /* each lane runs it */
    int device;
};

struct cluster {
    unsigned blocks, first;           /* number of blocks, number of the first one */
    std::atomic<unsigned> left;       /* blocks that have not ended */
    std::atomic<unsigned> arrived;    /* blocks that came to the barrier, in all meetings */
    std::atomic<unsigned> passed;     /* barriers that are over */
    std::atomic<char *> memory[MOST_CLUSTER]; /* the place of each block's thread-local variables */
};

/* This thread's shared memory whose size the launch gives: MOST_SHARED bytes of settings.h. */
unsigned char *dynamic_memory();

/* Runs a kernel to its end. */
void run_grid(const grid &what);

/* Waits in a block until all blocks of its cluster have come. */
void meet_cluster(cluster &c);

}

#endif
