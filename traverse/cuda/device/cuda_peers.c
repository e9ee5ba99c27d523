/* cuda_peers.c: the memory that a GPU shows to its peers, and reads in the memory of peers; see engine.h
 *
 * A peer is a GPU of the same host whose memory this GPU reads. All arrays of a GPU lie in one allocation, and a peer
 * handle has their addresses. Devices of the same process use these addresses directly. Devices of other processes first
 * open the allocation, and two events, by handles of CUDA IPC in the peer handle. Kernels read whole bitmaps and lists of
 * peers, because single reads over a link are slow.
 */
#include "cuda_choose.h"
#include "cuda_device.h"
#include "cuda_error.h"

#include "traverse/engine/own_rows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { MOST_GPUS = 64 };

/* Returns whether kernels of GPU `from`, the current GPU of this thread, can read the memory of GPU `to`, and enables the
 * access. Asks the driver once for each pair. GPUs with numbers from MOST_GPUS on share no memory. The table of answers,
 * `known`, needs no lock, since only the host thread that drives `from` asks for pairs with `from`. */
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
        cudaGetLastError(); /* drops the error of a refusal, as a refusal is an answer, too */
        known[from][to] = possible ? 1 : -1;
    }
    return known[from][to] > 0;
}

/* ---- peer handles ---- */

/* What a struct peer_handle holds: facts that a device tells its peers, with pointers that are valid in the device's
 * process. */
struct gpu_peer_handle {
    struct device *device;
    char *memory; /* the beginning of the device's allocation */
    struct gpu_shown_arrays shows;
    struct gpu_facts is;
    int pid; /* the process of the device */
    cudaIpcMemHandle_t handle; /* this handle and the next two are for peers in other processes */
    cudaIpcEventHandle_t masks_read, first_part;
};

_Static_assert(sizeof(struct gpu_peer_handle) <= sizeof(struct peer_handle), "a peer handle holds it");

/* Translates the addresses of a peer's arrays into addresses that are valid in this process, and returns them. The allocation
 * of the arrays begins at `from` in the peer's process, and at `to` in this process. */
static struct gpu_shown_arrays arrays_at(const struct gpu_shown_arrays *shown, const char *from, char *to)
{
    uintptr_t array[sizeof *shown / sizeof(uintptr_t)];
    struct gpu_shown_arrays moved;
    memcpy(array, shown, sizeof array);
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        array[i] += (uintptr_t)to - (uintptr_t)from;
    memcpy(&moved, array, sizeof moved);
    return moved;
}

/* Returns a checksum of the name of this host. */
static uint64_t hash_of_host(void)
{
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return crc32(0, (const unsigned char *)name, (unsigned)strlen(name));
}

/* Fills the handle of this device with the addresses of the arrays that peers read, and facts that peers must know. With
 * `elsewhere` also makes the handles of CUDA IPC for other processes. ST_RESOURCE: these cannot be made, but the device
 * stays usable. */
enum status gpu_show(struct device *dev, int elsewhere, struct peer_handle *handle, struct error *e)
{
    const struct shard *s = dev->shard;
    const struct csr *nn = &s->csr[NN], *pulled = shard_pull_rows(s, NN);
    const struct gpu_traffic *t = &dev->traffic;
    struct gpu_peer_handle h = {.device = dev, .memory = dev->memory.device, .pid = getpid()};
    h.shows = (struct gpu_shown_arrays){.found = {dev->of[DELEGATES].next, dev->masks.incoming},
                                        .sent = {t->sent_mask, t->peers.second_sent_mask},
                                        .gathered = t->peers.gathered,
                                        .arrivals = t->peers.arrivals,
                                        .state = t->peers.peers_state,
                                        .visited = dev->of[NORMALS].visited,
                                        .ids = t->bins.ids,
                                        .answer_ids = dev->answers.ids,
                                        .by_vertex = dev->answers.by_vertex,
                                        .values = dev->answers.values,
                                        .depth = dev->of[NORMALS].depth};
    h.is = (struct gpu_facts){
        .shard = s->index,
        .words = dev->of[NORMALS].words,
        .locals = s->locals,
        .pci_address = gpu_bus_address(dev->ordinal),
        .host = hash_of_host(),
        .joins = s->p > 1 && dev->fused.possible && (shard_has_masks(s) || nn->edges + pulled->edges == 0),
        .size = {dev->fused.search.graph, dev->rates.list_edge, gpu_longest_row(s), s->locals + s->d, shard_pushed_edges(s)}};
    if (elsewhere && gpu_use(dev, e) == ST_OK) {
        CUDA_TRY(cudaIpcGetMemHandle(&h.handle, dev->memory.device), dev->where, e);
        CUDA_TRY(cudaIpcGetEventHandle(&h.masks_read, dev->stream.masks_read), dev->where, e);
        CUDA_TRY(cudaIpcGetEventHandle(&h.first_part, dev->stream.first_part), dev->where, e);
        if (e->status != ST_OK) /* the caller goes on without peers, or reports the error */
            e->status = ST_RESOURCE;
    }
    memcpy(handle, &h, sizeof h);
    return e->status;
}

struct gpu_facts gpu_facts_of(const struct peer_handle *handle)
{
    struct gpu_peer_handle h;
    memcpy(&h, handle, sizeof h);
    return h.is;
}

/* ---- opening ---- */

/* Fills a zeroed *peer from the handle of the peer. For a peer of another process, opens its memory and, unless hosts
 * wait for events, its two events; gpu_leave closes them, even after a failure. Several devices of this process may open
 * the same handle, because the driver counts that. ST_RESOURCE: the memory or an event cannot be opened. */
static enum status open_peer(struct device *dev, struct gpu_peer *peer, const struct gpu_peer_handle *h,
                             struct error *e)
{
    const int events = !dev->traffic.peers.host_waits;
    peer->here = h->pid == getpid();
    if (peer->here) {
        peer->ordinal = h->device->ordinal;
        peer->readable = gpu_can_read(dev->ordinal, peer->ordinal);
        peer->masks_read = events ? h->device->stream.masks_read : NULL;
        peer->first_part = events ? h->device->stream.first_part : NULL;
    } else {
        peer->readable = 1;
        CUDA_TRY(cudaIpcOpenMemHandle(&peer->mapped, h->handle, cudaIpcMemLazyEnablePeerAccess), dev->where, e);
        if (e->status == ST_OK && events) {
            CUDA_TRY(cudaIpcOpenEventHandle(&peer->masks_read, h->masks_read), dev->where, e);
            CUDA_TRY(cudaIpcOpenEventHandle(&peer->first_part, h->first_part), dev->where, e);
        }
        if (e->status != ST_OK) {
            e->status = ST_RESOURCE;
            return e->status;
        }
    }
    peer->is = h->is;
    peer->shows = arrays_at(&h->shows, h->memory, peer->here ? h->memory : peer->mapped);
    return ST_OK;
}

/* Copies to device memory the bitmaps peers.own and peers.others: the delegates with edges of dd that this shard owns, and
 * those that other shards own. Waits. */
static enum status copy_rows_by_owner(struct device *dev, struct error *e)
{
    uint64_t words = mask_words(dev->shard->d);
    uint64_t *rows = malloc((2 * words + 1) * sizeof *rows);
    if (rows == NULL)
        return fail_memory(e, "delegates by owner", 2 * words * sizeof *rows);
    own_rows_split(dev->shard, rows, rows + words);
    gpu_copy(dev, dev->traffic.peers.own, rows, 2 * words * sizeof *rows, e);
    free(rows);
    return e->status;
}

/* Returns whether hosts must wait for the events of peers, because GPUs should not. There are two reasons:
 * - The driver crashes if several devices of one process open an event of another process.
 * - Processes that share a GPU use it in turns. A process whose kernels wait for an event keeps its turn for milliseconds.
 *
 * The result depends on the peer handles only, so it is the same in all processes.
 */
static int hosts_wait(const struct peer_handle *handles, uint32_t count)
{
    int processes = 0, several = 0, sharing = 0;
    struct gpu_peer_handle a, b;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(&a, &handles[i], sizeof a);
        for (uint32_t j = 0; j < i; j++) {
            memcpy(&b, &handles[j], sizeof b);
            processes |= a.pid != b.pid;
            several |= a.pid == b.pid;
            sharing |= a.pid != b.pid && a.is.pci_address == b.is.pci_address;
        }
    }
    return sharing || (processes && several);
}

/* Ends the sharing with peers: closes the memory and the events of other processes, and forgets all peers. Until the next
 * gpu_join no search is fused on several GPUs. There may be no peers. */
void gpu_leave(struct device *dev)
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
    dev->fused.group.launch.blocks = 0;
}

/* Makes the devices of handles[count] the peers of this device. With several shards also prepares pulls of dd in two
 * parts, and searches that are fused on all peers. After a failure some peers may be open, until gpu_leave. */
static enum status join_peers(struct device *dev, const struct peer_handle *handles, uint32_t count, struct error *e)
{
    struct gpu_peers *p = &dev->traffic.peers;
    p->all = calloc(count, sizeof *p->all);
    if (p->all == NULL)
        return fail_memory(e, "peers", count * sizeof *p->all);
    p->count = count;
    p->host_waits = hosts_wait(handles, count);
    if (gpu_use(dev, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < count && e->status == ST_OK; i++) {
        struct gpu_peer_handle handle;
        memcpy(&handle, &handles[i], sizeof handle);
        open_peer(dev, &p->all[i], &handle, e);
    }
    if (e->status != ST_OK || dev->shard->p == 1 || copy_rows_by_owner(dev, e) != ST_OK)
        return e->status;
    return gpu_peers_open(dev, e);
}

/* Leaves the earlier peers, and makes the devices of handles[count] the peers of this device. `count` may be 0.
 * *searches_fused becomes 1 if the device can run a search in one kernel, alone (one shard) or together with these peers. */
enum status gpu_join(struct device *dev, const struct peer_handle *handles, uint32_t count, int *searches_fused,
                     struct error *e)
{
    gpu_leave(dev);
    if (count > 0)
        join_peers(dev, handles, count, e);
    *searches_fused = (dev->shard->p > 1 ? dev->fused.group.launch.blocks : dev->fused.launch.blocks) > 0;
    return e->status;
}

/* Wakes the links to peers before a search, by reading some words of each array that searches read or write in a peer.
 * Otherwise the search would wait for the first read over an idle link, which is slow. Waits. */
enum status gpu_wake(struct device *dev, struct error *e)
{
    const struct gpu_peers *p = &dev->traffic.peers;
    const uint64_t delegates = dev->of[DELEGATES].words, columns = dev->fused.group.search.columns.words,
                   arrivals = 2 * (uint64_t)p->count * PEERS_LISTED_EDGES * PEERS_ARRIVAL_BYTES / sizeof(uint32_t);
    cudaStream_t stream = dev->stream.of[NORMALS];
    if (p->count < 2 || gpu_use(dev, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct gpu_peer *peer = &p->all[i];
        const struct gpu_shown_arrays *shows = &peer->shows;
        if (!peer->readable || peer->is.shard == dev->shard->index)
            continue;
        cuda_wake_links(shows->visited, peer->is.words, stream);
        cuda_wake_links(shows->found[0], delegates, stream);
        if (!peer->is.joins)
            continue;
        cuda_wake_links(shows->found[1], delegates, stream);
        cuda_wake_links(shows->sent[0], columns, stream);
        cuda_wake_links(shows->sent[1], columns, stream);
        cuda_wake_links(shows->gathered, columns, stream);
        cuda_wake_links((const uint32_t *)shows->arrivals, arrivals, stream);
        cuda_wake_links((const uint32_t *)shows->state, PEERS_STATE_BYTES / sizeof(uint32_t), stream);
    }
    return gpu_wait(dev, stream, e);
}

/* ---- reading ---- */

/* Begins to copy the visited normals of all peers, this device included, to peers.gathered, where a pull of nn looks for
 * parents. Each shard begins there with a new word. The driver copies where kernels cannot read. Does not wait. */
enum status gpu_gather_frontiers(struct device *dev, struct error *e)
{
    cudaStream_t stream = dev->stream.of[NORMALS];
    uint64_t shard_words = (UINT64_C(1) << dev->shard->local_bits) / 32;
    for (uint32_t i = 0; i < dev->traffic.peers.count && e->status == ST_OK; i++) {
        const struct gpu_peer *peer = &dev->traffic.peers.all[i];
        uint32_t *to = dev->traffic.peers.gathered + peer->is.shard * shard_words;
        if (peer->is.shard == dev->shard->index && dev->traffic.update_begun)
            continue; /* this device's own bits are in peers.gathered already, from cuda_frontier_update_write */
        if (peer->readable)
            cuda_or_mask(to, peer->shows.visited, peer->is.words, 0, stream);
        else
            CUDA_TRY(cudaMemcpyPeerAsync(to, dev->ordinal, peer->shows.visited, peer->ordinal,
                                         4 * peer->is.words, stream),
                     dev->where, e);
    }
    return CUDA_LAUNCHED(dev->where, e);
}

/* Launches kernels that OR delegates that peers found into the bitmap `to`. A kernel reads each bitmap in the memory of its
 * peer. If kernels cannot, the driver first copies the bitmap to `staging`. Does not wait. */
enum status gpu_or_found(struct device *dev, const int *updating, uint32_t *to, uint32_t *staging, struct error *e)
{
    uint64_t words = dev->of[DELEGATES].words;
    cudaStream_t stream = dev->stream.of[DELEGATES];
    for (uint32_t i = 0; i < dev->traffic.peers.count && e->status == ST_OK; i++) {
        const struct gpu_peer *peer = &dev->traffic.peers.all[i];
        const uint32_t *found = peer->readable ? peer->shows.found[0] : staging;
        if (updating != NULL ? !updating[i] : peer->is.shard == dev->shard->index)
            continue;
        if (!peer->readable)
            CUDA_TRY(cudaMemcpyPeerAsync(staging, dev->ordinal, peer->shows.found[0], peer->ordinal, 4 * words, stream),
                     dev->where, e);
        cuda_or_mask(to, found, words, 1, stream);
    }
    return CUDA_LAUNCHED(dev->where, e);
}

/* Waits on the host for an event of this device if peers.host_waits is set. Called before a barrier of the hosts, so that
 * the peers may rely on the event after the barrier. */
enum status gpu_host_waits_for(struct device *dev, cudaEvent_t event, struct error *e)
{
    return dev->traffic.peers.host_waits
               ? CUDA_TRY(cudaEventSynchronize(event), dev->where, e)
               : e->status;
}

/* Launches kernels that OR the peers' bitmaps of found delegates into this device's `next`, so that VISIT_REST does not
 * look for these delegates. The stream of the delegates first waits until all peers have ended VISIT_DD. What a peer
 * finds while its bitmap is read may be missed, but the reduction of the delegate masks at the end of the level adds it.
 * `incoming` is free during a visit, so it serves as staging. */
enum status gpu_take_peers_updates(struct device *dev, struct error *e)
{
    cudaStream_t stream = dev->stream.of[DELEGATES];
    const struct gpu_peers *p = &dev->traffic.peers;
    for (uint32_t i = 0; i < p->count && !p->host_waits && e->status == ST_OK; i++)
        CUDA_TRY(cudaStreamWaitEvent(stream, p->all[i].first_part, 0), dev->where, e);
    if (e->status != ST_OK)
        return e->status;
    return gpu_or_found(dev, NULL, dev->of[DELEGATES].next, dev->masks.incoming, e);
}
