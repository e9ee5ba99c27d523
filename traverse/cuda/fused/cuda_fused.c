/* cuda_fused.c: searches that are one kernel on each device: the choice between the two kinds; see backend.h */
#include "traverse/cuda/device/cuda_device.h"

static const enum fused_mode modes[] = {[DIRECTION_AUTO] = FUSED_BY_COST,
                                       [DIRECTION_PUSH] = FUSED_PUSH,
                                       [DIRECTION_PULL] = FUSED_PULL};

static enum status run_single(struct device *dev, const struct root *root, enum direction_mode mode, int noted,
                             uint32_t *levels, struct error *e)
{
    const int by_slices = dev->fused.sliced.launch.blocks > 0;
    *levels = 0;
    dev->fused.answers = dev->fused.ahead = 0;
    if (dev->fused.launch.blocks == 0)
        return ST_OK;
    dev->fused.ahead = !by_slices && gpu_can_answer_ahead(dev);
    if ((by_slices ? gpu_sliced_begin(dev, root, noted, e) : gpu_fused_begin(dev, root, modes[mode], noted, e)) !=
            ST_OK ||
        gpu_await_kernels(&dev, 1, noted, levels, e) != ST_OK || by_slices)
        return e->status;
    dev->fused.is_deep = *levels > BYTE_LEVELS;
    dev->fused.answers = dev->fused.ahead && (dev->fused.answer == ANSWER_PARENTS || !dev->fused.is_deep);
    return e->status;
}

static enum status begin_together(struct device *dev, const struct root *root, enum direction_mode mode, int noted,
                                  struct error *e)
{
    return gpu_fused_begin(dev, root, modes[mode], noted, e);
}

const struct backend_fused cuda_fused = {
    .run = run_single, .begin = begin_together, .await = gpu_await_kernels, .replay_levels = gpu_replay_levels};
