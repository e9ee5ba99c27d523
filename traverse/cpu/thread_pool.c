/* thread_pool.c: the threads that search on the CPU (thread_pool.h)
 *
 * Works are numbered, and `posted` has the number of the last one. A thread takes a piece by an atomic operation on `taken` of the
 * piece's owner, which has the number, too, and only grows. So a thread that comes late, with the number of an earlier work, takes
 * nothing. Each thread counts the pieces that it has done in `done`, and the caller waits until all pieces are done. A work
 * whose threads have a core moves four cache lines between caller and thread: `posted` with the work, `taken`, and twice `done`.
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
    FIRST_LOOKS = 32,   /* so often the caller looks whether others have done their only pieces, before it takes pieces of theirs */
    WOKEN = 2,          /* how many sleeping threads one thread wakes */
    SLEEP_BITS = 32, /* bits of a futex: thread i has bit i, but all threads from SLEEP_BITS - 1 on share the last bit */
    SLEEPS_AT_ONCE = 64 /* a thread whose core another program wanted sleeps at once, without spinning, in so many waits */
};

/* In seconds: after LONGEST_SPIN a thread without work sleeps, no piece takes LONGEST_PIECE, and pool_rouse waits at most
 * LONGEST_WAKE for the threads. */
static const double LONGEST_SPIN = 500e-6, LONGEST_PIECE = 2e-3, LONGEST_WAKE = 200e-6;

/* A thread of the pool. Other threads use `taken`, and `done` with `sum`. */
struct pool_thread {
    _Alignas(APART) _Atomic uint64_t taken; /* number of the work << 32 | how many of this thread's pieces any thread has
                                             * begun */
    pthread_t thread;
    struct thread_pool *pool;
    int number;        /* index of the thread in `all` of the pool */
    int waits_asleep;  /* in how many further waits the thread does not spin */
    uint32_t roused;   /* the value of `roused` of the pool that the thread saw last */
    _Alignas(APART) _Atomic uint64_t done; /* number of the work << 32 | how many pieces this thread has done in it */
    uint64_t sum;      /* of what the job returned for them; it is set before `done` */
};

/* A work that the caller gives to the threads of the pool. */
struct work {
    pool_job *job;
    void *context;
    uint64_t pieces;
    uint64_t threads; /* how many threads may do pieces, the caller included */
    uint32_t number;
};

/* The pool of the process. */
struct thread_pool {
    struct pool_thread *all; /* [threads] the threads; thread 0 is the caller */
    int threads, users;      /* `users`: calls of pool_open without a pool_close */
    uint64_t late;           /* how often the caller has waited longer than LONGEST_PIECE (pool_late) */
    _Alignas(APART) _Atomic uint64_t posted; /* number of threads that may join << 32 | number of the work, which is even; an odd
                                              * number, and no threads, while the caller writes the work, on the same cache line */
    pool_job *_Atomic job;
    void *_Atomic context;
    _Atomic uint64_t pieces;
    _Atomic int ends;        /* 1: the threads must end */
    _Atomic uint32_t roused; /* number of calls of pool_rouse */
    _Alignas(APART) _Atomic uint32_t asleep; /* sleep bits (SLEEP_BITS) of all threads that may be asleep */
};

static struct thread_pool *shared; /* the pool of this process; NULL: not open */

/* ---- pieces ---- */

/* Takes the next piece of thread `of` for the calling thread. Returns its number; `pieces` of the work if nobody needs to begin a
 * piece of that thread, which may be because the work has ended. Then only reads `taken`, so that its cache line stays shared. */
static uint64_t take_piece_of(struct thread_pool *pool, int of, const struct work *work)
{
    _Atomic uint64_t *taken = &pool->all[of].taken;
    uint64_t seen = atomic_load_explicit(taken, memory_order_relaxed), first = (uint64_t)work->number << 32;
    for (;;) {
        int32_t ahead = (int32_t)((uint32_t)(seen >> 32) - work->number);
        uint64_t index = ahead < 0 ? 0 : seen & UINT32_MAX, piece = index * work->threads + (uint64_t)of;
        if (ahead > 0 || piece >= work->pieces)
            return work->pieces;
        if (atomic_compare_exchange_weak(taken, &seen, first | (index + 1)))
            return piece;
    }
}

/* Does the pieces of `count` threads from thread `first` on, as thread `number`, until all have been begun. Adds what the job returns
 * to *sum. Returns how many pieces it did. */
static uint64_t do_pieces(struct thread_pool *pool, const struct work *work, int number, int first, int count, uint64_t *sum)
{
    uint64_t done = 0, piece;
    for (int i = 0; i < count; i++) {
        int of = first + i < (int)work->threads ? first + i : first + i - (int)work->threads;
        for (; (piece = take_piece_of(pool, of, work)) < work->pieces; done++)
            *sum += work->job(work->context, number, piece);
    }
    return done;
}

/* Returns how many threads' pieces a thread does at once. If each thread has but one piece, it does only its own, since the others have
 * mostly begun theirs, and would lose the cache lines of `taken` to each other. */
static int threads_served(const struct work *work)
{
    return work->pieces > work->threads ? (int)work->threads : 1;
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

/* Waits until there is a work that this thread may join, other than `last`, which it joined before, or until threads must end.
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
        int is_called = posted != last && (uint64_t)self->number < posted >> 32;
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
        struct work work = {.job = atomic_load_explicit(&pool->job, memory_order_relaxed),
                            .context = atomic_load_explicit(&pool->context, memory_order_relaxed),
                            .pieces = atomic_load_explicit(&pool->pieces, memory_order_relaxed),
                            .threads = last >> 32,
                            .number = (uint32_t)last};
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&pool->posted, memory_order_relaxed) != last) /* what was read may be of two works */
            continue;
        uint64_t sum = 0, done = do_pieces(pool, &work, self->number, self->number, threads_served(&work), &sum);
        if (done > 0) {
            self->sum = sum;
            atomic_store_explicit(&self->done, (uint64_t)work.number << 32 | done, memory_order_release);
        }
    }
}

/* ---- giving work ---- */

/* Returns how many pieces of a work the threads other than the caller have done. Adds what the job returned for them to *sum. */
static uint64_t pieces_done(const struct thread_pool *pool, const struct work *work, uint64_t *sum)
{
    uint64_t done = 0;
    for (uint64_t i = 1; i < work->threads; i++) {
        uint64_t of_thread = atomic_load_explicit(&pool->all[i].done, memory_order_acquire);
        if (of_thread >> 32 == work->number) {
            done += of_thread & UINT32_MAX;
            *sum += pool->all[i].sum;
        }
    }
    return done;
}

/* Posts a work, does pieces as thread 0, and waits until all pieces are done. Does pieces of threads that have not begun them
 * after FIRST_LOOKS, and then offers the core to other programs now and then. A wait longer than LONGEST_PIECE means that a thread
 * lost its core, and is counted in pool->late. With one thread or one piece the caller does all by itself. */
uint64_t pool_run(struct thread_pool *pool, int threads, uint64_t pieces, pool_job *job, void *context)
{
    uint64_t sum = 0;
    threads = threads < pool->threads ? threads : pool->threads;
    if (threads == 1 || pieces <= 1) {
        for (uint64_t i = 0; i < pieces; i++)
            sum += job(context, 0, i);
        return sum;
    }
    uint32_t number = (uint32_t)atomic_load_explicit(&pool->posted, memory_order_relaxed) + 2;
    struct work work = {job, context, pieces, (uint64_t)threads, number};
    atomic_store_explicit(&pool->posted, number - 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    /* numbers are compared modulo 2^32, so that of a thread that has long had no piece must not fall 2^31 behind */
    for (int i = 0; i < pool->threads && number % (1u << 29) == 0; i++)
        atomic_store_explicit(&pool->all[i].taken, (uint64_t)number << 32, memory_order_relaxed);
    atomic_store_explicit(&pool->job, job, memory_order_relaxed);
    atomic_store_explicit(&pool->context, context, memory_order_relaxed);
    atomic_store_explicit(&pool->pieces, pieces, memory_order_relaxed);
    atomic_store(&pool->posted, (uint64_t)threads << 32 | number);
    wake_some(pool, (uint64_t)threads);

    struct patience patience = {0};
    uint64_t own = do_pieces(pool, &work, 0, 0, threads_served(&work), &sum), sum_of_others = 0;
    for (int looks = 0; own + pieces_done(pool, &work, &sum_of_others) < pieces; looks++, sum_of_others = 0) {
        if (looks < FIRST_LOOKS)
            pause_briefly();
        else if (looks == FIRST_LOOKS)
            own += do_pieces(pool, &work, 0, 0, threads, &sum);
        else
            patience_is_over(&patience, LONGEST_SPIN);
    }
    pool->late += patience.begun > 0 && cli_seconds() - patience.begun > LONGEST_PIECE;
    return sum + sum_of_others;
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
    atomic_fetch_add(&pool->posted, 2);
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
        struct thread_pool *pool = aligned_alloc(APART, sizeof *pool);
        struct pool_thread *all = aligned_alloc(APART, (size_t)threads * sizeof *all);
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
