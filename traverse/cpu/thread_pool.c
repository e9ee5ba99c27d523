/* thread_pool.c: see thread_pool.h
 *
 * Works are numbered. `posted` has the number of the last work, and one bit that says whether threads may still join. A
 * thread joins in two steps: it notes the number as the work it does, and looks whether the work is still open. The caller
 * leaves in two steps: it closes the work, and waits until no thread does that number. So one of them sees the other.
 *
 * Sleepers are woken as a tree: the caller wakes two of those that the work names, and each of them two more while the work
 * lasts. A thread that the work does not name sleeps on, and nobody is woken twice for one work: threads that woke each
 * other without end held all cores.
 */
#include "thread_pool.h"

#include "formats/base/arith.h"
#include "formats/base/cli.h"
#include "formats/base/memory.h"
#include "formats/base/patience.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    WORK_OPEN = 1,      /* the bit of `posted` */
    NEXT_WORK = 2,      /* from the number of a work to the next one; bit 0 is WORK_OPEN */
    WOKEN = 2,          /* sleepers that a thread wakes */
    SLEEP_BITS = 32,    /* of a futex: thread i has bit i, and the last one stands for all further threads */
    SLEEPS_AT_ONCE = 64 /* waits that do not spin, after one in which the core was wanted */
};

/* Seconds: until a thread without work sleeps; more than any piece takes; until nobody waits any more for roused threads. */
static const double LONGEST_SPIN = 500e-6, LATE = 2e-3, LONGEST_WAKE = 200e-6;

/* A thread of the pool. The two numbers that other threads read or write have cache lines of their own. */
struct pool_thread {
    _Alignas(64) _Atomic uint64_t taken; /* of its pieces, by any thread: number of the work << 32 | how many */
    _Alignas(64) _Atomic uint32_t works_on; /* number of the work that it has joined; 0: none */
    pthread_t thread;
    struct thread_pool *pool;
    int number;
    int waits_asleep; /* its next waits that are not to spin */
    uint32_t roused;  /* `roused` of the pool when it waited last */
};

/* What the threads of the pool do together. */
struct work {
    pool_job *job;
    void *context;
    uint64_t pieces;
    int threads; /* that may join, the caller included */
    uint32_t number;
};

struct thread_pool {
    struct pool_thread *all; /* [threads]; 0 is the caller */
    int threads, users;
    _Alignas(64) _Atomic uint64_t posted; /* threads that may join << 32 | number of the work | WORK_OPEN */
    _Atomic int ends;        /* threads are to end */
    _Atomic uint32_t roused; /* calls of pool_rouse */
    _Atomic uint32_t asleep; /* bits of threads that may sleep */
    _Alignas(64) struct work work; /* set before `posted` */
    _Atomic uint64_t sum;    /* of the pieces of all threads but the caller */
    uint64_t late;
};

static struct thread_pool *shared; /* the pool of this process */

/* ---- pieces ---- */

/* Takes one of the pieces of a thread. The first taker of a work resets the count of the last work. */
static uint64_t take_piece_of(struct pool_thread *owner, uint32_t work)
{
    uint64_t seen = atomic_load_explicit(&owner->taken, memory_order_relaxed);
    while (seen >> 32 != work) {
        if (atomic_compare_exchange_weak(&owner->taken, &seen, (uint64_t)work << 32 | 1))
            return 0;
    }
    return atomic_fetch_add_explicit(&owner->taken, 1, memory_order_relaxed) & UINT32_MAX;
}

/* Returns 1 if a thread may have pieces left. A look only shares its cache line, while taking a piece moves the line from
 * core to core; and most looks at other threads find nothing. */
static int may_have_piece(const struct pool_thread *owner, const struct work *work)
{
    uint64_t seen = atomic_load_explicit(&owner->taken, memory_order_relaxed);
    uint64_t taken = seen >> 32 == work->number ? seen & UINT32_MAX : 0;
    return taken * (uint64_t)work->threads + (uint64_t)owner->number < work->pieces;
}

/* Does pieces, as thread `number`, until all are taken: its own, and those of the threads behind it. Returns their sum. */
static uint64_t do_pieces(struct thread_pool *pool, struct work work, int number)
{
    uint64_t sum = 0, threads = (uint64_t)work.threads;
    for (int i = 0; i < work.threads; i++) {
        int of = number + i < work.threads ? number + i : number + i - work.threads;
        struct pool_thread *owner = &pool->all[of];
        while (i == 0 || may_have_piece(owner, &work)) {
            uint64_t piece = take_piece_of(owner, work.number) * threads + (uint64_t)owner->number;
            if (piece >= work.pieces)
                break;
            sum += work.job(work.context, number, piece);
        }
    }
    return sum;
}

/* ---- waiting for work ---- */

/* Returns the half of `posted` that has the number of the work: what futexes look at. */
static uint32_t *number_of_work(struct thread_pool *pool)
{
    const union {
        uint64_t whole;
        uint32_t half[2];
    } one = {.whole = 1};
    return (uint32_t *)&pool->posted + (one.half[0] == 1 ? 0 : 1);
}

/* Returns the sleep bits of threads 1..count. */
static uint32_t sleep_bits(uint64_t count)
{
    return (count < SLEEP_BITS ? (UINT32_C(1) << count) - 1 : UINT32_MAX) & ~UINT32_C(1);
}

/* Wakes up to WOKEN of those that sleep among the first `threads` threads; each of them wakes others. */
static void wake_some(struct thread_pool *pool, uint64_t threads)
{
    uint32_t bits = atomic_load(&pool->asleep) & sleep_bits(threads);
    if (bits != 0)
        syscall(SYS_futex, number_of_work(pool), FUTEX_WAKE_BITSET_PRIVATE, WOKEN, NULL, NULL, bits);
}

/* Sleeps unless `posted` has changed, or threads were roused. May return early. */
static void sleep_once(struct thread_pool *pool, const struct pool_thread *self, uint64_t posted)
{
    uint32_t bit = UINT32_C(1) << (self->number < SLEEP_BITS ? self->number : SLEEP_BITS - 1);
    atomic_fetch_or(&pool->asleep, bit);
    if (atomic_load(&pool->posted) == posted && atomic_load(&pool->roused) == self->roused && !atomic_load(&pool->ends))
        syscall(SYS_futex, number_of_work(pool), FUTEX_WAIT_BITSET_PRIVATE, (uint32_t)posted, NULL, NULL, bit);
    if (self->number < SLEEP_BITS - 1) /* others may sleep by the last bit */
        atomic_fetch_and(&pool->asleep, ~bit);
}

/* Waits for an open work that names this thread, and is not `last`, or for the end. Returns what is posted then. */
static uint64_t wait_for_work(struct thread_pool *pool, struct pool_thread *self, uint64_t last)
{
    struct patience patience = {0};
    int sleeps = self->waits_asleep > 0, slept = 0;
    self->waits_asleep -= sleeps;
    for (;;) {
        uint32_t roused = atomic_load_explicit(&pool->roused, memory_order_relaxed);
        uint64_t posted = atomic_load(&pool->posted);
        int is_roused = roused != self->roused;
        int is_called = (posted & WORK_OPEN) != 0 && posted != last && (uint64_t)self->number < posted >> 32;
        self->roused = roused;
        if (is_roused) {
            patience = (struct patience){0};
            self->waits_asleep = sleeps = 0;
        }
        if (slept && (is_roused || is_called))
            wake_some(pool, is_roused ? (uint64_t)pool->threads : posted >> 32);
        slept = 0;
        if (is_called || atomic_load_explicit(&pool->ends, memory_order_relaxed))
            return posted;
        if (sleeps) {
            sleep_once(pool, self, posted);
            slept = 1;
            continue;
        }
        sleeps = patience_is_over(&patience, LONGEST_SPIN);
        if (patience_was_taken(&patience))
            self->waits_asleep = SLEEPS_AT_ONCE;
    }
}

/* The main function of a thread: joins works until the pool ends. */
static void *serve(void *argument)
{
    struct pool_thread *self = argument;
    struct thread_pool *pool = self->pool;
    for (uint64_t last = 0;;) {
        last = wait_for_work(pool, self, last);
        if (atomic_load(&pool->ends))
            return NULL;
        __builtin_prefetch(&pool->work); /* on its way while the others see that this thread joins */
        __builtin_prefetch(&self->taken, 1);
        atomic_store(&self->works_on, (uint32_t)last);
        if (atomic_load(&pool->posted) == last) {
            uint64_t sum = do_pieces(pool, pool->work, self->number);
            if (sum > 0)
                pool->sum += sum; /* once, since all wait for its line */
        }
        atomic_store_explicit(&self->works_on, 0, memory_order_release);
    }
}

/* ---- giving work ---- */

/* Waits for threads that have joined a work and do their last pieces. */
static void wait_for_threads(struct thread_pool *pool, int threads, uint32_t posted)
{
    struct patience patience = {0};
    for (;;) {
        int working = 0;
        for (int i = 1; i < threads; i++) /* without a branch, so that the core reads all lines at once */
            working += atomic_load(&pool->all[i].works_on) == posted;
        if (working == 0)
            break;
        patience_is_over(&patience, LONGEST_SPIN);
    }
    pool->late += patience.begun > 0 && cli_seconds() - patience.begun > LATE;
}

uint64_t pool_run(struct thread_pool *pool, int threads, uint64_t pieces, pool_job *job, void *context)
{
    uint64_t sum = 0;
    threads = threads < pool->threads ? threads : pool->threads;
    if (threads == 1 || pieces <= 1) {
        for (uint64_t i = 0; i < pieces; i++)
            sum += job(context, 0, i);
        return sum;
    }
    uint32_t open = ((uint32_t)atomic_load_explicit(&pool->posted, memory_order_relaxed) | WORK_OPEN) + NEXT_WORK;
    open += open == WORK_OPEN ? NEXT_WORK : 0; /* 0 is no work */
    pool->work =
        (struct work){.job = job, .context = context, .pieces = pieces, .threads = threads, .number = open};
    atomic_store_explicit(&pool->sum, 0, memory_order_relaxed);
    atomic_store(&pool->posted, (uint64_t)threads << 32 | open);
    wake_some(pool, (uint64_t)threads);
    sum = do_pieces(pool, pool->work, 0);
    atomic_store(&pool->posted, open & ~(uint32_t)WORK_OPEN); /* closed */
    wait_for_threads(pool, threads, open);
    return sum + pool->sum;
}

/* A loop that pool_for runs. */
struct loop {
    uint64_t count, step;
    pool_body *body;
    void *context;
};

/* Runs the body of a loop over a piece. A pool job whose context is a struct loop. Returns 0. */
static uint64_t do_loop_piece(void *context, int thread, uint64_t piece)
{
    const struct loop *loop = context;
    uint64_t begin = piece * loop->step;
    (void)thread;
    loop->body(loop->context, begin, smaller(begin + loop->step, loop->count));
    return 0;
}

void pool_for(struct thread_pool *pool, int threads, uint64_t count, uint64_t step, pool_body *body, void *context)
{
    struct loop loop = {count, step, body, context};
    pool_run(pool, threads, divide_up(count, step), do_loop_piece, &loop);
}

void pool_rouse(struct thread_pool *pool)
{
    uint32_t bits = sleep_bits(smaller((uint64_t)pool->threads, SLEEP_BITS - 1)); /* the last bit is never cleared */
    double begun = cli_seconds();
    atomic_fetch_add(&pool->roused, 1);
    wake_some(pool, (uint64_t)pool->threads);
    while ((atomic_load(&pool->asleep) & bits) != 0 && cli_seconds() - begun < LONGEST_WAKE)
        pause_briefly();
}

uint64_t pool_late(const struct thread_pool *pool)
{
    return pool->late;
}

/* ---- opening ---- */

/* Ends the threads 1..count, and frees the pool. */
static void end_threads(struct thread_pool *pool, int count)
{
    atomic_store(&pool->ends, 1);
    atomic_fetch_add(&pool->posted, NEXT_WORK);
    syscall(SYS_futex, number_of_work(pool), FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
    for (int i = 1; i < count; i++)
        pthread_join(pool->all[i].thread, NULL);
    free(pool->all);
    free(pool);
}

enum status pool_open(struct thread_pool **result, int threads, struct error *e)
{
    *result = NULL;
    threads = (int)smaller(smaller((uint64_t)threads, MOST_POOL_THREADS), (uint64_t)cli_cores());
    if (shared == NULL) {
        struct thread_pool *pool = aligned_alloc(64, sizeof *pool);
        struct pool_thread *all = aligned_alloc(64, (size_t)threads * sizeof *all);
        if (pool == NULL || all == NULL) {
            free(pool);
            free(all);
            return fail_memory(e, "threads", (size_t)threads * sizeof *all);
        }
        *pool = (struct thread_pool){.all = all, .threads = threads};
        for (int i = 0; i < threads; i++)
            all[i] = (struct pool_thread){.number = i, .pool = pool};
        for (int i = 1; i < threads; i++) {
            errno = pthread_create(&all[i].thread, NULL, serve, &all[i]);
            if (errno == 0)
                continue;
            fail_errno(e, "a thread that searches", "cannot start");
            end_threads(pool, i);
            return e->status;
        }
        shared = pool;
    }
    shared->users++;
    *result = shared;
    return ST_OK;
}

void pool_close(struct thread_pool *pool)
{
    if (pool == NULL || --pool->users > 0)
        return;
    shared = NULL;
    end_threads(pool, pool->threads);
}
