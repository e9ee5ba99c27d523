/* threads.c: see threads.h */
#include "threads.h"

#include <stdlib.h>
#include <unistd.h>

#define SPINS "1000" /* some 20 microseconds, about what waking a sleeper costs */

void threads_wait_briefly(char **argv)
{
    if (getenv("OMP_WAIT_POLICY") != NULL || getenv("GOMP_SPINCOUNT") != NULL)
        return;
    if (setenv("GOMP_SPINCOUNT", SPINS, 1) == 0)
        execv("/proc/self/exe", argv); /* returns only where that cannot be had: then as it is */
}
