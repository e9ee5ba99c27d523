/* energy.h: the energy that GPUs and processors of this host have used, by counters of NVML and RAPL.
 *
 * The library of NVML (libnvidia-ml.so.1) is opened when the program runs. RAPL's counters are files, which often only root
 * may read. Counters that cannot be read are left out. */
#ifndef DBFS_ENERGY_H
#define DBFS_ENERGY_H

#include <stdint.h>

enum { ENERGY_SOURCES = 64 };

/* A counter and its last value. RAPL's begins again at 0 after `wrap`. */
struct energy_counter {
    char path[96];        /* file of RAPL; empty: NVML */
    void *gpu;            /* device of NVML */
    uint64_t last, wrap;
    double unit_j;
};

struct energy {
    struct energy_counter counter[ENERGY_SOURCES];
    int counters, gpus, packages;
    void *nvml;
    double used_j; /* since energy_open */
};

/* Finds all counters that can be read, and reads them. energy_close closes NVML. */
void energy_open(struct energy *energy);
void energy_close(struct energy *energy);

/* Returns joules used since energy_open. Call it more often than RAPL's counters wrap, which takes minutes. */
double energy_used(struct energy *energy);

#endif
