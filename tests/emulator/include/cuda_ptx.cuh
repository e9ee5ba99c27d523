/* cuda_ptx.cuh: replaces traverse/cuda/device/cuda_ptx.cuh */
#ifndef DBFS_CUDA_PTX_CUH
#define DBFS_CUDA_PTX_CUH

#include "device.h"

static inline unsigned long long device_nanoseconds()
{
    return emulated_nanoseconds();
}

static inline void prefetch_line(const void *)
{
}

static inline unsigned load_acquire(const unsigned *from, EMULATED_CALLER)
{
    emulated_sleep(EMULATED_SITE);
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

static inline unsigned long long load_acquire(const unsigned long long *from, EMULATED_CALLER)
{
    emulated_sleep(EMULATED_SITE);
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

static inline unsigned long long load_acquire_system(const unsigned long long *from, EMULATED_CALLER)
{
    emulated_sleep(EMULATED_SITE);
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

static inline unsigned long long load_awaited(const unsigned long long *from, EMULATED_CALLER)
{
    emulated_sleep(EMULATED_SITE);
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

static inline void store_for_peer(unsigned long long *to, unsigned long long value)
{
    emulated_store(to, value);
}

static inline void fence_of_gpu()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void fence_of_system()
{
    emulated_fence(__func__);
}

#endif
