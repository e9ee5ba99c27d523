/* host_threads.h: the host threads of a rank that drive its devices.
 *
 * For GPUs each device has a host thread of its own, so that launching work on several GPUs takes no longer than on one. For
 * devices of the CPU there is one thread, which drives the devices one after the other, because each of them uses all cores.
 *
 * In a job all threads run the same function, each for its own devices, with a barrier where a step needs the work of other
 * devices. In a step each device is for the first thread that comes, so nobody waits for a thread that has not come: on a
 * busy host threads wake milliseconds late.
 */
#ifndef DBFS_HOST_THREADS_H
#define DBFS_HOST_THREADS_H

#include "formats/base/status.h"

#include <stdint.h>

struct host_threads;

struct host_thread {
    struct host_threads *all;
    uint32_t number;     /* thread 0 is the one that calls host_threads_run; only this thread calls MPI */
    uint32_t first, end; /* drives the devices first..end */
};

/* The function that each thread runs. It may return a failure at any point; the others get the failure at their next
 * barrier. */
typedef enum status host_thread_job(void *context, const struct host_thread *thread, struct error *e);

/* Starts threads for `devices` devices: with `side_by_side` one for each, otherwise one for all, which is the caller's. *all
 * is NULL after a failure. */
enum status host_threads_open(struct host_threads **all, uint32_t devices, int side_by_side, struct error *e);
void host_threads_close(struct host_threads *all); /* ends the threads, and frees; NULL is allowed */

/* Runs the job on every thread, and waits for all. Returns the common status, as host_threads_barrier does. */
enum status host_threads_run(struct host_threads *all, host_thread_job *job, void *context, struct error *e);

/* A step for one device, by any thread. */
typedef enum status device_step(void *context, uint32_t device, struct error *e);

/* Runs the step for each of the devices, and waits for all. Returns the failure that came first. */
enum status host_threads_each(struct host_threads *all, uint32_t devices, device_step *step, void *context, struct error *e);

/* Waits until every thread has called this, in a job. Each then sees all that the others wrote before. If threads failed,
 * all get the first failure, and must return: another thread may have failed before this one came. */
enum status host_threads_barrier(const struct host_thread *thread, struct error *e);

#endif
