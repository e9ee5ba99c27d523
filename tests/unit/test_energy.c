/* test_energy.c: the energy of processors, by files like those of the kernel
 *
 * A host with counters of RAPL and without GPUs is pretended: fopen and dlopen of this file replace those of the C
 * library. */
#include "unit.h"

#include "traverse/programs/graph500/energy.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WRAP UINT64_C(262143328850) /* microjoules, as real processors have it */

static char pretended[] = "/tmp/dbfs-energy.XXXXXX"; /* replaces the kernel's folder */

FILE *fopen(const char *path, const char *mode)
{
    static const char counters[] = "/sys/class/powercap";
    static FILE *(*real)(const char *, const char *);
    char other[512];
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "fopen");
    if (strncmp(path, counters, strlen(counters)) != 0)
        return real(path, mode);
    snprintf(other, sizeof other, "%s%s", pretended, path + strlen(counters));
    return real(other, mode);
}

/* Replaces the C library's dlopen: there is no NVML. */
void *dlopen(const char *path, int mode)
{
    (void)path;
    (void)mode;
    return NULL;
}

static void write_number(const char *zone, const char *name, uint64_t value)
{
    char path[256];
    snprintf(path, sizeof path, "%s/intel-rapl:%s", pretended, zone);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/intel-rapl:%s/%s", pretended, zone, name);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return;
    fprintf(file, "%llu\n", (unsigned long long)value);
    fclose(file);
}

static void hide_counter(const char *zone)
{
    char path[256];
    snprintf(path, sizeof path, "%s/intel-rapl:%s/energy_uj", pretended, zone);
    unlink(path);
}

/* Returns whether the energy used so far is this. */
static int has_used(struct energy *e, double microjoules)
{
    double difference = 1e6 * energy_used(e) - microjoules;
    return difference > -0.5 && difference < 0.5;
}

int main(void)
{
    struct energy e;
    char command[64];
    if (mkdtemp(pretended) == NULL)
        return 1;
    energy_open(&e);
    report(e.packages == 0 && e.counters == 0 && has_used(&e, 0), "without counters nothing is measured");
    energy_close(&e);

    write_number("0", "energy_uj", 250000000);
    write_number("0", "max_energy_range_uj", WRAP);
    write_number("0:0", "energy_uj", 7); /* the cores of package 0 */
    write_number("0:0", "max_energy_range_uj", WRAP);
    write_number("2", "energy_uj", WRAP - 850);
    write_number("2", "max_energy_range_uj", WRAP);
    write_number("3", "energy_uj", 5);
    energy_open(&e);
    report(e.packages == 2 && e.counters == 2 && e.gpus == 0, "packages count, if it is known where they wrap");
    report(has_used(&e, 0), "what was used before does not count");
    write_number("0", "energy_uj", 251500000);
    report(has_used(&e, 1500000), "one package has used 1.5 J");
    report(has_used(&e, 1500000), "energy that has been counted is not counted again");
    write_number("2", "energy_uj", 150);
    report(has_used(&e, 1501000), "a counter that begins again at 0 has gone on");
    write_number("0", "energy_uj", 251500001);
    write_number("2", "energy_uj", 100);
    report(has_used(&e, 1501001 + (double)(WRAP - 50)), "a counter that begins again at 0 goes on beside another one");
    hide_counter("2");
    write_number("0", "energy_uj", 251500003);
    report(has_used(&e, 1501003 + (double)(WRAP - 50)), "a counter that cannot be read adds nothing");
    write_number("2", "energy_uj", 400);
    report(has_used(&e, 1501303 + (double)(WRAP - 50)), "a counter that can be read again has lost nothing");
    energy_close(&e);
    snprintf(command, sizeof command, "rm -r %s", pretended);
    return system(command) != 0 || unit_result();
}
