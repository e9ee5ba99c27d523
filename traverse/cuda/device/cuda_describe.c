/* cuda_describe.c: names a GPU, its driver and the CUDA runtime, for reports */
#include "cuda_device.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The driver's own version, such as 550.54.15: the first word of its line that is one. CUDA's own
 * "driver version" is that of its interface. */
static void read_driver(char *driver, size_t bytes)
{
    char line[256] = "", *rest = NULL;
    FILE *file = fopen("/proc/driver/nvidia/version", "re");
    if (file != NULL && fgets(line, sizeof line, file) == NULL)
        line[0] = '\0';
    if (file != NULL)
        fclose(file);
    for (char *word = strtok_r(line, " \t\n", &rest); word != NULL;
         word = strtok_r(NULL, " \t\n", &rest)) {
        if (isdigit((unsigned char)word[0]) && strchr(word, '.') != NULL) {
            snprintf(driver, bytes, "%s", word);
            return;
        }
    }
}

void gpu_describe(const struct device *dev, struct device_description *d)
{
    struct cudaDeviceProp properties;
    int runtime = 0;
    *d = (struct device_description){.resident = dev->memory.host != NULL ? RESIDENT_HOST
                                                 : gpu_is_packed(dev)    ? RESIDENT_PACKED
                                                                         : RESIDENT_RAW,
                                     .bytes = dev->load.bytes,
                                     .host_bytes = dev->load.host_bytes,
                                     .load_s = dev->load.seconds,
                                     .ranges_s = dev->load.ranges_s};
    if (cudaGetDeviceProperties(&properties, dev->ordinal) == cudaSuccess)
        snprintf(d->model, sizeof d->model, "%s", properties.name);
    if (cudaRuntimeGetVersion(&runtime) == cudaSuccess)
        snprintf(d->runtime, sizeof d->runtime, "%d.%d", runtime / 1000, runtime % 1000 / 10);
    read_driver(d->driver, sizeof d->driver);
}
