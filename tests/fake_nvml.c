/* fake_nvml.c: stands in for libnvidia-ml.so.1 on machines without a GPU, for dbfs-graph500
 *
 * It has three GPUs. The first uses 50 W and the second 70 W, at all times; the third has no counter. Counters are
 * in millijoules, as NVML's are.
 */
#include <stdio.h>
#include <time.h>

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

static int watts[] = {50, 70, 0};

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **gpu)
{
    *gpu = &watts[index];
    return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(void *gpu, unsigned long long *mj)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *mj = (unsigned long long)*(const int *)gpu *
          (1000ull * (unsigned long long)now.tv_sec + (unsigned long long)now.tv_nsec / 1000000);
    return *(const int *)gpu == 0;
}

int nvmlDeviceGetUUID(void *gpu, char *uuid, unsigned length)
{
    snprintf(uuid, length, "GPU-%02d-fake", *(const int *)gpu);
    return 0;
}
