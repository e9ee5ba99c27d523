/* threads.h: how this process uses OpenMP threads */
#ifndef DBFS_THREADS_H
#define DBFS_THREADS_H

#include <omp.h>

/* Ends the threads of OpenMP. The next parallel region starts them again. Called before a search is timed. A search has
 * threads of its own. The threads of OpenMP, which load graphs and check results, spin for milliseconds after their work.
 * They would hold the cores that the search needs. If the library cannot end its threads, the search is slower for some
 * milliseconds. */
static inline void threads_let_go(void)
{
    omp_pause_resource_all(omp_pause_soft);
}

/* With more vertices than this it is worth starting the threads of OpenMP after a search. Starting them takes milliseconds
 * where cores are few. One thread looks at this many vertices in one or two milliseconds. */
enum { WORTH_THREADS = 1 << 19 };

#endif
