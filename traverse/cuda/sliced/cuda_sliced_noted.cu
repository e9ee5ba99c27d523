/* cuda_sliced_noted.cu: the kernels of a sliced search that note what its levels do; see cuda_sliced.h */
#include "cuda_sliced_kernel.cuh"

/* Returns the kernel with notes of levels that fits the graph: with far bits, with heads, or with neither. */
struct fused_program cuda_sliced_noted(const struct gpu_sliced *sliced)
{
    return program<true>(sliced);
}

/* Returns the most bytes of shared memory that a block of any kernel has beside its near bits. A block of a kernel with
 * notes has more than a block without notes. */
size_t cuda_sliced_block_bytes(void)
{
    return sizeof(sliced_block<true, true, true>);
}
