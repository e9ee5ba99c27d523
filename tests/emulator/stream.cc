/* stream.cc: see stream.h; a thread of the system does the work of a stream */
#include "stream.h"

#include "device.h"
#include "report.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

struct emulated_stream {
    int device = 0;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> work; /* the first is under way */
    bool ends = false;
    std::thread thread;

    void run()
    {
        std::unique_lock<std::mutex> lock(mutex);
        for (;;) {
            changed.wait(lock, [this] { return ends || !work.empty(); });
            if (work.empty())
                return;
            lock.unlock();
            work.front()();
            lock.lock();
            work.pop_front();
            changed.notify_all();
        }
    }
};

namespace emulated {

/* All of them, and the default ones by device. They live as long as the process. */
static std::mutex streams_lock;
static std::vector<emulated_stream *> &streams = *new std::vector<emulated_stream *>;
static std::map<int, emulated_stream *> &defaults = *new std::map<int, emulated_stream *>;

static emulated_stream *open_stream(int device)
{
    emulated_stream *stream = new emulated_stream;
    stream->device = device;
    stream->thread = std::thread([=] { stream->run(); });
    streams.push_back(stream);
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

bool is_stream(cudaStream_t stream)
{
    std::lock_guard<std::mutex> lock(streams_lock);
    return stream == nullptr || std::find(streams.begin(), streams.end(), stream) != streams.end();
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
    std::vector<emulated_stream *> own;
    {
        std::lock_guard<std::mutex> lock(streams_lock);
        for (emulated_stream *stream : streams) {
            if (stream->device == device)
                own.push_back(stream);
        }
    }
    for (emulated_stream *stream : own)
        drain(stream);
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
    if (const cudaError_t error = fault("cuStreamCreate"))
        return error;
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
    streams.erase(std::find(streams.begin(), streams.end(), stream));
    delete stream;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    if (const cudaError_t error = fault("cuStreamSynchronize"))
        return error;
    if (!is_stream(stream))
        return failed(cudaErrorInvalidResourceHandle);
    drain(stream);
    return cudaSuccess;
}

/* A host that asks again and again leaves the processor to those whom it waits for. */
cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    if (const cudaError_t error = fault("cuStreamQuery"))
        return error;
    if (!is_stream(stream))
        return failed(cudaErrorInvalidResourceHandle);
    if (is_idle(find_stream(stream)))
        return cudaSuccess;
    usleep(100);
    return cudaErrorNotReady;
}

cudaError_t cudaDeviceSynchronize(void)
{
    if (const cudaError_t error = fault("cuCtxSynchronize"))
        return error;
    drain_device(current_device());
    return cudaSuccess;
}
