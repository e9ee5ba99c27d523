/* cpu_answers.h: the memory behind answers of a device of the CPU, shared by cpu_answers.c and cpu_questions.c */
#ifndef DBFS_CPU_ANSWERS_H
#define DBFS_CPU_ANSWERS_H

#include "cpu_device.h"

/* The arrays behind the answers of one device of the CPU. locals and d are the numbers of normals and of delegates
 * of the shard, and p is the number of shards. */
struct cpu_answers {
    struct answer_tables tables;
    void *values; /* [tables.values] */
    /* The arrays below are taken only with several shards and recorded parents. */
    void *by_vertex; /* [locals + d + 1] input ids of parents by vertex number; the last entry is ANSWER_NONE (no vertex) */
    void *delegate_parents;     /* [d] for each delegate the largest parent id that a device of this rank recorded */
    uint64_t *cursors;          /* [threads][p] where the questions of a thread begin */
    struct question *questions; /* [question_capacity] ordered by the shard that is asked */
    uint32_t *askers;           /* [question_capacity] for each question the local vertex that asks it */
    uint64_t question_capacity;
    void *replies;              /* [reply_capacity] input ids that answer the questions of other shards */
    uint64_t reply_capacity;
};

/* cpu_answers.c. Converts the parents that the device recorded to input ids, in by_vertex. ANSWER_NONE stands for a vertex
 * that was not reached, or whose parent this device does not know. Used only with several shards. */
void cpu_write_parents(struct device *dev);

#endif
