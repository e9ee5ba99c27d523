/* cuda_solo_noted.cu: the kernel of a search that notes what its levels do; see cuda_solo.h */
#include "cuda_solo_kernel.cuh"

struct solo_program cuda_solo_noted(int packed)
{
    return packed ? program<true, true>() : program<true, false>();
}
