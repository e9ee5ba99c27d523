/* cuda_parents.c: how GPUs find parents that a device did not record itself, after a search of several devices
 *
 * A vertex that was reached over an nn edge from another shard has no recorded parent. Such parents are found in one of three
 * ways, each in a section of this file. results/answers.c calls the functions, and engine.h has their contracts. All ways use arrays of
 * the search that are free when the search is over.
 *
 * - Every device reads the memory of all others (all_read): vertices look there. Each GPU shows the others the ids of its vertices, the
 *   parents that it knows, and its depths, as bytes if the search had few levels. A normal looks at the depths of its neighbours on other
 *   shards. If many look, the device first copies the depths of all peers, as they lie anywhere in memory: parents of a uniform graph of
 *   2^24 vertices on two H200 take 2.6 ms with the copy and 6.8 ms without. A delegate looks only on its owner's device, and only if that
 *   device did not find it.
 * - Devices know each other's ids (gpu_know_ids, far_ids): normals look as well, but in copies of depths that came in messages, as
 *   residues modulo 3. Delegates ask.
 * - Otherwise all ask. A normal sends a question to each neighbour on another shard, and neighbours that can be its parent reply with
 *   their ids. A delegate whose owner did not find it asks all other shards for the parent that they recorded.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct gpu_shown) == GPU_SHOWN_BYTES, "what a device shows as planned");

/* ---- memory of peers ---- */

/* Returns the peer whose device has the shard, or NULL if there is none. A device without gpu_join has no peers. */
static const struct gpu_peer *peer_of(const struct device *dev, uint32_t shard)
{
    const struct gpu_peers *p = &dev->traffic.peers;
    for (uint32_t i = 0; p->all != NULL && i < p->count; i++) {
        if (p->all[i].is.shard == shard)
            return &p->all[i];
    }
    return NULL;
}

/* Returns 1 if kernels of this device can read the memory of the device of this shard. Returns 0 if that device is no peer, or
 * if only the driver can copy its memory. */
int gpu_reads_peer(const struct device *dev, uint32_t shard)
{
    const struct gpu_peer *peer = peer_of(dev, shard);
    return peer != NULL && peer->readable;
}

/* Returns a description of `bytes` bytes at address `at` in the memory of this device, for the device of shard `to`, which will
 * read them. A peer in another process cannot use the address. Then span.place is 1 + the offset of the bytes in the memory
 * that this device shows. Otherwise span.place is 0. */
static struct byte_span byte_span_for(const struct device *dev, uint32_t to, const void *at, uint64_t bytes)
{
    const struct gpu_peer *peer = peer_of(dev, to);
    const uint64_t offset = (uint64_t)((const char *)at - (const char *)dev->memory.device);
    return (struct byte_span){at, bytes, peer != NULL && !peer->here ? offset + 1 : 0};
}

/* Returns the address at which this device reads the bytes of a byte span that the device of shard `from` has made
 * (byte_span_for): span->at, unless that device is a peer in another process. The memory of such a peer is mapped here, and the bytes lie
 * at offset span->place - 1 of it, as a place of 0 means that there is none. */
static const void *address_of(const struct device *dev, uint32_t from, const struct byte_span *span)
{
    return span->place == 0 ? span->at : (const char *)peer_of(dev, from)->mapped + span->place - 1;
}

/* ---- looking in the memory of peers ---- */

/* Uploads to a->shown the arrays that each of the p devices shows to its peers: a table with depths as bytes, and then one without. Called
 * when answers are opened with all_read. Fails with ST_RESOURCE if host memory is short.
 *
 * If this shard has so many nn edges that it saves time to copy the peers' depths, a->copies becomes memory for the copies,
 * otherwise NULL. This memory is an array of the search: the codes of vertices for other shards, 8 bytes for each nn edge. */
enum status gpu_open_look(struct device *dev, struct error *e)
{
    enum { EDGES_FOR_A_COPY = 8 }; /* copies are made from 8 nn edges for each vertex whose depth is copied */
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

/* Shows this device's depths below `levels` to its peers: as bytes in a->values if they fit, and otherwise where the search keeps them.
 * Does not wait. */
static enum status show_depths(struct device *dev, uint32_t levels, struct error *e)
{
    struct gpu_answers *a = &dev->answers;
    a->by_bytes = levels <= BYTE_LEVELS;
    return a->by_bytes ? gpu_write_depths(dev, NORMALS, VALUE_BYTE, a->values, gpu_answer_stream(dev), e) : gpu_fused_settle(dev, e);
}

/* Copies the depths that the peers show, as bytes, to a->copies. Does nothing if they are read in place. Does not wait. */
static enum status copy_peer_depths(struct device *dev, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    uint8_t *copy = a->copies;
    if (!a->by_bytes || copy == NULL)
        return ST_OK;
    for (uint32_t i = 0; i < dev->shard->p && e->status == ST_OK; i++) {
        const struct gpu_peer *peer = &dev->traffic.peers.all[i];
        if (peer->is.shard == dev->shard->index)
            continue;
        CUDA_TRY(cudaMemcpyAsync(copy, peer->shows.values, peer->is.locals, cudaMemcpyDefault, gpu_answer_stream(dev)), dev->where, e);
        copy += peer->is.locals;
    }
    return e->status;
}

/* ---- looking in copies of residues ---- */

/* Takes memory for the input ids of all other shards' normals, copies them there, and uploads to a->shown where these and the
 * residues of depths will be found. The residues are copied into the codes of vertices for other shards, 8 bytes for each nn edge:
 * answers.c calls this only if there are several edges for each normal. */
enum status gpu_know_ids(struct device *dev, const struct byte_span *ids, struct error *e)
{
    struct gpu_answers *a = &dev->answers;
    const uint32_t p = dev->shard->p, own = dev->shard->index;
    struct gpu_shown *shown = zeroed(p, sizeof *shown, "answers", e);
    uint64_t total = 0;
    if (shown == NULL)
        return e->status;
    for (uint32_t s = 0; s < p; s++)
        total += ids[s].bytes;
    a->copies = (uint8_t *)dev->traffic.bins.codes;
    a->far_ids = gpu_take_buffer(dev, EXCHANGE_DEVICE, total, "input ids of other shards", e);
    char *at = a->far_ids;
    uint32_t *residues = (uint32_t *)(void *)a->copies;
    for (uint32_t s = 0; s < p && e->status == ST_OK; s++) {
        const uint64_t locals = ids[s].bytes / a->id_bytes;
        /* of this shard cuda_look reads only the depths of the vertices that look */
        shown[s] = s == own ? (struct gpu_shown){.depth = dev->of[NORMALS].depth, .locals = dev->of[NORMALS].count}
                            : (struct gpu_shown){.ids = at, .residues = residues, .locals = locals};
        gpu_copy(dev, at, ids[s].at, ids[s].bytes, e);
        at += ids[s].bytes;
        residues += (locals + 15) / 16;
    }
    if (e->status == ST_OK)
        gpu_copy(dev, a->shown, shown, p * sizeof *shown, e);
    free(shown);
    return e->status;
}

/* Frees what gpu_know_ids took. */
void gpu_forget_ids(struct device *dev)
{
    gpu_release_buffer(dev, EXCHANGE_DEVICE, dev->answers.far_ids);
    dev->answers.far_ids = NULL;
}

/* Writes residues of this device's depths to a->values, which are free until the values are made, and makes depths[s] point there for each
 * other shard s. Does not wait. */
static void show_residues(struct device *dev, struct byte_span *depths)
{
    const uint64_t bytes = (dev->of[NORMALS].count + 15) / 16 * 4;
    for (uint32_t s = 0; s < dev->shard->p; s++)
        depths[s] = byte_span_for(dev, s, dev->answers.values, s == dev->shard->index ? 0 : bytes);
    cuda_write_residues(&dev->of[NORMALS], dev->answers.values, gpu_answer_stream(dev));
}

/* Copies the residues of all other shards, which came in messages, to a->copies. Does not wait. */
static enum status copy_residues(struct device *dev, const struct byte_span *depths, struct error *e)
{
    uint8_t *copy = dev->answers.copies;
    for (uint32_t s = 0; s < dev->shard->p && e->status == ST_OK; s++) {
        CUDA_TRY(cudaMemcpyAsync(copy, address_of(dev, s, &depths[s]), depths[s].bytes, cudaMemcpyDefault, gpu_answer_stream(dev)),
                 dev->where, e);
        copy += depths[s].bytes;
    }
    return e->status;
}

/* ---- naming, and looking by either ---- */

/* Returns the array for the list of normals that have their parent on another device. With all_read the queue of normals may still have
 * bitmaps of levels, from which bytes of depths are made, so the list is in the array of sent ids. Otherwise the depths are complete before
 * the list is made, and the array of sent ids gets the vertices that ask. */
static uint32_t *normals_without_parent(const struct device *dev)
{
    return dev->answers.all_read ? dev->traffic.bins.ids : dev->of[NORMALS].queue;
}

/* Turns recorded parents into input ids in by_vertex after a search with depths below `levels`, lists the normals that have their parent
 * on another device, and waits. With all_read peers then see this device's depths; with far_ids depths[s] has the residues for shard s. */
enum status gpu_name_parents(struct device *dev, uint32_t levels, struct byte_span *depths, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    cudaStream_t stream = gpu_answer_stream(dev);
    memset(depths, 0, dev->shard->p * sizeof *depths);
    if (gpu_use(dev, e) != ST_OK || gpu_follow_search(dev, e) != ST_OK)
        return e->status;
    if (a->all_read) {
        if (gpu_write_parents(dev, normals_without_parent(dev), stream, e) == ST_OK)
            show_depths(dev, levels, e);
    } else if (gpu_fused_settle(dev, e) == ST_OK && gpu_write_parents(dev, normals_without_parent(dev), stream, e) == ST_OK) {
        if (a->far_ids != NULL)
            show_residues(dev, depths);
    }
    return e->status == ST_OK ? gpu_wait(dev, stream, e) : e->status;
}

/* Finds the missing parents of this device's normals and, with all_read, of its delegates, by the depths of other devices: those that
 * peers show, or the residues depths[s] of shard s. Waits. Fails with ST_BAD_DATA if a column of nn names a vertex that its shard does not
 * have. */
enum status gpu_look(struct device *dev, const struct byte_span *depths, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    cudaStream_t stream = gpu_answer_stream(dev);
    const uint32_t p = dev->shard->p;
    struct gpu_looking looking = {.nn = *gpu_pull_rows(dev, NN),
                                  .vertices = normals_without_parent(dev),
                                  .count = gpu_remote_count(dev),
                                  .shown = a->shown + (a->all_read && !a->by_bytes ? p : 0),
                                  .p = p,
                                  .own_shard = dev->shard->index,
                                  .local_bits = dev->shard->local_bits,
                                  .delegates = a->all_read ? dev->of[DELEGATES].count : 0,
                                  .not_owned = dev->traffic.peers.others,
                                  .id_bytes = a->id_bytes,
                                  .to = a->by_vertex,
                                  .bad = gpu_bad_flag(dev)};
    if (gpu_use(dev, e) != ST_OK || (a->all_read ? copy_peer_depths(dev, e) : copy_residues(dev, depths, e)) != ST_OK)
        return e->status;
    unsigned int bad = 0;
    cuda_look(&looking, stream);
    if (gpu_fetch(dev, &bad, looking.bad, sizeof bad, stream, e) == ST_OK && bad != 0)
        fail(e, ST_BAD_DATA, "%s: nn: a column names a vertex that its shard does not have",
             container_path(dev->shard->file));
    return e->status;
}

/* ---- asking ---- */

/* Writes the questions of the listed normals to device memory, shard by shard, each with the vertex that asks it, and waits.
 * questions[s] becomes the place of the questions for shard s, for each of the p shards. The first launch counts the questions,
 * and the second one writes them. Called after gpu_name_parents has listed the vertices that ask. */
static enum status ask_for_normals(struct device *dev, struct byte_span *questions, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    const size_t bytes = dev->shard->p * sizeof *a->counts;
    cudaStream_t stream = gpu_answer_stream(dev);
    struct gpu_asking asking = {.nn = *gpu_pull_rows(dev, NN),
                                .vertices = normals_without_parent(dev),
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
    for (uint32_t s = 0; s < dev->shard->p; s++) { /* counts[s] becomes the index of the first question for shard s */
        const unsigned long long count = a->counts[s];
        questions[s] = byte_span_for(dev, s, asking.questions + sum, count * sizeof *asking.questions);
        a->counts[s] = sum;
        sum += count;
    }
    if (CUDA_TRY(cudaMemcpyAsync(a->tables, a->counts, bytes, cudaMemcpyHostToDevice, stream), dev->where, e) != ST_OK)
        return e->status;
    cuda_ask(&asking, 1, stream);
    return gpu_wait(dev, stream, e);
}

/* Lists the delegates that ask in the delegates' queue, which is free when the search is over, and waits. The list becomes the
 * questions for each other shard. */
static enum status ask_for_delegates(struct device *dev, struct byte_span *questions, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    const struct gpu_vertices *d = &dev->of[DELEGATES];
    const uint32_t p = dev->shard->p;
    cudaStream_t stream = gpu_answer_stream(dev);
    const struct gpu_missing missing = {.vertex = a->vertex,
                                        .values = a->count,
                                        .locals = dev->of[NORMALS].count,
                                        .d = d->count,
                                        .visited = d->visited,
                                        .parents = a->by_vertex,
                                        .id_bytes = a->id_bytes,
                                        .list = d->queue,
                                        .listed = a->tables};
    if (CUDA_TRY(cudaMemsetAsync(a->tables, 0, gpu_answer_table_bytes(p), stream), dev->where, e) != ST_OK)
        return e->status;
    cuda_list_missing(&missing, stream);
    gpu_fetch(dev, a->counts, a->tables, sizeof *a->counts, stream, e);
    for (uint32_t s = 0; s < p && e->status == ST_OK; s++)
        questions[s] = byte_span_for(dev, s, d->queue, s == dev->shard->index ? 0 : a->counts[0] * sizeof *d->queue);
    return e->status;
}

/* Writes the questions of one kind of vertices (engine.h). */
enum status gpu_ask(struct device *dev, enum vertex_kind kind, struct byte_span *questions, struct error *e)
{
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    return kind == NORMALS ? ask_for_normals(dev, questions, e) : ask_for_delegates(dev, questions, e);
}

/* Replies to the questions of all shards, and waits. replies[s] becomes the place of the replies for shard s, for each of the p
 * shards: in a->replies, or for questions of delegates in the prefix sums of dd, which are free when the search is over. Fails with
 * ST_BAD_DATA if a question names a vertex that this shard does not have, and if there are more questions than room: more than edges
 * of nn, or than delegates, each of which one shard asks about. */
enum status gpu_reply(struct device *dev, enum vertex_kind kind, const struct byte_span *questions, struct byte_span *replies,
                      struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    const uint64_t width = question_bytes(kind), delegates = dev->of[DELEGATES].count;
    const uint64_t most = kind == NORMALS ? dev->shard->csr[NN].edges : delegates;
    const void *of_delegates = (const char *)a->by_vertex + dev->of[NORMALS].count * a->id_bytes;
    cudaStream_t stream = gpu_answer_stream(dev);
    uint64_t count = 0;
    unsigned int bad = 0;
    char *at = kind == NORMALS ? a->replies : (char *)dev->scratch.scan.prefix;
    for (uint32_t s = 0; s < dev->shard->p; s++)
        count += questions[s].bytes / width;
    if (count > most)
        return fail(e, ST_BAD_DATA, "%s: other shards ask %llu questions, more than this one can have", container_path(dev->shard->file),
                    (unsigned long long)count);
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < dev->shard->p; s++) {
        const struct gpu_replying r = {.questions = address_of(dev, s, &questions[s]),
                                       .count = questions[s].bytes / width,
                                       .locals = dev->of[NORMALS],
                                       .ids = a->ids,
                                       .id_bytes = a->id_bytes,
                                       .replies = at,
                                       .bad = gpu_bad_flag(dev)};
        if (kind == NORMALS)
            cuda_reply(&r, stream);
        else
            cuda_reply_to_delegates((const void *)r.questions, r.count, of_delegates, delegates, r.id_bytes, at, r.bad, stream);
        replies[s] = byte_span_for(dev, s, at, r.count * a->id_bytes);
        at += replies[s].bytes;
    }
    if (gpu_fetch(dev, &bad, gpu_bad_flag(dev), sizeof bad, stream, e) == ST_OK && bad != 0)
        fail(e, ST_BAD_DATA, "%s: another shard names a vertex that this one does not have", container_path(dev->shard->file));
    return e->status;
}

/* Writes all replies except -1 to by_vertex, and waits. replies[s] has the replies of shard s to this device's last questions, in
 * their order. */
enum status gpu_take_replies(struct device *dev, enum vertex_kind kind, const struct byte_span *replies, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    const uint32_t *askers = kind == NORMALS ? dev->traffic.bins.ids : dev->of[DELEGATES].queue;
    char *to = (char *)a->by_vertex + (kind == NORMALS ? 0 : dev->of[NORMALS].count * a->id_bytes);
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    for (uint32_t s = 0; s < dev->shard->p; s++) {
        const uint64_t count = replies[s].bytes / a->id_bytes;
        cuda_take_replies(address_of(dev, s, &replies[s]), askers, count, a->id_bytes, to, gpu_answer_stream(dev));
        askers += kind == NORMALS ? count : 0; /* all shards got the same questions of delegates */
    }
    return gpu_wait(dev, gpu_answer_stream(dev), e);
}
