/* name_spill.h: numbers names that do not fit memory, out of core.
 *
 * Every occurrence of such a name goes, by the hash of the name, to one of NAME_PARTITIONS streams
 * on disk, and its edge to a stream of edges, with the partition in place of the number. Nothing
 * else needs to be kept: within a partition names come in the order of the input, and the edges
 * say from which partition each next one comes. name_spill_resolve then makes these passes:
 *
 *   1  partition by partition, which fits memory: each occurrence -> index of its name among the
 *      names of the partition; the first time with the name itself
 *   2  along the edges: names seen the first time are numbered and written to the map
 *   3  partition by partition: each occurrence -> number
 *
 * and name_spill_next is the fourth: along the edges again, with the numbers put in. All streams
 * are read in order; nothing is sorted.
 */
#ifndef DBFS_NAME_SPILL_H
#define DBFS_NAME_SPILL_H

#include "tools/convert/piece/names.h"
#include "tools/spill/spill_stream.h"

#include "formats/base/outfile.h"

enum {
    NAME_PARTITIONS = 256,
    /* that are open at once: pass 2 reads and writes one of each partition, and reads the edges */
    NAME_SPILL_BUFFERS = 2 * NAME_PARTITIONS + 2
};

struct name_spill;

enum status name_spill_open(struct name_spill **spill, struct workspace *space, struct error *e);
void name_spill_close(struct name_spill *spill); /* NULL is allowed */

/* Takes one occurrence of a name; *mark stands for it in the edge. */
enum status name_spill_name(struct name_spill *spill, const struct name *name, uint64_t *mark,
                            struct error *e);

/* Takes an edge of numbers and marks, after its names; v may be NAME_NONE. */
enum status name_spill_edge(struct name_spill *spill, const struct edge *edge, struct error *e);

/* After the last edge. New names are numbered from *count on, which becomes the number of all, and
 * appended to `map` a line each. `table_bytes` of the budget bound the names of one partition:
 * ST_RESOURCE when they are more. */
enum status name_spill_resolve(struct name_spill *spill, struct outfile *map, uint64_t *count,
                               uint64_t table_bytes, struct error *e);

/* After that: the next edges in order, none at the end. */
enum status name_spill_next(struct name_spill *spill, struct edge *edges, size_t room,
                            size_t *count, struct error *e);

uint64_t name_spill_bytes(const struct name_spill *spill); /* on disk, at the most so far */

#endif
