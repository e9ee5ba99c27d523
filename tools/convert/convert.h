/* convert.h: a conversion: edges from readers, through changes of ids, to a writer, with all threads.
 *
 * One conversion takes any number of inputs, one after the other; their edges follow each other in
 * the output in that order, and the output does not depend on the number of threads.
 */
#ifndef DBFS_CONVERT_H
#define DBFS_CONVERT_H

#include "tools/convert/names/compact.h"
#include "tools/convert/read/graph_reader.h"
#include "tools/convert/write/write_graph.h"

#include "formats/bijection.h"

/* What happens to edges between reader and writer. */
struct change {
    const struct bijection *randomize; /* NULL: no */
    const struct bijection *restore;   /* NULL: no */
    struct compact *compact;           /* NULL: no; not with randomize */
};

struct conversion;

/* Called now and then with the bytes of input worked on so far; may be NULL. */
typedef void (*convert_progress)(void *context, uint64_t input_bytes);

/* `writer` and `change` stay the caller's. `memory_bytes` bounds what the pieces under way take
 * (0: no bound). */
enum status conversion_open(struct conversion **conversion, struct graph_writer *writer,
                            const struct change *change, int threads, uint64_t memory_bytes,
                            struct error *e);
void conversion_free(struct conversion *conversion); /* NULL is allowed */

void conversion_on_progress(struct conversion *conversion, convert_progress progress,
                            void *context);

/* Work that threads do while an input leaves them none; returns zero when there is none. */
void conversion_on_idle(struct conversion *conversion, int (*idle)(void *context), void *context);

/* Reads one input to its end and finishes the reader. `fold`: of the two lines of each undirected
 * edge only the one with u <= v is kept, and both must be there. */
enum status conversion_read(struct conversion *conversion, struct graph_reader *reader, int fold,
                            struct error *e);

/* Writes what is left; `n` is the least number of vertices. */
enum status conversion_finish(struct conversion *conversion, uint64_t n, struct error *e);

/* Edges written, and after finishing the smallest n that holds their ids. */
uint64_t conversion_edges(const struct conversion *conversion);
uint64_t conversion_bound(const struct conversion *conversion);

#endif
