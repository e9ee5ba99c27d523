/* meeting.c: see meeting.h */
#include "meeting.h"
#include "patience.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void meeting_end(struct meeting *m)
{
    atomic_store(&m->arrived, 0);
    atomic_fetch_add(&m->over, 1);
    if (atomic_load(&m->sleeping) > 0)
        syscall(SYS_futex, &m->over, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void meeting_await(struct meeting *m, uint32_t number, double longest)
{
    struct patience patience = {0};
    while (!meeting_is_over(m, number) && !patience_is_over(&patience, longest))
        continue;
    if (meeting_is_over(m, number))
        return;
    atomic_fetch_add(&m->sleeping, 1);
    while (!meeting_is_over(m, number))
        syscall(SYS_futex, &m->over, FUTEX_WAIT, number, NULL, NULL, 0);
    atomic_fetch_sub(&m->sleeping, 1);
}
