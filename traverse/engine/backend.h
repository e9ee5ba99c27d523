/* backend.h: the interface of a device that searches one shard, as one table of functions (struct backend).
 *
 * A device holds one shard and the state of one search over it. There are two backends: the cores of the host (cpu/) and
 * GPUs (cuda/). The level loop (loop.c) and the exchange (exchange/) call the devices of a rank through the table. A
 * backend knows nothing of ranks; the loop knows nothing of CUDA or threads of a CPU.
 *
 * Rules for all functions:
 * - No entry is NULL. What a backend does not need is a function that does nothing; what it cannot do is a flag.
 * - A function that returns a status writes to *e what failed, and returns e->status.
 * - One thread at a time uses a device. Functions without a status cannot fail.
 * - Memory that a caller passes stays the caller's.
 */
#ifndef DBFS_BACKEND_H
#define DBFS_BACKEND_H

#include "answer_ids.h"
#include "choose.h"
#include "level_note.h"
#include "residence.h"

#include "formats/bijection.h"
#include "formats/base/memory.h"
#include "formats/base/status.h"
#include "formats/graph/shard.h"

#include <stddef.h>
#include <stdint.h>

struct device; /* each backend has its own */

/* ---- opening a device ---- */

/* Memory of the vertices that MPI sends and receives: the host's, or the device's if the MPI library accepts that. */
enum exchange_memory { EXCHANGE_HOST, EXCHANGE_DEVICE };

/* An answer gives each input id a value: the depth of the vertex, as int32, or the input id of its parent, as
 * int32 or int64. It is -1 where the vertex was not reached. Each device holds the values of its shard (answers.h). */
enum answer_kind { ANSWER_DEPTHS, ANSWER_PARENTS };

enum { ANSWER_NONE = -1 };

struct device_options {
    int threads;
    int parents;  /* record parents */
    int answers;  /* backend_answers.open will be called */
    enum answer_kind answer; /* the answer of each search; the other one may be asked for, too */
    int permuted; /* input ids are permuted */
    int timing;   /* `finish` and notes have the times of phases */
    int probes;   /* count the probes of pulls, if the backend can, and FV exactly */
    int notes;    /* search_begin may be told to note levels */
    int uniquify; /* drop_repeated and uniquify will be called */
    int by_classes; /* the search goes by classes of edges, however small the graph is */
    int shared;   /* devices of other processes will read this one (show) */
    int32_t deepest; /* the depth at which search_begin's searches end; INT32_MAX: none */
    int trust;    /* do not check the columns that the device decodes (shard_ranges.h) */
    enum residence resident; /* GPUs only; a CPU keeps the residence in which the shard was loaded */
    uint32_t slot;    /* number of the device among those of this host */
    const char *host; /* for messages */
    uint32_t rank;    /* for messages */
    const uint32_t *locals; /* [p] local vertices of every shard; they outlive the device */
    struct memory_budget *budget;
};

struct device_description {
    char model[256];  /* this and the next two: empty on a CPU */
    char driver[64];  /* version of the driver */
    char runtime[64]; /* version of the library through which the device is used */
    enum residence resident; /* RESIDENT_PACKED or RESIDENT_HOST if the columns of any subgraph lie so */
    uint64_t bytes;      /* of the shard in the memory that is searched, packed sections decoded */
    uint64_t host_bytes; /* of the shard in memory of the host that a GPU reads */
    double load_s;       /* to load the shard into memory of the device; 0 on a CPU */
    double ranges_s;     /* part of load_s: checking decoded sections */
};

/* ---- peers ---- */

/* The peers of a device are devices of this host, itself included, which read each other's memory. They belong to this
 * rank, or to all ranks of the host. A device shows its peers the delegates that it found, the normals of its frontier, the
 * vertices that it found on other shards, and after a search the arrays that answers are made of. The handle says where
 * these arrays are. Each backend fills it in its own way; it may be copied to another process. */
struct peer_handle {
    uint64_t words[93];
};

/* ---- a search ---- */

enum root_at { ROOT_AT_LOCAL, ROOT_AT_DELEGATE, ROOT_AT_ISOLATED };

/* Where the root is: every device has a delegate, and the device of its shard has a local vertex. */
struct root {
    uint64_t id; /* as stored */
    enum root_at at;
    uint32_t shard; /* the owner */
    uint32_t index; /* local id, delegate id, or slot */
};

/* The part of a level that `visit` does. A pull of dd by several devices has two parts, with a barrier between them:
 * - VISIT_FIRST: each device looks for parents of the delegates that it owns. Their edges to neighbours of higher degree
 *   are there, so most find a parent with the first probe. Other devices have only edges to neighbours of lower degree.
 * - VISIT_REST: devices know the delegates that others have found, peers by reading (`visit` does it), other devices by
 *   messages (know_mask), and look for the rest. */
enum visit_part { VISIT_WHOLE, VISIT_FIRST, VISIT_REST };

/* How a device keeps the vertices that a push of nn finds on other shards: as a list of local ids, in which a vertex may
 * stand several times, or as a bitmap over the local ids of each shard. A bitmap wants shard_has_masks. */
enum outgoing_form { OUTGOING_LIST, OUTGOING_MASK };

struct visit_plan {
    struct directions directions;
    enum visit_part part;
    enum outgoing_form form;
};

/* What a visit found on one device. */
struct visit_result {
    uint64_t found;             /* local normals; a device may say 1 for any number */
    int found_delegates;        /* 1: this device found a delegate in this level */
    uint64_t probes[SUBGRAPHS]; /* columns that the last pull looked at, if backend.counts_probes and options.probes */
    struct breakdown times;     /* of the level's phases, if options.timing */
};

/* ---- messages ---- */

/* Vertices bound for one device of another rank, as local ids there, or as a bitmap of them. */
struct send_buffer {
    uint32_t *ids; /* exchange memory of the device that sends */
    uint64_t count; /* ids, or 32-bit words of the bitmap */
    enum outgoing_form form;
};

/* Vertices of one shard that another device found, as that device keeps them: `count` ids of its list, or
 * `count` 32-bit words of its bitmap, from number `begin` on. */
struct vertex_span {
    uint64_t begin, count;
    enum outgoing_form form;
};

/* Events of a device that record_copies can use, numbered from 0. */
enum { COPY_EVENTS = 8 };

/* The non-zero words of a delegate mask. */
struct mask_words_list {
    uint64_t *mask;          /* [mask_words(d)]: where the device may write the whole mask. The caller's */
    struct mask_word *words; /* [most], the caller's: the first `count` are written */
    uint64_t most;
    uint64_t count;          /* of non-zero words; any number above `most` if there are more */
    int has_mask;            /* `mask` was written */
};

/* ---- results, after a search ---- */

enum { DEPTH_UNREACHED = -1 };

/* The parent of a vertex, as the device that found the vertex records it: a local id of that device, or */
#define PARENT_DELEGATE_BIT (UINT32_C(1) << 31) /* with this bit a delegate id */
#define PARENT_NONE UINT32_MAX                  /* not found by this device */
#define PARENT_REMOTE (UINT32_MAX - 1)          /* over an nn edge from another device */
#define PARENT_SELF (UINT32_MAX - 2)            /* the root */

/* The tables by which a device makes answers. The vertices of a device are numbered through: local vertex i has number
 * i, delegate i has number locals + i. */
struct answer_tables {
    uint64_t values;   /* how many the device holds (answers.h) */
    uint32_t *vertex;  /* [values] the number of the vertex of each value; locals + d: an id without edges */
    void *ids;         /* [locals + d] input id of each vertex; NULL: parents are not recorded */
    uint32_t id_bytes; /* of `ids`, and of a parent: 4 or 8 */
    int all_read;      /* each device of the search reads the memory of all devices (reads_peer): `ask` asks nothing */
    const struct bijection *bijection; /* from input ids to stored ones; NULL: they are the same */
};

/* Where a device has its answer, in its own memory (has_device_memory) or that of the host, from `open` to `close`. */
struct answer_arrays {
    void *values;           /* [tables.values] of answer_width bytes */
    void *delegate_parents; /* [d] input ids, of id_bytes; NULL: one shard, or parents are not recorded */
};

/* The ids of an array of ids of 4 or 8 bytes. */
static inline int64_t answer_id(const void *ids, uint32_t id_bytes, uint64_t i)
{
    return id_bytes == 4 ? ((const int32_t *)ids)[i] : ((const int64_t *)ids)[i];
}

static inline void answer_set_id(void *ids, uint32_t id_bytes, uint64_t i, int64_t id)
{
    if (id_bytes == 4)
        ((int32_t *)ids)[i] = (int32_t)id;
    else
        ((int64_t *)ids)[i] = id;
}

/* Bytes of a value of an answer. */
static inline uint32_t answer_width(const struct answer_tables *tables, enum answer_kind kind)
{
    return kind == ANSWER_DEPTHS ? 4 : tables->id_bytes;
}

/* Consecutive bytes that one device has for the device of another shard. */
struct slice {
    const void *at; /* in memory of the host, or of the device that has the bytes; NULL: the bytes are at `place` */
    uint64_t bytes;
    uint64_t place; /* how the other device, a peer in another process, reads the bytes where they are; 0: it cannot */
};

/* "Has your local vertex `vertex` this depth?" The reply is its input id, or ANSWER_NONE. */
struct question {
    uint32_t vertex;
    int32_t depth;
};

/* Values of some ids of a window, in any order and in memory of the host: values[i], of 4 or 8 bytes, is that of id
 * index[i] of the window. */
struct value_list {
    void *values;
    uint32_t *index;
    uint64_t count;
};

/* Answers of the last search. The order of calls:
 * - after `join`: reads_peer, at any time; open, once. `close` of the device frees what open took.
 * - after a search: read_depths, at any time; make_values, then list_values and copy. If parents of several shards are
 *   wanted, ask, reply and take_replies come before make_values. Between these three the caller does the steps that
 *   find_parents of results/answers.c shows.
 * p is the number of shards, locals that of local vertices of this shard, and d that of delegates. Arrays of slices are [p]:
 * element s is for shard s, or came from shard s. */
struct backend_answers {
    /* Copies the depths of the last search to memory of the host, and waits: locals[locals] and delegates[d].
     * DEPTH_UNREACHED stands for a vertex that was not reached. `open` need not have been called. */
    enum status (*read_depths)(struct device *device, int32_t *locals, int32_t *delegates, struct error *e);

    /* Returns 1 if work on the device can read the memory of the device of this shard. Returns 0 if that device is no peer,
     * if the driver only copies its memory, or if devices have no memory of their own. */
    int (*reads_peer)(const struct device *device, uint32_t shard);

    /* Prepares answers. Fills *arrays. A device without memory of its own uses the arrays of `tables` until it is closed;
     * other devices copy the arrays. ST_RESOURCE: memory is short. */
    enum status (*open)(struct device *device, const struct answer_tables *tables, struct answer_arrays *arrays,
                        struct error *e);

    /* Begins to find parents after a search with depths below `levels`: turns the parents that the device recorded into
     * input ids, those of delegates in delegate_parents, and waits. A vertex that was reached over an nn edge from another
     * shard asks all its neighbours there: questions[s] gets the questions for shard s (an array of struct question), which
     * stay until take_replies. With all_read there are no questions: all slices are empty. Instead the peers can read what
     * this device found, until make_values. */
    enum status (*ask)(struct device *device, uint32_t levels, struct slice *questions, struct error *e);

    /* Replies to the questions of the other shards, and waits. replies[s] becomes an array of ids, id_bytes each, one for
     * each of questions[s] in their order. The replies stay until the next search. Not called with all_read. ST_BAD_DATA: a
     * question names a vertex that this shard does not have. */
    enum status (*reply)(struct device *device, const struct slice *questions, struct slice *replies, struct error *e);

    /* Ends finding parents: each vertex that asked takes the id of any neighbour that replied with one. replies[s] has a
     * reply to each question for shard s, in their order. The parents of delegates stay as they are. With all_read `replies`
     * is not read. Instead the device looks for missing parents, those of its own delegates too, in the memory of its peers,
     * and waits; by then `ask` of all peers has returned. ST_BAD_DATA: a column names a vertex that there is not. */
    enum status (*take_replies)(struct device *device, const struct slice *replies, struct error *e);

    /* Makes all values of the device after a search with depths below `levels`, and waits. Parents of several shards are
     * those that take_replies left; delegate_parents may have been overwritten since. */
    enum status (*make_values)(struct device *device, enum answer_kind kind, uint32_t levels, struct error *e);

    /* Lists the values that the device, one of several, has of the permuted input ids first..first+count-1, at most
     * ANSWER_WINDOW, and waits. The arrays of the list have room for `count` elements. Sets list->count. */
    enum status (*list_values)(struct device *device, enum answer_kind kind, uint64_t first, uint64_t count,
                               struct value_list *list, struct error *e);

    /* Copies bytes from the host to the device or back, after the calls above have had their effect, and waits. */
    enum status (*copy)(const struct device *device, void *to, const void *from, uint64_t bytes, struct error *e);
};

/* ---- the table ---- */

struct backend {
    const char *name;
    int reads_host_columns; /* devices read the columns of shards in host memory */
    int side_by_side;       /* each device wants a host thread of its own */
    int has_device_memory;  /* devices have memory of their own, which messages may lie in */
    int knows_costs;        /* `counts` has the costs of visits; if not, directions follow factors */
    int counts_probes;      /* `finish` has the probes of pulls */
    int updates_frontiers;  /* frontiers go to other groups as updates (read_frontier), not as bitmaps */
    uint64_t part_rows;     /* with more rows of dd to pull on a device, two parts are worth a reduction of masks */

    /* ---- the device ---- */

    /* Takes memory for searches over the shard, which outlives the device. A device with memory of its own loads the
     * shard. *device is NULL after a failure. */
    enum status (*open)(struct device **device, const struct shard *shard, const struct device_options *options,
                        struct error *e);
    void (*close)(struct device *device); /* frees the device, and leaves its peers; NULL is allowed */
    void (*describe)(const struct device *device, struct device_description *description);

    /* Bytes that a device will take of the budget beside the shard, answers included; 0 if it has memory of its own. */
    uint64_t (*bytes_needed)(const struct shard *shard, int threads, int parents);

    /* The GPU that the device of this slot would use: its place on the buses of the host, alike in all processes, plus 1. 0:
     * none. Opens nothing. */
    uint64_t (*pci_address)(uint32_t slot);

    /* ---- peers ---- */

    /* Fills the handle. `elsewhere`: peers in other processes will read it. ST_RESOURCE: they cannot read this device. */
    enum status (*show)(struct device *device, int elsewhere, struct peer_handle *handle, struct error *e);

    /* Makes the arrays of all peers readable. handles[count] are those of the peers, in the same order on each of them. The
     * devices of a process join in their order. ST_RESOURCE: the memory of another process cannot be read. */
    enum status (*join)(struct device *device, const struct peer_handle *handles, uint32_t count, struct error *e);

    /* Wakes links and threads before a search and its clock.
     * - Links between devices: some of the memory of each peer is read. The first word over a link that was idle takes
     *   0.1 ms, and each link wakes for itself.
     * - Threads: a small search would end before they are awake. */
    enum status (*wake)(struct device *device, struct error *e);

    /* Ends the sharing with peers. By then nobody may use the shown arrays. */
    void (*leave)(struct device *device);

    /* ---- a whole search, without the host between levels ---- */

    /* Whether search_begin may be called, after `join`: the device runs all levels by itself, with its peers if there are
     * several shards. Then all peers of all ranks must be able to, and begin the same search. */
    int (*can_search_fused)(const struct device *device);

    /* Begins a search. The root has edges. Directions follow the mode or, in DIRECTION_AUTO, the costs of the device.
     * `noted`: the device notes what levels do. Any thread may call it. */
    enum status (*search_begin)(struct device *device, const struct root *root, enum direction_mode mode, int noted,
                                struct error *e);

    /* Waits for the end of the search on all `count` devices of a rank, by one thread. *levels: levels that were visited,
     * the last, empty one included. */
    enum status (*search_end)(struct device *const *devices, uint32_t count, int noted, uint32_t *levels, struct error *e);

    /* Passes the notes of all levels to `noter`, in order, after a search that was noted. */
    enum status (*replay_levels)(struct device *device, level_noter *noter, void *context, struct error *e);

    /* ---- a search level by level, in the order in which loop.c calls. `previsit` and `visit` may return early: `counts`
     * waits for a previsit, `finish` for a visit ---- */

    /* Forgets the last search. If the device has the root, the first previsit finds it. */
    enum status (*start)(struct device *device, const struct root *root, struct error *e);

    /* Makes the frontier: the vertices that the last level found and none before. Gives them the depth, sets their visited
     * bits, and counts them by subgraph, with their edges. Leaves out the steps that previsit_ahead has done. */
    enum status (*previsit)(struct device *device, int32_t depth, struct error *e);

    /* The counts from which directions are chosen. `forward` is about right, or a lower bound unless knows_costs. */
    enum status (*counts)(struct device *device, struct workload *work, struct error *e);

    /* The exact forward workload of subgraph g. Not for dd after visit_ahead. */
    enum status (*count_forward)(struct device *device, enum subgraph g, uint64_t *forward, struct error *e);

    /* Shows the normals of the frontier to the peers. Called before a visit in which nn pulls and there are several shards;
     * a barrier of the peers follows. */
    void (*show_frontier)(struct device *device);

    /* Visits the four subgraphs: dd and nd find delegates, dn and nn find normals. A push of nn also finds vertices of other
     * shards, and keeps them for `outgoing`. Leaves out dd, or its first part, if visit_ahead has done it. */
    enum status (*visit)(struct device *device, const struct visit_plan *plan, struct error *e);

    /* Waits for the delegates only, so that their masks can be reduced while normals are still looked for. *found: 1 if this
     * device found a delegate. Need not be called. */
    enum status (*finish_delegates)(struct device *device, int *found, struct error *e);

    /* Waits for the visit. */
    enum status (*finish)(struct device *device, struct visit_result *result, struct error *e);

    /* Replaces the exchange on the only device of a search: gives the delegates that it found to its own next previsit. Does
     * not wait, and `finish` need not come before. */
    void (*keep_updates)(struct device *device);

    /* ---- dd of the next level, while messages between ranks are under way ---- */

    /* Begins a level before all its normals have arrived: makes the delegates of the frontier as previsit does, and counts
     * the work of dd. Called once the masks are reduced, between `finish` and `previsit`. */
    enum status (*previsit_ahead)(struct device *device, int32_t depth, struct subgraph_work *dd, struct error *e);

    /* Visits dd after previsit_ahead, whole or its first part. */
    enum status (*visit_ahead)(struct device *device, const struct visit_plan *plan, struct error *e);

    /* 1: a visit is still under way. */
    int (*is_busy)(const struct device *device);

    /* ---- memory of messages; no budget is charged. NULL: *e says why, by the name `what` ---- */

    /* Memory of this device, for EXCHANGE_DEVICE. Release allows NULL. */
    void *(*exchange_take)(struct device *device, size_t bytes, const char *what, struct error *e);
    void (*exchange_release)(struct device *device, void *memory);

    /* Memory of the host to and from which devices copy fast, for EXCHANGE_HOST, and for masks, which MPI libraries reduce
     * on the host anyway. Release allows NULL. */
    void *(*host_take)(size_t bytes, const char *what, struct error *e);
    void (*host_release)(void *memory);

    /* ---- vertices between devices, after `finish` ---- */

    /* The vertices of another shard that this level's nn visit found. They stay there until the device visits again. */
    struct vertex_span (*outgoing)(const struct device *device, uint32_t shard);

    /* Drops duplicates from the list for each other shard, and none from bitmaps: `outgoing` then says fewer. The span of
     * before still holds all vertices. */
    enum status (*drop_repeated)(struct device *device, struct error *e);

    /* Begins to copy a span to `to`, in exchange memory of any device of this rank, or to OR a bitmap into the one there. */
    enum status (*take_outgoing)(struct device *device, const struct vertex_span *span, uint32_t *to, struct error *e);
    enum status (*or_outgoing)(struct device *device, const struct vertex_span *span, uint32_t *to, struct error *e);

    /* Records an event (below COPY_EVENTS) behind the copies that have begun. *over: 1 if these copies are over. */
    enum status (*record_copies)(struct device *device, uint32_t event, struct error *e);
    enum status (*copies_are_over)(struct device *device, uint32_t event, int *over, struct error *e);

    /* Drops duplicates within each of `count` buffers that are lists, in exchange memory of the device. */
    enum status (*uniquify)(struct device *device, struct send_buffer *buffers, uint32_t count, struct error *e);

    /* Takes in vertices that other ranks sent, for the next previsit: a part of a list, or words of a bitmap from number
     * part->begin on. Some may be duplicates, or visited. `from` is in exchange memory of this device, and stays as it is
     * until that previsit. */
    enum status (*receive)(struct device *device, const uint32_t *from, const struct vertex_span *part, struct error *e);

    /* Takes in the vertices of this device that its peers found: spans[i] of peer i. */
    enum status (*receive_peers)(struct device *device, const struct vertex_span *spans, struct error *e);

    /* ---- delegate masks, after finish_delegates or `finish`, if any device of any rank found a delegate. A mask has
     * mask_words(d) words of 64 bits ---- */

    /* ORs the updates of those peers i that have updating[i]. If there are devices that are no peers, only one of the peers
     * does so, and writes the result to `mask` for MPI to reduce; otherwise every device does it for itself, and `mask` is
     * NULL. */
    enum status (*read_masks)(struct device *device, const int *updating, uint64_t *mask, struct error *e);

    /* The same, for a result that may have few non-zero words: writes these to list->words, without the delegates of
     * know_mask. Sets count and has_mask. If there are more than list->most and no mask, read_masks follows. */
    enum status (*read_mask_words)(struct device *device, const int *updating, struct mask_words_list *list,
                                   struct error *e);

    /* Between the parts of a visit: all devices know the delegates of `mask` as found. The second part does not look for
     * them, later reads leave them out, and take_mask adds them. `mask` stays as it is until the second part is over. */
    enum status (*know_mask)(struct device *device, const uint64_t *mask, struct error *e);

    /* Called when all peers have read: makes the result the delegates of the next previsit. The result is `mask`, as reduced
     * over all ranks, or, if `mask` is NULL, the OR that read_masks made. */
    enum status (*take_mask)(struct device *device, const uint64_t *mask, struct error *e);

    /* The same for a list of words, some of them several times. The list stays as it is until that previsit. */
    enum status (*take_mask_words)(struct device *device, const struct mask_word *words, uint64_t count, struct error *e);

    /* ---- frontiers of nn that devices which are no peers give each other, before a visit in which nn pulls. All devices
     * of all ranks take part. A message is the bitmap of a shard's normals, or, with updates_frontiers, an update that
     * leaves out what the receiver knows: vertices without nn edges, and those visited when the last was sent ---- */

    /* Called once for each shard, after `join`, if updates_frontiers: the bitmap (`words` 32-bit words) of its normals with
     * nn edges. */
    enum status (*learn_sources)(struct device *device, uint32_t shard, const uint32_t *bitmap, uint64_t words,
                                 struct error *e);

    /* Computes the lengths of all messages of this exchange. */
    enum status (*count_frontiers)(struct device *device, struct error *e);

    /* 32-bit words of the message of a shard, after count_frontiers. */
    uint64_t (*frontier_words)(const struct device *device, uint32_t shard);

    /* Writes the message of the device's own frontier to host memory. */
    enum status (*read_frontier)(struct device *device, uint32_t *to, struct error *e);

    /* Takes the message of shard `shard` from host memory, which stays as it is until `finish`. */
    enum status (*write_frontier)(struct device *device, uint32_t shard, const uint32_t *from, struct error *e);

    /* ---- answers, after a search ---- */

    const struct backend_answers *answers;
};

extern const struct backend backend_cpu, backend_cuda;

#endif
