/* comm.c: start-up, agreement on failures; see comm.h */
#include "comm.h"
#include "host.h"
#include "wait.h"

#include "formats/base/cli.h"
#include "formats/base/launch.h"
#include "formats/base/memory.h"
#include "formats/base/signals.h"

#include <errno.h>
#include <getopt.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const struct comm comm_alone = {.ranks = 1, .host_ranks = 1, .core_ranks = 1};

/* ---- start-up ---- */

/* Sets comm->core_ranks and idle_cores by which cores ranks of this host share, because launchers bind ranks to cores in
 * different ways. Tells wait.h if there are more ranks than cores. */
static void compare_cores(struct comm *comm)
{
    enum { CORES = CPU_SETSIZE };
    int own[CORES], users[CORES], most = 0, cores = 0;
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    int known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    for (int i = 0; i < CORES; i++)
        own[i] = !known || CPU_ISSET(i, &allowed);
    MPI_Allreduce(own, users, CORES, MPI_INT, MPI_SUM, host_ranks());
    for (int i = 0; i < CORES; i++) {
        most = users[i] > most ? users[i] : most;
        cores += users[i] > 0;
    }
    if (most <= 1)
        comm->core_ranks = 1;
    comm->idle_cores = most <= 1 && CPU_COUNT(&allowed) == 1 &&
                       sysconf(_SC_NPROCESSORS_ONLN) > (long)comm->host_ranks;
    wait_agree(cores < (int)comm->host_ranks);
}

/* Warns, on the first rank, if the launcher gave each rank one core of many and -@ is not given. */
void comm_warn_of_idle_cores(const struct comm *comm, const struct cli *cli)
{
    if (comm->rank == 0 && comm->idle_cores && cli->threads == 0)
        cli_warn(cli, "the launcher binds each rank to one core, so that it runs one thread: give "
                 "it --bind-to none (Open MPI), -bind-to none (MPICH) or --cpu-bind=none (srun), "
                 "or several cores a rank");
}

/* Finds the number of this rank in the job and on its host, and the numbers of ranks of both. */
static void find_place(struct comm *comm)
{
    int rank, ranks, on_host, all_on_host;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    host_find_ranks();
    MPI_Comm_rank(host_ranks(), &on_host);
    MPI_Comm_size(host_ranks(), &all_on_host);
    comm->rank = (uint32_t)rank;
    comm->ranks = (uint32_t)ranks;
    comm->host_rank = (uint32_t)on_host;
    comm->host_ranks = comm->core_ranks = (uint32_t)all_on_host;
    compare_cores(comm);
}

/* Sets comm->library, with blanks for tabs. */
static void name_library(struct comm *comm)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, "\n")] = '\0';
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '\t' ? ' ' : *c;
    snprintf(comm->library, sizeof comm->library, "%.*s", (int)sizeof comm->library - 1, text);
}

enum { ABORT_S = 5 };

static volatile sig_atomic_t aborting_with; /* exit code; 0: the job is not being ended */

/* Handles SIGALRM in abort_job. */
static void end_at_once(int signal_number)
{
    (void)signal_number;
    _exit(aborting_with);
}

/* Ends all ranks with this exit code, by MPI_Abort. If only this rank exited, the exit code of the job could be another rank's.
 * Pauses before, because launchers pass on no message after MPI_Abort. The alarm ends this process if MPI_Abort waits for ever,
 * as it may in the handler of a signal that has interrupted MPI. */
static void abort_job(int exit_code)
{
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    aborting_with = exit_code;
    signal(SIGALRM, end_at_once);
    alarm(ABORT_S);
    MPI_Abort(MPI_COMM_WORLD, exit_code);
}

/* Called by exit, as every way out of the program must end MPI. */
static void finalize(void)
{
    int finalized = 0;
    if (aborting_with != 0)
        return; /* MPI_Abort called exit */
    signals_leave_by(NULL);
    MPI_Finalized(&finalized);
    if (finalized)
        return;
    if (watch_has_alarm())
        MPI_Barrier(MPI_COMM_WORLD); /* MPI_Finalize of MPICH with libfabric waits for no other rank */
    MPI_Finalize();
}

/* Nonzero if the environment shows that any launcher started this process, perhaps as its only rank. Settings of an MPI library
 * (PMIX_MCA_..., OMPI_MCA_...) are no launcher: to start MPI takes half a second with some. */
static int is_launched(void)
{
    static const char *const prefixes[] = {"PMI_", "PMIX_RANK", "PMIX_NAMESPACE", "OMPI_COMM_", "SLURM_STEP_", "MPI_LOCAL", "MPIRUN_",
                                           "MV2_COMM_", "FLUX_", "PALS_", "ALPS_", "JSM_"};
    for (char **variable = environ; *variable != NULL; variable++) {
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
            if (strncmp(*variable, prefixes[i], strlen(prefixes[i])) == 0)
                return 1;
        }
    }
    return 0;
}

/* Called by MPI when one of its functions fails. Ends the job: MPI itself would name neither rank nor host, and choose the exit code. */
static void end_by_error(MPI_Comm *unused, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING] = "", host[256] = "";
    int length, rank = 0;
    (void)unused;
    MPI_Error_string(*code, text, &length);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    gethostname(host, sizeof host - 1);
    fprintf(stderr, "%s: rank %d on %s: MPI: %s: another rank, its host or the network may have failed\n",
            program_invocation_short_name, rank, host, text);
    fflush(stdout);
    signals_leave(ST_RUNTIME);
}

static int thread_level; /* that MPI provides */

/* Starts MPI unless it is started; returns 0 if it cannot be started. Of the threads of a rank only the first calls MPI. */
int comm_start_mpi(void)
{
    static int started;
    MPI_Errhandler handler;
    if (started || MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &thread_level) != MPI_SUCCESS)
        return started;
    started = 1;
    atexit(finalize);
    MPI_Comm_create_errhandler(end_by_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    return started;
}

/* Fills in *comm. Starts MPI only if a launcher started this process. */
enum status comm_start(struct comm *comm, struct error *e)
{
    const char *variable = NULL;
    long launched = launched_processes(&variable);
    *comm = comm_alone;
    gethostname(comm->host, sizeof comm->host - 1);
    name_library(comm);
    if (!is_launched())
        return ST_OK;
    if (!comm_start_mpi())
        return fail(e, ST_RUNTIME, "MPI: cannot start");
    find_place(comm);
    /* a lone rank only exits: its exit code is that of the job. After MPI_Abort the launcher Hydra sometimes exits with 1 */
    signals_leave_by(comm->ranks > 1 ? abort_job : _exit);
    if (comm->ranks == 1 && launched > 1)
        return fail(e, ST_RUNTIME, "launcher: %s is %ld, but MPI sees one rank: this program was "
                    "built with another MPI than the launcher's", variable, launched);
    if (thread_level < MPI_THREAD_FUNNELED)
        return fail(e, ST_RUNTIME, "MPI: %s gives MPI_THREAD_SINGLE, and a rank has several threads, of which one calls MPI: dbfs needs "
                    "a library that gives at least MPI_THREAD_FUNNELED", comm->library);
    return ST_OK;
}

/* The same for a tool: gives the ranks their cores, and silences all but the first. */
enum status comm_start_tool(struct comm *comm, struct cli *cli, struct error *e)
{
    if (comm_start(comm, e) == ST_OK)
        comm_share_host(comm, cli);
    return e->status;
}

/* Tells *cli this rank's share of the cores, and silences it if it is not the first. */
void comm_share_host(const struct comm *comm, struct cli *cli)
{
    cli->silent = comm->rank > 0;
    cli->host_processes = comm->core_ranks;
    opterr = !cli->silent;
}

/* This rank's memory: `given_bytes`, or if that is 0, its share of what the host has; 0 for one rank alone. */
uint64_t comm_memory(const struct comm *comm, uint64_t given_bytes)
{
    if (given_bytes != 0 || comm->ranks == 1)
        return given_bytes;
    return memory_available() / 4 * 3 / comm->host_ranks;
}

/* ---- failures ---- */

/* Puts the rank and its host before the message, unless it begins with a rank. */
static void name_rank(const struct comm *comm, struct error *e)
{
    char text[ERROR_TEXT_BYTES];
    unsigned rank;
    if (sscanf(e->text, "rank %u on ", &rank) == 1)
        return;
    memcpy(text, e->text, sizeof text);
    snprintf(e->text, sizeof e->text, "rank %u on %.64s: %.*s", comm->rank, comm->host,
             ERROR_TEXT_BYTES - 128, text);
}

/* Gives every rank the failure of the lowest rank that has one, and returns the common status. */
enum status comm_agree(const struct comm *comm, struct error *e)
{
    int failed = e->status != ST_OK, ranks_failed = failed;
    int first = failed ? (int)comm->rank : (int)comm->ranks;
    if (comm->ranks == 1)
        return e->status;
    WAIT_COLLECTIVE(MPI_Allreduce, MPI_Iallreduce, MPI_IN_PLACE, &ranks_failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (ranks_failed == 0)
        return ST_OK;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == (int)comm->rank && ranks_failed < (int)comm->ranks)
        name_rank(comm, e);
    MPI_Bcast(e, sizeof *e, MPI_BYTE, first, MPI_COMM_WORLD);
    return e->status;
}

/* Prints the failure and ends the whole job; for a failure that other ranks cannot learn of. */
_Noreturn void comm_abort(const struct comm *comm, const char *program, struct error *e)
{
    name_rank(comm, e);
    fprintf(stderr, "%s: %s\n", program, e->text);
    fflush(stdout);
    signals_leave((int)e->status);
}

/* Ends a program that fails before comm_start, in agreement with the other ranks. */
_Noreturn void comm_leave(const struct cli *cli, struct error *e)
{
    struct comm comm;
    struct error ignored = {0};
    if (comm_start(&comm, &ignored) == ST_OK)
        comm_agree(&comm, e);
    exit(comm.rank == 0 ? cli_finish(cli, e) : (int)e->status);
}

void comm_barrier(const struct comm *comm)
{
    if (comm->ranks == 1)
        return;
    WAIT_COLLECTIVE(MPI_Barrier, MPI_Ibarrier, MPI_COMM_WORLD);
}
