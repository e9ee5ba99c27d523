/* statistics.h: numbers of searches, and the statistics of them in Graph500 and the paper */
#ifndef DBFS_STATISTICS_H
#define DBFS_STATISTICS_H

#include "record.h"

#include <stdint.h>

/* The measures of a search. TEPS are traversed edges a second, by the time of the search or by the time of the answer. */
enum measure { SEARCH_TIME, ANSWER_TIME, VALIDATION_TIME, EDGES, SEARCH_TEPS, ANSWER_TEPS };

/* A measure of one search; times are in seconds. */
double record_number(const struct record *record, enum measure measure);

struct statistics {
    double min, first_quartile, median, third_quartile, max;
    double mean, deviation;                   /* sample standard deviation */
    double harmonic_mean, harmonic_deviation; /* rates have those of Graph500 */
};

/* Computes statistics of values[count], and sorts them. All are 0 if count is 0, or values NULL. */
void statistics_of_values(double *values, uint64_t count, struct statistics *s);

/* Computes statistics over all records. All are 0 without records, or without memory. */
void statistics_of(const struct record *records, uint64_t count, enum measure measure, struct statistics *s);

#endif
