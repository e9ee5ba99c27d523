/* cpu_messages.c: what devices of the CPU give to each other and to MPI; see backend.h
 *
 * Devices of the CPU share the memory of the host, so peers' vertices and masks are read where they are.
 */
#include "cpu_device.h"

#include "traverse/exchange/unique.h"

#include <stdlib.h>
#include <string.h>

static void *cpu_host_take(size_t bytes, const char *what, struct error *e)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL)
        fail_memory(e, what, bytes);
    return memory;
}

static void *cpu_exchange_take(struct device *dev, size_t bytes, const char *what, struct error *e)
{
    (void)dev;
    return cpu_host_take(bytes, what, e);
}

static void cpu_exchange_release(struct device *dev, void *memory)
{
    (void)dev;
    free(memory);
}

/* ---- vertices ---- */

/* A mask is given away only if nn was pushed and found something. */
static struct parcel cpu_outgoing(const struct device *dev, uint32_t shard)
{
    const struct cpu_shown *s = &dev->traffic.shown;
    uint64_t begin = s->begin[shard], count = s->count[shard];
    uint64_t shard_words = (UINT64_C(1) << dev->shard->local_bits) / 32;
    if (s->form == OUTGOING_LIST || count == 0)
        return (struct parcel){begin, count, OUTGOING_LIST};
    return (struct parcel){shard * shard_words, shard_words, OUTGOING_MASK};
}

/* What is left of each shard's stays where it began, as peers may know already. */
static enum status cpu_drop_repeated(struct device *dev, struct error *e)
{
    struct cpu_shown *s = &dev->traffic.shown;
    for (uint32_t i = 0; s->form == OUTGOING_LIST && i < dev->shard->p; i++)
        s->count[i] = unique_ids(s->ids + s->begin[i], s->count[i]);
    return e->status;
}

static const uint32_t *parcel_at(const struct device *dev, const struct parcel *parcel)
{
    const uint32_t *mask = (const uint32_t *)dev->traffic.shown.mask;
    return (parcel->form == OUTGOING_LIST ? dev->traffic.shown.ids : mask) + parcel->begin;
}

static enum status cpu_take_outgoing(struct device *dev, const struct parcel *parcel, uint32_t *to,
                                     struct error *e)
{
    if (parcel->count > 0)
        memcpy(to, parcel_at(dev, parcel), parcel->count * sizeof *to);
    return e->status;
}

static enum status cpu_or_outgoing(struct device *dev, const struct parcel *parcel, uint32_t *to,
                                   struct error *e)
{
    const uint32_t *from = parcel_at(dev, parcel);
    for (uint64_t w = 0; w < parcel->count; w++)
        to[w] |= from[w];
    return e->status;
}

static void reach_remotely(struct device *dev, uint32_t id)
{
    struct cpu_normals *n = &dev->normals;
    if (mask_bit(n->visited, id))
        return;
    set_mask_bit(n->visited, id);
    n->depth[id] = dev->depth + 1;
    if (dev->parents)
        n->parent[id] = PARENT_REMOTE;
    n->next[n->next_count++] = id;
}

static enum status fail_id(const struct device *dev, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: nn: another shard sent a vertex this one does not have",
                container_path(dev->shard->file));
}

static enum status receive_ids(struct device *dev, const uint32_t *ids, uint64_t count,
                               struct error *e)
{
    for (uint64_t i = 0; i < count; i++) {
        if (ids[i] >= dev->shard->locals)
            return fail_id(dev, e);
        reach_remotely(dev, ids[i]);
    }
    return ST_OK;
}

/* Words `first` and on. */
static enum status receive_mask(struct device *dev, const uint32_t *words, uint64_t first,
                                uint64_t count, struct error *e)
{
    for (uint64_t w = 0; w < count; w++) {
        for (uint32_t bits = words[w]; bits != 0; bits &= bits - 1) {
            uint64_t id = 32 * (first + w) + (uint64_t)__builtin_ctz(bits);
            if (id >= dev->shard->locals)
                return fail_id(dev, e);
            reach_remotely(dev, (uint32_t)id);
        }
    }
    return ST_OK;
}

static enum status cpu_receive(struct device *dev, const uint32_t *from, const struct parcel *part,
                               struct error *e)
{
    return part->form == OUTGOING_LIST ? receive_ids(dev, from, part->count, e)
                                       : receive_mask(dev, from, part->begin, part->count, e);
}

static enum status cpu_receive_peers(struct device *dev, const struct parcel *parcels,
                                     struct error *e)
{
    for (uint32_t i = 0; i < dev->traffic.peers.count && e->status == ST_OK; i++) {
        const struct cpu_peer *peer = &dev->traffic.peers.all[i];
        const uint32_t *from = parcels[i].form == OUTGOING_LIST ? peer->ids : peer->mask;
        const struct parcel whole = {0, parcels[i].count, parcels[i].form};
        if (peer->shard != dev->shard->index)
            cpu_receive(dev, from + parcels[i].begin, &whole, e);
    }
    return e->status;
}

/* ---- masks ---- */

static int cpu_updated(const struct device *dev)
{
    return dev->delegates.any_updated;
}

static enum status cpu_read_masks(struct device *dev, const int *updating, uint64_t *mask,
                                  struct error *e)
{
    uint64_t words = mask_words(dev->shard->d);
    uint64_t *sum = mask != NULL ? mask : dev->delegates.incoming;
    memset(sum, 0, words * sizeof *sum);
    for (uint32_t i = 0; i < dev->traffic.peers.count; i++) {
        const uint64_t *updated = dev->traffic.peers.all[i].updated;
        for (uint64_t w = 0; updating[i] && w < words; w++)
            sum[w] |= updated[w];
    }
    return e->status;
}

static enum status cpu_take_mask(struct device *dev, const uint64_t *mask, struct error *e)
{
    struct cpu_delegates *d = &dev->delegates;
    if (mask != NULL)
        memcpy(d->incoming, mask, mask_words(dev->shard->d) * sizeof *mask);
    d->any_incoming = 1;
    return e->status;
}

/* uniquify is left out: all exchange memory is the host's. */
const struct backend_messages cpu_messages = {
    .exchange_take = cpu_exchange_take,
    .exchange_release = cpu_exchange_release,
    .host_take = cpu_host_take,
    .host_release = free,
    .outgoing = cpu_outgoing,
    .drop_repeated = cpu_drop_repeated,
    .take_outgoing = cpu_take_outgoing,
    .or_outgoing = cpu_or_outgoing,
    .receive = cpu_receive,
    .receive_peers = cpu_receive_peers,
    .updated = cpu_updated,
    .read_masks = cpu_read_masks,
    .take_mask = cpu_take_mask,
};
