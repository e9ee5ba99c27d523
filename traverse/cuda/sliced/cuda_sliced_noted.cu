/* cuda_sliced_noted.cu: the kernels of a search by slices that note what its levels do; see cuda_sliced.h */
#include "cuda_sliced_kernel.cuh"

struct fused_program cuda_sliced_noted(const struct gpu_sliced *sliced)
{
    return program<true>(sliced);
}

/* Asked here, since this kernel takes more than the plain one. */
size_t cuda_sliced_block_bytes(void)
{
    return sizeof(sliced_block<true, true, true>);
}
