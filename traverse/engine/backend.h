/* backend.h: the work of one device in a search, as tables of functions.
 *
 * A device holds one shard and the state of one search over it. A backend makes devices: of the cores of
 * the host (cpu/) or of GPUs (cuda/). The level loop (loop.c) and the exchange (exchange/) use the devices
 * of a rank through eight tables: the device itself, its peers, the steps of a search, steps ahead of a
 * level, a whole search, the messages between devices, the results, and how parents are found. A backend
 * knows nothing of ranks; the level loop knows nothing of OpenMP or CUDA.
 *
 * Functions that can fail return their status and say in *e what failed. Only one thread at a time uses a
 * device.
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

/* ---- the device ---- */

/* Memory of the vertices that MPI sends and receives: the host's, or the device's if the MPI library accepts that. */
enum exchange_memory { EXCHANGE_HOST, EXCHANGE_DEVICE };

/* An answer gives each input id a value: the depth of the vertex, as int32, or the input id of its parent, as
 * int32 or int64. It is -1 where the vertex was not reached. Each device holds the values of its shard (answers.h). */
enum answer_kind { ANSWER_DEPTHS, ANSWER_PARENTS };

enum { ANSWER_NONE = -1 };

struct device_options {
    int threads;
    int parents;  /* record parents */
    int answers;  /* backend_results.open_answers will be called */
    enum answer_kind answer; /* the answer of each search; the other one may be asked for, too */
    int permuted; /* input ids are permuted */
    int timing;   /* time the phases of each level */
    int probes;   /* count the probes of pulls, if the backend can, and FV exactly */
    int notes;    /* `run` may be asked to note what levels do */
    int uniquify; /* duplicates will be dropped */
    int by_classes; /* the search goes by classes of edges, however small the graph is */
    int shared;   /* devices of other processes will read what this one shows (struct peer_handle) */
    int32_t deepest; /* the depth at which searches end, INT32_MAX: none; `run` follows it */
    int trust;    /* do not check the columns that the device decodes (shard_ranges.h) */
    enum residence resident; /* of a device that loads its shard; others take it as it was loaded */
    uint32_t slot;    /* number of the device among those of this host */
    const char *host; /* for messages */
    uint32_t rank;    /* for messages */
    const uint32_t *locals; /* [p]: local vertices of every shard */
    struct memory_budget *budget;
};

struct device_load {
    double seconds;
    double ranges_s; /* of these seconds: checking the decoded sections */
    uint64_t bytes; /* in the device's memory: packed sections decoded */
    uint64_t host_bytes; /* in memory of the host that the device reads */
};

/* A device with memory of its own, for reports. */
struct device_description {
    char model[256];
    char driver[64];  /* version of its driver */
    char runtime[64]; /* version of the library that it is used through */
};

struct backend_device {
    /* Takes memory for searches over the shard. A device with memory of its own loads the shard. */
    enum status (*open)(struct device **device, const struct shard *shard,
                        const struct device_options *options, struct error *e);
    void (*close)(struct device *device); /* NULL is allowed */

    /* How long loading took, and how many bytes. NULL if devices use the host's memory. */
    struct device_load (*load)(const struct device *device);

    /* How the columns of its shard lie: RESIDENT_PACKED or RESIDENT_HOST if those of any subgraph do so. */
    enum residence (*resident)(const struct device *device);

    /* Bytes that a device will take of the budget beside the shard, answers included. NULL if devices have
     * memory of their own. */
    uint64_t (*bytes_needed)(const struct shard *shard, int threads, int parents);

    /* Names the GPU that the device of this slot would use: its place on the buses of the host,
     * alike in all processes. 0: none. It opens nothing. NULL if devices are cores of the host. */
    uint64_t (*place)(uint32_t slot);

    /* NULL if devices are cores of the host. */
    void (*describe)(const struct device *device, struct device_description *description);
};

/* ---- peers ---- */

/* The peers of a device are devices of this host, itself included, which read each other's memory. They are of this
 * rank, or of all ranks of the host. A device shows three arrays: the delegates that it found, the normals of its
 * frontier, and the vertices that it found on other shards; and, after a search, the arrays that answers are made of.
 * The card says where they are. Each backend fills it in its own way; it may be copied to another process. */
struct peer_handle {
    uint64_t words[93];
};

struct backend_peers {
    /* Fills the card. `elsewhere`: peers in other processes will read it. ST_RESOURCE: this device cannot be
     * read there; *e says why. */
    enum status (*show)(struct device *device, int elsewhere, struct peer_handle *card, struct error *e);

    /* Makes the arrays of all peers readable. `cards` are those of the `count` peers, in the same order on
     * each of them. ST_RESOURCE: the memory of another process cannot be read; *e says why. */
    enum status (*join)(struct device *device, const struct peer_handle *cards, uint32_t count,
                        struct error *e);

    /* Whether the device can take part, after `meet`, in a search that its peers run by themselves
     * (backend_fused.run). NULL: no device of the backend can. */
    int (*joins)(const struct device *device);

    /* Wakes links and threads, after `meet`, before a search and its clock.
     * - Links between devices: some of the memory of each peer is read. The first word over a link that was idle
     *   takes 0.1 ms, and each link wakes for itself.
     * - Threads: a small search would end before they are awake.
     * NULL: nothing sleeps. */
    enum status (*wake)(struct device *device, struct error *e);

    /* Ends the sharing with peers. By then nobody may use the shown arrays. Closing a device does it. */
    void (*leave)(struct device *device);
};

/* ---- a search ---- */

enum root_at { ROOT_AT_LOCAL, ROOT_AT_DELEGATE, ROOT_AT_ISOLATED };

/* The place of the root: a delegate is on every device, a local vertex on the device of its shard. */
struct root {
    uint64_t id; /* as stored */
    enum root_at at;
    uint32_t shard; /* the owner */
    uint32_t index; /* local id, delegate id, or slot */
};

/* A visit in two parts, between which all devices meet. In the first part dd looks for parents only for the
 * delegates that the device owns: it has their edges to neighbours of higher degree, so most find a parent
 * with the first probe. Other devices have only edges to neighbours of lower degree. In the second part
 * devices know the delegates that others have found, peers by reading (`visit` does it) or, if there are other
 * devices than peers, by messages (backend_masks.know), and look for the rest. */
enum visit_part { VISIT_WHOLE, VISIT_FIRST, VISIT_REST };

/* How a device keeps the vertices that a push of nn finds on other shards: as a list of local ids, in which a
 * vertex may stand several times, or as a mask over the local ids of each shard. A mask wants
 * shard_has_masks. */
enum outgoing_form { OUTGOING_LIST, OUTGOING_MASK };

struct visit_plan {
    struct directions directions;
    enum visit_part part;
    enum outgoing_form form;
};

/* The steps of a search in the order in which loop.c calls them. `previsit` and `visit` may return before
 * their work is done: `counts` waits for a previsit, `finish` for a visit. */
struct backend_search {
    /* Forgets the last search. If the device has the root, the root is what the first previsit finds. */
    enum status (*start)(struct device *device, const struct root *root, struct error *e);

    /* Makes the frontier: the vertices that the last level found, without those visited before. It gives them
     * their depth, marks them as visited, and counts them by subgraph, with their edges. */
    enum status (*previsit)(struct device *device, int32_t depth, struct error *e);

    /* The counts from which directions are chosen. `forward` is about right, or a lower bound if the backend
     * knows no visit_costs. */
    enum status (*counts)(struct device *device, struct workload *work, struct error *e);

    /* The exact forward workload of one subgraph. Not for dd after visit_ahead. */
    enum status (*count_forward)(struct device *device, enum subgraph g, uint64_t *forward,
                                 struct error *e);

    /* Shows the normals of the frontier to the peers. Called before a visit in which nn pulls and there are
     * several shards: all peers meet between the two. NULL: they see them anyway. */
    void (*show_frontier)(struct device *device);

    /* Visits the four subgraphs: dd and nd find delegates, dn and nn find normals. A push of nn also finds
     * vertices of other shards, which are kept for the exchange. */
    enum status (*visit)(struct device *device, const struct visit_plan *plan, struct error *e);

    /* Waits for the delegates only, so that their masks can be reduced while normals are still looked for.
     * Need not be called before `finish`. NULL: they are found when `visit` returns. */
    enum status (*finish_delegates)(struct device *device, struct error *e);

    /* Waits for the visit. *found: how many local normals it reached; a device may say 1 for any number. */
    enum status (*finish)(struct device *device, uint64_t *found, struct error *e);

    /* The columns that the last pull of g looked at, after `finish`, from a device that was opened to count
     * them. NULL: the backend cannot. */
    uint64_t (*probes)(const struct device *device, enum subgraph g);

    /* The times of this level's phases, after `finish`, from a device that was opened to time them. */
    enum status (*times)(struct device *device, struct breakdown *times, struct error *e);

    /* Replaces `finish` and the exchange, for the only device of a search: gives the delegates that
     * it found to its own next previsit. It does not wait. NULL: that finds them. */
    void (*keep_updates)(struct device *device);
};

/* A search without the level loop: all levels, without the host between them. */
struct backend_fused {
    /* Searches, on the only device of a search. Directions follow the mode or, in DIRECTION_AUTO,
     * the costs of the device. `noted`: it notes what levels do. *levels: how many levels were
     * visited; 0 if this device cannot do it. */
    enum status (*run)(struct device *device, const struct root *root, enum direction_mode mode,
                       int noted, uint32_t *levels, struct error *e);

    /* The same on all devices of all ranks, without the host between them, if all of them join (backend_peers.joins):
     * begins the search on one of them, by any thread, and waits for its end on all devices of a rank, by one
     * thread, which takes their notes. NULL: no device joins. */
    enum status (*begin)(struct device *device, const struct root *root, enum direction_mode mode, int noted,
                         struct error *e);
    enum status (*await)(struct device *const *devices, uint32_t count, int noted, uint32_t *levels,
                         struct error *e);

    /* Passes the notes of all levels to `noter`, in order, after a search that noted them. */
    enum status (*replay_levels)(struct device *device, level_noter *noter, void *context,
                                 struct error *e);
};

/* The part of a level that a device does while messages between ranks are under way. */
struct backend_ahead {
    /* Begins a level while vertices of other shards may still arrive: makes the delegates of the frontier as
     * previsit does, and counts the work of dd. `previsit` of this level leaves out the finished steps. Called
     * once the masks are reduced, between `finish` and `previsit`. */
    enum status (*previsit_ahead)(struct device *device, int32_t depth, struct subgraph_work *dd,
                                  struct error *e);

    /* Visits dd after previsit_ahead, whole or its first part, which `visit` then leaves out. */
    enum status (*visit_ahead)(struct device *device, const struct visit_plan *plan,
                               struct error *e);

    /* Whether the visit is still under way. NULL: visits are over when `visit` returns. */
    int (*is_busy)(const struct device *device);
};

/* ---- messages ---- */

/* Vertices bound for one device of another rank, as local ids there, or as a mask of them. */
struct send_buffer {
    uint32_t *ids; /* exchange memory of the device that sends */
    uint64_t count; /* ids, or 32-bit words of the mask */
    enum outgoing_form form;
};

/* Vertices of one shard that another device found, as that device keeps them: `count` ids of its list, or
 * `count` 32-bit words of its mask, from number `begin` on. */
struct vertex_span {
    uint64_t begin, count;
    enum outgoing_form form;
};

enum { COPY_EVENTS = 8 };

/* The exchange of devices between two levels, after `finish`. */
struct backend_messages {
    /* Allocates memory of this device for messages, if they are to lie there (EXCHANGE_DEVICE). No budget is charged.
     * NULL: *e says why, by the name `what`. */
    void *(*exchange_take)(struct device *device, size_t bytes, const char *what, struct error *e);
    void (*exchange_release)(struct device *device, void *memory); /* NULL memory is allowed */

    /* Allocates host memory for masks and other messages, to and from which devices copy fast. Masks are reduced there because
     * MPI libraries reduce on the host anyway. No budget is charged. NULL: *e says why, by the name
     * `what`. */
    void *(*host_take)(size_t bytes, const char *what, struct error *e);
    void (*host_release)(void *memory); /* NULL is allowed */

    /* The vertices of another shard that this level's nn visit found. They stay there until the device visits again. */
    struct vertex_span (*outgoing)(const struct device *device, uint32_t shard);

    /* Drops duplicates among the vertices of each other shard, if they are lists: `outgoing` then says fewer.
     * The span of before still holds all vertices. For a device that was opened to do so. */
    enum status (*drop_repeated)(struct device *device, struct error *e);

    /* Begins to copy a span to exchange memory of any device of this rank. */
    enum status (*take_outgoing)(struct device *device, const struct vertex_span *span, uint32_t *to,
                                 struct error *e);

    /* The same for a mask, which is ORed into the mask at `to`. */
    enum status (*or_outgoing)(struct device *device, const struct vertex_span *span, uint32_t *to,
                               struct error *e);

    /* Notes which copies have begun: copies_are_over(mark) says whether these are over. A device has
     * COPY_EVENTS marks, which are numbered. Both NULL: copies are over at once. */
    enum status (*record_copies)(struct device *device, uint32_t mark, struct error *e);
    enum status (*copies_are_over)(struct device *device, uint32_t mark, int *over,
                                   struct error *e);

    /* Drops duplicates within each of the lists, which lie in the device's exchange memory. NULL: the host does
     * it. */
    enum status (*uniquify)(struct device *device, struct send_buffer *boxes, uint32_t count,
                            struct error *e);

    /* Takes in vertices that other ranks sent, for the next previsit: a part of a list, or words of
     * a mask from number `begin` on. Some may be duplicates, or visited. `from` is in exchange
     * memory of this device, where they stay until that previsit. */
    enum status (*receive)(struct device *device, const uint32_t *from, const struct vertex_span *part,
                           struct error *e);

    /* Takes in the vertices of this device that its peers found: spans[i] of peer i. */
    enum status (*receive_peers)(struct device *device, const struct vertex_span *spans,
                                 struct error *e);
};

/* The delegates that devices found, after `finish`. If no device of any rank found one, only `updated` is called. `read`
 * and then `know` are also called between the parts of a visit, after `finish_delegates`. */
struct backend_masks {
    /* 1 if this device found a delegate in this level. */
    int (*updated)(const struct device *device);

    /* ORs the updates of those peers i that have updating[i]. If there are devices that are no peers, only one of the
     * peers does this. It writes the result to `mask` (mask_words(d) words) for MPI to reduce; otherwise `mask` is
     * NULL and every device does it for itself. */
    enum status (*read)(struct device *device, const int *updating, uint64_t *mask, struct error *e);

    /* The delegates of `mask` are found, and all devices know it: the second part does not look for them, `read_words`
     * leaves them out, and `take` adds them. `mask` stays as it is until the second part is over. */
    enum status (*know)(struct device *device, const uint64_t *mask, struct error *e);

    /* The same for a mask of few words that are not zero: lists these, at most `most`. *count becomes their number,
     * or any number above `most`: `read` then follows. NULL: the host looks for them in the mask. */
    enum status (*read_words)(struct device *device, const int *updating, struct mask_word *words, uint64_t most,
                              uint64_t *count, struct error *e);

    /* Called when all peers have read: makes the result the masks of the next previsit. The result is `mask`, as
     * reduced over all ranks, or, if that is NULL, the OR that `read` made. */
    enum status (*take)(struct device *device, const uint64_t *mask, struct error *e);

    /* The same for a list of words, some of them several times. The list stays as it is until that
     * previsit. NULL if read_words is. */
    enum status (*take_words)(struct device *device, const struct mask_word *words, uint64_t count,
                              struct error *e);
};

/* The frontiers of nn that devices which are no peers give to each other, before a visit in which nn pulls. All
 * devices of all ranks take part. A frontier goes as the mask of its shard's normals, or, by a backend that has
 * `count`, as a message that leaves out what the receiver knows: vertices without nn edges, and those that were
 * visited when the last frontier was sent. Sender and receivers know the same. */
struct backend_frontiers {
    /* Called once for each shard, after `meet`. The mask, of `words` 32-bit words, has its normals
     * with nn edges. This and the next two are NULL if frontiers go as masks. */
    enum status (*learn)(struct device *device, uint32_t shard, const uint32_t *mask, uint64_t words,
                         struct error *e);

    /* Counts the bits that the other side does not know, before each exchange. */
    enum status (*count)(struct device *device, struct error *e);

    /* The number of 32-bit words of the message of a shard, after `count`. */
    uint64_t (*words)(const struct device *device, uint32_t shard);

    /* Writes the message of the device's own frontier to host memory, or takes that of shard `shard` from there. It
     * has `words` 32-bit words, and stays as it is until `finish`. */
    enum status (*read)(struct device *device, uint32_t *to, uint64_t words, struct error *e);
    enum status (*write)(struct device *device, uint32_t shard, const uint32_t *from, uint64_t words,
                         struct error *e);
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
    const struct bijection *bijection; /* from input ids to stored ones; NULL: they are the same */
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

/* Consecutive bytes that one device has for another. */
struct slice {
    const void *at;
    uint64_t bytes;
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

/* Answers of the last search, and counts of it. */
struct backend_results {
    /* Copies depths to the host, DEPTH_UNREACHED where not reached. */
    enum status (*depths)(struct device *device, int32_t *locals, int32_t *delegates,
                          struct error *e);

    /* Called once, before the functions below. Devices in the host's memory keep the arrays of `tables`, others copy
     * them. */
    enum status (*open_answers)(struct device *device, const struct answer_tables *tables, struct error *e);

    /* Makes all values of the device, those of the last search, and waits. No depth is `levels` or more. Parents are those
     * that backend_parents found. */
    enum status (*make_values)(struct device *device, enum answer_kind kind, uint32_t levels, struct error *e);

    /* Sets value number `at`: that of a root without edges, which no device searches. */
    enum status (*set_value)(struct device *device, enum answer_kind kind, uint64_t at, int64_t value, struct error *e);

    /* The values, until the next answer. NULL: they do not lie in memory of the host. */
    const void *(*see_values)(const struct device *device);

    /* Copies values number first..first+count-1 to memory of the host, and waits. */
    enum status (*read_values)(struct device *device, enum answer_kind kind, uint64_t first, uint64_t count, void *to,
                               struct error *e);

    /* Lists the values that the device, one of several, has of the permuted input ids first..first+count-1, at most
     * ANSWER_WINDOW, and waits. The arrays of the list have room for `count` elements. */
    enum status (*list_values)(struct device *device, enum answer_kind kind, uint64_t first, uint64_t count,
                               struct value_list *list, struct error *e);

    /* Whether functions of `device` may be given slices that lie in memory of `other`. NULL: they may. */
    int (*can_read)(const struct device *device, const struct device *other);

    /* Slices that peers in other processes read where they lie. show_slice: the place of a slice for the
     * device of shard `to`, which peers_slice makes a pointer of there; 0 if that device cannot read it.
     * NULL: no device can. */
    uint64_t (*show_slice)(const struct device *device, uint32_t to, const struct slice *slice);
    const void *(*peers_slice)(const struct device *device, uint32_t from, uint64_t place);

    /* Copies a slice to memory of the host, and waits. NULL: slices lie in memory of the host. */
    enum status (*copy_slice)(struct device *device, const struct slice *slice, void *to,
                              struct error *e);
};

/* Parents, in the order in which functions are called. Slices have an element for each shard: the bytes for it, or
 * those that came from it. */
struct backend_parents {
    /* Turns the parents that the device recorded into input ids. A vertex that was reached over an nn edge
     * from another shard asks all its neighbours there: `questions` are for these shards. A device that is
     * alone has none, and needs no other function. */
    enum status (*ask)(struct device *device, struct slice *questions, struct error *e);

    /* Replies to the questions of the other shards, in their order. */
    enum status (*reply)(struct device *device, const struct slice *questions,
                         struct slice *replies, struct error *e);

    /* A vertex that asked takes any neighbour that replied with its id. The replies are in the order of this
     * device's questions. */
    enum status (*take_replies)(struct device *device, const struct slice *replies,
                                struct error *e);

    /* Finds, for each delegate, the largest id that one of this rank's devices recorded. With other ranks
     * only the first device does this, and writes the result to `host` ([d], id_bytes each) for MPI to
     * reduce; otherwise `host` is NULL and every device does it for itself. */
    enum status (*read_parents)(struct device *device, struct device *const *devices,
                                uint32_t count, void *host, struct error *e);

    /* Called when all devices have read: takes the parents of delegates from `host`, as reduced over all ranks, or,
     * if that is NULL, those that read_parents found. */
    enum status (*take_parents)(struct device *device, const void *host, struct error *e);

    /* A device that reads the memory of all others looks for parents there: it asks nothing, and nothing is reduced.
     * The functions below then replace those above. NULL: devices ask. */

    /* Whether the device reads all others, after `open_answers`. */
    int (*reads_all)(const struct device *device);

    /* Turns the parents that the device recorded into input ids, shows them and the depths to the others, and
     * waits. */
    enum status (*show_parents)(struct device *device, uint32_t levels, struct error *e);

    /* Called when all devices show theirs: finds the parents that others know, and waits. Devices show their arrays
     * until all have looked, and make values then. */
    enum status (*look_parents)(struct device *device, struct error *e);
};

/* ---- all of it ---- */

struct backend {
    const char *name;
    int reads_host_columns; /* devices read the columns of shards in host memory */
    int side_by_side;       /* each device wants a host thread of its own */
    int has_device_memory;  /* devices have memory of their own, which messages may lie in */
    int knows_costs;       /* `counts` has visit_costs of visits; if not, directions follow factors */
    uint64_t part_rows;     /* of dd, that a device pulls: with more, two parts are worth a reduction of masks */
    const struct backend_device *device;
    const struct backend_peers *peers;
    const struct backend_search *search;
    const struct backend_fused *fused;
    const struct backend_ahead *ahead;
    const struct backend_messages *messages;
    const struct backend_masks *masks;
    const struct backend_frontiers *frontiers;
    const struct backend_results *results;
    const struct backend_parents *parents;
};

extern const struct backend backend_cpu, backend_cuda;

#endif
