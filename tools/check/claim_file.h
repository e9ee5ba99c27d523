/* claim_file.h: a file of results, with one value for every vertex: its depth or its parent; -1, or the largest unsigned value,
 * if it was not reached.
 *
 * The kind of the file is found by its content:
 * - .npy: an array of NumPy of one dimension, of integers of 1, 2, 4 or 8 bytes.
 * - text: lines of an id and its value, or of an id, its depth and its parent, of all ids, ascending from
 *   what people call vertex 0; parents likewise. All lines have the
 *   same separator: a comma, a tab or a blank. With commas the first line may be that of the names of the columns.
 * - raw: any other file whose size is that of n integers of 1, 2, 4 or 8 bytes.
 *
 * No file is held in memory, but any window of values can be read at any time. So the values of a text, as integers of 8 bytes,
 * and whatever comes from a pipe, are first copied to a nameless temporary file.
 */
#ifndef DBFS_CLAIM_FILE_H
#define DBFS_CLAIM_FILE_H

#include "formats/base/status.h"

#include <stdint.h>
#include <sys/types.h>

struct claim_file {
    char *name; /* for messages */
    int fd;
    uint32_t base;  /* what a text calls vertex 0: 0 or 1 */
    int is_depths;  /* 1: of a text with both, the depths are read; 0: the parents */
    off_t start;    /* of value 0 */
    uint32_t width; /* bytes of a value */
    int is_unsigned;
    uint64_t count; /* values */
};

enum { CLAIM_NONE = -1 }; /* the value of a vertex that was not reached */

/* Opens the depths, or the parents, of a graph of n vertices, of which people call the first one `base`; "-" is standard input. After a
 * failure the file need not be closed. ST_BAD_DATA if it is none of the three kinds above, or damaged; ST_INVALID if an array or a text
 * has not n values. */
enum status claim_file_open(struct claim_file *file, const char *path, int is_depths, uint64_t n, uint32_t base,
                            const char *tmpdir, struct error *e);
void claim_file_close(struct claim_file *file); /* a zeroed one is allowed */

/* Reads the values of vertices `first` to first + count - 1. */
enum status claim_file_read(const struct claim_file *file, uint64_t first, uint64_t count,
                             int64_t *values, struct error *e);

#endif
