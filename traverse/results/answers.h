/* answers.h: depths or parents of all vertices, in the memory of the devices (engine.h).
 *
 * The device that owns a vertex has the value of the vertex. With p > 1 shards, the vertex with stored id v, a normal or a
 * delegate, has value number v / p of shard v mod p (partition.h). With one shard, value i belongs to input id i, even if
 * ids are permuted. The value of an id without edges is -1, unless it is a root. */
#ifndef DBFS_ANSWERS_H
#define DBFS_ANSWERS_H

#include "byte_spans.h"

/* The steps that all devices of a rank do side by side, each a function of struct backend_answers. */
enum answer_step {
    STEP_OPEN, STEP_KNOW_IDS, STEP_FORGET_IDS, STEP_NAME_PARENTS, STEP_LOOK, STEP_ASK, STEP_REPLY, STEP_TAKE_REPLIES, STEP_MAKE_VALUES
};

/* The answers of one rank. G is the number of its devices. */
struct answers {
    const struct rank *rank;
    struct answer_tables *tables; /* [G] */
    struct answer_arrays *arrays; /* [G] */
    struct byte_spans sent;    /* what devices send each other: questions, depths or, while answers are opened, input ids */
    struct byte_spans replies; /* to questions */
    enum answer_step step;     /* the step that the devices do */
    enum vertex_kind asking;   /* the kind of vertices whose parents are asked for */
    uint32_t id_bytes; /* bytes of an input id: 4 or 8 */
    int all_read; /* each device reads missing parents from the memory of the other devices, and asks no questions */
    int hears_depths; /* devices look for the parents of normals by depths that come in messages; only delegates ask */
    /* The next three are the arguments of the last answers_make. */
    enum answer_kind kind;   /* the kind of the answer that the devices hold */
    uint32_t levels;         /* all depths of the last search are below this number */
    struct root_set roots;   /* the roots of the last search */
};

/* Collective. Prepares the devices for answers. `parents` is 1 if answers_make may be called for parents; the devices must
 * then record parents in the search. */
enum status answers_open(struct answers *answers, const struct rank *rank, int parents, struct error *e);
void answers_close(struct answers *answers); /* frees what answers_open has allocated; *answers may be zeroed */

/* Collective. Makes the depths or the parents of all vertices for the last search, whose depths are all below `levels`. On
 * return the values of this rank are in the memory of its devices, but other ranks may still be working. The array of roots must
 * live as long as the answer. Only this rank knows of a failure, so the caller must then end the job. */
enum status answers_make(struct answers *answers, enum answer_kind kind, const struct root_set *roots,
                         uint32_t levels, struct error *e);

/* Collective. The same for the search of the last answer, unless the devices have the answer of this kind. */
enum status answers_need(struct answers *answers, enum answer_kind kind, struct error *e);

/* Collective, in nearest.c. Replaces each parent of the last answer, which must be of ANSWER_PARENTS, by the input id of the root
 * at the end of the vertex's chain of parents: a root that is nearest to the vertex. Parents can then not be made again for this
 * search. If a rank fails, the call fails on all ranks. Takes 8 MiB for each device if there are several ranks, and in device
 * memory's place a copy of the answer in memory of the host. */
enum status answers_make_nearest(struct answers *answers, struct error *e);

/* Overwrites the value of one vertex in the last answer, if this rank owns the vertex. `stored` is the stored id of the
 * vertex. `value` is a depth, or the input id of a parent. */
enum status answers_set_value(const struct answers *answers, uint64_t stored, int64_t value, struct error *e);

/* Returns the number of bytes of a value: 4 for a depth, 4 or 8 for a parent. */
uint32_t answers_width(const struct answers *answers, enum answer_kind kind);

/* Returns 1 if the graph has several shards. Each shard then has the values of the vertices that it owns. A single shard has
 * its values in the order of input ids. */
static inline int answers_are_by_owner(const struct graph *graph)
{
    return graph->manifest.p > 1;
}

/* Returns the index of a vertex's value on the device that owns the vertex. `stored` is the stored id of the vertex. */
static inline uint64_t answers_index(const struct graph *graph, uint64_t stored)
{
    return answers_are_by_owner(graph) ? slot_of_vertex(stored, graph->manifest.p) : original_id(graph, stored);
}

#endif
