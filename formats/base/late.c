/* late.c: see late.h */
#include "late.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

/* Finds the functions of a library that is loaded, as the linker would: those of a library that was preloaded come first. */
static enum status find_functions(const char *library, const char *const *names, size_t count, unsigned char *functions, struct error *e)
{
    for (size_t i = count; i > 0; i--) { /* the first one last, which says that all are there */
        const void *found = dlsym(RTLD_DEFAULT, names[i - 1]);
        if (found == NULL)
            return fail(e, ST_RUNTIME, "%s: has no function %s", library, names[i - 1]);
        memcpy(functions + (i - 1) * sizeof found, &found, sizeof found);
    }
    return ST_OK;
}

enum status late_load(const char *library, const char *const *names, size_t count, void *functions, struct error *e)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const void *first;
    pthread_mutex_lock(&lock);
    memcpy(&first, functions, sizeof first);
    if (first == NULL && dlopen(library, RTLD_NOW | RTLD_GLOBAL) == NULL)
        fail(e, ST_RUNTIME, "cannot load a library: %s", dlerror());
    else if (first == NULL)
        find_functions(library, names, count, functions, e);
    pthread_mutex_unlock(&lock);
    return e->status;
}
