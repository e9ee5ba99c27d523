/* report.cc: see report.h */
#include "report.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sched.h>
#include <unistd.h>

namespace emulated {

static void print(const char *format, va_list arguments)
{
    char text[2048];
    vsnprintf(text, sizeof text, format, arguments);
    fprintf(stderr, "emulator: %s\n", text);
}

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
}

void give_up(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
    fflush(stderr);
    abort();
}

void wait_a_moment(unsigned times_before)
{
    if (times_before < 16)
        sched_yield();
    else
        usleep(times_before < 200 ? 20 : 200);
}

double seconds_now()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

}
