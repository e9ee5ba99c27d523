/* barrier.c: see barrier.h */
#include "barrier.h"
#include "patience.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Ends the pass: all who wait for it go on. The last to arrive calls it. */
void barrier_end(struct barrier *b)
{
    atomic_store(&b->arrived, 0);
    atomic_fetch_add(&b->over, 1);
    if (atomic_load(&b->sleeping) > 0)
        syscall(SYS_futex, &b->over, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Waits until pass `number` is over: spins for `longest` seconds at most, and then sleeps. */
void barrier_await(struct barrier *b, uint32_t number, double longest)
{
    struct patience patience = {0};
    while (!barrier_is_over(b, number) && !patience_is_over(&patience, longest))
        continue;
    if (barrier_is_over(b, number))
        return;
    atomic_fetch_add(&b->sleeping, 1);
    while (!barrier_is_over(b, number))
        syscall(SYS_futex, &b->over, FUTEX_WAIT, number, NULL, NULL, 0);
    atomic_fetch_sub(&b->sleeping, 1);
}
