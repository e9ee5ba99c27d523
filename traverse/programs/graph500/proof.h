/* proof.h: the proof of a tree on one device (validate.h).
 *
 * A proof belongs to a device, and lies in the memory in which the device searched. validate.c has its arrays, its
 * questions and its steps; what works in the memory of a device is a table of functions (struct prover): prover_cpu (proof_cpu.c) or prover_cuda (cuda/proof_cuda.c). Vertices of a device
 * are numbered as in struct answer_places (backend.h): locals, then delegates.
 *
 * A device asks other devices about vertices. Its questions do not change from root to root, so they are listed
 * and sent once, and each root needs replies alone. A question is a number of 4 bytes. Slices in these functions
 * have an element for each shard: the bytes for it, or the bytes from it. */
#ifndef DBFS_PROOF_H
#define DBFS_PROOF_H

#include "proof_loops.h"

#include "traverse/results/results.h"

/* Topics of questions. */
enum topic {
    TOPIC_CLAIMS, /* asks for the parent at a place in the block of ids of a device; the reply is an int64_t */
    TOPIC_ENDS,   /* asks for a local vertex of a shard; the reply is a struct vertex_end */
    TOPICS
};

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
    uint64_t first_id, ids; /* the block of input ids that it holds */
    struct device *device;
    const struct shard *shard;
    struct vertex_end *end; /* [locals + d] */
    int64_t *claim;         /* [locals + d] */
    uint64_t *met;          /* masks of locals, of delegates that met their parents */
    uint32_t *has_edges;    /* mask of the ids in the block that somebody asks about */
    void *first;            /* [FIRST_BYTES] the first offence, as the prover keeps it */
    uint32_t id_bytes;
    struct proof_questions own[TOPICS], asked[TOPICS];
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

    /* Sets the bits of these numbers in has_edges. */
    void (*mark)(struct proof *proof, const uint32_t *number, uint64_t count);

    /* Reads the depths of a root, and forgets marks and offences. */
    enum status (*begin)(struct proof *proof, struct error *e);

    void (*reply)(struct proof *proof, enum topic topic);
    void (*put_claims)(struct proof *proof, const int64_t *claim, const uint32_t *asker, uint64_t count);

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

#endif
