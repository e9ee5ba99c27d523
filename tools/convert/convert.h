/* convert.h: a conversion: reads edges from inputs, changes their ids and writes them, with all threads. A conversion takes any
 * number of inputs, one after the other. The output has their edges in the same order, whatever the number of threads. */
#ifndef DBFS_CONVERT_H
#define DBFS_CONVERT_H

#include "tools/convert/names/compact.h"
#include "tools/convert/read/graph_reader.h"
#include "tools/convert/write/write_graph.h"

#include "formats/bijection.h"

/* What happens to ids between reading and writing; a member is NULL if that does not happen. */
struct change {
    const struct bijection *randomize;
    const struct bijection *restore;
    struct compact *compact; /* not together with randomize */
};

struct conversion;

/* Opens a conversion. The caller keeps `writer` and what `change` points to. `memory_bytes` bounds the memory of the pieces
 * under way; 0 is no bound. */
enum status conversion_open(struct conversion **conversion, struct graph_writer *writer,
                            const struct change *change, int threads, uint64_t memory_bytes,
                            struct error *e);
void conversion_free(struct conversion *conversion); /* NULL is allowed */

/* Sets a function that threads call when an input leaves them without work. It returns 0 if it has nothing to do. */
void conversion_on_idle(struct conversion *conversion, int (*idle)(void *context), void *context);

/* Reads one input to its end and finishes its reader. With `fold` the input must have two lines for each undirected edge, u v
 * and v u, of which the one with u <= v is kept. */
enum status conversion_read(struct conversion *conversion, struct graph_reader *reader, int fold,
                            struct error *e);

/* Writes the edges that are left. The graph has `n` vertices, or more if ids are larger. */
enum status conversion_finish(struct conversion *conversion, uint64_t n, struct error *e);

/* Return the number of edges written so far and, after conversion_finish, the smallest n that is above all their ids. */
uint64_t conversion_edges(const struct conversion *conversion);
uint64_t conversion_bound(const struct conversion *conversion);

/* Nonzero if each edge was written as u v and as v u, so that an undirected graph would have every edge twice. Call it after
 * conversion_finish. */
int conversion_lists_twice(const struct conversion *conversion);

#endif
