/* cuda_peers_noted.cu: the kernels of a search of several GPUs, with notes of levels; see cuda_peers.h */
#include "cuda_fused_kernel.cuh"

/* Returns the kernel of several GPUs that writes notes of levels. If `packed`, it also reads packed columns. */
struct fused_program cuda_peers_noted(int packed)
{
    return packed ? program<true, true, true>() : program<true, true, false>();
}
