/* thread_state.h: data that a thread of the system keeps from block to block
 *
 * All other thread-local variables of the program are shared memory of kernels, or are set for each block. They
 * can be overwritten between two blocks. */
#ifndef EMULATOR_THREAD_STATE_H
#define EMULATOR_THREAD_STATE_H

#include "include/cuda_runtime_api.h"

#include <cstddef>
#include <vector>

namespace emulated {

struct block;

struct late_store {
    unsigned long long *to, value;
};

struct thread_state {
    block *kept = nullptr;            /* memory for the block that runs */
    std::vector<char *> stacks;       /* stacks that no lane uses */
    std::vector<late_store> stores;   /* stores that no peer has seen */
    void *bottom = nullptr;           /* the thread's own stack and its size */
    size_t size = 0;
    int device = 0;
    cudaError_t last_error = cudaSuccess;
};

thread_state &own_state();

/* Begins a block, which must not rely on the content of its shared memory. */
void spoil_shared_memory(size_t dynamic_bytes);

}

#endif
