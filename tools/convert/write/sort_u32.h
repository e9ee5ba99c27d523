/* sort_u32.h: sorts 32-bit numbers in place */
#ifndef DBFS_SORT_U32_H
#define DBFS_SORT_U32_H

#include <stddef.h>
#include <stdint.h>

/* Ascending; of numbers that are all at most `most`. */
void sort_u32(uint32_t *numbers, size_t count, uint32_t most);

/* Of sorted numbers, drops repetitions and `without`; returns how many are left. */
size_t unique_u32(uint32_t *numbers, size_t count, uint32_t without);

#endif
