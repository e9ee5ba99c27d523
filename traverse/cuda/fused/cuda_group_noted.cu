/* cuda_group_noted.cu: the kernel of a search of several GPUs, with notes of levels; see cuda_group.h */
#include "cuda_whole_kernel.cuh"

struct whole_program cuda_group_noted(int packed)
{
    return packed ? program<true, true, true>() : program<true, true, false>();
}
