/* cuda_whole_noted.cu: the kernel of a search, with notes of levels; see cuda_whole.h */
#include "cuda_whole_kernel.cuh"

struct whole_program cuda_whole_noted(int packed)
{
    return packed ? program<false, true, true>() : program<false, true, false>();
}
