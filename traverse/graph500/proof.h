/* proof.h: the work of one device in the proof of a tree (validate.h), as a table of functions.
 *
 * A proof belongs to a device, and lies in the memory in which the device searched: prover_cpu (proof_cpu.c) or
 * prover_cuda (cuda/proof_cuda.c). validate.c takes the proofs of all ranks through the steps. Vertices of a
 * device are numbered as in struct answer_places (backend.h): locals, then delegates.
 *
 * A device asks other devices about vertices. Its questions do not change from root to root, so they are listed
 * and sent once, and each root needs replies alone. A question is a number of 4 bytes. Slices in these functions
 * have an element for each shard: the bytes for it, or the bytes from it. */
#ifndef DBFS_PROOF_H
#define DBFS_PROOF_H

#include "offence.h"

#include "traverse/results/results.h"

struct proof; /* each backend has its own */

/* Topics of questions. */
enum topic {
    TOPIC_CLAIMS, /* asks for the parent at a place in the block of ids of a device; the reply is an int64_t */
    TOPIC_ENDS,   /* asks for a local vertex of a shard; the reply is a struct vertex_end */
    TOPICS
};

/* The questions of one device. Vertex asker[i] asks question[i]; those for shard s are begin[s] to begin[s + 1] -
 * 1. */
struct proof_questions {
    uint32_t *asker, *question;
    uint64_t *begin; /* [p + 1] */
};

/* The arrays for the proof of device g. */
struct proof_place {
    const struct rank *rank;
    struct results *results; /* depths of results_collect */
    uint32_t g;
    uint64_t first, count; /* the block of input ids that the device holds */
};

/* ---- the proof of one root, in this order ---- */
struct proof_steps {
    /* Forgets the last root, and reads the depths of this one. */
    enum status (*begin)(struct proof *proof, struct error *e);

    /* Replies to the questions about a topic. The slices stay valid until this is called again. */
    enum status (*reply)(struct proof *proof, enum topic topic, struct slice *replies,
                         struct error *e);

    /* Takes replies about claims. */
    enum status (*take_claims)(struct proof *proof, const struct slice *replies, struct error *e);

    /* Checks vertices by themselves, and edges with both ends on this device. `root` is an input id. */
    enum status (*check)(struct proof *proof, int64_t root, struct error *e);

    /* Checks the other edges by the replies about ends. */
    enum status (*check_ends)(struct proof *proof, const struct slice *replies, struct error *e);

    /* The mask of delegates that met their parents, of mask_words(d) words. */
    enum status (*read_met)(const struct proof *proof, uint64_t *met, struct error *e);

    /* Checks that all vertices met their parents, delegates by the mask of all devices. *first: the first offence
     * that this device found. */
    enum status (*finish)(struct proof *proof, int64_t root, const uint64_t *met,
                          struct offence *first, struct error *e);
};

/* ---- opening, and questions, in this order ---- */
struct prover {
    enum status (*open)(struct proof **proof, const struct proof_place *place, struct error *e);
    void (*close)(struct proof *proof); /* NULL is allowed */

    /* Keeps questions about claims. The slices stay valid until the next search. */
    enum status (*ask_claims)(struct proof *proof, const struct proof_questions *questions,
                              struct slice *slices, struct error *e);

    /* Lists the nn neighbours on other shards, and notes which vertices ask for them. */
    enum status (*ask_ends)(struct proof *proof, struct slice *slices, struct error *e);

    /* Keeps the questions of the others to this device. */
    enum status (*keep_questions)(struct proof *proof, enum topic topic,
                                  const struct slice *questions, struct error *e);

    /* For tests: changes a depth in the array that `begin` reads. */
    enum status (*set_depth)(struct proof *proof, uint64_t vertex, int32_t depth, struct error *e);

    const struct proof_steps *steps;
};

extern const struct prover prover_cpu;
extern const struct prover prover_cuda __attribute__((weak)); /* in builds that have CUDA */

#endif
