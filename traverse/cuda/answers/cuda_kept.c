/* cuda_kept.c: copies of answers in device memory of their own, which other processes open by handles of CUDA IPC (--device-answers)
 *
 * A handle opens the whole block in which the driver has placed an allocation. So a copy takes whole blocks, and no process sees
 * other memory of this one.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

#include "formats/base/arith.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 21 }; /* of the memory that the driver divides among small allocations */

/* backend_answers.keep: allocates memory, copies the bytes there, and makes the handle. ST_RESOURCE if the GPU has too little
 * memory, which leaves it usable. */
enum status gpu_keep_answer(const struct device *dev, const void *from, uint64_t bytes, struct kept_values *kept, struct error *e)
{
    cudaIpcMemHandle_t handle;
    const uint64_t address = gpu_bus_address(dev->ordinal);
    _Static_assert(sizeof handle == sizeof kept->handle, "kept_values.handle holds it");
    *kept = (struct kept_values){0};
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    if (CUDA_TRY(cudaMalloc(&kept->memory, divide_up(bytes, BLOCK_BYTES) * BLOCK_BYTES), dev->where, e) == ST_OK &&
        CUDA_TRY(cudaIpcGetMemHandle(&handle, kept->memory), dev->where, e) == ST_OK &&
        gpu_copy(dev, kept->memory, from, bytes, e) == ST_OK) {
        memcpy(kept->handle, &handle, sizeof handle);
        snprintf(kept->gpu, sizeof kept->gpu, "%04" PRIx64 ":%02" PRIx64 ":%02" PRIx64 ".0", address >> 32 & 0xffff,
                 address >> 16 & 0xff, address & 0xff);
    } else {
        gpu_release_answer(dev, kept);
    }
    return e->status;
}

/* backend_answers.release */
void gpu_release_answer(const struct device *dev, struct kept_values *kept)
{
    cudaSetDevice(dev->ordinal);
    cudaFree(kept->memory);
    kept->memory = NULL;
}
