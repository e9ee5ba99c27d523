/* csr_build.h: one subgraph of one shard from its buckets to the sections of a file.
 *
 * The columns section is written while ranges of rows are sorted (csr_columns.h); heads, the mask of
 * rows that are not empty and offsets follow.
 */
#ifndef DBFS_CSR_BUILD_H
#define DBFS_CSR_BUILD_H

#include "formats/shard.h"
#include "section_write.h"
#include "transpose.h"

#include <stdint.h>

enum { HEADS_AUTO = -1, HEADS_USUAL = 2, HEADS_MOST = 8 };

struct csr_counts {
    uint64_t edges;        /* kept */
    uint64_t source_rows;  /* not empty */
    uint32_t head_columns; /* k */
};

/* Where the edges of a subgraph come from (range_sort.h). */
struct csr_source {
    struct placement *placement;
    uint32_t shard;
    struct transpose *to, *from; /* NULL: none */
};

/* `heads` is k or HEADS_AUTO: HEADS_USUAL head columns for nd and dd, unless fewer than half of the
 * rows have anything to put there. Destinations of 8 bytes have no heads. */
enum status csr_build(const struct csr_source *source, enum subgraph g, int heads,
                      const struct section_writer *out, struct csr_counts *counts,
                      struct error *e);

#endif
