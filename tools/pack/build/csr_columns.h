/* csr_columns.h: writes the columns section of one subgraph, and sorts, encodes and writes at the same time.
 *
 * Ranges of rows pass through a pipeline (formats/work/pipeline.h). Any thread sorts, encodes and writes any range, but the
 * ranges get their places in the file in order. So the bytes do not depend on threads, and only ranges under way are in memory.
 *
 * Packed columns are cut into blocks of 128, and a block may begin in one range and end in the next. So once all earlier ranges
 * are sorted, the fewer than 128 columns that they left over are put in front of those of a range, which is then encoded.
 */
#ifndef DBFS_CSR_COLUMNS_H
#define DBFS_CSR_COLUMNS_H

#include "range_sort.h"
#include "section_write.h"

/* Writes the columns of all ranges, which must have been counted (range_counted). *edges is set to the number of directed edges
 * kept, without duplicates. */
enum status csr_columns_write(const struct csr_rows *csr, const struct section_writer *out,
                              enum section_encoding encoding, uint64_t *edges, struct error *e);

#endif
