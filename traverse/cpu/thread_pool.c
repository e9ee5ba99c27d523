/* thread_pool.c: the threads that search on the CPU (thread_pool.h)
 *
 * Works are numbered. `posted` has the number of the last work, and a bit that says whether threads may still join it.
 * A thread first stores the number in works_on, and then checks that the work is still open. The caller first closes
 * the work, and then waits until no works_on has its number. So the thread sees that the work is closed, or the caller
 * sees the thread.
 *
 * Sleeping threads are woken as a tree: the caller wakes two of those that may join, and each of these wakes two more,
 * while the work lasts. Threads that may not join are left asleep. No thread is woken twice for a work; before this
 * rule threads woke each other endlessly, and kept all cores busy. */
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
    NEXT_WORK = 2,      /* the difference between the numbers of two works, in which bit 0 is WORK_OPEN */
    WOKEN = 2,          /* how many sleeping threads one thread wakes */
    SLEEP_BITS = 32, /* bits of a futex: thread i has bit i, but all threads from SLEEP_BITS - 1 on share the last bit */
    SLEEPS_AT_ONCE = 64 /* a thread whose core another program wanted sleeps at once, without spinning, in so many waits */
};

/* In seconds: after LONGEST_SPIN a thread without work sleeps, no piece takes LONGEST_PIECE, and pool_rouse waits at most
 * LONGEST_WAKE for the threads. */
static const double LONGEST_SPIN = 500e-6, LONGEST_PIECE = 2e-3, LONGEST_WAKE = 200e-6;

/* A thread of the pool. `taken` and `works_on` are used by other threads, too, so each has its own cache line. */
struct pool_thread {
    _Alignas(64) _Atomic uint64_t taken; /* number of the work << 32 | how many of this thread's pieces any thread has
                                          * begun */
    _Alignas(64) _Atomic uint32_t works_on; /* number of the work that the thread has joined; 0: none */
    pthread_t thread;
    struct thread_pool *pool;
    int number;        /* index of the thread in `all` of the pool */
    int waits_asleep;  /* in how many further waits the thread does not spin */
    uint32_t roused;   /* the value of `roused` of the pool that the thread saw last */
};

/* A work that the caller gives to the threads of the pool. */
struct work {
    pool_job *job;
    void *context;
    uint64_t pieces;
    int threads;     /* how many threads may do pieces, the caller included */
    uint32_t number; /* the number of the work, with the bit WORK_OPEN */
};

/* The pool of the process. */
struct thread_pool {
    struct pool_thread *all; /* [threads] the threads; thread 0 is the caller */
    int threads, users;      /* `users`: calls of pool_open without a pool_close */
    _Alignas(64) _Atomic uint64_t posted; /* number of threads that may join << 32 | number of the work | WORK_OPEN */
    _Atomic int ends;        /* 1: the threads must end */
    _Atomic uint32_t roused; /* number of calls of pool_rouse */
    _Atomic uint32_t asleep; /* sleep bits (SLEEP_BITS) of all threads that may be asleep */
    _Alignas(64) struct work work; /* the last work; it is set before `posted` */
    _Atomic uint64_t sum;    /* sum of what jobs returned on all threads except the caller */
    uint64_t late;           /* how often the caller has waited longer than LONGEST_PIECE (pool_late) */
};

static struct thread_pool *shared; /* the pool of this process; NULL: not open */

/* ---- pieces ---- */

/* Reserves the next piece of thread `owner` for the calling thread. Returns its index among the owner's pieces. The caller
 * must check the index, as the owner may have no such piece. The first call in a work begins the count at 0. */
static uint64_t take_piece_of(struct pool_thread *owner, uint32_t work)
{
    uint64_t seen = atomic_load_explicit(&owner->taken, memory_order_relaxed);
    while (seen >> 32 != work) {
        if (atomic_compare_exchange_weak(&owner->taken, &seen, (uint64_t)work << 32 | 1))
            return 0;
    }
    return atomic_fetch_add_explicit(&owner->taken, 1, memory_order_relaxed) & UINT32_MAX;
}

/* Returns 1 if thread `of`, which is *owner, may have pieces that nobody has begun. Only reads owner->taken, so that the count's
 * cache line stays shared: most such checks find no piece, and reserving one would move the line from core to core. Does not
 * read owner->number, on a cache line that the owner writes while it waits. */
static int may_have_piece(const struct pool_thread *owner, int of, const struct work *work)
{
    uint64_t seen = atomic_load_explicit(&owner->taken, memory_order_relaxed);
    uint64_t taken = seen >> 32 == work->number ? seen & UINT32_MAX : 0;
    return taken * (uint64_t)work->threads + (uint64_t)of < work->pieces;
}

/* Does pieces of a work as thread `number` until all have been begun: first its own, then those of the next threads.
 * Returns the sum of what the job returned. */
static uint64_t do_pieces(struct thread_pool *pool, struct work work, int number)
{
    uint64_t sum = 0, threads = (uint64_t)work.threads;
    for (int i = 0; i < work.threads; i++) {
        int of = number + i < work.threads ? number + i : number + i - work.threads;
        struct pool_thread *owner = &pool->all[of];
        while (i == 0 || may_have_piece(owner, of, &work)) {
            uint64_t piece = take_piece_of(owner, work.number) * threads + (uint64_t)of;
            if (piece >= work.pieces)
                break;
            sum += work.job(work.context, number, piece);
        }
    }
    return sum;
}

/* ---- waiting for work ---- */

/* Returns the address of the lower 32 bits of pool->posted, the number of the work, on which futexes wait. */
static uint32_t *number_of_work(struct thread_pool *pool)
{
    const union {
        uint64_t whole;
        uint32_t half[2];
    } one = {.whole = 1};
    return (uint32_t *)&pool->posted + (one.half[0] == 1 ? 0 : 1);
}

/* Returns the sleep bits of the threads 1 to count - 1. With SLEEP_BITS or more these are all bits but bit 0, the
 * caller's. */
static uint32_t sleep_bits_below(uint64_t count)
{
    return (count < SLEEP_BITS ? (UINT32_C(1) << count) - 1 : UINT32_MAX) & ~UINT32_C(1);
}

/* Wakes up to WOKEN sleeping threads among 1 to threads - 1. Each of them calls this function, too, and wakes more. */
static void wake_some(struct thread_pool *pool, uint64_t threads)
{
    uint32_t bits = atomic_load(&pool->asleep) & sleep_bits_below(threads);
    if (bits != 0)
        syscall(SYS_futex, number_of_work(pool), FUTEX_WAKE_BITSET_PRIVATE, WOKEN, NULL, NULL, bits);
}

/* Sleeps until another thread wakes this one. Returns at once if pool->posted is no longer `posted`, if pool_rouse was
 * called, or if threads must end. May return without reason, so the caller must check again. The thread's bit in
 * pool->asleep is set meanwhile. */
static void sleep_once(struct thread_pool *pool, const struct pool_thread *self, uint64_t posted)
{
    uint32_t bit = UINT32_C(1) << (self->number < SLEEP_BITS ? self->number : SLEEP_BITS - 1);
    atomic_fetch_or(&pool->asleep, bit);
    if (atomic_load(&pool->posted) == posted && atomic_load(&pool->roused) == self->roused && !atomic_load(&pool->ends))
        syscall(SYS_futex, number_of_work(pool), FUTEX_WAIT_BITSET_PRIVATE, (uint32_t)posted, NULL, NULL, bit);
    if (self->number < SLEEP_BITS - 1) /* the last bit stays set, because another thread with the same bit may sleep */
        atomic_fetch_and(&pool->asleep, ~bit);
}

/* Waits for an open work that this thread may join and that is not `last`, the work it joined before, or for the end.
 * Returns the value of `posted`. Spins at first, and sleeps later, or at once if another program wants the core. A thread
 * that has slept wakes more threads before it returns. */
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

/* The main function of a thread of the pool: joins one work after the other until threads must end. `argument` is the
 * thread's struct pool_thread. */
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
                pool->sum += sum; /* one addition for each thread, because all of them write to this cache line */
        }
        atomic_store_explicit(&self->works_on, 0, memory_order_release);
    }
}

/* ---- giving work ---- */

/* Waits until no thread does pieces of the work `posted`, which is closed, and now and then offers the core to other
 * programs. A wait longer than LONGEST_PIECE seconds means that a thread lost its core, and is counted in pool->late. */
static void wait_for_threads(struct thread_pool *pool, int threads, uint32_t posted)
{
    struct patience patience = {0};
    for (;;) {
        int working = 0;
        for (int i = 1; i < threads; i++) /* without a branch, so that the core reads all cache lines at once */
            working += atomic_load(&pool->all[i].works_on) == posted;
        if (working == 0)
            break;
        patience_is_over(&patience, LONGEST_SPIN);
    }
    pool->late += patience.begun > 0 && cli_seconds() - patience.begun > LONGEST_PIECE;
}

/* Posts a work, does pieces as thread 0, closes the work, and waits for threads that have joined. With one thread or
 * one piece the caller does all by itself. */
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

/* A loop over 0..count in pieces of `step` elements. */
struct loop {
    uint64_t count, step;
    pool_body *body;
    void *context;
};

/* Runs the body of a loop for one piece. Threads of the pool run this for pool_for; `context` is a struct loop. */
static uint64_t do_loop_piece(void *context, int thread, uint64_t piece)
{
    const struct loop *loop = context;
    uint64_t begin = piece * loop->step;
    (void)thread;
    loop->body(loop->context, begin, smaller(begin + loop->step, loop->count));
    return 0;
}

/* Runs a loop as a work, whose pieces have `step` elements. */
void pool_for(struct thread_pool *pool, int threads, uint64_t count, uint64_t step, pool_body *body, void *context)
{
    struct loop loop = {count, step, body, context};
    pool_run(pool, threads, divide_up(count, step), do_loop_piece, &loop);
}

/* Makes all threads spin: adds 1 to pool->roused, which each thread compares with what it saw last, and wakes those
 * that sleep. Waits until none of the threads with a bit of their own is asleep, but at most LONGEST_WAKE. */
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

/* Returns how often the caller has waited longer than LONGEST_PIECE for a thread. */
uint64_t pool_late(const struct thread_pool *pool)
{
    return pool->late;
}

/* ---- opening ---- */

/* Ends the threads 1 to count - 1, and frees the pool. The caller, thread 0, goes on. */
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

/* Adds a user to the pool, and starts its threads for the first user. The memory is not charged to a budget. */
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

/* Ends one use of the pool, and after the last one the pool itself. */
void pool_close(struct thread_pool *pool)
{
    if (pool == NULL || --pool->users > 0)
        return;
    shared = NULL;
    end_threads(pool, pool->threads);
}
