/* cuda_whole.c: searches that are one kernel on each device: the choice between the two kinds; see backend.h */
#include "traverse/cuda/device/cuda_device.h"

static const enum whole_mode modes[] = {[DIRECTION_AUTO] = WHOLE_BY_COST,
                                       [DIRECTION_PUSH] = WHOLE_PUSH,
                                       [DIRECTION_PULL] = WHOLE_PULL};

static enum status run_alone(struct device *dev, const struct root *root, enum direction_mode mode, int noted,
                             uint32_t *levels, struct error *e)
{
    const int by_slices = dev->whole.sliced.launch.blocks > 0;
    *levels = 0;
    dev->whole.answers = dev->whole.ahead = 0;
    if (dev->whole.launch.blocks == 0)
        return ST_OK;
    dev->whole.ahead = !by_slices && gpu_can_answer_ahead(dev);
    if ((by_slices ? gpu_sliced_begin(dev, root, noted, e) : gpu_whole_begin(dev, root, modes[mode], noted, e)) !=
            ST_OK ||
        gpu_await_kernels(&dev, 1, noted, levels, e) != ST_OK || by_slices)
        return e->status;
    dev->whole.is_deep = *levels > BYTE_LEVELS;
    dev->whole.answers = dev->whole.ahead && (dev->whole.answer == ANSWER_PARENTS || !dev->whole.is_deep);
    return e->status;
}

static enum status begin_together(struct device *dev, const struct root *root, enum direction_mode mode, int noted,
                                  struct error *e)
{
    return gpu_whole_begin(dev, root, modes[mode], noted, e);
}

const struct backend_whole_search cuda_whole = {
    .run = run_alone, .begin = begin_together, .await = gpu_await_kernels, .replay_levels = gpu_replay_levels};
