/* proof.h: the proof of a tree on one device (validate.h).
 *
 * A proof belongs to a device, and lies in the memory in which the device searched. validate.c has its arrays, its
 * questions and its steps; what works in the memory of a device is a table of functions (struct prover): prover_cpu (proof_cpu.c) or prover_cuda (cuda/proof_cuda.c). Vertices of a device
 * are numbered as in struct answer_tables (backend.h): locals, then delegates.
 *
 * A device has the claimed parents of its own vertices among the values of the answer (answers.h); those of the delegates
 * of other devices are reduced. It asks other devices about the far ends of its nn edges. These questions do not change
 * from root to root, so they are listed and sent once, and each root needs replies alone. A question is a local vertex of
 * the other shard, in 4 bytes, the reply a struct vertex_end. Slices in these functions have an element for each shard: the
 * bytes for it, or the bytes from it. */
#ifndef DBFS_PROOF_H
#define DBFS_PROOF_H

#include "proof_loops.h"

#include "traverse/results/results.h"

/* The questions of one device, or to it. Those for or from shard s are begin[s] to begin[s + 1] - 1. */
struct proof_questions {
    uint32_t *question;
    uint32_t *asker; /* of the device: the vertices that ask */
    void *reply;     /* to the device */
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
    uint64_t *met;          /* masks of locals, of delegates that met their parents */
    uint64_t values;        /* of the answer, on this device */
    uint32_t *place;        /* [locals + d] the number of each vertex's value; PLACE_ELSEWHERE: not on this device */
    uint32_t *has_edges;    /* mask of the values that belong to vertices */
    void *first;            /* [FIRST_BYTES] the first offence, as the prover keeps it */
    uint32_t id_bytes;
    struct proof_questions own, asked;
};

/* ---- in the memory of a device: none of these functions need wait, but those that give a status ---- */
struct prover {
    /* Takes zeroed memory, and releases it; NULL is allowed. */
    enum status (*take)(const struct proof *proof, void **array, uint64_t count, uint64_t width, const char *what,
                        struct error *e);
    void (*release)(const struct proof *proof, void *array);

    /* Copies bytes to, from or within the memory. */
    enum status (*copy)(const struct proof *proof, void *to, const void *from, uint64_t bytes, struct error *e);

    /* Surround a step. NULL: nothing is to be done. */
    enum status (*enter)(const struct proof *proof, struct error *e);
    enum status (*wait)(const struct proof *proof, struct error *e);

    /* Writes what the depths of a root do not change. NULL: there is nothing. */
    void (*open)(struct proof *proof);

    /* Goes over the nn edges to other shards. Counts those to shard s in next[s + 1], or puts them as questions from
     * next[s] on. */
    enum status (*list_ends)(struct proof *proof, uint64_t *next, int put, struct error *e);

    /* Sets the bits of all places in has_edges. */
    void (*mark)(struct proof *proof);

    /* Reads the depths of a root, and forgets marks and offences. */
    enum status (*begin)(struct proof *proof, struct error *e);

    /* Takes the claims of the answer, and replies to all questions. */
    void (*take_claims)(struct proof *proof);
    void (*reply)(struct proof *proof);

    /* Check vertices by themselves and edges with both ends here; edges i from asker[i] to other[i]; that vertices of a
     * kind have met their parents. */
    void (*check)(struct proof *proof, int64_t root);
    void (*check_edges)(struct proof *proof, const uint32_t *asker, const struct vertex_end *other, uint64_t count);
    void (*check_parents)(struct proof *proof, enum vertex_kind kind, int64_t root);
    enum status (*read_first)(const struct proof *proof, struct offence *first, struct error *e);
};

extern const struct prover prover_cpu;
extern const struct prover prover_cuda __attribute__((weak)); /* in builds that have CUDA */

/* The vertices of a kind. */
static inline struct proved_vertices proved_of(const struct proof *p, enum vertex_kind kind)
{
    uint64_t first = kind == NORMALS ? 0 : p->shard->locals;
    uint64_t *met = p->met + (kind == NORMALS ? 0 : mask_words(p->shard->locals));
    return (struct proved_vertices){.end = p->end + first,
                                    .claim = p->claim + first,
                                    .met = (uint32_t *)(void *)met,
                                    .count = kind == NORMALS ? p->shard->locals : p->shard->d};
}

/* The values of the device. */
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
