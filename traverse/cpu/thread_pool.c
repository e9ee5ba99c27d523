/* thread_pool.c: see thread_pool.h
 *
 * The door is a number: of the work, and one bit that says whether threads may still join. A thread joins in
 * two steps: it writes the number to its place, and looks whether the door still stands open. The caller
 * leaves in two steps: it shuts the door, and waits until no place has the number. So one of them sees
 * the other.
 *
 * Threads that sleep are woken as a tree: the caller wakes two of those that the work names, and each of them
 * two more while the work lasts. A thread that the work does not name sleeps on, and nobody is woken twice for
 * one work: threads that woke each other without end held all cores.
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
    DOOR_OPEN = 1,
    NEXT_WORK = 2,     /* from the number of a work to the next one */
    WOKEN = 2,         /* sleepers that a thread wakes; each of them wakes two more */
    SLEEP_BITS = 32,   /* of a futex: the last one stands for all further threads */
    SLEEPS_AT_ONCE = 64 /* waits that do not spin, after one in which the core was wanted */
};

/* Seconds: until a thread without work sleeps; longer than any piece takes; until nobody waits any more for
 * roused threads that do not come. */
static const double LONGEST_SPIN = 500e-6, LATE = 2e-3, LONGEST_WAKE = 200e-6;

#define NO_PIECE UINT64_MAX

/* A cache line of its own for each thread. */
struct place {
    _Alignas(64) _Atomic uint64_t taken; /* pieces of it: number of the work << 32 | how many */
    _Alignas(64) _Atomic uint32_t joined; /* the work that it does; 0: none */
    pthread_t thread;
    int number;
    int rest;        /* waits that are not to spin */
    uint32_t roused; /* the thread pool's count when it waited last */
    struct thread_pool *pool;
};

/* A thread's view of the work that it does. */
struct turn {
    int number;  /* of the thread; the caller's is 0 */
    int threads; /* threads that may join, the caller included */
    int tried;   /* threads whose pieces are all taken, counted from its own */
    uint32_t work;
    uint64_t pieces;
};

struct thread_pool {
    struct place *places; /* [threads] */
    int threads, users;
    _Alignas(64) _Atomic uint64_t door; /* threads << 32 | number of the work; see door_of */
    _Atomic int ends;
    _Atomic uint32_t roused; /* calls of pool_rouse */
    _Atomic uint32_t asleep; /* threads that may sleep, by sleep_bit */
    _Alignas(64) pool_job *job; /* the work, set by the caller */
    void *context;
    struct turn turn;
    _Atomic uint64_t sum; /* of the pieces of all threads but the caller */
    uint64_t late;
};

/* The thread pool of this process. */
static struct thread_pool *shared;

/* ---- pieces ---- */

/* Takes a piece of a place. The first thread of a work resets the count of the last one. */
static uint64_t take_piece_of(struct place *place, uint32_t work)
{
    uint64_t seen = atomic_load_explicit(&place->taken, memory_order_relaxed);
    while (seen >> 32 != work) {
        if (atomic_compare_exchange_weak(&place->taken, &seen, (uint64_t)work << 32 | 1))
            return 0;
    }
    return atomic_fetch_add_explicit(&place->taken, 1, memory_order_relaxed) & UINT32_MAX;
}

/* Whether the place of thread `of` may have a piece. A look only shares the line of a place, while
 * taking a piece moves it from core to core; and most looks at places of others find nothing. */
static int may_have_piece(const struct thread_pool *g, const struct turn *t, int of)
{
    uint64_t seen = atomic_load_explicit(&g->places[of].taken, memory_order_relaxed);
    uint64_t taken = seen >> 32 == t->work ? seen & UINT32_MAX : 0;
    return taken * (uint64_t)t->threads + (uint64_t)of < t->pieces;
}

/* The next piece for a thread; NO_PIECE if all are taken. */
static uint64_t next_piece(struct thread_pool *g, struct turn *t)
{
    for (; t->tried < t->threads; t->tried++) {
        int of = t->number + t->tried;
        of -= of >= t->threads ? t->threads : 0;
        if (t->tried > 0 && !may_have_piece(g, t, of))
            continue;
        uint64_t piece = take_piece_of(&g->places[of], t->work) * (uint64_t)t->threads + (uint64_t)of;
        if (piece < t->pieces)
            return piece;
    }
    return NO_PIECE;
}

/* Does pieces until there are no more. Returns their sum. */
static uint64_t do_pieces(struct thread_pool *g, struct turn turn)
{
    uint64_t sum = 0, piece;
    while ((piece = next_piece(g, &turn)) != NO_PIECE)
        sum += g->job(g->context, turn.number, piece);
    return sum;
}

/* ---- waiting ---- */

/* The half of the door that has the number of the work. */
static uint32_t *number_of_work(struct thread_pool *g)
{
    const union {
        uint64_t whole;
        uint32_t half[2];
    } one = {.whole = 1};
    return (uint32_t *)&g->door + (one.half[0] == 1 ? 0 : 1);
}

static uint32_t sleep_bit(int number)
{
    return UINT32_C(1) << (number < SLEEP_BITS ? number : SLEEP_BITS - 1);
}

/* The sleep bits of threads 1..count-1. */
static uint32_t sleep_bits(uint64_t count)
{
    return (count < SLEEP_BITS ? (UINT32_C(1) << count) - 1 : UINT32_MAX) & ~UINT32_C(1);
}

static void sleep_before(struct thread_pool *g, const struct place *place, uint64_t door)
{
    uint32_t bit = sleep_bit(place->number);
    atomic_fetch_or(&g->asleep, bit);
    if (atomic_load(&g->door) == door && atomic_load(&g->roused) == place->roused &&
        !atomic_load(&g->ends))
        syscall(SYS_futex, number_of_work(g), FUTEX_WAIT_BITSET_PRIVATE, (uint32_t)door, NULL, NULL, bit);
    if (place->number < SLEEP_BITS - 1)
        atomic_fetch_and(&g->asleep, ~bit);
}

/* Wakes some of those that sleep among the first `threads` threads. */
static void wake_some(struct thread_pool *g, uint64_t threads)
{
    uint32_t bits = atomic_load(&g->asleep) & sleep_bits(threads);
    if (bits != 0)
        syscall(SYS_futex, number_of_work(g), FUTEX_WAKE_BITSET_PRIVATE, WOKEN, NULL, NULL, bits);
}

/* Whether the door has a work that is new to the thread of a place, and names it. */
static int is_new_work(uint64_t door, const struct place *place, uint64_t last)
{
    return (door & DOOR_OPEN) != 0 && door != last && (uint64_t)place->number < door >> 32;
}

/* Nonzero once if threads were roused since this one waited last. */
static int is_roused(const struct thread_pool *g, struct place *place)
{
    uint32_t roused = atomic_load_explicit(&g->roused, memory_order_relaxed);
    int is_new = roused != place->roused;
    place->roused = roused;
    return is_new;
}

/* Returns the door of a work that the thread has not seen. */
static uint64_t wait_for_work(struct thread_pool *g, struct place *place, uint64_t last)
{
    struct patience patience = {0};
    int sleeps = place->rest > 0, slept = 0;
    place->rest -= place->rest > 0;
    for (;;) {
        int roused = is_roused(g, place);
        uint64_t door = atomic_load(&g->door);
        int is_called = is_new_work(door, place, last);
        if (roused) {
            patience = (struct patience){0};
            place->rest = 0;
            sleeps = 0;
        }
        if (slept && (roused || is_called))
            wake_some(g, roused ? (uint64_t)g->threads : door >> 32);
        slept = 0;
        if (is_called || atomic_load_explicit(&g->ends, memory_order_relaxed))
            return door;
        if (sleeps) {
            sleep_before(g, place, door);
            slept = 1;
            continue;
        }
        sleeps = patience_is_over(&patience, LONGEST_SPIN);
        if (patience_was_taken(&patience))
            place->rest = SLEEPS_AT_ONCE;
    }
}

/* ---- work ---- */

static void join(struct thread_pool *g, struct place *place, uint64_t door)
{
    __builtin_prefetch(&g->job); /* on its way while the others see that this thread joins */
    __builtin_prefetch(&place->taken, 1);
    atomic_store(&place->joined, (uint32_t)door);
    if (atomic_load(&g->door) == door) {
        struct turn turn = g->turn;
        turn.number = place->number;
        uint64_t sum = do_pieces(g, turn);
        if (sum > 0)
            g->sum += sum; /* once, since all wait for its line */
    }
    atomic_store_explicit(&place->joined, 0, memory_order_release);
}

static void *serve(void *argument)
{
    struct place *place = argument;
    struct thread_pool *g = place->pool;
    for (uint64_t last = 0;;) {
        last = wait_for_work(g, place, last);
        if (atomic_load(&g->ends))
            return NULL;
        join(g, place, last);
    }
}

/* Whether all have left the work: without a branch, so that a core asks for all places at once. */
static int is_done(const struct thread_pool *g, int threads, uint32_t work)
{
    int working = 0;
    for (int i = 1; i < threads; i++)
        working += atomic_load(&g->places[i].joined) == work;
    return working == 0;
}

/* Waits for threads that have joined and do their last pieces. */
static void wait_for_threads(struct thread_pool *g, int threads, uint32_t work)
{
    struct patience patience = {0};
    while (!is_done(g, threads, work))
        patience_is_over(&patience, LONGEST_SPIN);
    g->late += patience.begun > 0 && cli_seconds() - patience.begun > LATE;
}

uint64_t pool_late(const struct thread_pool *g)
{
    return g->late;
}

static uint32_t next_work(const struct thread_pool *g)
{
    uint32_t work =
        ((uint32_t)atomic_load_explicit(&g->door, memory_order_relaxed) | DOOR_OPEN) + NEXT_WORK;
    return work == DOOR_OPEN ? work + NEXT_WORK : work; /* 0 and 1 are no work */
}

/* Only threads that the door names may join; so the caller need not wait for others. */
static uint64_t door_of(uint32_t work, int threads)
{
    return (uint64_t)threads << 32 | work;
}

void pool_rouse(struct thread_pool *g)
{
    uint32_t bits = sleep_bits((uint64_t)(g->threads < SLEEP_BITS ? g->threads : SLEEP_BITS - 1));
    double begun = cli_seconds();
    atomic_fetch_add(&g->roused, 1);
    wake_some(g, (uint64_t)g->threads);
    while ((atomic_load(&g->asleep) & bits) != 0 && cli_seconds() - begun < LONGEST_WAKE)
        pause_briefly();
}

uint64_t pool_run(struct thread_pool *g, int threads, uint64_t pieces, pool_job *job, void *context)
{
    uint32_t work = next_work(g);
    struct turn turn = {.threads = threads < g->threads ? threads : g->threads, .work = work, .pieces = pieces};
    uint64_t sum = 0;
    for (uint64_t i = 0; i < pieces && (turn.threads == 1 || pieces == 1); i++)
        sum += job(context, 0, i);
    if (turn.threads == 1 || pieces <= 1)
        return sum;
    g->job = job;
    g->context = context;
    g->turn = turn;
    atomic_store_explicit(&g->sum, 0, memory_order_relaxed);
    atomic_store(&g->door, door_of(work, turn.threads));
    wake_some(g, (uint64_t)turn.threads);
    sum = do_pieces(g, turn);
    atomic_store(&g->door, work & ~(uint32_t)DOOR_OPEN);
    wait_for_threads(g, turn.threads, work);
    return sum + g->sum;
}

/* ---- loops ---- */

struct loop {
    uint64_t count, step;
    pool_body *body;
    void *context;
};

static uint64_t do_loop(void *context, int thread, uint64_t piece)
{
    const struct loop *loop = context;
    uint64_t begin = piece * loop->step;
    (void)thread;
    loop->body(loop->context, begin, smaller(begin + loop->step, loop->count));
    return 0;
}

void pool_for(struct thread_pool *g, int threads, uint64_t count, uint64_t step, pool_body *body,
              void *context)
{
    struct loop loop = {count, step, body, context};
    pool_run(g, threads, (count + step - 1) / step, do_loop, &loop);
}

/* ---- opening ---- */

static void end_threads(struct thread_pool *g, int count)
{
    atomic_store(&g->ends, 1);
    atomic_fetch_add(&g->door, NEXT_WORK);
    syscall(SYS_futex, number_of_work(g), FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
    for (int i = 1; i < count; i++)
        pthread_join(g->places[i].thread, NULL);
    free(g->places);
    free(g);
}

static enum status start_threads(struct thread_pool *g, struct error *e)
{
    for (int i = 1; i < g->threads; i++) {
        errno = pthread_create(&g->places[i].thread, NULL, serve, &g->places[i]);
        if (errno == 0)
            continue;
        fail_errno(e, "a thread that searches", "cannot start");
        end_threads(g, i);
        return e->status;
    }
    return ST_OK;
}

enum status pool_open(struct thread_pool **result, int threads, struct error *e)
{
    *result = NULL;
    threads = (int)smaller(smaller((uint64_t)threads, MOST_POOL_THREADS), (uint64_t)cli_cores());
    if (shared == NULL) {
        struct thread_pool *g = aligned_alloc(64, sizeof *g);
        struct place *places = aligned_alloc(64, (size_t)threads * sizeof *places);
        if (g == NULL || places == NULL) {
            free(g);
            free(places);
            return fail_memory(e, "threads", (size_t)threads * sizeof *places);
        }
        *g = (struct thread_pool){.places = places, .threads = threads};
        for (int i = 0; i < threads; i++)
            places[i] = (struct place){.number = i, .pool = g};
        if (start_threads(g, e) != ST_OK)
            return e->status;
        shared = g;
    }
    shared->users++;
    *result = shared;
    return ST_OK;
}

void pool_close(struct thread_pool *g)
{
    if (g == NULL || --g->users > 0)
        return;
    shared = NULL;
    end_threads(g, g->threads);
}
