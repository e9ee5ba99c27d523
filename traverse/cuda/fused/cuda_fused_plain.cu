/* cuda_fused_plain.cu: the kernels of a search of one GPU, without notes of levels; see cuda_fused.h */
#include "cuda_fused_kernel.cuh"

/* Returns the kernel of one GPU that writes no notes of levels. If `packed`, it also reads packed columns. */
struct fused_program cuda_fused_plain(int packed)
{
    return packed ? program<false, false, true>() : program<false, false, false>();
}
