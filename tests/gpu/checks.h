/* checks.h: prints one result for many inputs: begin a check, name each input, end the check */
#ifndef DBFS_TESTS_GPU_CHECKS_H
#define DBFS_TESTS_GPU_CHECKS_H

void check_begin(void);

/* Names the next input, for messages about problems. */
void check_input(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Notes a problem if `ok` is 0, and the check fails. The first few problems are printed. Returns ok. */
int check_that(int ok, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "ok - NAME  [FILE:LINE]" or "not ok - NAME  [FILE:LINE]" with the place of the call. */
#define check_end(...) check_end_at(__FILE__, __LINE__, __VA_ARGS__)
void check_end_at(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The exit code of the program. */
int checks_result(void);

#endif
