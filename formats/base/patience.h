/* patience.h: decides how long a thread that waits for others spins before it sleeps.
 *
 * A waiting thread spins at first, because the others often come within microseconds. Now and then it offers its core by sched_yield.
 * If somebody takes the core, there are more threads than cores, and spinning would hold up the very threads that it waits for, so it
 * sleeps. (Linux 6.18 also keeps sleepers from their cores for seconds where threads spin, yield and wake each other.)
 */
#ifndef DBFS_PATIENCE_H
#define DBFS_PATIENCE_H

#include "cli.h"

#include <sched.h>
#include <stdint.h>

enum { PATIENCE_SPINS = 128 /* between two offers of the core */ };
static const double PATIENCE_SHORT_OFFER = 20e-6; /* seconds: of the core, if nobody wants it */

struct patience {
    uint32_t spins;
    double begun, offered; /* seconds: the first offer; the longest one */
};

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Nonzero if an offer of the core took so long that another thread must have had it. */
static inline int patience_was_taken(const struct patience *p)
{
    return p->offered > PATIENCE_SHORT_OFFER;
}

/* Spins once. Nonzero when the thread should sleep: after `longest` seconds, or if another thread wants its core. */
static inline int patience_is_over(struct patience *p, double longest)
{
    pause_briefly();
    if (++p->spins % PATIENCE_SPINS != 0)
        return 0;
    double start = cli_seconds();
    sched_yield();
    double now = cli_seconds();
    p->begun = p->begun == 0 ? start : p->begun;
    p->offered = now - start > p->offered ? now - start : p->offered;
    return patience_was_taken(p) || now - p->begun > longest;
}

#endif
