/* fail_alloc.c: makes one allocation of a program fail: the FAIL_ALLOC-th. It is loaded by LD_PRELOAD.
 *
 * Only calls of the program itself count. Calls of libraries do not, because an MPI library or OpenMP without
 * memory ends the process in its own way. With FAIL_ALLOC_COUNT=FILE the number of calls is written to FILE
 * at the end, so that a test knows how many calls it can let fail.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* what glibc calls its own */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);

static atomic_ulong calls;
static unsigned long failing;
static const void *program; /* where it is loaded; NULL until this library is set up */

__attribute__((constructor)) static void start(void)
{
    Dl_info info;
    const char *text = getenv("FAIL_ALLOC");
    failing = text != NULL ? strtoul(text, NULL, 10) : 0;
    if (dladdr((const void *)getauxval(AT_PHDR), &info) != 0)
        program = info.dli_fbase;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAIL_ALLOC_COUNT");
    unsigned long count = atomic_load(&calls);
    program = NULL;
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file == NULL)
        return;
    fprintf(file, "%lu\n", count);
    fclose(file);
}

/* Counts a call from `caller`; nonzero where it is the one to fail. */
static int fails(const void *caller)
{
    Dl_info info;
    if (program == NULL || dladdr(caller, &info) == 0 || info.dli_fbase != program)
        return 0;
    if (atomic_fetch_add(&calls, 1) + 1 != failing)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, bytes);
}

char *strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
    return copy != NULL ? memcpy(copy, text, bytes) : NULL;
}

/* Only what is memory: files are mapped as ever. */
void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    if ((flags & MAP_ANONYMOUS) != 0 && fails(__builtin_return_address(0)))
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
}
