/* launch.c: see launch.h */
#include "launch.h"

#include <stdlib.h>

/* The processes that a launcher started; 1 without one. If several, *variable is the environment variable that says so. */
long launched_processes(const char **variable)
{
    /* SLURM_NTASKS is left out: batch scripts set it for every step, also for a step with another number of processes */
    static const char *const variables[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE",
                                            "SLURM_STEP_NUM_TASKS"};
    long most = 1;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *text = getenv(variables[i]);
        long processes = text != NULL ? strtol(text, NULL, 10) : 0;
        if (processes > most) {
            most = processes;
            *variable = variables[i];
        }
    }
    return most;
}
