/* cuda_sliced_noted.cu: the kernels of a sliced search that note what its levels do; see cuda_sliced.h */
#include "cuda_sliced_kernel.cuh"

/* Returns the kernel with notes for the graph of the search. */
struct fused_program cuda_sliced_noted(const struct gpu_sliced *sliced)
{
    return program<true>(sliced);
}

static_assert(sizeof(sliced_block<true, true, true, false>) <= SLICED_BLOCK_BYTES, "the shared memory of a block as planned");
