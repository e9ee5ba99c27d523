/* huge.c: see huge.h */
#include "huge.h"

#include <stdint.h>
#include <sys/mman.h>

void huge_advise(void *array, size_t bytes)
{
    uintptr_t begin = ((uintptr_t)array + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    uintptr_t end = ((uintptr_t)array + bytes) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    if (array != NULL && begin < end)
        madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}
