/* cuda_fused_noted.cu: the kernels of a search of one GPU, with notes of levels; see cuda_fused.h */
#include "cuda_fused_kernel.cuh"

/* Returns the kernel of one GPU that writes notes of levels. If `packed`, it also reads packed columns. */
struct fused_program cuda_fused_noted(int packed)
{
    return packed ? program<false, true, true>() : program<false, true, false>();
}
