/* event.cc: events, also those of other processes
 *
 * An event counts how often it was recorded, and how often the streams came to it. These two numbers lie in a page
 * that other processes can map.
 */
#include "device.h"
#include "report.h"
#include "shared_pages.h"
#include "stream.h"

#include <atomic>
#include <cstring>
#include <memory>

namespace emulated {

struct event_page {
    std::atomic<uint64_t> recorded, reached;
    std::atomic<double> seconds; /* when it was reached */
};

struct event_state {
    shared_pages pages;
    event_page *page = nullptr;
    ~event_state() { pages_close(&pages); }
};

static bool has_reached(const event_state &state, uint64_t number)
{
    return state.page->reached >= number;
}

static void wait_for(const event_state &state, uint64_t number)
{
    for (unsigned times = 0; !has_reached(state, number); times++)
        wait_a_moment(times);
}

}

using namespace emulated;

/* Streams may still have work with it after it is destroyed, so this part lives on. */
struct emulated_event {
    std::shared_ptr<event_state> state = std::make_shared<event_state>();
};

static cudaError_t give_event(cudaEvent_t *event, emulated_event *made)
{
    made->state->page = (event_page *)made->state->pages.memory;
    *event = made;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    emulated_event *made = new emulated_event;
    if (!pages_open(&made->state->pages, sizeof(event_page))) {
        delete made;
        return failed(cudaErrorMemoryAllocation);
    }
    memset(made->state->pages.memory, 0, sizeof(event_page));
    return give_event(event, made);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    const std::shared_ptr<event_state> state = event->state;
    const uint64_t number = ++state->page->recorded;
    enqueue(stream, [=] {
        state->page->seconds = seconds_now();
        state->page->reached = number;
    });
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    const std::shared_ptr<event_state> state = event->state;
    const uint64_t number = state->page->recorded;
    enqueue(stream, [=] { wait_for(*state, number); });
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    if (has_reached(*event->state, event->state->page->recorded))
        return cudaSuccess;
    wait_a_moment(16);
    return cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    wait_for(*event->state, event->state->page->recorded);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end)
{
    const event_page &b = *begin->state->page, &e = *end->state->page;
    if (b.reached == 0 || e.reached == 0)
        return failed(cudaErrorInvalidResourceHandle);
    if (b.reached < b.recorded || e.reached < e.recorded)
        return failed(cudaErrorNotReady);
    *milliseconds = (float)(1e3 * (e.seconds - b.seconds));
    return cudaSuccess;
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
    static_assert(sizeof(pages_handle) <= sizeof *handle, "a handle holds it");
    const pages_handle named = pages_name(&event->state->pages, 0);
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &named, sizeof named);
    return cudaSuccess;
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
    pages_handle named;
    memcpy(&named, &handle, sizeof named);
    emulated_event *made = new emulated_event;
    if (!pages_map(&made->state->pages, &named)) {
        delete made;
        return failed(cudaErrorInvalidResourceHandle);
    }
    return give_event(event, made);
}
