/* answers.h: depths or parents of all vertices, in the memory of the devices (engine.h).
 *
 * The values of an answer stand at their owners. With several shards vertex v, as stored, is value v / p of shard
 * v mod p (partition.h), delegates too. The only device of a search has values by input id, also where these are permuted.
 * An id without edges has a value, too: -1.
 */
#ifndef DBFS_ANSWERS_H
#define DBFS_ANSWERS_H

#include "answer_slices.h"

/* The answers of one rank. G is the number of its devices, d the number of delegates. */
struct answers {
    const struct rank *rank;
    struct answer_tables *tables; /* [G] */
    struct answer_arrays *arrays; /* [G] */
    struct slices questions, replies;
    void **delegate_parents; /* [G] host memory [d]: the parents of delegates of each device, or a copy; NULL: not needed */
    uint32_t id_bytes;
    int all_read; /* each device finds parents in the memory of all others, and asks no questions */
    enum answer_kind kind;   /* of the answer that the devices hold; this and the next two as answers_make got them */
    uint32_t levels;         /* of the last search: depths are below this */
    const struct root *root; /* of the last search */
};

/* Collective. Prepares the devices for answers. Parents are possible only if the devices were opened to record them. */
enum status answers_open(struct answers *answers, const struct rank *rank, int parents, struct error *e);
void answers_close(struct answers *answers); /* a zeroed one is allowed */

/* Collective. Makes the answer of the last search, whose depths are below `levels`. The root outlives the answer. On return
 * this rank's values lie in the memory of its devices; other ranks may still work. A failure is known to this rank only, and
 * the other ranks wait for it, so the caller must end the job. */
enum status answers_make(struct answers *answers, enum answer_kind kind, const struct root *root,
                         uint32_t levels, struct error *e);

/* Overwrites the value of a vertex in the last answer, if its owner is a device of this rank. `stored`: the id of the vertex
 * as stored. */
enum status answers_set_value(const struct answers *answers, uint64_t stored, int64_t value, struct error *e);

/* Returns the bytes of a value: 4 for a depth, 4 or 8 for a parent. */
uint32_t answers_width(const struct answers *answers, enum answer_kind kind);

/* Returns whether each shard has the values of the vertices that it owns; if not, values are indexed by input id. */
static inline int answers_are_by_owner(const struct graph *graph)
{
    return graph->manifest.p > 1;
}

/* Returns the index of the value of a vertex on the device that has the value. `stored`: the id of the vertex as stored. */
static inline uint64_t answers_place(const struct graph *graph, uint64_t stored)
{
    return answers_are_by_owner(graph) ? slot_of_vertex(stored, graph->manifest.p) : original_id(graph, stored);
}

#endif
