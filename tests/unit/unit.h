/* unit.h: functions that the unit tests share: each check prints one line; the exit status is 1 if any failed */
#ifndef DBFS_TESTS_UNIT_H
#define DBFS_TESTS_UNIT_H

#include <stdio.h>
#include <unistd.h>

static int unit_failures;

static inline void report(int ok, const char *name)
{
    printf("%s - %s\n", ok ? "ok" : "not ok", name);
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
