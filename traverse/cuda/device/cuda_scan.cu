/* cuda_scan.cu: exclusive prefix sums; see cuda_kernels.h. CUB takes long to compile, so no other file includes CUB. */
#include "cuda_kernels.h"

#include <cub/device/device_scan.cuh>

/* Launches an exclusive prefix sum: each of values[count] becomes the sum of the values before it. */
template <typename T>
static cudaError_t scan(T *values, uint64_t count, void *scratch, size_t scratch_bytes, cudaStream_t stream)
{
    return cub::DeviceScan::ExclusiveSum(scratch, scratch_bytes, values, values, count, stream);
}

/* Returns how many bytes of scratch memory a scan of `count` values of 8 bytes needs. A scan of 4-byte values needs no more. */
size_t cuda_scan_bytes(uint64_t count)
{
    size_t bytes = 0;
    cub::DeviceScan::ExclusiveSum(NULL, bytes, (uint64_t *)NULL, (uint64_t *)NULL, count);
    return bytes;
}

/* Launches an exclusive prefix sum of values of 8 bytes. Returns the error of the launch. */
cudaError_t cuda_scan_u64(uint64_t *values, uint64_t count, void *scratch, size_t scratch_bytes, cudaStream_t stream)
{
    return scan(values, count, scratch, scratch_bytes, stream);
}

/* Launches an exclusive prefix sum of values of 4 bytes. Returns the error of the launch. */
cudaError_t cuda_scan_u32(uint32_t *values, uint64_t count, void *scratch, size_t scratch_bytes, cudaStream_t stream)
{
    return scan(values, count, scratch, scratch_bytes, stream);
}
