/* test_patience.c: when a waiting thread should sleep
 *
 * The core is pretended: sched_yield of this file replaces that of the C library, and keeps the core as long as
 * the test says. */
#include "unit.h"

#include "formats/base/patience.h"

#include <unistd.h>

static useconds_t held_us;
static unsigned offers;

int sched_yield(void)
{
    offers++;
    if (held_us > 0)
        usleep(held_us);
    return 0;
}

/* seconds of waiting in vain */
static double wait_for(double longest)
{
    struct patience patience = {0};
    double begun = cli_seconds();
    offers = 0;
    while (!patience_is_over(&patience, longest))
        continue;
    return cli_seconds() - begun;
}

int main(void)
{
    held_us = 1000;
    wait_for(3600);
    report(offers == 1, "it should sleep at once if its core is wanted");
    held_us = 0;
    double longest = 0;
    for (int i = 0; i < 5 && (longest < 0.02 || offers < 2); i++) /* the host may also want the core */
        longest = wait_for(0.02);
    report(longest >= 0.02 && offers >= 2, "otherwise after the time given");
    return unit_result();
}
