/* test_patience.c: when a waiting thread should sleep
 *
 * Clock and core are pretended, so that a busy host changes nothing. Functions of this file replace those of the C
 * library: each look at the clock takes a microsecond, and sched_yield keeps the core as long as the test says. */
#include "unit.h"

#include "formats/base/patience.h"

#include <time.h>

static int64_t now_us, held_us;
static unsigned offers;

int clock_gettime(clockid_t clock, struct timespec *to)
{
    (void)clock;
    now_us++;
    *to = (struct timespec){.tv_sec = now_us / 1000000, .tv_nsec = now_us % 1000000 * 1000};
    return 0;
}

int sched_yield(void)
{
    offers++;
    now_us += held_us;
    return 0;
}

/* seconds of waiting in vain */
static double wait_for(double longest)
{
    struct patience patience = {0};
    int64_t begun = now_us;
    offers = 0;
    while (!patience_is_over(&patience, longest))
        continue;
    return (double)(now_us - begun) / 1e6;
}

int main(void)
{
    now_us = 1000000;
    held_us = 1000;
    wait_for(3600);
    report(offers == 1, "a rank whose core is wanted sleeps at once");
    held_us = 0;
    double waited = wait_for(0.02);
    report(waited >= 0.02 && waited < 0.0201 && offers >= 2, "otherwise after the time given");
    return unit_result();
}
