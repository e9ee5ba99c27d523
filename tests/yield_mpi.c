/* yield_mpi.c: lets waiting ranks give their core to others
 *
 * It is loaded before the MPI library (LD_PRELOAD, tests/mpiexec.sh). A rank of MPICH spins while it waits, and keeps its core to the end
 * of its time slice. Our own waits give the core away where there are more ranks than cores (formats/mpi/wait.h). MPICH's start and end do
 * not: 8 ranks on 2 cores take .6 s for them. Here a rank offers its core each time that UCX, which carries messages for MPICH, finds
 * nothing to do, and sleeps after many such times. Where MPICH uses no UCX, this is never called.
 *
 * A rank that calls MPI_Abort adds its code to the file that ABORT_LOG names: Hydra now and then exits with 1 instead. The rank that
 * STOP_AT_END names stops where MPI ends: it asks by MPI_Finalized there whether to end it.
 *
 * Hydra's mpiexec tells its proxy when the standard input has ended. Where the ranks end before MPI_Init, as after a wrong option, the
 * proxy is gone now and then (1 of 1,000, on busy cores): mpiexec then died by SIGPIPE, without the ranks' messages and exit code, which
 * it had still to read. Here such a write counts as done. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OFFERS = 100 /* so often before it sleeps */, SLEEP_NS = 50000 };

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *);
    static unsigned offers;
    if (progress == NULL)
        *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned found = progress(worker);
    if (found != 0)
        offers = 0;
    else if (offers++ < OFFERS)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
    return found;
}

int MPI_Abort(int comm, int code)
{
    int (*abort_all)(int, int);
    const char *name = getenv("ABORT_LOG");
    const int log = name != NULL ? open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (log >= 0) {
        dprintf(log, "%d\n", code);
        close(log);
    }
    *(void **)&abort_all = dlsym(RTLD_NEXT, "MPI_Abort");
    return abort_all(comm, code);
}

int MPI_Finalized(int *finalized)
{
    int (*next)(int *);
    const char *stops = getenv("STOP_AT_END"), *rank = getenv("PMI_RANK");
    if (stops != NULL && rank != NULL && strcmp(stops, rank) == 0)
        raise(SIGSTOP);
    *(void **)&next = dlsym(RTLD_NEXT, "MPI_Finalized");
    return next(finalized);
}

static int is_launcher;

static void ignore(int number)
{
    (void)number;
}

/* A handler, as programs that mpiexec starts would inherit SIG_IGN. */
__attribute__((constructor)) static void know_launcher(void)
{
    is_launcher = strncmp(program_invocation_short_name, "mpiexec", strlen("mpiexec")) == 0;
    if (is_launcher)
        signal(SIGPIPE, ignore);
}

ssize_t write(int file, const void *bytes, size_t count)
{
    static ssize_t (*real)(int, const void *, size_t);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "write");
    const ssize_t written = real(file, bytes, count);
    if (!is_launcher || written >= 0 || errno != EPIPE)
        return written;
    if (file <= STDERR_FILENO) { /* its own output: as without the handler */
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    return (ssize_t)count;
}
