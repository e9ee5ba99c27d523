/* cuda_far.c: buffers for messages to devices that are far from this GPU: those on other hosts or, where the user wants messages, all
 * of other ranks (engine/relay_buffers.h) */
#include "cuda_device.h"
#include "cuda_error.h"

#include "formats/base/arith.h"
#include "formats/graph/partition.h"

#include <stdlib.h>

enum { FAR_BITMAPS = 3 /* struct peers_far: known, reached, told */ };

_Static_assert(RELAY_VERTICES == PEERS_SENT + 1, "the values that the host reads follow those of the kernel");

/* Takes memory by gpu_take_buffer, and zeroes it. Waits. gpu_far_close frees it. */
static unsigned char *take(struct device *dev, enum exchange_memory kind, void **memory, uint64_t bytes, struct error *e)
{
    if (e->status == ST_OK)
        *memory = gpu_take_buffer(dev, kind, bytes, "message buffers", e);
    if (e->status == ST_OK)
        CUDA_TRY(cudaMemsetAsync(*memory, 0, bytes, dev->stream.of[NORMALS]), dev->where, e);
    if (e->status == ST_OK)
        gpu_wait(dev, dev->stream.of[NORMALS], e);
    return *memory;
}

/* Sets the sizes of messages. A message for all tells of delegates, or of the normals of a shard; a message for one GPU tells of
 * normals of that GPU's shard. */
static void set_sizes(const struct device *dev, struct relay_buffers *buffers)
{
    const struct shard *s = dev->shard;
    const uint64_t shard_words = (UINT64_C(1) << s->local_bits) / 32;
    buffers->most_vertices = PEERS_LISTED_EDGES;
    buffers->single_bytes = shard_has_masks(s) ? 4 * shard_words : 0;
    buffers->all_bytes = gpu_aligned(4 * larger(shard_words, dev->of[DELEGATES].words));
    buffers->number_limit = PEERS_NUMBERS;
}

/* Copies to the device which delegates each shard owns. */
static enum status copy_owned(struct device *dev, struct error *e)
{
    const struct shard *s = dev->shard;
    const uint64_t words = dev->of[DELEGATES].words, bytes = 4 * s->p * words;
    uint32_t *owned = zeroed(s->p * words, sizeof *owned, "delegates by owner", e);
    for (uint64_t i = 0; i < s->d && e->status == ST_OK; i++)
        owned[shard_of_vertex(shard_delegate_id(s, i), s->p) * words + i / 32] |= UINT32_C(1) << (i % 32);
    take(dev, EXCHANGE_DEVICE, &dev->traffic.far.owned, bytes, e);
    if (e->status == ST_OK)
        gpu_copy(dev, dev->traffic.far.owned, owned, bytes, e);
    free(owned);
    return e->status;
}

/* Allocates the buffers, and what the kernel needs for messages in device memory. The buffers are one piece of memory: for each far
 * device two flags out and two in, two lists of vertices out and two in, a message out and one in; and behind them, once, the message
 * to all. */
static enum status open_buffers(struct device *dev, struct error *e)
{
    struct gpu_far *far = &dev->traffic.far;
    struct relay_buffers *buffers = &far->buffers;
    const uint64_t flags = gpu_aligned(2 * sizeof(struct relay_flag)), list = 2 * buffers->most_vertices * PEERS_ARRIVAL_BYTES,
                   single = gpu_aligned(buffers->single_bytes), all = buffers->all_bytes,
                   far_bytes = 2 * (flags + list + single);
    unsigned char *at = take(dev, EXCHANGE_HOST, &far->messages, buffers->count * far_bytes + all, e);
    unsigned char *bitmaps = take(dev, EXCHANGE_DEVICE, &far->bitmaps, FAR_BITMAPS * all, e);
    take(dev, EXCHANGE_DEVICE, &far->counts, (buffers->count + 1) * PEERS_MOST_WARPS * sizeof(struct message_counts), e);
    if (copy_owned(dev, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < buffers->count; i++, at += far_bytes) {
        unsigned char *lists = at + 2 * flags, *messages = lists + 2 * list;
        buffers->far[i] = (struct far_buffers){.flag_out = (struct relay_flag *)at,
                                               .flag_in = (struct relay_flag *)(at + flags),
                                               .vertices_out = (unsigned long long *)lists,
                                               .vertices_in = (unsigned long long *)(lists + list),
                                               .single_out = buffers->single_bytes > 0 ? messages : NULL,
                                               .single_in = buffers->single_bytes > 0 ? messages + single : NULL};
    }
    buffers->all_out = at;
    far->kernel = (struct peers_far){.known = (uint32_t *)bitmaps,
                                     .reached = (uint32_t *)(bitmaps + all),
                                     .told = (uint32_t *)(bitmaps + 2 * all),
                                     .sources = dev->traffic.update_sources,
                                     .owned = far->owned,
                                     .counts = far->counts,
                                     .all_out = (uint32_t *)buffers->all_out};
    return ST_OK;
}

void gpu_far_close(struct device *dev)
{
    struct gpu_far *far = &dev->traffic.far;
    if (far->buffers.count > 0)
        dev->fused.group.launch.blocks = 0; /* the kernel has the addresses of these buffers */
    gpu_release_buffer(dev, EXCHANGE_HOST, far->messages);
    gpu_release_buffer(dev, EXCHANGE_DEVICE, far->bitmaps);
    gpu_release_buffer(dev, EXCHANGE_DEVICE, far->counts);
    gpu_release_buffer(dev, EXCHANGE_DEVICE, far->owned);
    free(far->buffers.far);
    free(far->facts);
    *far = (struct gpu_far){0};
}

/* Opens buffers for messages to the devices of handles[count] (engine.h). Gives empty *buffers and *searches_fused = 0, without an error,
 * if searches with these devices cannot be fused, or if memory is short. */
enum status gpu_reach(struct device *dev, const struct peer_handle *handles, uint32_t count, struct relay_buffers *buffers,
                      int *searches_fused, struct error *e)
{
    struct gpu_far *far = &dev->traffic.far;
    *searches_fused = 0;
    *buffers = (struct relay_buffers){0};
    gpu_far_close(dev);
    if (!dev->fused.possible || dev->traffic.peers.count + count > MOST_PEERS)
        return ST_OK;
    far->facts = zeroed(count, sizeof *far->facts, "message buffers", e);
    far->buffers.far = zeroed(count, sizeof *far->buffers.far, "message buffers", e);
    for (uint32_t i = 0; i < count && e->status == ST_OK; i++)
        far->facts[i] = gpu_facts_of(&handles[i]);
    far->buffers.count = count;
    set_sizes(dev, &far->buffers);
    if (e->status == ST_OK && open_buffers(dev, e) == ST_OK && gpu_peers_open(dev, e) == ST_OK &&
        dev->fused.group.launch.blocks > 0) {
        *searches_fused = 1;
        *buffers = far->buffers;
        return ST_OK;
    }
    gpu_far_close(dev);
    if (e->status == ST_RESOURCE) /* the level loop needs no buffers */
        *e = (struct error){0};
    return e->status;
}

/* Tells the kernel where the messages to all GPUs arrive (engine.h). */
void gpu_hear(struct device *dev, const struct relay_buffers *buffers)
{
    struct gpu_fused_peers *g = &dev->fused.group.search;
    g->far.all_second = buffers->all_second / sizeof(uint32_t);
    for (uint32_t i = 0; i < buffers->count; i++)
        g->peer[g->near + i].all_in = (const uint32_t *)relay_all_in(buffers, i);
}
