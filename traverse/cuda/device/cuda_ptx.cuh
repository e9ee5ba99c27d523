/* cuda_ptx.cuh: functions for GPU instructions without a plain name in CUDA C++. No other file has inline PTX. The
 * emulated GPU (tests/emulator/) has a header of the same name, with plain C++ functions. */
#ifndef DBFS_CUDA_PTX_CUH
#define DBFS_CUDA_PTX_CUH

/* Returns the time in nanoseconds of a clock that all GPUs of a host share. */
__device__ static inline unsigned long long device_nanoseconds()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* Begins to read the cache line of this address into the L2 cache, and does not wait. */
__device__ static inline void prefetch_line(const void *from)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
}

/* ---- words that another block or another GPU changes ---- */

/* Loads 4 bytes that a thread of another block of this GPU may have stored, as an acquire: if that thread stored the
 * value as a release, this thread then sees all its writes before the store. */
__device__ static inline unsigned load_acquire(const unsigned *from)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}

/* Loads 8 bytes as an acquire, like load_acquire of 4 bytes. */
__device__ static inline unsigned long long load_acquire(const unsigned long long *from)
{
    unsigned long long value;
    asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}

/* Loads 8 bytes that another GPU or the host may have stored, as an acquire: if the value was stored as a release, this
 * thread then sees all writes that the other side made before the store. */
__device__ static inline unsigned long long load_acquire_system(const unsigned long long *from)
{
    unsigned long long value;
    asm volatile("ld.acquire.sys.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}

/* Loads 8 bytes that another GPU stores by store_for_peer, all old or all new. Other data of that GPU may still be old,
 * because the load does not order other reads. */
__device__ static inline unsigned long long load_awaited(const unsigned long long *from)
{
    unsigned long long value;
    asm volatile("ld.relaxed.sys.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}

/* Stores 8 bytes in memory of another GPU, all at once. Does not order other writes, so earlier ones may arrive later. */
__device__ static inline void store_for_peer(unsigned long long *to, unsigned long long value)
{
    asm volatile("st.relaxed.sys.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}

/* A fence of release and acquire among the blocks of this GPU: a thread that sees a store behind the fence also sees all
 * writes that this thread made or saw before it. __threadfence() is slower, since it also puts all fences of the GPU into
 * one order. */
__device__ static inline void fence_of_gpu()
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

/* A fence of release and acquire among all GPUs and the host: a thread that sees a store behind the fence also sees all
 * writes that this thread made or saw before it. */
__device__ static inline void fence_of_system()
{
    asm volatile("fence.acq_rel.sys;" ::: "memory");
}

#endif
