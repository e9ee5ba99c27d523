/* team.c: see team.h */
#include "team.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPINS = 2000,  /* pauses before a thread gives up its core for a moment */
    YIELDS = 2000, /* of those before it sleeps: some milliseconds */
};

struct worker {
    struct team *team;
    uint32_t member;
    pthread_t thread;
};

struct team {
    uint32_t members, workers; /* threads besides the caller's */
    struct worker *worker;
    struct error *error; /* [members] */
    team_step *step;     /* NULL: end */
    void *context;
    _Atomic uint64_t turn;
    _Atomic uint32_t busy; /* workers that have not finished this turn */
    _Atomic int sleeping;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

static void pause_briefly(uint32_t *spins)
{
    if (++*spins % SPINS == 0)
        sched_yield();
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void wait_for_turn(struct team *t, uint64_t turn)
{
    uint32_t spins = 0;
    while (atomic_load(&t->turn) < turn && spins < (uint32_t)SPINS * YIELDS)
        pause_briefly(&spins);
    if (atomic_load(&t->turn) >= turn)
        return;
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->sleeping, 1);
    while (atomic_load(&t->turn) < turn)
        pthread_cond_wait(&t->wake, &t->lock);
    atomic_fetch_sub(&t->sleeping, 1);
    pthread_mutex_unlock(&t->lock);
}

static void *work(void *argument)
{
    struct worker *w = argument;
    struct team *t = w->team;
    for (uint64_t turn = 1;; turn++) {
        wait_for_turn(t, turn);
        if (t->step == NULL)
            return NULL;
        t->step(t->context, w->member, &t->error[w->member]);
        atomic_fetch_sub(&t->busy, 1);
    }
}

/* Starts a turn of the workers. */
static void begin_turn(struct team *t, team_step *step, void *context)
{
    t->step = step;
    t->context = context;
    atomic_store(&t->busy, t->workers);
    atomic_fetch_add(&t->turn, 1);
    if (atomic_load(&t->sleeping) == 0)
        return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
}

enum status team_open(struct team **result, uint32_t members, int side_by_side, struct error *e)
{
    *result = NULL;
    struct team *t = calloc(1, sizeof *t);
    if (t == NULL)
        return fail_memory(e, "threads", sizeof *t);
    t->members = members;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
    t->error = calloc(members, sizeof *t->error);
    t->worker = calloc(members, sizeof *t->worker);
    if (t->error == NULL || t->worker == NULL)
        fail_memory(e, "threads", members * sizeof *t->worker);
    for (uint32_t i = 1; side_by_side && i < members && e->status == ST_OK; i++) {
        struct worker *w = &t->worker[t->workers];
        *w = (struct worker){.team = t, .member = i};
        errno = pthread_create(&w->thread, NULL, work, w);
        if (errno != 0)
            fail_errno(e, "a device's thread", "cannot start");
        else
            t->workers++;
    }
    if (e->status != ST_OK) {
        team_close(t);
        return e->status;
    }
    *result = t;
    return ST_OK;
}

void team_close(struct team *t)
{
    if (t == NULL)
        return;
    begin_turn(t, NULL, NULL);
    for (uint32_t i = 0; i < t->workers; i++)
        pthread_join(t->worker[i].thread, NULL);
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->lock);
    free(t->error);
    free(t->worker);
    free(t);
}

enum status team_run(struct team *t, team_step *step, void *context, struct error *e)
{
    uint32_t spins = 0;
    for (uint32_t i = 0; i < t->members; i++)
        t->error[i].status = ST_OK;
    if (t->workers > 0)
        begin_turn(t, step, context);
    for (uint32_t i = 0; i < t->members - t->workers; i++)
        step(context, i, &t->error[i]);
    while (atomic_load(&t->busy) > 0)
        pause_briefly(&spins);
    for (uint32_t i = 0; i < t->members && e->status == ST_OK; i++) {
        if (t->error[i].status != ST_OK)
            *e = t->error[i];
    }
    return e->status;
}
