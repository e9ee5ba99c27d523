/* cpu_messages.c: what devices of the CPU give to each other and to MPI; see backend.h
 *
 * Devices of the CPU share the memory of the host, so vertices and masks are read where they are.
 */
#include "cpu_device.h"

#include <stdlib.h>
#include <string.h>

static void *cpu_exchange_take(struct device *dev, size_t bytes)
{
    (void)dev;
    return malloc(bytes);
}

static void cpu_exchange_release(struct device *dev, void *memory)
{
    (void)dev;
    free(memory);
}

/* ---- vertices ---- */

static struct bin *bin_of(const struct device *dev, int thread, uint32_t shard)
{
    return &dev->bins.of[(size_t)thread * dev->shard->p + shard];
}

static uint64_t cpu_outgoing(const struct device *dev, uint32_t shard)
{
    uint64_t count = 0;
    for (int t = 0; t < dev->threads; t++)
        count += bin_of(dev, t, shard)->count;
    return count;
}

static enum status cpu_take_outgoing(struct device *dev, uint32_t shard, uint32_t *ids,
                                     struct error *e)
{
    (void)e;
    for (int t = 0; t < dev->threads; t++) {
        struct bin *bin = bin_of(dev, t, shard);
        if (bin->count > 0)
            memcpy(ids, bin->ids, bin->count * sizeof *ids);
        ids += bin->count;
        bin->count = 0;
    }
    return ST_OK;
}

static enum status cpu_receive(struct device *dev, const uint32_t *ids, uint64_t count,
                               struct error *e)
{
    struct cpu_normals *n = &dev->normals;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t id = ids[i];
        if (id >= dev->shard->locals)
            return fail(e, ST_BAD_DATA,
                        "%s: nn: another shard sent a vertex this one does not have",
                        container_path(dev->shard->file));
        if (mask_bit(n->visited, id))
            continue;
        set_mask_bit(n->visited, id);
        n->depth[id] = dev->depth + 1;
        if (dev->parents)
            n->parent[id] = PARENT_REMOTE;
        n->next[n->next_count++] = id;
    }
    return ST_OK;
}

static enum status receive_from(struct device *to, struct device *from, struct error *e)
{
    for (int t = 0; t < from->threads; t++) {
        struct bin *bin = bin_of(from, t, to->shard->index);
        if (bin->count > 0 && cpu_receive(to, bin->ids, bin->count, e) != ST_OK)
            return e->status;
        bin->count = 0;
    }
    return ST_OK;
}

static enum status cpu_receive_local(struct device *dev, struct device *const *devices,
                                     uint32_t count, struct error *e)
{
    for (uint32_t i = 0; i < count; i++) {
        if (devices[i] != dev && receive_from(dev, devices[i], e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

/* ---- masks ---- */

static int cpu_updated(const struct device *dev)
{
    return dev->delegates.any_updated;
}

/* The first device reads for all of this rank: into the mask for the other ranks or, if there are none,
 * into its own incoming mask, which the others copy. */
static enum status cpu_read_masks(struct device *dev, struct device *const *devices, uint32_t count,
                                  uint64_t *mask, struct error *e)
{
    (void)e;
    uint64_t words = mask_words(dev->shard->d);
    uint64_t *sum = mask != NULL ? mask : dev->delegates.incoming;
    if (dev != devices[0])
        return ST_OK;
    memset(sum, 0, words * sizeof *sum);
    for (uint32_t i = 0; i < count; i++) {
        const struct cpu_delegates *d = &devices[i]->delegates;
        for (uint64_t w = 0; d->any_updated && w < words; w++)
            sum[w] |= d->updated[w];
    }
    return ST_OK;
}

static enum status cpu_take_mask(struct device *dev, struct device *const *devices, uint32_t count,
                                 const uint64_t *mask, struct error *e)
{
    (void)count;
    (void)e;
    const uint64_t *from = mask != NULL ? mask : devices[0]->delegates.incoming;
    if (dev->delegates.incoming != from)
        memcpy(dev->delegates.incoming, from, mask_words(dev->shard->d) * sizeof *from);
    dev->delegates.any_incoming = 1;
    return ST_OK;
}

/* uniquify is left out: all exchange memory is the host's. */
const struct backend_messages cpu_messages = {
    .exchange_take = cpu_exchange_take,
    .exchange_release = cpu_exchange_release,
    .host_take = malloc,
    .host_release = free,
    .outgoing = cpu_outgoing,
    .take_outgoing = cpu_take_outgoing,
    .receive = cpu_receive,
    .receive_local = cpu_receive_local,
    .updated = cpu_updated,
    .read_masks = cpu_read_masks,
    .take_mask = cpu_take_mask,
};
