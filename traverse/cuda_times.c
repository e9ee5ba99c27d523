/* cuda_times.c: how long the parts of a level took on the device, by CUDA events */
#include "cuda_device.h"

void gpu_time_begin(struct device *dev, enum gpu_part part, enum gpu_kind stream)
{
    if (dev->timing)
        cudaEventRecord(dev->begin[part], dev->stream[stream]);
}

void gpu_time_end(struct device *dev, enum gpu_part part, enum gpu_kind stream)
{
    if (dev->timing)
        dev->timed[part] = cudaEventRecord(dev->end[part], dev->stream[stream]) == cudaSuccess;
}
