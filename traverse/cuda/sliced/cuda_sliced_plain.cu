/* cuda_sliced_plain.cu: the kernels of a search by slices whose levels nobody wants to know; see cuda_sliced.h */
#define SOLO_NOTED 0
#include "cuda_sliced_kernel.cuh"

struct solo_program cuda_sliced_plain(int by_rows)
{
    return program(by_rows);
}

