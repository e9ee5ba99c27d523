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

/* The least budget of a process, and what is put aside of it: for the program and its libraries,
 * beside what they take already, and for each thread's stack and buffers of the edge stream. */
#define MEMORY_LEAST_BYTES (UINT64_C(32) << 20)
#define MEMORY_PROGRAM_BYTES (UINT64_C(4) << 20)
#define MEMORY_THREAD_BYTES (UINT64_C(2) << 20)

/* A budget that bounds the resident memory of the whole process: everything but small things is
 * charged, and what the process takes anyway is put aside here. No more threads than a quarter of
 * the budget holds: *threads becomes smaller, never 0. Call it once, at the start. ST_RESOURCE when
 * the limit is below MEMORY_LEAST_BYTES. */
enum status memory_budget_process(struct memory_budget *budget, uint64_t limit_bytes, int *threads,
                                  struct error *e);

static inline uint64_t memory_left(const struct memory_budget *budget)
{
    return budget->limit_bytes - budget->taken_bytes;
}

/* Zeroed `count` elements of `width` bytes. ST_RESOURCE, naming `what`, the bytes needed and the
 * budget left, when over budget or refused by the system; *array is then NULL. Safe from one thread
 * at a time. Free with memory_release: the budget knows what each array took. */
enum status memory_take(struct memory_budget *budget, void **array, uint64_t count, uint64_t width,
                        const char *what, struct error *e);
void memory_release(struct memory_budget *budget, void *array); /* NULL is allowed */

/* Charges memory that is not allocated here, such as a mapped file; ST_RESOURCE as above. */
enum status memory_charge(struct memory_budget *budget, uint64_t bytes, const char *what,
                          struct error *e);
void memory_discharge(struct memory_budget *budget, uint64_t bytes);

/* Charges what a plan has left room for, so that it need not be refused. */
void memory_charge_planned(struct memory_budget *budget, uint64_t bytes);

#endif
