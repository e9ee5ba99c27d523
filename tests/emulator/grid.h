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
    unsigned cluster; /* blocks of one; 1: there are none */
    bool cooperative;
    std::function<void()> body; /* of each lane */
    int device;
};

struct cluster {
    unsigned blocks, first;           /* how many; the first one's number */
    std::atomic<unsigned> left;       /* that have not ended */
    std::atomic<unsigned> arrived;    /* at the barrier, summed up */
    std::atomic<unsigned> passed;     /* barriers */
    std::atomic<char *> memory[MOST_CLUSTER]; /* the place of each block's thread-local variables */
};

/* The shared memory whose size the launch says, of this thread: MOST_SHARED bytes of settings.h. */
unsigned char *dynamic_memory();

/* Runs a kernel to its end. */
void run_grid(const grid &what);

/* A block waits until all blocks of its cluster have come. */
void meet_cluster(cluster &c);

}

#endif
