/* proof.h: the proof of a tree on one device, in the memory in which the device has searched.
 *
 * A prover has the steps of a proof for one kind of device: prover_cpu (proof_cpu.c) or prover_cuda (cuda/proof_cuda.c).
 * validate.c allocates the arrays of a proof, calls the steps in their order, and passes questions between devices. The
 * vertices of a device are numbered as in struct answer_tables (engine.h): local vertices first, then delegates.
 *
 * A claim is the parent that the answer gives a vertex. It is called a claim until the parent is proved. A device reads the
 * claims of its own vertices from the values of the answer (answers.h). A reduction over all devices brings the claims of
 * delegates that other devices own.
 *
 * Some nn edges lead to vertices of other shards. The device asks the other devices for the ids and depths of these
 * vertices. A question is the number of a local vertex of the other shard, in 4 bytes, and a reply is a struct vertex_end.
 * The questions are the same for each root, so they are sent only once. The replies are sent for each root. */
#ifndef DBFS_PROOF_H
#define DBFS_PROOF_H

#include "proof_loops.h"

#include "traverse/results/results.h"

/* The questions that one device asks, or those that it is asked. The questions to shard s (or from shard s) have the numbers
 * begin[s] to begin[s + 1] - 1. */
struct proof_questions {
    uint32_t *question;
    /* [begin[p]] for each question: the local vertex that has the edge; NULL for questions that the device is asked */
    uint32_t *asker;
    /* [begin[p]] the replies, each a struct vertex_end; NULL for questions that the device asks */
    void *reply;
    uint64_t *begin; /* [p + 1] in memory of the host */
};

enum { FIRST_BYTES = 64 }; /* number of bytes of memory for the first offence; enough for each prover */

/* The state of the proof on one device. */
struct proof {
    const struct prover *prover;
    const struct rank *rank;
    const struct results *results; /* the results of the search; they have the depths once results_collect has run */
    uint32_t g;            /* number of the device in this rank */
    struct device *device;
    const struct shard *shard;
    struct vertex_end *end; /* [locals + d] id and depth of each vertex */
    int64_t *claim;         /* [locals + d] input ids of the parents to prove; below 0: no parent */
    /* bitmap of the local vertices that have an edge to their parents (proof_loops.h), followed by that of the delegates */
    uint64_t *parent_seen;
    uint64_t value_count;   /* number of values of the answer that this device has */
    /* [locals + d] for each vertex: index of its value in the answer; VALUE_ELSEWHERE: another device has the value */
    uint32_t *value_index;
    uint32_t *value_has_edges; /* [value_count] bitmap; 1: the value belongs to a vertex with edges */
    void *first;            /* [FIRST_BYTES] the first offence found so far, in a form that depends on the prover */
    uint32_t id_bytes;      /* number of bytes of a value of the answer */
    int64_t root;           /* input id of the root of the tree */
    /* the questions that the device asks, and the questions that it is asked */
    struct proof_questions own, asked;
    /* [p] byte span s has the replies of shard s to the questions in `own`, in the order of the questions */
    const struct byte_span *replies;
};

/* A step of a proof on one device. Waits until the step has ended. Returns e->status. */
typedef enum status proof_step(struct proof *proof, struct error *e);

/* The steps of a proof on one kind of device. */
struct prover {
    /* `take` allocates zeroed memory of the device for `count` elements of `width` bytes, and sets *array. `release` frees
     * such memory, and may be called with NULL. */
    enum status (*take)(const struct proof *proof, void **array, uint64_t count, uint64_t width, const char *what,
                        struct error *e);
    void (*release)(const struct proof *proof, void *array);

    /* `open` and list_questions are called once, before the first root. `open` sets the bits of value_has_edges, and prepares
     * all else that is the same for all roots. list_questions goes over the nn edges to other shards, each of which is a
     * question. If `put` is 0, it counts the questions to shard s in next[s + 1]. If `put` is 1, it writes them to own.question
     * and own.asker, from index next[s] on. */
    proof_step *open;
    enum status (*list_questions)(struct proof *proof, uint64_t *next, int put, struct error *e);

    /* These are called for each root, in this order:
     * - `begin` reads depths into `end` and parents into `claim`, clears the `parent_seen` bits, and forgets the last root's
     *   offence.
     * - `check` checks values of vertices without edges, each vertex by itself, and edges with both ends on this device.
     * - `reply` writes the replies to all questions in `asked`.
     * - check_replies checks the edges of the questions in `own`, by the replies to these questions.
     * - `finish` checks that all vertices have an edge to their parents, and sets *first to the first offence since `begin`. */
    proof_step *begin, *check, *reply, *check_replies;
    enum status (*finish)(struct proof *proof, struct offence *first, struct error *e);
};

extern const struct prover prover_cpu;
extern const struct prover prover_cuda __attribute__((weak)); /* NULL in builds without CUDA */

/* Returns those parts of a proof's arrays that belong to the local vertices (NORMALS) or to the delegates (DELEGATES). */
static inline struct proved_vertices proved_of(const struct proof *p, enum vertex_kind kind)
{
    uint64_t first = kind == NORMALS ? 0 : p->shard->locals;
    uint64_t *parent_seen = p->parent_seen + (kind == NORMALS ? 0 : mask_words(p->shard->locals));
    return (struct proved_vertices){.end = p->end + first,
                                    .claim = p->claim + first,
                                    .parent_seen = (uint32_t *)(void *)parent_seen,
                                    .count = kind == NORMALS ? p->shard->locals : p->shard->d};
}

/* Returns a description of this device's values of the answer, for the checks of proof_loops.h. `values` is the array of
 * p->value_count parents, in memory of the device. */
static inline struct proved_values values_of_proof(const struct proof *p, const void *values)
{
    const struct graph *graph = p->rank->graph;
    const int permuted = answers_are_by_owner(graph) && graph->manifest.randomized;
    return (struct proved_values){.claim = values,
                                  .id_bytes = p->id_bytes,
                                  .has_edges = p->value_has_edges,
                                  .count = p->value_count,
                                  .p = p->shard->p,
                                  .shard = p->shard->index,
                                  .bijection = permuted ? graph->bijection : (struct bijection){.n = 0}};
}

#endif
