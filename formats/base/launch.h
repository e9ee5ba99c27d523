/* launch.h: finds out from the environment whether a launcher such as mpiexec started this process */
#ifndef DBFS_LAUNCH_H
#define DBFS_LAUNCH_H

/* Returns the number of processes that the launcher started; 1 without a launcher. If there are several,
 * *variable is the name of the environment variable that says so. */
long launched_processes(const char **variable);

#endif
