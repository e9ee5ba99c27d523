/* cpu_peers.c: shows memory of a device to its peers, and reads theirs (engine.h)
 *
 * A device shows one piece of memory with four arrays: `found_here` of the delegates, the frontier of the normals, and
 * vertices of other shards as a bitmap and as a list. Peers in the same process read it in place. Those in other
 * processes of the host open it by the process id and the file descriptor in the peer handle. */
#include "cpu_device.h"

#include "traverse/engine/own_rows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- showing ---- */

/* Returns the bytes of all shown arrays except `ids`. These bytes are charged to the budget at once, but those of `ids` only
 * when ids are written, because only then the system allocates the pages. */
static uint64_t mask_bytes(const struct cpu_layout *l)
{
    return 8 * (l->found_here_words + l->frontier_words + l->mask_words);
}

/* Allocates the memory that peers read, and charges all of it but the ids. A single shard has none. `shared`: peers of
 * other processes read it, too. release_shown frees it, also after a failure. */
enum status take_shown(struct device *dev, int shared, struct error *e)
{
    const struct shard *shard = dev->shard;
    struct cpu_shown *s = &dev->shown;
    const struct cpu_layout l = {.found_here_words = mask_words(shard->d),
                                 .frontier_words = mask_words(shard->locals),
                                 .mask_words = shard_has_masks(shard) ? shard->p * column_words(shard) : 0,
                                 .id_words = (shard->csr[NN].edges + 1) / 2};
    uint64_t bytes = mask_bytes(&l);
    if (shard->p == 1)
        return ST_OK;
    if (memory_take(dev->means.budget, (void **)&s->begin, 2 * (uint64_t)shard->p, sizeof *s->begin, "vertices by shard",
                    e) != ST_OK)
        return e->status;
    s->count = s->begin + shard->p;
    if (memory_charge(dev->means.budget, bytes, "updated delegates, frontier", e) != ST_OK)
        return e->status;
    if (shared_memory_take(&s->memory, bytes + 8 * l.id_words, shared, "what peers read", e) != ST_OK) {
        memory_discharge(dev->means.budget, bytes);
        return e->status;
    }
    s->layout = l;
    dev->delegates.found_here = s->memory.bytes;
    s->frontier = dev->delegates.found_here + l.found_here_words;
    s->mask = s->frontier + l.frontier_words;
    s->ids = (uint32_t *)(s->mask + l.mask_words);
    return ST_OK;
}

/* Frees the memory that take_shown allocated, if any, and returns its bytes to the budget. */
void release_shown(struct device *dev)
{
    struct cpu_shown *s = &dev->shown;
    if (s->memory.bytes != NULL)
        memory_discharge(dev->means.budget, mask_bytes(&s->layout) + s->charged_ids * sizeof *s->ids);
    shared_memory_release(&s->memory);
    memory_release(dev->means.budget, s->begin);
}

/* Drops the vertices of other shards that were shown, and sets whether this level shows a list or a bitmap. Called
 * before visits. */
void begin_outgoing(struct device *dev, enum outgoing_form form)
{
    struct cpu_shown *s = &dev->shown;
    s->form = form;
    /* also zeroes `count`, which is behind `begin` in the same array */
    memset(s->begin, 0, 2 * (uint64_t)dev->shard->p * sizeof *s->begin);
}

/* Charges the ids in all bins to the budget before they are written to shown memory. Pages once written stay charged,
 * so only ids beyond s->charged_ids are charged. Returns ST_RESOURCE if the budget is too small. */
static enum status charge_ids(struct device *dev, struct error *e)
{
    struct cpu_shown *s = &dev->shown;
    uint64_t bins = (uint64_t)dev->threads * dev->shard->p, ids = 0;
    for (uint64_t i = 0; i < bins; i++)
        ids += dev->shard_bins[i].count;
    if (ids > s->charged_ids && memory_charge(dev->means.budget, (ids - s->charged_ids) * sizeof *s->ids,
                                              "vertices for other shards", e) == ST_OK)
        s->charged_ids = ids;
    return e->status;
}

/* Moves the ids in all bins to the memory that peers read, and empties the bins. The ids become a bitmap, or a list ordered
 * by shard, which is charged to the budget. If the budget is too small, returns ST_RESOURCE, and the bins stay full. */
enum status show_shard_bins(struct device *dev, struct error *e)
{
    struct cpu_shown *s = &dev->shown;
    uint64_t at = 0;
    if (s->form == OUTGOING_LIST && charge_ids(dev, e) != ST_OK)
        return e->status;
    if (s->form == OUTGOING_MASK)
        memset(s->mask, 0, s->layout.mask_words * sizeof *s->mask);
    for (uint32_t shard = 0; shard < dev->shard->p; shard++) {
        s->begin[shard] = at;
        for (int t = 0; t < dev->threads; t++) {
            struct shard_bin *bin = &dev->shard_bins[(size_t)t * dev->shard->p + shard];
            for (uint64_t i = 0; s->form == OUTGOING_MASK && i < bin->count; i++)
                set_mask_bit(s->mask, ((uint64_t)shard << dev->shard->local_bits) + bin->ids[i]);
            if (s->form == OUTGOING_LIST && bin->count > 0)
                memcpy(s->ids + at, bin->ids, bin->count * sizeof *bin->ids);
            at += bin->count;
            bin->count = 0;
        }
        s->count[shard] = at - s->begin[shard];
    }
    return ST_OK;
}

/* ---- peer handles ---- */

/* The contents of a struct peer_handle of a device of the CPU. */
struct cpu_peer_handle {
    struct device *device; /* address, valid only in the process `pid` */
    int pid, fd;           /* process of the device, and file descriptor of the shown memory in it */
    struct cpu_layout layout;
    uint32_t shard;        /* the shard of the device */
};

_Static_assert(sizeof(struct cpu_peer_handle) <= sizeof(struct peer_handle), "a peer handle holds it");

/* Fills the handle by which peers find this device and its shown memory. */
enum status cpu_show(struct device *dev, int elsewhere, struct peer_handle *handle, struct error *e)
{
    (void)elsewhere; /* peers of the same process and of other processes get the same handle */
    struct cpu_peer_handle h = {.device = dev,
                                .pid = getpid(),
                                .fd = dev->shown.memory.fd,
                                .layout = dev->shown.layout,
                                .shard = dev->shard->index};
    memcpy(handle, &h, sizeof h);
    return e->status;
}

/* Finds the arrays that a peer shows, by the peer's handle h. If the peer is in another process of this host, first opens
 * its memory, which leave_peers closes. Returns ST_RESOURCE if the memory cannot be opened. */
static enum status open_peer(struct cpu_peer *peer, const struct cpu_peer_handle *h, struct error *e)
{
    const struct cpu_layout *l = &h->layout;
    const int is_here = h->pid == getpid();
    if (!is_here &&
        shared_memory_open(&peer->memory, mask_bytes(l) + 8 * l->id_words, h->pid, h->fd, e) != ST_OK)
        return e->status;
    peer->found_here = is_here ? h->device->delegates.found_here : peer->memory.bytes;
    peer->frontier = peer->found_here + l->found_here_words;
    peer->mask = (const uint32_t *)(peer->frontier + l->frontier_words);
    peer->ids = peer->mask + 2 * l->mask_words;
    peer->frontier_words = l->frontier_words;
    peer->shard = h->shard;
    return ST_OK;
}

/* Ends the reading of peers, and frees the bitmaps of dev->peers. The device that owns the table of peers frees it for
 * all devices of the process, and closes the memory of other processes. Does nothing before cpu_join. */
void leave_peers(struct device *dev)
{
    struct cpu_peers *p = &dev->peers;
    for (uint32_t i = 0; p->owns_all && i < p->count; i++)
        shared_memory_release(&p->all[i].memory);
    if (p->owns_all)
        memory_release(dev->means.budget, p->all);
    memory_release(dev->means.budget, p->own);
    memory_release(dev->means.budget, p->others);
    memory_release(dev->means.budget, p->gathered);
    *p = (struct cpu_peers){0};
}

/* Makes the arrays of these peers readable, in place of those of earlier peers; a count of 0 leaves no peers. The first
 * device of a process opens all peers in a table, which the others use, too. With several shards also allocates the bitmaps
 * of dev->peers. *searches_fused becomes 1 if there is one shard. leave_peers frees everything, also after a failure. */
enum status cpu_join(struct device *dev, const struct peer_handle *handles, uint32_t count, int *searches_fused,
                     struct error *e)
{
    struct cpu_peers *p = &dev->peers;
    struct device *first = NULL;
    struct cpu_peer_handle handle;
    leave_peers(dev);
    *searches_fused = dev->shard->p == 1;
    for (uint32_t i = 0; i < count && first == NULL; i++) {
        memcpy(&handle, &handles[i], sizeof handle);
        first = handle.pid == getpid() ? handle.device : NULL;
    }
    if (first == NULL)
        return e->status;
    p->owns_all = first == dev;
    if (p->owns_all && memory_take(dev->means.budget, (void **)&p->all, count, sizeof *p->all, "peers", e) != ST_OK) {
        p->owns_all = 0;
        return e->status;
    }
    p->count = count;
    for (uint32_t i = 0; p->owns_all && i < count && e->status == ST_OK; i++) {
        memcpy(&handle, &handles[i], sizeof handle);
        open_peer(&p->all[i], &handle, e);
    }
    if (!p->owns_all)
        p->all = first->peers.all;
    if (e->status != ST_OK || dev->shard->p == 1)
        return e->status;

    uint64_t words_d = mask_words(dev->shard->d);
    memory_take(dev->means.budget, (void **)&p->own, words_d, 8, "delegates owned", e);
    if (e->status == ST_OK)
        memory_take(dev->means.budget, (void **)&p->others, words_d, 8, "delegates not owned", e);
    if (e->status == ST_OK)
        memory_take(dev->means.budget, (void **)&p->gathered, dev->shown.layout.mask_words, 8, "gathered frontier", e);
    if (e->status == ST_OK)
        own_rows_split(dev->shard, p->own, p->others);
    return e->status;
}

/* Wakes the threads of the pool before a search, if the device uses more than one. */
enum status cpu_wake(struct device *dev, struct error *e)
{
    if (dev->threads > 1)
        pool_rouse(dev->means.pool);
    return e->status;
}

/* ---- reading ---- */

/* Copies words begin..end of each peer's frontier to that shard's place in peers.gathered. Threads of the pool run this
 * for gather_peer_frontiers; `context` is the device. */
static void gather_frontier_words(void *context, uint64_t begin, uint64_t end)
{
    const struct device *dev = context;
    for (uint32_t i = 0; i < dev->peers.count; i++) {
        const struct cpu_peer *peer = &dev->peers.all[i];
        uint64_t stop = end < peer->frontier_words ? end : peer->frontier_words;
        if (begin < stop)
            memcpy(dev->peers.gathered + peer->shard * column_words(dev->shard) + begin, peer->frontier + begin,
                   (stop - begin) * sizeof *peer->frontier);
    }
}

/* Copies the frontiers of all peers to peers.gathered, a bitmap over nn's columns. Called when all have shown theirs. */
void gather_peer_frontiers(struct device *dev)
{
    uint64_t words = column_words(dev->shard);
    pool_for(dev->means.pool, threads_for(dev, dev->shard->p * words), words, CLEAR_WORDS, gather_frontier_words, dev);
}

/* ORs words begin..end of each peer's `found_here` into this device's own. Peers may be writing theirs, which does no harm:
 * they only add delegates of this level. Threads of the pool run this for take_peer_updates; `context` is the device. */
static void take_found_words(void *context, uint64_t begin, uint64_t end)
{
    const struct device *dev = context;
    uint64_t *own = dev->delegates.found_here;
    for (uint32_t i = 0; i < dev->peers.count; i++) {
        const uint64_t *found_here = dev->peers.all[i].found_here;
        for (uint64_t w = begin; found_here != own && w < end; w++)
            own[w] |= __atomic_load_n(&found_here[w], __ATOMIC_RELAXED);
    }
}

/* Adds the delegates that peers have found so far in this level to delegates.found_here. */
void take_peer_updates(struct device *dev)
{
    uint64_t words = dev->shown.layout.found_here_words;
    int threads = threads_for(dev, dev->peers.count * words);
    pool_for(dev->means.pool, threads, words, CLEAR_WORDS, take_found_words, dev);
}

/* Opens no buffers: several shards are searched level by level. */
enum status cpu_reach(struct device *dev, const struct peer_handle *handles, uint32_t count, struct relay_buffers *buffers,
                      int *searches_fused, struct error *e)
{
    (void)dev, (void)handles, (void)count;
    *buffers = (struct relay_buffers){0};
    *searches_fused = 0;
    return e->status;
}

/* Does nothing, as cpu_reach never allows messages. */
void cpu_hear(struct device *dev, const struct relay_buffers *buffers)
{
    (void)dev, (void)buffers;
}
