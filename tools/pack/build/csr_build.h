/* csr_build.h: makes the sections of one subgraph of one shard from its buckets. The columns are written while ranges of rows
 * are still being sorted (csr_columns.h). The heads, the mask of rows that are not empty, and the offsets follow. */
#ifndef DBFS_CSR_BUILD_H
#define DBFS_CSR_BUILD_H

#include "formats/graph/shard.h"
#include "section_write.h"
#include "transpose.h"

#include <stdint.h>

enum { HEADS_AUTO = -1, HEADS_MOST = 8 };

struct csr_counts {
    uint64_t edges;        /* kept */
    uint64_t source_rows;  /* rows that are not empty */
    uint32_t head_columns; /* k */
};

/* The source of a subgraph's edges (range_sort.h). */
struct csr_source {
    struct placement *placement;
    uint32_t shard;
    struct transpose *to, *from; /* NULL: none */
};

/* Builds subgraph g with `heads` head columns. HEADS_AUTO means shard_usual_heads. Subgraphs with columns of 8 bytes never have heads. */
enum status csr_build(const struct csr_source *source, enum subgraph g, int heads,
                      const struct section_writer *out, struct csr_counts *counts,
                      struct error *e);

#endif
