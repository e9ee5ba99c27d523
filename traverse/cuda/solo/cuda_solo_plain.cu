/* cuda_solo_plain.cu: the kernel of a search whose levels nobody wants to know; see cuda_solo.h */
#include "cuda_solo_kernel.cuh"

struct solo_program cuda_solo_plain(int packed)
{
    return packed ? program<false, true>() : program<false, false>();
}
