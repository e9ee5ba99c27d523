/* progress.c: see progress.h */
#include "progress.h"

#include "cli.h"
#include "text.h"

#include <stdio.h>
#include <unistd.h>

void progress_start(struct progress *progress, const char *program, int quiet, uint64_t total)
{
    progress->program = program;
    progress->total = total;
    progress->start = progress->last = cli_seconds();
    progress->shown = !quiet && isatty(STDERR_FILENO);
    progress->drawn = 0;
}

void progress_update(struct progress *progress, uint64_t done)
{
    char amount[16], rate[16];
    if (!progress->shown)
        return;
    double now = cli_seconds(), spent = now - progress->start;
    if (now - progress->last < 0.25)
        return;
    progress->last = now;
    progress->drawn = 1;
    fprintf(stderr, "\r%s: %s, %s/s", progress->program, format_size(done, amount, sizeof amount),
            format_size((uint64_t)((double)done / spent), rate, sizeof rate));
    if (progress->total > 0 && done > 0 && done <= progress->total)
        fprintf(stderr, ", %.0f%%, %.0f s left", 100.0 * (double)done / (double)progress->total,
                spent / (double)done * (double)(progress->total - done));
    fputs("\033[K", stderr);
}

void progress_end(struct progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
    progress->shown = progress->drawn = 0;
}
