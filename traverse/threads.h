/* threads.h: how this process uses OpenMP threads */
#ifndef DBFS_THREADS_H
#define DBFS_THREADS_H

/* To be called first in main. Threads that wait for each other should spin a moment and then sleep:
 * by default libgomp spins for long, and where other work holds a core, a search of 2 ms takes 50.
 * libgomp reads this from the environment before main, so the program starts itself once more with
 * GOMP_SPINCOUNT set, unless the user has chosen by OMP_WAIT_POLICY or GOMP_SPINCOUNT. */
void threads_wait_briefly(char **argv);

#endif
