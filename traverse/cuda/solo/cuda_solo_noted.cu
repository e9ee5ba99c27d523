/* cuda_solo_noted.cu: the kernel of a search that notes what its levels do; see cuda_solo.h */
#define SOLO_NOTED 1
#include "cuda_solo_kernel.cuh"

struct solo_program cuda_solo_noted(void)
{
    return program();
}
