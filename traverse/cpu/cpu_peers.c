/* cpu_peers.c: the memory that a device of the CPU shows to its peers, and what it reads of theirs; see backend.h
 *
 * What is shown lies in one piece of memory: `updated` of the delegates, the frontier of the normals, and the
 * vertices for other shards, as a mask and as a list. Peers of this process read it where it is. Other processes open it by the
 * process id and descriptor on the card.
 */
#include "cpu_device.h"

#include "traverse/own_rows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what is shown ---- */

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
    s->begin = calloc(2 * (size_t)dev->shard->p, sizeof *s->begin);
    if (s->begin == NULL)
        return fail_memory(e, "bins", 2 * dev->shard->p * sizeof *s->begin);
    s->count = s->begin + dev->shard->p;
    if (memory_charge(dev->budget, masks, "updated delegates, frontier", e) != ST_OK)
        return e->status;
    if (shared_memory_take(&s->memory, masks + 8 * l.id_words, shared, "what peers read", e) !=
        ST_OK) {
        memory_discharge(dev->budget, masks);
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
        memory_discharge(dev->budget, mask_bytes(&s->layout));
    shared_memory_release(&s->memory);
    free(s->begin);
}

static void add_to_mask(const struct device *dev, uint32_t shard, const struct bin *bin)
{
    for (uint64_t i = 0; i < bin->count; i++)
        set_mask_bit(dev->traffic.shown.mask, ((uint64_t)shard << dev->shard->local_bits) + bin->ids[i]);
}

void show_outgoing(struct device *dev, enum outgoing_form form)
{
    struct cpu_shown *s = &dev->traffic.shown;
    uint64_t at = 0;
    s->form = form;
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
}

/* ---- cards ---- */

/* What a card says. */
struct cpu_card {
    struct device *device; /* valid in its own process */
    int pid, fd;
    struct cpu_layout layout;
    uint32_t shard;
};

_Static_assert(sizeof(struct cpu_card) <= sizeof(struct peer_card), "a card holds it");

static enum status cpu_show(struct device *dev, struct peer_card *card, struct error *e)
{
    const struct cpu_shown *s = &dev->traffic.shown;
    struct cpu_card c = {.device = dev,
                         .pid = getpid(),
                         .fd = s->memory.fd,
                         .layout = s->layout,
                         .shard = dev->shard->index};
    memcpy(card, &c, sizeof c);
    return e->status;
}

/* Opens what a peer shows. A process id tells the processes of a host apart, and a card never leaves it. */
static enum status open_peer(struct cpu_peer *peer, const struct cpu_card *c, struct error *e)
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
    memory_take(dev->budget, (void **)&p->own, words_d, 8, "delegates owned", e);
    if (e->status == ST_OK)
        memory_take(dev->budget, (void **)&p->others, words_d, 8, "delegates not owned", e);
    if (e->status == ST_OK)
        memory_take(dev->budget, (void **)&p->gathered, dev->traffic.shown.layout.mask_words, 8,
                    "gathered frontier", e);
    if (e->status == ST_OK)
        own_rows_split(shard, p->own, p->others);
    return e->status;
}

static enum status cpu_meet(struct device *dev, const struct peer_card *cards, uint32_t count,
                            struct error *e)
{
    struct cpu_peers *p = &dev->traffic.peers;
    p->all = calloc(count, sizeof *p->all);
    if (p->all == NULL)
        return fail_memory(e, "peers", count * sizeof *p->all);
    p->count = count;
    for (uint32_t i = 0; i < count && e->status == ST_OK; i++) {
        struct cpu_card card;
        memcpy(&card, &cards[i], sizeof card);
        open_peer(&p->all[i], &card, e);
    }
    return e->status != ST_OK || dev->shard->p == 1 ? e->status : take_masks(dev, e);
}

static void cpu_leave(struct device *dev)
{
    struct cpu_peers *p = &dev->traffic.peers;
    for (uint32_t i = 0; i < p->count; i++)
        shared_memory_release(&p->all[i].memory);
    free(p->all);
    memory_release(dev->budget, p->own);
    memory_release(dev->budget, p->others);
    memory_release(dev->budget, p->gathered);
    *p = (struct cpu_peers){0};
}

const struct backend_peers cpu_peers = {.show = cpu_show, .meet = cpu_meet, .leave = cpu_leave};

/* ---- reading ---- */

void gather_frontiers(struct device *dev)
{
    uint64_t shard_words = (UINT64_C(1) << dev->shard->local_bits) / 64;
    for (uint32_t i = 0; i < dev->traffic.peers.count; i++) {
        const struct cpu_peer *peer = &dev->traffic.peers.all[i];
        memcpy(dev->traffic.peers.gathered + peer->shard * shard_words, peer->frontier,
               peer->frontier_words * sizeof *peer->frontier);
    }
}

/* Peers change their masks meanwhile, which only adds delegates of this level. */
void take_peers_updates(struct device *dev)
{
    uint64_t *own = dev->delegates.updated;
    for (uint32_t i = 0; i < dev->traffic.peers.count; i++) {
        const uint64_t *updated = dev->traffic.peers.all[i].updated;
        for (uint64_t w = 0; updated != own && w < dev->traffic.shown.layout.updated_words; w++)
            own[w] |= __atomic_load_n(&updated[w], __ATOMIC_RELAXED);
    }
}
