/* count_turns.h: increments counters for a list of records that may name one counter many times in a row.
 *
 * An increment waits for the one before it on the same counter, some five cycles. A list that is sorted by row
 * has runs of one row. So the records are taken from four places of the list by turns.
 */
#ifndef DBFS_COUNT_TURNS_H
#define DBFS_COUNT_TURNS_H

#include <stddef.h>

/* COUNTER(i) is the counter of record i, for i below `count`. */
#define COUNT_BY_TURNS(count, COUNTER)                                                             \
    do {                                                                                           \
        const size_t quarter_ = (count) / 4;                                                       \
        for (size_t i_ = 0; i_ < quarter_; i_++) {                                                 \
            COUNTER(i_)++;                                                                         \
            COUNTER(quarter_ + i_)++;                                                              \
            COUNTER(2 * quarter_ + i_)++;                                                          \
            COUNTER(3 * quarter_ + i_)++;                                                          \
        }                                                                                          \
        for (size_t i_ = 4 * quarter_; i_ < (count); i_++)                                         \
            COUNTER(i_)++;                                                                         \
    } while (0)

#endif
