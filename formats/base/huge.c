/* huge.c: see huge.h */
#include "huge.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Asks for huge pages, of which only those that lie wholly in the array can be given. */
void huge_advise(void *array, size_t bytes)
{
    uintptr_t begin = ((uintptr_t)array + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    uintptr_t end = ((uintptr_t)array + bytes) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    if (array != NULL && begin < end)
        madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

/* Allocates `bytes` zeroed bytes, aligned to their size (a power of two), in huge pages if possible. */
void *huge_alloc(size_t bytes)
{
    char *all = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    size_t before = (bytes - (uintptr_t)all % bytes) % bytes;
    if (before > 0)
        munmap(all, before);
    munmap(all + before + bytes, bytes - before);
    huge_advise(all + before, bytes);
    return all + before;
}

void huge_free(void *array, size_t bytes)
{
    if (array != NULL)
        munmap(array, bytes);
}

void *huge_malloc(size_t bytes)
{
    if (bytes < HUGE_PAGE_BYTES)
        return malloc(bytes);
    size_t whole = (bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    void *array = aligned_alloc(HUGE_PAGE_BYTES, whole);
    huge_advise(array, whole);
    return array;
}
