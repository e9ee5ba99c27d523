/* cuda_peers.c: the memory that a GPU shows to its peers, and what it reads of theirs; see backend.h
 *
 * All arrays of a GPU lie in one allocation. Another process opens this allocation, and two events, by handles
 * of CUDA IPC, which the card holds with the places of the arrays in it. Peers of this process read the arrays
 * where they are. Reads are of whole masks and lists: remote single reads are slow.
 */
#include "cuda_device.h"
#include "cuda_error.h"

#include "traverse/own_rows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_GPUS = 64 };

/* Asked once per pair, by the member that drives `from`. */
int gpu_can_read(int from, int to)
{
    static signed char known[MOST_GPUS][MOST_GPUS]; /* 0: not asked, 1: yes, -1: no */
    int possible = 0;
    if (from == to)
        return 1;
    if (from >= MOST_GPUS || to >= MOST_GPUS)
        return 0;
    if (known[from][to] == 0) {
        if (cudaDeviceCanAccessPeer(&possible, from, to) == cudaSuccess && possible) {
            cudaError_t enabled = cudaDeviceEnablePeerAccess(to, 0);
            possible = enabled == cudaSuccess || enabled == cudaErrorPeerAccessAlreadyEnabled;
        }
        cudaGetLastError(); /* a refusal is an answer */
        known[from][to] = possible ? 1 : -1;
    }
    return known[from][to] > 0;
}

/* ---- cards ---- */

/* What a card says. Places are bytes from the start of the allocation. */
struct gpu_card {
    struct device *device; /* valid in its own process */
    int pid;
    uint32_t shard;
    int joins;
    uint64_t words, found, visited, ids, sent_mask, found_too, sent_too, group_state;
    cudaUUID_t uuid;
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t masks_read, first_part;
};

_Static_assert(sizeof(struct gpu_card) <= sizeof(struct peer_card), "a card holds it");

static uint64_t place_of(const struct device *dev, const void *array)
{
    return (uint64_t)((const char *)array - (const char *)dev->memory);
}

static enum status make_handles(const struct device *dev, struct gpu_card *c, struct error *e)
{
    CUDA_TRY(cudaIpcGetMemHandle(&c->memory, dev->memory), dev->where, e);
    CUDA_TRY(cudaIpcGetEventHandle(&c->masks_read, dev->stream.masks_read), dev->where, e);
    CUDA_TRY(cudaIpcGetEventHandle(&c->first_part, dev->stream.first_part), dev->where, e);
    if (e->status != ST_OK) /* others find another way to exchange, or say why there is none */
        e->status = ST_RESOURCE;
    return e->status;
}

/* What a search needs that is one kernel on each GPU. */
static void show_for_group(const struct device *dev, struct gpu_card *c)
{
    struct cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, dev->ordinal) != cudaSuccess)
        return;
    c->uuid = properties.uuid;
    c->joins = dev->of[NORMALS].parent == NULL && dev->of[DELEGATES].parent == NULL &&
               (shard_has_masks(dev->shard) || dev->shard->csr[NN].edges == 0);
    c->found_too = place_of(dev, dev->masks.incoming);
    c->sent_too = place_of(dev, dev->traffic.peers.sent_too);
    c->group_state = place_of(dev, dev->traffic.peers.group_state);
}

static enum status gpu_show(struct device *dev, struct peer_card *card, struct error *e)
{
    struct gpu_card c = {.device = dev,
                         .pid = getpid(),
                         .shard = dev->shard->index,
                         .words = dev->of[NORMALS].words,
                         .found = place_of(dev, dev->of[DELEGATES].next),
                         .visited = place_of(dev, dev->of[NORMALS].visited),
                         .ids = place_of(dev, dev->traffic.bins.ids),
                         .sent_mask = place_of(dev, dev->traffic.sent_mask)};
    if (dev->shard->p > 1)
        show_for_group(dev, &c);
    if (dev->traffic.peers.shared && gpu_use(dev, e) == ST_OK)
        make_handles(dev, &c, e);
    memcpy(card, &c, sizeof c);
    return e->status;
}

/* ---- opening ---- */

static enum status open_here(const struct device *dev, struct gpu_peer *peer,
                             const struct gpu_card *c)
{
    const struct device *other = c->device;
    peer->here = 1;
    peer->ordinal = other->ordinal;
    peer->readable = gpu_can_read(dev->ordinal, other->ordinal);
    peer->masks_read = other->stream.masks_read;
    peer->first_part = other->stream.first_part;
    return ST_OK;
}

static enum status open_elsewhere(const struct device *dev, struct gpu_peer *peer,
                                  const struct gpu_card *c, struct error *e)
{
    peer->readable = 1;
    CUDA_TRY(cudaIpcOpenMemHandle(&peer->mapped, c->memory, cudaIpcMemLazyEnablePeerAccess),
             dev->where, e);
    CUDA_TRY(cudaIpcOpenEventHandle(&peer->masks_read, c->masks_read), dev->where, e);
    CUDA_TRY(cudaIpcOpenEventHandle(&peer->first_part, c->first_part), dev->where, e);
    cudaGetLastError(); /* the GPU is as good as before */
    if (e->status != ST_OK)
        e->status = ST_RESOURCE;
    return e->status;
}

static enum status open_peer(struct device *dev, struct gpu_peer *peer, const struct gpu_card *c,
                             struct error *e)
{
    if (c->pid == getpid())
        open_here(dev, peer, c);
    else if (open_elsewhere(dev, peer, c, e) != ST_OK)
        return e->status;
    const char *memory = peer->here ? c->device->memory : peer->mapped;
    peer->shard = c->shard;
    peer->words = c->words;
    peer->found = (const uint32_t *)(memory + c->found);
    peer->visited = (const uint32_t *)(memory + c->visited);
    peer->ids = (const uint32_t *)(memory + c->ids);
    peer->sent_mask = (const uint32_t *)(memory + c->sent_mask);
    peer->joining = (struct gpu_joining){
        .joins = c->joins,
        .uuid = c->uuid,
        .found = (const uint32_t *)(memory + c->found_too),
        .sent = (const uint32_t *)(memory + c->sent_too),
        .state = (struct group_state *)(memory + c->group_state)};
    return ST_OK;
}

static enum status copy_rows_by_owner(struct device *dev, struct error *e)
{
    uint64_t words = mask_words(dev->shard->d);
    uint64_t *rows = malloc((2 * words + 1) * sizeof *rows);
    if (rows == NULL)
        return fail_memory(e, "delegates by owner", 2 * words * sizeof *rows);
    own_rows_split(dev->shard, rows, rows + words);
    if (words > 0)
        CUDA_TRY(cudaMemcpy(dev->traffic.peers.own, rows, 2 * words * sizeof *rows, cudaMemcpyHostToDevice),
                 dev->where, e);
    free(rows);
    return e->status;
}

static enum status gpu_meet(struct device *dev, const struct peer_card *cards, uint32_t count,
                            struct error *e)
{
    struct gpu_peers *p = &dev->traffic.peers;
    p->all = calloc(count, sizeof *p->all);
    if (p->all == NULL)
        return fail_memory(e, "peers", count * sizeof *p->all);
    p->count = count;
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < count && e->status == ST_OK; i++) {
        struct gpu_card card;
        memcpy(&card, &cards[i], sizeof card);
        open_peer(dev, &p->all[i], &card, e);
    }
    if (e->status != ST_OK || dev->shard->p == 1 || copy_rows_by_owner(dev, e) != ST_OK)
        return e->status;
    return gpu_group_open(dev, e);
}

static void gpu_leave(struct device *dev)
{
    struct gpu_peers *p = &dev->traffic.peers;
    cudaSetDevice(dev->ordinal);
    for (uint32_t i = 0; i < p->count; i++) {
        struct gpu_peer *peer = &p->all[i];
        if (peer->here)
            continue;
        if (peer->masks_read != NULL)
            cudaEventDestroy(peer->masks_read);
        if (peer->first_part != NULL)
            cudaEventDestroy(peer->first_part);
        if (peer->mapped != NULL)
            cudaIpcCloseMemHandle(peer->mapped);
    }
    free(p->all);
    p->all = NULL;
    p->count = 0;
    dev->solo.group.launch.blocks = 0;
}

const struct backend_peers cuda_peers = {.show = gpu_show, .meet = gpu_meet, .leave = gpu_leave};

/* ---- reading ---- */

/* Shards begin with a word of the gathered mask. */
enum status gpu_gather_frontiers(struct device *dev, struct error *e)
{
    cudaStream_t stream = dev->stream.of[NORMALS];
    uint64_t shard_words = (UINT64_C(1) << dev->shard->local_bits) / 32;
    for (uint32_t i = 0; i < dev->traffic.peers.count && e->status == ST_OK; i++) {
        const struct gpu_peer *peer = &dev->traffic.peers.all[i];
        struct gpu_mask_list one = {.mask = {peer->visited}, .count = 1};
        uint32_t *to = dev->traffic.peers.gathered + peer->shard * shard_words;
        if (peer->readable)
            cuda_or_masks(to, &one, peer->words, 0, stream);
        else
            CUDA_TRY(cudaMemcpyPeerAsync(to, dev->ordinal, peer->visited, peer->ordinal,
                                         4 * peer->words, stream),
                     dev->where, e);
    }
    return CUDA_LAUNCHED(dev->where, e);
}

static enum status or_copy(struct device *dev, const struct gpu_peer *peer, uint32_t *to,
                           uint32_t *staging, struct error *e)
{
    struct gpu_mask_list one = {.mask = {staging}, .count = 1};
    cudaStream_t stream = dev->stream.of[DELEGATES];
    uint64_t words = dev->of[DELEGATES].words;
    CUDA_TRY(cudaMemcpyPeerAsync(staging, dev->ordinal, peer->found, peer->ordinal, 4 * words,
                                 stream),
             dev->where, e);
    cuda_or_masks(to, &one, words, 1, stream);
    return CUDA_LAUNCHED(dev->where, e);
}

enum status gpu_or_found(struct device *dev, const int *updating, uint32_t *to, uint32_t *staging,
                         struct error *e)
{
    struct gpu_mask_list list = {.count = 0};
    uint64_t words = dev->of[DELEGATES].words;
    cudaStream_t stream = dev->stream.of[DELEGATES];
    for (uint32_t i = 0; i < dev->traffic.peers.count && e->status == ST_OK; i++) {
        const struct gpu_peer *peer = &dev->traffic.peers.all[i];
        if (updating != NULL ? !updating[i] : peer->shard == dev->shard->index)
            continue;
        if (!peer->readable) {
            or_copy(dev, peer, to, staging, e);
            continue;
        }
        list.mask[list.count++] = peer->found;
        if (list.count == GPU_MASK_SOURCES) {
            cuda_or_masks(to, &list, words, 1, stream);
            list.count = 0;
        }
    }
    if (list.count > 0)
        cuda_or_masks(to, &list, words, 1, stream);
    return CUDA_LAUNCHED(dev->where, e);
}

/* Peers go on finding delegates while their masks are read. What is read too early is read again when the
 * masks are reduced. Nothing needs the incoming mask in a visit. */
enum status gpu_take_peers_updates(struct device *dev, struct error *e)
{
    cudaStream_t stream = dev->stream.of[DELEGATES];
    for (uint32_t i = 0; i < dev->traffic.peers.count && e->status == ST_OK; i++)
        CUDA_TRY(cudaStreamWaitEvent(stream, dev->traffic.peers.all[i].first_part, 0), dev->where, e);
    if (e->status != ST_OK)
        return e->status;
    return gpu_or_found(dev, NULL, dev->of[DELEGATES].next, dev->masks.incoming, e);
}
