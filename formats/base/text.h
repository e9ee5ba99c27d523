/* text.h: reads the numbers and sizes that people write on command lines; prints text into memory. The parsers are strict. Each returns 0
 * on success and -1 on anything else: empty text, a sign, trailing characters, overflow. Nothing is skipped and nothing is guessed. */
#ifndef DBFS_TEXT_H
#define DBFS_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int parse_u64(const char *text, uint64_t *value);

/* Returns nonzero if the text consists of digits. A caller whose parse_u64 failed learns by it that the number is too large. */
int has_digits_alone(const char *text);

/* Sixteen hexadecimal digits, as checksums and identities are written. */
int parse_hex64(const char *text, uint64_t *value);

/* Parses a number of bytes with an optional suffix K, M, G or T (1G = 2^30), as option -S of GNU sort takes it. */
int parse_size(const char *text, uint64_t *bytes);

/* A finite, non-negative decimal number. */
int parse_real(const char *text, double *value);

/* Writes a size for messages, such as "12.3 MiB". `buffer` holds at least 16 bytes and is returned. */
char *format_size(uint64_t bytes, char *buffer, size_t buffer_bytes);

typedef void text_printer(FILE *stream, const void *context);

/* Returns the text that `print` writes, followed by a NUL that *size does not count. The caller frees it. NULL when memory runs out. */
char *text_printed(text_printer *print, const void *context, size_t *size);

/* Prints text that comes from a file or the user. Control characters are printed as \xNN, so that a terminal shows them and
 * does not obey them. Tabs and all other UTF-8 characters are printed as they are. */
void text_print_visible(FILE *out, const char *bytes, size_t length);

/* Prints text as one word of a command for bash, which people may copy from a terminal: in quotes where a shell would take it for
 * anything else. Control characters are printed as \xNN within $'...'. */
void text_print_word(FILE *out, const char *bytes, size_t length);

/* Returns a text as such a word, for a message. The caller frees it. NULL when memory runs out. */
char *text_word(const char *text);

#endif
