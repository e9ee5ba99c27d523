/* threads.h: how this process uses OpenMP threads */
#ifndef DBFS_THREADS_H
#define DBFS_THREADS_H

/* To be called first in main. Threads that wait for each other should spin a moment and then sleep. By
 * default libgomp spins for long; when other work holds a core, a search of 2 ms then takes 50. libgomp
 * reads its setting from the environment before main, so the program starts itself once more with
 * GOMP_SPINCOUNT set, unless the user has set OMP_WAIT_POLICY or GOMP_SPINCOUNT. */
void threads_wait_briefly(char **argv);

#endif
