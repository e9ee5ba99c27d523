/* cuda_times.c: measures the phases of a level on the device, by CUDA events */
#include "cuda_device.h"
#include "cuda_error.h"

void gpu_time_begin(struct device *dev, enum phase phase, enum vertex_kind stream)
{
    if (dev->clock.runs)
        cudaEventRecord(dev->clock.begin[phase], dev->stream.of[stream]);
}

void gpu_time_end(struct device *dev, enum phase phase, enum vertex_kind stream)
{
    struct gpu_clock *c = &dev->clock;
    if (c->runs)
        c->timed[phase] = cudaEventRecord(c->end[phase], dev->stream.of[stream]) == cudaSuccess;
}

enum status gpu_times(struct device *dev, struct breakdown *times, struct error *e)
{
    struct gpu_clock *c = &dev->clock;
    gpu_use(dev, e);
    for (int phase = 0; phase < DEVICE_PHASES && e->status == ST_OK; phase++) {
        float milliseconds = 0;
        if (c->timed[phase] &&
            CUDA_TRY(cudaEventSynchronize(c->end[phase]), dev->where, e) == ST_OK)
            CUDA_TRY(cudaEventElapsedTime(&milliseconds, c->begin[phase], c->end[phase]),
                     dev->where, e);
        times->phase_s[phase] = 1e-3 * milliseconds;
        c->timed[phase] = 0;
    }
    return e->status;
}
