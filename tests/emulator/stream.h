/* stream.h: work that a device does in order */
#ifndef EMULATOR_STREAM_H
#define EMULATOR_STREAM_H

#include "include/cuda_runtime_api.h"

#include <functional>

namespace emulated {

/* Appends work to the stream; NULL is the default stream of the current device. */
void enqueue(cudaStream_t stream, std::function<void()> work);

/* Waits until a stream has done its work. */
void drain(cudaStream_t stream);

/* Waits for all streams of a device. */
void drain_device(int device);

bool is_stream(cudaStream_t stream);

}

#endif
