/* cuda_fused_program.cu: the kernels of a search of one GPU; see cuda_fused.h */
#include "cuda_fused_kernel.cuh"

struct fused_program cuda_fused_program(int packed)
{
    return packed ? program<false, true>() : program<false, false>();
}
