/* cuda_peers_program.cu: the kernels of a search of several GPUs; see cuda_peers.h */
#include "cuda_fused_kernel.cuh"

struct fused_program cuda_peers_program(int packed)
{
    return packed ? program<true, true>() : program<true, false>();
}
