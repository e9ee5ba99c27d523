/* host_threads.c: see host_threads.h
 *
 * Members meet every few microseconds within a search, so they wait by spinning at first. They
 * sleep after some milliseconds, as between two searches, or at once if others want their cores.
 */
#include "host_threads.h"

#include "formats/base/meeting.h"
#include "formats/base/memory.h"
#include "formats/base/patience.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static const double LONGEST_SPIN = 50e-3; /* seconds, before a member sleeps */

/* A member and its thread; that of member 0 is the caller's. */
struct worker {
    struct host_thread member;
    struct error error;
    int over; /* it met a failure of some member: its job is to end */
    pthread_t thread;
};

struct host_threads {
    struct worker *worker;    /* [members] */
    _Atomic uint32_t members;
    struct meeting calls;     /* each end of it is a call of the caller. A member that is late misses steps */
    _Atomic uint32_t job_call; /* the number of the last call to a job, which no member misses */
    _Atomic uint64_t left;    /* the number of the last call to steps << 32 | devices that nobody has taken */
    _Atomic uint32_t done, failed; /* devices of this call; whether a step of it failed */
    struct error step_failure;     /* the first */
    host_thread_job *job;            /* NULL: the threads end */
    device_step *step;
    void *context;
    struct meeting meeting;   /* of a job */
    _Atomic(const struct error *) earliest; /* failure of those who have come to the current meeting; NULL: none */
    const struct error *failure;            /* the same, of the last meeting */
};

/* ---- meetings ---- */

/* The last one to arrive ends the meeting. */
static void meet(struct host_threads *t)
{
    uint32_t number;
    if (!meeting_arrive(&t->meeting, t->members, &number)) {
        meeting_await(&t->meeting, number, LONGEST_SPIN);
        return;
    }
    t->failure = atomic_exchange(&t->earliest, NULL);
    meeting_end(&t->meeting);
}

enum status host_threads_barrier(const struct host_thread *m, struct error *e)
{
    struct host_threads *t = m->team;
    struct worker *w = &t->worker[m->number];
    const struct error *none = NULL;
    if (t->members == 1)
        return e->status;
    if (e != &w->error && e->status != ST_OK)
        w->error = *e;
    if (w->error.status != ST_OK)
        atomic_compare_exchange_strong(&t->earliest, &none, &w->error);
    meet(t);
    w->over = t->failure != NULL;
    if (w->over && e != t->failure)
        *e = *t->failure;
    return e->status;
}

/* ---- jobs ---- */

static void run_job(struct host_threads *t, struct worker *w)
{
    w->over = 0;
    w->error.status = ST_OK;
    t->job(t->context, &w->member, &w->error);
    if (!w->over)
        host_threads_barrier(&w->member, &w->error);
    if (w->over)
        meet(t); /* all have read the failure */
}

/* Runs the steps of a call that nobody has taken. The caller waits for those that are taken, so `step` and `context`
 * are those of the call as soon as one is. */
static void take_steps(struct host_threads *t, uint32_t number)
{
    uint64_t left = atomic_load(&t->left);
    while (left >> 32 == number && (uint32_t)left > 0) {
        if (!atomic_compare_exchange_weak(&t->left, &left, left - 1))
            continue;
        struct error e = {0};
        if (t->step(t->context, (uint32_t)left - 1, &e) != ST_OK && atomic_exchange(&t->failed, 1) == 0)
            t->step_failure = e;
        atomic_fetch_add(&t->done, 1);
        left = atomic_load(&t->left);
    }
}

static uint32_t next_call(struct host_threads *t)
{
    return atomic_load(&t->calls.over) + 1;
}

static void *work(void *argument)
{
    struct worker *w = argument;
    struct host_threads *t = w->member.team;
    for (uint32_t seen = 0;;) {
        meeting_await(&t->calls, seen, LONGEST_SPIN);
        seen = atomic_load(&t->calls.over);
        if (atomic_load(&t->job_call) != seen)
            take_steps(t, seen);
        else if (t->job == NULL)
            return NULL;
        else
            run_job(t, w);
    }
}

static void call_to_job(struct host_threads *t, host_thread_job *job, void *context)
{
    t->job = job;
    t->context = context;
    atomic_store(&t->job_call, next_call(t));
    meeting_end(&t->calls);
}

enum status host_threads_run(struct host_threads *t, host_thread_job *job, void *context, struct error *e)
{
    struct worker *first = &t->worker[0];
    if (t->members == 1)
        return job(context, &first->member, e);
    call_to_job(t, job, context);
    run_job(t, first);
    if (first->error.status != ST_OK && e->status == ST_OK)
        *e = first->error;
    return e->status;
}

static void call_to_steps(struct host_threads *t, uint32_t devices, device_step *step, void *context)
{
    t->step = step;
    t->context = context;
    atomic_store(&t->failed, 0);
    atomic_store(&t->done, 0);
    atomic_store(&t->left, (uint64_t)next_call(t) << 32 | devices);
    meeting_end(&t->calls);
}

enum status host_threads_each(struct host_threads *t, uint32_t devices, device_step *step, void *context, struct error *e)
{
    struct patience patience = {0};
    for (uint32_t i = 0; t->members == 1 && i < devices && e->status == ST_OK; i++)
        step(context, i, e);
    if (t->members == 1 || e->status != ST_OK)
        return e->status;
    call_to_steps(t, devices, step, context);
    take_steps(t, atomic_load(&t->calls.over));
    while (atomic_load(&t->done) < devices)
        patience_is_over(&patience, LONGEST_SPIN);
    if (atomic_load(&t->failed))
        *e = t->step_failure;
    return e->status;
}

/* ---- opening ---- */

static enum status start_threads(struct host_threads *t, uint32_t members, struct error *e)
{
    t->members = members; /* before any of them meets */
    for (uint32_t i = 1; i < members; i++) {
        errno = pthread_create(&t->worker[i].thread, NULL, work, &t->worker[i]);
        if (errno == 0)
            continue;
        t->members = i;
        return fail_errno(e, "a device's thread", "cannot start");
    }
    return ST_OK;
}

enum status host_threads_open(struct host_threads **result, uint32_t devices, int side_by_side, struct error *e)
{
    uint32_t members = side_by_side ? devices : 1;
    *result = NULL;
    struct host_threads *t = zeroed(1, sizeof *t, "threads", e);
    struct worker *workers = zeroed(members, sizeof *workers, "threads", e);
    if (e->status != ST_OK) {
        free(t);
        free(workers);
        return e->status;
    }
    t->worker = workers;
    for (uint32_t i = 0; i < members; i++)
        workers[i].member = (struct host_thread){t, i, i, members > 1 ? i + 1 : devices};
    if (start_threads(t, members, e) != ST_OK) {
        host_threads_close(t);
        return e->status;
    }
    *result = t;
    return ST_OK;
}

void host_threads_close(struct host_threads *t)
{
    if (t == NULL)
        return;
    if (t->members > 1)
        call_to_job(t, NULL, NULL);
    for (uint32_t i = 1; i < t->members; i++)
        pthread_join(t->worker[i].thread, NULL);
    free(t->worker);
    free(t);
}
