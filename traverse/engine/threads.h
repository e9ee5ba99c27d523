/* threads.h: how this process uses OpenMP threads */
#ifndef DBFS_THREADS_H
#define DBFS_THREADS_H

#include <omp.h>

/* Ends the threads of OpenMP. The next parallel region of OpenMP starts them again. Called before a search is timed,
 * because a search has its own threads. The threads of OpenMP load graphs and check results. After their work they spin
 * for milliseconds, and would use the cores that the search needs. If the library cannot end its threads, the search is
 * slower for some milliseconds. */
static inline void threads_let_go(void)
{
    omp_pause_resource_all(omp_pause_soft);
}

/* If there are more vertices than this, it is worthwhile to start the threads of OpenMP after a search. Starting them
 * takes milliseconds on a machine with few cores. One thread reads this many vertices in one or two milliseconds. */
enum { WORTH_THREADS = 1 << 19 };

#endif
