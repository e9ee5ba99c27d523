/* fake_nvml.c: stands in for libnvidia-ml.so.1 on machines without a GPU, for dbfs-graph500
 *
 * It has three GPUs. The counter of the first has 50 J more at each look, and that of the second 70 J, so that no clock and no
 * other work of the host matters; the third has no counter. Counters are in millijoules, as NVML's are.
 */
#include <stdio.h>

int nvmlInit_v2(void)
{
    return 0;
}

int nvmlShutdown(void)
{
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = 3;
    return 0;
}

static struct gpu {
    int joules; /* from look to look */
    unsigned long long counter;
} gpus[] = {{50, 0}, {70, 0}, {0, 0}};

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **gpu)
{
    *gpu = &gpus[index];
    return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(void *gpu, unsigned long long *mj)
{
    struct gpu *g = gpu;
    *mj = g->counter += 1000ull * (unsigned)g->joules;
    return g->joules == 0;
}

int nvmlDeviceGetUUID(void *gpu, char *uuid, unsigned length)
{
    snprintf(uuid, length, "GPU-%02d-fake", ((const struct gpu *)gpu)->joules);
    return 0;
}
