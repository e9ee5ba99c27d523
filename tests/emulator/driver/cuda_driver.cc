/* cuda_driver.cc: libcuda.so.1 for the emulated GPU: the calls by which scripts/python opens memory of a dbfs-traverse. Names, values
 * and meanings are those of CUDA's driver; a context is the number of a GPU plus 1. */
#include "tests/emulator/shared_pages.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

using namespace emulated;

namespace {

enum { SUCCESS = 0, INVALID_VALUE = 1, NO_CONTEXT = 201, INVALID_HANDLE = 400 };

struct memory_handle {
    char reserved[64];
};

std::mutex lock;
std::map<uint64_t, shared_pages> opened;
thread_local std::vector<uintptr_t> contexts; /* the last one is current */

}

extern "C" {

int cuInit(unsigned)
{
    return SUCCESS;
}

int cuGetErrorString(int, const char **text)
{
    *text = "emulated error";
    return SUCCESS;
}

int cuDeviceGetByPCIBusId(int *device, const char *address)
{
    unsigned domain, bus, number;
    if (sscanf(address, "%x:%x:%x.0", &domain, &bus, &number) != 3 || domain != 0 || bus == 0 || number != 0)
        return INVALID_VALUE;
    *device = (int)bus - 1;
    return SUCCESS;
}

int cuDevicePrimaryCtxRetain(uintptr_t *context, int device)
{
    *context = (uintptr_t)device + 1;
    return SUCCESS;
}

int cuCtxPushCurrent_v2(uintptr_t context)
{
    contexts.push_back(context);
    return SUCCESS;
}

int cuCtxPopCurrent_v2(uintptr_t *context)
{
    if (contexts.empty())
        return NO_CONTEXT;
    *context = contexts.back();
    contexts.pop_back();
    return SUCCESS;
}

int cuCtxSynchronize()
{
    return contexts.empty() ? NO_CONTEXT : SUCCESS;
}

int cuIpcOpenMemHandle_v2(uint64_t *address, memory_handle handle, unsigned)
{
    pages_handle named;
    shared_pages pages;
    memcpy(&named, &handle, sizeof named);
    if (contexts.empty())
        return NO_CONTEXT;
    if (!pages_map(&pages, &named))
        return INVALID_HANDLE;
    *address = (uint64_t)(uintptr_t)pages.memory + named.offset;
    std::lock_guard<std::mutex> guard(lock);
    opened[*address] = pages;
    return SUCCESS;
}

int cuIpcCloseMemHandle(uint64_t address)
{
    std::lock_guard<std::mutex> guard(lock);
    const auto found = opened.find(address);
    if (contexts.empty() || found == opened.end())
        return INVALID_VALUE;
    pages_close(&found->second);
    opened.erase(found);
    return SUCCESS;
}

}
