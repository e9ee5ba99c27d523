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
    const int by_slices = dev->whole.sliced.launch.blocks > 0;
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

/* All kernels are begun before any is waited for. */
static enum status run_together(struct device *const *devices, uint32_t count, const struct root *root,
                                enum direction_mode mode, int noted, uint32_t *levels, struct error *e)
{
    for (uint32_t i = 0; i < count && e->status == ST_OK; i++)
        gpu_whole_begin(devices[i], root, modes[mode], noted, e);
    return e->status == ST_OK ? gpu_await_kernels(devices, count, noted, levels, e) : e->status;
}

static enum status gpu_run(struct device *const *devices, uint32_t count, const struct root *root,
                           enum direction_mode mode, int noted, uint32_t *levels, struct error *e)
{
    *levels = 0;
    for (uint32_t i = 0; i < count; i++)
        devices[i]->whole.answers = devices[i]->whole.ahead = 0;
    if (finds_root_alone(devices[0], root))
        return ST_OK;
    return devices[0]->shard->p == 1 ? run_alone(devices[0], root, mode, noted, levels, e)
                                     : run_together(devices, count, root, mode, noted, levels, e);
}

const struct backend_whole_search cuda_whole = {.run = gpu_run, .replay_levels = gpu_replay_levels};
