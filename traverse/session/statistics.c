/* statistics.c: computes statistics over the measures of searches, such as times; see statistics.h */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>

/* Returns one measure of a search. Times are in seconds, and rates (TEPS) are in edges per second. */
double record_number(const struct record *r, enum measure measure)
{
    double edges = (double)r->reach.edges;
    switch (measure) {
    case SEARCH_TIME: return r->time_s;
    case ANSWER_TIME: return r->answer_s;
    case VALIDATION_TIME: return r->validate_s;
    case EDGES: return edges;
    case SEARCH_TEPS: return edges / r->time_s;
    default: return edges / r->answer_s;
    }
}

/* Compares two doubles for qsort, in ascending order. */
static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the quantile q of the ascending values sorted[count]: about the fraction q of the values is smaller. Interpolates
 * if the quantile falls between two values. */
static double quantile(const double *sorted, uint64_t count, double q)
{
    double at = q * (double)(count - 1);
    uint64_t low = (uint64_t)at;
    if (low + 1 >= count)
        return sorted[count - 1];
    return sorted[low] + (at - (double)low) * (sorted[low + 1] - sorted[low]);
}

/* Sorts values[count], and sets *s to their statistics; all are 0 if `values` is NULL or `count` is 0. */
void statistics_of_values(double *values, uint64_t count, struct statistics *s)
{
    double sum = 0, inverses = 0, squares = 0, inverse_squares = 0, n = (double)count;
    *s = (struct statistics){0};
    if (values == NULL || count == 0)
        return;
    qsort(values, count, sizeof *values, compare_doubles);
    for (uint64_t i = 0; i < count; i++) {
        sum += values[i];
        inverses += 1 / values[i];
    }
    s->min = values[0];
    s->max = values[count - 1];
    s->first_quartile = quantile(values, count, 0.25);
    s->median = quantile(values, count, 0.5);
    s->third_quartile = quantile(values, count, 0.75);
    s->mean = sum / n;
    s->harmonic_mean = n / inverses;
    if (count == 1)
        return;
    for (uint64_t i = 0; i < count; i++) {
        double difference = values[i] - s->mean, inverse = 1 / values[i] - inverses / n;
        squares += difference * difference;
        inverse_squares += inverse * inverse;
    }
    s->deviation = sqrt(squares / (n - 1));
    /* The deviation of the harmonic mean follows from that of the inverses, by the delta method, as in Graph500. */
    s->harmonic_deviation = sqrt(inverse_squares) / (n - 1) * s->harmonic_mean * s->harmonic_mean;
}

/* Sets *s to the statistics of one measure over records[count]; all are 0 if `count` is 0 or memory is short. */
void statistics_of(const struct record *records, uint64_t count, enum measure measure, struct statistics *s)
{
    double *values = malloc((count + 1) * sizeof *values);
    for (uint64_t i = 0; values != NULL && i < count; i++)
        values[i] = record_number(&records[i], measure);
    statistics_of_values(values, count, s);
    free(values);
}
