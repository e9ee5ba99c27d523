/* cuda_peers_plain.cu: the kernels of a search of several GPUs, without notes of levels; see cuda_peers.h */
#include "cuda_fused_kernel.cuh"

/* Returns the kernel of several GPUs that writes no notes of levels. If `packed`, it also reads packed columns. */
struct fused_program cuda_peers_plain(int packed)
{
    return packed ? program<true, false, true>() : program<true, false, false>();
}
