/* pipeline.c: see pipeline.h */
#include "pipeline.h"

#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/* Threads that go from run to run. */
struct pool {
    pthread_mutex_t lock;   /* of the pool and of its run */
    pthread_cond_t called;  /* to helpers outside of a run: it has work for one more, or the pool is over */
    pthread_cond_t changed; /* to threads in the run: there is work, or the run is over */
    pthread_cond_t left;    /* to the thread that has started the run: all helpers have left it */
    struct run *run;        /* NULL: none is under way */
    int helpers, waiting;   /* helpers in the run; threads in it that wait for work */
    int over;
};

/* The pool of the thread that is in pipeline_with_pool. */
static _Thread_local struct pool *own_pool;

/* Stage 0 is taking; stage s + 1 is p->stages[s]. */
struct run {
    const struct pipeline *p;
    struct pool *pool;
    uint64_t next[PIPELINE_MAX_STAGES + 1]; /* the piece that each stage starts next */
    int busy[PIPELINE_MAX_STAGES + 1];      /* an ordered stage is at work */
    int *reached;                           /* per slot: stages its piece has been through */
    uint64_t retired;                       /* pieces through the last stage */
    uint64_t stop;                          /* the first piece that failed or does not exist */
    struct error *error;                    /* of piece `stop` */
};

/* Nonzero if the stage can start its next piece: no earlier stage has it, and for a new piece there is a slot. */
static int is_ready(const struct run *r, int stage)
{
    uint64_t piece = r->next[stage], slots = (uint64_t)r->p->slot_count;
    if (piece >= r->stop || ((stage == 0 || r->p->stages[stage - 1].ordered) && r->busy[stage]))
        return 0;
    if (stage == 0)
        return piece - r->retired < slots;
    return piece < r->next[0] && r->reached[piece % slots] == stage;
}

/* A stage that is ready: taking first, then the last one; -1 if none is. */
static int find_stage(const struct run *r)
{
    if (is_ready(r, 0))
        return 0;
    for (int stage = r->p->stage_count; stage > 0; stage--) {
        if (is_ready(r, stage))
            return stage;
    }
    return -1;
}

/* Records that the piece has passed the stage, that it failed, or that there are no pieces from it on. The lock is held. */
static void end_stage(struct run *r, int stage, uint64_t piece, int end, const struct error *error)
{
    r->busy[stage] = 0;
    r->reached[piece % (uint64_t)r->p->slot_count] = stage + 1;
    if (stage == r->p->stage_count && error->status == ST_OK)
        r->retired++;
    if ((end || error->status != ST_OK) && piece < r->stop) {
        r->stop = piece;
        *r->error = *error;
    }
}

/* Called with the lock held when no stage is ready: does a little of the work that the user of the pipeline has for this
 * case, or waits for a change. */
static void idle(struct run *r, int *exhausted)
{
    if (r->p->idle == NULL || *exhausted) {
        r->pool->waiting++;
        pthread_cond_wait(&r->pool->changed, &r->pool->lock);
        r->pool->waiting--;
        *exhausted = 0;
        return;
    }
    pthread_mutex_unlock(&r->pool->lock);
    *exhausted = !r->p->idle(r->p->context);
    pthread_mutex_lock(&r->pool->lock);
}

/* The loop of each thread: runs stages that are ready, until the last piece has passed all stages. Called with the lock held.
 * After a stage the thread goes on with the next one itself. It wakes another thread only if a second stage is ready, because
 * waking all threads for each piece would cost more than the work on the pieces. */
static void work(struct run *r)
{
    struct pool *pool = r->pool;
    uint64_t slots = (uint64_t)r->p->slot_count;
    int exhausted = 0;
    while (r->retired < r->stop) {
        int stage = find_stage(r);
        if (stage < 0) {
            idle(r, &exhausted);
            continue;
        }
        struct error error = {0};
        uint64_t piece = r->next[stage]++;
        r->busy[stage] = 1;
        r->reached[piece % slots] = -1; /* under way */
        if (find_stage(r) >= 0)
            pthread_cond_signal(pool->waiting > 0 ? &pool->changed : &pool->called);
        pthread_mutex_unlock(&pool->lock);
        int end = 0; /* 1: stage 0 takes new pieces, and none was left */
        void *slot = r->p->slots[piece % slots];
        if (stage == 0)
            r->p->take(r->p->context, slot, &end, &error);
        else
            r->p->stages[stage - 1].run(r->p->context, slot, &error);
        pthread_mutex_lock(&pool->lock);
        end_stage(r, stage, piece, end, &error);
    }
    pthread_cond_broadcast(&pool->changed);
}

/* ---- the threads ---- */

/* The work of a helper thread: works in one run after the other, until the pool is over. */
static void help(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    while (!pool->over) {
        struct run *r = pool->run;
        if (r == NULL || r->retired >= r->stop) {
            pthread_cond_wait(&pool->called, &pool->lock);
            continue;
        }
        pool->helpers++;
        work(r);
        if (--pool->helpers == 0)
            pthread_cond_signal(&pool->left);
    }
    pthread_mutex_unlock(&pool->lock);
}

/* Has the pool, and this thread, do the run. */
static void lead(struct pool *pool, struct run *r)
{
    pthread_mutex_lock(&pool->lock);
    r->pool = pool;
    pool->run = r;
    work(r);
    while (pool->helpers > 0)
        pthread_cond_wait(&pool->left, &pool->lock);
    pool->run = NULL;
    pthread_mutex_unlock(&pool->lock);
}

/* Calls `body` while `threads` - 1 helpers wait for the pipelines that it runs. */
void pipeline_with_pool(int threads, void (*body)(void *context), void *context)
{
    struct pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
                        .called = PTHREAD_COND_INITIALIZER,
                        .changed = PTHREAD_COND_INITIALIZER,
                        .left = PTHREAD_COND_INITIALIZER};
#pragma omp parallel num_threads(threads)
    if (omp_get_thread_num() > 0) {
        help(&pool);
    } else {
        own_pool = &pool;
        body(context);
        own_pool = NULL;
        pthread_mutex_lock(&pool.lock);
        pool.over = 1;
        pthread_cond_broadcast(&pool.called);
        pthread_mutex_unlock(&pool.lock);
    }
    pthread_cond_destroy(&pool.left);
    pthread_cond_destroy(&pool.changed);
    pthread_cond_destroy(&pool.called);
    pthread_mutex_destroy(&pool.lock);
}

/* The body of a pipeline that starts its own threads. */
static void lead_own_pool(void *run)
{
    lead(own_pool, run);
}

/* Runs all pieces through the stages. Fails with the error of the first piece that fails. */
enum status pipeline_run(const struct pipeline *p, struct error *e)
{
    struct error first = {0};
    struct run r = {.p = p, .stop = UINT64_MAX, .error = &first};
    r.reached = calloc((size_t)p->slot_count, sizeof *r.reached);
    if (r.reached == NULL)
        return fail_memory(e, "pipeline", (unsigned long long)p->slot_count * sizeof *r.reached);
    if (own_pool != NULL)
        lead(own_pool, &r);
    else
        pipeline_with_pool(p->threads, lead_own_pool, &r);
    free(r.reached);
    if (e->status == ST_OK)
        *e = first; /* whole: it also says whether a reader went away */
    return e->status;
}
