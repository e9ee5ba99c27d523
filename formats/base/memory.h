/* memory.h: the available memory, and a budget that bounds the memory of the program.
 *
 * The option -S promises a bound. Its default is three quarters of the available memory; cgroup limits count.
 * Arrays over the vertices or edges are charged to the budget before they are allocated. Too little memory
 * then gives an error message, and the system does not kill the process.
 */
#ifndef DBFS_MEMORY_H
#define DBFS_MEMORY_H

#include "status.h"

#include <stdint.h>

/* Bytes that can be allocated now: MemAvailable of /proc/meminfo, or less where a cgroup allows less. */
uint64_t memory_available(void);

/* The peak resident set of this process since it executed the program. */
uint64_t memory_peak_bytes(void);

struct memory_budget {
    uint64_t limit_bytes;
    uint64_t taken_bytes;
};

/* limit 0 means the default: three quarters of memory_available(). */
void memory_budget_init(struct memory_budget *budget, uint64_t limit_bytes);

/* MEMORY_LEAST_BYTES: the least budget of a process. The other two are parts of the budget that are set
 * aside: MEMORY_PROGRAM_BYTES for the program and its libraries, in addition to what they use at the start,
 * and MEMORY_THREAD_BYTES for the stack and the edge stream buffers of each thread. */
#define MEMORY_LEAST_BYTES (UINT64_C(32) << 20)
#define MEMORY_PROGRAM_BYTES (UINT64_C(4) << 20)
#define MEMORY_THREAD_BYTES (UINT64_C(2) << 20)

/* Makes a budget that bounds the resident memory of the whole process. Call it once, at the start. Everything
 * except small things is charged later; the memory that the process uses anyway is set aside here. The
 * threads may use a quarter of the budget at most, so *threads may become smaller, but never 0. ST_RESOURCE
 * when the limit is below MEMORY_LEAST_BYTES. */
enum status memory_budget_process(struct memory_budget *budget, uint64_t limit_bytes, int *threads,
                                  struct error *e);

static inline uint64_t memory_left(const struct memory_budget *budget)
{
    return budget->limit_bytes - budget->taken_bytes;
}

/* Allocates `count` zeroed elements of `width` bytes and charges them to the budget. ST_RESOURCE when they
 * exceed the budget or the system refuses; *array is then NULL, and the message names `what`, the bytes
 * needed and the bytes left. Free with memory_release: the budget knows the size of each array. Any thread may call
 * these functions: devices of a rank are opened side by side. */
enum status memory_take(struct memory_budget *budget, void **array, uint64_t count, uint64_t width,
                        const char *what, struct error *e);
void memory_release(struct memory_budget *budget, void *array); /* NULL is allowed */

/* Asks for huge pages (huge.h) under an array of memory_take that has not been written. NULL is allowed. */
void memory_advise_huge(void *array);

/* Allocates zeroed elements of `width` bytes for a small array that is in no budget; free() releases it. NULL: *e says why,
 * by the name `what`, or has an earlier failure. */
void *zeroed(uint64_t count, uint64_t width, const char *what, struct error *e);

/* Grows a small array that is in no budget. If `count` is a power of two or 0, the room for `count`
 * elements is used up, and it gets room for twice as many. Returns the array, or NULL if there is
 * no memory; `array` is then as it was. */
void *memory_grow(void *array, uint64_t count, uint64_t width);

/* Charges memory that is not allocated here, such as a mapped file. ST_RESOURCE as in memory_take. */
enum status memory_charge(struct memory_budget *budget, uint64_t bytes, const char *what,
                          struct error *e);
void memory_discharge(struct memory_budget *budget, uint64_t bytes);

/* Charges memory for which a plan has left room, so that it need not be refused. */
void memory_charge_planned(struct memory_budget *budget, uint64_t bytes);

#endif
