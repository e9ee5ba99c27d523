/* stream.cc: see stream.h; a thread of the system does the work of a stream */
#include "stream.h"

#include "device.h"
#include "report.h"
#include "settings.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <unistd.h>
#include <vector>

struct emulated_stream {
    int device = 0;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> work; /* the first piece of work is under way */
    bool ends = false;
    std::minstd_rand random;
    std::thread thread;

    /* Waits now and then, so that other streams are ahead. Work that should wait for this stream and does not will
     * show it. */
    void come_late()
    {
        const unsigned most = emulated::setting().late;
        if (most > 0 && random() % 2 == 0)
            usleep((unsigned)random() % most);
    }

    void run()
    {
        std::unique_lock<std::mutex> lock(mutex);
        for (;;) {
            changed.wait(lock, [this] { return ends || !work.empty(); });
            if (work.empty())
                return;
            lock.unlock();
            come_late();
            work.front()();
            lock.lock();
            work.pop_front();
            changed.notify_all();
        }
    }
};

namespace emulated {

/* all streams, and the default ones by device; they live as long as the process */
static std::mutex streams_lock;
using stream_list = std::vector<std::shared_ptr<emulated_stream>>;
static stream_list &streams = *new stream_list;
static std::map<int, emulated_stream *> &defaults = *new std::map<int, emulated_stream *>;

static emulated_stream *open_stream(int device)
{
    emulated_stream *stream = new emulated_stream;
    stream->device = device;
    stream->random.seed((unsigned)(setting().seed * 7919 + streams.size() * 104729 + 1));
    stream->thread = std::thread([=] { stream->run(); });
    streams.emplace_back(stream);
    return stream;
}

static emulated_stream *find_stream(cudaStream_t stream)
{
    if (stream != nullptr)
        return stream;
    std::lock_guard<std::mutex> lock(streams_lock);
    emulated_stream *&own = defaults[current_device()];
    if (own == nullptr) {
        own = open_stream(current_device());
        own->thread.detach();
    }
    return own;
}

static stream_list::iterator place_of(cudaStream_t stream)
{
    return std::find_if(streams.begin(), streams.end(),
                        [=](const std::shared_ptr<emulated_stream> &one) { return one.get() == stream; });
}

bool is_stream(cudaStream_t stream)
{
    std::lock_guard<std::mutex> lock(streams_lock);
    return stream == nullptr || place_of(stream) != streams.end();
}

void enqueue(cudaStream_t given, std::function<void()> work)
{
    emulated_stream *stream = find_stream(given);
    std::lock_guard<std::mutex> lock(stream->mutex);
    stream->work.push_back(std::move(work));
    stream->changed.notify_all();
}

void drain(cudaStream_t given)
{
    emulated_stream *stream = find_stream(given);
    std::unique_lock<std::mutex> lock(stream->mutex);
    stream->changed.wait(lock, [=] { return stream->work.empty(); });
}

void drain_device(int device)
{
    stream_list own; /* another thread may destroy a stream meanwhile */
    {
        std::lock_guard<std::mutex> lock(streams_lock);
        for (const auto &stream : streams) {
            if (stream->device == device)
                own.push_back(stream);
        }
    }
    for (const auto &stream : own)
        drain(stream.get());
}

static bool is_idle(emulated_stream *stream)
{
    std::lock_guard<std::mutex> lock(stream->mutex);
    return stream->work.empty();
}

}

using namespace emulated;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    std::lock_guard<std::mutex> lock(streams_lock);
    *stream = open_stream(current_device());
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    if (stream == nullptr || !is_stream(stream))
        return failed(cudaErrorInvalidResourceHandle);
    drain(stream);
    {
        std::lock_guard<std::mutex> lock(stream->mutex);
        stream->ends = true;
        stream->changed.notify_all();
    }
    stream->thread.join();
    std::lock_guard<std::mutex> lock(streams_lock);
    streams.erase(place_of(stream));
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    if (!is_stream(stream))
        return failed(cudaErrorInvalidResourceHandle);
    drain(stream);
    return is_lost(find_stream(stream)->device) ? failed(cudaErrorLaunchFailure) : cudaSuccess;
}

/* A host that asks again and again leaves the processor to the streams it waits for. */
cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    if (!is_stream(stream))
        return failed(cudaErrorInvalidResourceHandle);
    if (is_lost(find_stream(stream)->device))
        return failed(cudaErrorLaunchFailure);
    if (is_idle(find_stream(stream)))
        return cudaSuccess;
    usleep(100);
    return cudaErrorNotReady;
}

cudaError_t cudaDeviceSynchronize(void)
{
    drain_device(current_device());
    return is_lost(current_device()) ? failed(cudaErrorLaunchFailure) : cudaSuccess;
}
