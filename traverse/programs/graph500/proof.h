/* proof.h: the proof of a tree on one device, in the memory in which the device searched.
 *
 * validate.c has the arrays of a proof, its questions and the order of its steps. A prover is the table of steps that work
 * in the memory of a device: prover_cpu (proof_cpu.c) or prover_cuda (cuda/proof_cuda.c). Vertices of a device are numbered
 * as in struct answer_tables (engine.h): local vertices, then delegates.
 *
 * A device has the claims (parents to prove) of its own vertices among the values of the answer (answers.h); the claims of
 * delegates that other devices own are reduced. A device asks other devices for the ids and depths of the far ends of its
 * nn edges. These questions are the same for each root, so they are listed and sent once, and each root needs only
 * replies. A question is the number of a local vertex of the other shard, in 4 bytes. The reply is a struct vertex_end. */
#ifndef DBFS_PROOF_H
#define DBFS_PROOF_H

#include "proof_loops.h"

#include "traverse/results/results.h"

/* The questions of one device, or to one device. Those for or from shard s are begin[s] to begin[s + 1] - 1. */
struct proof_questions {
    uint32_t *question;
    uint32_t *asker; /* questions of the device: the local vertices whose edges are asked about */
    void *reply;     /* questions to the device: struct vertex_end */
    uint64_t *begin; /* [p + 1] in memory of the host */
};

enum { FIRST_BYTES = 64 };

struct proof {
    const struct prover *prover;
    const struct rank *rank;
    const struct results *results; /* depths of results_collect */
    uint32_t g;            /* the device, of this rank */
    struct device *device;
    const struct shard *shard;
    struct vertex_end *end; /* [locals + d] */
    int64_t *claim;         /* [locals + d] */
    uint64_t *met;          /* bitmaps of local vertices and of delegates that have met their parents (proof_loops.h) */
    uint64_t values;        /* of the answer, on this device */
    uint32_t *value;        /* [locals + d] the index of each vertex's value; VALUE_ELSEWHERE: not on this device */
    uint32_t *has_edges;    /* bitmap of the values of vertices with edges */
    void *first;            /* [FIRST_BYTES] the first offence, as the prover keeps it */
    uint32_t id_bytes;      /* of a value */
    int64_t root;           /* input id */
    struct proof_questions own, asked; /* of the device; to the device */
    const struct slice *replies;       /* [p] the replies of each shard to `own` */
};

/* A step of a proof on its device, which waits for the end of the step. */
typedef enum status proof_step(struct proof *proof, struct error *e);

/* The steps of a proof on one kind of device. */
struct prover {
    /* `take` takes zeroed memory of the device, and `release` frees it; NULL is allowed. */
    enum status (*take)(const struct proof *proof, void **array, uint64_t count, uint64_t width, const char *what,
                        struct error *e);
    void (*release)(const struct proof *proof, void *array);

    /* Copies bytes to, from or within the memory. */
    enum status (*copy)(const struct proof *proof, void *to, const void *from, uint64_t bytes, struct error *e);

    /* Once: `open` sets the bits in has_edges of all vertices, and does what else is the same for all roots. list_questions
     * goes over the nn edges to other shards. Without `put` it counts the edges to shard s in next[s + 1]. With `put` it
     * writes them as questions from index next[s] on. */
    proof_step *open;
    enum status (*list_questions)(struct proof *proof, uint64_t *next, int put, struct error *e);

    /* For each root, in this order. `begin` reads depths into `end` and parents into `claim`, and forgets `met` bits and
     * offences. `check` checks vertices, values of vertices without edges, and edges with both ends on this device. `reply`
     * writes the replies to all questions in `asked`. check_replies checks the edges of `own` by replies. `finish` checks
     * that all vertices have met their parents, and sets *first to the first offence of all checks since `begin`. */
    proof_step *begin, *check, *reply, *check_replies;
    enum status (*finish)(struct proof *proof, struct offence *first, struct error *e);
};

extern const struct prover prover_cpu;
extern const struct prover prover_cuda __attribute__((weak)); /* in builds that have CUDA */

/* Returns the arrays of the local vertices (NORMALS) or of the delegates, which are parts of the arrays of the proof. */
static inline struct proved_vertices proved_of(const struct proof *p, enum vertex_kind kind)
{
    uint64_t first = kind == NORMALS ? 0 : p->shard->locals;
    uint64_t *met = p->met + (kind == NORMALS ? 0 : mask_words(p->shard->locals));
    return (struct proved_vertices){.end = p->end + first,
                                    .claim = p->claim + first,
                                    .met = (uint32_t *)(void *)met,
                                    .count = kind == NORMALS ? p->shard->locals : p->shard->d};
}

/* Returns the description of the answer's values on the proof's device; `values` is their array. */
static inline struct proved_values values_of_proof(const struct proof *p, const void *values)
{
    const struct graph *graph = p->rank->graph;
    const int permuted = answers_are_by_owner(graph) && graph->manifest.randomized;
    return (struct proved_values){.claim = values,
                                  .id_bytes = p->id_bytes,
                                  .has_edges = p->has_edges,
                                  .count = p->values,
                                  .p = p->shard->p,
                                  .shard = p->shard->index,
                                  .bijection = permuted ? graph->bijection : (struct bijection){.n = 0}};
}

#endif
