/* proof.h: the proof of a tree on one device (validate.h).
 *
 * A proof belongs to a device, and lies in the memory in which the device searched. validate.c has its arrays, its
 * questions and its steps. The functions that work in the memory of a device are a table (struct prover): prover_cpu
 * (proof_cpu.c) or prover_cuda (cuda/proof_cuda.c). Vertices of a device
 * are numbered as in struct answer_tables (engine.h): locals, then delegates.
 *
 * A device has the claimed parents of its own vertices among the values of the answer (answers.h); those of the delegates
 * of other devices are reduced. It asks other devices about the far ends of its nn edges. These questions do not change
 * from root to root, so they are listed and sent once, and each root needs only new replies. A question is a local vertex of
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
    uint32_t *place;        /* [locals + d] which value is each vertex's, from 0; PLACE_ELSEWHERE: not on this device */
    uint32_t *has_edges;    /* mask of the values that belong to vertices */
    void *first;            /* [FIRST_BYTES] the first offence, as the prover keeps it */
    uint32_t id_bytes;
    struct proof_questions own, asked;
};

/* ---- the functions that work in the memory of a device; those without a status may leave work for `wait` ---- */
struct prover {
    /* Takes zeroed memory, and releases it; NULL is allowed. */
    enum status (*take)(const struct proof *proof, void **array, uint64_t count, uint64_t width, const char *what,
                        struct error *e);
    void (*release)(const struct proof *proof, void *array);

    /* Copies bytes to, from or within the memory. */
    enum status (*copy)(const struct proof *proof, void *to, const void *from, uint64_t bytes, struct error *e);

    /* Called before and after each step: select the device; wait for all its work. NULL: nothing is to be done. */
    enum status (*enter)(const struct proof *proof, struct error *e);
    enum status (*wait)(const struct proof *proof, struct error *e);

    /* Writes what is the same for all roots. NULL: there is nothing. */
    void (*open)(struct proof *proof);

    /* Goes over the nn edges to other shards. Without `put`: counts the edges to shard s in next[s + 1]. With `put`:
     * writes them as questions from place next[s] on. */
    enum status (*list_ends)(struct proof *proof, uint64_t *next, int put, struct error *e);

    /* Sets the bits of all places in has_edges. */
    void (*mark)(struct proof *proof);

    /* Reads the depths of a root, and forgets marks and offences. */
    enum status (*begin)(struct proof *proof, struct error *e);

    /* take_claims reads the parents of the answer into `claim`; reply writes the replies to all questions in `asked`. */
    void (*take_claims)(struct proof *proof);
    void (*reply)(struct proof *proof);

    /* check: vertices by themselves, and edges with both ends on this device. check_edges: `count` edges, the i-th from
     * local vertex asker[i] to other[i]. check_parents: that vertices of a kind have met their parents. read_first copies
     * the first offence of all checks since `begin` to the host. `root`: input id. */
    void (*check)(struct proof *proof, int64_t root);
    void (*check_edges)(struct proof *proof, const uint32_t *asker, const struct vertex_end *other, uint64_t count);
    void (*check_parents)(struct proof *proof, enum vertex_kind kind, int64_t root);
    enum status (*read_first)(const struct proof *proof, struct offence *first, struct error *e);
};

extern const struct prover prover_cpu;
extern const struct prover prover_cuda __attribute__((weak)); /* in builds that have CUDA */

/* Returns the arrays of the vertices of a kind, parts of the arrays of the proof. */
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
