/* host_threads.c: starts host threads, makes them run jobs and steps, and lets them wait for each other; see
 * host_threads.h
 *
 * Barriers of a search are microseconds apart, so threads spin at first when they wait. If no barrier comes for some
 * milliseconds, as between two searches, threads sleep. Threads sleep at once if other programs want their cores. */
#include "host_threads.h"

#include "formats/base/barrier.h"
#include "formats/base/memory.h"
#include "formats/base/patience.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static const double LONGEST_SPIN = 50e-3; /* seconds that a thread spins before it sleeps */

struct worker {
    struct host_thread thread;
    struct error error;
    int over;           /* the last barrier reported a failure, so the thread must leave the job */
    pthread_t pthread;  /* not set for worker 0, which is the calling thread */
};

struct host_threads {
    struct worker *worker; /* [count] */
    _Atomic uint32_t count;
    struct barrier calls;      /* threads wait here for the next call. A thread that is late may miss a call to steps */
    _Atomic uint32_t job_call; /* the number of the last call to a job. No thread can miss a call to a job */
    _Atomic uint64_t left; /* the number of the last call to steps << 32 | the number of its steps that no thread has
                            * begun */
    _Atomic uint32_t done, failed; /* the number of steps of this call that are done, and whether a step of this call
                                    * failed */
    struct error step_failure;     /* the failure of the step that failed first */
    host_thread_job *job;          /* NULL: the threads must end */
    device_step *step;
    void *context;             /* the argument of the job or of the step */
    struct barrier barrier;    /* the barrier at which the threads of a job wait for each other */
    _Atomic(const struct error *) earliest; /* the first failure among the threads at the current barrier, or NULL */
    const struct error *failure;            /* the first failure among the threads at the last barrier, or NULL */
};

/* ---- the barrier of a job ---- */

/* Waits until all threads of the job have called this function. The last thread that arrives moves the first failure from
 * `earliest` to `failure`, which all threads read. Then it ends the barrier. */
static void await_all(struct host_threads *all)
{
    uint32_t number;
    if (!barrier_arrive(&all->barrier, all->count, &number)) {
        barrier_await(&all->barrier, number, LONGEST_SPIN);
        return;
    }
    all->failure = atomic_exchange(&all->earliest, NULL);
    barrier_end(&all->barrier);
}

/* Waits for all threads of the job. If any thread came with a failure, sets *e of each thread to the first failure, and
 * returns its status. The thread must then leave the job (w->over). A thread's own failure is kept in w->error. A single
 * thread does not wait, and returns e->status. */
enum status host_threads_barrier(const struct host_thread *thread, struct error *e)
{
    struct host_threads *all = thread->all;
    struct worker *w = &all->worker[thread->number];
    const struct error *none = NULL;
    if (all->count == 1)
        return e->status;
    if (e != &w->error && e->status != ST_OK)
        w->error = *e;
    if (w->error.status != ST_OK)
        atomic_compare_exchange_strong(&all->earliest, &none, &w->error);
    await_all(all);
    w->over = all->failure != NULL;
    if (w->over && e != all->failure)
        *e = *all->failure;
    return e->status;
}

/* ---- jobs and steps ---- */

/* Runs the current job on the calling thread, and waits until all threads have ended the job. A failure is left in
 * w->error. After a failure the threads wait a second time, so that no thread changes its error before all threads have
 * read it. Called with w->thread, after all->job was set. */
static void run_job(struct host_threads *all, struct worker *w)
{
    w->over = 0;
    w->error.status = ST_OK;
    all->job(all->context, &w->thread, &w->error);
    if (!w->over)
        host_threads_barrier(&w->thread, &w->error);
    if (w->over)
        await_all(all); /* no thread changes its w->error before all threads have copied the first failure */
}

/* Runs steps of call `number` until no step is left. Runs only steps that no other thread has begun. Counts each finished
 * step in all->done. Keeps the first failure in all->step_failure. Does nothing if a later call has begun. The caller
 * waits for each step that a thread has begun, so the call stays open during the step, and all->step and all->context
 * belong to call `number`. */
static void take_steps(struct host_threads *all, uint32_t number)
{
    uint64_t left = atomic_load(&all->left);
    while (left >> 32 == number && (uint32_t)left > 0) {
        if (!atomic_compare_exchange_weak(&all->left, &left, left - 1))
            continue;
        struct error e = {0};
        if (all->step(all->context, (uint32_t)left - 1, &e) != ST_OK && atomic_exchange(&all->failed, 1) == 0)
            all->step_failure = e;
        atomic_fetch_add(&all->done, 1);
        left = atomic_load(&all->left);
    }
}

/* The main function of each thread except the caller's. Waits for calls, and does its part of each call. A call without a
 * job ends the thread. `argument` is the thread's struct worker. */
static void *thread_main(void *argument)
{
    struct worker *w = argument;
    struct host_threads *all = w->thread.all;
    for (uint32_t seen = 0;;) {
        barrier_await(&all->calls, seen, LONGEST_SPIN);
        seen = atomic_load(&all->calls.over);
        if (atomic_load(&all->job_call) != seen)
            take_steps(all, seen);
        else if (all->job == NULL)
            return NULL;
        else
            run_job(all, w);
    }
}

/* Returns the number of the next call. Calls to jobs and calls to steps have one common numbering. */
static uint32_t next_call(struct host_threads *all)
{
    return atomic_load(&all->calls.over) + 1;
}

/* Gives a job to all threads except the caller, and wakes them. Sets all->job and all->context. Returns without waiting
 * for the job. If `job` is NULL, the threads end. */
static void call_to_job(struct host_threads *all, host_thread_job *job, void *context)
{
    all->job = job;
    all->context = context;
    atomic_store(&all->job_call, next_call(all));
    barrier_end(&all->calls);
}

/* Runs the job on all threads, the caller included, and waits until all threads have ended the job. Sets *e to the first
 * failure of any thread, unless *e has failed already. If there is a single thread, the caller calls the job once, as a
 * thread that drives all devices. */
enum status host_threads_run(struct host_threads *all, host_thread_job *job, void *context, struct error *e)
{
    struct worker *own = &all->worker[0];
    if (all->count == 1)
        return job(context, &own->thread, e);
    call_to_job(all, job, context);
    run_job(all, own);
    if (own->error.status != ST_OK && e->status == ST_OK)
        *e = own->error;
    return e->status;
}

/* Runs the step once for each device, and waits until all steps are done. Each step runs on the first thread that is
 * free. The caller runs steps, too. Sets *e to the failure that came first. Does nothing if *e has failed already. If the
 * caller is the only thread, it runs the steps in order, and stops at the first failure. */
enum status host_threads_each(struct host_threads *all, uint32_t devices, device_step *step, void *context, struct error *e)
{
    struct patience patience = {0};
    for (uint32_t i = 0; all->count == 1 && i < devices && e->status == ST_OK; i++)
        step(context, i, e);
    if (all->count == 1 || e->status != ST_OK)
        return e->status;
    const uint32_t number = next_call(all);
    all->step = step;
    all->context = context;
    atomic_store(&all->failed, 0);
    atomic_store(&all->done, 0);
    atomic_store(&all->left, (uint64_t)number << 32 | devices);
    barrier_end(&all->calls);
    take_steps(all, number);
    while (atomic_load(&all->done) < devices)
        patience_is_over(&patience, LONGEST_SPIN);
    if (atomic_load(&all->failed))
        *e = all->step_failure;
    return e->status;
}

/* ---- opening ---- */

/* With `side_by_side` starts a thread for each device except the first. Otherwise starts no thread. Sets *result. After a
 * failure *result is NULL, and no thread and no memory is left. */
enum status host_threads_open(struct host_threads **result, uint32_t devices, int side_by_side, struct error *e)
{
    const uint32_t count = side_by_side ? devices : 1;
    *result = NULL;
    struct host_threads *all = zeroed(1, sizeof *all, "threads", e);
    struct worker *workers = zeroed(count, sizeof *workers, "threads", e);
    if (e->status != ST_OK) {
        free(all);
        free(workers);
        return e->status;
    }
    all->worker = workers;
    for (uint32_t i = 0; i < count; i++)
        workers[i].thread = (struct host_thread){
            .all = all, .number = i, .first = i, .end = side_by_side ? i + 1 : devices};
    all->count = count; /* must be set before any thread waits for the other threads */
    for (uint32_t i = 1; i < count; i++) {
        errno = pthread_create(&workers[i].pthread, NULL, thread_main, &workers[i]);
        if (errno == 0)
            continue;
        all->count = i;
        fail_errno(e, "a device's thread", "cannot start");
        host_threads_close(all);
        return e->status;
    }
    *result = all;
    return ST_OK;
}

/* Ends all threads except the caller, waits for their end, and frees the memory. No job may be running. NULL is allowed. */
void host_threads_close(struct host_threads *all)
{
    if (all == NULL)
        return;
    if (all->count > 1)
        call_to_job(all, NULL, NULL);
    for (uint32_t i = 1; i < all->count; i++)
        pthread_join(all->worker[i].pthread, NULL);
    free(all->worker);
    free(all);
}
