/* huge.h: asks the system for huge pages under large arrays. A random access to a large array over the vertices misses the TLB
 * as well as the cache if pages have 4 KiB. The request is only advice: where the system has no huge pages, nothing changes. */
#ifndef DBFS_HUGE_H
#define DBFS_HUGE_H

#include <stddef.h>

enum { HUGE_PAGE_BYTES = 2 << 20 };

/* Call it before the array is first written. Any size and alignment will do. */
void huge_advise(void *array, size_t bytes);

/* Allocates `bytes` zeroed bytes, aligned to their size, and asks for huge pages. `bytes` is a power of two,
 * and at least a page. Returns NULL when memory is short. Free the array with huge_free. */
void *huge_alloc(size_t bytes);
void huge_free(void *array, size_t bytes);

/* malloc; an array of a huge page or more begins at one, and the system is asked for huge pages. Free it with free. */
void *huge_malloc(size_t bytes);

#endif
