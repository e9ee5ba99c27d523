/* cpu_answers.h: the memory behind the answers of a device of the CPU (cpu_answers.c) */
#ifndef DBFS_CPU_ANSWERS_H
#define DBFS_CPU_ANSWERS_H

#include "cpu_device.h"

/* The arrays behind the answers of one device. locals and d are the numbers of normals and of delegates of the shard, and p
 * is the number of shards. The arrays from by_vertex on are taken only with several shards and recorded parents. */
struct cpu_answers {
    struct answer_tables tables;
    void *values;               /* [tables.values] */
    void *by_vertex;            /* [locals + d + 1] input ids of parents by vertex number; the last is ANSWER_NONE */
    uint64_t *cursors;          /* [threads][p] where the questions of a thread begin */
    struct question *questions; /* [question_capacity] ordered by the shard that is asked */
    uint32_t *askers;           /* [question_capacity] for each question the local vertex that asks it; behind `questions` */
    uint64_t question_capacity;
    void *replies;              /* [reply_capacity] input ids that answer the questions of other shards */
    uint64_t reply_capacity;
};

#endif
