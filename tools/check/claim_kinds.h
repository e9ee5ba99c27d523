/* claim_kinds.h: recognises the kinds of result files by their first bytes, and reads them: see
 * claim_file.h */
#ifndef DBFS_CLAIM_KINDS_H
#define DBFS_CLAIM_KINDS_H

#include "claim_file.h"

#include <stddef.h>

enum { CLAIM_HEAD_BYTES = 4096 }; /* of a file, to tell its kind */

/* Nonzero if a file that begins with these bytes is an array of NumPy; has lines `id value` or
 * `id,value`; has any other lines. Integers of 4 bytes have a byte 0 or 255 somewhere; lines have
 * none. */
int claim_is_npy(const unsigned char *head, size_t count);
int claim_is_text(const unsigned char *head, size_t count);
int claim_is_lines(const unsigned char *head, size_t count);

/* Fills in the place, width and number of the values of an array of NumPy, whose file has `bytes` bytes.
 * ST_BAD_DATA: not one dimension, not integers, not little-endian, or a wrong size. */
enum status claim_npy_open(struct claim_file *file, const unsigned char *head, size_t count,
                            uint64_t bytes, struct error *e);

/* Appends the values of a text to the file `to`, as integers of 8 bytes, and counts them. ST_BAD_DATA names
 * the first line that is not `id value`, or `id,value` if the first line has a comma. */
enum status claim_text_convert(struct claim_file *file, int to, const char *tmpdir,
                                struct error *e);

#endif
