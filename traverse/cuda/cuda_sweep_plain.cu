/* cuda_sweep_plain.cu: the kernel of a search by sweeps whose levels nobody wants to know; see cuda_sweep.h */
#define SOLO_NOTED 0
#include "cuda_sweep_kernel.cuh"

struct solo_program cuda_sweep_plain(void)
{
    return program();
}

