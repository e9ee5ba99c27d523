/* cuda_group_plain.cu: the kernel of a search of several GPUs whose levels nobody wants to know; see cuda_group.h */
#define SOLO_NOTED 0
#include "cuda_group_kernel.cuh"

struct solo_program cuda_group_plain(void)
{
    return program();
}
