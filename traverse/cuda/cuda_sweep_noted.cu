/* cuda_sweep_noted.cu: the kernel of a search by sweeps that notes what its levels do; see cuda_sweep.h */
#define SOLO_NOTED 1
#include "cuda_sweep_kernel.cuh"

struct solo_program cuda_sweep_noted(void)
{
    return program();
}

/* Here, as this kernel has more than the plain one. */
size_t cuda_sweep_block_bytes(void)
{
    return sizeof(sweep_block) + sizeof(block_notes);
}
