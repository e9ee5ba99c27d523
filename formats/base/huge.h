/* huge.h: asks for huge pages under large arrays that are probed at random or written once.
 *
 * With pages of 4 KiB most probes of an array over the vertices miss the TLB as well as the cache.
 * Only advice: where the system has no huge pages, nothing changes.
 */
#ifndef DBFS_HUGE_H
#define DBFS_HUGE_H

#include <stddef.h>

enum { HUGE_PAGE_BYTES = 2 << 20 };

/* Before the array is first written. Any size and alignment. */
void huge_advise(void *array, size_t bytes);

/* `bytes`, a power of two of at least a page, zeroed and aligned to their size, huge pages asked for;
 * NULL when the system has none. Free with huge_free. */
void *huge_alloc(size_t bytes);
void huge_free(void *array, size_t bytes);

#endif
