/* cuda_times.c: how long the parts of a level took on the device, by CUDA events */
#include "cuda_device.h"
#include "cuda_error.h"

void gpu_time_begin(struct device *dev, enum part part, enum gpu_kind stream)
{
    if (dev->timing)
        cudaEventRecord(dev->begin[part], dev->stream[stream]);
}

void gpu_time_end(struct device *dev, enum part part, enum gpu_kind stream)
{
    if (dev->timing)
        dev->timed[part] = cudaEventRecord(dev->end[part], dev->stream[stream]) == cudaSuccess;
}

enum status gpu_times(struct device *dev, struct breakdown *times, struct error *e)
{
    CUDA_TRY(cudaSetDevice(dev->ordinal), dev->where, e);
    for (int part = 0; part < DEVICE_PARTS && e->status == ST_OK; part++) {
        float milliseconds = 0;
        if (dev->timed[part] &&
            CUDA_TRY(cudaEventSynchronize(dev->end[part]), dev->where, e) == ST_OK)
            CUDA_TRY(cudaEventElapsedTime(&milliseconds, dev->begin[part], dev->end[part]),
                     dev->where, e);
        times->part_s[part] = 1e-3 * milliseconds;
        dev->timed[part] = 0;
    }
    return e->status;
}
