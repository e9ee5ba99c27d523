/* sweep_print.h: the table of thresholds (figures 5 and 12 of Pan et al.) for people and for plots */
#ifndef DBFS_SWEEP_PRINT_H
#define DBFS_SWEEP_PRINT_H

#include "formats/split.h"

#include <stdint.h>
#include <stdio.h>

/* An aligned table; bytes are those of Table I for p devices. */
void sweep_print(const struct split *split, uint64_t p, FILE *stream);

/* The same with a header line, separated by tabs, as a file. */
enum status sweep_write_tsv(const struct split *split, uint64_t p, const char *path,
                            struct error *e);

#endif
