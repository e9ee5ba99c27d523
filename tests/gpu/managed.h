/* managed.h: the arrays of one step of a test, in memory that host and device see. Each has exactly its size, so
 * that compute-sanitizer sees accesses outside it.
 */
#ifndef DBFS_TESTS_GPU_MANAGED_H
#define DBFS_TESTS_GPU_MANAGED_H

#include <stddef.h>

/* A copy of `from`; NULL: poison. NULL is returned for no bytes. */
void *managed(const void *from, size_t bytes);
void *managed_zeros(size_t bytes);

/* The kernels launched so far have run. */
void managed_settle(void);

/* Copies a result out, unless there is none, and releases all arrays. */
void managed_finish(void *to, const void *from, size_t bytes);

#endif
