/* cpu_answers.h: the arrays from which a device of the CPU makes its answers (cpu_answers.c) */
#ifndef DBFS_CPU_ANSWERS_H
#define DBFS_CPU_ANSWERS_H

#include "cpu_device.h"

/* The arrays for the answers of one device, which has `locals` normals, d delegates and p shards in all. by_vertex and
 * the arrays behind it are NULL unless parents of several shards are wanted. */
struct cpu_answers {
    struct answer_tables tables; /* a copy of the caller's tables; the arrays stay the caller's */
    void *values;               /* [tables.values] depths or input ids of parents */
    void *by_vertex; /* [locals + d + 1] parents as input ids, by vertex number; the last element is ANSWER_NONE */
    uint32_t *owned;            /* [owned_count] the delegates that the shard owns */
    uint64_t owned_count;
    uint64_t *cursors;          /* [threads][p] index of each thread's next question for each shard */
    struct question *questions; /* [question_capacity] ordered by the shard that gets the question */
    uint32_t *askers; /* [question_capacity] the normal that asks each question; part of the array `questions`, behind them. When
                       * delegates ask: their numbers, which are the questions, too */
    uint64_t question_capacity;
    void *replies;              /* [reply_capacity] the replies to other shards' questions, as input ids */
    uint64_t reply_capacity;
};

#endif
