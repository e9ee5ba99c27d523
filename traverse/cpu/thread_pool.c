/* thread_pool.c: the threads that search on the CPU; thread_pool.h has the contracts
 *
 * Works are numbered. `posted` has the number of the last work, and a bit that says whether threads may still join this
 * work. A thread joins in two steps. First it stores the number of the work in works_on. Then it checks whether the work
 * is still open. The caller ends a work in two steps, too. First it closes the work. Then it waits until no thread has
 * the number in works_on. So either the thread sees that the work is closed, or the caller sees the thread's number, or
 * both.
 *
 * Threads that sleep are woken as a tree. The caller wakes two of the threads that may join. Each thread that wakes up
 * wakes two more threads, while the work lasts. A thread that may not join continues to sleep. No thread is woken twice
 * for one work. Without this rule threads woke each other endlessly, and kept all cores busy. */
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
    WORK_OPEN = 1,      /* the bit of `posted` that is set while threads may join the work */
    NEXT_WORK = 2,      /* the difference between the numbers of two successive works. Bit 0 of a number is WORK_OPEN */
    WOKEN = 2,          /* number of sleeping threads that one thread wakes */
    SLEEP_BITS = 32, /* number of bits of a futex. Thread i has bit i. All threads from number SLEEP_BITS - 1 on share the
                      * last bit */
    SLEEPS_AT_ONCE = 64 /* number of waits without spinning, after a wait in which another program wanted the core */
};

/* Times in seconds:
 * - LONGEST_SPIN: a thread without work sleeps after this time.
 * - LATE: a time longer than any piece takes.
 * - LONGEST_WAKE: pool_rouse waits at most this long for the threads. */
static const double LONGEST_SPIN = 500e-6, LATE = 2e-3, LONGEST_WAKE = 200e-6;

/* A thread of the pool. Other threads read or write `taken` and `works_on`, so each of these two has its own cache line. */
struct pool_thread {
    _Alignas(64) _Atomic uint64_t taken; /* number of the work << 32 | number of this thread's pieces that any thread has
                                          * begun */
    _Alignas(64) _Atomic uint32_t works_on; /* number of the work that the thread has joined; 0: none */
    pthread_t thread;
    struct thread_pool *pool;
    int number;        /* the thread is all[number] of the pool */
    int waits_asleep;  /* number of the thread's next waits in which it does not spin */
    uint32_t roused;   /* the value of `roused` of the pool that the thread saw last */
};

/* A work that the caller gives to the threads of the pool. */
struct work {
    pool_job *job;
    void *context;
    uint64_t pieces;
    int threads;     /* number of threads that may do pieces, the caller included: threads 0 to threads - 1 */
    uint32_t number; /* the number of the work, with the bit WORK_OPEN */
};

/* The pool of the process. */
struct thread_pool {
    struct pool_thread *all; /* [threads] the threads; thread 0 is the caller */
    int threads, users;      /* `users` is the number of calls of pool_open without a pool_close */
    _Alignas(64) _Atomic uint64_t posted; /* number of threads that may join << 32 | number of the work | WORK_OPEN */
    _Atomic int ends;        /* 1: the threads must end */
    _Atomic uint32_t roused; /* number of calls of pool_rouse */
    _Atomic uint32_t asleep; /* the sleep bits (SLEEP_BITS) of all threads that may be asleep */
    _Alignas(64) struct work work; /* the last work; it is set before `posted` */
    _Atomic uint64_t sum;    /* the sum of the numbers that jobs returned on all threads except the caller */
    uint64_t late;           /* the number of times that the caller has waited longer than LATE (pool_late) */
};

static struct thread_pool *shared; /* the pool of this process; NULL: it is not open */

/* ---- pieces ---- */

/* Reserves the next piece of thread `owner` in the work `work` for the calling thread. Returns the number of the owner's
 * pieces that were reserved before. This number is also the index of the piece among the owner's pieces. The caller must
 * check whether there is a piece with this index. The first call in a work resets the count of the last work. */
static uint64_t take_piece_of(struct pool_thread *owner, uint32_t work)
{
    uint64_t seen = atomic_load_explicit(&owner->taken, memory_order_relaxed);
    while (seen >> 32 != work) {
        if (atomic_compare_exchange_weak(&owner->taken, &seen, (uint64_t)work << 32 | 1))
            return 0;
    }
    return atomic_fetch_add_explicit(&owner->taken, 1, memory_order_relaxed) & UINT32_MAX;
}

/* Returns 1 if thread `owner` may have pieces of the work that no thread has begun. Only reads the count, so its cache
 * line stays shared between cores. Reserving a piece would move the cache line from core to core, and most checks of
 * other threads find no piece. */
static int may_have_piece(const struct pool_thread *owner, const struct work *work)
{
    uint64_t seen = atomic_load_explicit(&owner->taken, memory_order_relaxed);
    uint64_t taken = seen >> 32 == work->number ? seen & UINT32_MAX : 0;
    return taken * (uint64_t)work->threads + (uint64_t)owner->number < work->pieces;
}

/* Does pieces of a work as thread `number`, until all pieces have been begun. Does its own pieces first, and then pieces
 * of the threads with the next numbers. Returns the sum of the numbers that the job returned. */
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

/* Returns the address of the lower 32 bits of pool->posted, which are the number of the work. Futexes wait until these 32
 * bits change. */
static uint32_t *number_of_work(struct thread_pool *pool)
{
    const union {
        uint64_t whole;
        uint32_t half[2];
    } one = {.whole = 1};
    return (uint32_t *)&pool->posted + (one.half[0] == 1 ? 0 : 1);
}

/* Returns the sleep bits of the threads 1 to count - 1. If `count` is at least SLEEP_BITS, these are all bits except bit
 * 0, which belongs to the caller. */
static uint32_t sleep_bits_below(uint64_t count)
{
    return (count < SLEEP_BITS ? (UINT32_C(1) << count) - 1 : UINT32_MAX) & ~UINT32_C(1);
}

/* Wakes up to WOKEN sleeping threads among the threads 1 to threads - 1. Does nothing if none of these threads may be
 * asleep. Each woken thread calls this function, too, and wakes further threads. */
static void wake_some(struct thread_pool *pool, uint64_t threads)
{
    uint32_t bits = atomic_load(&pool->asleep) & sleep_bits_below(threads);
    if (bits != 0)
        syscall(SYS_futex, number_of_work(pool), FUTEX_WAKE_BITSET_PRIVATE, WOKEN, NULL, NULL, bits);
}

/* Sleeps until the thread is woken. Does not sleep if pool->posted differs from `posted`, if pool_rouse was called, or if
 * threads must end. May also return although no thread woke it, so the caller must check again. Sets the thread's bit in
 * pool->asleep while the thread sleeps. */
static void sleep_once(struct thread_pool *pool, const struct pool_thread *self, uint64_t posted)
{
    uint32_t bit = UINT32_C(1) << (self->number < SLEEP_BITS ? self->number : SLEEP_BITS - 1);
    atomic_fetch_or(&pool->asleep, bit);
    if (atomic_load(&pool->posted) == posted && atomic_load(&pool->roused) == self->roused && !atomic_load(&pool->ends))
        syscall(SYS_futex, number_of_work(pool), FUTEX_WAIT_BITSET_PRIVATE, (uint32_t)posted, NULL, NULL, bit);
    if (self->number < SLEEP_BITS - 1) /* the last bit stays set, because another thread with the same bit may sleep */
        atomic_fetch_and(&pool->asleep, ~bit);
}

/* Waits until a work is open that this thread may join, other than `last`, or until threads must end. Returns the value
 * of `posted`. Spins at first, and sleeps later. Sleeps at once if another program wants the core. A thread that has
 * slept wakes further threads before it returns. */
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

/* The main function of a thread of the pool: joins one work after the other, until threads must end. `argument` is the
 * thread's struct pool_thread. Returns NULL. */
static void *serve(void *argument)
{
    struct pool_thread *self = argument;
    struct thread_pool *pool = self->pool;
    for (uint64_t last = 0;;) {
        last = wait_for_work(pool, self, last);
        if (atomic_load(&pool->ends))
            return NULL;
        __builtin_prefetch(&pool->work); /* the work arrives while other threads see that works_on has changed */
        __builtin_prefetch(&self->taken, 1);
        atomic_store(&self->works_on, (uint32_t)last);
        if (atomic_load(&pool->posted) == last) {
            uint64_t sum = do_pieces(pool, pool->work, self->number);
            if (sum > 0)
                pool->sum += sum; /* only one addition for each thread, because all threads write to this cache line */
        }
        atomic_store_explicit(&self->works_on, 0, memory_order_release);
    }
}

/* ---- giving work ---- */

/* Waits until none of the threads 1 to threads - 1 does pieces of the work with the number `posted`. The caller must have
 * closed the work. Offers the core to other programs from time to time. If the wait takes longer than LATE seconds, adds
 * 1 to pool->late: a thread that had joined has lost its core. */
static void wait_for_threads(struct thread_pool *pool, int threads, uint32_t posted)
{
    struct patience patience = {0};
    for (;;) {
        int working = 0;
        for (int i = 1; i < threads; i++) /* has no branch, so that the core reads all cache lines at once */
            working += atomic_load(&pool->all[i].works_on) == posted;
        if (working == 0)
            break;
        patience_is_over(&patience, LONGEST_SPIN);
    }
    pool->late += patience.begun > 0 && cli_seconds() - patience.begun > LATE;
}

/* Posts a work, wakes threads, does pieces as thread 0, closes the work, and waits for the threads that have joined.
 * Returns the sum of the numbers that `job` returned. If there is only one thread or one piece, the caller does all
 * pieces itself. */
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
    open += open == WORK_OPEN ? NEXT_WORK : 0; /* skips the number 0, which means no work */
    pool->work =
        (struct work){.job = job, .context = context, .pieces = pieces, .threads = threads, .number = open};
    atomic_store_explicit(&pool->sum, 0, memory_order_relaxed);
    atomic_store(&pool->posted, (uint64_t)threads << 32 | open);
    wake_some(pool, (uint64_t)threads);
    sum = do_pieces(pool, pool->work, 0);
    atomic_store(&pool->posted, open & ~(uint32_t)WORK_OPEN); /* closes the work */
    wait_for_threads(pool, threads, open);
    return sum + pool->sum;
}

/* A loop that pool_for runs over 0..count. A piece has `step` elements. */
struct loop {
    uint64_t count, step;
    pool_body *body;
    void *context;
};

/* Calls the body of the loop for the elements of a piece. Returns 0. Called by threads of the pool, for pool_for.
 * `context` is a struct loop. */
static uint64_t do_loop_piece(void *context, int thread, uint64_t piece)
{
    const struct loop *loop = context;
    uint64_t begin = piece * loop->step;
    (void)thread;
    loop->body(loop->context, begin, smaller(begin + loop->step, loop->count));
    return 0;
}

/* Runs `body` over 0..count as a work, with up to `threads` threads. A piece of the work has `step` elements. Returns
 * when all pieces are done. */
void pool_for(struct thread_pool *pool, int threads, uint64_t count, uint64_t step, pool_body *body, void *context)
{
    struct loop loop = {count, step, body, context};
    pool_run(pool, threads, divide_up(count, step), do_loop_piece, &loop);
}

/* Makes all threads spin. Adds 1 to pool->roused, and wakes the threads that sleep. Each thread compares pool->roused
 * with the value that it saw last. Returns when no thread with a number below SLEEP_BITS - 1 is asleep, or after
 * LONGEST_WAKE seconds. */
void pool_rouse(struct thread_pool *pool)
{
    /* leaves out the last bit, which is never cleared */
    uint32_t bits = sleep_bits_below(smaller((uint64_t)pool->threads, SLEEP_BITS - 1));
    double begun = cli_seconds();
    atomic_fetch_add(&pool->roused, 1);
    wake_some(pool, (uint64_t)pool->threads);
    while ((atomic_load(&pool->asleep) & bits) != 0 && cli_seconds() - begun < LONGEST_WAKE)
        pause_briefly();
}

/* Returns how often the caller of a work has waited longer than LATE for a thread that had joined. */
uint64_t pool_late(const struct thread_pool *pool)
{
    return pool->late;
}

/* ---- opening ---- */

/* Ends the threads 1 to count - 1, waits for their end, and frees the pool. The caller is thread 0 and does not end. */
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

/* Sets *result to the pool of the process, and adds 1 to its users. The first call starts the threads. Their number is
 * `threads`, the caller included, but at most the number of cores. If a thread cannot be started, ends the threads that
 * were started. After a failure *result is NULL. The memory is not charged to a budget. */
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

/* Subtracts 1 from the users of the pool. If no user is left, ends the threads and frees the pool. `pool` may be NULL. */
void pool_close(struct thread_pool *pool)
{
    if (pool == NULL || --pool->users > 0)
        return;
    shared = NULL;
    end_threads(pool, pool->threads);
}
