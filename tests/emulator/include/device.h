/* device.h: the words of CUDA C++ that kernels use, for the emulator; see ../README.md
 *
 * Every translation unit of kernels begins with it, as nvcc has them built in.
 */
#ifndef EMULATED_DEVICE_H
#define EMULATED_DEVICE_H

#include "cuda_runtime_api.h"

#include "emulated_calls.h"
#include "emulated_launch.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

/* ---- declarations ---- */

#define __CUDACC__ 1
#define __CUDA_ARCH__ 900
#define __device__
#define __host__
#define __global__
#define __shared__ thread_local /* each block runs on a thread of the system */
#define __grid_constant__
#define __launch_bounds__(...)
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))

/* the last parameters of a word: the place of its call */
#define EMULATED_CALLER const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define EMULATED_SITE emulated::site{file, line}

/* ---- vectors ---- */

struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct alignas(16) int4 {
    int x, y, z, w;
};
struct alignas(16) longlong2 {
    long long x, y;
};

static inline uint2 make_uint2(unsigned x, unsigned y)
{
    return uint2{x, y};
}

static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return uint4{x, y, z, w};
}

static inline int4 make_int4(int x, int y, int z, int w)
{
    return int4{x, y, z, w};
}

static inline longlong2 make_longlong2(long long x, long long y)
{
    return longlong2{x, y};
}

/* ---- waiting for other lanes ---- */

static inline void __syncthreads(EMULATED_CALLER)
{
    emulated_barrier(0, EMULATED_SITE);
}

static inline int __syncthreads_or(int value, EMULATED_CALLER)
{
    return emulated_barrier_or(value, EMULATED_SITE);
}

static inline void __syncwarp(unsigned mask = 0xffffffffu, EMULATED_CALLER)
{
    emulated_sync(mask, EMULATED_SITE);
}

static inline unsigned __activemask(EMULATED_CALLER)
{
    return emulated_active(EMULATED_SITE);
}

static inline unsigned __ballot_sync(unsigned mask, int value, EMULATED_CALLER)
{
    return emulated_ballot(mask, value != 0, EMULATED_SITE);
}

static inline int __any_sync(unsigned mask, int value, EMULATED_CALLER)
{
    return emulated_ballot(mask, value != 0, EMULATED_SITE) != 0;
}

static inline unsigned __reduce_add_sync(unsigned mask, unsigned value, EMULATED_CALLER)
{
    return emulated_add(mask, value, EMULATED_SITE);
}

static inline unsigned __reduce_max_sync(unsigned mask, unsigned value, EMULATED_CALLER)
{
    return emulated_max(mask, value, EMULATED_SITE);
}

template <typename T>
static inline unsigned __match_any_sync(unsigned mask, T value, EMULATED_CALLER)
{
    return emulated_match(mask, (uint64_t)value, EMULATED_SITE);
}

template <typename T>
static inline T emulated_shuffle_of(unsigned mask, T value, unsigned source, emulated::site at)
{
    static_assert(sizeof(T) <= sizeof(uint64_t), "a shuffle moves 4 or 8 bytes");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = emulated_shuffle(mask, bits, source, at);
    memcpy(&value, &bits, sizeof value);
    return value;
}

template <typename T>
static inline T __shfl_sync(unsigned mask, T value, int source, EMULATED_CALLER)
{
    return emulated_shuffle_of(mask, value, (unsigned)source % 32, EMULATED_SITE);
}

template <typename T>
static inline T __shfl_xor_sync(unsigned mask, T value, int lanes, EMULATED_CALLER)
{
    return emulated_shuffle_of(mask, value, emulated_lane() ^ (unsigned)lanes, EMULATED_SITE);
}

template <typename T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned lanes, EMULATED_CALLER)
{
    const unsigned own = emulated_lane();
    return emulated_shuffle_of(mask, value, own >= lanes ? own - lanes : own, EMULATED_SITE);
}

static inline void __nanosleep(unsigned, EMULATED_CALLER)
{
    emulated_sleep(EMULATED_SITE);
}

[[noreturn]] static inline void __trap()
{
    emulated_trap();
}

static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((__extension__ (unsigned __int128)a * b) >> 64);
}

/* ---- memory ---- */

static inline void __threadfence()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void __threadfence_system()
{
    emulated_fence(__func__);
}

template <typename T> static inline T __ldcs(const T *from)
{
    return *from;
}

template <typename T> static inline void __stcs(T *to, T value)
{
    *to = value;
}

template <typename T, typename U> static inline T atomicAdd(T *at, U value)
{
    emulated_change_lanes();
    return __atomic_fetch_add(at, (T)value, __ATOMIC_SEQ_CST);
}

template <typename T, typename U> static inline T atomicOr(T *at, U value)
{
    emulated_change_lanes();
    return __atomic_fetch_or(at, (T)value, __ATOMIC_SEQ_CST);
}

template <typename T, typename U> static inline T atomicExch(T *at, U value)
{
    emulated_change_lanes();
    return __atomic_exchange_n(at, (T)value, __ATOMIC_SEQ_CST);
}

/* A lane that fails may try again and again, so others continue meanwhile. */
template <typename T, typename U, typename V>
static inline T atomicCAS(T *at, U expected, V value, EMULATED_CALLER)
{
    T found = (T)expected;
    emulated_change_lanes();
    if (!__atomic_compare_exchange_n(at, &found, (T)value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        emulated_sleep(EMULATED_SITE);
    return found;
}

template <typename T, typename U> static inline T atomicMax(T *at, U value)
{
    T found = __atomic_load_n(at, __ATOMIC_SEQ_CST);
    emulated_change_lanes();
    while (found < (T)value &&
           !__atomic_compare_exchange_n(at, &found, (T)value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
    return found;
}

template <typename T, typename U> static inline T atomicMin(T *at, U value)
{
    T found = __atomic_load_n(at, __ATOMIC_SEQ_CST);
    emulated_change_lanes();
    while (found > (T)value &&
           !__atomic_compare_exchange_n(at, &found, (T)value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
    return found;
}

/* ---- integers ---- */

static inline int __popc(unsigned value)
{
    return __builtin_popcount(value);
}

static inline int __popcll(unsigned long long value)
{
    return __builtin_popcountll(value);
}

static inline int __ffsll(unsigned long long value)
{
    return __builtin_ffsll((long long)value);
}

static inline int __ffs(unsigned value)
{
    return __builtin_ffs((int)value);
}

static inline int __clz(unsigned value)
{
    return value == 0 ? 32 : __builtin_clz(value);
}

template <typename T, typename U> static inline std::common_type_t<T, U> min(T a, U b)
{
    return (std::common_type_t<T, U>)b < (std::common_type_t<T, U>)a ? b : a;
}

template <typename T, typename U> static inline std::common_type_t<T, U> max(T a, U b)
{
    return (std::common_type_t<T, U>)b > (std::common_type_t<T, U>)a ? b : a;
}

#endif
