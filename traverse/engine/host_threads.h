/* host_threads.h: the host threads of a rank, which drive its devices
 *
 * Each GPU has a host thread of its own, so work starts on several GPUs as fast as on one. Devices of the CPU use all
 * cores, so a single host thread drives them one after the other.
 *
 * Threads work in two ways:
 * - In a job each thread runs the same function for its own devices. The threads wait for each other at a barrier when
 *   a device needs results of another device.
 * - With steps, one for each device, any thread may do any step. So a thread that wakes up milliseconds late, as
 *   happens on a busy host, keeps nobody waiting. */
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

/* A job, which each thread runs for its own devices. A job may return a failure at any point. The other threads learn
 * of the failure at their next barrier. */
typedef enum status host_thread_job(void *context, const struct host_thread *thread, struct error *e);

/* Starts the threads for `devices` devices. With `side_by_side` each device has a thread, and the caller is the thread
 * of device 0. Otherwise the caller drives all devices, and no thread is started. host_threads_close frees *all, which
 * is NULL after a failure. */
enum status host_threads_open(struct host_threads **all, uint32_t devices, int side_by_side, struct error *e);
void host_threads_close(struct host_threads *all); /* ends the threads, and frees their memory; NULL is allowed */

/* Runs the job on every thread, the caller included, and waits for all of them. Returns the first failure of any thread. */
enum status host_threads_run(struct host_threads *all, host_thread_job *job, void *context, struct error *e);

/* A step, which any thread does for one device. */
typedef enum status device_step(void *context, uint32_t device, struct error *e);

/* Runs the step once for each device, and waits for all steps. Returns the failure that came first. Does nothing if *e
 * has failed already. */
enum status host_threads_each(struct host_threads *all, uint32_t devices, device_step *step, void *context, struct error *e);

/* Waits, within a job, until every thread has called this function. Afterwards each thread sees everything that other
 * threads wrote before. If any thread has failed, all threads get the first failure here, and must return from the job.
 * So each thread must check the result. */
enum status host_threads_barrier(const struct host_thread *thread, struct error *e);

#endif
