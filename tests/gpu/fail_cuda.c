/* fail_cuda.c: makes a function of the CUDA driver fail. It is loaded by LD_PRELOAD.
 *
 * FAIL_CUDA='NAME N CODE' lets the N-th call of the driver's function NAME, and every later one, return CODE without
 * being made, as a device does that ran out of memory (2) or was lost (719). N = 0 lets none fail. FAIL_CUDA_COUNT=FILE
 * gets the number of calls at the end. The CUDA runtime is part of the program and cannot be replaced, but it asks
 * the driver for each of its functions by name: first by dlsym, then by cuGetProcAddress. Both answers are changed
 * here.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 64 };

/* Any function of the driver: up to twelve integers or pointers, of which it takes those that it has. */
typedef int driver_call(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
                        intptr_t, intptr_t, intptr_t);
typedef int proc_address(const char *name, void **function, int version, uint64_t flags, void *result);

static char chosen[MOST_NAME];
static unsigned long first_failing;
static int code;
static atomic_ulong calls;
static driver_call *real_call;
static proc_address *real_proc_address;

__attribute__((constructor)) static void start(void)
{
    const char *text = getenv("FAIL_CUDA");
    if (text == NULL || sscanf(text, "%63s %lu %d", chosen, &first_failing, &code) != 3)
        chosen[0] = '\0';
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAIL_CUDA_COUNT");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file == NULL)
        return;
    fprintf(file, "%lu\n", atomic_load(&calls));
    fclose(file);
}

static int counted_call(intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f, intptr_t g, intptr_t h,
                        intptr_t i, intptr_t j, intptr_t k, intptr_t l)
{
    unsigned long number = atomic_fetch_add(&calls, 1) + 1;
    if (first_failing > 0 && number >= first_failing)
        return code;
    return real_call(a, b, c, d, e, f, g, h, i, j, k, l);
}

static int find_function(const char *name, void **function, int version, uint64_t flags, void *result)
{
    int outcome = real_proc_address(name, function, version, flags, result);
    if (outcome == 0 && function != NULL && *function != NULL && strcmp(name, chosen) == 0) {
        memcpy(&real_call, function, sizeof real_call);
        driver_call *counted = counted_call;
        memcpy(function, &counted, sizeof counted);
    }
    return outcome;
}

void *dlsym(void *handle, const char *name)
{
    static void *(*real_dlsym)(void *, const char *);
    if (real_dlsym == NULL) {
        void *found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
        found = found != NULL ? found : dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
        memcpy(&real_dlsym, &found, sizeof found);
    }
    void *found = real_dlsym(handle, name);
    if (found == NULL || strncmp(name, "cuGetProcAddress", strlen("cuGetProcAddress")) != 0)
        return found;
    memcpy(&real_proc_address, &found, sizeof found);
    proc_address *ours = find_function;
    memcpy(&found, &ours, sizeof found);
    return found;
}
