/* statistics.h: measures of searches, such as times, and their statistics, as Graph500 and the paper define them */
#ifndef DBFS_STATISTICS_H
#define DBFS_STATISTICS_H

#include "record.h"

#include <stdint.h>

/* The measures of a search. TEPS are traversed edges per second: SEARCH_TEPS divides the edges by the time of the search,
 * ANSWER_TEPS by the time until the answer is made. */
enum measure { SEARCH_TIME, ANSWER_TIME, VALIDATION_TIME, EDGES, SEARCH_TEPS, ANSWER_TEPS };

/* Returns one measure of a search. Times are in seconds. */
double record_number(const struct record *record, enum measure measure);

struct statistics {
    double min, first_quartile, median, third_quartile, max;
    double mean, deviation;                   /* `deviation` is the sample standard deviation */
    double harmonic_mean, harmonic_deviation; /* the harmonic mean and its deviation; Graph500 uses them for rates */
};

/* Sorts values[count], and sets *s to their statistics; all are 0 if `values` is NULL or `count` is 0. */
void statistics_of_values(double *values, uint64_t count, struct statistics *s);

/* Sets *s to the statistics of one measure over records[count]; all are 0 if `count` is 0 or memory is short. */
void statistics_of(const struct record *records, uint64_t count, enum measure measure, struct statistics *s);

#endif
