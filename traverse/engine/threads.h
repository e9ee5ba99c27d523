/* threads.h: how this process uses OpenMP threads */
#ifndef DBFS_THREADS_H
#define DBFS_THREADS_H

#include <omp.h>

/* Ends the threads of OpenMP; the next parallel region starts them again. Call it before a search is timed.
 * A search has threads of its own. Those of OpenMP, which load graphs and check results, spin for
 * milliseconds after their work and would hold the cores that the search needs. If the library cannot end them, the
 * search is slower for some milliseconds. */
static inline void threads_let_go(void)
{
    omp_pause_resource_all(omp_pause_soft);
}

/* Vertices above which it is worth starting the threads of OpenMP after a search: this takes milliseconds where cores are
 * few, and one thread looks at so many vertices in one or two milliseconds. */
enum { WORTH_THREADS = 1 << 19 };

#endif
