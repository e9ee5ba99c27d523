/* cpu_peers.c: the memory that a device of the CPU shows to its peers, and reading theirs; see backend.h
 *
 * A device shows one piece of memory: `updated` of the delegates, the frontier of the normals, and the vertices
 * for other shards, as a mask and as a list. Peers of this process read it where it is. Other processes open
 * it by the process id and descriptor on the card.
 */
#include "cpu_device.h"

#include "traverse/engine/own_rows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- showing ---- */

static struct cpu_layout lay_out(const struct shard *shard)
{
    struct cpu_layout l = {.updated_words = mask_words(shard->d)};
    l.frontier_words = mask_words(shard->locals);
    l.mask_words = shard_has_masks(shard) ? ((uint64_t)shard->p << shard->local_bits) / 64 : 0;
    l.id_words = (shard->csr[NN].edges + 1) / 2;
    return l;
}

/* Bytes without the ids, whose pages are only taken as they are used. */
static uint64_t mask_bytes(const struct cpu_layout *l)
{
    return 8 * (l->updated_words + l->frontier_words + l->mask_words);
}

enum status take_shown(struct device *dev, int shared, struct error *e)
{
    struct cpu_shown *s = &dev->traffic.shown;
    struct cpu_layout l = lay_out(dev->shard);
    uint64_t masks = mask_bytes(&l);
    if (dev->shard->p == 1)
        return ST_OK;
    if (memory_take(dev->means.budget, (void **)&s->begin, 2 * (uint64_t)dev->shard->p, sizeof *s->begin,
                    "vertices by shard", e) != ST_OK)
        return e->status;
    s->count = s->begin + dev->shard->p;
    if (memory_charge(dev->means.budget, masks, "updated delegates, frontier", e) != ST_OK)
        return e->status;
    if (shared_memory_take(&s->memory, masks + 8 * l.id_words, shared, "what peers read", e) !=
        ST_OK) {
        memory_discharge(dev->means.budget, masks);
        return e->status;
    }
    s->layout = l;
    dev->delegates.updated = s->memory.bytes;
    s->frontier = dev->delegates.updated + l.updated_words;
    s->mask = s->frontier + l.frontier_words;
    s->ids = (uint32_t *)(s->mask + l.mask_words);
    return ST_OK;
}

void release_shown(struct device *dev)
{
    struct cpu_shown *s = &dev->traffic.shown;
    if (s->memory.bytes != NULL)
        memory_discharge(dev->means.budget,
                         mask_bytes(&s->layout) + s->charged_ids * sizeof *s->ids);
    shared_memory_release(&s->memory);
    memory_release(dev->means.budget, s->begin);
}

static void add_to_mask(const struct device *dev, uint32_t shard, const struct bin *bin)
{
    uint64_t first = (uint64_t)shard << dev->shard->local_bits;
    for (uint64_t i = 0; i < bin->count; i++)
        set_mask_bit(dev->traffic.shown.mask, first + bin->ids[i]);
}

/* Charges ids to the budget, before they are shown. */
static enum status charge_ids(struct device *dev, uint64_t ids, struct error *e)
{
    struct cpu_shown *s = &dev->traffic.shown;
    if (ids <= s->charged_ids)
        return ST_OK;
    if (memory_charge(dev->means.budget, (ids - s->charged_ids) * sizeof *s->ids,
                      "vertices for other shards", e) == ST_OK)
        s->charged_ids = ids;
    return e->status;
}

static uint64_t binned_ids(const struct device *dev)
{
    uint64_t bins = (uint64_t)dev->threads * dev->shard->p, ids = 0;
    for (uint64_t i = 0; i < bins; i++)
        ids += dev->traffic.bins.of[i].count;
    return ids;
}

void hide_outgoing(struct device *dev, enum outgoing_form form)
{
    struct cpu_shown *s = &dev->traffic.shown;
    s->form = form;
    memset(s->begin, 0, 2 * (uint64_t)dev->shard->p * sizeof *s->begin);
}

enum status show_bins(struct device *dev, struct error *e)
{
    struct cpu_shown *s = &dev->traffic.shown;
    enum outgoing_form form = s->form;
    uint64_t at = 0;
    if (form == OUTGOING_LIST && charge_ids(dev, binned_ids(dev), e) != ST_OK)
        return e->status;
    if (form == OUTGOING_MASK)
        memset(s->mask, 0, s->layout.mask_words * sizeof *s->mask);
    for (uint32_t shard = 0; shard < dev->shard->p; shard++) {
        s->begin[shard] = at;
        for (int t = 0; t < dev->threads; t++) {
            struct bin *bin = &dev->traffic.bins.of[(size_t)t * dev->shard->p + shard];
            if (form == OUTGOING_MASK)
                add_to_mask(dev, shard, bin);
            else if (bin->count > 0)
                memcpy(s->ids + at, bin->ids, bin->count * sizeof *bin->ids);
            at += bin->count;
            bin->count = 0;
        }
        s->count[shard] = at - s->begin[shard];
    }
    return ST_OK;
}

/* ---- cards ---- */

/* A card of a device of the CPU. */
struct cpu_peer_handle {
    struct device *device; /* valid in its own process */
    int pid, fd;
    struct cpu_layout layout;
    uint32_t shard;
};

_Static_assert(sizeof(struct cpu_peer_handle) <= sizeof(struct peer_handle), "a card holds it");

enum status cpu_show(struct device *dev, int elsewhere, struct peer_handle *card, struct error *e)
{
    (void)elsewhere; /* one card serves all */
    const struct cpu_shown *s = &dev->traffic.shown;
    struct cpu_peer_handle c = {.device = dev,
                         .pid = getpid(),
                         .fd = s->memory.fd,
                         .layout = s->layout,
                         .shard = dev->shard->index};
    memcpy(card, &c, sizeof c);
    return e->status;
}

/* Opens a peer's memory. A process id tells processes of a host apart, and a card never leaves it. */
static enum status open_peer(struct cpu_peer *peer, const struct cpu_peer_handle *c, struct error *e)
{
    const struct cpu_layout *l = &c->layout;
    const uint64_t *masks;
    if (c->pid == getpid())
        masks = c->device->delegates.updated;
    else if (shared_memory_open(&peer->memory, mask_bytes(l) + 8 * l->id_words, c->pid, c->fd, e) ==
             ST_OK)
        masks = peer->memory.bytes;
    else
        return e->status;
    peer->updated = masks;
    peer->frontier = masks + l->updated_words;
    peer->mask = (const uint32_t *)(peer->frontier + l->frontier_words);
    peer->ids = peer->mask + 2 * l->mask_words;
    peer->frontier_words = l->frontier_words;
    peer->shard = c->shard;
    return ST_OK;
}

/* Masks that only devices with peers need. */
static enum status take_masks(struct device *dev, struct error *e)
{
    const struct shard *shard = dev->shard;
    struct cpu_peers *p = &dev->traffic.peers;
    uint64_t words_d = mask_words(shard->d);
    memory_take(dev->means.budget, (void **)&p->own, words_d, 8, "delegates owned", e);
    if (e->status == ST_OK)
        memory_take(dev->means.budget, (void **)&p->others, words_d, 8, "delegates not owned", e);
    if (e->status == ST_OK)
        memory_take(dev->means.budget, (void **)&p->gathered, dev->traffic.shown.layout.mask_words, 8,
                    "gathered frontier", e);
    if (e->status == ST_OK)
        own_rows_split(shard, p->own, p->others);
    return e->status;
}

/* The first device of this process, whose table of peers all of them use. */
static struct device *first_of_process(const struct peer_handle *cards, uint32_t count)
{
    struct cpu_peer_handle card;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(&card, &cards[i], sizeof card);
        if (card.pid == getpid())
            return card.device;
    }
    return NULL;
}

static enum status open_peers(struct device *dev, const struct peer_handle *cards, uint32_t count, struct error *e)
{
    struct cpu_peers *p = &dev->traffic.peers;
    if (memory_take(dev->means.budget, (void **)&p->all, count, sizeof *p->all, "peers", e) != ST_OK)
        return e->status;
    p->owns_all = 1;
    p->count = count;
    for (uint32_t i = 0; i < count && e->status == ST_OK; i++) {
        struct cpu_peer_handle card;
        memcpy(&card, &cards[i], sizeof card);
        open_peer(&p->all[i], &card, e);
    }
    return e->status;
}

/* The devices of a process call this in their order. */
enum status cpu_join(struct device *dev, const struct peer_handle *cards, uint32_t count, struct error *e)
{
    struct device *first = first_of_process(cards, count);
    if (first == dev) {
        open_peers(dev, cards, count, e);
    } else {
        dev->traffic.peers.all = first->traffic.peers.all;
        dev->traffic.peers.count = count;
    }
    return e->status != ST_OK || dev->shard->p == 1 ? e->status : take_masks(dev, e);
}

void cpu_leave(struct device *dev)
{
    struct cpu_peers *p = &dev->traffic.peers;
    for (uint32_t i = 0; p->owns_all && i < p->count; i++)
        shared_memory_release(&p->all[i].memory);
    if (p->owns_all)
        memory_release(dev->means.budget, p->all);
    memory_release(dev->means.budget, p->own);
    memory_release(dev->means.budget, p->others);
    memory_release(dev->means.budget, p->gathered);
    *p = (struct cpu_peers){0};
}

enum status cpu_wake(struct device *dev, struct error *e)
{
    (void)e;
    if (dev->threads > 1)
        pool_rouse(dev->means.pool);
    return ST_OK;
}

/* ---- reading ---- */

/* Gathers words begin..end of each frontier. */
static void gather_words(void *context, uint64_t begin, uint64_t end)
{
    const struct device *dev = context;
    for (uint32_t i = 0; i < dev->traffic.peers.count; i++) {
        const struct cpu_peer *peer = &dev->traffic.peers.all[i];
        uint64_t stop = end < peer->frontier_words ? end : peer->frontier_words;
        if (begin < stop)
            memcpy(dev->traffic.peers.gathered + peer->shard * column_words(dev->shard) + begin,
                   peer->frontier + begin, (stop - begin) * sizeof *peer->frontier);
    }
}

void gather_frontiers(struct device *dev)
{
    uint64_t words = column_words(dev->shard);
    pool_for(dev->means.pool, threads_for(dev, dev->shard->p * words), words, CLEAR_WORDS, gather_words, dev);
}

/* Peers change their masks meanwhile, which only adds delegates of this level. */
static void take_updated_words(void *context, uint64_t begin, uint64_t end)
{
    const struct device *dev = context;
    uint64_t *own = dev->delegates.updated;
    for (uint32_t i = 0; i < dev->traffic.peers.count; i++) {
        const uint64_t *updated = dev->traffic.peers.all[i].updated;
        for (uint64_t w = begin; updated != own && w < end; w++)
            own[w] |= __atomic_load_n(&updated[w], __ATOMIC_RELAXED);
    }
}

void take_peers_updates(struct device *dev)
{
    uint64_t words = dev->traffic.shown.layout.updated_words;
    pool_for(dev->means.pool, threads_for(dev, dev->traffic.peers.count * words), words, CLEAR_WORDS,
             take_updated_words, dev);
}
