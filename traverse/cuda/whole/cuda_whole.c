/* cuda_whole.c: searches that are one kernel on each device: which of the two kinds a device has; see backend.h */
#include "traverse/cuda/cuda_device.h"

static const enum solo_mode modes[] = {[DIRECTION_AUTO] = SOLO_BY_COST,
                                       [DIRECTION_PUSH] = SOLO_PUSH,
                                       [DIRECTION_PULL] = SOLO_PULL};

static enum status gpu_run(struct device *dev, const struct root *root, enum direction_mode mode,
                           int noted, uint32_t *levels, struct error *e)
{
    *levels = 0;
    dev->solo.answers = dev->solo.ahead = 0;
    if (dev->solo.launch.blocks == 0 || root->at == ROOT_AT_ISOLATED)
        return ST_OK;
    if (dev->solo.sliced.launch.blocks > 0)
        return gpu_sliced_run(dev, root, noted, levels, e);
    dev->solo.ahead = gpu_can_answer_ahead(dev);
    gpu_whole_run(dev, root, (struct gpu_wish){modes[mode], noted, 0}, levels, e);
    dev->solo.is_deep = *levels > BYTE_LEVELS;
    dev->solo.answers = dev->solo.ahead && (dev->solo.answer == ANSWER_PARENTS || !dev->solo.is_deep);
    return e->status;
}

static enum status gpu_run_together(struct device *dev, const struct root *root,
                                    enum direction_mode mode, int noted, uint32_t *levels,
                                    struct error *e)
{
    *levels = 0;
    if (root->at == ROOT_AT_ISOLATED)
        return ST_OK;
    return gpu_whole_run(dev, root, (struct gpu_wish){modes[mode], noted, 1}, levels, e);
}

const struct backend_whole_search cuda_whole = {
    .run = gpu_run, .tell_levels = gpu_tell_levels, .run_together = gpu_run_together};
