/* memory.c: see memory.h */
#include "memory.h"

#include "bytes.h"
#include "huge.h"
#include "text.h"

#include <malloc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MMAP_THRESHOLD_BYTES = 1 << 18, TWO_LINES_BYTES = 128 };

/* Returns the number in a file such as memory.max; UINT64_MAX if there is no such file, or if the file says "max". */
static uint64_t number_in_file(const char *path)
{
    unsigned long long value;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return UINT64_MAX;
    int found = fscanf(file, "%llu", &value) == 1;
    fclose(file);
    return found ? value : UINT64_MAX;
}

static uint64_t meminfo_available(void)
{
    char line[256];
    unsigned long long kib;
    uint64_t bytes = 0;
    FILE *file = fopen("/proc/meminfo", "re");
    if (file != NULL) {
        while (bytes == 0 && fgets(line, sizeof line, file) != NULL) {
            if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
                bytes = (uint64_t)kib * 1024;
        }
        fclose(file);
    }
    if (bytes == 0)
        bytes = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    return bytes;
}

/* Page cache that the cgroup's charge includes but would give back. */
static uint64_t reclaimable_in_cgroup(const char *folder)
{
    char path[4352], line[256];
    unsigned long long bytes;
    uint64_t sum = 0;
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "inactive_file %llu", &bytes) == 1 ||
            sscanf(line, "active_file %llu", &bytes) == 1)
            sum += bytes;
    }
    fclose(file);
    return sum;
}

/* The bytes that one folder of cgroup v2 leaves to the process. */
static uint64_t left_in_cgroup(const char *folder)
{
    char path[4352];
    snprintf(path, sizeof path, "%s/memory.max", folder);
    uint64_t limit = number_in_file(path);
    if (limit == UINT64_MAX)
        return UINT64_MAX;
    snprintf(path, sizeof path, "%s/memory.current", folder);
    uint64_t used = number_in_file(path), cache = reclaimable_in_cgroup(folder);
    if (used == UINT64_MAX)
        return limit;
    used = used > cache ? used - cache : 0;
    return used < limit ? limit - used : 0;
}

/* Returns the memory that cgroups leave to this process: the least of its own and those above it (v2, and one limit of v1). */
static uint64_t cgroup_available(void)
{
    char line[4096], folder[4224];
    uint64_t least = number_in_file("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (file == NULL)
        return least;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "0::", 3) != 0)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(folder, sizeof folder, "/sys/fs/cgroup%s", line + 3);
        while (strlen(folder) >= strlen("/sys/fs/cgroup")) {
            uint64_t left = left_in_cgroup(folder);
            least = left < least ? left : least;
            *strrchr(folder, '/') = '\0';
        }
    }
    fclose(file);
    return least;
}

uint64_t memory_available(void)
{
    uint64_t machine = meminfo_available(), cgroup = cgroup_available();
    return machine < cgroup ? machine : cgroup;
}

/* Reads VmHWM in place of getrusage, which also counts what the process had between fork and exec, as a copy of its parent. */
uint64_t memory_peak_bytes(void)
{
    char line[256];
    unsigned long long kib = 0;
    struct rusage usage;
    FILE *file = fopen("/proc/self/status", "re");
    while (file != NULL && kib == 0 && fgets(line, sizeof line, file) != NULL)
        sscanf(line, "VmHWM: %llu kB", &kib);
    if (file != NULL)
        fclose(file);
    if (kib == 0 && getrusage(RUSAGE_SELF, &usage) == 0)
        kib = (unsigned long long)usage.ru_maxrss;
    return (uint64_t)kib * 1024;
}

/* Begins a budget; the limit 0 means three quarters of the memory that is available. */
void memory_budget_init(struct memory_budget *budget, uint64_t limit_bytes)
{
    budget->limit_bytes = limit_bytes != 0 ? limit_bytes : memory_available() / 4 * 3;
    budget->taken_bytes = 0;
}

/* Returns the least memory that a thread takes. It is more if the system uses huge pages everywhere, because then the thread's
 * stack and its buffer each take a huge page. */
static uint64_t thread_bytes(void)
{
    char line[64] = "";
    FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");
    if (file != NULL && fgets(line, sizeof line, file) == NULL)
        line[0] = '\0';
    if (file != NULL)
        fclose(file);
    return strstr(line, "[always]") != NULL ? 3 * MEMORY_THREAD_BYTES : MEMORY_THREAD_BYTES;
}

/* Begins the budget of the whole process, with what the program and its threads use; lowers *threads if the limit is small. */
enum status memory_budget_process(struct memory_budget *budget, uint64_t limit_bytes, int *threads, struct error *e)
{
    char limit[16], least[16];
    uint64_t of_thread = thread_bytes();
    memory_budget_init(budget, limit_bytes);
    if (budget->limit_bytes < MEMORY_LEAST_BYTES)
        return fail(e, ST_RESOURCE,
                    "memory budget (-S): %s are less than the %s that any graph takes",
                    format_size(budget->limit_bytes, limit, sizeof limit),
                    format_size(MEMORY_LEAST_BYTES, least, sizeof least));
    /* a fixed threshold: large arrays go back to the system when they are freed, whatever was freed before */
    mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD_BYTES);
    uint64_t most = budget->limit_bytes / 4 / of_thread;
    if ((uint64_t)*threads > most)
        *threads = (int)most;
    budget->taken_bytes =
        memory_peak_bytes() + MEMORY_PROGRAM_BYTES + (uint64_t)*threads * of_thread;
    if (budget->taken_bytes < budget->limit_bytes)
        return ST_OK;
    return fail(e, ST_RESOURCE, "memory budget (-S): the program itself takes %s",
                format_size(budget->taken_bytes, least, sizeof least));
}

/* The head in front of each array that was taken. */
struct block {
    _Alignas(max_align_t) uint64_t bytes;
    void *allocated; /* the block lies in it */
};

/* Allocates a zeroed block. A large array begins at a huge page, and has room up to the end of its last huge page, so that all
 * of it may lie in huge pages. The room behind the array is never written, and so takes no memory. A smaller array begins at a
 * pair of cache lines, so that no pair has parts of two arrays: a core may fetch both lines of a pair. */
static struct block *block_alloc(size_t bytes)
{
    size_t page = bytes < HUGE_PAGE_BYTES / 2 ? TWO_LINES_BYTES : HUGE_PAGE_BYTES;
    char *all = calloc(1, sizeof(struct block) + bytes + 2 * (page - 1));
    if (all == NULL)
        return NULL;
    uintptr_t array = (uintptr_t)all + sizeof(struct block) + page - 1;
    struct block *block = (struct block *)(array - array % page) - 1;
    *block = (struct block){bytes, all};
    return block;
}

/* Allocates zeroed elements that no budget counts. NULL if memory is short, or if *e already holds a failure. */
void *zeroed(uint64_t count, uint64_t width, const char *what, struct error *e)
{
    void *array = e->status == ST_OK ? calloc(count > 0 ? count : 1, width) : NULL;
    if (array == NULL)
        fail_memory(e, what, count * width);
    return array;
}

/* Makes room for element number `count`: doubles the array whenever `count` is 0 or a power of two. */
void *memory_grow(void *array, uint64_t count, uint64_t width)
{
    if ((count & (count - 1)) != 0)
        return array;
    return realloc(array, (count > 0 ? 2 * count : 1) * width);
}

/* Counts memory that was allocated elsewhere; fails if the budget has less left. */
enum status memory_charge(struct memory_budget *budget, uint64_t bytes, const char *what, struct error *e)
{
    char need[16], left[16];
    uint64_t taken = __atomic_load_n(&budget->taken_bytes, __ATOMIC_RELAXED);
    do {
        uint64_t unused = budget->limit_bytes - taken;
        if (bytes > unused)
            return fail(e, ST_RESOURCE, "%s: needs %s, and %s of the memory budget (-S) are left: at least -S %lluM is needed",
                        what, format_size(bytes, need, sizeof need), format_size(unused, left, sizeof left),
                        (unsigned long long)((taken + bytes) >> 20) + 1);
    } while (!__atomic_compare_exchange_n(&budget->taken_bytes, &taken, taken + bytes, 1, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    return ST_OK;
}

/* The same, without a check, for memory that the caller has compared with the budget before. */
void memory_charge_planned(struct memory_budget *budget, uint64_t bytes)
{
    __atomic_fetch_add(&budget->taken_bytes, bytes, __ATOMIC_RELAXED);
}

void memory_discharge(struct memory_budget *budget, uint64_t bytes)
{
    __atomic_fetch_sub(&budget->taken_bytes, bytes, __ATOMIC_RELAXED);
}

/* Allocates zeroed elements and charges them to the budget. On failure, or after an earlier one, *array is NULL. */
enum status memory_take(struct memory_budget *budget, void **array, uint64_t count, uint64_t width,
                        const char *what, struct error *e)
{
    uint64_t bytes;
    *array = NULL;
    if (e->status != ST_OK)
        return e->status;
    if (size_mul(count, width, &bytes))
        return fail(e, ST_RESOURCE, "%s: its size overflows 64 bits", what);
    if (memory_charge(budget, bytes, what, e) != ST_OK)
        return e->status;
    struct block *block = block_alloc((size_t)bytes);
    if (block == NULL) {
        memory_discharge(budget, bytes);
        return fail_memory(e, what, bytes);
    }
    *array = block + 1;
    return ST_OK;
}

/* Asks for huge pages under an array from memory_take. The last page is huge if the array fills half of it. */
void memory_advise_huge(void *array)
{
    if (array == NULL)
        return;
    uint64_t bytes = ((struct block *)array - 1)->bytes;
    huge_advise(array, (bytes + HUGE_PAGE_BYTES / 2) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES);
}

enum status memory_take_huge(struct memory_budget *budget, void **array, uint64_t count, uint64_t width,
                             const char *what, struct error *e)
{
    memory_take(budget, array, count, width, what, e);
    memory_advise_huge(*array);
    return e->status;
}

void memory_release(struct memory_budget *budget, void *array)
{
    if (array == NULL)
        return;
    struct block *block = (struct block *)array - 1;
    memory_discharge(budget, block->bytes);
    free(block->allocated);
}
