/* backend_table.c: finds a program's own functions for a backend; see backend_table.h */
#include "backend_table.h"

#include <string.h>

/* Chooses the table by the name of the backend. */
const void *backend_table(const struct backend *backend, const void *on_cpu, const void *on_gpu, struct error *e)
{
    const void *table = NULL;
    if (strcmp(backend->name, "cpu") == 0)
        table = on_cpu;
    else if (strcmp(backend->name, "cuda") == 0)
        table = on_gpu;
    if (table == NULL)
        fail(e, ST_RUNTIME, "--backend %s: this program cannot search on it", backend->name);
    return table;
}
