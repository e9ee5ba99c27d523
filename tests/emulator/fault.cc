/* fault.cc: calls that fail, as tests/gpu/fail_cuda.c lets them fail on a GPU
 *
 * FAIL_CUDA='NAME N CODE' lets the N-th call of the driver's function NAME, and every later one, return CODE; N = 0
 * lets none fail. With the name `any` calls of all functions count, and all fail from the N-th on, as those of a GPU
 * that is lost. FAIL_CUDA_COUNT=FILE gets the number of calls at the end.
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

/* Of how often a host asks whether a stream is done, nothing can be said: such calls fail, but do not count. */
static bool is_counted(const char *name)
{
    return strcmp(plan.name, "any") != 0 || strcmp(name, "cuStreamQuery") != 0;
}

/* A GPU that is lost is still there. */
static bool is_chosen(const char *name)
{
    return strcmp(plan.name, "any") == 0 ? strcmp(name, "cuInit") != 0 : strcmp(plan.name, name) == 0;
}

cudaError_t fault(const char *name)
{
    if (!is_chosen(name))
        return cudaSuccess;
    const unsigned long number = is_counted(name) ? ++plan.calls : plan.calls.load();
    return plan.first > 0 && number >= plan.first ? failed((cudaError_t)plan.code) : cudaSuccess;
}

}
