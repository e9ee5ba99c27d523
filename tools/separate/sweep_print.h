/* sweep_print.h: prints the sweep, the table of TH (figures 5 and 12 of Pan et al.), for people and for
 * plots */
#ifndef DBFS_SWEEP_PRINT_H
#define DBFS_SWEEP_PRINT_H

#include "formats/split.h"

#include <stdint.h>
#include <stdio.h>

/* Prints an aligned table. Its column of bytes follows Table I of Pan et al., for p devices. */
void sweep_print(const struct split *split, uint64_t p, FILE *stream);

/* Writes the same table to a file, with a header line and separated by tabs. */
enum status sweep_write_tsv(const struct split *split, uint64_t p, const char *path,
                            struct error *e);

#endif
