/* memory.cc: memory of devices and of the host, and copies
 *
 * An allocation ends where its last page ends, as far as CUDA's alignment of 256 bytes allows. A read or write
 * behind it, or after it was freed, ends the program. New memory does not hold zeros. */
#include "device.h"
#include "report.h"
#include "settings.h"
#include "shared_pages.h"
#include "stream.h"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>

namespace emulated {

struct allocation {
    size_t bytes;
    int device;
    cudaMemoryType type;
    bool mapped; /* of another process */
    shared_pages pages;
};

static std::mutex allocations_lock;
static std::map<const char *, allocation> &allocations = *new std::map<const char *, allocation>;

/* ---- which memory is it ---- */

/* Finds the allocation with the address; false: memory of the host that CUDA does not know. */
static bool find_allocation(const void *at, const char **begin, allocation *found)
{
    std::lock_guard<std::mutex> lock(allocations_lock);
    auto next = allocations.upper_bound((const char *)at);
    if (next == allocations.begin())
        return false;
    --next;
    if ((const char *)at >= next->first + (next->second.bytes > 0 ? next->second.bytes : 1))
        return false;
    *begin = next->first;
    *found = next->second;
    return true;
}

static bool is_of_device(const void *at)
{
    const char *begin;
    allocation a;
    return find_allocation(at, &begin, &a) && a.type != cudaMemoryTypeHost;
}

static bool is_pinned(const void *at)
{
    const char *begin;
    allocation a;
    return find_allocation(at, &begin, &a);
}

static bool is_inside(const char *call, const void *at, size_t bytes)
{
    const char *begin;
    allocation a;
    if (!find_allocation(at, &begin, &a) || (const char *)at + bytes <= begin + a.bytes)
        return true;
    complain("%s: %zu bytes from byte %zu of an allocation of %zu", call, bytes,
             (size_t)((const char *)at - begin), a.bytes);
    return false;
}

/* ---- taking and giving back ---- */

static size_t used_bytes(int device)
{
    std::lock_guard<std::mutex> lock(allocations_lock);
    size_t sum = 0;
    for (const auto &one : allocations) {
        if (one.second.device == device && one.second.type == cudaMemoryTypeDevice && !one.second.mapped)
            sum += one.second.bytes;
    }
    return sum;
}

static void *place_in(const shared_pages &pages, size_t bytes)
{
    enum { ALIGNMENT = 256 };
    const size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return (char *)pages.memory + (pages.bytes - rounded);
}

static cudaError_t allocate(void **memory, size_t bytes, cudaMemoryType type)
{
    allocation made = {bytes, current_device(), type, false, {}};
    if (type == cudaMemoryTypeDevice && used_bytes(current_device()) + bytes > setting().memory_bytes)
        return failed(cudaErrorMemoryAllocation);
    if (!pages_open(&made.pages, bytes > 0 ? bytes : 1))
        return failed(cudaErrorMemoryAllocation);
    *memory = place_in(made.pages, bytes > 0 ? bytes : 1);
    memset(*memory, 0xa5, bytes);
    std::lock_guard<std::mutex> lock(allocations_lock);
    allocations[(const char *)*memory] = made;
    return cudaSuccess;
}

/* the streams of its device have finished with it */
static cudaError_t give_back(const char *call, void *memory, bool mapped)
{
    const char *begin = nullptr;
    allocation found;
    if (memory == nullptr)
        return cudaSuccess;
    if (!find_allocation(memory, &begin, &found) || begin != memory || found.mapped != mapped) {
        complain("%s: %p is not what was allocated", call, memory);
        return failed(cudaErrorInvalidValue);
    }
    drain_device(mapped ? current_device() : found.device);
    std::lock_guard<std::mutex> lock(allocations_lock);
    allocations.erase(begin);
    pages_close(&found.pages);
    return cudaSuccess;
}

}

using namespace emulated;

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    return allocate(memory, bytes, cudaMemoryTypeDevice);
}

cudaError_t cudaMallocManaged(void **memory, size_t bytes, unsigned)
{
    return allocate(memory, bytes, cudaMemoryTypeManaged);
}

cudaError_t cudaMemAdvise(const void *memory, size_t bytes, enum cudaMemoryAdvise, int device)
{
    const char *begin = nullptr;
    allocation found;
    if (!find_allocation(memory, &begin, &found) || found.type != cudaMemoryTypeManaged ||
        (const char *)memory + bytes > begin + found.bytes || device < cudaCpuDeviceId || device >= setting().gpus) {
        complain("cudaMemAdvise: %p is not managed memory", memory);
        return failed(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned)
{
    return allocate(memory, bytes, cudaMemoryTypeHost);
}

cudaError_t cudaMallocHost(void **memory, size_t bytes)
{
    return cudaHostAlloc(memory, bytes, cudaHostAllocDefault);
}

/* memory of the host that the program took by itself */
cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned)
{
    if (is_pinned(memory)) {
        complain("cudaHostRegister: %p is pinned already", memory);
        return failed(cudaErrorInvalidValue);
    }
    std::lock_guard<std::mutex> lock(allocations_lock);
    allocations[(const char *)memory] = {bytes, current_device(), cudaMemoryTypeHost, false, {}};
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *memory)
{
    if (!is_pinned(memory))
        return failed(cudaErrorInvalidValue);
    std::lock_guard<std::mutex> lock(allocations_lock);
    allocations.erase((const char *)memory);
    return cudaSuccess;
}

cudaError_t cudaFree(void *memory)
{
    return give_back("cudaFree", memory, false);
}

cudaError_t cudaFreeHost(void *memory)
{
    return give_back("cudaFreeHost", memory, false);
}

cudaError_t cudaMemGetInfo(size_t *unused, size_t *total)
{
    *total = setting().memory_bytes;
    *unused = *total - used_bytes(current_device());
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *memory)
{
    const char *begin;
    allocation found;
    *attributes = cudaPointerAttributes{cudaMemoryTypeUnregistered, -1};
    if (find_allocation(memory, &begin, &found))
        *attributes = cudaPointerAttributes{found.type, found.device};
    return cudaSuccess;
}

/* ---- other processes ---- */

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *memory)
{
    static_assert(sizeof(pages_handle) <= sizeof *handle, "a handle holds it");
    const char *begin;
    allocation found;
    if (!find_allocation(memory, &begin, &found) || found.type != cudaMemoryTypeDevice)
        return failed(cudaErrorInvalidValue);
    const pages_handle named = pages_name(&found.pages, (size_t)(begin - (const char *)found.pages.memory));
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &named, sizeof named);
    return cudaSuccess;
}

cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle, unsigned)
{
    pages_handle named;
    allocation made = {0, current_device(), cudaMemoryTypeDevice, true, {}};
    memcpy(&named, &handle, sizeof named);
    if (!pages_map(&made.pages, &named))
        return failed(cudaErrorInvalidResourceHandle);
    *memory = (char *)made.pages.memory + named.offset;
    made.bytes = named.bytes - named.offset;
    std::lock_guard<std::mutex> lock(allocations_lock);
    allocations[(const char *)*memory] = made;
    return cudaSuccess;
}

cudaError_t cudaIpcCloseMemHandle(void *memory)
{
    return give_back("cudaIpcCloseMemHandle", memory, true);
}

/* ---- copies ---- */

/* As in CUDA, pageable memory is read and written before the call returns. */
static cudaError_t copy(const char *call, void *to, const void *from, size_t bytes, cudaStream_t stream)
{
    if (is_lost(current_device()))
        return failed(cudaErrorLaunchFailure);
    if (bytes == 0)
        return cudaSuccess;
    if (!is_inside(call, to, bytes) || !is_inside(call, from, bytes))
        return failed(cudaErrorInvalidValue);
    if (!is_pinned(from)) {
        const std::shared_ptr<char[]> kept(new char[bytes]);
        memcpy(kept.get(), from, bytes);
        enqueue(stream, [=] { memcpy(to, kept.get(), bytes); });
    } else {
        enqueue(stream, [=] { memmove(to, from, bytes); });
    }
    if (!is_pinned(to))
        drain(stream);
    return cudaSuccess;
}

static cudaError_t copy_as(const char *call, void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                           cudaStream_t stream)
{
    const bool to_device = kind == cudaMemcpyHostToDevice, to_host = kind == cudaMemcpyDeviceToHost;
    if (bytes > 0 && ((to_device && !is_of_device(to)) || (to_host && !is_of_device(from)))) {
        complain("%s: %p is no memory of a device", call, to_device ? to : from);
        return failed(cudaErrorInvalidValue);
    }
    if (bytes > 0 && is_of_device(from) && !is_of_device(to))
        note_use("bytes_to_host", bytes);
    return copy(call, to, from, bytes, stream);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return copy_as("cudaMemcpyAsync", to, from, bytes, kind, stream);
}

/* Returns when memory of the host was read or written. Memory of the device may get the data later, so streams
 * that do not wait for the default one may find the old data. */
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    const cudaError_t error = copy_as("cudaMemcpy", to, from, bytes, kind, nullptr);
    if (!is_of_device(to) || (is_pinned(from) && !is_of_device(from)))
        drain(nullptr);
    return error;
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream)
{
    struct cudaPointerAttributes a, b;
    cudaPointerGetAttributes(&a, to);
    cudaPointerGetAttributes(&b, from);
    if (bytes > 0 && (a.device != to_device || b.device != from_device)) {
        complain("cudaMemcpyPeerAsync: from GPU %d to %d, where %d and %d are given", b.device, a.device,
                 from_device, to_device);
        return failed(cudaErrorInvalidValue);
    }
    return copy("cudaMemcpyPeerAsync", to, from, bytes, stream);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    if (bytes == 0)
        return cudaSuccess;
    if (!is_pinned(to) || !is_inside("cudaMemsetAsync", to, bytes)) {
        complain("cudaMemsetAsync: %p is no memory of a device", to);
        return failed(cudaErrorInvalidValue);
    }
    enqueue(stream, [=] { memset(to, value, bytes); });
    return cudaSuccess;
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    return cudaMemsetAsync(to, value, bytes, nullptr);
}
