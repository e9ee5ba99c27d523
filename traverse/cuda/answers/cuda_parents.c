/* cuda_parents.c: how GPUs find the parents that a device did not record itself, after a search of several devices; see
 * engine.h and results/answers.c, which calls these functions
 *
 * A vertex that was reached over an nn edge from another shard has no recorded parent. There are two ways to find it. Both
 * use arrays of the search that are free once the search is over.
 *
 * Questions and replies, if some device cannot read the memory of some other device: the queue of normals lists the vertices
 * that ask. The array of codes of vertices for other shards holds the questions. The array of sent ids holds, for each
 * question, the vertex that asks. There is at most one question for each nn edge, in either direction.
 *
 * With all_read (each device reads the memory of all devices) nobody asks. Each GPU shows the ids of its vertices, the
 * parents that it knows, and its depths. If the search had few levels, the depths are bytes, which lie where the values will
 * be. A vertex that was reached over an nn edge from another shard looks at several of its neighbours there, which lie
 * anywhere in memory. Few vertices do so if hubs are delegates. A device whose normals have many edges first copies the
 * depths of all peers: parents of a uniform graph of 2^24 vertices on two H200 then take 2.6 ms and not 6.8. A delegate
 * looks only on the device of its owner, and only if that device did not find the delegate. Most delegates were found by
 * their owner. The array of sent ids lists the vertices that look: each of them has an nn edge to another shard. The queue
 * is not free in this case, as the kernel of a search has left bitmaps of its levels there.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct gpu_shown) == GPU_SHOWN_BYTES, "what a device shows as planned");

/* ---- peers ---- */

/* Returns the peer that has the shard. NULL: no peer has the shard, or the devices are not joined. */
static const struct gpu_peer *peer_of(const struct device *dev, uint32_t shard)
{
    const struct gpu_peers *p = &dev->traffic.peers;
    for (uint32_t i = 0; p->all != NULL && i < p->count; i++) {
        if (p->all[i].is.shard == shard)
            return &p->all[i];
    }
    return NULL;
}

/* Returns 1 if kernels of this device can read the memory of the device of this shard. Returns 0 if that device is no peer,
 * or if only the driver can copy its memory. */
int gpu_reads_peer(const struct device *dev, uint32_t shard)
{
    const struct gpu_peer *peer = peer_of(dev, shard);
    return peer != NULL && peer->readable;
}

/* Describes `bytes` bytes at address `at` in the memory of this device, which the device of shard `to` will read. If that
 * device is a peer in another process, the address is of no use there: slice.place becomes 1 + the offset of the bytes in
 * the memory that this device shows. Otherwise slice.place is 0. */
static struct slice slice_for(const struct device *dev, uint32_t to, const void *at, uint64_t bytes)
{
    const struct gpu_peer *peer = peer_of(dev, to);
    const uint64_t offset = (uint64_t)((const char *)at - (const char *)dev->memory.device);
    return (struct slice){at, bytes, peer != NULL && !peer->here ? offset + 1 : 0};
}

/* Returns the address at which this device reads the bytes of a slice that it received from shard `from`. If slice->place is
 * 0, the bytes are at slice->at. Otherwise the sender is a peer in another process: the bytes are at offset slice->place - 1
 * of the peer's memory, which is mapped here (slice_for). */
static const void *address_of(const struct device *dev, uint32_t from, const struct slice *slice)
{
    return slice->place == 0 ? slice->at : (const char *)peer_of(dev, from)->mapped + slice->place - 1;
}

/* Called when answers are opened with all_read: uploads to a->shown two tables [p] of what each device shows, by shard. The
 * first table has depths as bytes, and the second has no bytes. Sets a->copies: to the memory for copies of the peers'
 * depths, if the shard has so many nn edges that copies save time, and otherwise to NULL. The copies will lie where the
 * codes of vertices for other shards were, which is 8 bytes for each nn edge. ST_RESOURCE: no memory for the tables, which
 * are freed here. */
enum status gpu_open_look(struct device *dev, struct error *e)
{
    enum { EDGES_FOR_A_COPY = 8 }; /* least nn edges of the shard for each vertex whose depth is copied */
    const uint32_t p = dev->shard->p;
    struct gpu_answers *a = &dev->answers;
    struct gpu_shown *shown = calloc(2 * (size_t)p, sizeof *shown);
    uint64_t vertices = 0;
    if (shown == NULL)
        return fail_memory(e, "answers", 2 * p * sizeof *shown);
    for (uint32_t i = 0; i < p; i++)
        vertices += dev->traffic.peers.all[i].is.locals;
    const int copies = vertices <= dev->shard->csr[NN].edges / EDGES_FOR_A_COPY;
    uint8_t *copy = a->copies = copies ? (uint8_t *)dev->traffic.bins.codes : NULL;
    for (uint32_t i = 0; i < p; i++) {
        const struct gpu_peer *peer = &dev->traffic.peers.all[i];
        const int is_copied = copies && peer->is.shard != dev->shard->index;
        struct gpu_shown *with_bytes = &shown[peer->is.shard], *without = with_bytes + p;
        *without = (struct gpu_shown){.parents = (const char *)peer->shows.by_vertex + peer->is.locals * a->id_bytes,
                                      .ids = peer->shows.answer_ids,
                                      .depth = peer->shows.depth,
                                      .visited = peer->shows.visited,
                                      .locals = peer->is.locals};
        *with_bytes = *without;
        with_bytes->bytes = is_copied ? copy : peer->shows.values;
        copy += is_copied ? peer->is.locals : 0;
    }
    gpu_copy(dev, a->shown, shown, 2 * p * sizeof *shown, e);
    free(shown);
    return e->status;
}

/* ---- asking ---- */

/* Writes the questions of the listed vertices to device memory, those for shard 0 first, and waits. For each question the
 * vertex that asks is written, too. Sets questions[p] to where the questions for each shard are. One launch counts the
 * questions for each shard, and another one writes them. Called by gpu_ask, after gpu_write_parents has listed the vertices
 * that ask. */
static enum status list_questions(struct device *dev, struct slice *questions, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    const size_t bytes = dev->shard->p * sizeof *a->counts;
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
    unsigned long long sum = 0;
    for (uint32_t s = 0; s < dev->shard->p; s++) { /* a count becomes the index of the first question for shard s */
        const unsigned long long count = a->counts[s];
        questions[s] = slice_for(dev, s, asking.questions + sum, count * sizeof *asking.questions);
        a->counts[s] = sum;
        sum += count;
    }
    if (CUDA_TRY(cudaMemcpyAsync(a->tables, a->counts, bytes, cudaMemcpyHostToDevice, stream), dev->where, e) != ST_OK)
        return e->status;
    cuda_ask(&asking, 1, stream);
    return gpu_wait(dev, stream, e);
}

/* Begins to find parents after a search with depths below `levels`: turns recorded parents into input ids in by_vertex, and
 * lists the vertices that have their parent on another device. Then writes the questions of these vertices, and sets
 * questions[p] to where the questions for each shard are. With all_read it writes the depths that peers will read instead,
 * and all questions[] are empty. Waits. */
enum status gpu_ask(struct device *dev, uint32_t levels, struct slice *questions, struct error *e)
{
    struct gpu_answers *a = &dev->answers;
    cudaStream_t stream = gpu_answer_stream(dev);
    memset(questions, 0, dev->shard->p * sizeof *questions);
    if (gpu_use(dev, e) != ST_OK || gpu_follow_search(dev, e) != ST_OK)
        return e->status;
    if (!a->all_read) {
        if (gpu_fused_settle(dev, e) != ST_OK || gpu_write_parents(dev, dev->of[NORMALS].queue, stream, e) != ST_OK)
            return e->status;
        return list_questions(dev, questions, e);
    }
    a->by_bytes = levels <= BYTE_LEVELS;
    if (gpu_write_parents(dev, dev->traffic.bins.ids, stream, e) != ST_OK)
        return e->status;
    if (a->by_bytes)
        gpu_write_depths(dev, NORMALS, VALUE_BYTE, a->values, stream, e);
    else
        gpu_fused_settle(dev, e);
    return e->status == ST_OK ? gpu_wait(dev, stream, e) : e->status;
}

/* ---- replying ---- */

/* Writes the replies to the questions of all shards to a->replies, and waits. Sets replies[p] to where the replies to each
 * shard are. ST_BAD_DATA: a question names a vertex that this shard does not have, or there are more questions than this
 * shard has nn edges. In the second case nothing is written, as there would be no memory for the replies. */
enum status gpu_reply(struct device *dev, const struct slice *questions, struct slice *replies, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    cudaStream_t stream = gpu_answer_stream(dev);
    uint64_t count = 0;
    unsigned int bad = 0;
    char *at = a->replies;
    for (uint32_t s = 0; s < dev->shard->p; s++)
        count += questions[s].bytes / sizeof(struct question);
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    const int fits = count <= dev->shard->csr[NN].edges;
    for (uint32_t s = 0; s < dev->shard->p && fits; s++) {
        struct gpu_replying r = {.questions = address_of(dev, s, &questions[s]),
                                 .count = questions[s].bytes / sizeof(struct question),
                                 .locals = dev->of[NORMALS],
                                 .ids = a->ids,
                                 .id_bytes = a->id_bytes,
                                 .replies = at,
                                 .bad = gpu_bad_flag(dev)};
        replies[s] = slice_for(dev, s, at, r.count * a->id_bytes);
        cuda_reply(&r, stream);
        at += replies[s].bytes;
    }
    if (fits && gpu_fetch(dev, &bad, gpu_bad_flag(dev), sizeof bad, stream, e) != ST_OK)
        return e->status;
    if (!fits || bad != 0)
        fail(e, ST_BAD_DATA, "%s: nn: another shard names a vertex this one does not have",
             container_path(dev->shard->file));
    return e->status;
}

/* ---- taking parents ---- */

/* Finds the missing parents of this device's vertices in the memory of its peers, and waits. Called by gpu_take_replies with
 * all_read. Copies the depths of all peers first, if a->copies has memory for them and depths are shown as bytes.
 * ST_BAD_DATA: a column of nn names a vertex that its shard does not have. */
static enum status look_for_parents(struct device *dev, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    const struct gpu_peers *peers = &dev->traffic.peers;
    cudaStream_t stream = gpu_answer_stream(dev);
    uint32_t p = dev->shard->p;
    struct gpu_looking looking = {.nn = *gpu_pull_rows(dev, NN),
                                  .vertices = dev->traffic.bins.ids,
                                  .count = gpu_remote_count(dev),
                                  .shown = a->shown + (a->by_bytes ? 0 : p),
                                  .p = p,
                                  .own_shard = dev->shard->index,
                                  .local_bits = dev->shard->local_bits,
                                  .delegates = dev->of[DELEGATES].count,
                                  .not_owned = peers->others,
                                  .id_bytes = a->id_bytes,
                                  .to = a->by_vertex,
                                  .bad = gpu_bad_flag(dev)};
    uint8_t *copy = a->copies;
    for (uint32_t i = 0; i < p && a->by_bytes && copy != NULL; i++) {
        const struct gpu_peer *peer = &peers->all[i];
        if (peer->is.shard == dev->shard->index)
            continue;
        if (CUDA_TRY(cudaMemcpyAsync(copy, peer->shows.values, peer->is.locals, cudaMemcpyDefault, stream), dev->where,
                     e) != ST_OK)
            return e->status;
        copy += peer->is.locals;
    }
    unsigned int bad = 0;
    cuda_look(&looking, stream);
    if (gpu_fetch(dev, &bad, looking.bad, sizeof bad, stream, e) == ST_OK && bad != 0)
        fail(e, ST_BAD_DATA, "%s: nn: a column names a vertex that its shard does not have",
             container_path(dev->shard->file));
    return e->status;
}

/* Gives each vertex that asked a parent: launches kernels that write the replies other than -1 to by_vertex, and does not
 * wait for them. `replies`: [p], the replies of each shard to this device's questions, in their order. With all_read the
 * replies are not read; the missing parents are looked for in the memory of the peers, and the host waits for the end. */
enum status gpu_take_replies(struct device *dev, const struct slice *replies, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    const uint32_t *askers = dev->traffic.bins.ids;
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    if (a->all_read)
        return look_for_parents(dev, e);
    for (uint32_t s = 0; s < dev->shard->p; s++) {
        uint64_t count = replies[s].bytes / a->id_bytes;
        cuda_take_replies(address_of(dev, s, &replies[s]), askers, count, a->id_bytes, a->by_vertex, gpu_answer_stream(dev));
        askers += count;
    }
    return CUDA_LAUNCHED(dev->where, e);
}
