/* sweep_print.h: prints the sweep, a table of the effects of each TH (Pan et al., figures 5 and 12), for people and for plots */
#ifndef DBFS_SWEEP_PRINT_H
#define DBFS_SWEEP_PRINT_H

#include "formats/split.h"
#include "predict.h"

#include <stdint.h>
#include <stdio.h>

/* What the table shows, for p devices. The column of bytes follows Table I of Pan et al. */
struct sweep_table {
    const struct split *split;
    const struct predicted *predicted; /* for each row of the sweep */
    uint64_t p;
};

/* Prints an aligned table. */
void sweep_print(const struct sweep_table *table, FILE *stream);

/* Writes the same table to a file, with a header line and separated by tabs. */
enum status sweep_write_tsv(const struct sweep_table *table, const char *path, struct error *e);

#endif
