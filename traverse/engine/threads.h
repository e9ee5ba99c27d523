/* threads.h: how this process uses OpenMP threads */
#ifndef DBFS_THREADS_H
#define DBFS_THREADS_H

#include <omp.h>

/* Ends the threads of OpenMP, which load graphs and check results. Called before a search is timed, because idle OpenMP
 * threads spin for milliseconds on cores that the search's own threads need. The next parallel region of OpenMP starts
 * new threads. If the library cannot end its threads, the search is only slower for some milliseconds. */
static inline void threads_let_go(void)
{
    omp_pause_resource_all(omp_pause_soft);
}

/* With more vertices than this, work after a search is worth starting the threads of OpenMP again. Starting them takes
 * milliseconds on few cores, and one thread reads so many vertices in one or two milliseconds. */
enum { WORTH_THREADS = 1 << 19 };

#endif
