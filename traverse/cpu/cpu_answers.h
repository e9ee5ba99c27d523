/* cpu_answers.h: the arrays from which a device of the CPU makes its answers (cpu_answers.c) */
#ifndef DBFS_CPU_ANSWERS_H
#define DBFS_CPU_ANSWERS_H

#include "cpu_device.h"

/* The arrays for the answers of one device. `locals` is the number of normals of the shard, d the number of delegates,
 * and p the number of shards. by_vertex and the arrays after it are NULL unless there are several shards and parents are
 * recorded. */
struct cpu_answers {
    struct answer_tables tables; /* a copy of the caller's tables; its arrays belong to the caller of `open` */
    void *values;               /* [tables.values] depths or input ids of parents */
    void *by_vertex; /* [locals + d + 1] input ids of parents, by vertex number; the last element is ANSWER_NONE */
    uint64_t *cursors;          /* [threads][p] index of the next question of each thread for each shard */
    struct question *questions; /* [question_capacity] ordered by the shard that gets the question */
    uint32_t *askers; /* [question_capacity] the normal that asks each question, in the same memory after `questions` */
    uint64_t question_capacity;
    void *replies;              /* [reply_capacity] input ids that reply to the questions of other shards */
    uint64_t reply_capacity;
};

#endif
