/* cuda_whole_plain.cu: the kernel of a search, without notes of levels; see cuda_whole.h */
#include "cuda_whole_kernel.cuh"

struct whole_program cuda_whole_plain(int packed)
{
    return packed ? program<false, false, true>() : program<false, false, false>();
}
