/* cpu_answers.h: the memory behind answers of a device of the CPU, shared by cpu_answers.c and cpu_questions.c */
#ifndef DBFS_CPU_ANSWERS_H
#define DBFS_CPU_ANSWERS_H

#include "cpu_device.h"

struct cpu_answers {
    struct answer_tables tables;
    void *values; /* [tables.values] */
    /* with several shards and parents */
    void *by_vertex; /* [locals + d + 1] ids of parents by number of vertex; the last is that of no vertex */
    void *delegate_parents;     /* [d] the largest ids of this rank's, or of all ranks */
    uint64_t *cursors;          /* [threads][p] where the questions of a thread begin */
    struct question *questions; /* by shard */
    uint32_t *askers;           /* the local vertex that each question is for */
    uint64_t question_capacity;
    void *replies;
    uint64_t reply_capacity;
};

/* cpu_answers.c. Makes the parents that the device knows itself input ids; with several shards. */
void cpu_write_parents(struct device *dev);

#endif
