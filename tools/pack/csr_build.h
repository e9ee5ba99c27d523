/* csr_build.h: one subgraph of one shard from its buckets to the sections of a file.
 *
 * Each bucket is a range of rows. Threads sort buckets beside each other, drop duplicates and move
 * the first k columns of every row into the head columns; the rest is appended to the columns
 * section in the order of the rows. Offsets, heads and the mask of rows that are not empty follow.
 */
#ifndef DBFS_CSR_BUILD_H
#define DBFS_CSR_BUILD_H

#include "formats/container.h"
#include "formats/memory.h"
#include "formats/shard.h"
#include "place.h"

#include <stdint.h>

enum { HEADS_AUTO = -1, HEADS_USUAL = 2, HEADS_MOST = 8 };

struct csr_counts {
    uint64_t edges;        /* kept */
    uint64_t source_rows;  /* not empty */
    uint32_t head_columns; /* k */
};

/* `heads` is k or HEADS_AUTO: HEADS_USUAL head columns for nd and dd, unless fewer than half of the
 * rows have anything to put there. Destinations of 8 bytes have no heads. */
enum status csr_build(const struct placement *placement, uint32_t shard, enum subgraph g,
                      int heads, struct container_writer *writer, int threads,
                      struct memory_budget *budget, struct csr_counts *counts, struct error *e);

#endif
