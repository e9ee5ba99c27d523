/* cuda_sliced_noted.cu: the kernels of a sliced search that note what its levels do; see cuda_sliced.h */
#include "cuda_sliced_kernel.cuh"

/* Returns a kernel with notes of levels. There are three such kernels: for graphs with far bits (visited bits in global
 * memory), for graphs with heads (copies of first slices) and no far bits, and for all other graphs. */
struct fused_program cuda_sliced_noted(const struct gpu_sliced *sliced)
{
    return program<true>(sliced);
}

/* Returns how many bytes of shared memory a block needs in addition to the visited bits. This is the number for the
 * kernel that needs most: a kernel with notes needs more than a kernel without notes. */
size_t cuda_sliced_block_bytes(void)
{
    return sizeof(sliced_block<true, true, true>);
}
