/* fuzz.h: the interface of a fuzz target, and functions that targets share
 *
 * A target is a file fuzz_NAME.c with one function, which is given any bytes and must come back: no crash, no
 * sanitizer finding, no more than 10 seconds. driver.c runs it over changed seeds by itself; libfuzzer.c lets
 * clang's libFuzzer choose what to change. Both mend CRCs (mend.h), so that what is behind them is reached.
 */
#ifndef DBFS_TESTS_FUZZ_H
#define DBFS_TESTS_FUZZ_H

#include <stddef.h>

enum { FUZZ_MOST_BYTES = 1 << 20 };

/* Nonzero if the bytes are in order to the last check: those of a seed are. */
int fuzz_one(const unsigned char *bytes, size_t size);

/* A file in memory with these bytes, at its start: its path, and in *fd its descriptor. Both are valid until
 * the next call. */
const char *fuzz_file(const unsigned char *bytes, size_t size, int *fd);

/* A folder in memory that is removed when the program ends, and a file in it. */
const char *fuzz_folder(void);
void fuzz_file_in_folder(const char *name, const unsigned char *bytes, size_t size);

#endif
