/* cuda_ptx.cuh: instructions for which CUDA C++ has no plain name
 *
 * All inline PTX is here: the emulator of tests/emulator/ has a header of this name in its place.
 */
#ifndef DBFS_CUDA_PTX_CUH
#define DBFS_CUDA_PTX_CUH

/* Returns the time of a clock that all GPUs of a host share. */
__device__ static inline unsigned long long device_nanoseconds()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* ---- words that others change ---- */

/* Loads a word that another block of the GPU changes. The thread then sees all writes that this block released before. */
__device__ static inline unsigned load_acquire(const unsigned *from)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}

/* The same for 8 bytes. */
__device__ static inline unsigned long long load_acquire(const unsigned long long *from)
{
    unsigned long long value;
    asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}

/* The same for 8 bytes that a peer changes. */
__device__ static inline unsigned long long load_acquire_system(const unsigned long long *from)
{
    unsigned long long value;
    asm volatile("ld.acquire.sys.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}

/* Loads 8 bytes that a peer writes by store_for_peer. They come all at once, and order no other reads. */
__device__ static inline unsigned long long load_awaited(const unsigned long long *from)
{
    unsigned long long value;
    asm volatile("ld.relaxed.sys.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}

/* Stores 8 bytes in memory of a peer, all at once. No other write is ordered by it. */
__device__ static inline void store_for_peer(unsigned long long *to, unsigned long long value)
{
    asm volatile("st.relaxed.sys.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}

/* A fence of release and acquire among the blocks of a GPU: a thread that sees a store behind the fence sees all writes that
 * this thread has made or seen before the fence. Weaker than __threadfence(), which also puts all fences into one order. */
__device__ static inline void fence_of_gpu()
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

/* The same among all GPUs and the host. */
__device__ static inline void fence_of_system()
{
    asm volatile("fence.acq_rel.sys;" ::: "memory");
}

/* Brings the line of *from to the cache of the GPU. No thread waits for it. */
__device__ static inline void prefetch(const void *from)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
}

/* ---- the cluster of this block; without clusters, it is the block ---- */

#if __CUDA_ARCH__ >= 900
/* Returns the number of this block in its cluster. */
__device__ static inline unsigned cluster_rank()
{
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/* Arrives at the barrier of the cluster. Blocks behind the barrier see the writes of this thread before it. */
__device__ static inline void cluster_arrive_release()
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

/* Arrives at the barrier of the cluster, without order for writes. */
__device__ static inline void cluster_arrive_relaxed()
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

/* Waits until all threads of the cluster have arrived. */
__device__ static inline void cluster_wait()
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/* Returns the value in the shared memory of block `rank` of the cluster that lies where *own lies in that of this block. */
template <typename T> __device__ static inline T cluster_load(const T *own, unsigned rank)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 16, "one load");
    const unsigned at = (unsigned)__cvta_generic_to_shared(own);
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(rank));
    T value;
    unsigned *words = (unsigned *)&value;
    if (sizeof(T) == 4)
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(words[0]) : "r"(there) : "memory");
    else
        asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(words[0]), "=r"(words[1 % (sizeof(T) / 4)]), "=r"(words[2 % (sizeof(T) / 4)]),
                       "=r"(words[3 % (sizeof(T) / 4)])
                     : "r"(there)
                     : "memory");
    return value;
}
#else
__device__ static inline unsigned cluster_rank()
{
    return 0;
}

__device__ static inline void cluster_arrive_release() {}
__device__ static inline void cluster_arrive_relaxed() {}
__device__ static inline void cluster_wait() {}

template <typename T> __device__ static inline T cluster_load(const T *own, unsigned)
{
    return *own;
}
#endif

#endif
