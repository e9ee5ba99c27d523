/* cuda_solo_plain.cu: the kernel of a search whose levels nobody wants to know; see cuda_solo.h */
#define SOLO_NOTED 0
#include "cuda_solo_kernel.cuh"

struct solo_program cuda_solo_plain(void)
{
    return program();
}
