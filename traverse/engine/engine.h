/* engine.h: the interface of a device that searches one shard: one table of functions (struct backend).
 *
 * A device holds one shard and the state of one search over it. There are two backends: the cores of the host (cpu/) and
 * GPUs (cuda/). The level loop (loop.c) and the exchange (exchange/) call the devices of a rank through the table. A
 * backend knows nothing of ranks. The level loop knows nothing of CUDA or threads of a CPU.
 *
 * Rules for all functions:
 * - No entry of the table is NULL. If a backend does not need a step, the function of the step does nothing. If a backend
 *   cannot do a step, a flag of the table says so.
 * - A function that returns a status writes to *e what failed, and returns e->status.
 * - A function without a status cannot fail.
 * - Only one thread at a time uses a device.
 * - Memory that a caller passes belongs to the caller. */
#ifndef DBFS_ENGINE_H
#define DBFS_ENGINE_H

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

struct device; /* each backend defines its own */

/* ---- opening a device ---- */

/* The kind of memory from which MPI sends vertices, and to which MPI receives vertices. Device memory is possible only if
 * the MPI library accepts device memory. */
enum exchange_memory { EXCHANGE_HOST, EXCHANGE_DEVICE };

/* An answer gives each input id a value. In ANSWER_DEPTHS the value is the depth of the vertex, as int32. In
 * ANSWER_PARENTS the value is the input id of the vertex's parent, as int32 or int64. The value is -1 if the vertex was
 * not reached. Each device holds the values of its shard (answers.h). */
enum answer_kind { ANSWER_DEPTHS, ANSWER_PARENTS };

enum { ANSWER_NONE = -1 };

/* The options of `open`. */
struct device_options {
    int threads;
    int parents;  /* parents are recorded */
    int answers;  /* backend_answers.open will be called after the device is opened */
    enum answer_kind answer; /* the kind of answer that each search makes; a caller may also ask for the other kind */
    int permuted; /* input ids are permuted: stored ids differ from input ids */
    int timing;   /* the results of `finish` and the notes of levels have the times of phases */
    int probes; /* the backend counts the probes of pulls, if it can, and counts the edges of frontiers (FV) exactly */
    int notes;    /* search_begin may be called with `noted`, so that the device notes its levels */
    int uniquify; /* backend.uniquify will be called */
    int by_classes; /* a search chooses a direction for each class of edges, even if the graph is small */
    int shared;   /* devices of other processes will read the memory of this device (show) */
    int32_t deepest; /* a search begun by search_begin ends at this depth; INT32_MAX: no limit */
    int trust;    /* the columns that the device decodes are not checked (shard_ranges.h) */
    enum residence resident; /* used by GPUs only. A device of the CPU keeps the residence with which the shard was loaded */
    uint32_t slot;    /* number of the device among the devices of this host */
    const char *host; /* name of the host, for messages to the user */
    uint32_t rank;    /* number of the rank, for messages to the user */
    const uint32_t *locals; /* [p] number of local vertices of each shard; the array must outlive the device */
    struct memory_budget *budget;
};

/* A description of a device, which `open` fills for reports. */
struct device_description {
    char model[256];  /* model, driver and runtime are empty on a CPU */
    char driver[64];  /* version of the driver */
    char runtime[64]; /* version of the library through which the device is used */
    enum residence resident; /* RESIDENT_PACKED or RESIDENT_HOST if the columns of any subgraph have this residence */
    uint64_t bytes; /* bytes of the shard in the memory that is searched. Columns that stay packed count their packed
                     * bytes */
    uint64_t host_bytes; /* bytes of the part of the shard that a GPU reads in host memory */
    double load_s;       /* seconds to load the shard into memory of the device; 0 on a CPU */
    double ranges_s;     /* the part of load_s in which the decoded sections were checked */
    int searches_fused;  /* search_begin may be called; set by backend.join */
};

/* ---- peers ---- */

/* By this handle peers find the arrays of a device. The peers of a device are the devices of this host that read each
 * other's memory. The device itself is one of its peers. The peers belong to this rank, or to all ranks of the host. A
 * device shows its peers the delegates that it found, the normals of its frontier, and the vertices that it found on
 * other shards. After a search the device also shows the arrays from which answers are made. Each backend fills the
 * handle in its own way. A handle may be copied to another process. */
struct peer_handle {
    uint64_t words[93];
};

/* ---- a search ---- */

enum root_at { ROOT_AT_LOCAL, ROOT_AT_DELEGATE, ROOT_AT_ISOLATED };

/* Where the root is. A delegate is on every device. A local vertex is only on the device of its shard. An isolated root
 * has no edges, and is on no device. */
struct root {
    uint64_t id; /* stored id of the root */
    enum root_at at;
    uint32_t shard; /* the shard that owns the root */
    uint32_t index; /* local id, or delegate id. For a root without edges: slot in the shard */
};

/* The kinds of vertices that a step of a level handles. Usually one previsit makes the frontier of both kinds. If normals
 * are still under way between ranks, a first previsit makes only the frontier of delegates. A second previsit then makes
 * the frontier of normals. */
enum vertex_kinds { BOTH_KINDS, ONLY_DELEGATES, ONLY_NORMALS };

/* The parts of a level's visit, in the order in which the loop calls `visit`. Usually dd is visited first, and then the
 * other subgraphs. Several devices may divide a pull of dd (visit_plan.divides_dd), with a barrier between the two parts:
 * - VISIT_DD: each device looks for parents of the delegates that it owns. The owner of a delegate has the delegate's
 *   edges to neighbours of higher degree, so most delegates find a parent at the first probe. Other devices have only the
 *   edges to neighbours of lower degree.
 * - VISIT_REST: each device looks for parents of the delegates that no device has found yet. A device reads in the memory
 *   of its peers which delegates the peers have found. Messages have told which delegates all other devices have found
 *   (know_mask). */
enum visit_part {
    VISIT_DD,     /* dd, or the rows of dd that the device owns. Only the frontier of delegates must have been made */
    VISIT_OTHERS, /* nd, dn and nn. If dd is divided, leaves out the subgraphs that must wait for VISIT_REST */
    VISIT_REST /* called only if dd is divided: the rows of dd that other devices own, and the subgraphs that VISIT_OTHERS
                * left out */
};

/* How a device keeps the vertices that a push of nn finds on other shards. OUTGOING_LIST has local ids, and may have a
 * vertex several times. OUTGOING_MASK is a bitmap with a bit for each local id of each shard. It is possible only with
 * shard_has_masks. */
enum outgoing_form { OUTGOING_LIST, OUTGOING_MASK };

struct visit_plan {
    struct directions directions;
    int divides_dd; /* dd is pulled in two parts, VISIT_DD and VISIT_REST */
    enum outgoing_form form;
};

/* Vertices of one shard that a device of another shard found. A span has consecutive ids of a list, or consecutive words
 * of a bitmap. */
struct vertex_span {
    uint32_t *ids;  /* address of the first id or word; NULL: the array is in another process */
    uint64_t begin; /* index of the first id or word of the span in the whole list or bitmap */
    uint64_t count; /* number of ids, or number of 32-bit words of the bitmap */
    enum outgoing_form form;
};

/* What a visit found on one device. */
struct visit_result {
    int found_delegates;        /* 1: this device found a delegate in this level */
    uint64_t found;             /* number of local normals found; a device may give 1 in place of any positive number */
    struct vertex_span *outgoing; /* [p] array of the caller: the vertices of each shard that nn found; not written if p is
                                   * 1 */
    uint64_t probes[SUBGRAPHS]; /* number of columns that the last pull looked at; set only if backend.counts_probes and
                                 * options.probes are set */
    struct breakdown times;     /* times of the level's phases; set if options.timing */
};

/* The events of a device. Copies record the events 0 to COPY_EVENTS - 1. VISIT_OTHERS records VISIT_EVENT after the
 * visits of dn and nn. */
enum { COPY_EVENTS = 8, VISIT_EVENT = COPY_EVENTS, DEVICE_EVENTS };

/* ---- delegates between devices ---- */

/* Delegates as a mask, or as a list of the mask's non-zero words. Both arrays belong to the caller. */
struct mask_update {
    uint64_t *mask;          /* [mask_words(d)] */
    struct mask_word *words; /* [most] the first `count` words are valid; NULL: the delegates are in `mask` */
    uint64_t most;           /* the capacity of `words`; 0: no list is wanted */
    uint64_t count; /* number of non-zero words in `words`. A number above `most` means that `words` was too short */
    int has_mask;            /* `mask` was written; `words` may also have been written */
};

/* ---- results, after a search ---- */

enum { DEPTH_UNREACHED = -1 };

/* The parent of a vertex, as recorded by the device that found the vertex. It is a local id of the device, or one of
 * these values: */
#define PARENT_DELEGATE_BIT (UINT32_C(1) << 31) /* if this bit is set, the other bits are a delegate id */
#define PARENT_NONE UINT32_MAX                  /* this device did not find the vertex */
#define PARENT_REMOTE (UINT32_MAX - 1)          /* the vertex was found over an nn edge from another device */
#define PARENT_SELF (UINT32_MAX - 2)            /* the vertex is the root */

/* The tables from which a device makes answers. Every vertex of a device has a number: local vertex i has number i, and
 * delegate i has number locals + i. */
struct answer_tables {
    uint64_t values;   /* the number of values that the device holds (answers.h) */
    uint32_t *vertex;  /* [values] the number of the vertex that each value belongs to; locals + d for an id without edges */
    void *ids;         /* [locals + d] the input id of each vertex; NULL: parents are not recorded */
    uint32_t id_bytes; /* bytes of an element of `ids`, and of a parent: 4 or 8 */
    int all_read; /* every device of the search reads the memory of all devices (reads_peer). `ask` then makes no
                   * questions */
    const struct bijection *bijection; /* maps input ids to stored ids; NULL: stored ids are the input ids */
};

/* Where the answer of a device is. The arrays are in device memory if has_device_memory, otherwise in host memory. They
 * exist from `open` to `close`. */
struct answer_arrays {
    void *values;           /* [tables.values] values of answer_width bytes each */
    void *delegate_parents; /* [d] input ids of id_bytes each: the parents of delegates. NULL: there is one shard, or
                             * parents are not recorded */
};

/* Returns element i of an array of ids. Each element has 4 or 8 bytes. */
static inline int64_t answer_id(const void *ids, uint32_t id_bytes, uint64_t i)
{
    return id_bytes == 4 ? ((const int32_t *)ids)[i] : ((const int64_t *)ids)[i];
}

/* Sets element i of an array of ids. Each element has 4 or 8 bytes. */
static inline void answer_set_id(void *ids, uint32_t id_bytes, uint64_t i, int64_t id)
{
    if (id_bytes == 4)
        ((int32_t *)ids)[i] = (int32_t)id;
    else
        ((int64_t *)ids)[i] = id;
}

/* Returns the number of bytes of a value in an answer of this kind. */
static inline uint32_t answer_width(const struct answer_tables *tables, enum answer_kind kind)
{
    return kind == ANSWER_DEPTHS ? 4 : tables->id_bytes;
}

/* Consecutive bytes of one device that are meant for the device of another shard. */
struct byte_span {
    const void *at; /* address in host memory, or in memory of the device that has the bytes; NULL: only `place` says where
                     * the bytes are */
    uint64_t bytes;
    uint64_t place; /* where a peer in another process reads the bytes; 0: the other device cannot read the bytes in place */
};

/* A question of one device to another device: "Does your local vertex `vertex` have this depth?" The reply is the input
 * id of the vertex if it has this depth, otherwise ANSWER_NONE. */
struct question {
    uint32_t vertex;
    int32_t depth;
};

/* The values of some ids of a window, in any order, in host memory. values[i], of 4 or 8 bytes, is the value of the id
 * with index index[i] in the window. */
struct value_list {
    void *values;
    uint32_t *index;
    uint64_t count;
};

/* The answers of the last search. The functions are called in this order:
 * - After `join`: `open` once, and reads_peer at any time. `close` of the device frees the memory that `open` allocated.
 * - After a search: read_depths at any time. Also make_values, and after it list_values and copy.
 * - Before make_values, for parents of several shards: `ask`, `reply` and take_replies, in this order. Between these
 *   three calls the caller does the steps of find_parents (results/answers.c).
 * p is the number of shards, `locals` the number of local vertices of this shard, and d the number of delegates. Arrays
 * of byte spans are [p]. Element s is for shard s, or came from shard s. */
struct backend_answers {
    /* Copies the depths of the last search to host memory, and waits for the copy. Fills locals[locals] and delegates[d].
     * A vertex that was not reached gets DEPTH_UNREACHED. May be called without `open`. */
    enum status (*read_depths)(struct device *device, int32_t *locals, int32_t *delegates, struct error *e);

    /* Returns 1 if this device can read the memory of the device of this shard directly. Returns 0 if that device is no
     * peer, if the driver can only copy that memory, or if devices have no memory of their own. */
    int (*reads_peer)(const struct device *device, uint32_t shard);

    /* Prepares the device for answers, and fills *arrays. Other devices copy the arrays. A device without memory of its
     * own uses the arrays of `tables` until the device is closed. Returns ST_RESOURCE if memory is short. */
    enum status (*open)(struct device *device, const struct answer_tables *tables, struct answer_arrays *arrays,
                        struct error *e);

    /* Begins to find the parents after a search with depths below `levels`, and waits for this work. Converts the parents
     * that the device recorded to input ids. Writes the parents of delegates to delegate_parents. For each vertex that
     * was reached over an nn edge from another shard, makes questions to all neighbours of the vertex on other shards.
     * questions[s] gets the array of struct question for shard s, which stays until take_replies. With all_read there are
     * no questions, and all byte spans are empty. The peers may then read what this device found, until make_values. */
    enum status (*ask)(struct device *device, uint32_t levels, struct byte_span *questions, struct error *e);

    /* Replies to the questions of other shards, and waits for this work. replies[s] gets an array of ids of id_bytes
     * each: the replies to questions[s], in the same order. The replies stay until the next search. Not called with
     * all_read. Returns ST_BAD_DATA if a question names a vertex that this shard does not have. */
    enum status (*reply)(struct device *device, const struct byte_span *questions, struct byte_span *replies, struct error *e);

    /* Finishes the parents, and waits for this work. The parent of each vertex that asked becomes the id of any neighbour
     * that replied with an id. replies[s] has a reply to each question for shard s, in the same order. The parents of delegates do not change.
     * With all_read `replies` is not read. The device then looks for missing parents in the memory of its peers, also for
     * parents of the delegates that it owns. `ask` of all peers must have returned before. Returns ST_BAD_DATA
     * if a column names a vertex that does not exist. */
    enum status (*take_replies)(struct device *device, const struct byte_span *replies, struct error *e);

    /* Makes all values of the device after a search with depths below `levels`, and waits for this work. Parents of
     * several shards must have been found by take_replies. delegate_parents may have been overwritten since take_replies. */
    enum status (*make_values)(struct device *device, enum answer_kind kind, uint32_t levels, struct error *e);

    /* Lists the values of the permuted input ids first to first + count - 1 that this device holds, and waits for this
     * work. Called only if there are several devices. `count` is at most ANSWER_WINDOW. The arrays of the list must have
     * space for `count` elements. Sets list->count to the number of values listed. */
    enum status (*list_values)(struct device *device, enum answer_kind kind, uint64_t first, uint64_t count,
                               struct value_list *list, struct error *e);

    /* Copies bytes from the host to the device or back, and waits for the copy. The copy sees the effect of all earlier
     * calls. */
    enum status (*copy)(const struct device *device, void *to, const void *from, uint64_t bytes, struct error *e);
};

/* ---- the table ---- */

struct backend {
    const char *name;
    int reads_host_columns; /* devices read the columns of shards in host memory */
    int side_by_side;       /* each device needs its own host thread */
    int has_device_memory;  /* devices have memory of their own, and messages may be in this memory */
    int knows_costs;        /* `counts` sets the costs of visits; 0: directions are chosen by factors */
    int counts_probes;      /* `finish` sets the probes of pulls */
    int updates_frontiers;  /* groups send each other frontiers as updates (show_frontier); 0: as bitmaps */
    uint64_t part_rows; /* if a device has more than this number of dd rows to pull, two parts are worth a reduction of
                         * masks */

    /* ---- the device ---- */

    /* Allocates the memory for searches over the shard. The shard must outlive the device. A device with memory of its
     * own loads the shard. Fills *description unless `description` is NULL. Sets *device, which `close` frees. After a
     * failure *device is NULL. */
    enum status (*open)(struct device **device, const struct shard *shard, const struct device_options *options,
                        struct device_description *description, struct error *e);
    void (*close)(struct device *device); /* frees the device, and ends its use of peers; NULL is allowed */

    /* Returns the number of bytes that a device will charge to the budget. The number includes answers, and excludes the
     * shard. Returns 0 if the device has memory of its own. */
    uint64_t (*bytes_needed)(const struct shard *shard, int threads, int parents);

    /* ---- peers ---- */

    /* Fills the handle of a device. `elsewhere`: peers in other processes will read the device. Returns ST_RESOURCE if
     * other processes cannot read it. */
    enum status (*show)(struct device *device, int elsewhere, struct peer_handle *handle, struct error *e);

    /* Makes the arrays of these peers readable. They replace the arrays of earlier peers, which no device may use
     * afterwards. handles[count] have the same order on each peer. The devices of a process join in this order. A count
     * of 0 ends the sharing, and cannot fail. Sets *searches_fused to whether search_begin may be called. Returns
     * ST_RESOURCE if the memory of another process cannot be read. */
    enum status (*join)(struct device *device, const struct peer_handle *handles, uint32_t count, int *searches_fused,
                        struct error *e);

    /* Wakes links and threads before a search and its clock begin.
     * - Links between devices: the device reads some memory of each peer. The first word over an idle link takes 0.1 ms,
     *   and each link must be woken by its own read.
     * - Threads: without this call a small search would end before the threads are awake. */
    enum status (*wake)(struct device *device, struct error *e);

    /* ---- a whole search, without the host between levels ---- */

    /* Begins a search in which the device runs all levels by itself. If there are several shards, the device works
     * together with its peers. Called only if `join` allowed this on all devices of all ranks. All these devices begin
     * the same search. The root must have edges. Directions follow the mode. In DIRECTION_AUTO they follow the costs of
     * the device. With `noted` the device notes the work of each level. Any thread may call this function. */
    enum status (*search_begin)(struct device *device, const struct root *root, enum direction_mode mode, int noted,
                                struct error *e);

    /* Waits for the end of the search on all `count` devices of a rank. Called by one thread. Sets *levels to the number
     * of levels that were visited, including the last level, which found nothing. */
    enum status (*search_end)(struct device *const *devices, uint32_t count, int noted, uint32_t *levels, struct error *e);

    /* Calls `noter` with the note of each level of the last search, in order. The search must have been begun with
     * `noted`. */
    enum status (*replay_levels)(struct device *device, level_noter *noter, void *context, struct error *e);

    /* ---- a search level by level: the functions stand in the order in which loop.c calls them. `previsit` and `visit`
     * may return before their work is done. `counts` waits for a previsit, and `finish` waits for a visit ---- */

    /* Forgets the last search, and begins a search from this root. If this device has the root, the first previsit makes
     * the root the frontier. */
    enum status (*start)(struct device *device, const struct root *root, struct error *e);

    /* Makes the frontier from the vertices of these kinds that the last level found and no earlier level found. Gives
     * these vertices the depth `depth`, and sets their visited bits. Counts the vertices of each subgraph and their
     * edges. If the search has a single device, the device uses the delegates that it found itself, and needs no `finish`
     * before. With several devices the delegates come from take_mask. */
    enum status (*previsit)(struct device *device, enum vertex_kinds kinds, int32_t depth, struct error *e);

    /* Waits for the last previsit, and sets the counts from which directions are chosen. After ONLY_DELEGATES sets only
     * the counts of dd. After ONLY_NORMALS sets all counts except the counts of dd. `forward` is an estimate of the
     * number of edges if knows_costs, and otherwise a lower bound. */
    enum status (*counts)(struct device *device, struct workload *work, struct error *e);

    /* Sets work->of[g].forward to the exact number of edges for each subgraph g that has exact[g]. Called after `counts`,
     * and only for subgraphs whose counts are set. */
    enum status (*count_edges)(struct device *device, const int exact[SUBGRAPHS], struct workload *work, struct error *e);

    /* Begins a part of the level's visit. Visits of dd and nd find delegates. Visits of dn and nn find normals. A push of
     * nn also finds vertices of other shards, and keeps them for visit_result.outgoing. */
    enum status (*visit)(struct device *device, const struct visit_plan *plan, enum visit_part part, struct error *e);

    /* Waits for the visits that find vertices of the kinds `kinds`, and fills *result. Each level calls it with BOTH_KINDS.
     * A level calls it with ONLY_DELEGATES before, if masks are reduced while devices still look for normals. The call with
     * ONLY_DELEGATES sets only found_delegates. */
    enum status (*finish)(struct device *device, enum vertex_kinds kinds, struct visit_result *result, struct error *e);

    /* ---- memory of messages, which is not charged to the budget ---- */

    /* Allocates memory for messages. EXCHANGE_DEVICE: memory of this device. EXCHANGE_HOST: host memory that devices copy
     * to and from fast. Masks are always in EXCHANGE_HOST, because MPI libraries reduce masks on the host. The caller
     * frees the memory by release_buffer, which allows NULL. After a failure returns NULL, and *e names the memory by
     * `what`. */
    void *(*take_buffer)(struct device *device, enum exchange_memory kind, size_t bytes, const char *what, struct error *e);
    void (*release_buffer)(struct device *device, enum exchange_memory kind, void *memory);

    /* ---- vertices between devices, after `finish` ---- */

    /* Drops duplicates within each span that is a list, and sets the count of the span. The spans are
     * visit_result.outgoing, or lists in exchange memory of the device. There are at most p spans. The distinct ids begin
     * where the list began. So a peer that still has the old, larger count finds all vertices in the list, too. Called
     * only with options.uniquify. */
    enum status (*uniquify)(struct device *device, struct vertex_span *spans, uint32_t count, struct error *e);

    /* Begins to copy a span of this device's outgoing vertices to `to`, which is exchange memory of any device of this
     * rank. With `adds` the words of a bitmap are ORed into the words at `to`. Records the event after the copy. For a
     * span without vertices only records the event. */
    enum status (*copy_vertices)(struct device *device, const struct vertex_span *span, uint32_t *to, int adds,
                                 uint32_t event, struct error *e);

    /* Sets *over to whether all work that was begun before the last recording of the event is over. Does not wait. */
    enum status (*is_over)(struct device *device, uint32_t event, int *over, struct error *e);

    /* Takes in vertices that other ranks sent. The next previsit uses these vertices. Some may be duplicates, and some
     * may be visited already. The span is in exchange memory of this device. The caller must not change the span before
     * that previsit. */
    enum status (*receive)(struct device *device, const struct vertex_span *span, struct error *e);

    /* Takes in the vertices of this device that its peers found. spans[i] has the vertices that peer i found, and is read
     * in the memory of peer i. */
    enum status (*receive_peers)(struct device *device, const struct vertex_span *spans, struct error *e);

    /* ---- delegate masks: called after `finish` of delegates, if any device of any rank found a delegate ---- */

    /* ORs the delegates that the peers found. Peer i is read if updating[i] is set. Delegates of know_mask are left out.
     * `to` says where the result goes:
     * - NULL: the device keeps the result for take_mask. All peers call this function, too.
     * - Otherwise: some devices are no peers, and only one of the peers calls this function. It writes the result to
     *   to->words if their capacity suffices, else to to->mask. It sets count and has_mask. */
    enum status (*read_masks)(struct device *device, const int *updating, struct mask_update *to, struct error *e);

    /* Tells the device that every device knows the delegates of `mask` as found. Called before VISIT_REST, which then
     * does not look for these delegates. Later calls of read_masks leave the delegates out, and take_mask adds them. The
     * caller must not change `mask` until that visit is over. */
    enum status (*know_mask)(struct device *device, const uint64_t *mask, struct error *e);

    /* Makes the result of the reduction the delegates of the next previsit. Called when all peers have read their masks.
     * If from->mask and from->words are NULL, the result is in this device, where read_masks left it. Otherwise `from`
     * has the result over all ranks, and the caller must not change it before that previsit. The words of `from` may list
     * an index several times. */
    enum status (*take_mask)(struct device *device, const struct mask_update *from, struct error *e);

    /* ---- frontiers of nn: called before VISIT_OTHERS if nn is pulled and there are several shards. Devices that are no
     * peers send each other their frontiers as messages. All devices of all ranks take part. A message is the bitmap of a
     * shard's normals or, with updates_frontiers, an update. An update leaves out the vertices that the receiving device
     * need not learn: vertices without nn edges, and vertices that were visited when the last update was sent ---- */

    /* Tells the device which normals of a shard have nn edges. `bitmap` has `words` 32-bit words. With updates_frontiers
     * called once for each shard, after `join`. */
    enum status (*learn_sources)(struct device *device, uint32_t shard, const uint32_t *bitmap, uint64_t words,
                                 struct error *e);

    /* Shows the normals of the frontier to the peers. A barrier of the peers follows. If `message` is not NULL, also
     * writes the device's own message to `message`, in host memory, and waits. Then words[p] get the number of 32-bit
     * words of each shard's message. */
    enum status (*show_frontier)(struct device *device, uint32_t *message, uint64_t *words, struct error *e);

    /* Takes in the message of another shard from host memory. The caller must not change the message before `finish`. */
    enum status (*take_frontier)(struct device *device, uint32_t shard, const uint32_t *message, struct error *e);

    /* ---- answers, after a search ---- */

    const struct backend_answers *answers;
};

extern const struct backend backend_cpu, backend_cuda;

#endif
