/* fuzz.h: the interface of a fuzz target, and functions that targets share
 *
 * A target is a file fuzz_NAME.c with one function. It gets any bytes and must return, without a crash, a finding
 * of a sanitizer, or more than 10 seconds. driver.c runs it over changed seeds; libfuzzer.c lets clang's libFuzzer
 * choose changes. Both make CRCs right (mend.h), so that readers come to the data behind them. */
#ifndef DBFS_TESTS_FUZZ_H
#define DBFS_TESTS_FUZZ_H

#include <stddef.h>

enum { FUZZ_MOST_BYTES = 1 << 20 };

/* Returns nonzero if the bytes pass the last check, as those of a seed do. */
int fuzz_one(const unsigned char *bytes, size_t size);

/* Makes a file in memory with these bytes. Returns its path, and in *fd its descriptor at the start. Both are
 * valid until the next call. */
const char *fuzz_file(const unsigned char *bytes, size_t size, int *fd);

/* a folder in memory that is removed at the end of the program, and files of up to four names in it */
const char *fuzz_folder(void);
void fuzz_file_in_folder(const char *name, const unsigned char *bytes, size_t size);

#endif
