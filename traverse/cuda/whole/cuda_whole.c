/* cuda_whole.c: searches that are one kernel on each device: the choice between the two kinds; see backend.h */
#include "traverse/cuda/cuda_device.h"

static const enum whole_mode modes[] = {[DIRECTION_AUTO] = WHOLE_BY_COST,
                                       [DIRECTION_PUSH] = WHOLE_PUSH,
                                       [DIRECTION_PULL] = WHOLE_PULL};

/* Whether the search finds the root alone. The level loop is quick with that. */
static int finds_root_alone(const struct device *dev, const struct root *root)
{
    return root->at == ROOT_AT_ISOLATED || dev->whole.deepest == 0;
}

static enum status run_alone(struct device *dev, const struct root *root, enum direction_mode mode, int noted,
                             uint32_t *levels, struct error *e)
{
    if (dev->whole.launch.blocks == 0)
        return ST_OK;
    if (dev->whole.sliced.launch.blocks > 0)
        return gpu_sliced_run(dev, root, noted, levels, e);
    dev->whole.ahead = gpu_can_answer_ahead(dev);
    gpu_whole_run(dev, root, modes[mode], noted, levels, e);
    dev->whole.is_deep = *levels > BYTE_LEVELS;
    dev->whole.answers = dev->whole.ahead && (dev->whole.answer == ANSWER_PARENTS || !dev->whole.is_deep);
    return e->status;
}

static enum status gpu_run(struct device *dev, const struct root *root, enum direction_mode mode,
                           int noted, uint32_t *levels, struct error *e)
{
    *levels = 0;
    dev->whole.answers = dev->whole.ahead = 0;
    if (finds_root_alone(dev, root))
        return ST_OK;
    return dev->shard->p == 1 ? run_alone(dev, root, mode, noted, levels, e)
                              : gpu_whole_run(dev, root, modes[mode], noted, levels, e);
}

const struct backend_whole_search cuda_whole = {.run = gpu_run, .replay_levels = gpu_replay_levels};
