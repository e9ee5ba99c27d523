/* managed.h: the arrays of a step, in memory that host and device see. Each has exactly its size, so that
 * compute-sanitizer sees accesses outside it. */
#ifndef DBFS_TESTS_GPU_MANAGED_H
#define DBFS_TESTS_GPU_MANAGED_H

#include <stddef.h>

/* Returns a copy of `from`, or poison if that is NULL, or NULL for 0 bytes. */
void *managed(const void *from, size_t bytes);
void *managed_zeros(size_t bytes);

/* Waits for the kernels launched so far. */
void managed_settle(void);

/* Copies a result out, unless there is none, and releases all arrays. */
void managed_finish(void *to, const void *from, size_t bytes);

#endif
