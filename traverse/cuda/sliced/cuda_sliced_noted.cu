/* cuda_sliced_noted.cu: the kernels of a sliced search that note what its levels do; see cuda_sliced.h */
#include "cuda_sliced_kernel.cuh"

struct fused_program cuda_sliced_noted(const struct gpu_sliced *sliced)
{
    return program<true>(sliced);
}

/* The block of a kernel with notes has more than one without. */
size_t cuda_sliced_block_bytes(void)
{
    return sizeof(sliced_block<true, true, true>);
}
