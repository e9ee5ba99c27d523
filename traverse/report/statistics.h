/* statistics.h: the summary statistics that Graph500 and the paper report */
#ifndef DBFS_STATISTICS_H
#define DBFS_STATISTICS_H

#include <stdint.h>

struct statistics {
    double min, first_quartile, median, third_quartile, max;
    double mean, deviation;                   /* sample standard deviation */
    double harmonic_mean, harmonic_deviation; /* as Graph500 has them, for rates */
    double geometric_mean;
};

/* Computes the statistics of `count` >= 1 positive values. It sorts the values. */
void statistics_of(double *values, uint64_t count, struct statistics *s);

#endif
