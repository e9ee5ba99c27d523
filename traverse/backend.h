/* backend.h: what one device does in a search, as tables of functions.
 *
 * A device holds one shard and the state of one search over it. A backend makes devices: of the cores of the
 * host (cpu/) or of GPUs (cuda/). The level loop (bfs.c) and the exchange (exchange/) use the devices of a
 * rank through four tables: the device itself, the steps of a search, the messages between devices, and the
 * results. A backend knows nothing of ranks; the level loop knows nothing of OpenMP or CUDA.
 *
 * Functions that can fail return their status and say in *e what failed. Only one thread at a time uses a
 * device.
 */
#ifndef DBFS_BACKEND_H
#define DBFS_BACKEND_H

#include "breakdown.h"
#include "direction.h"

#include "formats/base/memory.h"
#include "formats/base/status.h"
#include "formats/shard.h"

#include <stddef.h>
#include <stdint.h>

struct device; /* each backend has its own */

/* ---- the device ---- */

/* Where the vertices that MPI sends and receives lie: in memory of the host or, if the MPI library accepts
 * it, in memory of the device. */
enum exchange_memory { EXCHANGE_HOST, EXCHANGE_DEVICE };

struct device_options {
    int threads;
    int parents;  /* record parents */
    int timing;   /* time the phases of each level */
    int uniquify; /* backend_messages.uniquify will be called */
    int trust;    /* do not check what the device decodes (shard_ranges.h) */
    enum exchange_memory exchange_memory;
    uint32_t slot;    /* number of the device among those of this host */
    const char *host; /* for messages */
    uint32_t rank;    /* for messages */
    const uint32_t *locals; /* [p]: local vertices of every shard */
    struct memory_budget *budget;
};

struct device_load {
    double seconds;
    double ranges_s; /* of these seconds: checking what was decoded */
    uint64_t bytes; /* in the device's memory: packed sections decoded */
};

struct backend_device {
    /* Takes memory for searches over the shard. A device with memory of its own loads the shard. */
    enum status (*open)(struct device **device, const struct shard *shard,
                        const struct device_options *options, struct error *e);
    void (*close)(struct device *device); /* NULL is allowed */

    /* How long loading took, and how many bytes. NULL if devices use the host's memory. */
    struct device_load (*load)(const struct device *device);
};

/* ---- a search ---- */

enum root_at { ROOT_AT_LOCAL, ROOT_AT_DELEGATE, ROOT_AT_ISOLATED };

/* Where the root is: a delegate is on every device, a local vertex on the device of its shard. */
struct root {
    uint64_t id; /* as stored */
    enum root_at at;
    uint32_t shard; /* the owner */
    uint32_t index; /* local id, delegate id, or slot */
};

/* The steps of a search in the order in which bfs.c calls them. `previsit` and `visit` may return before
 * their work is done: `counts` waits for a previsit, `finish` for a visit. */
struct backend_search {
    /* Forgets the last search. If the device has the root, the root is what the first previsit finds. */
    enum status (*start)(struct device *device, const struct root *root, struct error *e);

    /* Makes the frontier: the vertices that the last level found, without those visited before. It gives them
     * their depth, marks them as visited, and counts them by subgraph, with their edges. */
    enum status (*previsit)(struct device *device, int32_t depth, struct error *e);

    /* The counts from which directions are chosen. `forward` may be a lower bound. */
    enum status (*counts)(struct device *device, struct workload *work, struct error *e);

    /* The exact forward workload of one subgraph. */
    enum status (*count_forward)(struct device *device, enum subgraph g, uint64_t *forward,
                                 struct error *e);

    /* Visits the four subgraphs: dd and nd find delegates, dn and nn find normals, and nn finds vertices of
     * other shards, which are kept for the exchange. */
    enum status (*visit)(struct device *device, const struct directions *directions,
                         struct error *e);

    /* Waits for the delegates only, so that their masks can be reduced while normals are still looked for.
     * Need not be called before `finish`. */
    enum status (*finish_delegates)(struct device *device, struct error *e);

    /* Waits for the visit. *found: how many local normals it reached; a device may say 1 for any number. */
    enum status (*finish)(struct device *device, uint64_t *found, struct error *e);

    /* The times of this level's phases, after `finish`, from a device that was opened to time them. */
    enum status (*times)(struct device *device, struct breakdown *times, struct error *e);

    /* Replaces `finish` and the exchange, for the only device of a search: hands the delegates that it found
     * to its own next previsit. It does not wait. */
    enum status (*keep_updates)(struct device *device, struct error *e);

    /* Replaces all steps, for the only device of a search: all levels, without the host between them.
     * Directions follow the mode or, in DIRECTION_AUTO, the costs of the device. *levels: how many levels
     * were visited; 0 if this device cannot do it. The function is NULL if no device of the backend can. */
    enum status (*run)(struct device *device, const struct root *root, enum direction_mode mode,
                       uint32_t *levels, struct error *e);
};

/* ---- messages ---- */

/* Vertices bound for one device of another rank, as local ids there. */
struct outbox {
    uint32_t *ids; /* exchange memory of the device that sends */
    uint64_t count;
};

/* What devices give to each other between two levels, after `finish`. In these functions `devices` are the
 * `count` devices of this rank, and `device` is one of them. */
struct backend_messages {
    /* Allocates exchange memory of this device, of the kind that it was opened with. No budget is charged.
     * NULL: none is left. */
    void *(*exchange_take)(struct device *device, size_t bytes);
    void (*exchange_release)(struct device *device, void *memory); /* NULL memory is allowed */

    /* Allocates host memory for masks, to and from which devices copy fast. Masks are reduced there because
     * MPI libraries reduce on the host anyway. No budget is charged. NULL: none is left. */
    void *(*host_take)(size_t bytes);
    void (*host_release)(void *memory); /* NULL is allowed */

    /* How many vertices of another shard this level's nn visit found. */
    uint64_t (*outgoing)(const struct device *device, uint32_t shard);

    /* Copies these vertices, as local ids of that shard, to exchange memory of any device of this rank. */
    enum status (*take_outgoing)(struct device *device, uint32_t shard, uint32_t *ids,
                                 struct error *e);

    /* Drops duplicates within each of the boxes, which lie in the device's own memory. NULL if devices have
     * no memory of their own. */
    enum status (*uniquify)(struct device *device, struct outbox *boxes, uint32_t count,
                            struct error *e);

    /* Takes in vertices that other ranks sent, for the next previsit. There may be duplicates and visited
     * ones among them. They lie in exchange memory of this device and stay there until that previsit. */
    enum status (*receive)(struct device *device, const uint32_t *ids, uint64_t count,
                           struct error *e);

    /* Takes in the vertices of this device that the other devices of this rank found. The others keep them
     * unchanged until they visit again. */
    enum status (*receive_local)(struct device *device, struct device *const *devices,
                                 uint32_t count, struct error *e);

    /* The delegate masks are reduced in three calls, in this order:
     * - updated: 1 if this device found a delegate in this level. If no device of any rank did, the other two
     *   calls are left out.
     * - read_masks: ORs the updates of this rank's devices. With other ranks only the first device does
     *   this, and writes the result to `mask` (mask_words(d) words) for MPI to reduce; otherwise `mask` is
     *   NULL and every device does it for itself.
     * - take_mask, when all devices have read: makes the result what the next previsit finds. The result is
     *   `mask`, as reduced over all ranks, or, if that is NULL, what read_masks read. */
    int (*updated)(const struct device *device);
    enum status (*read_masks)(struct device *device, struct device *const *devices, uint32_t count,
                              uint64_t *mask, struct error *e);
    enum status (*take_mask)(struct device *device, struct device *const *devices, uint32_t count,
                             const uint64_t *mask, struct error *e);
};

/* ---- results, after a search ---- */

enum { DEPTH_UNREACHED = -1 };

/* The parent of a vertex, as the device that found the vertex knows it: a local id of that device, or */
#define PARENT_DELEGATE_BIT (UINT32_C(1) << 31) /* with this bit a delegate id */
#define PARENT_NONE UINT32_MAX                  /* not found by this device */
#define PARENT_REMOTE (UINT32_MAX - 1)          /* over an nn edge from another device */
#define PARENT_SELF (UINT32_MAX - 2)            /* the root */

struct backend_results {
    /* Depths, DEPTH_UNREACHED where not reached. */
    enum status (*depths)(struct device *device, int32_t *locals, int32_t *delegates,
                          struct error *e);

    /* Parents as above. A delegate that another device found has PARENT_NONE. */
    enum status (*parents)(struct device *device, uint32_t *locals, uint32_t *delegates,
                           struct error *e);
};

/* ---- all of it ---- */

struct backend {
    const char *name;
    int reads_host_columns; /* devices read the columns of shards in host memory */
    int side_by_side;       /* each device wants a host thread of its own */
    int has_device_memory;  /* devices have memory of their own, which messages may lie in */
    const struct backend_device *device;
    const struct backend_search *search;
    const struct backend_messages *messages;
    const struct backend_results *results;
};

extern const struct backend backend_cpu, backend_cuda;

#endif
