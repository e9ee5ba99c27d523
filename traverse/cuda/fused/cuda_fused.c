/* cuda_fused.c: searches that devices do by themselves, sliced or fused; see engine.h */
#include "traverse/cuda/device/cuda_device.h"

static int is_sliced(const struct device *dev)
{
    return dev->shard->p == 1 && dev->fused.sliced.launch.blocks > 0;
}

enum status gpu_search_begin(struct device *dev, const struct root *root, enum direction_mode mode, int noted,
                             struct error *e)
{
    dev->fused.answers = 0;
    dev->fused.ahead = dev->shard->p == 1 && !is_sliced(dev) && gpu_can_answer_ahead(dev);
    return is_sliced(dev) ? gpu_sliced_begin(dev, root, noted, e) : gpu_fused_begin(dev, root, mode, noted, e);
}

enum status gpu_search_end(struct device *const *devices, uint32_t count, int noted, uint32_t *levels, struct error *e)
{
    struct device *dev = devices[0];
    struct gpu_fused_search *f = &dev->fused;
    if (gpu_await_kernels(devices, count, noted, levels, e) != ST_OK || dev->shard->p > 1 || is_sliced(dev))
        return e->status;
    f->is_deep = *levels > BYTE_LEVELS;
    f->answers = f->ahead && (f->answer == ANSWER_PARENTS || !f->is_deep);
    return e->status;
}
