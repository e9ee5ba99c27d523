/* cuda_parents.c: how GPUs find the parents that a device did not record itself; see engine.h
 *
 * Arrays of the search, free once it is over, serve again: the queue of normals lists the vertices that ask,
 * the codes of vertices for other shards hold the questions, and the array of sent ids holds, for each question,
 * the vertex that asks it. There is at most one question for each nn edge, in either direction.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

#include <string.h>

/* ---- asking ---- */

/* Sets questions[s], s < p, from the number of questions for each shard in counts[p], and replaces each count by
 * the index of the first question for that shard. */
static void place_questions(const struct device *dev, struct slice *questions)
{
    const struct question *at = (const struct question *)(void *)dev->traffic.bins.codes;
    unsigned long long sum = 0, *counts = dev->answers.counts;
    for (uint32_t s = 0; s < dev->shard->p; s++) {
        questions[s] = (struct slice){at + sum, counts[s] * sizeof *at};
        unsigned long long count = counts[s];
        counts[s] = sum;
        sum += count;
    }
}

/* Called by gpu_ask: counts the questions for each shard, fetches the counts, and writes the questions and their
 * askers. Sets questions[p]. Waits. */
static enum status list_questions(struct device *dev, struct slice *questions, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    size_t bytes = dev->shard->p * sizeof *a->counts;
    cudaStream_t stream = gpu_answer_stream(dev);
    struct gpu_asking asking = {.nn = *gpu_pull_rows(dev, NN),
                                .vertices = dev->of[NORMALS].queue,
                                .count = gpu_remote_count(dev),
                                .depth = dev->of[NORMALS].depth,
                                .own_shard = dev->shard->index,
                                .local_bits = dev->shard->local_bits,
                                .cursor = a->tables,
                                .questions = (struct question *)(void *)dev->traffic.bins.codes,
                                .askers = dev->traffic.bins.ids};
    cuda_ask(&asking, 0, stream);
    if (gpu_fetch(dev, a->counts, a->tables, bytes, stream, e) != ST_OK)
        return e->status;
    place_questions(dev, questions);
    if (CUDA_TRY(cudaMemcpyAsync(a->tables, a->counts, bytes, cudaMemcpyHostToDevice, stream),
                 dev->where, e) != ST_OK)
        return e->status;
    cuda_ask(&asking, 1, stream);
    return gpu_wait(dev, stream, e);
}

/* Implements `ask` of the backend after a search: converts recorded parents to input ids, and with several shards
 * writes the questions for the others. questions[s], s < p, becomes the slice for shard s. */
static enum status gpu_ask(struct device *dev, struct slice *questions, struct error *e)
{
    memset(questions, 0, dev->shard->p * sizeof *questions);
    if (gpu_is_answered(dev, ANSWER_PARENTS) || gpu_use(dev, e) != ST_OK || gpu_follow_search(dev, e) != ST_OK)
        return e->status;
    if (dev->answers.vertex == NULL) /* gpu_values writes them */
        return ST_OK;
    if (dev->shard->p == 1)
        return gpu_write_parents(dev, NULL, gpu_answer_stream(dev), e);
    if (gpu_fused_settle(dev, e) != ST_OK ||
        gpu_write_parents(dev, dev->of[NORMALS].queue, gpu_answer_stream(dev), e) != ST_OK)
        return e->status;
    return list_questions(dev, questions, e);
}

/* ---- replying ---- */

/* Called by gpu_reply: fails with ST_BAD_DATA if `count`, the number of questions received, is more than this
 * shard has nn edges, or if a kernel met a vertex that does not exist. */
static enum status check_questions(struct device *dev, uint64_t count, struct error *e)
{
    unsigned int bad = 0;
    uint64_t most = dev->shard->csr[NN].edges;
    if (count <= most && gpu_fetch(dev, &bad, gpu_bad_flag(dev), sizeof bad, gpu_answer_stream(dev), e) != ST_OK)
        return e->status;
    if (count > most || bad != 0)
        fail(e, ST_BAD_DATA, "%s: nn: another shard names a vertex this one does not have",
             container_path(dev->shard->file));
    return e->status;
}

/* Implements `reply` of the backend: answers questions[s] of each shard s < p, and sets replies[s] to the replies
 * in the same order. Waits. */
static enum status gpu_reply(struct device *dev, const struct slice *questions,
                             struct slice *replies, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    uint64_t count = 0;
    char *at = a->replies;
    for (uint32_t s = 0; s < dev->shard->p; s++)
        count += questions[s].bytes / sizeof(struct question);
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < dev->shard->p && count <= dev->shard->csr[NN].edges; s++) {
        struct gpu_replying r = {.questions = questions[s].at,
                                 .count = questions[s].bytes / sizeof(struct question),
                                 .locals = dev->of[NORMALS],
                                 .ids = a->ids,
                                 .id_bytes = a->id_bytes,
                                 .replies = at,
                                 .bad = gpu_bad_flag(dev)};
        replies[s] = (struct slice){at, r.count * a->id_bytes};
        cuda_reply(&r, gpu_answer_stream(dev));
        at += replies[s].bytes;
    }
    if (CUDA_LAUNCHED(dev->where, e) == ST_OK)
        check_questions(dev, count, e);
    return e->status;
}

/* Implements take_replies of the backend: launches kernels that give each vertex that asked a neighbour that
 * replied with its id. replies[s], s < p, are in the order of the questions. */
static enum status gpu_take_replies(struct device *dev, const struct slice *replies,
                                    struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    const uint32_t *askers = dev->traffic.bins.ids;
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < dev->shard->p; s++) {
        uint64_t count = replies[s].bytes / a->id_bytes;
        cuda_take_replies(replies[s].at, askers, count, a->id_bytes, a->by_vertex, gpu_answer_stream(dev));
        askers += count;
    }
    return CUDA_LAUNCHED(dev->where, e);
}

/* ---- delegates ---- */

/* Returns the parents of delegates [d] of a device, in its own memory. */
static const void *delegates_of(const struct device *dev)
{
    return (const char *)dev->answers.by_vertex + dev->of[NORMALS].count * dev->answers.id_bytes;
}

/* Merges the parents of delegates of a device whose memory `dev` cannot read: copies them in parts that fit the
 * memory of the values, which is free at this time, and takes the larger ids. */
static enum status max_of_copies(struct device *dev, const struct device *other, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    const uint64_t d = dev->of[DELEGATES].count, width = a->id_bytes, most = gpu_answer_values(a->count);
    for (uint64_t i = 0; i < d && e->status == ST_OK; i += most) {
        uint64_t piece = d - i < most ? d - i : most;
        CUDA_TRY(cudaMemcpyPeerAsync(a->values, dev->ordinal,
                                     (const char *)delegates_of(other) + i * width, other->ordinal,
                                     piece * width, gpu_answer_stream(dev)),
                 dev->where, e);
        cuda_max_ids((char *)a->delegates + i * width, a->values, piece, a->id_bytes, gpu_answer_stream(dev));
    }
    return e->status;
}

/* Launches the merging of the parents of delegates of `count` devices of this rank by the largest id, into the
 * `delegates` of `dev`. */
static enum status max_of_devices(struct device *dev, struct device *const *devices, uint32_t count,
                                  struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    cudaStream_t stream = gpu_answer_stream(dev);
    uint64_t d = dev->of[DELEGATES].count;
    CUDA_TRY(cudaMemcpyAsync(a->delegates, delegates_of(dev), d * a->id_bytes, cudaMemcpyDefault, stream),
             dev->where, e);
    for (uint32_t i = 0; i < count && e->status == ST_OK; i++) {
        if (!gpu_can_read(dev->ordinal, devices[i]->ordinal))
            max_of_copies(dev, devices[i], e);
        else if (devices[i] != dev)
            cuda_max_ids(a->delegates, delegates_of(devices[i]), d, a->id_bytes, stream);
    }
    return CUDA_LAUNCHED(dev->where, e);
}

/* Implements read_parents of the backend: merges the parents of delegates of all devices of this rank, and copies
 * the result to host[d] unless `host` is NULL. Waits. */
static enum status gpu_read_parents(struct device *dev, struct device *const *devices,
                                    uint32_t count, void *host, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    uint64_t bytes = dev->of[DELEGATES].count * a->id_bytes;
    if (gpu_use(dev, e) != ST_OK || max_of_devices(dev, devices, count, e) != ST_OK)
        return e->status;
    if (host != NULL && bytes > 0)
        CUDA_TRY(cudaMemcpyAsync(host, a->delegates, bytes, cudaMemcpyDeviceToHost, gpu_answer_stream(dev)),
                 dev->where, e);
    return gpu_wait(dev, gpu_answer_stream(dev), e);
}

/* Implements take_parents of the backend: overwrites the parents of all delegates with host[d] or, if `host` is
 * NULL, with what gpu_read_parents merged. Does not wait. */
static enum status gpu_take_parents(struct device *dev, const void *host, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    uint64_t bytes = dev->of[DELEGATES].count * a->id_bytes;
    if (bytes == 0 || gpu_use(dev, e) != ST_OK)
        return e->status;
    return CUDA_TRY(cudaMemcpyAsync((void *)delegates_of(dev), host != NULL ? host : a->delegates,
                                    bytes, cudaMemcpyDefault, gpu_answer_stream(dev)),
                    dev->where, e);
}

const struct backend_parents cuda_parents = {
    .ask = gpu_ask,
    .reply = gpu_reply,
    .take_replies = gpu_take_replies,
    .read_parents = gpu_read_parents,
    .take_parents = gpu_take_parents,
    .reads_all = gpu_reads_all,
    .show_parents = gpu_show_parents,
    .look_parents = gpu_look_parents,
};
