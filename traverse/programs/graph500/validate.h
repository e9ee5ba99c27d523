/* validate.h: proves that a breadth-first tree is correct, by all ranks together and in memory (Graph500, section 8).
 *
 * The tree is the answer: the parents in the memory of the devices. The distances of the search help in the proof, but are
 * not trusted, and are checked, too. The proof checks that
 * - the root has distance 0 and is its own parent, and no other vertex is its own parent;
 * - each vertex with a distance has a parent, and each vertex without a distance has none;
 * - the graph has the edge from a vertex to its parent, and the parent is one level nearer to the root;
 * - the two ends of every edge of the graph have distances that differ by at most one, or both ends have no distance.
 * So the parents are a tree of edges of the graph, which has no cycle and spans the component of the root, and every path
 * from the root in the tree is a shortest path. */
#ifndef DBFS_VALIDATE_H
#define DBFS_VALIDATE_H

#include "proof.h"

/* The state of the proofs on one rank. */
struct validation {
    const struct rank *rank;
    struct proof *proofs; /* [G] a proof for each device of this rank */
    struct results *results;
    struct byte_spans spans;
    /* [d] bitmaps of delegates (proof_loops.h): those that have an edge to their parents on any device, and those that have on one */
    uint64_t *parent_seen, *seen_of_device;
    /* [d] the claimed parents of delegates: those that all devices get, and those that one device has */
    int64_t *claim, *claim_of_device;
    struct offence first;             /* the first offence that this rank has found */
    int64_t root;                     /* input id of the root of the tree */
};

/* Collective. Opens *validation for proofs of the answers of *results. Allocates arrays over the vertices of this rank, in
 * the memory in which the devices search. Fails on all ranks if one rank fails. The caller calls validation_close even
 * after a failure. */
enum status validation_open(struct validation *validation, const struct rank *rank, struct results *results,
                            struct error *e);
void validation_close(struct validation *validation); /* frees all memory; *validation may be all zeros */

/* Collective. Proves the tree of a root, after answers_make and results_collect. Sets *first to the first offence of all
 * ranks, in the order of offence_comes_before; its kind is OFFENCE_NONE if the tree is correct. A wrong tree is no failure.
 * Only this rank knows of a failure, so the caller must then end the job. */
enum status validation_check(struct validation *validation, const struct root *root, struct offence *first,
                             struct error *e);

#endif
