/* host_threads.c: host threads, their jobs and steps, and the barrier at which they wait for each other
 * (host_threads.h)
 *
 * Barriers of a search are microseconds apart, so a waiting thread spins at first. After some milliseconds without a
 * barrier, as between two searches, it sleeps. It sleeps at once if another program wants its core. */
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
    struct barrier calls;      /* where threads wait for the next call; late threads may miss calls to steps */
    _Atomic uint32_t job_call; /* number of the last call to a job, which no thread can miss */
    _Atomic uint64_t left; /* number of the last call to steps << 32 | number of its steps that no thread has begun */
    _Atomic uint32_t done, failed; /* how many steps of the last call are done, and whether one failed */
    struct error step_failure;     /* the failure of the step that failed first */
    host_thread_job *job;          /* NULL: the threads must end */
    device_step *step;
    void *context;             /* the argument of the job or of the step */
    struct barrier barrier;    /* the barrier at which the threads of a job wait for each other */
    _Atomic(const struct error *) earliest; /* the first failure among the threads at the current barrier, or NULL */
    const struct error *failure;            /* the first failure among the threads at the last barrier, or NULL */
};

/* ---- the barrier of a job ---- */

/* Waits until all threads of the job have called this function. The last one to arrive publishes the first failure: it
 * moves the failure from `earliest` to `failure`, where all threads read it. */
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

/* After a failure of any thread, w->over is 1, and the first failure is in *e. The own failure of this thread stays in w->error. With a
 * single thread returns e->status at once. */
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

/* Runs the current job on the calling thread, leaves a failure in w->error, and waits for the other threads to end the
 * job. */
static void run_job(struct host_threads *all, struct worker *w)
{
    w->over = 0;
    w->error.status = ST_OK;
    all->job(all->context, &w->thread, &w->error);
    if (!w->over)
        host_threads_barrier(&w->thread, &w->error);
    if (w->over)
        await_all(all); /* no thread may change its w->error before all threads have copied the first failure */
}

/* Runs steps of the call with this number that no thread has begun, until none is left or a later call has begun. The caller
 * of host_threads_each waits for every step that was begun, so all->step and all->context cannot change during a step. Keeps
 * the first failure in all->step_failure. */
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

/* The main function of all threads except the caller's: waits for calls, and does its part of each. A call to the job
 * NULL ends the thread. `argument` is the thread's struct worker. */
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

/* Returns the number of the next call. Jobs and steps are numbered together. */
static uint32_t next_call(struct host_threads *all)
{
    return atomic_load(&all->calls.over) + 1;
}

/* Starts a job on all threads except the caller, without waiting for them. The job NULL ends the threads. */
static void call_to_job(struct host_threads *all, host_thread_job *job, void *context)
{
    all->job = job;
    all->context = context;
    atomic_store(&all->job_call, next_call(all));
    barrier_end(&all->calls);
}

/* Runs a job on all threads and waits for them (host_threads.h). */
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

/* Runs a step for each device, and waits. All threads that are awake take steps, the caller included. If the caller is the
 * only thread, it runs the steps in order and stops at the first failure. */
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

/* Starts a thread for each device but the first, or none without `side_by_side`. */
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
