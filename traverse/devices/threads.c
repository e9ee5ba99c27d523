/* threads.c: see threads.h */
#include "threads.h"

#include <omp.h>

/* Ends the threads of OpenMP. If the library cannot, they stay, and the search is slower for some milliseconds. */
void threads_let_go(void)
{
    omp_pause_resource_all(omp_pause_soft);
}
