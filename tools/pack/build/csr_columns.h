/* csr_columns.h: writes the columns section of one subgraph, sorting, encoding and writing at once.
 *
 * Ranges of rows pass through the stages of a pipeline (formats/work/pipeline.h), in any order where they
 * are sorted, encoded and written. Places in the file are given out in the order of the ranges, and filled
 * by any thread. Columns that are to be packed are cut into blocks of 128 regardless of ranges: once all
 * ranges before one are sorted, the place of its elements is known, the fewer than 128 that they leave over
 * are put in front of it, and its whole blocks are encoded, where they lie, by any thread. So the bytes do
 * not depend on threads, and no more than the ranges under way is held.
 */
#ifndef DBFS_CSR_COLUMNS_H
#define DBFS_CSR_COLUMNS_H

#include "range_sort.h"
#include "section_write.h"

/* After all ranges were counted (range_counted). *edges receives the directed edges kept. */
enum status csr_columns_write(const struct csr_rows *csr, const struct section_writer *out,
                              enum section_encoding encoding, uint64_t *edges, struct error *e);

#endif
