/* host_threads.h: the host threads of a rank that drive its devices.
 *
 * Each GPU has its own host thread. So launching work on several GPUs takes no longer than on one GPU. Devices of the CPU
 * share one host thread, which drives the devices one after the other, because each device uses all cores.
 *
 * Threads are called to a job or to steps:
 * - In a job all threads run the same function, each thread for its own devices. Before a device needs results of another
 *   device, the threads wait at a barrier.
 * - In a call to steps there is one step for each device, and any thread may run the step of any device. So no thread
 *   waits for a late thread. On a busy host threads wake milliseconds late. */
#ifndef DBFS_HOST_THREADS_H
#define DBFS_HOST_THREADS_H

#include "formats/base/status.h"

#include <stdint.h>

struct host_threads;

struct host_thread {
    struct host_threads *all;
    uint32_t number;     /* thread 0 is the thread that calls host_threads_run; only thread 0 calls MPI */
    uint32_t first, end; /* the thread drives the devices first to end - 1 */
};

/* The function that each thread runs in a job. The function may return a failure at any point. The other threads get the
 * failure at their next barrier. */
typedef enum status host_thread_job(void *context, const struct host_thread *thread, struct error *e);

/* Starts the threads for `devices` devices. With `side_by_side` each device has a thread, and the caller is the thread of
 * device 0. Otherwise the caller drives all devices, and no thread is started. Sets *all, which host_threads_close frees.
 * After a failure *all is NULL. */
enum status host_threads_open(struct host_threads **all, uint32_t devices, int side_by_side, struct error *e);
void host_threads_close(struct host_threads *all); /* ends the threads, and frees their memory; NULL is allowed */

/* Runs the job on every thread, the caller included, and waits for all threads. If any thread failed, returns the first
 * failure. */
enum status host_threads_run(struct host_threads *all, host_thread_job *job, void *context, struct error *e);

/* The function of a call to steps. It does the step of one device, on any thread. */
typedef enum status device_step(void *context, uint32_t device, struct error *e);

/* Runs the step once for each of the devices, and waits for all steps. Returns the failure that came first. Does nothing if
 * *e has failed already. */
enum status host_threads_each(struct host_threads *all, uint32_t devices, device_step *step, void *context, struct error *e);

/* Called within a job. Waits until every thread has called this function. After that each thread sees everything that
 * other threads wrote before the call. If threads failed, all threads get the first failure, and must return from the
 * job. So a thread must check the result even if the thread itself has not failed. */
enum status host_threads_barrier(const struct host_thread *thread, struct error *e);

#endif
