/* library.c: see library.h */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#ifdef MPI_LIBRARY /* the file of MPICH's library (Makefile) */

struct mpi_functions mpi;

enum status mpi_load(struct error *e)
{
#define MPI_NAME(name) "MPI_" #name,
    static const char *const names[] = {MPI_FUNCTIONS(MPI_NAME)};
#undef MPI_NAME
    enum { COUNT = sizeof names / sizeof *names };
    void *found[COUNT];
    _Static_assert(sizeof found == sizeof mpi, "a pointer for each name");
    if (mpi.Init_thread != NULL)
        return ST_OK;
    if (dlopen(MPI_LIBRARY, RTLD_NOW | RTLD_GLOBAL) == NULL)
        return fail(e, ST_RUNTIME, "MPI: cannot load its library: %s", dlerror());
    for (int i = 0; i < COUNT; i++) {
        found[i] = dlsym(RTLD_DEFAULT, names[i]);
        if (found[i] == NULL)
            return fail(e, ST_RUNTIME, "%s: has no %s", MPI_LIBRARY, names[i]);
    }
    memcpy(&mpi, found, sizeof mpi);
    return ST_OK;
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
