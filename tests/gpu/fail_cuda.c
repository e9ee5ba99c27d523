/* fail_cuda.c: makes a function of the CUDA driver fail. It is loaded by LD_PRELOAD.
 *
 * FAIL_CUDA='NAME N CODE' lets the N-th call of the driver's function NAME, and every later one, return CODE without
 * being made, as a device does that ran out of memory (2) or was lost (719). N = 0 lets none fail. FAIL_CUDA_COUNT=FILE
 * gets the number of calls at the end, and the number of times that the driver was asked for NAME. If that is 0,
 * the program does not get its functions in the way that this file knows, and nothing it does can fail.
 *
 * The CUDA runtime is part of the program and cannot be replaced, but it asks the driver for each of its
 * functions by name:
 * 1. dlsym gives it cuGetProcAddress_v2 (cuGetProcAddress in CUDA 11).
 * 2. That function gives it cuGetProcAddress in a newer version, which it uses from there on.
 * 3. The newer one gives it all others, most of them twice: for the common default stream and for one of each
 *    thread.
 * The answers of all three are changed here.
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
/* How the driver is asked: the second form exists since version 12.0. */
typedef int proc_address(const char *name, void **function, int version, uint64_t flags);
typedef int proc_address_v2(const char *name, void **function, int version, uint64_t flags, int *result);

enum { VERSION_WITH_RESULT = 12000, FLAG_STREAM_OF_THREAD = 2 };

static char chosen[MOST_NAME];
static unsigned long first_failing;
static int code;
static atomic_ulong calls, asked;
static driver_call *real_call, *real_call_of_thread;
static proc_address *real_proc_address;
static proc_address_v2 *real_proc_address_v2;

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
    fprintf(file, "%lu %lu\n", atomic_load(&calls), atomic_load(&asked));
    fclose(file);
}

static int fails(void)
{
    unsigned long number = atomic_fetch_add(&calls, 1) + 1;
    return first_failing > 0 && number >= first_failing;
}

static int counted_call(intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f, intptr_t g, intptr_t h,
                        intptr_t i, intptr_t j, intptr_t k, intptr_t l)
{
    return fails() ? code : real_call(a, b, c, d, e, f, g, h, i, j, k, l);
}

static int counted_call_of_thread(intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f, intptr_t g,
                                  intptr_t h, intptr_t i, intptr_t j, intptr_t k, intptr_t l)
{
    return fails() ? code : real_call_of_thread(a, b, c, d, e, f, g, h, i, j, k, l);
}

/* ---- how the program finds the driver's functions ---- */

static int find_function(const char *name, void **function, int version, uint64_t flags);
static int find_function_v2(const char *name, void **function, int version, uint64_t flags, int *result);

/* Puts `ours` in the place of `function`, which `real` keeps. All are pointers to functions. */
static void replace(void **function, void *real, void *ours)
{
    memcpy(real, function, sizeof *function);
    memcpy(function, ours, sizeof *function);
}

static void replace_question(void **function, int with_result)
{
    proc_address *ours = find_function;
    proc_address_v2 *ours_v2 = find_function_v2;
    if (with_result)
        replace(function, &real_proc_address_v2, &ours_v2);
    else
        replace(function, &real_proc_address, &ours);
}

static void replace_answer(const char *name, void **function, int version, uint64_t flags)
{
    driver_call *ours = counted_call, *ours_of_thread = counted_call_of_thread;
    if (function == NULL || *function == NULL)
        return;
    if (strcmp(name, "cuGetProcAddress") == 0) {
        replace_question(function, version >= VERSION_WITH_RESULT);
    } else if (strcmp(name, chosen) == 0) {
        atomic_fetch_add(&asked, 1);
        if (flags & FLAG_STREAM_OF_THREAD)
            replace(function, &real_call_of_thread, &ours_of_thread);
        else
            replace(function, &real_call, &ours);
    }
}

static int find_function(const char *name, void **function, int version, uint64_t flags)
{
    int outcome = real_proc_address(name, function, version, flags);
    if (outcome == 0)
        replace_answer(name, function, version, flags);
    return outcome;
}

static int find_function_v2(const char *name, void **function, int version, uint64_t flags, int *result)
{
    int outcome = real_proc_address_v2(name, function, version, flags, result);
    if (outcome == 0)
        replace_answer(name, function, version, flags);
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
    if (found != NULL && strcmp(name, "cuGetProcAddress") == 0)
        replace_question(&found, 0);
    else if (found != NULL && strcmp(name, "cuGetProcAddress_v2") == 0)
        replace_question(&found, 1);
    return found;
}
