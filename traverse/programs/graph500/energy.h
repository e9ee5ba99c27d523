/* energy.h: the energy that the GPUs and processors of this host have used, read from counters of NVML and RAPL.
 *
 * NVML is NVIDIA's management library (libnvidia-ml.so.1), which is opened when the program runs. RAPL is the energy meter
 * of processors. The counters of RAPL are files, which often only root may read. Counters that cannot be read are left
 * out. */
#ifndef DBFS_ENERGY_H
#define DBFS_ENERGY_H

#include <stdint.h>

enum { ENERGY_SOURCES = 64 }; /* most counters */

/* A counter of one GPU or of one processor package, and its last value. A counter of RAPL begins again at 0 after
 * `wrap`. */
struct energy_counter {
    char path[96];        /* the file, for a counter of RAPL; empty: a counter of NVML */
    void *gpu;            /* the handle of NVML for the GPU, for a counter of NVML */
    /* the last value read, and the largest value of a counter of RAPL, both in units of unit_j */
    uint64_t last, wrap;
    /* joules of a unit of the counter */
    double unit_j;
};

/* All counters of a host that can be read, and the energy that they have measured. */
struct energy {
    struct energy_counter counter[ENERGY_SOURCES];
    /* number of counters; number of GPUs among them; number of processor packages among them */
    int counters, gpus, packages;
    /* the library; NULL: not found */
    void *nvml;
    double used_j; /* joules that all counters have risen by since energy_open */
};

/* energy_open zeroes *energy, and then finds and reads all counters that can be read. energy_close shuts NVML down; *energy
 * may be all zeros. */
void energy_open(struct energy *energy);
void energy_close(struct energy *energy);

/* Reads all counters, and returns the joules used since energy_open. The counters of RAPL begin again at 0 after minutes,
 * so the function must be called more often. */
double energy_used(struct energy *energy);

#endif
