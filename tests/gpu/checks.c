/* checks.c: see checks.h */
#include "checks.h"

#include "tests/unit/unit.h"

#include <stdarg.h>
#include <stdio.h>

enum { PRINTED = 4 /* problems of the check */ };

static char input[256];
static int problems;

void check_begin(void)
{
    problems = 0;
    input[0] = '\0';
}

void check_input(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(input, sizeof input, format, list);
    va_end(list);
}

int check_that(int ok, const char *format, ...)
{
    va_list list;
    if (ok || problems++ >= PRINTED)
        return ok;
    printf("    %s: ", input);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
    return ok;
}

void check_end_at(const char *file, int line, const char *format, ...)
{
    char name[256];
    va_list list;
    va_start(list, format);
    vsnprintf(name, sizeof name, format, list);
    va_end(list);
    report_at(problems == 0, name, file, line);
    fflush(stdout);
}

int checks_result(void)
{
    return unit_result();
}
