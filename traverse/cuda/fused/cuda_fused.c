/* cuda_fused.c: begins and ends searches that are one kernel, sliced or fused (search_begin, search_end of engine.h) */
#include "traverse/cuda/device/cuda_device.h"

/* Returns whether searches of this device are sliced (cuda_sliced.h): there is one shard, and slices were made for it.
 * Otherwise they are fused. */
static int is_sliced(const struct device *dev)
{
    return dev->shard->p == 1 && dev->fused.sliced.launch.blocks > 0;
}

/* Begins a search of all levels, sliced or fused, and returns while the device searches. If gpu_can_answer_ahead returns 1, a
 * fused search on a single GPU also makes its answer: the answer's kernels are launched right behind it (answer_launched). An
 * answer of an earlier search is no longer valid (answer_valid). With several shards all peers must begin the search. */
enum status gpu_search_begin(struct device *dev, const struct root_set *roots, enum direction_mode mode, int noted,
                             struct error *e)
{
    dev->fused.answer_valid = 0;
    dev->fused.answer_launched = dev->shard->p == 1 && !is_sliced(dev) && gpu_can_answer_ahead(dev);
    return is_sliced(dev) ? gpu_sliced_begin(dev, roots, noted, e) : gpu_fused_begin(dev, roots, mode, noted, e);
}

/* Waits until the kernels of all `count` devices of a rank have reported, while `relay` relays their messages, and writes the number of
 * levels to *levels. After a fused search on a single GPU also sets three members of dev->fused: is_deep, if the search had too many levels
 * for depths in bytes, ahead_levels, and answer_valid, if the search has made its answer. If the wait fails, these stay as they were. */
enum status gpu_search_end(struct device *const *devices, uint32_t count, int noted, const struct message_relay *relay,
                           uint32_t *levels, struct error *e)
{
    struct device *dev = devices[0];
    struct gpu_fused_search *f = &dev->fused;
    if (gpu_await_kernels(devices, count, noted, relay, levels, e) != ST_OK || dev->shard->p > 1 || is_sliced(dev))
        return e->status;
    f->is_deep = *levels > BYTE_LEVELS;
    f->answer_valid = f->answer_launched && (f->answer_kind == ANSWER_PARENTS || *levels <= f->ahead_levels);
    if (*levels > f->ahead_levels)
        f->ahead_levels = BYTE_LEVELS;
    return e->status;
}
