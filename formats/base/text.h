/* text.h: strict reading of numbers and sizes as people write them on command lines, and text made by
 * a function that prints it.
 *
 * Each parser returns 0 on success and -1 on anything else: empty text, a sign, trailing characters,
 * overflow. Nothing is skipped and nothing is guessed.
 */
#ifndef DBFS_TEXT_H
#define DBFS_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int parse_u64(const char *text, uint64_t *value);

/* Sixteen hexadecimal digits, as checksums and identities are written. */
int parse_hex64(const char *text, uint64_t *value);

/* Bytes with an optional binary suffix K, M, G or T (1G = 2^30), as GNU sort's -S takes them. */
int parse_size(const char *text, uint64_t *bytes);

/* A finite, non-negative decimal number. */
int parse_real(const char *text, double *value);

/* "12.3 MiB" and the like, for messages. `buffer` holds at least 16 bytes; returns it. */
char *format_size(uint64_t bytes, char *buffer, size_t buffer_bytes);

typedef void text_printer(FILE *stream, const void *context);

/* What `print` writes, ended by a NUL that *size does not count, to free; NULL when memory is out. */
char *text_printed(text_printer *print, const void *context, size_t *size);

#endif
