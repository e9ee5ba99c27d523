/* shard_ranges.h: checks the numbers of a loaded shard that a search uses as indices.
 *
 * A search does not check the numbers that it reads: a column, an offset or a slot out of range
 * would be an access outside its arrays. CRCs show damage, but say nothing of who wrote a file. So
 * the ranges are checked when a shard is loaded, in one pass at the speed of memory. After it no
 * content of a part can make a search access memory that is not its own. `dbfs-pack --verify` tells
 * whether the content is the graph that the manifest names (shard_check.c, pack_verify.h).
 *
 * The four subgraphs are looked at where they lie: here by the cores of the host, on a GPU by
 * cuda_ranges.cu. Both fill a struct csr_ranges, which csr_ranges_judge turns into a message.
 */
#ifndef DBFS_SHARD_RANGES_H
#define DBFS_SHARD_RANGES_H

#include "shard.h"

enum range_fault {
    FAULT_OFFSETS, /* a row ends before it begins */
    FAULT_HEADS,   /* a head is out of range, or is missing where the row has columns or later heads */
    FAULT_SOURCES, /* the source mask does not say whether the row is empty */
    FAULT_COLUMNS, /* a column is out of range */
    RANGE_FAULTS
};

#define NO_FAULT UINT64_MAX

/* The result of a pass over one subgraph. */
struct csr_ranges {
    uint64_t first[RANGE_FAULTS]; /* the first row (of columns: the first element) with it, or NO_FAULT */
    uint64_t edges, source_rows;
    uint64_t corrupt; /* nonzero: a block of packed columns cannot be decoded */
};

/* Bounds of columns. They are below `bound`. With locals != NULL a column is shard << local_bits | local id, the
 * shard is below p, and the local id is below locals[shard]. */
struct column_bounds {
    uint64_t bound;
    uint32_t local_bits, p;
    const uint32_t *locals;
};

/* `locals` is the number of local vertices of each of the shard's p shards. */
struct column_bounds csr_column_bounds(const struct shard *shard, enum subgraph g,
                                       const uint32_t *locals);

static inline int column_in_bounds(const struct column_bounds *b, uint64_t column)
{
    uint64_t owner = column >> b->local_bits;
    if (b->locals == NULL)
        return column < b->bound;
    return owner < b->p && (column & ((UINT64_C(1) << b->local_bits) - 1)) < b->locals[owner];
}

/* Looks at all of a subgraph, whose columns are in host memory, with `threads` threads. Its offsets end with
 * its columns (shard_load). Columns that stay packed are those of the section `packed`, and are decoded piece
 * by piece; otherwise `packed` is NULL. */
void csr_ranges_find(const struct csr *csr, const struct packed *packed,
                     const struct column_bounds *bounds, int threads, struct csr_ranges *found);

/* ST_BAD_DATA names the file, the subgraph, and the first place that is wrong. */
enum status csr_ranges_judge(const struct shard *shard, enum subgraph g,
                             const struct csr_ranges *found, struct error *e);

/* The same for the rest of a shard: slots, delegate ids, runs of degrees, self-loops. */
enum status shard_check_ids(const struct shard *shard, int threads, struct error *e);

/* Checks that nn names a vertex as it must where the largest of all shards has so many local vertices: the local bits
 * and the width of a column follow from them. Else columns of one shard would be other vertices to the next one. */
enum status shard_check_widths(const struct shard *shard, uint64_t most_locals, struct error *e);

/* All of a shard that is loaded with SHARD_ALL_COLUMNS. */
enum status shard_check_ranges(const struct shard *shard, const uint32_t *locals, int threads,
                               struct error *e);

#endif
