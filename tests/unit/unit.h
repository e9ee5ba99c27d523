/* unit.h: functions that the unit tests share: each check prints one line; the exit status is 1 if any failed */
#ifndef DBFS_TESTS_UNIT_H
#define DBFS_TESTS_UNIT_H

#include <stdio.h>
#include <unistd.h>

static int unit_failures;

/* Prints "ok - NAME  [FILE:LINE]" or "not ok - NAME  [FILE:LINE]" with the place of the call, and counts failures. */
#define report(ok, name) report_at(ok, name, __FILE__, __LINE__)

static inline void report_at(int ok, const char *name, const char *file, int line)
{
    printf("%s - %s  [%s:%d]\n", ok ? "ok" : "not ok", name, file, line);
    unit_failures += !ok;
}

/* Makes a folder for thousands of small files, in memory if possible. */
static inline const char *unit_place(void)
{
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

static inline int unit_result(void)
{
    return unit_failures != 0;
}

#endif
