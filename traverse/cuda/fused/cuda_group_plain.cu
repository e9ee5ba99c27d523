/* cuda_group_plain.cu: the kernel of a search of several GPUs without notes of levels; see cuda_group.h */
#include "cuda_whole_kernel.cuh"

struct whole_program cuda_group_plain(int packed)
{
    return packed ? program<true, false, true>() : program<true, false, false>();
}
