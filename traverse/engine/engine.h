/* engine.h: the interface of a device that searches one shard, as one table of functions (struct backend).
 *
 * A device holds one shard and the state of one search over it. There are two backends: the cores of the host (cpu/) and
 * GPUs (cuda/). The level loop (loop.c) and the exchange (exchange/) call the devices of a rank through the table. A
 * backend knows nothing of ranks. The loop knows nothing of CUDA or threads of a CPU.
 *
 * Rules for all functions:
 * - No entry is NULL. A step that a backend does not need is a function that does nothing. A step that a backend cannot do
 *   is refused by a flag of the table.
 * - A function that returns a status writes to *e what failed, and returns e->status.
 * - A function without a status cannot fail.
 * - One thread at a time uses a device.
 * - Memory that a caller passes stays the caller's.
 */
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

struct device; /* each backend has its own */

/* ---- opening a device ---- */

/* The kind of memory from which MPI sends vertices, and into which MPI receives vertices. Device memory is possible only if
 * the MPI library accepts it. */
enum exchange_memory { EXCHANGE_HOST, EXCHANGE_DEVICE };

/* An answer gives each input id a value: the depth of the vertex, as int32, or the input id of its parent, as int32 or
 * int64. The value is -1 if the vertex was not reached. Each device holds the values of its shard (answers.h). */
enum answer_kind { ANSWER_DEPTHS, ANSWER_PARENTS };

enum { ANSWER_NONE = -1 };

/* The options of `open`. */
struct device_options {
    int threads;
    int parents;  /* record parents */
    int answers;  /* backend_answers.open will be called */
    enum answer_kind answer; /* the answer of each search; the other kind may be asked for, too */
    int permuted; /* input ids are permuted */
    int timing;   /* `finish` and notes have the times of phases */
    int probes;   /* count the probes of pulls, if the backend can, and the edges of frontiers (FV) exactly */
    int notes;    /* search_begin may be called with `noted`, so that the device notes its levels */
    int uniquify; /* backend.uniquify will be called */
    int by_classes; /* the search chooses a direction for each class of edges, however small the graph is */
    int shared;   /* devices of other processes will read this one (show) */
    int32_t deepest; /* searches of search_begin end at this depth; INT32_MAX: at none */
    int trust;    /* do not check the columns that the device decodes (shard_ranges.h) */
    enum residence resident; /* for GPUs only; a CPU keeps the residence in which the shard was loaded */
    uint32_t slot;    /* number of the device among the devices of this host */
    const char *host; /* for messages */
    uint32_t rank;    /* for messages */
    const uint32_t *locals; /* [p] local vertices of every shard; they outlive the device */
    struct memory_budget *budget;
};

/* What `open` says about a device, for reports. */
struct device_description {
    char model[256];  /* model, driver and runtime are empty on a CPU */
    char driver[64];  /* version of the driver */
    char runtime[64]; /* version of the library through which the device is used */
    enum residence resident; /* RESIDENT_PACKED or RESIDENT_HOST if the columns of any subgraph are so */
    uint64_t bytes;      /* of the shard in the memory that is searched; only columns that stay packed count packed */
    uint64_t host_bytes; /* of the part of the shard that a GPU reads in memory of the host */
    double load_s;       /* seconds to load the shard into memory of the device; 0 on a CPU */
    double ranges_s;     /* the part of load_s in which decoded sections were checked */
    int searches_fused;  /* search_begin may be called; set by backend.join */
};

/* ---- peers ---- */

/* How peers find the arrays of a device. The peers of a device are the devices of this host that read each other's memory,
 * the device itself included. The peers belong to this rank, or to all ranks of the host. A device shows its peers the
 * delegates that it found, the normals of its frontier and the vertices that it found on other shards. After a search the
 * device shows the arrays that answers are made of. Each backend fills the handle in its own way. A handle may be copied to
 * another process. */
struct peer_handle {
    uint64_t words[93];
};

/* ---- a search ---- */

enum root_at { ROOT_AT_LOCAL, ROOT_AT_DELEGATE, ROOT_AT_ISOLATED };

/* Where the root is. Every device has each delegate. A local vertex is on the device of its shard alone. An isolated root
 * has no edges, and is on no device. */
struct root {
    uint64_t id; /* as stored */
    enum root_at at;
    uint32_t shard; /* the owner */
    uint32_t index; /* local id, delegate id or, without edges, slot in the shard */
};

/* The vertices that a step of a level is about. Usually a previsit makes the frontier of both kinds at once. While normals
 * are still under way between ranks, a first previsit makes the frontier of delegates. A second previsit then makes the
 * frontier of normals. */
enum vertex_kinds { BOTH_KINDS, ONLY_DELEGATES, ONLY_NORMALS };

/* The parts of a level's visit, in the order in which the loop calls. Usually dd is visited first, and then the other
 * subgraphs. Several devices may divide a pull of dd (visit_plan.divides_dd), with a barrier between the two parts:
 * - VISIT_DD: each device looks for parents of the delegates that it owns. The owner of a delegate has the delegate's edges
 *   to neighbours of higher degree, so most delegates find a parent with the first probe. Other devices have only edges to
 *   neighbours of lower degree.
 * - VISIT_REST: each device looks for parents of the delegates that no device has found yet. The delegates that peers have
 *   found are read in the memory of the peers. The delegates that other devices have found came by messages (know_mask). */
enum visit_part {
    VISIT_DD,     /* dd, or the rows of dd that the device owns. Only the frontier of delegates must be there */
    VISIT_OTHERS, /* nd, dn and nn. If dd is divided, subgraphs that must wait for VISIT_REST are left out */
    VISIT_REST    /* only if dd is divided: the rows of dd that other devices own, and what VISIT_OTHERS has left out */
};

/* How a device keeps the vertices that a push of nn finds on other shards. The list has local ids, and a vertex may stand
 * there several times. The bitmap has a bit for each local id of each shard, and is possible only with shard_has_masks. */
enum outgoing_form { OUTGOING_LIST, OUTGOING_MASK };

struct visit_plan {
    struct directions directions;
    int divides_dd; /* dd is pulled in two parts: VISIT_DD and VISIT_REST */
    enum outgoing_form form;
};

/* Vertices of one shard that another device found: consecutive ids of a list, or consecutive words of a bitmap. */
struct vertex_span {
    uint32_t *ids;  /* the first id or word; NULL: the array is in another process */
    uint64_t begin; /* index of the first id or word of the span in the whole list or bitmap */
    uint64_t count; /* ids, or 32-bit words of the bitmap */
    enum outgoing_form form;
};

/* What a visit found on one device. */
struct visit_result {
    int found_delegates;        /* 1: this device found a delegate in this level */
    uint64_t found;             /* local normals found; a device may say 1 for any positive number */
    struct vertex_span *outgoing; /* [p], the caller's: the vertices of each shard that nn found; not written if p is 1 */
    uint64_t probes[SUBGRAPHS]; /* columns that the last pull looked at; only if backend.counts_probes and options.probes */
    struct breakdown times;     /* of the level's phases, if options.timing */
};

/* The events of a device. Events 0 to COPY_EVENTS - 1 are recorded by copies. VISIT_OTHERS records VISIT_EVENT behind the
 * visits of dn and nn. */
enum { COPY_EVENTS = 8, VISIT_EVENT = COPY_EVENTS, DEVICE_EVENTS };

/* ---- delegates between devices ---- */

/* Delegates as a mask, or as the list of the mask's non-zero words. The arrays are the caller's. */
struct mask_update {
    uint64_t *mask;          /* [mask_words(d)] */
    struct mask_word *words; /* [most], of which the first `count` are valid; NULL: the delegates are in `mask` */
    uint64_t most;           /* the capacity of `words`; 0: words are not wanted */
    uint64_t count;          /* non-zero words in `words`; any number above `most`: too many for `words` */
    int has_mask;            /* `mask` was written; `words` may be written, too */
};

/* ---- results, after a search ---- */

enum { DEPTH_UNREACHED = -1 };

/* The parent of a vertex, as the device that found the vertex records it: a local id of the device, or one of these: */
#define PARENT_DELEGATE_BIT (UINT32_C(1) << 31) /* with this bit a delegate id */
#define PARENT_NONE UINT32_MAX                  /* not found by this device */
#define PARENT_REMOTE (UINT32_MAX - 1)          /* over an nn edge from another device */
#define PARENT_SELF (UINT32_MAX - 2)            /* the root */

/* The tables from which a device makes answers. The vertices of a device have numbers: local vertex i has number i, and
 * delegate i has number locals + i. */
struct answer_tables {
    uint64_t values;   /* the number of values that the device holds (answers.h) */
    uint32_t *vertex;  /* [values] the number of the vertex of each value; locals + d for an id without edges */
    void *ids;         /* [locals + d] input id of each vertex; NULL: parents are not recorded */
    uint32_t id_bytes; /* of `ids`, and of a parent: 4 or 8 */
    int all_read; /* every device of the search reads the memory of all devices (reads_peer); `ask` then has no questions */
    const struct bijection *bijection; /* from input ids to stored ids; NULL: both are the same */
};

/* Where the answer of a device is: in its own memory if has_device_memory, otherwise in memory of the host. The arrays are
 * there from `open` to `close`. */
struct answer_arrays {
    void *values;           /* [tables.values] of answer_width bytes */
    void *delegate_parents; /* [d] input ids, of id_bytes; NULL: one shard, or parents are not recorded */
};

/* Returns element i of an array of ids, each of 4 or 8 bytes. */
static inline int64_t answer_id(const void *ids, uint32_t id_bytes, uint64_t i)
{
    return id_bytes == 4 ? ((const int32_t *)ids)[i] : ((const int64_t *)ids)[i];
}

/* Sets element i of an array of ids, each of 4 or 8 bytes. */
static inline void answer_set_id(void *ids, uint32_t id_bytes, uint64_t i, int64_t id)
{
    if (id_bytes == 4)
        ((int32_t *)ids)[i] = (int32_t)id;
    else
        ((int64_t *)ids)[i] = id;
}

/* Returns the bytes of one value of an answer of this kind. */
static inline uint32_t answer_width(const struct answer_tables *tables, enum answer_kind kind)
{
    return kind == ANSWER_DEPTHS ? 4 : tables->id_bytes;
}

/* Consecutive bytes that one device has for the device of another shard. */
struct slice {
    const void *at; /* in memory of the host, or of the device that has the bytes; NULL: only `place` says where they are */
    uint64_t bytes;
    uint64_t place; /* where a peer in another process reads the bytes; 0: the other device cannot read them in place */
};

/* The question of one device to another one: "Has your local vertex `vertex` this depth?" The reply is the input id of that
 * vertex, or ANSWER_NONE. */
struct question {
    uint32_t vertex;
    int32_t depth;
};

/* The values of some ids of a window, in any order and in memory of the host. values[i] is the value, of 4 or 8 bytes, of
 * the id that has index index[i] in the window. */
struct value_list {
    void *values;
    uint32_t *index;
    uint64_t count;
};

/* The answers of the last search. The order of calls:
 * - After `join`: reads_peer at any time, and `open` once. `close` of the device frees what `open` allocated.
 * - After a search: read_depths at any time; make_values, and after that list_values and copy.
 * - For parents of several shards: `ask`, `reply` and take_replies, in this order, before make_values. Between these three
 *   calls the caller does the steps that find_parents of results/answers.c shows.
 * p is the number of shards, `locals` the number of local vertices of this shard, and d the number of delegates. Arrays of
 * slices are [p]: element s is for shard s, or came from shard s. */
struct backend_answers {
    /* Copies the depths of the last search to memory of the host, and waits for the copy. Fills locals[locals] and
     * delegates[d]. DEPTH_UNREACHED stands for a vertex that was not reached. `open` need not have been called. */
    enum status (*read_depths)(struct device *device, int32_t *locals, int32_t *delegates, struct error *e);

    /* Returns 1 if work on this device can read the memory of the device of this shard. Returns 0 if that device is no peer,
     * if the driver can only copy its memory, or if devices have no memory of their own. */
    int (*reads_peer)(const struct device *device, uint32_t shard);

    /* Prepares the device for answers, and fills *arrays. A device without memory of its own uses the arrays of `tables`
     * until the device is closed. Other devices copy the arrays. ST_RESOURCE: memory is short. */
    enum status (*open)(struct device *device, const struct answer_tables *tables, struct answer_arrays *arrays,
                        struct error *e);

    /* Begins to find parents after a search with depths below `levels`, and waits for the work. Turns the parents that the
     * device recorded into input ids. The parents of delegates are left in delegate_parents. A vertex that was reached over
     * an nn edge from another shard asks all its neighbours there. questions[s] gets the questions for shard s, an array of
     * struct question, which stays until take_replies. With all_read there are no questions, and all slices are empty.
     * Instead the peers can read what this device found, until make_values. */
    enum status (*ask)(struct device *device, uint32_t levels, struct slice *questions, struct error *e);

    /* Replies to the questions of other shards, and waits for the work. replies[s] gets an array of ids, id_bytes each: the
     * replies to questions[s], in the same order. The replies stay until the next search. Not called with all_read.
     * ST_BAD_DATA: a question names a vertex that this shard does not have. */
    enum status (*reply)(struct device *device, const struct slice *questions, struct slice *replies, struct error *e);

    /* Ends finding parents: each vertex that asked takes the id of any neighbour that replied with an id. replies[s] has a
     * reply to each question for shard s, in the same order. The parents of delegates stay as they are. With all_read
     * `replies` is not read. Instead the device looks for missing parents in the memory of its peers, and waits. It looks
     * for the parents of its own delegates, too. `ask` of all peers must have returned by then. ST_BAD_DATA: a column names
     * a vertex that does not exist. */
    enum status (*take_replies)(struct device *device, const struct slice *replies, struct error *e);

    /* Makes all values of the device after a search with depths below `levels`, and waits for the work. If parents of
     * several shards are wanted, take_replies has left them. delegate_parents may have been overwritten since then. */
    enum status (*make_values)(struct device *device, enum answer_kind kind, uint32_t levels, struct error *e);

    /* Lists the values that the device has of the permuted input ids first to first + count - 1, and waits for the work. For
     * several devices only. `count` is at most ANSWER_WINDOW. The arrays of the list have room for `count` elements. Sets
     * list->count to the number of values listed. */
    enum status (*list_values)(struct device *device, enum answer_kind kind, uint64_t first, uint64_t count,
                               struct value_list *list, struct error *e);

    /* Copies bytes from the host to the device or back, after the effect of all calls above, and waits for the copy. */
    enum status (*copy)(const struct device *device, void *to, const void *from, uint64_t bytes, struct error *e);
};

/* ---- the table ---- */

struct backend {
    const char *name;
    int reads_host_columns; /* devices read the columns of shards in host memory */
    int side_by_side;       /* each device wants a host thread of its own */
    int has_device_memory;  /* devices have memory of their own, in which messages may lie */
    int knows_costs;        /* `counts` sets the costs of visits; if not, directions follow factors */
    int counts_probes;      /* `finish` sets the probes of pulls */
    int updates_frontiers;  /* a frontier goes to other groups as an update (show_frontier), not as a bitmap */
    uint64_t part_rows;     /* if a device has more rows of dd to pull, two parts are worth a reduction of masks */

    /* ---- the device ---- */

    /* Allocates the memory of searches over the shard, which must outlive the device. A device with memory of its own loads
     * the shard. Fills *description unless it is NULL. Sets *device, which `close` frees; *device is NULL after a failure.
     */
    enum status (*open)(struct device **device, const struct shard *shard, const struct device_options *options,
                        struct device_description *description, struct error *e);
    void (*close)(struct device *device); /* frees the device, and leaves its peers; NULL is allowed */

    /* Returns the bytes that a device will take of the budget beside the shard, answers included. Returns 0 if the device
     * has memory of its own. */
    uint64_t (*bytes_needed)(const struct shard *shard, int threads, int parents);

    /* ---- peers ---- */

    /* Fills the handle of a device. `elsewhere`: peers in other processes will read the device. ST_RESOURCE: other processes
     * cannot read it. */
    enum status (*show)(struct device *device, int elsewhere, struct peer_handle *handle, struct error *e);

    /* Makes the arrays of these peers readable, in place of the arrays of earlier peers, which no device may use any more.
     * handles[count] are in the same order on each peer. The devices of a process join in their order. A count of 0 ends
     * the sharing, and cannot fail. Sets *searches_fused to whether search_begin may be called. ST_RESOURCE: the memory of
     * another process cannot be read. */
    enum status (*join)(struct device *device, const struct peer_handle *handles, uint32_t count, int *searches_fused,
                        struct error *e);

    /* Wakes links and threads before a search and its clock.
     * - Links between devices: some of the memory of each peer is read. The first word over an idle link takes 0.1 ms. Each
     *   link must be woken by a read of its own.
     * - Threads: without this call a small search would end before the threads are awake. */
    enum status (*wake)(struct device *device, struct error *e);

    /* ---- a whole search, without the host between levels ---- */

    /* Begins a search in which the device runs all levels by itself, with its peers if there are several shards. Called
     * only if `join` allowed it on all devices of all ranks. All these devices begin the same search. The root has edges.
     * Directions follow the mode or, in DIRECTION_AUTO, the costs of the device. With `noted` the device notes what each
     * level does. Any thread may call this function. */
    enum status (*search_begin)(struct device *device, const struct root *root, enum direction_mode mode, int noted,
                                struct error *e);

    /* Waits for the end of the search on all `count` devices of a rank; called by one thread. Sets *levels to the number of
     * levels that were visited. The last level, which found nothing, is counted. */
    enum status (*search_end)(struct device *const *devices, uint32_t count, int noted, uint32_t *levels, struct error *e);

    /* Calls `noter` with the note of each level of the last search, in order. The search must have been noted. */
    enum status (*replay_levels)(struct device *device, level_noter *noter, void *context, struct error *e);

    /* ---- a search level by level, in the order in which loop.c calls. `previsit` and `visit` may return before the work is
     * done: `counts` waits for a previsit, `finish` for a visit ---- */

    /* Forgets the last search, and begins a search from this root. If the device has the root, the first previsit finds it.
     */
    enum status (*start)(struct device *device, const struct root *root, struct error *e);

    /* Makes the frontier: the vertices of these kinds that the last level found, and that no earlier level found. Gives
     * these vertices the depth, and sets their visited bits. Counts the vertices by subgraph, and their edges. The only
     * device of a search takes the delegates that it found itself, and needs no `finish` before. Other devices take the
     * delegates of take_mask. */
    enum status (*previsit)(struct device *device, enum vertex_kinds kinds, int32_t depth, struct error *e);

    /* Waits for the last previsit, and sets the counts from which directions are chosen. After ONLY_DELEGATES only the
     * counts of dd are set; after ONLY_NORMALS all counts but the counts of dd. `forward` is about the number of edges if
     * knows_costs, and otherwise a lower bound. */
    enum status (*counts)(struct device *device, struct workload *work, struct error *e);

    /* Sets work->of[g].forward to the exact number of edges for each subgraph g that has exact[g]. Called after `counts`,
     * and only for subgraphs whose counts are set. */
    enum status (*count_edges)(struct device *device, const int exact[SUBGRAPHS], struct workload *work, struct error *e);

    /* Begins a part of the level's visit. dd and nd find delegates. dn and nn find normals. A push of nn also finds vertices
     * of other shards, and keeps them for visit_result.outgoing. */
    enum status (*visit)(struct device *device, const struct visit_plan *plan, enum visit_part part, struct error *e);

    /* Waits for the visits that find these kinds of vertices, and fills *result. Called with BOTH_KINDS in each level. If
     * masks are reduced while normals are still looked for, an earlier call with ONLY_DELEGATES is made in the level, too.
     * The earlier call sets found_delegates alone. */
    enum status (*finish)(struct device *device, enum vertex_kinds kinds, struct visit_result *result, struct error *e);

    /* ---- memory of messages; no budget is charged ---- */

    /* Allocates memory of this device (EXCHANGE_DEVICE), or memory of the host to and from which devices copy fast
     * (EXCHANGE_HOST). Masks are always in EXCHANGE_HOST, as MPI libraries reduce masks on the host. Returns NULL after a
     * failure, which *e describes by the name `what`. The caller gives the memory to release_buffer, which allows NULL. */
    void *(*take_buffer)(struct device *device, enum exchange_memory kind, size_t bytes, const char *what, struct error *e);
    void (*release_buffer)(struct device *device, enum exchange_memory kind, void *memory);

    /* ---- vertices between devices, after `finish` ---- */

    /* Drops duplicates within each span that is a list, and sets the span's count. The spans are visit_result.outgoing, or
     * lists in exchange memory of the device. There are at most p spans. The distinct ids stay at the place where the list
     * began. So a peer that still has the longer count from before finds all vertices there, too. Called only with
     * options.uniquify. */
    enum status (*uniquify)(struct device *device, struct vertex_span *spans, uint32_t count, struct error *e);

    /* Begins to copy a span of this device's outgoing vertices to `to`, in exchange memory of any device of this rank. With
     * `adds` the words of a bitmap are ORed into the words at `to`. Records the event behind the copy. For a span without
     * vertices only the event is recorded. */
    enum status (*copy_vertices)(struct device *device, const struct vertex_span *span, uint32_t *to, int adds,
                                 uint32_t event, struct error *e);

    /* Sets *over to 1 if all work that was begun before the event was last recorded is over, else to 0. Does not wait. */
    enum status (*is_over)(struct device *device, uint32_t event, int *over, struct error *e);

    /* Takes in vertices that other ranks sent, for the next previsit. Some of the vertices may be duplicates, or visited.
     * The span is in exchange memory of this device, and stays as it is until that previsit. */
    enum status (*receive)(struct device *device, const struct vertex_span *span, struct error *e);

    /* Takes in the vertices of this device that its peers found. spans[i] has the vertices that peer i found, and is read in
     * the memory of peer i. */
    enum status (*receive_peers)(struct device *device, const struct vertex_span *spans, struct error *e);

    /* ---- delegate masks, after `finish` of delegates, if any device of any rank found a delegate ---- */

    /* ORs the delegates that peers found. Peer i is read if updating[i]. Delegates of know_mask are left out.
     * - `to` is NULL: the device keeps the result for take_mask, and all peers call this function, too.
     * - Otherwise there are devices that are no peers, and only one of the peers calls this function. It writes the result
     *   to to->words if their capacity suffices, else to to->mask. It sets count and has_mask. */
    enum status (*read_masks)(struct device *device, const int *updating, struct mask_update *to, struct error *e);

    /* Called before VISIT_REST: tells the device that every device knows the delegates of `mask` as found. VISIT_REST does
     * not look for these delegates. Later calls of read_masks leave them out, and take_mask adds them. `mask` stays as it
     * is until that visit is over. */
    enum status (*know_mask)(struct device *device, const uint64_t *mask, struct error *e);

    /* Called when all peers have read: makes the result the delegates of the next previsit. If from->mask and from->words
     * are NULL, the result is the one that read_masks has left on this device. Otherwise `from` has the result of the
     * reduction over all ranks, and stays as it is until that previsit. Its words may list an index several times. */
    enum status (*take_mask)(struct device *device, const struct mask_update *from, struct error *e);

    /* ---- frontiers of nn, before VISIT_OTHERS if nn is pulled and there are several shards. Devices that are no peers give
     * each other their frontiers by messages, in which all devices of all ranks take part. A message is the bitmap of a
     * shard's normals or, with updates_frontiers, an update. An update leaves out the vertices that the receiver need not
     * learn: vertices without nn edges, and vertices that were visited when the last update was sent ---- */

    /* Called once for each shard, after `join`, if updates_frontiers. `bitmap` has `words` 32-bit words, and says which
     * normals of the shard have nn edges. */
    enum status (*learn_sources)(struct device *device, uint32_t shard, const uint32_t *bitmap, uint64_t words,
                                 struct error *e);

    /* Shows the normals of the frontier to the peers. A barrier of the peers follows. If `message`, in host memory, is not
     * NULL, the function also writes the device's own message there, sets words[p] to the number of 32-bit words of the
     * message of each shard, and waits. */
    enum status (*show_frontier)(struct device *device, uint32_t *message, uint64_t *words, struct error *e);

    /* Takes in the message of another shard from host memory. The message stays as it is until `finish`. */
    enum status (*take_frontier)(struct device *device, uint32_t shard, const uint32_t *message, struct error *e);

    /* ---- answers, after a search ---- */

    const struct backend_answers *answers;
};

extern const struct backend backend_cpu, backend_cuda;

#endif
