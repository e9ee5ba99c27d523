/* validate.h: proves that a breadth-first tree is one, in memory, by all ranks (Graph500, section 8).
 *
 * What is proved is the answer: the parents that stand in memory by input id. The distances of the search serve
 * as a certificate. They are checked, not trusted:
 * - the root has distance 0 and is its own parent, and no other vertex is;
 * - a vertex has a parent exactly if it has a distance, and it has an edge exactly to a parent that stands one
 *   level above it;
 * - the ends of every edge of the graph have distances that differ by at most one, or both have none.
 * So the parents are a tree from the root, without a cycle, of edges of the graph; it spans the component of the
 * root; and every path in it is a shortest one.
 */
#ifndef DBFS_VALIDATE_H
#define DBFS_VALIDATE_H

#include "traverse/results/results.h"

/* What is wrong, in the order in which it is reported of one vertex. */
enum offence_kind {
    OFFENCE_NONE,
    OFFENCE_ROOT,        /* depth of the root */
    OFFENCE_NO_PARENT,   /* depth, but no parent */
    OFFENCE_NO_DEPTH,    /* parent, but no depth */
    OFFENCE_OWN_PARENT,  /* its own parent; or the root has another one */
    OFFENCE_EDGE,        /* an edge whose depths differ by more than one, or of which one is none */
    OFFENCE_LEVEL,       /* an edge of the tree that does not go down one level */
    OFFENCE_NO_EDGE      /* an edge of the tree that the graph does not have */
};

struct offence {
    enum offence_kind kind;
    uint64_t vertex; /* input id */
    int64_t other;   /* the other end, or the parent */
    int64_t depth, other_depth;
};

struct validation;

/* Takes arrays over the vertices of this rank. The columns of the shards are in memory of the host. */
enum status validation_open(struct validation **validation, const struct rank *rank,
                            struct results *results, struct error *e);
void validation_close(struct validation *validation); /* NULL is allowed */

/* Collective, after results_answer of parents and results_collect. Copies this rank's part of the answer; the
 * caller may look at it. */
enum status validation_read(struct validation *validation, struct error *e);
int64_t validation_claim(const struct validation *validation, uint64_t id);
void validation_set_claim(struct validation *validation, uint64_t id, int64_t parent);

/* Collective, after validation_read. *first: of all offences, the one with the smallest vertex, then kind, then
 * other end; the same on all ranks. */
enum status validation_check(struct validation *validation, const struct root *root,
                             struct offence *first, struct error *e);

/* "edge 3 5: depths 3 and 5", for instance. */
void offence_print(const struct offence *offence, char *text, size_t size);

#endif
