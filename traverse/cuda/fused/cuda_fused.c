/* cuda_fused.c: begins and ends searches that are one kernel, sliced or fused (search_begin, search_end of engine.h) */
#include "traverse/cuda/device/cuda_device.h"

/* Returns whether searches of this device are sliced (cuda_sliced.h): there is one shard, and slices were made for it.
 * Otherwise they are fused. */
static int is_sliced(const struct device *dev)
{
    return dev->shard->p == 1 && dev->fused.sliced.launch.blocks > 0;
}

/* Begins a search of all levels, sliced or fused, and returns while the device searches. If gpu_can_answer_ahead, the kernels
 * of the answer are launched right behind a fused search on a single GPU, too (answer_launched). Answers of earlier searches
 * are no longer valid (answer_valid). With several shards all peers must begin the search. */
enum status gpu_search_begin(struct device *dev, const struct root *root, enum direction_mode mode, int noted,
                             struct error *e)
{
    dev->fused.answer_valid = 0;
    dev->fused.answer_launched = dev->shard->p == 1 && !is_sliced(dev) && gpu_can_answer_ahead(dev);
    return is_sliced(dev) ? gpu_sliced_begin(dev, root, noted, e) : gpu_fused_begin(dev, root, mode, noted, e);
}

/* Waits until the kernels of all `count` devices of a rank have reported, and writes the number of levels to *levels. After a
 * fused search on a single GPU it also sets is_deep, if the search had too many levels for an answer in bytes, and `answers`,
 * if the answer was made with the search. If the wait fails, both stay as they were. */
enum status gpu_search_end(struct device *const *devices, uint32_t count, int noted, uint32_t *levels, struct error *e)
{
    struct device *dev = devices[0];
    struct gpu_fused_search *f = &dev->fused;
    if (gpu_await_kernels(devices, count, noted, levels, e) != ST_OK || dev->shard->p > 1 || is_sliced(dev))
        return e->status;
    f->is_deep = *levels > BYTE_LEVELS;
    f->answer_valid = f->answer_launched && (f->answer_kind == ANSWER_PARENTS || !f->is_deep);
    return e->status;
}
