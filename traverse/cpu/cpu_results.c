/* cpu_results.c: results of devices of the CPU; see backend.h */
#include "cpu_answers.h"

static enum status cpu_depths(struct device *dev, int32_t *locals, int32_t *delegates,
                              struct error *e)
{
    (void)e;
    cpu_copy_depths(dev, dev->shard->locals, dev->normals.visited, dev->normals.depth, locals);
    cpu_copy_depths(dev, dev->shard->d, dev->delegates.visited, dev->delegates.depth, delegates);
    return ST_OK;
}

const struct backend_results cpu_results = {
    .depths = cpu_depths,
    .open_answers = cpu_open_answers,
    .values = cpu_values,
    .assemble = cpu_assemble,
    .set_value = cpu_set_value,
    .read_block = cpu_read_block,
    .see_block = cpu_see_block,
};

const struct backend_parents cpu_parents = {
    .ask = cpu_ask,
    .reply = cpu_reply,
    .take_replies = cpu_take_replies,
    .read_parents = cpu_read_parents,
    .take_parents = cpu_take_parents,
};
