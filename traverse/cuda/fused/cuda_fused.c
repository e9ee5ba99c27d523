/* cuda_fused.c: searches that devices do by themselves, sliced or fused; see backend.h */
#include "traverse/cuda/device/cuda_device.h"

/* Runs a search on the GPU of one shard: sliced if its graph was opened so, otherwise fused. *levels is 0 if it can
 * neither. */
static enum status run_single_gpu(struct device *dev, const struct root *root, enum direction_mode mode, int noted,
                                  uint32_t *levels, struct error *e)
{
    struct gpu_fused_search *f = &dev->fused;
    const int by_slices = f->sliced.launch.blocks > 0;
    *levels = 0;
    f->answers = f->ahead = 0;
    if (f->launch.blocks == 0)
        return ST_OK;
    f->ahead = !by_slices && gpu_can_answer_ahead(dev);
    if ((by_slices ? gpu_sliced_begin(dev, root, noted, e) : gpu_fused_begin(dev, root, mode, noted, e)) != ST_OK ||
        gpu_await_kernels(&dev, 1, noted, levels, e) != ST_OK || by_slices)
        return e->status;
    f->is_deep = *levels > BYTE_LEVELS;
    f->answers = f->ahead && (f->answer == ANSWER_PARENTS || !f->is_deep);
    return e->status;
}

const struct backend_fused cuda_fused = {
    .run = run_single_gpu, .begin = gpu_fused_begin, .await = gpu_await_kernels, .replay_levels = gpu_replay_levels};
