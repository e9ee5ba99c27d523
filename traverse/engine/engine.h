/* engine.h: the interface of a device that searches one shard: a table of functions, struct backend
 *
 * A device holds one shard and the state of one search over it. There are two backends: the cores of the host (cpu/)
 * and GPUs (cuda/). The level loop (loop.c) and the exchange (exchange/) call the devices of a rank through the table,
 * so that a backend knows nothing of ranks, and the loop nothing of CUDA or CPU threads.
 *
 * All functions keep these rules:
 * - No entry of the table is NULL. A step that a backend does not need does nothing, and a step that it cannot do is
 *   told by a flag of the table.
 * - A function that returns a status writes what failed to *e, and returns e->status. Any other function cannot fail.
 * - Only one thread at a time uses a device.
 * - Memory that a caller passes stays the caller's. */
#ifndef DBFS_ENGINE_H
#define DBFS_ENGINE_H

#include "relay_buffers.h"
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

/* Where the vertices that MPI sends and receives are. Device memory is possible only if the MPI library accepts it. */
enum exchange_memory { EXCHANGE_HOST, EXCHANGE_DEVICE };

/* What an answer says about each input id: the depth of its vertex as int32, or the input id of its parent, or of the nearest
 * root, as int32 or int64. An id that was not reached gets -1. Each device has the values of its shard (answers.h). Devices make
 * depths and parents; nearest roots are made from parents (results/nearest.c). */
enum answer_kind { ANSWER_DEPTHS, ANSWER_PARENTS, ANSWER_NEAREST };

enum { ANSWER_NONE = -1 };

/* The options of `open`. */
struct device_options {
    int threads;
    int parents;  /* parents are recorded */
    int answers;  /* backend_answers.open will be called after the device is opened */
    enum answer_kind answer; /* the kind of answer that each search makes; callers may ask for the other kind, too */
    int permuted; /* input ids are permuted: stored ids differ from input ids */
    int timing;   /* the results of `finish` and the notes of levels have the times of phases */
    int probes; /* FV (the frontier's edges) and, if the backend can, the probes of pulls are counted exactly */
    int notes;    /* searches that the device runs by itself may be asked to note their levels (search_begin) */
    int uniquify; /* backend.uniquify will be called */
    int by_subgraphs; /* each subgraph gets a direction, even in a small graph; rules out sliced searches */
    int shared;   /* devices of other processes will read the memory of this device (show) */
    int32_t deepest; /* a search begun by search_begin ends at this depth; INT32_MAX: no limit */
    int trust;    /* the columns that the device decodes are not checked (shard_ranges.h) */
    enum residence resident; /* for GPUs; a device of the CPU uses columns as they were loaded */
    uint32_t slot;    /* number of the device among the devices of this host */
    const char *host; /* name of the host, for messages to the user */
    uint32_t rank;    /* number of the rank, for messages to the user */
    const uint32_t *locals; /* [p] number of normals with edges in each shard; must outlive the device */
    struct memory_budget *budget;
};

/* A description of a device, which `open` fills for reports. */
struct device_description {
    char model[256];  /* model, driver and runtime are empty on a CPU */
    char driver[64];  /* version of the driver */
    char runtime[64]; /* version of the library through which the device is used */
    char choices[512]; /* what the device says of itself, and the sizes that follow; empty on a CPU */
    enum residence resident; /* RESIDENT_PACKED or RESIDENT_HOST if the columns of any subgraph are kept like this */
    uint64_t bytes; /* bytes of the shard in the memory that is searched; packed columns count packed */
    uint64_t host_bytes; /* bytes of the part of the shard that a GPU reads in host memory */
    double load_s;       /* seconds to load the shard into memory of the device; 0 on a CPU */
    double ranges_s;     /* the part of load_s in which the decoded sections were checked */
    int searches_fused;  /* search_begin may be called; set by backend.join */
};

/* ---- peers ---- */

/* The handle by which peers find the arrays of a device, also from another process. Peers are devices of one host that
 * read each other's memory, and each device is its own peer. Peers read which delegates a device found, the normals of
 * its frontier, the vertices it found of other shards and, after a search, the arrays from which answers are made. What
 * the words mean is up to the backend. */
struct peer_handle {
    uint64_t words[104];
};

/* ---- a search ---- */

enum root_at { ROOT_AT_LOCAL, ROOT_AT_DELEGATE, ROOT_AT_ISOLATED };

/* Where the root is: a delegate on every device, a local vertex on the device of its shard, and an isolated root, which
 * has no edges, on no device. */
struct root {
    uint64_t id; /* stored id of the root */
    enum root_at at;
    uint32_t shard; /* the shard that owns the root */
    uint32_t index; /* delegate id or local id; for an isolated root, its slot in the shard */
};

/* The roots of one search, which all have depth 0: one, or several that are searched together (root_set.h). They are distinct,
 * and in the order of `at`, then of shard (but for delegates), then of index. */
struct root_set {
    const struct root *root; /* [count] the caller's */
    uint64_t count;
};

/* The kinds of vertices that a step of a level handles. Usually one previsit handles both. If normals are still under
 * way between ranks, one previsit makes the frontier of delegates, and a second one later the frontier of normals. */
enum vertex_kinds { BOTH_KINDS, ONLY_DELEGATES, ONLY_NORMALS };

/* The parts of a level's visit, in the order of the calls. Usually dd is visited first, and then all other subgraphs.
 * Several devices may divide a pull of dd in two (visit_plan.divides_dd), because this saves probes:
 * - VISIT_DD looks for parents of the delegates that the device owns. Only the owner has the edges to neighbours of
 *   higher degree, so that most delegates find a parent at the first probe.
 * - VISIT_REST looks for parents of delegates that no device has found yet. What others found is read in the memory of
 *   peers, or came in messages (know_mask). */
enum visit_part {
    VISIT_DD,     /* dd, or its rows of delegates that the device owns; needs only the frontier of delegates */
    VISIT_OTHERS, /* nd, dn and nn, except those that must wait for VISIT_REST if dd is divided */
    VISIT_REST /* only if dd is divided: dd's rows of delegates that other devices own, and all that VISIT_OTHERS left out */
};

/* How a device keeps the vertices that a push of nn finds in other shards: as a list of local ids, which may have
 * duplicates, or as a bitmap over the local ids of all shards (only with shard_has_masks). */
enum outgoing_form { OUTGOING_LIST, OUTGOING_MASK };

struct visit_plan {
    struct directions directions;
    int divides_dd; /* dd is pulled in two parts, VISIT_DD and VISIT_REST */
    enum outgoing_form form;
};

/* Vertices that one device found in the shard of another device: consecutive ids of a list, or words of a bitmap. */
struct vertex_span {
    uint32_t *ids;  /* address of the first id or word; NULL: the array is in another process */
    uint64_t begin; /* index of the first id or word of the span in the list or bitmap */
    uint64_t count; /* number of ids, or number of 32-bit words of the bitmap */
    enum outgoing_form form;
};

/* What a visit found on one device. */
struct visit_result {
    int found_delegates;        /* 1: this device found a delegate in this level */
    uint64_t found;             /* number of normals found in the own shard; any positive number may be given as 1 */
    struct vertex_span *outgoing; /* [p] the vertices that nn found in each shard; the array is the caller's, and is not
                                   * used if p is 1 */
    uint64_t probes[SUBGRAPHS]; /* number of columns that the last pull looked at; only with backend.counts_probes and
                                 * options.probes */
    struct breakdown times;     /* times of the level's phases; set if options.timing */
};

/* The events of a device, which mark the end of work that others wait for (is_over). Copies of vertices record the events 0
 * to COPY_EVENTS - 1. VISIT_OTHERS records VISIT_EVENT after the visits of dn and nn. */
enum { COPY_EVENTS = 8, VISIT_EVENT = COPY_EVENTS, DEVICE_EVENTS };

/* ---- delegates between devices ---- */

/* A set of delegates: a mask, or a list of the mask's non-zero words. Both arrays belong to the caller. */
struct mask_update {
    uint64_t *mask;          /* [mask_words(d)] */
    struct mask_word *words; /* [most] the non-zero words; only the first `count` are valid. NULL: there is only `mask` */
    uint64_t most;           /* the capacity of `words`; 0: no list is wanted */
    uint64_t count; /* number of non-zero words; if it is above `most`, `words` was too short */
    int has_mask;            /* `mask` was written; `words` may have been written, too */
};

/* ---- results, after a search ---- */

enum { DEPTH_UNREACHED = -1 };

/* A vertex's parent, as the device that found the vertex recorded it: a local id of that device, or one of these values: */
#define PARENT_DELEGATE_BIT (UINT32_C(1) << 31) /* if this bit is set, the other bits are a delegate id */
#define PARENT_NONE UINT32_MAX                  /* this device did not find the vertex */
#define PARENT_REMOTE (UINT32_MAX - 1)          /* the vertex was found over an nn edge from another device */
#define PARENT_SELF (UINT32_MAX - 2)            /* the vertex is a root */

/* The tables from which a device makes answers. Vertices of a device are numbered: local vertex i has the number i, and
 * delegate i the number locals + i. */
struct answer_tables {
    uint64_t values;   /* the number of values that the device holds (answers.h) */
    uint32_t *vertex;  /* [values] number of the vertex of each value; locals + d for an id without edges */
    void *ids;         /* [locals + d] the input id of each vertex; NULL: parents are not recorded */
    uint32_t id_bytes; /* bytes of an element of `ids`, and of a parent: 4 or 8 */
    int all_read; /* every device reads the memory of every other (reads_peer), so `ask` makes no questions */
    const struct bijection *bijection; /* maps input ids to stored ids; NULL: stored ids are the input ids */
};

/* Where the answer of a device is: in device memory if has_device_memory, otherwise in host memory. The arrays stay
 * from `open` to `close`. */
struct answer_arrays {
    void *values; /* [tables.values] values of answer_width bytes each */
};

/* Returns element i of an array of ids of 4 or 8 bytes each. */
static inline int64_t answer_id(const void *ids, uint32_t id_bytes, uint64_t i)
{
    return id_bytes == 4 ? ((const int32_t *)ids)[i] : ((const int64_t *)ids)[i];
}

/* Sets element i of an array of ids of 4 or 8 bytes each. */
static inline void answer_set_id(void *ids, uint32_t id_bytes, uint64_t i, int64_t id)
{
    if (id_bytes == 4)
        ((int32_t *)ids)[i] = (int32_t)id;
    else
        ((int64_t *)ids)[i] = id;
}

/* Returns the bytes of a value in an answer of this kind. */
static inline uint32_t answer_width(const struct answer_tables *tables, enum answer_kind kind)
{
    return kind == ANSWER_DEPTHS ? 4 : tables->id_bytes;
}

/* Consecutive bytes of one device that are meant for the device of another shard. */
struct byte_span {
    const void *at; /* address in host memory, or in memory of the device that has the bytes; NULL: only `place` says where
                     * the bytes are */
    uint64_t bytes;
    uint64_t place; /* where a peer in another process can read the bytes; 0: not in place */
};

/* A question of a normal to a neighbour on another shard: "Does your local vertex `vertex` have this depth?" The reply is the
 * vertex's input id if so, otherwise ANSWER_NONE. The question of a delegate is its delegate id, a uint32_t: "Which parent did you
 * record for it?" The reply is the parent's input id, or ANSWER_NONE. */
struct question {
    uint32_t vertex;
    int32_t depth;
};

/* Where a list has the values of one block of a window: `count` values, from number `first` on. */
struct list_block {
    uint32_t first : 20, count : 12;
};

/* Returns the bytes of a question of this kind of vertices. */
static inline uint64_t question_bytes(enum vertex_kind kind)
{
    return kind == NORMALS ? sizeof(struct question) : sizeof(uint32_t);
}

/* Values of some ids of a window (a range of consecutive input ids), in host memory. The window has blocks of LIST_BLOCK ids; the last
 * may be shorter. If blocks[b] has value number i, this is the value of the id that comes LIST_BLOCK * b + index[i] ids after the first
 * of the window. Blocks, and the values of a block, are in any order. */
struct value_list {
    uint32_t width;            /* bytes of a value: 1, 2, 4 or 8 */
    struct list_block *blocks; /* one for each block of the window */
    void *values;
    uint8_t *index;
    uint64_t count; /* all values */
};

/* A copy of an answer in device memory of its own, which other processes can open: on a GPU by CUDA's call for such handles. */
struct kept_values {
    void *memory; /* valid in this process; NULL: there is no copy */
    unsigned char handle[64]; /* by which other processes open the memory */
    char gpu[16]; /* the PCI address of the GPU, as text */
};

/* The functions that make answers of the last search, in the order of the calls:
 * - After `join`: `open` once, and reads_peer at any time. `close` of the device frees what `open` allocated.
 * - After a search: read_depths at any time; or make_values, and then list_values, copy, copy_narrowed and keep.
 * - Before make_values, if several shards want parents: name_parents, and then `look`, or `ask`, `reply` and take_replies for a
 *   kind of vertices, as find_parents has them (results/answers.c).
 * In all functions p is the number of shards, `locals` the number of this shard's local vertices, and d that of
 * delegates. Arrays of byte spans have p elements, one to or from each shard. */
struct backend_answers {
    /* Copies the depths of the last search to host memory: locals[locals] and delegates[d], with DEPTH_UNREACHED for
     * vertices that were not reached. Waits for the copy. Does not need `open`. */
    enum status (*read_depths)(struct device *device, int32_t *locals, int32_t *delegates, struct error *e);

    /* Returns 1 if this device can read the memory of the device of this shard with its own loads. Returns 0 if that
     * device is no peer, if the driver can only copy its memory, or if devices have no memory of their own. */
    int (*reads_peer)(const struct device *device, uint32_t shard);

    /* Prepares the device for answers, and fills *arrays, from which callers copy. A device without memory of its own
     * keeps using the arrays of `tables` until it is closed. Returns ST_RESOURCE if memory is short. */
    enum status (*open)(struct device *device, const struct answer_tables *tables, struct answer_arrays *arrays,
                        struct error *e);

    /* Gives the device the input ids of the normals of all other shards, ids[s] in memory of the host, so that it can look for the
     * parents of normals when it has their depths. Called after `open`, at most once, if can_hear_depths. Returns ST_RESOURCE if memory
     * is short. */
    enum status (*know_ids)(struct device *device, const struct byte_span *ids, struct error *e);
    int can_hear_depths; /* know_ids may be called */
    void (*forget_ids)(struct device *device); /* undoes know_ids, which may not have been called */

    /* Turns the parents that the device recorded in a search with depths below `levels` into input ids, and waits for this work.
     * With tables.all_read peers may then read in this device what it found, until make_values. After know_ids depths[s] gets the
     * depths of this device's normals for the device of shard s, as residues modulo 3: neighbours differ by 1 at most. Otherwise
     * these byte spans are empty. */
    enum status (*name_parents)(struct device *device, uint32_t levels, struct byte_span *depths, struct error *e);

    /* Writes the questions of vertices of one kind whose parents are missing, and waits for this work. A normal that was reached
     * over an nn edge from another shard asks all its neighbours on other shards: questions[s] gets an array of struct question
     * for shard s. A delegate asks on its owner's device only, and there all other shards: each gets the same array of uint32_t.
     * The arrays stay until take_replies. Not called with tables.all_read. */
    enum status (*ask)(struct device *device, enum vertex_kind kind, struct byte_span *questions, struct error *e);

    /* Replies to the questions of vertices of one kind on other shards, and waits for this work. replies[s] gets the replies to
     * questions[s] in their order, as ids of id_bytes each, which stay until the next `reply`. Not called with tables.all_read.
     * Returns ST_BAD_DATA if a question names a vertex that this shard does not have. */
    enum status (*reply)(struct device *device, enum vertex_kind kind, const struct byte_span *questions, struct byte_span *replies,
                         struct error *e);

    /* Takes the replies to the last questions, and waits for this work. replies[s] has those of shard s, in the order of the
     * questions. A vertex that asked gets as parent any id that came in reply. */
    enum status (*take_replies)(struct device *device, enum vertex_kind kind, const struct byte_span *replies, struct error *e);

    /* Looks for missing parents, and waits for this work. With tables.all_read finds all of them in the memory of the peers, whose
     * name_parents must have returned before. After know_ids finds those of normals by the depths that came from other devices.
     * Returns ST_BAD_DATA if a column names a vertex that does not exist. */
    enum status (*look)(struct device *device, const struct byte_span *depths, struct error *e);

    /* Makes all values of the device after a search with depths below `levels`, and waits for this work. Parents of several
     * shards must have been found before. */
    enum status (*make_values)(struct device *device, enum answer_kind kind, uint32_t levels, struct error *e);

    /* Lists the values that this device has for the permuted input ids first to first + count - 1, and waits for this
     * work. Only called if there are several devices. `count` is at most ANSWER_WINDOW. The caller sets list->width, to the bytes of
     * the answer's values or, for narrowed depths (narrow_depths), to 1 or 2; and the addresses of arrays with space for `count`
     * values. The device fills the arrays, and sets list->count. */
    enum status (*list_values)(struct device *device, enum answer_kind kind, uint64_t first, uint64_t count,
                               struct value_list *list, struct error *e);

    /* Copies bytes from the host to the device or back, after the work of all earlier calls, and waits for the copy. */
    enum status (*copy)(const struct device *device, void *to, const void *from, uint64_t bytes, struct error *e);

    /* Copies `count` depths of the answer, at most ANSWER_WINDOW, from the address `from` of answer_arrays.values to the host, as
     * integers of `width` bytes, 1 or 2, and waits. The device narrows them before the copy (narrow_depths). */
    enum status (*copy_narrowed)(struct device *device, void *to, const int32_t *from, uint64_t count, uint32_t width,
                                 struct error *e);

    /* Copies `bytes` bytes of the device to memory of their own, fills *kept, and waits. The memory stays until `release`, whatever
     * is searched. Returns ST_RESOURCE if memory is short, if other processes cannot open the memory, or if devices have no memory
     * of their own (has_device_memory); the device stays usable, and kept->memory is NULL. */
    enum status (*keep)(const struct device *device, const void *from, uint64_t bytes, struct kept_values *kept,
                        struct error *e);
    void (*release)(const struct device *device, struct kept_values *kept); /* frees the copy */
};

/* ---- the table ---- */

struct backend {
    const char *name;
    int reads_host_columns; /* devices read the columns of shards in host memory */
    int side_by_side;       /* each device needs its own host thread */
    int has_device_memory;  /* devices have memory of their own, and messages may be in this memory */
    int knows_costs;        /* `counts` sets the costs of visits; 0: directions are chosen by factors */
    int counts_probes;      /* `finish` sets the probes of pulls */
    int updates_frontiers;  /* groups send each other frontiers as updates (show_frontier) and not as whole bitmaps */
    uint64_t fused_roots; /* a search that the device runs by itself has at most so many roots */
    uint64_t part_rows; /* a pull of dd is divided only if each device has more rows to pull than this: fewer are not
                         * worth a reduction of masks */

    /* ---- the device ---- */

    /* Allocates the memory for searches over the shard, which must outlive the device. A device with memory of its own
     * loads the shard. Fills *description unless it is NULL. `close` frees *device, which is NULL after a failure. */
    enum status (*open)(struct device **device, const struct shard *shard, const struct device_options *options,
                        struct device_description *description, struct error *e);
    void (*close)(struct device *device); /* frees the device, and ends its use of peers; NULL is allowed */

    /* Returns the bytes that a device will charge to the budget, with answers and without the shard. Returns 0 if the
     * device has memory of its own. */
    uint64_t (*bytes_needed)(const struct shard *shard, int threads, int parents);

    /* ---- peers ---- */

    /* Fills the handle of a device. `elsewhere`: peers in other processes will read the device. Returns ST_RESOURCE if they
     * cannot do so. */
    enum status (*show)(struct device *device, int elsewhere, struct peer_handle *handle, struct error *e);

    /* Makes the arrays of these peers readable, in place of those of earlier peers. All peers get the same handles in the
     * same order, and devices of one process join in this order. With a count of 0 the device has no peers any more, and the
     * call cannot fail. Sets *searches_fused to whether search_begin may be called. Returns ST_RESOURCE if the memory of
     * another process cannot be read. */
    enum status (*join)(struct device *device, const struct peer_handle *handles, uint32_t count, int *searches_fused,
                        struct error *e);

    /* After `join`: opens buffers for messages to the devices of handles[count], which are those of all shards but the peers', and
     * writes where they are to *buffers. Sets *searches_fused to whether search_begin may be called, for which the messages must be
     * relayed. The next `reach` or `close` frees the buffers. */
    enum status (*reach)(struct device *device, const struct peer_handle *handles, uint32_t count, struct relay_buffers *buffers,
                         int *searches_fused, struct error *e);

    /* After `reach`: tells where the messages to all devices arrive, which is in *buffers now. The memory must stay until the next
     * `reach` or `close`, unless no search begins any more. */
    void (*hear)(struct device *device, const struct relay_buffers *buffers);

    /* Wakes idle links to peers, and idle threads, before a search and its clock begin. The first word over an idle link
     * takes 0.1 ms, so the device reads some memory of each peer. A small search would end before threads are awake. */
    enum status (*wake)(struct device *device, struct error *e);

    /* ---- a whole search, without the host between levels ---- */

    /* Begins a search in which the device runs all levels by itself or, if there are several shards, together with its
     * peers. `join` must have allowed this on all devices of all ranks, and all must begin the same search. A root
     * must have edges, and there are at most `fused_roots` roots. Directions follow the mode or, in DIRECTION_AUTO, the
     * device's costs. With `noted` the device notes each level. Any thread may call this function. */
    enum status (*search_begin)(struct device *device, const struct root_set *roots, enum direction_mode mode, int noted,
                                struct error *e);

    /* Waits for the end of the search on all `count` devices of a rank. Called by one thread, which relays messages meanwhile
     * unless `relay` is NULL. Sets *levels to the number of levels visited, including the last, which found nothing. */
    enum status (*search_end)(struct device *const *devices, uint32_t count, int noted, const struct message_relay *relay,
                              uint32_t *levels, struct error *e);

    /* Calls `noter` with the note of each level of the last search, in order. search_begin must have been called with
     * `noted`. */
    enum status (*replay_levels)(struct device *device, level_noter *noter, void *context, struct error *e);

    /* ---- a search level by level: functions in the order in which loop.c calls them. `previsit` and `visit` may
     * return before their work is done; `counts` and `finish` wait for it ---- */

    /* Forgets the last search, and begins one from these roots, which the first previsit makes the frontiers of the devices
     * that have them. */
    enum status (*start)(struct device *device, const struct root_set *roots, struct error *e);

    /* Makes the frontier from vertices of these kinds that the last level found, and no earlier one. Gives them the depth
     * `depth`, sets their visited bits, and counts them and their edges for each subgraph. With several devices delegates
     * come from take_mask. A single device takes the delegates that it found itself, and needs no `finish` before. */
    enum status (*previsit)(struct device *device, enum vertex_kinds kinds, int32_t depth, struct error *e);

    /* Waits for the last previsit, and returns the counts from which directions are chosen. ONLY_DELEGATES sets only those
     * of dd, and ONLY_NORMALS all except those of dd. `forward` is an estimate if knows_costs, otherwise a lower bound. */
    enum status (*counts)(struct device *device, struct workload *work, struct error *e);

    /* Counts the frontier's edges in each subgraph g for which exact[g] is set, and writes the exact number to
     * work->of[g].forward. Called after `counts` has set the counts of g. */
    enum status (*count_edges)(struct device *device, const int exact[SUBGRAPHS], struct workload *work, struct error *e);

    /* Begins a part of the level's visit. Visits of dd and nd find delegates, visits of dn and nn find normals. A push
     * of nn also finds vertices of other shards, which are kept for visit_result.outgoing. */
    enum status (*visit)(struct device *device, const struct visit_plan *plan, enum visit_part part, struct error *e);

    /* Waits for the visits that find these kinds of vertices, and fills *result. Each level calls this function with
     * BOTH_KINDS. If masks are reduced while devices still look for normals, the level first calls it with
     * ONLY_DELEGATES, which sets only found_delegates. */
    enum status (*finish)(struct device *device, enum vertex_kinds kinds, struct visit_result *result, struct error *e);

    /* ---- memory of messages, which is not charged to the budget ---- */

    /* Allocates memory for messages: memory of the device, or host memory that devices copy to and from fast. Masks are
     * always in EXCHANGE_HOST, because MPI libraries reduce masks on the host. The caller frees the memory by
     * release_buffer, which allows NULL. After a failure returns NULL, and *e names the memory by `what`. */
    void *(*take_buffer)(struct device *device, enum exchange_memory kind, size_t bytes, const char *what, struct error *e);
    void (*release_buffer)(struct device *device, enum exchange_memory kind, void *memory);

    /* `pin` lets all devices of the rank read and write `memory`, which ranks share, as fast as memory of take_buffer. `unpin` ends this,
     * as must be done before the memory is freed; the memory may not have been pinned. */
    enum status (*pin)(struct device *device, void *memory, uint64_t bytes, struct error *e);
    void (*unpin)(struct device *device, void *memory);

    /* ---- vertices between devices, after `finish` ---- */

    /* Drops duplicates in each span that is a list, and sets its new count. The spans, at most p, are
     * visit_result.outgoing or lists in exchange memory of the device. The distinct ids come first in the old place, so
     * a peer that still has the old count misses no vertex. Needs options.uniquify. */
    enum status (*uniquify)(struct device *device, struct vertex_span *spans, uint32_t count, struct error *e);

    /* Begins to copy a span of this device's outgoing vertices to exchange memory of any device of the rank. With `adds`
     * words of a bitmap are ORed into those at `to`. Records the event after the copy, or at once if the span is empty. */
    enum status (*copy_vertices)(struct device *device, const struct vertex_span *span, uint32_t *to, int adds,
                                 uint32_t event, struct error *e);

    /* Sets *over to 1 if all work has ended that was begun before the event was last recorded, else to 0. Does not wait. */
    enum status (*is_over)(struct device *device, uint32_t event, int *over, struct error *e);

    /* Takes in vertices that another rank sent, for the next previsit. They may be duplicates, or visited before. The
     * span is in exchange memory of this device, and must not change before that previsit. */
    enum status (*receive)(struct device *device, const struct vertex_span *span, struct error *e);

    /* Takes in this device's vertices that its peers found: spans[i] is read in the memory of peer i. */
    enum status (*receive_peers)(struct device *device, const struct vertex_span *spans, struct error *e);

    /* ---- delegate masks: called after `finish` of delegates, if any device of any rank found a delegate ---- */

    /* ORs the masks of delegates that peers found in this level. Reads the mask of peer i only if updating[i] is set, and
     * leaves out the delegates of know_mask. With `to` NULL all peers call this function, and each device keeps the result
     * for take_mask. If not all devices are peers, only one of the peers calls it, with `to`. Then the result goes to
     * to->words if they suffice, else to to->mask; to->count and to->has_mask say which. */
    enum status (*read_masks)(struct device *device, const int *updating, struct mask_update *to, struct error *e);

    /* Tells the device that every device knows these delegates as found. VISIT_REST then does not look for them,
     * read_masks leaves them out, and take_mask adds them again. `mask` must not change until that visit is over. */
    enum status (*know_mask)(struct device *device, const uint64_t *mask, struct error *e);

    /* Gives the device the delegates that the reduction found, which its next previsit makes the frontier. Called when all
     * peers have called read_masks. If from->mask and from->words are NULL, the device takes the result that read_masks kept
     * in it. Otherwise `from` has the result over all ranks, and must not change before that previsit. Its words may name an
     * index several times. */
    enum status (*take_mask)(struct device *device, const struct mask_update *from, struct error *e);

    /* ---- frontiers of nn: called before VISIT_OTHERS if several shards pull nn. Devices that are no peers send each other
     * their frontiers in messages. The message of a shard is the bitmap of its normals or, with updates_frontiers, an
     * update: a bitmap without vertices that have no nn edges, and without those visited before the last update ---- */

    /* Tells the device which normals of a shard have nn edges, as a bitmap of `words` 32-bit words. Called for each
     * shard after `join`, if updates_frontiers. */
    enum status (*learn_sources)(struct device *device, uint32_t shard, const uint32_t *bitmap, uint64_t words,
                                 struct error *e);

    /* Shows the frontier's normals to the peers, which read them after a barrier. With `message` also writes the device's
     * own message there, in host memory, sets words[s] to the 32-bit words in the message of each shard s, and waits. */
    enum status (*show_frontier)(struct device *device, uint32_t *message, uint64_t *words, struct error *e);

    /* Takes in the message of another shard from host memory. The message must not change before `finish`. */
    enum status (*take_frontier)(struct device *device, uint32_t shard, const uint32_t *message, struct error *e);

    /* ---- answers, after a search ---- */

    const struct backend_answers *answers;
};

extern const struct backend backend_cpu, backend_cuda;

#endif
