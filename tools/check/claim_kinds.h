/* claim_kinds.h: recognises the kinds of result files (claim_file.h) by their first bytes, and reads arrays of NumPy and texts */
#ifndef DBFS_CLAIM_KINDS_H
#define DBFS_CLAIM_KINDS_H

#include "claim_file.h"

#include <stddef.h>

enum { CLAIM_HEAD_BYTES = 4096 }; /* of a file, to tell its kind */

/* How the lines of a text are written: CSV with or without a line of titles, or lines with tabs or blanks. */
struct text_layout {
    size_t begin;   /* bytes before the line of the first vertex */
    int titled;     /* 1: the first line has titles */
    char separator; /* ',', a tab, or, as version 1.0.0 has written texts, a blank */
    unsigned fields; /* 2: id and value; 3: id, depth and parent */
};

/* Nonzero if a file that begins with `head` is an array of NumPy, a text of lines of an id and one or two values, which begin with the id
 * `base`, and whose layout is then in *layout, or any other text. Raw integers of 4 bytes are no text, because they have a byte 0 or 255
 * somewhere. */
int claim_is_npy(const unsigned char *head, size_t count);
int claim_is_text(const unsigned char *head, size_t count, uint32_t base, struct text_layout *layout);
int claim_is_lines(const unsigned char *head, size_t count);

/* Reads the header of an array of NumPy in a file of `bytes` bytes, and notes where its values begin, their width and number.
 * ST_BAD_DATA if the array has more than one dimension, a wrong size, or anything but little-endian integers. */
enum status claim_npy_open(struct claim_file *file, const unsigned char *head, size_t count,
                            uint64_t bytes, struct error *e);

/* Appends the values of a text to the file `to`, as integers of 8 bytes, and counts them: of two values the depth if
 * file->is_depths, otherwise the parent. Parents count from 0 there. ST_BAD_DATA names the first line that differs from the layout;
 * ST_INVALID one whose parent is below file->base. */
enum status claim_text_convert(struct claim_file *file, const struct text_layout *layout, int to, const char *tmpdir,
                               struct error *e);

#endif
