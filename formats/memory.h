/* memory.h: how much memory there is, and a budget that allocations over the graph are held to.
 *
 * `-S` promises a bound; its default is three quarters of the memory available, cgroup limits
 * counted. Arrays over the vertices or edges are taken through a budget, before anything is
 * allocated, so that too little memory is a message and not a killed process.
 */
#ifndef DBFS_MEMORY_H
#define DBFS_MEMORY_H

#include "status.h"

#include <stdint.h>

/* Bytes that can be taken now: /proc/meminfo's MemAvailable, or less where a cgroup says so. */
uint64_t memory_available(void);

/* The kernel's peak resident set of this process. */
uint64_t memory_peak_bytes(void);

struct memory_budget {
    uint64_t limit_bytes;
    uint64_t taken_bytes;
};

/* limit 0 means the default: three quarters of memory_available(). */
void memory_budget_init(struct memory_budget *budget, uint64_t limit_bytes);

/* Zeroed `count` elements of `width` bytes. ST_RESOURCE, naming `what`, the bytes needed and the
 * budget left, when over budget or refused by the system; *array is then NULL. Safe from one thread
 * at a time. Free with memory_release, giving the same count and width. */
enum status memory_take(struct memory_budget *budget, void **array, uint64_t count, uint64_t width,
                        const char *what, struct error *e);
void memory_release(struct memory_budget *budget, void *array, uint64_t count, uint64_t width);

#endif
