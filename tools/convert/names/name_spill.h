/* name_spill.h: numbers names that do not fit into memory, with files on disk.
 *
 * The hash of a name chooses one of NAME_PARTITIONS streams on disk, to which each occurrence of the name is appended. Its edge
 * is appended to one more stream, with partitions in place of numbers. That is enough to restore the order later: an edge tells
 * the partitions of its names, and within a partition names come in the order of the input. name_spill_resolve then makes
 * three passes:
 *
 *   1  partition by partition, each of which fits into memory: replaces each occurrence by the index of its
 *      name among the names of the partition; the first occurrence keeps the name, too
 *   2  along the edges: numbers each name at its first occurrence and writes it to the map
 *   3  partition by partition: replaces each index by the number
 *
 * name_spill_next makes the fourth pass: it reads the edges again and puts in the numbers. All streams are read in order;
 * nothing is sorted.
 */
#ifndef DBFS_NAME_SPILL_H
#define DBFS_NAME_SPILL_H

#include "tools/convert/piece/names.h"
#include "tools/spill/spill_stream.h"

#include "formats/base/outfile.h"

enum {
    NAME_PARTITIONS = 256,
    /* the most buffers open at once: pass 2 reads a stream and writes a stream for each partition, and reads the edges */
    NAME_SPILL_BUFFERS = 2 * NAME_PARTITIONS + 2
};

struct name_spill;

enum status name_spill_open(struct name_spill **spill, struct workspace *space, struct error *e);
void name_spill_close(struct name_spill *spill); /* NULL is allowed */

/* Writes one occurrence of a name to disk. *mark is set to the number that stands for the name in its edge until then. */
enum status name_spill_name(struct name_spill *spill, const struct name *name, uint64_t *mark,
                            struct error *e);

/* Takes an edge of numbers and marks, after its names. v may be NAME_NONE. */
enum status name_spill_edge(struct name_spill *spill, const struct edge *edge, struct error *e);

/* Numbers all names, after the last edge. New names get numbers from *count on and are appended to `map`, a line for each; *count
 * becomes the number of all names. ST_RESOURCE if the names of one partition take more than `table_bytes` of the budget. */
enum status name_spill_resolve(struct name_spill *spill, struct outfile *map, uint64_t *count,
                               uint64_t table_bytes, struct error *e);

/* Gives the next edges, numbered and in order; none at the end. Call it after name_spill_resolve. */
enum status name_spill_next(struct name_spill *spill, struct edge *edges, size_t room,
                            size_t *count, struct error *e);

uint64_t name_spill_bytes(const struct name_spill *spill); /* the most bytes on disk so far */

#endif
