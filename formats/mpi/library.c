/* library.c: see library.h */
#include "library.h"

#include "formats/base/late.h"

#include <stdio.h>
#include <string.h>

#ifdef MPI_LIBRARY /* the file of MPICH's library (Makefile) */

struct mpi_functions mpi;

enum status mpi_load(struct error *e)
{
#define MPI_NAME(name) "MPI_" #name,
    static const char *const names[] = {MPI_FUNCTIONS(MPI_NAME)};
#undef MPI_NAME
    return late_load(MPI_LIBRARY, names, sizeof names / sizeof *names, &mpi, e);
}

#else

#define MPI_ADDRESS(name) .name = MPI_##name,
struct mpi_functions mpi = {MPI_FUNCTIONS(MPI_ADDRESS)};

enum status mpi_load(struct error *e)
{
    return e->status;
}

#endif

void mpi_describe(char *text, size_t bytes)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
#ifdef MPI_LIBRARY
    snprintf(version, sizeof version, "MPICH Version: %s", MPICH_VERSION);
#endif
    if (mpi.Get_library_version != NULL)
        mpi.Get_library_version(version, &length);
    version[strcspn(version, "\n")] = '\0';
    for (char *c = version; *c != '\0'; c++)
        *c = *c == '\t' ? ' ' : *c;
    snprintf(text, bytes, "%.*s", (int)bytes - 1, version);
}
