/* shard_ranges.h: checks that the numbers of a loaded shard which a search uses as indices are in range.
 *
 * A search does not check columns, offsets or slots as it reads them. CRCs show damage, but not who wrote a file. So the ranges are
 * checked once when a shard is loaded, at the speed of memory, and then no content of a part can make a search access memory outside
 * its arrays. Whether the content is the graph that the manifest names, `dbfs-pack --verify` tells (shard_check.c, pack_verify.h).
 *
 * Subgraphs are checked where they lie: here by the cores of the host, on a GPU by cuda_ranges.cu. Both fill a struct
 * csr_faults, which csr_judge_faults turns into a message.
 */
#ifndef DBFS_SHARD_RANGES_H
#define DBFS_SHARD_RANGES_H

#include "shard.h"

enum range_fault {
    FAULT_OFFSETS, /* a row ends before it begins */
    FAULT_HEADS,   /* a head is out of range, or is missing although the row has later heads or columns */
    FAULT_SOURCES, /* the source mask does not say whether the row is empty */
    FAULT_COLUMNS, /* a column is out of range */
    RANGE_FAULTS
};

#define NO_FAULT UINT64_MAX

/* What a pass over one subgraph has found: the first fault of each kind, and counts to compare with the attributes. */
struct csr_faults {
    uint64_t first[RANGE_FAULTS]; /* the first row (of columns: the first element) with it, or NO_FAULT */
    uint64_t edges, source_rows;
    uint64_t corrupt; /* nonzero: a block of packed columns cannot be decoded */
};

/* The bounds of columns. If `locals` is NULL, a column is below `bound`. Otherwise it is shard << local_bits | local
 * id, with a shard below p and a local id below locals[shard]. */
struct column_bounds {
    uint64_t bound;
    uint32_t local_bits, p;
    const uint32_t *locals;
};

/* `locals` is the number of local vertices of each of the shard's p shards. */
struct column_bounds csr_column_bounds(const struct shard *shard, enum subgraph g, const uint32_t *locals);

static inline int column_in_bounds(const struct column_bounds *b, uint64_t column)
{
    uint64_t owner = column >> b->local_bits;
    if (b->locals == NULL)
        return column < b->bound;
    return owner < b->p && (column & ((UINT64_C(1) << b->local_bits) - 1)) < b->locals[owner];
}

/* Checks one subgraph, whose columns are in host memory, with `threads` threads. If the columns are packed, `packed` is their
 * section, and is decoded piece by piece; else NULL. The last offset must be the number of columns (shard_load checks it). */
void csr_find_faults(const struct csr *csr, const struct packed *packed,
                     const struct column_bounds *bounds, int threads, struct csr_faults *found);

/* Turns the result of a check into a status. ST_BAD_DATA names the file, the subgraph and the first wrong row or column. */
enum status csr_judge_faults(const struct shard *shard, enum subgraph g,
                             const struct csr_faults *found, struct error *e);

/* Checks the ranges of the rest of a shard: slots, delegate ids, runs of degrees, self-loops. */
enum status shard_check_ids(const struct shard *shard, int threads, struct error *e);

/* Checks that the shard has the local bits and the width of nn's columns that follow from `most_locals`, the number of local
 * vertices of the largest shard. If shards differed in these, they would read the same column as different vertices. */
enum status shard_check_widths(const struct shard *shard, uint64_t most_locals, struct error *e);

/* All of a shard that is loaded with SHARD_ALL_COLUMNS. */
enum status shard_check_ranges(const struct shard *shard, const uint32_t *locals, int threads, struct error *e);

#endif
