/* csr_columns.h: writes the columns section of one subgraph; it sorts, encodes and writes at the same time.
 *
 * Ranges of rows pass through the stages of a pipeline (formats/work/pipeline.h). Ranges are sorted, encoded
 * and written in any order, by any thread. Their places in the file are given out in the order of the ranges.
 *
 * Columns that are to be packed are cut into blocks of 128, and a block may begin in one range and end in the
 * next. When all ranges before a range are sorted, the place of its columns is known. The columns that those
 * ranges left over, fewer than 128, are put in front of its own. Its whole blocks are then encoded in place.
 * So the bytes do not depend on threads, and only the ranges under way are in memory.
 */
#ifndef DBFS_CSR_COLUMNS_H
#define DBFS_CSR_COLUMNS_H

#include "range_sort.h"
#include "section_write.h"

/* Call it when all ranges were counted (range_counted). *edges: the directed edges that were kept. */
enum status csr_columns_write(const struct csr_rows *csr, const struct section_writer *out,
                              enum section_encoding encoding, uint64_t *edges, struct error *e);

#endif
