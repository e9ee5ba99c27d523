/* claim_kinds.h: recognises the kinds of result files (claim_file.h) by their first bytes, and reads arrays of NumPy and texts */
#ifndef DBFS_CLAIM_KINDS_H
#define DBFS_CLAIM_KINDS_H

#include "claim_file.h"

#include <stddef.h>

enum { CLAIM_HEAD_BYTES = 4096 }; /* of a file, to tell its kind */

/* Nonzero if a file that begins with `head` is an array of NumPy, a text of lines `id value` or `id,value`, or any other text.
 * Raw integers of 4 bytes are no text, because they have a byte 0 or 255 somewhere. */
int claim_is_npy(const unsigned char *head, size_t count);
int claim_is_text(const unsigned char *head, size_t count);
int claim_is_lines(const unsigned char *head, size_t count);

/* Reads the header of an array of NumPy in a file of `bytes` bytes, and notes where its values begin, their width and number.
 * ST_BAD_DATA if the array has more than one dimension, a wrong size, or anything but little-endian integers. */
enum status claim_npy_open(struct claim_file *file, const unsigned char *head, size_t count,
                            uint64_t bytes, struct error *e);

/* Appends the values of a text to the file `to`, as integers of 8 bytes, and counts them. ST_BAD_DATA names the first line that
 * is not `id value`, or not `id,value` if the first line has a comma. */
enum status claim_text_convert(struct claim_file *file, int to, const char *tmpdir, struct error *e);

#endif
