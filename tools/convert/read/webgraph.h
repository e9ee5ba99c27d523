/* webgraph.h: decodes the lists of successors of a graph of WebGraph (BV format), node after node.
 *
 * A node stands in the stream as:
 *   outdegree d                          nothing follows if it is 0
 *   reference r                          if the window is not 0; r > 0: parts of the list of node - r are copied
 *   blocks: count, lengths               if r > 0; copied and left out by turns; behind the last one the rest is the
 *                                        other kind. All lengths but the first are less by 1
 *   intervals: count, (left, length)     if successors remain and intervals are allowed; the first left end is relative
 *                                        to the node and signed, others to the end of the interval before, less by 1
 *   residuals                            the remaining successors: the first relative to the node and signed, others
 *                                        to the one before, less by 1
 *
 * The lists of the last `window` nodes are kept, as ascending ids. Their memory is bounded by the caller. Each number of
 * the file is checked before it is an index or a size; the list is checked when it is whole.
 */
#ifndef DBFS_WEBGRAPH_H
#define DBFS_WEBGRAPH_H

#include "webgraph_properties.h"

struct webgraph_list {
    uint64_t *ids;
    uint64_t count, room;
    int known; /* 0: the list refers to a node before the first one that was decoded */
};

/* Runs of a list: copied blocks of the list it refers to, or intervals. */
struct webgraph_run {
    uint64_t first, count;
};

struct webgraph_decoder {
    const struct webgraph_properties *properties;
    const char *name; /* of the file, for messages */
    struct bit_reader in;
    uint64_t first, next; /* the node that decoding began at; the node to be decoded next */
    struct webgraph_list *window; /* the list of node v is window[v % (properties->window + 1)] */
    struct webgraph_run *runs;
    uint64_t run_room;
    uint64_t taken_bytes, most_bytes; /* of lists and runs */
    int is_short; /* memory is: a list has no room that it does not use */
};

/* Opens a decoder at the first node. Lists may take `most_bytes`. What it points to stays the caller's. */
enum status webgraph_open(struct webgraph_decoder *d, const struct webgraph_properties *properties,
                          struct bit_source source, const char *name, uint64_t most_bytes, struct error *e);
void webgraph_close(struct webgraph_decoder *d); /* zeroed ones are allowed */

/* Goes to a node, which begins at a bit, and forgets all lists. */
void webgraph_seek(struct webgraph_decoder *d, uint64_t node, uint64_t bit);

/* Decodes the list of the next node. It is valid until window + 1 more have been decoded.
 * ST_RESOURCE: the lists need more than most_bytes. */
enum status webgraph_next(struct webgraph_decoder *d, const struct webgraph_list **list, struct error *e);

/* The same for a node before those that are wanted, which begins at `bit`: a list that refers to an unknown one, and so is
 * of no use, becomes unknown itself. */
enum status webgraph_approach(struct webgraph_decoder *d, uint64_t bit, struct error *e);

/* Reads the head of the node at the reader's place: its outdegree, and the reference, 0 if there is none. */
static inline void webgraph_head(struct bit_reader *in, const struct webgraph_properties *p, uint64_t *degree,
                                 uint64_t *reference)
{
    *degree = bits_value(in, p->code[PART_OUTDEGREES], 0);
    *reference = *degree > 0 && p->window > 0 ? bits_value(in, p->code[PART_REFERENCES], 0) : 0;
}

/* ST_BAD_DATA if the file does not end where the reader is, after the last node, but for padding. */
enum status webgraph_check_end(struct bit_reader *in, const char *name, const char *what, struct error *e);

#endif
