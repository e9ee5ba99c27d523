/* launch.h: whether a launcher such as mpiexec started this process, as far as its environment tells */
#ifndef DBFS_LAUNCH_H
#define DBFS_LAUNCH_H

/* The number of processes that the launcher started; 1 without one. If there are several, *variable
 * is the environment variable that says so. */
long launched_processes(const char **variable);

#endif
