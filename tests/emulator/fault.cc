/* fault.cc: calls that fail, as tests/gpu/fail_cuda.c lets them fail on a GPU
 *
 * FAIL_CUDA='NAME N CODE' lets the N-th call of the driver's function NAME, and every later one, return CODE; N = 0
 * lets none fail. FAIL_CUDA_COUNT=FILE gets the number of calls at the end.
 */
#include "device.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace emulated {

struct planned_fault {
    char name[64] = "";
    unsigned long first = 0;
    int code = 0;
    std::atomic<unsigned long> calls{0};

    planned_fault()
    {
        const char *text = getenv("FAIL_CUDA");
        if (text == nullptr || sscanf(text, "%63s %lu %d", name, &first, &code) != 3)
            name[0] = '\0';
    }
    ~planned_fault()
    {
        const char *path = getenv("FAIL_CUDA_COUNT");
        FILE *file = path != nullptr ? fopen(path, "w") : nullptr;
        if (file == nullptr)
            return;
        fprintf(file, "%lu\n", calls.load());
        fclose(file);
    }
};

static planned_fault plan;

cudaError_t fault(const char *name)
{
    if (strcmp(name, plan.name) != 0)
        return cudaSuccess;
    const unsigned long number = ++plan.calls;
    return plan.first > 0 && number >= plan.first ? failed((cudaError_t)plan.code) : cudaSuccess;
}

}
