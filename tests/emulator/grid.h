/* grid.h: the blocks of a kernel
 *
 * A block runs on a thread of the system, whose thread-local variables are its shared memory. Blocks of a cooperative
 * launch have threads of their own, as they wait for each other. The others run one after another.
 */
#ifndef EMULATOR_GRID_H
#define EMULATOR_GRID_H

#include <cstddef>
#include <functional>
#include <string>

namespace emulated {

struct grid {
    std::string name;
    unsigned blocks, threads;
    size_t shared_bytes;
    bool cooperative;
    std::function<void()> body; /* each lane runs it */
    int device;
};

/* This thread's shared memory whose size the launch gives: MOST_SHARED bytes of settings.h. */
unsigned char *dynamic_memory();

/* Runs a kernel to its end. */
void run_grid(const grid &what);

}

#endif
