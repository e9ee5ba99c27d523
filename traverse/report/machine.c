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

static void print_command(FILE *out, char *const *command)
{
    fputs("    \"command\": [", out);
    for (size_t i = 0; command[i] != NULL; i++) {
        fputs(i > 0 ? ", " : "", out);
        json_quote(out, command[i]);
    }
    fputs("],\n", out);
}

void machine_json(FILE *out, const struct rank *rank, char *const *command)
{
    char cpu[256];
    struct device_description gpu = {"", "", ""};
    read_cpu(cpu, sizeof cpu);
    if (rank->backend->device->describe != NULL && rank->device_count > 0)
        rank->backend->device->describe(rank->devices[0], &gpu);
    fputs("    ", out);
    json_string(out, "revision", DBFS_REVISION);
    fputs(",\n", out);
    print_command(out, command);
    fputs("    ", out);
    json_string(out, "cpu", cpu);
    fputs(", ", out);
    json_string(out, "gpu", gpu.model);
    fputs(", ", out);
    json_string(out, "gpu_driver", gpu.driver);
    fputs(", ", out);
    json_string(out, "cuda", gpu.runtime);
    fputs(",\n", out);
}
