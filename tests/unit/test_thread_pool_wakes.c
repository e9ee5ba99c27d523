/* test_thread_pool_wakes.c: which of the 16 threads of a thread pool are woken, on a host of more cores
 *
 * The syscall of this file replaces that of the C library, and counts the calls that wake threads. */
#include "pretended_cores.h"
#include "unit.h"

#include "traverse/cpu/thread_pool.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 16, QUIET_US = 100000 };

static _Atomic long wakes;

long syscall(long number, ...)
{
    static long (*real)(long, ...);
    long argument[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(list, long);
    va_end(list);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    int what = (int)argument[1] & FUTEX_CMD_MASK;
    if (number == SYS_futex && (what == FUTEX_WAKE || what == FUTEX_WAKE_BITSET))
        wakes++;
    return real(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

static _Atomic uint64_t came; /* numbers of the threads that did a piece */

static uint64_t do_slow_piece(void *context, int thread, uint64_t piece)
{
    (void)context;
    (void)piece;
    came |= UINT64_C(1) << thread;
    usleep(2000);
    return 0;
}

/* Returns whether nobody wakes anybody, as must be once the work is done. */
static int is_quiet(void)
{
    long before = wakes;
    usleep(QUIET_US);
    return wakes == before;
}

/* Waits until all threads have had a core and sleep, which takes time on a busy host. */
static void settle(void)
{
    for (int i = 0; i < 100 && !is_quiet(); i++)
        continue;
}

/* Counts how often works of so many threads woke threads, until all are quiet again. */
static long wakes_of(struct thread_pool *pool, int threads, int works)
{
    settle();
    came = 0;
    long before = wakes;
    for (int i = 0; i < works; i++)
        pool_run(pool, threads, 64, do_slow_piece, NULL);
    settle();
    return wakes - before;
}

int main(void)
{
    struct error e = {0};
    struct thread_pool *pool = NULL;
    syscall(SYS_getpid, 0L, 0L, 0L, 0L, 0L, 0L); /* finds the real function while there is one thread */
    if (pool_open(&pool, THREADS, &e) != ST_OK)
        return 1;
    report(wakes_of(pool, 1, 3) == 0 && came == 1, "a work for one thread wakes nobody");
    long three = wakes_of(pool, 3, 1);
    report(three >= 1 && three <= 3, "a work for three threads: each wakes others at most once");
    report((came & ~UINT64_C(7)) == 0 && came != 1, "a work for three threads is done by the three that it names");
    long all = wakes_of(pool, THREADS, 1);
    report(all >= 1 && all <= THREADS && came != 1, "a work for all");
    report(is_quiet(), "threads without work sleep, and wake nobody");
    long before = wakes;
    pool_rouse(pool);
    settle();
    report(wakes - before >= 1 && wakes - before <= THREADS && is_quiet(), "all are roused, and sleep again");
    pool_close(pool);
    return unit_result();
}
