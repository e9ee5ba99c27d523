/* host_threads.h: the host threads of a rank that drive its devices.
 *
 * A team has one of two forms. For GPUs each device has a host thread of its own, a member of the team, so
 * that launching work on several GPUs takes no longer than on one. For devices of the CPU there is one
 * member, which drives the devices one after the other, because each of them uses all cores.
 *
 * In a job all members run the same function, each for its own devices. They meet when a step needs the work of other
 * devices. In a step each device is for the first member that comes, so nobody waits for a member that has not come:
 * on a busy host threads wake milliseconds late.
 */
#ifndef DBFS_HOST_THREADS_H
#define DBFS_HOST_THREADS_H

#include "formats/base/status.h"

#include <stdint.h>

struct host_threads;

struct host_thread {
    struct host_threads *team;
    uint32_t number;     /* member 0 is the thread that calls host_threads_run; only it calls MPI */
    uint32_t first, end; /* drives the devices first..end */
};

/* The function that each member runs. It may return a failure at any point; the others learn of it when they
 * meet next. */
typedef enum status host_thread_job(void *context, const struct host_thread *member, struct error *e);

/* Opens a team for `devices` devices: with `side_by_side` a member for each, otherwise one for all. */
enum status host_threads_open(struct host_threads **team, uint32_t devices, int side_by_side, struct error *e);
void host_threads_close(struct host_threads *team); /* NULL is allowed */

/* Runs the job on every member, and waits for all. Returns the common status, as host_threads_barrier does. */
enum status host_threads_run(struct host_threads *team, host_thread_job *job, void *context, struct error *e);

/* A step for one device, by any member. */
typedef enum status device_step(void *context, uint32_t device, struct error *e);

/* Runs the step for each of the devices, and waits for that. Returns the failure that came first. */
enum status host_threads_each(struct host_threads *team, uint32_t devices, device_step *step, void *context, struct error *e);

/* Waits until every member has called this. Each then sees all that the others wrote before. If members failed,
 * all get the failure of the one that came first, and must return: others may have failed since they waited
 * for it. */
enum status host_threads_barrier(const struct host_thread *member, struct error *e);

#endif
