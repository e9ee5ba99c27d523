/* energy.h: the energy that the GPUs and processors of this host have used, read from counters of NVML and RAPL.
 *
 * NVML is NVIDIA's management library (libnvidia-ml.so.1), which is loaded when the program runs. RAPL is the energy meter
 * of processors. Its counters are files, which often only the user root may read. Counters that cannot be read are left
 * out. */
#ifndef DBFS_ENERGY_H
#define DBFS_ENERGY_H

#include <stdint.h>

enum { ENERGY_SOURCES = 64 }; /* maximum number of counters */

/* A counter of one GPU or processor package, and its last value. A counter of RAPL starts at 0 again after the value
 * `wrap`. */
struct energy_counter {
    char path[96];        /* name of the file of a RAPL counter; empty for a counter of NVML */
    void *gpu;            /* NVML's handle of the GPU, for a counter of NVML */
    /* the last value read, and the largest value of a RAPL counter; both in units of unit_j */
    uint64_t last, wrap;
    /* joules per unit of the counter */
    double unit_j;
};

/* All counters of a host that can be read, and the energy that they have measured. */
struct energy {
    struct energy_counter counter[ENERGY_SOURCES];
    /* number of counters, and of the GPUs and processor packages that have them */
    int counters, gpus, packages;
    /* the library NVML; NULL: not found */
    void *nvml;
    double used_j; /* joules by which all counters have risen since energy_open */
};

/* energy_open zeroes *energy, and then finds and reads all counters that can be read. energy_close shuts NVML down. Its
 * argument may be all zeros. */
void energy_open(struct energy *energy);
void energy_close(struct energy *energy);

/* Reads all counters, and returns the joules used since energy_open. Must be called again within some minutes, because
 * counters of RAPL then start at 0 again. */
double energy_used(struct energy *energy);

#endif
