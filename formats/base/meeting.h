/* meeting.h: threads, or processes in memory that they share, wait until all of them have come
 *
 * A waiting thread spins at first (patience.h), and then sleeps. Afterwards each sees all that the
 * others wrote before.
 */
#ifndef DBFS_MEETING_H
#define DBFS_MEETING_H

#include <stdatomic.h>
#include <stdint.h>

/* Zeroed at first. */
struct meeting {
    _Atomic uint32_t arrived; /* at the next meeting */
    unsigned char apart[60];  /* arriving does not take the cache line that others look at */
    _Atomic uint32_t over;    /* meetings that are over */
    _Atomic uint32_t sleeping;
};

/* Tells a meeting that the caller has come. *number receives the number of the meeting. Nonzero if
 * the caller is the last of `members`: it must then call meeting_end. */
static inline int meeting_arrive(struct meeting *m, uint32_t members, uint32_t *number)
{
    *number = atomic_load(&m->over);
    return atomic_fetch_add(&m->arrived, 1) + 1 == members;
}

static inline int meeting_is_over(const struct meeting *m, uint32_t number)
{
    return atomic_load(&m->over) != number;
}

void meeting_end(struct meeting *meeting);

/* Waits for the end of a meeting. It spins for `longest` seconds at most. */
void meeting_await(struct meeting *meeting, uint32_t number, double longest);

#endif
