/* answers.h: depths or parents of all vertices, in the memory of the devices (engine.h).
 *
 * The values of an answer stand at the owners of the vertices. With several shards the vertex with stored id v has value
 * v / p of shard v mod p (partition.h), also if it is a delegate. With a single device value i belongs to input id i, also
 * if input ids are permuted. An id without edges has the value -1.
 */
#ifndef DBFS_ANSWERS_H
#define DBFS_ANSWERS_H

#include "answer_slices.h"

/* The answers of one rank. G is the number of its devices, and d the number of delegates. */
struct answers {
    const struct rank *rank;
    struct answer_tables *tables; /* [G] */
    struct answer_arrays *arrays; /* [G] */
    struct slices questions, replies;
    void **delegate_parents; /* [G] memory of the host [d]: the device's parents of delegates, or a copy; NULL: not needed */
    uint32_t id_bytes;
    int all_read; /* each device finds parents in the memory of all other devices, and asks no questions */
    /* The arguments of the last answers_make. */
    enum answer_kind kind;   /* of the answer that the devices hold */
    uint32_t levels;         /* depths of the last search are below this */
    const struct root *root; /* of the last search */
};

/* Collective. Prepares the devices for answers. `parents`: parents may be asked for; the devices must record them. */
enum status answers_open(struct answers *answers, const struct rank *rank, int parents, struct error *e);
void answers_close(struct answers *answers); /* frees what answers_open allocated; zeroed answers are allowed */

/* Collective. Makes the answer of the last search, whose depths are below `levels`. The root must outlive the answer. On
 * return this rank's values lie in the memory of its devices; other ranks may still work. A failure is known to this rank
 * only, and the other ranks wait for this rank, so the caller must end the job. */
enum status answers_make(struct answers *answers, enum answer_kind kind, const struct root *root,
                         uint32_t levels, struct error *e);

/* Overwrites the value of a vertex in the last answer, if a device of this rank owns the vertex. `stored`: the stored id of
 * the vertex. */
enum status answers_set_value(const struct answers *answers, uint64_t stored, int64_t value, struct error *e);

/* Returns the bytes of a value: 4 for a depth, 4 or 8 for a parent. */
uint32_t answers_width(const struct answers *answers, enum answer_kind kind);

/* Returns whether each shard has the values of the vertices that it owns. Otherwise there is one device, and values are in
 * the order of input ids. */
static inline int answers_are_by_owner(const struct graph *graph)
{
    return graph->manifest.p > 1;
}

/* Returns the index of a vertex's value among the values of the device that has it. `stored`: the stored id of the vertex.
 */
static inline uint64_t answers_place(const struct graph *graph, uint64_t stored)
{
    return answers_are_by_owner(graph) ? slot_of_vertex(stored, graph->manifest.p) : original_id(graph, stored);
}

#endif
