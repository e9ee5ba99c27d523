/* engine.h: the interface of a device that searches one shard, as one table of functions (struct backend).
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
    int uniquify; /* backend.uniquify will be called */
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
    int searches_fused;  /* search_begin may be called: known after backend.join */
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

/* The vertices that a step is about. A level's previsit makes the frontier of both kinds at once, or first that of the
 * delegates, while normals are still under way between ranks, and then that of the normals. */
enum vertex_kinds { BOTH_KINDS, ONLY_DELEGATES, ONLY_NORMALS };

/* The parts of a level's visit, in the order in which the loop calls. Usually dd is visited first, and then the other
 * subgraphs. A pull of dd by several devices may be divided (visit_plan.divides_dd), with a barrier between its parts:
 * - VISIT_DD: each device looks for parents of the delegates that it owns. The owner of a delegate has its edges to
 *   neighbours of higher degree, so most delegates find a parent with the first probe. Other devices have only edges to
 *   neighbours of lower degree.
 * - VISIT_REST: each device looks for parents of the delegates that nobody has found yet. It reads the delegates that peers
 *   found in their memory; the delegates that other devices found came by messages (know_mask). */
enum visit_part {
    VISIT_DD,     /* dd, or the rows of dd that the device owns. Wants the frontier of the delegates only */
    VISIT_OTHERS, /* nd, dn and nn. If dd is divided, only those of them that need not wait for VISIT_REST */
    VISIT_REST    /* only if dd is divided: the other rows of dd, and subgraphs that VISIT_OTHERS has left */
};

/* How a device keeps the vertices that a push of nn finds on other shards: as a list of local ids, in which a vertex may
 * stand several times, or as a bitmap over the local ids of each shard. A bitmap wants shard_has_masks. */
enum outgoing_form { OUTGOING_LIST, OUTGOING_MASK };

struct visit_plan {
    struct directions directions;
    int divides_dd; /* dd is pulled, and in two parts */
    enum outgoing_form form;
};

/* Vertices of one shard that another device found: a part of a list of ids, or words of a bitmap. */
struct vertex_span {
    uint32_t *ids;  /* the ids or words, where this process has them; NULL: in another process */
    uint64_t begin; /* number of the first id or word, in the list or bitmap that the span is a part of */
    uint64_t count; /* ids, or 32-bit words of the bitmap */
    enum outgoing_form form;
};

/* What a visit found on one device. */
struct visit_result {
    int found_delegates;        /* 1: this device found a delegate in this level */
    uint64_t found;             /* local normals; a device may say 1 for any number */
    struct vertex_span *outgoing; /* [p], the caller's: the vertices of each shard that nn found. Not written if p is 1 */
    uint64_t probes[SUBGRAPHS]; /* columns that the last pull looked at, if backend.counts_probes and options.probes */
    struct breakdown times;     /* of the level's phases, if options.timing */
};

/* Events of a device: copies record events 0 to COPY_EVENTS - 1, and VISIT_OTHERS records VISIT_EVENT behind the visits
 * of dn and nn. */
enum { COPY_EVENTS = 8, VISIT_EVENT = COPY_EVENTS, DEVICE_EVENTS };

/* ---- delegates between devices ---- */

/* Delegates as a mask, or as the non-zero words of a mask. The arrays are the caller's. */
struct mask_update {
    uint64_t *mask;          /* [mask_words(d)] */
    struct mask_word *words; /* [most], of which the first `count` count; NULL: the delegates are in `mask` */
    uint64_t most;           /* 0: words are not wanted */
    uint64_t count;          /* of non-zero words, which `words` has; any number above `most` if there are more words */
    int has_mask;            /* `mask` was written, perhaps beside `words` */
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

/* Sets an id of such an array. */
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
    int updates_frontiers;  /* frontiers go to other groups as updates (show_frontier), not as bitmaps */
    uint64_t part_rows;     /* with more rows of dd to pull on a device, two parts are worth a reduction of masks */

    /* ---- the device ---- */

    /* Takes memory for searches over the shard, which outlives the device. A device with memory of its own loads the shard.
     * Fills *description unless it is NULL. *device is NULL after a failure. */
    enum status (*open)(struct device **device, const struct shard *shard, const struct device_options *options,
                        struct device_description *description, struct error *e);
    void (*close)(struct device *device); /* frees the device, and leaves its peers; NULL is allowed */

    /* Bytes that a device will take of the budget beside the shard, answers included; 0 if it has memory of its own. */
    uint64_t (*bytes_needed)(const struct shard *shard, int threads, int parents);

    /* ---- peers ---- */

    /* Fills the handle. `elsewhere`: peers in other processes will read it. ST_RESOURCE: they cannot read this device. */
    enum status (*show)(struct device *device, int elsewhere, struct peer_handle *handle, struct error *e);

    /* Makes the arrays of these peers readable, in place of those of earlier peers, which nobody may use any more.
     * handles[count] are in the same order on each peer. Devices of a process join in their order. count 0: ends the
     * sharing, and cannot fail. *searches_fused: whether search_begin may be called. ST_RESOURCE: the memory of another
     * process cannot be read. */
    enum status (*join)(struct device *device, const struct peer_handle *handles, uint32_t count, int *searches_fused,
                        struct error *e);

    /* Wakes links and threads before a search and its clock.
     * - Links between devices: some of the memory of each peer is read. The first word over a link that was idle takes
     *   0.1 ms, and each link wakes for itself.
     * - Threads: a small search would end before they are awake. */
    enum status (*wake)(struct device *device, struct error *e);

    /* ---- a whole search, without the host between levels ---- */

    /* Begins a search in which the device runs all levels by itself, with its peers if there are several shards. Called only
     * if `join` allowed it on all devices of all ranks, which then begin the same search. The root has edges. Directions
     * follow the mode or, in DIRECTION_AUTO, the costs of the device. `noted`: the device notes what levels do. Any thread
     * may call it. */
    enum status (*search_begin)(struct device *device, const struct root *root, enum direction_mode mode, int noted,
                                struct error *e);

    /* Waits for the end of the search on all `count` devices of a rank, by one thread. *levels: levels that were visited,
     * the last, empty one included. */
    enum status (*search_end)(struct device *const *devices, uint32_t count, int noted, uint32_t *levels, struct error *e);

    /* Passes the notes of all levels to `noter`, in order, after a search that was noted. */
    enum status (*replay_levels)(struct device *device, level_noter *noter, void *context, struct error *e);

    /* ---- a search level by level, in the order in which loop.c calls. `previsit` and `visit` may return before the work is
     * done: `counts` waits for a previsit, `finish` for a visit ---- */

    /* Forgets the last search. If the device has the root, the first previsit finds it. */
    enum status (*start)(struct device *device, const struct root *root, struct error *e);

    /* Makes the frontier: the vertices of these kinds that the last level found and none before. Gives them the depth, sets
     * their visited bits, and counts them by subgraph, with their edges. The only device of a search takes the delegates
     * that it found itself, and needs no `finish` before. Other devices take those of take_mask. */
    enum status (*previsit)(struct device *device, enum vertex_kinds kinds, int32_t depth, struct error *e);

    /* Waits for the last previsit, and sets the counts from which directions are chosen: of dd after ONLY_DELEGATES, then of
     * everything but dd after ONLY_NORMALS. `forward` is about right, or a lower bound unless knows_costs. */
    enum status (*counts)(struct device *device, struct workload *work, struct error *e);

    /* Sets work->of[g].forward of each subgraph that has exact[g] to the exact number of edges. Called after `counts`, for
     * subgraphs that it has set. */
    enum status (*count_edges)(struct device *device, const int exact[SUBGRAPHS], struct workload *work, struct error *e);

    /* Begins a part of the level's visit: dd and nd find delegates, dn and nn find normals. A push of nn also finds vertices
     * of other shards, and keeps them for visit_result.outgoing. */
    enum status (*visit)(struct device *device, const struct visit_plan *plan, enum visit_part part, struct error *e);

    /* Waits for the visits that find these kinds of vertices: BOTH_KINDS, and before that, if their masks are to be reduced
     * while normals are still looked for, ONLY_DELEGATES. ONLY_DELEGATES sets found_delegates alone. */
    enum status (*finish)(struct device *device, enum vertex_kinds kinds, struct visit_result *result, struct error *e);

    /* ---- memory of messages; no budget is charged ---- */

    /* Takes memory of this device (EXCHANGE_DEVICE), or memory of the host to and from which devices copy fast
     * (EXCHANGE_HOST); masks are always there, as MPI libraries reduce them on the host. NULL: *e says why, by the name
     * `what`. Release allows NULL. */
    void *(*take_buffer)(struct device *device, enum exchange_memory kind, size_t bytes, const char *what, struct error *e);
    void (*release_buffer)(struct device *device, enum exchange_memory kind, void *memory);

    /* ---- vertices between devices, after `finish` ---- */

    /* Drops duplicates within each of the spans that are lists, and sets their counts: spans of visit_result.outgoing, or
     * lists in exchange memory of the device. At most p spans. Peers that know a longer span still find all vertices in it.
     * Wants options.uniquify. */
    enum status (*uniquify)(struct device *device, struct vertex_span *spans, uint32_t count, struct error *e);

    /* Begins to copy a span of this device's outgoing vertices to `to`, in exchange memory of any device of this rank. With
     * `adds` the words of a bitmap are ORed into those there. Records the event behind the copy; a span without vertices
     * records the event alone. */
    enum status (*copy_vertices)(struct device *device, const struct vertex_span *span, uint32_t *to, int adds,
                                 uint32_t event, struct error *e);

    /* *over: 1 if all that was begun before the event was last recorded is over. */
    enum status (*is_over)(struct device *device, uint32_t event, int *over, struct error *e);

    /* Takes in vertices that other ranks sent, for the next previsit. Some may be duplicates, or visited. The span is in
     * exchange memory of this device, and stays as it is until that previsit. */
    enum status (*receive)(struct device *device, const struct vertex_span *span, struct error *e);

    /* Takes in the vertices of this device that its peers found: spans[i] of peer i, which is read in the memory of the
     * peer. */
    enum status (*receive_peers)(struct device *device, const struct vertex_span *spans, struct error *e);

    /* ---- delegate masks, after `finish` of delegates, if any device of any rank found a delegate ---- */

    /* ORs the delegates that those peers i found that have updating[i], without those of know_mask. `to` NULL: the device
     * keeps the result for take_mask, and all peers do the same. Otherwise there are devices that are no peers, and only one
     * of the peers calls this: it writes the result to to->words if they suffice, else to to->mask, and sets count and
     * has_mask. */
    enum status (*read_masks)(struct device *device, const int *updating, struct mask_update *to, struct error *e);

    /* Before VISIT_REST: all devices know the delegates of `mask` as found. VISIT_REST does not look for them, later reads
     * leave them out, and take_mask adds them. `mask` stays as it is until that visit is over. */
    enum status (*know_mask)(struct device *device, const uint64_t *mask, struct error *e);

    /* Called when all peers have read: makes the result the delegates of the next previsit. `from` has the result as reduced
     * over all ranks, in which words may stand several times, and stays as it is until that previsit. from->mask and
     * from->words NULL: the result is that of read_masks. */
    enum status (*take_mask)(struct device *device, const struct mask_update *from, struct error *e);

    /* ---- frontiers of nn, before VISIT_OTHERS if nn is pulled and there are several shards. Devices that are no peers give
     * them to each other by messages, in which all devices of all ranks take part. A message is the bitmap of a shard's
     * normals, or, with updates_frontiers, an update that leaves out the vertices that the receiver knows: those without nn
     * edges, and those visited when the last was sent ---- */

    /* Called once for each shard, after `join`, if updates_frontiers: the bitmap (`words` 32-bit words) of its normals with
     * nn edges. */
    enum status (*learn_sources)(struct device *device, uint32_t shard, const uint32_t *bitmap, uint64_t words,
                                 struct error *e);

    /* Shows the normals of the frontier to the peers; a barrier of the peers follows. Given `message`, in host memory, also
     * writes the device's own message there, sets words[p] to the 32-bit words of the messages of all shards, and waits. */
    enum status (*show_frontier)(struct device *device, uint32_t *message, uint64_t *words, struct error *e);

    /* Takes the message of another shard from host memory, which stays as it is until `finish`. */
    enum status (*take_frontier)(struct device *device, uint32_t shard, const uint32_t *message, struct error *e);

    /* ---- answers, after a search ---- */

    const struct backend_answers *answers;
};

extern const struct backend backend_cpu, backend_cuda;

#endif
