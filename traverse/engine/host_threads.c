/* host_threads.c: see host_threads.h
 *
 * Barriers of a search are microseconds apart, so threads wait by spinning at first. They sleep after some milliseconds, as
 * between two searches, or at once if others want their cores.
 */
#include "host_threads.h"

#include "formats/base/barrier.h"
#include "formats/base/memory.h"
#include "formats/base/patience.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static const double LONGEST_SPIN = 50e-3; /* seconds, before a thread sleeps */

struct worker {
    struct host_thread thread;
    struct error error;
    int over;           /* a barrier brought a failure: the job of this thread is to end */
    pthread_t pthread;  /* not of worker 0, which is the caller */
};

struct host_threads {
    struct worker *worker; /* [count] */
    _Atomic uint32_t count;
    struct barrier calls;      /* each end of a pass calls all threads. A thread that is late misses steps */
    _Atomic uint32_t job_call; /* the number of the last call to a job, which no thread misses */
    _Atomic uint64_t left;     /* the number of the last call to steps << 32 | devices that nobody has taken */
    _Atomic uint32_t done, failed; /* devices of this call; whether a step failed */
    struct error step_failure;     /* the first */
    host_thread_job *job;          /* NULL: the threads end */
    device_step *step;
    void *context;             /* of job or step */
    struct barrier barrier;    /* of a job */
    _Atomic(const struct error *) earliest; /* failure of those who have come to the current barrier; NULL: none */
    const struct error *failure;            /* the same, of the last barrier */
};

/* ---- the barrier of a job ---- */

/* The last thread to arrive ends the barrier, and publishes the first failure. */
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

/* Waits for all threads of the job, and sets *e to the first failure of any of them. */
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

/* ---- what threads are called to do ---- */

/* Runs the current job on one thread, up to the barrier that ends the job. */
static void run_job(struct host_threads *all, struct worker *w)
{
    w->over = 0;
    w->error.status = ST_OK;
    all->job(all->context, &w->thread, &w->error);
    if (!w->over)
        host_threads_barrier(&w->thread, &w->error);
    if (w->over)
        await_all(all); /* all have read the failure */
}

/* Runs the steps of a call that nobody has taken. The caller waits for those that are taken, so `step` and `context`
 * are those of the call as soon as one is. */
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

/* Each thread but the caller's: waits for calls until one ends it. */
static void *work(void *argument)
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

/* The number that the next call will have. */
static uint32_t next_call(struct host_threads *all)
{
    return atomic_load(&all->calls.over) + 1;
}

/* Wakes all threads for a job; NULL ends them. */
static void call_to_job(struct host_threads *all, host_thread_job *job, void *context)
{
    all->job = job;
    all->context = context;
    atomic_store(&all->job_call, next_call(all));
    barrier_end(&all->calls);
}

/* Calls all threads to the job, and does the caller's part of it. */
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

/* Offers the steps of all devices to all threads, takes part, and waits until all are done. */
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

/* Starts the threads: one for each device, or none beside the caller. */
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
    all->count = count; /* before any of them waits for the others */
    for (uint32_t i = 1; i < count; i++) {
        errno = pthread_create(&workers[i].pthread, NULL, work, &workers[i]);
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

/* Ends the threads, and frees their memory. */
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
