/* cuda_sliced_plain.cu: the kernels of a search by slices without notes of levels; see cuda_sliced.h */
#include "cuda_sliced_kernel.cuh"

struct fused_program cuda_sliced_plain(const struct gpu_sliced *sliced)
{
    return program<false>(sliced);
}

