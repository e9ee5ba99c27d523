/* energy.c: reads the energy counters of NVML and RAPL, and adds up how much they have risen */
#include "energy.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- RAPL ---- */

/* Reads a whole number from a file into *value. Returns 1 on success, and 0 if the file cannot be read. */
static int read_number(const char *path, uint64_t *value)
{
    unsigned long long x = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    int read = fscanf(file, "%llu", &x) == 1;
    fclose(file);
    *value = x;
    return read;
}

/* Adds a counter to *e, with its present value, for each processor package with readable RAPL files. The files intel-rapl:N
 * belong to package N, even on processors of AMD. */
static void add_packages(struct energy *e)
{
    for (int i = 0; i < ENERGY_SOURCES / 2; i++) {
        struct energy_counter *c = &e->counter[e->counters];
        char wrap[128];
        snprintf(c->path, sizeof c->path, "/sys/class/powercap/intel-rapl:%d/energy_uj", i);
        snprintf(wrap, sizeof wrap, "/sys/class/powercap/intel-rapl:%d/max_energy_range_uj", i);
        if (!read_number(c->path, &c->last) || !read_number(wrap, &c->wrap))
            continue;
        c->unit_j = 1e-6;
        e->packages++;
        e->counters++;
    }
    e->counter[e->counters].path[0] = '\0';
}

/* ---- NVML ---- */

typedef int nvml_call(void);
typedef int nvml_count(unsigned *);
typedef int nvml_handle(unsigned, void **);
typedef int nvml_energy(void *, unsigned long long *);
typedef int nvml_uuid(void *, char *, unsigned);

/* Reads the energy counter of the GPU c->gpu, in millijoules, into *value. Returns 1 on success, and 0 on failure. */
static int read_gpu(const struct energy *e, const struct energy_counter *c, uint64_t *value)
{
    unsigned long long mj = 0;
    nvml_energy *energy;
    *(void **)&energy = dlsym(e->nvml, "nvmlDeviceGetTotalEnergyConsumption");
    if (energy == NULL || energy(c->gpu, &mj) != 0)
        return 0;
    *value = mj;
    return 1;
}

/* Returns whether the job may use GPU `gpu`, which has the number `number` in NVML. CUDA_VISIBLE_DEVICES lists the GPUs of
 * the job, by number or by the beginning of the UUID; all others may be used by other jobs. If the variable is not set, the
 * job may use all GPUs. */
static int is_visible(const struct energy *e, void *gpu, unsigned number)
{
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    char name[16], uuid[96] = "";
    nvml_uuid *get_uuid;
    if (list == NULL)
        return 1;
    snprintf(name, sizeof name, "%u", number);
    *(void **)&get_uuid = dlsym(e->nvml, "nvmlDeviceGetUUID");
    if (get_uuid == NULL || get_uuid(gpu, uuid, sizeof uuid) != 0)
        uuid[0] = '\0';
    for (; *list != '\0'; list += *list == ',') {
        size_t length = strcspn(list, ",");
        if ((length == strlen(name) && memcmp(list, name, length) == 0) ||
            (length > 0 && strncmp(list, "GPU-", 4) == 0 && strncmp(list, uuid, length) == 0))
            return 1;
        list += length;
    }
    return 0;
}

/* Opens NVML. Adds a counter to *e, with its present value, for each GPU that the job may use. Adds nothing if NVML is
 * missing or fails. */
static void add_gpus(struct energy *e)
{
    unsigned count = 0;
    nvml_call *start;
    nvml_count *get_count;
    nvml_handle *get_handle;
    e->nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (e->nvml == NULL)
        return;
    *(void **)&start = dlsym(e->nvml, "nvmlInit_v2");
    *(void **)&get_count = dlsym(e->nvml, "nvmlDeviceGetCount_v2");
    *(void **)&get_handle = dlsym(e->nvml, "nvmlDeviceGetHandleByIndex_v2");
    if (start == NULL || get_count == NULL || get_handle == NULL || start() != 0 || get_count(&count) != 0)
        return;
    for (unsigned i = 0; i < count && e->counters < ENERGY_SOURCES; i++) {
        struct energy_counter *c = &e->counter[e->counters];
        *c = (struct energy_counter){.unit_j = 1e-3};
        if (get_handle(i, &c->gpu) != 0 || !is_visible(e, c->gpu, i) || !read_gpu(e, c, &c->last))
            continue;
        e->gpus++;
        e->counters++;
    }
}

/* ---- both kinds of counters ---- */

/* Zeroes *e. Adds all counters that can be read, with their present values. Adds no counter if none can be read. */
void energy_open(struct energy *e)
{
    memset(e, 0, sizeof *e);
    add_packages(e);
    add_gpus(e);
}

/* Adds the rise of each counter since its last reading to e->used_j, and returns e->used_j. Skips counters that cannot be
 * read. */
double energy_used(struct energy *e)
{
    for (int i = 0; i < e->counters; i++) {
        struct energy_counter *c = &e->counter[i];
        uint64_t now = c->last;
        int read = c->path[0] != '\0' ? read_number(c->path, &now) : read_gpu(e, c, &now);
        if (!read)
            continue;
        e->used_j += (double)(now >= c->last ? now - c->last : now + c->wrap - c->last) * c->unit_j;
        c->last = now;
    }
    return e->used_j;
}

/* Shuts NVML down and closes the library, if the library was opened. *e may be all zeros. */
void energy_close(struct energy *e)
{
    if (e->nvml == NULL)
        return;
    nvml_call *stop;
    *(void **)&stop = dlsym(e->nvml, "nvmlShutdown");
    if (stop != NULL)
        stop();
    dlclose(e->nvml);
}
