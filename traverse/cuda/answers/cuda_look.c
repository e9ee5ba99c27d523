/* cuda_look.c: GPUs that read each other's memory find the parents that one of them does not know
 * itself; see engine.h
 *
 * Each shows the ids of its vertices, the parents that it knows, and its depths: as bytes, which lie where the values
 * will be, if the search had few levels. Vertices that were reached over an nn edge from another shard look there at
 * their neighbours, at several of them, which lie anywhere. Few do if hubs are delegates. A device whose normals have
 * many edges copies the depths of all peers first (scripts/results/2026-11-26-h200x2.txt, part 4). Delegates look only
 * if their owner did not find them; it found most. The list of vertices that look takes the place of those that the
 * search sent: each has an nn edge to another shard.
 */
#include "traverse/cuda/device/cuda_device.h"
#include "traverse/cuda/device/cuda_error.h"

#include <stdlib.h>

_Static_assert(sizeof(struct gpu_shown) == GPU_SHOWN_BYTES, "what a device shows as planned");

/* Implements reads_all of the backend: returns whether the device can read the memory of the devices of all
 * shards. */
int gpu_reads_all(const struct device *dev)
{
    const struct gpu_peers *p = &dev->traffic.peers;
    int reads = p->all != NULL && p->count == dev->shard->p;
    for (uint32_t i = 0; i < p->count && reads; i++)
        reads = p->all[i].readable;
    return reads;
}

/* Returns the memory for copies of the depths of all peers, or NULL if the shard has too few nn edges for the
 * copies to save time. The memory is that of the codes of vertices for other shards, free after a search: 8 bytes
 * for each nn edge. */
static uint8_t *capacity_for_copies(const struct device *dev)
{
    enum { EDGES_FOR_A_COPY = 8 }; /* of nn, for each vertex whose depth is copied */
    const struct gpu_peers *p = &dev->traffic.peers;
    uint64_t vertices = 0;
    for (uint32_t i = 0; i < p->count; i++)
        vertices += p->all[i].is.locals;
    return vertices <= dev->shard->csr[NN].edges / EDGES_FOR_A_COPY ? (uint8_t *)dev->traffic.bins.codes : NULL;
}

/* Returns the entry of the table for a peer, or for the device itself. `bytes`: its depths as bytes, or NULL if
 * they are not shown as bytes. */
static struct gpu_shown shown_by(const struct gpu_peer *peer, uint32_t id_bytes, const uint8_t *bytes)
{
    const struct gpu_shown_arrays *a = &peer->shows;
    return (struct gpu_shown){.parents = (const char *)a->by_vertex + peer->is.locals * id_bytes,
                              .ids = a->answer_ids,
                              .bytes = bytes,
                              .depth = a->depth,
                              .visited = a->visited,
                              .locals = peer->is.locals};
}

/* Called when answers are opened: uploads two tables [p] of what every device shows, the first with depths as
 * bytes and the second without, and decides whether depths of peers are copied. */
enum status gpu_open_look(struct device *dev, struct error *e)
{
    uint32_t p = dev->shard->p;
    struct gpu_shown *shown = calloc(2 * (size_t)p, sizeof *shown);
    if (shown == NULL)
        return fail_memory(e, "answers", 2 * p * sizeof *shown);
    uint8_t *copy = dev->answers.look.copies = capacity_for_copies(dev);
    for (uint32_t i = 0; i < p; i++) {
        const struct gpu_peer *peer = &dev->traffic.peers.all[i];
        int copied = copy != NULL && peer->is.shard != dev->shard->index;
        shown[peer->is.shard] = shown_by(peer, dev->answers.id_bytes, copied ? copy : peer->shows.values);
        shown[p + peer->is.shard] = shown_by(peer, dev->answers.id_bytes, NULL);
        if (copied)
            copy += peer->is.locals;
    }
    gpu_copy(dev, dev->answers.look.shown, shown, 2 * p * sizeof *shown, e);
    free(shown);
    return e->status;
}

/* Implements show_parents of the backend after a search of `levels` levels: writes the parents that the device
 * recorded and, if they fit, its depths as bytes, for its peers to read; lists the vertices without a known
 * parent. Waits. */
enum status gpu_show_parents(struct device *dev, uint32_t levels, struct error *e)
{
    struct gpu_answers *a = &dev->answers;
    a->look.by_bytes = levels <= BYTE_LEVELS;
    if (gpu_use(dev, e) != ST_OK || gpu_follow_search(dev, e) != ST_OK ||
        gpu_write_parents(dev, dev->traffic.bins.ids, gpu_answer_stream(dev), e) != ST_OK)
        return e->status;
    if (a->look.by_bytes)
        gpu_write_depths(dev, NORMALS, VALUE_BYTE, a->values, gpu_answer_stream(dev), e);
    else
        gpu_fused_settle(dev, e);
    return e->status == ST_OK ? gpu_wait(dev, gpu_answer_stream(dev), e) : e->status;
}

/* Launches copies of the byte depths of all peers to look.copies, one peer behind the other. Does not wait. */
static enum status copy_depths(const struct device *dev, struct error *e)
{
    const struct gpu_peers *p = &dev->traffic.peers;
    uint8_t *to = dev->answers.look.copies;
    for (uint32_t i = 0; i < p->count && e->status == ST_OK; i++) {
        const struct gpu_peer *peer = &p->all[i];
        if (peer->is.shard == dev->shard->index)
            continue;
        CUDA_TRY(cudaMemcpyAsync(to, peer->shows.values, peer->is.locals, cudaMemcpyDefault,
                                 gpu_answer_stream(dev)),
                 dev->where, e);
        to += peer->is.locals;
    }
    return e->status;
}

/* Implements look_parents of the backend, when all devices have shown their arrays: finds the missing parents of
 * this device's vertices in the memory of its peers. Waits. ST_BAD_DATA: a column names a vertex that does not
 * exist. */
enum status gpu_look_parents(struct device *dev, struct error *e)
{
    const struct gpu_answers *a = &dev->answers;
    uint32_t p = dev->shard->p;
    struct gpu_looking looking = {.nn = *gpu_pull_rows(dev, NN),
                                  .vertices = dev->traffic.bins.ids,
                                  .count = gpu_remote_count(dev),
                                  .shown = a->look.shown + (a->look.by_bytes ? 0 : p),
                                  .p = p,
                                  .own_shard = dev->shard->index,
                                  .local_bits = dev->shard->local_bits,
                                  .delegates = dev->of[DELEGATES].count,
                                  .not_owned = dev->traffic.peers.others,
                                  .id_bytes = a->id_bytes,
                                  .to = a->by_vertex,
                                  .bad = gpu_bad_flag(dev)};
    if (gpu_use(dev, e) != ST_OK || (a->look.by_bytes && a->look.copies != NULL && copy_depths(dev, e) != ST_OK))
        return e->status;
    unsigned int bad = 0;
    cuda_look(&looking, gpu_answer_stream(dev));
    if (CUDA_LAUNCHED(dev->where, e) == ST_OK &&
        gpu_fetch(dev, &bad, gpu_bad_flag(dev), sizeof bad, gpu_answer_stream(dev), e) == ST_OK && bad != 0)
        fail(e, ST_BAD_DATA, "%s: nn: a column names a vertex that its shard does not have",
             container_path(dev->shard->file));
    return e->status;
}
