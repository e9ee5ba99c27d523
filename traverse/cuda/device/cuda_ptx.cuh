/* cuda_ptx.cuh: functions for GPU instructions without a plain name in CUDA C++
 *
 * No other file has inline PTX. The emulated GPU (tests/emulator/) has a header of the same name, with plain C++
 * functions.
 */
#ifndef DBFS_CUDA_PTX_CUH
#define DBFS_CUDA_PTX_CUH

/* Returns the time in nanoseconds of a clock that all GPUs of a host share. */
__device__ static inline unsigned long long device_nanoseconds()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* ---- words that another block or another GPU changes ---- */

/* Loads 4 bytes that a thread of another block of this GPU may have stored, as an acquire. If the loaded value was stored
 * as a release, this thread sees all writes that the other thread made before this store. */
__device__ static inline unsigned load_acquire(const unsigned *from)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}

/* Loads 8 bytes that a thread of another block of this GPU may have stored, as an acquire. If the loaded value was stored
 * as a release, this thread sees all writes that the other thread made before this store. */
__device__ static inline unsigned long long load_acquire(const unsigned long long *from)
{
    unsigned long long value;
    asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}

/* Loads 8 bytes that another GPU or the host may have stored, as an acquire. If the loaded value was stored as a release,
 * this thread sees all writes that the other side made before this store. */
__device__ static inline unsigned long long load_acquire_system(const unsigned long long *from)
{
    unsigned long long value;
    asm volatile("ld.acquire.sys.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}

/* Loads 8 bytes that another GPU stores by store_for_peer. The 8 bytes are all old or all new. The load does not order
 * other reads: other data of the other GPU may still be old. */
__device__ static inline unsigned long long load_awaited(const unsigned long long *from)
{
    unsigned long long value;
    asm volatile("ld.relaxed.sys.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}

/* Stores 8 bytes in memory of another GPU, all at once. The store does not order other writes: earlier writes of this
 * thread may arrive later than this store. */
__device__ static inline void store_for_peer(unsigned long long *to, unsigned long long value)
{
    asm volatile("st.relaxed.sys.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}

/* Orders the writes and reads of this thread for all blocks of this GPU (a fence of release and acquire). Suppose that
 * another thread sees a store that this thread makes after the fence. The other thread then also sees all writes that
 * this thread made or saw before the fence. This fence is faster than __threadfence(), since it is weaker:
 * __threadfence() also puts all fences of the GPU into one order. */
__device__ static inline void fence_of_gpu()
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

/* Orders the writes and reads of this thread for all GPUs and the host (a fence of release and acquire). Suppose that
 * another GPU or the host sees a store that this thread makes after the fence. It then also sees all writes that this
 * thread made or saw before the fence. */
__device__ static inline void fence_of_system()
{
    asm volatile("fence.acq_rel.sys;" ::: "memory");
}

/* Begins to load the cache line of *from into the L2 cache of the GPU. The thread does not wait. */
__device__ static inline void prefetch(const void *from)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
}

/* ---- the cluster: a few blocks that read each other's shared memory; before sm_90 it is a single block ---- */

#if __CUDA_ARCH__ >= 900
/* Returns the number of this block among the blocks of its cluster. */
__device__ static inline unsigned cluster_rank()
{
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/* Arrives at the barrier of the cluster, and goes on without waiting. A thread that has called cluster_wait sees all
 * writes that this thread made before it arrived. All threads of the block call it. */
__device__ static inline void cluster_arrive_release()
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

/* Arrives at the barrier of the cluster, and goes on without waiting. A thread that has called cluster_wait need not see
 * the writes of this thread. All threads of the block call it. */
__device__ static inline void cluster_arrive_relaxed()
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

/* Waits until all threads of the cluster have arrived at the barrier of the cluster. All threads of the block call it
 * after their arrival. */
__device__ static inline void cluster_wait()
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/* Reads shared memory of another block of the cluster. *own is a variable in the shared memory of this block. Returns the
 * value of the same variable in block `rank`. T has 4 or 16 bytes. After the other block's write, a barrier of the
 * cluster must come before this read. The other block must not end before the read. */
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
/* Returns 0: the cluster is one block. */
__device__ static inline unsigned cluster_rank()
{
    return 0;
}

/* A cluster of one block needs no barrier, so these three functions do nothing. */
__device__ static inline void cluster_arrive_release() {}
__device__ static inline void cluster_arrive_relaxed() {}
__device__ static inline void cluster_wait() {}

/* Returns *own: the only block of the cluster is this block. */
template <typename T> __device__ static inline T cluster_load(const T *own, unsigned)
{
    return *own;
}
#endif

#endif
