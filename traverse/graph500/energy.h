/* energy.h: the energy that GPUs and processors of this host have used: counters of NVML and of RAPL.
 *
 * NVML is looked for when the program runs (libnvidia-ml.so.1). RAPL's counters are files that often only root
 * may read. Counters that cannot be read are left out.
 */
#ifndef DBFS_ENERGY_H
#define DBFS_ENERGY_H

#include <stdint.h>

enum { ENERGY_SOURCES = 64 };

/* A counter and what it said last; RAPL's begin again at 0 after `wrap`. */
struct energy_counter {
    char path[96];        /* of RAPL; empty: NVML */
    void *gpu;            /* of NVML */
    uint64_t last, wrap;
    double unit_j;
};

struct energy {
    struct energy_counter counter[ENERGY_SOURCES];
    int counters, gpus, packages;
    void *nvml;
    double used_j; /* since energy_open */
};

void energy_open(struct energy *energy);
void energy_close(struct energy *energy);

/* Joules used since energy_open. Call it at least once in the minutes that RAPL's counters take to wrap. */
double energy_used(struct energy *energy);

#endif
