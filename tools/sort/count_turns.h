/* count_turns.h: increments a counter for each record of a list that may name one counter many times in a row. An increment
 * waits some five cycles for the one before on the same counter. In a list sorted by row the same counter comes in long runs,
 * so the records are taken from four places of the list by turns. */
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
