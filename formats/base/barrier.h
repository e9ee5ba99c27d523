/* barrier.h: a barrier for threads, and for processes in memory that they share. A waiting thread spins at first (patience.h),
 * and then sleeps. Behind the barrier each thread sees all that the others wrote before it. The barrier can be used any number
 * of times; each use is a pass, numbered from 0. */
#ifndef DBFS_BARRIER_H
#define DBFS_BARRIER_H

#include <stdatomic.h>
#include <stdint.h>

/* Zeroed at first. */
struct barrier {
    _Atomic uint32_t arrived; /* threads that have come to the pass that is not over */
    unsigned char apart[60];  /* arriving does not take the cache line that others look at */
    _Atomic uint32_t over;    /* passes that are over */
    _Atomic uint32_t sleeping;
};

/* Notes that the caller has arrived, and sets *number to the number of the pass. Returns nonzero to the last of
 * `threads` callers, which must then call barrier_end. */
static inline int barrier_arrive(struct barrier *b, uint32_t threads, uint32_t *number)
{
    *number = atomic_load(&b->over);
    return atomic_fetch_add(&b->arrived, 1) + 1 == threads;
}

static inline int barrier_is_over(const struct barrier *b, uint32_t number)
{
    return atomic_load(&b->over) != number;
}

/* Ends a pass: all who wait for it go on. */
void barrier_end(struct barrier *barrier);

/* Waits for the end of a pass. It spins for `longest` seconds at most. */
void barrier_await(struct barrier *barrier, uint32_t number, double longest);

#endif
