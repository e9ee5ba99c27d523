/* machine.c: see machine.h */
#include "machine.h"

#include "json_text.h"

#include <string.h>

/* The revision of the build, as `git describe` names it (Makefile); empty if it was not known. */
#ifndef DBFS_REVISION
#define DBFS_REVISION ""
#endif

/* Finds the first value in /proc/cpuinfo of a key for the model. */
static void read_cpu(char *model, size_t bytes)
{
    char line[256], found[256] = "";
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file != NULL && found[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "model name : %255[^\n]", found) != 1 &&
            sscanf(line, "cpu : %255[^\n]", found) != 1)
            sscanf(line, "Model : %255[^\n]", found);
    }
    if (file != NULL)
        fclose(file);
    snprintf(model, bytes, "%s", found);
}

void machine_json(FILE *out, const struct rank *rank, char *const *command)
{
    char cpu[256];
    struct device_description gpu = {"", "", ""};
    read_cpu(cpu, sizeof cpu);
    if (rank->backend->device->describe != NULL && rank->device_count > 0)
        rank->backend->device->describe(rank->devices[0], &gpu);
    json_string(out, "revision", DBFS_REVISION, ",\n    ");
    json_command(out, command);
    json_string(out, "cpu", cpu, ", ");
    json_string(out, "gpu", gpu.model, ", ");
    json_string(out, "gpu_driver", gpu.driver, ", ");
    json_string(out, "cuda", gpu.runtime, ",\n");
}
