/* mistakes.cu: kernels with one mistake each, which the emulator must show; see README.md
 *
 * Usage: mistakes NAME. With a seed, or at once, the answer is wrong or the program ends with a message. `right`
 * is the same without a mistake. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { THREADS = 128 };

#ifdef __clang__
enum { SPOILS = 0 };
#else
enum { SPOILS = 1 };
#endif

/* Each warp reverses its part of shared memory. With `SYNCED` its lanes wait for each other. */
template <bool SYNCED> __global__ static void turn_kernel(unsigned *to)
{
    __shared__ unsigned value[THREADS];
    const unsigned first = threadIdx.x / 32 * 32, lane = threadIdx.x % 32;
    value[threadIdx.x] = threadIdx.x;
    if (SYNCED)
        __syncwarp();
    to[threadIdx.x] = value[first + 31 - lane];
}

/* Reverses the memory of the block in the same way. */
template <bool SYNCED> __global__ static void turn_block_kernel(unsigned *to)
{
    __shared__ unsigned value[THREADS];
    value[threadIdx.x] = threadIdx.x;
    if (SYNCED)
        __syncthreads();
    to[threadIdx.x] = threadIdx.x / 32 * 32 + value[THREADS - 1 - threadIdx.x] % 32;
}

/* Counts in shared memory without an atomic, as if the lanes of a warp went in step. */
template <bool ATOMIC> __global__ static void count_kernel(unsigned *to)
{
    __shared__ unsigned count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    const unsigned before = *(volatile unsigned *)&count;
    if (ATOMIC) {
        atomicAdd(&count, 1u);
    } else {
        __syncwarp();
        count = before + 1;
    }
    __syncthreads();
    to[threadIdx.x] = count == THREADS ? threadIdx.x / 32 * 32 + 31 - threadIdx.x % 32 : 0;
}

__global__ static void waiting_kernel(unsigned *to)
{
    if (threadIdx.x % 32 < 16)
        to[threadIdx.x] = __ballot_sync(0xffffffffu, 1); /* half of the lanes come here, the other half below */
    __syncthreads();
}

__global__ static void apart_kernel(unsigned *)
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
}

__global__ static void behind_kernel(unsigned *to)
{
    to[THREADS + threadIdx.x] = 1;
}

static unsigned *device_array()
{
    void *to = nullptr;
    if (cudaMalloc(&to, THREADS * sizeof(unsigned)) != cudaSuccess)
        exit(5);
    return (unsigned *)to;
}

/* Gives each lane the number of its mirror image in the warp. */
static bool is_turned(const unsigned *array)
{
    unsigned got[THREADS];
    if (cudaMemcpy(got, array, sizeof got, cudaMemcpyDeviceToHost) != cudaSuccess)
        return false;
    for (unsigned i = 0; i < THREADS; i++) {
        if (got[i] != i / 32 * 32 + 31 - i % 32)
            return false;
    }
    return true;
}

/* One stream reverses the array and another copies it. With `ORDERED` it does so afterwards. */
template <bool ORDERED> static bool run_on_two(unsigned *to)
{
    unsigned *copy = device_array();
    cudaStream_t first, second;
    cudaEvent_t turned;
    if (cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking) != cudaSuccess ||
        cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking) != cudaSuccess ||
        cudaEventCreateWithFlags(&turned, cudaEventDisableTiming) != cudaSuccess)
        exit(5);
    turn_kernel<true><<<2, THREADS, 0, first>>>(to);
    cudaEventRecord(turned, first);
    if (ORDERED)
        cudaStreamWaitEvent(second, turned, 0);
    cudaMemcpyAsync(copy, to, THREADS * sizeof *to, cudaMemcpyDefault, second);
    cudaStreamSynchronize(second);
    return is_turned(copy);
}

/* The host copies the array of mirror images into an array, and a stream copies it from there. With `WAITS` it
 * does so when it has arrived. */
template <bool WAITS> static bool put_and_copy(unsigned *to)
{
    unsigned *put = device_array(), turned[THREADS];
    cudaStream_t stream;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
        exit(5);
    for (unsigned i = 0; i < THREADS; i++)
        turned[i] = i / 32 * 32 + 31 - i % 32;
    cudaMemcpy(put, turned, sizeof turned, cudaMemcpyHostToDevice);
    if (WAITS)
        cudaStreamSynchronize(nullptr);
    cudaMemcpyAsync(to, put, sizeof turned, cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);
    return is_turned(to);
}

static bool run(const char *name, unsigned *to)
{
    if (strcmp(name, "default-stream") == 0)
        return put_and_copy<false>(to);
    if (strcmp(name, "no-wait") == 0)
        return run_on_two<false>(to);
    if (strcmp(name, "right") == 0) {
        turn_kernel<true><<<2, THREADS, 0, nullptr>>>(to);
        bool right = is_turned(to);
        turn_block_kernel<true><<<2, THREADS, 0, nullptr>>>(to);
        right = right && is_turned(to);
        count_kernel<true><<<2, THREADS, 0, nullptr>>>(to);
        return right && is_turned(to) && run_on_two<true>(device_array()) && put_and_copy<true>(device_array());
    }
    if (strcmp(name, "no-syncwarp") == 0)
        turn_kernel<false><<<1, THREADS, 0, nullptr>>>(to);
    else if (strcmp(name, "no-syncthreads") == 0)
        turn_block_kernel<false><<<1, THREADS, 0, nullptr>>>(to);
    else if (strcmp(name, "left-over") == 0) /* the second block finds what the first one left */
        turn_kernel<false><<<2, THREADS, 0, nullptr>>>(to);
    else if (strcmp(name, "no-atomic") == 0)
        count_kernel<false><<<2, THREADS, 0, nullptr>>>(to);
    else if (strcmp(name, "deadlock") == 0)
        waiting_kernel<<<1, THREADS, 0, nullptr>>>(to);
    else if (strcmp(name, "two-barriers") == 0)
        apart_kernel<<<1, THREADS, 0, nullptr>>>(to);
    else if (strcmp(name, "behind") == 0)
        behind_kernel<<<1, THREADS, 0, nullptr>>>(to);
    return is_turned(to);
}

int main(int argc, char **argv)
{
    unsigned *to = device_array(), more[2 * THREADS];
    const char *name = argc > 1 ? argv[1] : "right";
    if (strcmp(name, "spoils") == 0) /* checks whether thread_state.cc spoils shared memory */
        return SPOILS ? 0 : 1;
    if (strcmp(name, "long-copy") == 0)
        return cudaMemcpy(more, to, sizeof more, cudaMemcpyDeviceToHost) == cudaSuccess ? 0 : 1;
    if (strcmp(name, "foreign-free") == 0)
        return cudaFree(more) == cudaSuccess ? 0 : 1;
    return run(name, to) ? 0 : 1;
}
