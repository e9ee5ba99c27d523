/* validate.h: proves that a breadth-first tree is correct, in memory, by all ranks (Graph500, section 8).
 *
 * The proof is about the answer: the parents in the memory of the devices. The distances of the search are a certificate:
 * the proof checks them, too, and does not trust them. The proof checks that
 * - the root has distance 0 and is its own parent, and no other vertex is its own parent;
 * - a vertex has a parent exactly if it has a distance;
 * - the graph has the edge from a vertex to its parent, and the parent is one level nearer to the root;
 * - the two ends of every edge of the graph have distances that differ by at most one, or both ends have no distance.
 *
 * So the parents are a tree from the root, without a cycle, of edges of the graph. The tree spans the component of the
 * root, and every path in the tree is a shortest path. */
#ifndef DBFS_VALIDATE_H
#define DBFS_VALIDATE_H

#include "proof.h"

/* The state of the proofs on one rank. */
struct validation {
    const struct rank *rank;
    struct proof *proofs; /* [G] one for each device of this rank */
    struct results *results;
    struct slices slices;
    /* [d] bitmaps of the delegates that have met their parents (proof_loops.h). `met`: on any device; met_of_device: on one
     * device */
    uint64_t *met, *met_of_device;
    /* [d] parents of delegates, to prove. `claim`: as all devices know them; claim_of_device: a copy from one device */
    int64_t *claim, *claim_of_device;
    struct offence first;             /* the first offence that this rank has found */
    int64_t root;                     /* input id of the root whose tree is proved */
};

/* Collective. Opens *validation for proofs of the answers of *results: allocates arrays over the vertices of this rank, in
 * the memory where the devices search. Fails on all ranks if one rank fails. After a failure, too, validation_close is to
 * be called. */
enum status validation_open(struct validation *validation, const struct rank *rank, struct results *results,
                            struct error *e);
void validation_close(struct validation *validation); /* frees all memory; *validation may be all zeros */

/* Collective. Proves the tree of a root. Called after answers_make has made the parents and results_collect has collected
 * the depths. Sets *first to the first offence of all ranks (offence_comes_before); its kind is OFFENCE_NONE if the tree is
 * correct. A wrong tree is no failure. A failure is known to this rank only, so the caller must end the job. */
enum status validation_check(struct validation *validation, const struct root *root, struct offence *first,
                             struct error *e);

#endif
