/* threads.h: how this process uses OpenMP threads */
#ifndef DBFS_THREADS_H
#define DBFS_THREADS_H

/* Makes threads that wait for each other spin a moment and then sleep. Call it first in main. By default
 * libgomp spins for long: if other work holds a core, a search of 2 ms then takes 50 ms. libgomp reads its
 * setting from the environment before main. So this function sets GOMP_SPINCOUNT and starts the program once
 * more, unless the user has set OMP_WAIT_POLICY or GOMP_SPINCOUNT. */
void threads_wait_briefly(char **argv);

#endif
