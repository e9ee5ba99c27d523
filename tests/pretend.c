/* pretend.c: shows a program another machine; it is loaded before the C library and MPI's (LD_PRELOAD)
 *
 *   PRETENDED_FILES=DIR    fopen of PATH opens DIR/PATH where that exists
 *   PRETENDED_CORES=N      the process may run on N cores
 *   PRETENDED_MPI=TEXT     the MPI library says this of itself
 *   PRETENDED_LACK=TEXT    where TEXT has the word, no call of this function succeeds: memfd_create; pthread_create,
 *                          with a function of the program, as libraries start threads of their own
 *   PRETENDED_THREADS=FILE pretends nothing: for each thread that starts, FILE gets a line with the program or library whose
 *                          function it runs, and the address of this function there, as nm shows it for a program that may lie
 *                          anywhere in memory */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        fprintf(stderr, "pretend: there is no %s\n", name);
        abort();
    }
    return found;
}

FILE *fopen(const char *path, const char *mode)
{
    static FILE *(*real)(const char *, const char *);
    const char *files = getenv("PRETENDED_FILES");
    char other[4096];
    if (real == NULL)
        *(void **)&real = next("fopen");
    if (files == NULL || snprintf(other, sizeof other, "%s/%s", files, path) >= (int)sizeof other)
        return real(path, mode);
    return real(access(other, F_OK) == 0 ? other : path, mode);
}

int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *cores)
{
    static int (*real)(pid_t, size_t, cpu_set_t *);
    const char *count = getenv("PRETENDED_CORES");
    if (real == NULL)
        *(void **)&real = next("sched_getaffinity");
    if (count == NULL)
        return real(process, bytes, cores);
    CPU_ZERO_S(bytes, cores);
    for (size_t i = 0; i < strtoul(count, NULL, 10); i++)
        CPU_SET_S(i, bytes, cores);
    return 0;
}

int MPI_Get_library_version(char *text, int *length)
{
    static int (*real)(char *, int *);
    const char *pretended = getenv("PRETENDED_MPI");
    if (pretended != NULL) {
        *length = (int)strlen(pretended);
        strcpy(text, pretended);
        return 0;
    }
    if (real == NULL)
        *(void **)&real = next("MPI_Get_library_version");
    return real(text, length);
}

/* Returns whether the pretended machine lacks a function. */
static int lacks(const char *name)
{
    const char *lack = getenv("PRETENDED_LACK");
    return lack != NULL && strstr(lack, name) != NULL;
}

int memfd_create(const char *name, unsigned flags)
{
    static int (*real)(const char *, unsigned);
    if (lacks("memfd_create")) {
        errno = ENOSYS;
        return -1;
    }
    if (real == NULL)
        *(void **)&real = next("memfd_create");
    return real(name, flags);
}

static void note_thread(void *(*start)(void *))
{
    const char *path = getenv("PRETENDED_THREADS"), *name;
    Dl_info info;
    FILE *file = path != NULL ? fopen(path, "a") : NULL;
    if (file == NULL)
        return;
    const int known = dladdr(*(void **)&start, &info) != 0;
    name = known ? info.dli_fname : "?";
    fprintf(file, "%s %016lx\n", strrchr(name, '/') != NULL ? strrchr(name, '/') + 1 : name,
            known ? (unsigned long)((char *)*(void **)&start - (char *)info.dli_fbase) : 0);
    fclose(file);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (real == NULL)
        *(void **)&real = next("pthread_create");
    Dl_info info;
    if (lacks("pthread_create") && dladdr(*(void **)&start, &info) != 0 && strstr(info.dli_fname, ".so") == NULL)
        return EAGAIN;
    note_thread(start);
    return real(thread, attributes, start, argument);
}
