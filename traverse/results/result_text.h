/* result_text.h: the lines of a text result: an id, a separator, a value */
#ifndef DBFS_RESULT_TEXT_H
#define DBFS_RESULT_TEXT_H

#include <stddef.h>
#include <stdint.h>

enum { RESULT_LINE_BYTES = 48 }; /* at least the bytes of the longest line */

/* Writes the lines of ids first..first+count to `at`, and returns their end. */
char *result_lines(char *at, char separator, uint64_t first, uint64_t count, const int64_t *values);

/* Writes a number in decimal, without a terminator. Returns its end. */
char *result_number(char *at, int64_t value);

#endif
