/* cuda_scan.cu: exclusive prefix sums; see cuda_kernels.h. CUB takes long to compile, so it is only here. */
#include "cuda_kernels.h"

#include <cub/device/device_scan.cuh>

/* Replaces each value by the sum of those before it. */
template <typename T>
static cudaError_t scan(T *values, uint64_t count, void *scratch, size_t scratch_bytes, cudaStream_t stream)
{
    return cub::DeviceScan::ExclusiveSum(scratch, scratch_bytes, values, values, count, stream);
}

size_t cuda_scan_bytes(uint64_t count)
{
    size_t bytes = 0;
    cub::DeviceScan::ExclusiveSum(NULL, bytes, (uint64_t *)NULL, (uint64_t *)NULL, count);
    return bytes;
}

cudaError_t cuda_scan_u64(uint64_t *values, uint64_t count, void *scratch, size_t scratch_bytes, cudaStream_t stream)
{
    return scan(values, count, scratch, scratch_bytes, stream);
}

cudaError_t cuda_scan_u32(uint32_t *values, uint64_t count, void *scratch, size_t scratch_bytes, cudaStream_t stream)
{
    return scan(values, count, scratch, scratch_bytes, stream);
}
