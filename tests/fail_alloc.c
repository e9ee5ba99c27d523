/* fail_alloc.c: makes one allocation of a program fail, the FAIL_ALLOC-th; it is loaded by LD_PRELOAD
 *
 * Only calls of the program itself count. Calls of libraries do not, because an MPI library or OpenMP without memory
 * ends the process in its own way. That of OpenMP may be linked into the program: its symbols tell. When the program ends by itself,
 * - FAIL_ALLOC_COUNT=FILE gets the number of calls, so that a test knows how many it can let fail;
 * - FAIL_ALLOC_LEFT=FILE gets a line for each block that was not freed: its bytes, and its place in the program, for
 *   addr2line. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc's own names */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *at);

/* A block of memory that is in use. */
struct block {
    const void *at; /* NULL: none */
    const char *caller;
    size_t bytes;
};

enum { BLOCKS = 1 << 16 }; /* programs have a few hundred of them at a time */

static struct block block[BLOCKS]; /* by a hash of `at` */
static atomic_flag held = ATOMIC_FLAG_INIT;
static atomic_ulong calls;
static unsigned long failing;
static const char *program; /* the address of the program; NULL until this library is set up */
static const char *openmp_first, *openmp_end; /* the code of libgomp in the program; NULL: there is none */

/* Finds the code of libgomp by the symbols of the program, which is at `base`. */
static void find_openmp(const char *base)
{
    struct stat st;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    const char *file = fd >= 0 && fstat(fd, &st) == 0 ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (file == MAP_FAILED)
        return;
    const Elf64_Ehdr *header = (const void *)file;
    const Elf64_Shdr *section = (const void *)(file + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++) {
        const Elf64_Sym *symbol = (const void *)(file + section[i].sh_offset);
        for (size_t k = 0; section[i].sh_type == SHT_SYMTAB && k < section[i].sh_size / sizeof *symbol; k++) {
            const char *name = file + section[section[i].sh_link].sh_offset + symbol[k].st_name;
            const char *at = (header->e_type == ET_DYN ? base : NULL) + symbol[k].st_value;
            const char *end = at + symbol[k].st_size;
            int is_public = strncmp(name, "GOMP_", 5) == 0; /* others may be in the section of code that runs rarely */
            if (ELF64_ST_TYPE(symbol[k].st_info) != STT_FUNC || symbol[k].st_shndx == SHN_UNDEF || strchr(name, '.') != NULL ||
                (!is_public && strncmp(name, "gomp_", 5) != 0))
                continue;
            if (is_public && (openmp_first == NULL || at < openmp_first))
                openmp_first = at;
            openmp_end = end > openmp_end ? end : openmp_end;
        }
    }
    munmap((void *)(uintptr_t)file, (size_t)st.st_size);
    close(fd);
}

__attribute__((constructor)) static void start(void)
{
    Dl_info info;
    const char *text = getenv("FAIL_ALLOC");
    failing = text != NULL ? strtoul(text, NULL, 10) : 0;
    if (dladdr((const void *)getauxval(AT_PHDR), &info) == 0)
        return;
    find_openmp(info.dli_fbase);
    program = info.dli_fbase;
}

/* ---- blocks in use ---- */

static size_t place_of(const void *at)
{
    return (size_t)((uintptr_t)at / 16 * UINT64_C(0x9fb21c651e98df25) >> 40) % BLOCKS;
}

static void note(const void *at, size_t bytes, const void *caller)
{
    while (atomic_flag_test_and_set(&held))
        ;
    size_t i = place_of(at);
    while (block[i].at != NULL)
        i = (i + 1) % BLOCKS;
    block[i] = (struct block){at, caller, bytes};
    atomic_flag_clear(&held);
}

/* Takes the entry out and moves later entries up, so that no search meets a gap. */
static void forget(const void *at)
{
    while (atomic_flag_test_and_set(&held))
        ;
    size_t i = place_of(at);
    while (block[i].at != NULL && block[i].at != at)
        i = (i + 1) % BLOCKS;
    for (size_t gap = i; block[i].at != NULL;) {
        block[gap].at = NULL;
        do
            i = (i + 1) % BLOCKS;
        while (block[i].at != NULL && (i - place_of(block[i].at)) % BLOCKS < (i - gap) % BLOCKS);
        if (block[i].at != NULL)
            block[gap] = block[i];
        gap = i;
    }
    atomic_flag_clear(&held);
}

/* ---- the end ---- */

static FILE *open_named(const char *variable)
{
    const char *path = getenv(variable);
    return path != NULL ? fopen(path, "w") : NULL;
}

__attribute__((destructor)) static void end(void)
{
    unsigned long count = atomic_load(&calls);
    const char *base = program;
    program = NULL;
    FILE *counts = open_named("FAIL_ALLOC_COUNT"), *left = open_named("FAIL_ALLOC_LEFT");
    if (counts != NULL) {
        fprintf(counts, "%lu\n", count);
        fclose(counts);
    }
    for (size_t i = 0; left != NULL && i < BLOCKS; i++) {
        if (block[i].at != NULL)
            fprintf(left, "%zu bytes at 0x%tx\n", block[i].bytes, block[i].caller - base);
    }
    if (left != NULL)
        fclose(left);
}

/* ---- calls ---- */

enum call { OTHERS, FAILS, SUCCEEDS };

/* Counts a call from `caller` if that is in the program, and not in libgomp. */
static enum call judge(const void *caller)
{
    Dl_info info;
    if (program == NULL || dladdr(caller, &info) == 0 || info.dli_fbase != program ||
        ((const char *)caller >= openmp_first && (const char *)caller < openmp_end))
        return OTHERS;
    if (atomic_fetch_add(&calls, 1) + 1 != failing)
        return SUCCEEDS;
    errno = ENOMEM;
    return FAILS;
}

static void *noted(void *at, size_t bytes, enum call call, const void *caller)
{
    if (at != NULL && call == SUCCEEDS)
        note(at, bytes, caller);
    return at;
}

void *malloc(size_t bytes)
{
    const void *caller = __builtin_return_address(0);
    enum call call = judge(caller);
    return call == FAILS ? NULL : noted(__libc_malloc(bytes), bytes, call, caller);
}

void *calloc(size_t count, size_t bytes)
{
    const void *caller = __builtin_return_address(0);
    enum call call = judge(caller);
    return call == FAILS ? NULL : noted(__libc_calloc(count, bytes), count * bytes, call, caller);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    const void *caller = __builtin_return_address(0);
    enum call call = judge(caller);
    return call == FAILS ? NULL : noted(__libc_memalign(alignment, bytes), bytes, call, caller);
}

void *realloc(void *old, size_t bytes)
{
    const void *caller = __builtin_return_address(0);
    enum call call = judge(caller);
    if (call == FAILS)
        return NULL;
    forget(old); /* before another thread can get the address */
    return noted(__libc_realloc(old, bytes), bytes, call, caller);
}

void free(void *at)
{
    if (at != NULL)
        forget(at);
    __libc_free(at);
}

char *strdup(const char *text)
{
    const void *caller = __builtin_return_address(0);
    size_t bytes = strlen(text) + 1;
    enum call call = judge(caller);
    char *copy = call == FAILS ? NULL : noted(__libc_malloc(bytes), bytes, call, caller);
    return copy != NULL ? memcpy(copy, text, bytes) : NULL;
}

/* Fails only mappings of memory; files are mapped as ever. */
void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    if ((flags & MAP_ANONYMOUS) != 0 && judge(__builtin_return_address(0)) == FAILS)
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
}
