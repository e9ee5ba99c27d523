/* memory.h: a budget that bounds the memory of the program, as the option -S promises. Arrays over vertices or edges are
 * charged to the budget before they are allocated. So when memory is short the program ends with a message, and the system does
 * not kill it. The default is three quarters of the available memory, within the limits of cgroups. */
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

/* MEMORY_LEAST_BYTES is the smallest budget of a process. Of each budget, MEMORY_PROGRAM_BYTES are set aside for the program and its
 * libraries, beyond what they use at the start, and MEMORY_THREAD_BYTES for the stack and the edge stream buffers of each thread. */
#define MEMORY_LEAST_BYTES (UINT64_C(32) << 20)
#define MEMORY_PROGRAM_BYTES (UINT64_C(4) << 20)
#define MEMORY_THREAD_BYTES (UINT64_C(2) << 20)

/* Makes the budget of the whole process, and charges to it what the program itself and its threads use. Large arrays are
 * charged later. Call it once, at the start. Lowers *threads, but not to 0, if the threads would take more than a quarter of
 * the budget. ST_RESOURCE if the limit is below MEMORY_LEAST_BYTES. */
enum status memory_budget_process(struct memory_budget *budget, uint64_t limit_bytes, int *threads, struct error *e);

static inline uint64_t memory_left(const struct memory_budget *budget)
{
    return budget->limit_bytes - budget->taken_bytes;
}

/* Allocates `count` zeroed elements of `width` bytes and charges them to the budget. If they exceed the budget or the
 * system refuses them, it is ST_RESOURCE: *array is NULL, and the message names `what`, the bytes needed and the bytes
 * left. If *e already holds a failure, *array is NULL, too, and that failure is returned; so the status of the last of several
 * calls is that of all. Free with memory_release. Any thread may call both functions. */
enum status memory_take(struct memory_budget *budget, void **array, uint64_t count, uint64_t width,
                        const char *what, struct error *e);
void memory_release(struct memory_budget *budget, void *array); /* NULL is allowed */

/* memory_take for an array that is read or written at random: the array lies on huge pages (huge.h) if the system has some. The budget
 * is charged for the array alone. The end of its last page, less than 2^20 bytes, is not charged. */
enum status memory_take_huge(struct memory_budget *budget, void **array, uint64_t count, uint64_t width,
                             const char *what, struct error *e);

/* Asks for huge pages under an array from memory_take, before it is first written. NULL is allowed. */
void memory_advise_huge(void *array);

/* Allocates `count` zeroed elements of `width` bytes for a small array that no budget counts; release it with free().
 * Returns NULL when memory is short, with a message in *e that names `what`. */
void *zeroed(uint64_t count, uint64_t width, const char *what, struct error *e);

/* Makes room in a small array, which no budget counts, before element number `count` is stored. The room is doubled
 * whenever `count` is 0 or a power of two. Returns the array; NULL when memory is short, and `array` is then as it was. */
void *memory_grow(void *array, uint64_t count, uint64_t width);

/* Charges to the budget memory that was allocated elsewhere, such as a mapped file. ST_RESOURCE if the budget has less left. */
enum status memory_charge(struct memory_budget *budget, uint64_t bytes, const char *what, struct error *e);
void memory_discharge(struct memory_budget *budget, uint64_t bytes);

/* Charges memory that the caller has counted before. The budget must have room for it, so that the call cannot fail. */
void memory_charge_planned(struct memory_budget *budget, uint64_t bytes);

#endif
