/* statistics.h: the measures of searches, and their statistics as Graph500 and the paper define them */
#ifndef DBFS_STATISTICS_H
#define DBFS_STATISTICS_H

#include "record.h"

#include <stdint.h>

/* The measures of a search. TEPS are traversed edges a second: by the time of the search, or by the time of the answer. */
enum measure { SEARCH_TIME, ANSWER_TIME, VALIDATION_TIME, EDGES, SEARCH_TEPS, ANSWER_TEPS };

/* Returns a measure of one search. Times are in seconds. */
double record_number(const struct record *record, enum measure measure);

struct statistics {
    double min, first_quartile, median, third_quartile, max;
    double mean, deviation;                   /* deviation: the sample standard deviation */
    double harmonic_mean, harmonic_deviation; /* which Graph500 uses for rates */
};

/* Sorts values[count], and computes their statistics. All are 0 if `count` is 0, or if `values` is NULL. */
void statistics_of_values(double *values, uint64_t count, struct statistics *s);

/* Computes the statistics of a measure over all records. All are 0 without records, or without memory. */
void statistics_of(const struct record *records, uint64_t count, enum measure measure, struct statistics *s);

#endif
