/* backend.h: what one device does in a search, as a table of functions.
 *
 * A device holds one shard and the state of one search over it. The level loop (bfs.c) drives all
 * devices of a rank through this table; the exchange moves masks and vertices between them. A
 * backend knows nothing of ranks and the loop nothing of threads or GPUs.
 *
 * One level (Pan et al., figure 3), each step for every device before the next one begins; `previsit`
 * and `visit` may return before their work is done, `choose` and `finish` wait for it.
 *   previsit  new delegates and normals become the frontier: levels marked, duplicates dropped,
 *             workloads counted
 *   choose    push or pull for each subgraph
 *   visit     dd and nd: the mask of updated delegates; dn and nn: new local normals, and vertices
 *             for other shards in bins
 *   finish    what was found, delegates first
 * Pulls read the visited marks as they stood at the start of the level.
 */
#ifndef DBFS_BACKEND_H
#define DBFS_BACKEND_H

#include "breakdown.h"
#include "direction.h"

#include "formats/base/memory.h"
#include "formats/shard.h"
#include "formats/base/status.h"

#include <stdint.h>

struct device; /* each backend has its own */

enum { DEPTH_UNREACHED = -1 };

/* The parent of a normal vertex, or of a delegate, as the device that found it knows it. */
#define PARENT_DELEGATE_BIT (UINT32_C(1) << 31) /* delegate id; else a local id of the device */
#define PARENT_NONE UINT32_MAX                  /* not found by this device */
#define PARENT_REMOTE (UINT32_MAX - 1)          /* over an nn edge from another device */
#define PARENT_SELF (UINT32_MAX - 2)            /* the root */

enum root_at { ROOT_AT_LOCAL, ROOT_AT_DELEGATE, ROOT_AT_ISOLATED };

/* Where the root is: a delegate is on every device, a local vertex on its shard's. */
struct root {
    uint64_t id; /* as stored */
    enum root_at at;
    uint32_t shard; /* the owner */
    uint32_t index; /* local id, delegate id, or slot */
};

/* Where vertices lie that MPI sends and receives: in memory of the host, or of the device itself, for
 * an MPI library that takes that. */
enum exchange_memory { EXCHANGE_HOST, EXCHANGE_DEVICE };

/* Vertices bound for one device of another rank, as local ids there. */
struct outbox {
    uint32_t *ids; /* exchange memory of the device that sends */
    uint64_t count;
};

struct device_load {
    double seconds;
    uint64_t bytes; /* in the device's memory: packed sections decoded */
};

struct device_options {
    int threads;
    int parents;   /* record parents */
    int timing;    /* time the parts of each level */
    int uniquify;  /* it will be asked for */
    enum exchange_memory exchange_memory;
    uint32_t slot; /* number of the device among those of this host */
    const char *host; /* for messages */
    uint32_t rank;
    struct memory_budget *budget;
};

struct backend {
    const char *name;
    int reads_host_columns; /* the columns of shards must be decoded in host memory */
    int side_by_side; /* steps of several devices may run in threads of their own */
    int has_device_memory; /* for exchanges, beside the host's */

    enum status (*open)(struct device **device, const struct shard *shard,
                        const struct device_options *options, struct error *e);
    void (*close)(struct device *device); /* NULL is allowed */

    /* How the shard came into the device's memory; NULL where devices use the host's. */
    struct device_load (*load)(const struct device *device);

    /* Forgets the last search and puts the root, where this device has it, on the frontier. */
    enum status (*start)(struct device *device, const struct root *root, struct error *e);

    /* Marks the frontier with `depth` and counts what visiting it would cost. */
    enum status (*previsit)(struct device *device, int32_t depth, struct error *e);

    /* The counts, and `directions`, the choice of the last level, turned into that of this one. */
    enum status (*choose)(struct device *device, const struct direction_policy *policy,
                          struct directions *directions, struct workload *work, struct error *e);

    enum status (*visit)(struct device *device, const struct directions *directions,
                         struct error *e);

    /* Waits for the delegates that a visit finds, which may be before it ends: `updated` then holds.
     * Need not be called before finish. */
    enum status (*finish_delegates)(struct device *device, struct error *e);

    /* *found: local normals newly reached; a device may say 1 for any number. */
    enum status (*finish)(struct device *device, uint64_t *found, struct error *e);

    /* After finish, of a device that times: the parts of this level that are the device's. */
    enum status (*times)(struct device *device, struct breakdown *times, struct error *e);

    /* Instead of finish and an exchange, for a device that is alone: its updated delegates are the
     * next ones to visit. Does not wait. */
    enum status (*keep_updates)(struct device *device, struct error *e);

    /* Memory that MPI sends from and receives into for this device, of the kind it was opened with;
     * charged to no budget. NULL: none left. */
    void *(*exchange_take)(struct device *device, size_t bytes);
    void (*exchange_release)(struct device *device, void *memory); /* NULL memory is allowed */

    /* Vertices for another shard that nn visits of this level left: how many, and their local ids
     * there, copied out into exchange memory of this device or of another one of this rank. */
    uint64_t (*outgoing)(const struct device *device, uint32_t shard);
    enum status (*take_outgoing)(struct device *device, uint32_t shard, uint32_t *ids,
                                 struct error *e);

    /* Drops duplicates within each of the boxes that this device sends. */
    enum status (*uniquify)(struct device *device, struct outbox *boxes, uint32_t count,
                            struct error *e);

    /* Vertices from other shards, duplicates and visited ones included, for the next previsit; they lie
     * in exchange memory of this device, which must stay as it is until that. */
    enum status (*receive)(struct device *device, const uint32_t *ids, uint64_t count,
                           struct error *e);

    /* The same from the other ones of this rank's devices, which have finished, without the host
     * where that can be. */
    enum status (*receive_local)(struct device *device, struct device *const *devices,
                                 uint32_t count, struct error *e);

    /* Delegates. First whether this device, whose delegates have finished, updated any; if any device of any
     * rank did, read_masks ORs the updates of this rank's devices, into `mask` (mask_words(d) words)
     * where that is not NULL, which it is for the first device if there are other ranks. When all
     * have read, take_mask makes the updates what comes in next: `mask`, as reduced over all ranks,
     * or what was read where that is NULL. */
    int (*updated)(const struct device *device);
    enum status (*read_masks)(struct device *device, struct device *const *devices, uint32_t count,
                              uint64_t *mask, struct error *e);
    enum status (*take_mask)(struct device *device, struct device *const *devices, uint32_t count,
                             const uint64_t *mask, struct error *e);

    /* Host memory that the devices copy to and from fast, for the masks: reductions are the host's work
     * in MPI libraries, which would copy masks there from a device, too. Charged to no budget. NULL:
     * none left. */
    void *(*host_take)(size_t bytes);
    void (*host_release)(void *memory); /* NULL is allowed */

    /* After a search: depths, DEPTH_UNREACHED where not reached. */
    enum status (*depths)(struct device *device, int32_t *locals, int32_t *delegates,
                          struct error *e);

    /* Parents as codes, PARENT_NONE where unreached or, for delegates, found elsewhere. */
    enum status (*parents)(struct device *device, uint32_t *locals, uint32_t *delegates,
                           struct error *e);
};

extern const struct backend backend_cpu, backend_cuda;

#endif
