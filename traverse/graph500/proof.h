/* proof.h: the work of one device in the proof of a tree (validate.h), as a table of functions.
 *
 * A proof belongs to a device, and lies in the memory where the device searched: prover_cpu (proof_cpu.c) or
 * prover_cuda (cuda/proof_cuda.c). validate.c takes the proofs of all ranks through the steps. Vertices of a
 * device are numbered as in struct answer_places (backend.h): locals, then delegates.
 *
 * A device asks other devices about vertices. What it asks does not change from root to root, so questions are
 * listed and sent once, and only replies for each root. A question is a number of 4 bytes. In these functions
 * slices have an element for each shard: what is for it, or what came from it.
 */
#ifndef DBFS_PROOF_H
#define DBFS_PROOF_H

#include "offence.h"

#include "traverse/results/results.h"

struct proof; /* each backend has its own */

/* Topics of questions. */
enum topic {
    TOPIC_CLAIMS, /* a place in the block of ids of a device; the reply is the parent there, int64_t */
    TOPIC_ENDS,   /* a local vertex of a shard; the reply is a struct vertex_end */
    TOPICS
};

/* The questions of one device. The vertex with the number asker[i] asks question[i]; those for shard s are from
 * begin[s] to begin[s + 1]. */
struct proof_questions {
    uint32_t *asker, *question;
    uint64_t *begin; /* [p + 1] */
};

/* The arrays that the proof of device g looks at. */
struct proof_place {
    const struct rank *rank;
    struct results *results; /* depths are those of results_collect */
    uint32_t g;
    uint64_t first, count; /* the block of input ids that the device holds */
};

/* The proof of one root, in this order. */
struct proof_steps {
    /* Forgets the last root, and reads the depths of this one. */
    enum status (*begin)(struct proof *proof, struct error *e);

    /* Replies to the questions about a topic. The slices stay valid until this is called again. */
    enum status (*reply)(struct proof *proof, enum topic topic, struct slice *replies,
                         struct error *e);

    /* Replies about claims. Delegates get theirs on the device that owns them, and INT64_MIN elsewhere. */
    enum status (*take_claims)(struct proof *proof, const struct slice *replies, struct error *e);

    /* Claims of the delegates, [d]: what this device got; what it is to take. */
    enum status (*read_delegates)(const struct proof *proof, int64_t *claims, struct error *e);
    enum status (*write_delegates)(struct proof *proof, const int64_t *claims, struct error *e);

    /* Checks vertices by themselves, and edges of which this device knows both ends. `root` is an input id. */
    enum status (*check)(struct proof *proof, int64_t root, struct error *e);

    /* Checks the other edges: replies about ends. */
    enum status (*check_ends)(struct proof *proof, const struct slice *replies, struct error *e);

    /* The mask of delegates that met their parents, mask_words(d) words. */
    enum status (*read_met)(const struct proof *proof, uint64_t *met, struct error *e);

    /* Checks that all vertices met their parents: delegates by the mask of all devices. *first: the first
     * offence that this device found. */
    enum status (*finish)(struct proof *proof, int64_t root, const uint64_t *met,
                          struct offence *first, struct error *e);
};

/* Opening, and questions, in this order. */
struct prover {
    enum status (*open)(struct proof **proof, const struct proof_place *place, struct error *e);
    void (*close)(struct proof *proof); /* NULL is allowed */

    /* Keeps questions about claims. The slices stay valid until the next search. */
    enum status (*ask_claims)(struct proof *proof, const struct proof_questions *questions,
                              struct slice *slices, struct error *e);

    /* Lists the nn neighbours on other shards, and keeps whose they are. */
    enum status (*ask_ends)(struct proof *proof, struct slice *slices, struct error *e);

    /* Keeps the questions of the others to this device. */
    enum status (*keep_questions)(struct proof *proof, enum topic topic,
                                  const struct slice *questions, struct error *e);

    /* Changes a depth where `begin` reads it, for tests. */
    enum status (*set_depth)(struct proof *proof, uint64_t vertex, int32_t depth, struct error *e);

    const struct proof_steps *steps;
};

extern const struct prover prover_cpu, prover_cuda;

#endif
