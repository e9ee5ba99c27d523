/* launch.h: finds out from the environment if a launcher such as mpiexec started this process */
#ifndef DBFS_LAUNCH_H
#define DBFS_LAUNCH_H

/* The number of processes that the launcher started; 1 without one. If there are several, *variable
 * is the environment variable that says so. */
long launched_processes(const char **variable);

#endif
