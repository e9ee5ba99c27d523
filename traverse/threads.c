/* threads.c: see threads.h */
#include "threads.h"

#include <stdlib.h>
#include <unistd.h>

#define SPINS "1000" /* some 20 microseconds, about what waking a sleeper costs */

/* The path and not /proc/self/exe is executed, so that ps and top show the program's name. */
static void execute_again(char **argv)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length > 0) {
        path[length] = '\0';
        execv(path, argv);
    }
    execv("/proc/self/exe", argv); /* the file was replaced or removed */
}

void threads_wait_briefly(char **argv)
{
    if (getenv("OMP_WAIT_POLICY") != NULL || getenv("GOMP_SPINCOUNT") != NULL)
        return;
    if (setenv("GOMP_SPINCOUNT", SPINS, 1) == 0)
        execute_again(argv); /* returns only where that cannot be had: then as it is */
}
