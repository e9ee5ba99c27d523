/* cuda_depths.c: depths of the last search, which a whole search leaves as masks of its levels */
#include "traverse/cuda/cuda_device.h"
#include "traverse/cuda/cuda_error.h"

enum status gpu_follow_search(struct device *dev, struct error *e)
{
    struct gpu_streams *s = &dev->stream;
    if (CUDA_TRY(cudaEventRecord(s->reached[DELEGATES], s->of[DELEGATES]), dev->where, e) == ST_OK)
        CUDA_TRY(cudaStreamWaitEvent(s->of[NORMALS], s->reached[DELEGATES], 0), dev->where, e);
    return e->status;
}

enum status gpu_solo_settle(struct device *dev, struct error *e)
{
    if (gpu_is_settled(dev))
        return ST_OK;
    dev->solo.settled = 1;
    cuda_solo_settle(&dev->solo.search, dev->stream.of[NORMALS]);
    return CUDA_LAUNCHED(dev->where, e);
}

enum status gpu_write_depths(struct device *dev, enum vertex_kind kind, enum value_form form, void *to,
                             struct error *e)
{
    if (form == VALUE_BYTE && !gpu_is_settled(dev))
        cuda_solo_byte_depths(&dev->solo.search, kind, to, gpu_answer_stream(dev));
    else if (gpu_solo_settle(dev, e) == ST_OK)
        cuda_write_depths(&dev->of[kind], form, to, gpu_answer_stream(dev));
    return e->status == ST_OK ? CUDA_LAUNCHED(dev->where, e) : e->status;
}
