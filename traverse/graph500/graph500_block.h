/* graph500_block.h: the result block of the Graph500 benchmark, field for field, and the same as JSON */
#ifndef DBFS_GRAPH500_BLOCK_H
#define DBFS_GRAPH500_BLOCK_H

#include "traverse/report/report.h"

#include <stdint.h>
#include <stdio.h>

/* Energy of a batch of all searches, without validation. */
struct energy_record {
    int known;      /* a counter could be read */
    int gpus, packages;
    double joules, seconds;
    double edges; /* edges traversed in the batch */
};

struct block {
    const struct environment *env;
    double construction_s; /* below 0: unknown */
    const struct record *runs; /* [count] */
    uint64_t count;
    struct energy_record energy;
};

void block_print(FILE *out, const struct block *block);
enum status block_json(const char *path, const struct block *block, struct error *e);

#endif
