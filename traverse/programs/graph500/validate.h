/* validate.h: proves that a breadth-first tree is one, in memory, by all ranks (Graph500, section 8).
 *
 * The proof is about the answer: the parents in the memory of the devices. The distances of the search are a certificate,
 * which is checked and not trusted:
 * - the root has distance 0 and is its own parent, and no other vertex is its own parent;
 * - a vertex has a parent exactly if it has a distance; the graph has the edge to the parent, and the parent is one level
 *   nearer to the root;
 * - the ends of every edge of the graph have distances that differ by at most one, or neither end has a distance.
 * So the parents are a tree from the root, without a cycle, of edges of the graph. The tree spans the component of the root,
 * and every path in it is a shortest one. */
#ifndef DBFS_VALIDATE_H
#define DBFS_VALIDATE_H

#include "proof.h"

struct validation {
    const struct rank *rank;
    struct proof *proofs; /* [G] */
    struct results *results;
    struct slices slices;
    uint64_t *met, *met_of_device; /* bitmaps of delegates that have met their parents (proof_loops.h) */
    int64_t *claim, *claim_of_device; /* [d] parents of delegates, to prove */
    struct offence first;             /* of this rank */
    int64_t root;                     /* input id */
};

/* Collective. Takes arrays over the vertices of this rank, in the memory where the devices search. */
enum status validation_open(struct validation *validation, const struct rank *rank, struct results *results,
                            struct error *e);
void validation_close(struct validation *validation); /* a zeroed one is allowed */

/* Collective. Proves the tree of a root, after answers_make of parents and results_collect. Sets *first to the first of
 * all offences (offence_comes_before), on all ranks; its kind is OFFENCE_NONE if the tree is right. A failure is known to
 * this rank only, so the caller must end the job. */
enum status validation_check(struct validation *validation, const struct root *root, struct offence *first,
                             struct error *e);

#endif
