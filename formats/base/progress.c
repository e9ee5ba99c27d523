/* progress.c: see progress.h */
#include "progress.h"

#include "text.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define INTERVAL_SECONDS 0.1

static struct {
    const struct cli *cli; /* NULL: not started */
    int shown;             /* on a terminal, and not -q */
    const char *stage;     /* NULL: none */
    enum progress_unit unit;
    uint64_t total, done;
    double start, last;
    pthread_mutex_t lock; /* of the thread that draws */
} line = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Starts the line, which is drawn only on a terminal and without -q. */
void progress_start(const struct cli *cli)
{
    line.cli = cli;
    line.shown = !cli->quiet && !cli->silent && isatty(STDERR_FILENO);
}

/* Clears the line, and with -v prints the time of the stage. */
static void end_stage(void)
{
    cli_show_line(NULL);
    if (line.stage != NULL)
        cli_detail(line.cli, "%s: %.3f s", line.stage, cli_seconds() - line.start);
    line.stage = NULL;
}

/* Ends the stage before and begins a new one. */
void progress_stage(const char *name, uint64_t total, enum progress_unit unit)
{
    if (line.cli == NULL)
        return;
    end_stage();
    line.stage = name;
    line.total = total;
    line.unit = unit;
    line.start = line.last = cli_seconds();
    __atomic_store_n(&line.done, 0, __ATOMIC_RELAXED);
}

/* Draws the line: what is done of the stage, the speed of bytes, and the time. */
static void draw(uint64_t done, double spent)
{
    char text[256], speed[48] = "", amount[16], rate[16], time[64];
    if (line.unit == PROGRESS_BYTES)
        snprintf(speed, sizeof speed, " %s, %s/s,", format_size(done, amount, sizeof amount),
                 format_size((uint64_t)((double)done / spent), rate, sizeof rate));
    if (line.total > 0 && done > 0 && done <= line.total)
        snprintf(time, sizeof time, "%.0f%%, %.0f s left", 100.0 * (double)done / (double)line.total,
                 spent / (double)done * (double)(line.total - done));
    else
        snprintf(time, sizeof time, "%.0f s", spent);
    snprintf(text, sizeof text, "%s: %s:%s %s", line.cli->program, line.stage, speed, time);
    cli_show_line(text);
}

/* Adds work to the stage, and draws the line if it is time. Any thread may call it. */
void progress_add(uint64_t done)
{
    if (!line.shown || line.stage == NULL)
        return;
    done += __atomic_fetch_add(&line.done, done, __ATOMIC_RELAXED);
    if (pthread_mutex_trylock(&line.lock) != 0)
        return;
    double now = cli_seconds();
    if (now - line.last >= INTERVAL_SECONDS) {
        line.last = now;
        draw(done, now - line.start);
    }
    pthread_mutex_unlock(&line.lock);
}

/* Ends the last stage, and the line for good. */
void progress_end(void)
{
    if (line.cli == NULL)
        return;
    end_stage();
    line.shown = 0;
    line.cli = NULL;
}
