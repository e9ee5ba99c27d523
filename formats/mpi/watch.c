/* watch.c: see watch.h. All times are milliseconds of the monotonic clock, which all processes of a host share. If a batch
 * system pauses a job, all heartbeats stop. So a rank that was paused itself names no rank until another timeout has passed. */
#include "watch.h"
#include "host.h"

#include "formats/base/arith.h"
#include "formats/base/cli.h"
#include "formats/base/signals.h"

#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    BEAT_MS = 50,
    MISSED_BEATS = 4,
    END_S = 5, /* for the end of a job; then this process ends alone */
    PHASE_BYTES = 96,
    HOST_BYTES = 64
};

#define GONE UINT64_MAX /* this rank has come to its end */

/* One rank, as the others of its host see it. */
struct pulse {
    _Atomic uint64_t beat;
    _Atomic uint64_t waits_since; /* 0: it waits for nobody */
    uint32_t rank;
    _Atomic int reported; /* of the first rank: somebody ends the job */
    char phase[PHASE_BYTES];
};

static struct {
    struct comm comm;
    const char *program;
    uint64_t timeout_ms;
    struct pulse *pulses, *own; /* [comm.host_ranks], shared; NULL: nothing is watched */
    char (*hosts)[HOST_BYTES];  /* [comm.ranks] */
    _Atomic uint32_t awaited;   /* the rank that this one waits for; COMM_NONE: it is not known */
    MPI_Win window;
    pthread_t thread;
    _Atomic int is_running, stopping; /* of `thread` */
    char farewell[384]; /* of a rank whose MPI does not end */
} watch;

static uint64_t now_ms(void)
{
    return (uint64_t)(1000 * cli_seconds());
}

/* ---- what this rank does ---- */

/* Sets what a message says that this rank was doing. */
void watch_phase(const char *format, ...)
{
    va_list arguments;
    if (watch.own == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(watch.own->phase, PHASE_BYTES, format, arguments);
    va_end(arguments);
}

/* Notes that this rank waits for others from now on. */
void watch_wait_begin(void)
{
    if (watch.own != NULL) {
        watch.awaited = COMM_NONE;
        watch.own->waits_since = now_ms();
    }
}

void watch_wait_for(uint32_t rank)
{
    watch.awaited = rank;
}

void watch_wait_end(void)
{
    if (watch.own != NULL)
        watch.own->waits_since = 0;
}

/* ---- the thread ---- */

/* Handles SIGALRM: prints the message, if there is one, and ends this process, after which the launcher ends the others. */
static void end_unfinished(int signal_number)
{
    (void)signal_number;
    ssize_t ignored = write(STDERR_FILENO, watch.farewell, strlen(watch.farewell));
    (void)ignored;
    _exit(ST_RUNTIME);
}

/* Prints which rank is late, on one rank of the host, and ends the job. Each rank removes its temporary files. */
_Noreturn static void end_job(const struct pulse *late, const char *why, uint64_t ms, const char *advice)
{
    if (!atomic_exchange(&watch.pulses[0].reported, 1))
        fprintf(stderr, "%s: rank %" PRIu32 " on %s, %.*s: %s for %.1f s (--timeout)%s\n", watch.program, late->rank,
                watch.comm.host, PHASE_BYTES, late->phase, why, (double)ms / 1000, advice);
    signal(SIGALRM, end_unfinished);
    alarm(END_S);
    signals_leave(ST_RUNTIME);
}

/* Milliseconds from `then` to `now`; 0 for a rank that is GONE. */
static uint64_t since(uint64_t then, uint64_t now)
{
    return then == GONE || then > now ? 0 : now - then;
}

/* A rank that waits for nobody while this one waits; NULL: there is none. */
static const struct pulse *find_busy(void)
{
    for (uint32_t i = 0; i < watch.comm.host_ranks; i++) {
        const struct pulse *p = &watch.pulses[i];
        if (p != watch.own && p->waits_since == 0 && p->beat != GONE)
            return p;
    }
    return NULL;
}

/* Returns the longest time for which a rank of this host has had no heartbeat, and sets *of to the pulse of that rank. */
static uint64_t longest_pause(uint64_t now, const struct pulse **of)
{
    uint64_t longest = 0;
    *of = watch.own;
    for (uint32_t i = 0; i < watch.comm.host_ranks; i++) {
        uint64_t pause = since(watch.pulses[i].beat, now);
        if (pause > longest) {
            longest = pause;
            *of = &watch.pulses[i];
        }
    }
    return longest;
}

/* Called when all ranks of this host wait, this one for longer than the timeout. If there are other hosts, ends the job: a rank
 * there is late, and is named if it is known. If not, messages may be on their way, so ends the job only after twice the timeout. */
static void look_beyond(uint64_t waited)
{
    const uint32_t rank = watch.awaited;
    char why[HOST_BYTES + 32];
    if (rank < watch.comm.ranks && strcmp(watch.hosts[rank], watch.hosts[watch.comm.rank]) != 0) {
        snprintf(why, sizeof why, "waited for rank %" PRIu32 " on %s", rank, watch.hosts[rank]);
        end_job(watch.own, why, waited, ": that rank, its host or the network may have failed");
    }
    if (watch.comm.host_ranks < watch.comm.ranks)
        end_job(watch.own, "waited for a rank of another host", waited,
                ": a host that does not say the same, or the network, may have failed");
    if (waited / 2 > watch.timeout_ms)
        end_job(watch.own, "waited, as all ranks did", waited, "");
}

/* Called at each beat: ends the job if a rank of this host is stopped, or has kept this one waiting, for the timeout. */
static void look_around(uint64_t now)
{
    uint64_t waits_since = watch.own->waits_since;
    const struct pulse *stopped, *busy;
    uint64_t pause = longest_pause(now, &stopped);
    if (pause > watch.timeout_ms)
        end_job(stopped, "did not run", pause, "");
    if (waits_since == 0 || since(waits_since, now) <= watch.timeout_ms)
        return;
    busy = find_busy();
    if (busy != NULL)
        end_job(busy, "others waited for it", since(waits_since, now), "");
    /* a rank with a longer pause is probably stopped: a later call names it, when its pause is as long as the timeout */
    if (pause < MISSED_BEATS * BEAT_MS)
        look_beyond(since(waits_since, now));
}

/* The thread: notes the heartbeat of this rank, and looks around unless the job itself was paused not long ago. */
static void *beat(void *unused)
{
    uint64_t last = now_ms(), patient_until = 0;
    while (!watch.stopping) {
        uint64_t now = now_ms();
        if (now - last > larger(watch.timeout_ms / 2, 4 * BEAT_MS)) /* a beat is never on time to the millisecond */
            patient_until = now + watch.timeout_ms;
        last = now;
        watch.own->beat = now;
        if (now >= patient_until)
            look_around(now);
        usleep(BEAT_MS * 1000);
    }
    return unused;
}

/* ---- start and end ---- */

/* Sets watch.pulses to memory that the ranks of the host share, and watch.own to the pulse of this rank there. */
static void share_pulses(const struct comm *comm)
{
    MPI_Aint bytes = comm->host_rank == 0 ? (MPI_Aint)(comm->host_ranks * sizeof *watch.own) : 0;
    int unit;
    if (MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, host_ranks(), &watch.own, &watch.window) == MPI_SUCCESS) {
        MPI_Win_shared_query(watch.window, 0, &bytes, &unit, &watch.pulses);
        watch.own = &watch.pulses[comm->host_rank];
        *watch.own = (struct pulse){.beat = now_ms(), .rank = comm->rank, .phase = "starting"};
    }
}

/* Called by atexit. Stops the watching thread before MPI_Finalize runs: comm.c registered that earlier, and atexit calls the
 * last function first. Then sets an alarm, because the end of MPI would wait for ever for a rank that is stopped. Does nothing without a
 * thread, so that watch_start registers it before there is one. */
static void stop(void)
{
    struct pulse *own = watch.own;
    if (!watch.is_running)
        return;
    watch.stopping = 1;
    pthread_join(watch.thread, NULL);
    watch.own = NULL;
    free(watch.hosts);
    own->beat = GONE;
    if (watch.timeout_ms / 1000 >= INT_MAX)
        return;
    snprintf(watch.farewell, sizeof watch.farewell, "%s: rank %" PRIu32 " on %s: a rank did not come to the end of MPI for "
             "%.1f s (--timeout)\n", watch.program, watch.comm.rank, watch.comm.host, (double)watch.timeout_ms / 1000);
    signal(SIGALRM, end_unfinished);
    alarm((unsigned)(watch.timeout_ms / 1000) + 1);
}

int watch_has_alarm(void)
{
    return watch.farewell[0] != '\0';
}

/* Returns the first rank for which `fails` is nonzero; the number of ranks if there is none. Also a barrier. */
static uint32_t first_failing(const struct comm *comm, int fails)
{
    uint32_t first = fails ? comm->rank : comm->ranks;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_UINT32_T, MPI_MIN, MPI_COMM_WORLD);
    return first;
}

/* Starts the thread that watches the ranks of the host, until the program exits. Collective. */
enum status watch_start(const struct comm *comm, const char *program, double seconds, struct error *e)
{
    if (seconds <= 0 || comm->ranks == 1)
        return ST_OK;
    watch.comm = *comm;
    watch.program = program;
    watch.timeout_ms = seconds < 1e9 ? (uint64_t)(seconds * 1000) + 1 : UINT64_MAX / 2;
    watch.hosts = calloc(comm->ranks, sizeof *watch.hosts);
    share_pulses(comm);
    uint32_t failing = first_failing(comm, watch.own == NULL || watch.hosts == NULL);
    if (failing == comm->ranks) { /* all pulses are there */
        snprintf(watch.hosts[comm->rank], HOST_BYTES, "%.*s", HOST_BYTES - 1, comm->host);
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, watch.hosts, HOST_BYTES, MPI_CHAR, MPI_COMM_WORLD);
        watch.is_running = atexit(stop) == 0 && pthread_create(&watch.thread, NULL, beat, NULL) == 0;
        failing = first_failing(comm, !watch.is_running);
    }
    if (failing < comm->ranks)
        fail(e, ST_RESOURCE, "--timeout: rank %" PRIu32 " has no thread or no memory to watch others with", failing);
    return e->status;
}
