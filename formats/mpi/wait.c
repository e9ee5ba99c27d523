/* wait.c: see wait.h */
#include "wait.h"

#include <sched.h>
#include <time.h>

/* A waiting rank gives its core away at once. To spin first, as patience.h does, took up to 2.2 times as long. */
enum { OFFERS = 100 /* of the core, before naps */, NAP_NS = 50000 };

/* Nonzero if the MPI library spins while it waits. Open MPI gives cores away by itself if it has more ranks than cores,
 * and its calls that do not wait are slower. */
#ifdef OPEN_MPI
enum { LIBRARY_SPINS = 0 };
#else
enum { LIBRARY_SPINS = 1 };
#endif

static int job_is_crowded;

/* Finds out if any host of the job has more ranks than cores. Collective. */
void wait_agree(int crowded)
{
    crowded = crowded && LIBRARY_SPINS;
    MPI_Allreduce(&crowded, &job_is_crowded, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}

int wait_is_crowded(void)
{
    return job_is_crowded;
}

/* Nonzero if the request is over; lets MPI go on. */
static int is_over(MPI_Request *request, MPI_Status *status)
{
    int over;
    MPI_Test(request, &over, status);
    return over;
}

/* Waits for a request; in a crowded job it offers the core between looks, and soon sleeps. */
void wait_for(MPI_Request *request, MPI_Status *status)
{
    if (!job_is_crowded) {
        MPI_Wait(request, status);
        return;
    }
    for (unsigned looks = 0; !is_over(request, status); looks++) {
        if (looks < OFFERS)
            sched_yield();
        else
            nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
    }
}
