/* grid_part.h: the edges that one processor of a 2D partition holds (SPEC-shard.md, "2D layout").
 *
 * The p = R * C shards of a graph without delegates form a grid: shard s is in row s mod R and column s / R. Processor (i, j)
 * holds each edge whose source is in grid column j and whose destination is in grid row i (Yoo et al., section 2.2). So a
 * frontier goes to the R processors of its column, and the vertices found there go to the C processors of a row.
 */
#ifndef DBFS_GRID_PART_H
#define DBFS_GRID_PART_H

#include "formats/container/container.h"
#include "manifest.h"
#include "shard.h"

#include <stdint.h>

enum grid_section {
    GRID_ATTRIBUTES = 1, /* u64, enum grid_attribute */
    GRID_STARTS = 2,     /* u64[R + 1]: where the rows of each shard of the column begin */
    GRID_ROWS = 3,       /* u32: local ids of the rows in their shard, ascending in each shard */
    GRID_OFFSETS = 4,    /* u64[rows + 1], into columns */
    GRID_COLUMNS = 5     /* as columns of nn: shard << local bits | local id; of 4 or 8 bytes */
};

enum grid_attribute {
    GRID_AT_INDEX, /* of the processor: i + R * j */
    GRID_AT_R,
    GRID_AT_C,
    GRID_AT_PACK_ID,
    GRID_ATTRIBUTE_COUNT
};

/* Pointers point into the mapped file. */
struct grid_part {
    struct container *file;
    uint32_t index, r, c;
    const uint64_t *starts;
    const uint32_t *rows;
    const uint64_t *offsets;
    const void *columns;
    uint32_t column_width;
    uint64_t row_count, edges;
};

extern const struct container_kind grid_part_kind;

/* Writes "grid-SSSS-of-PPPP.dbfs" into `name`, which has at least 40 bytes. */
char *grid_part_name(char *name, size_t name_bytes, uint32_t index, uint32_t p);

/* Opens the part of processor `index`, compares its CRCs, and checks that it belongs to the manifest and that every
 * number which a search uses as an index is in range. `locals` has the number of local vertices of each shard.
 * ST_RUNTIME if there is no such part; ST_BAD_DATA names the file and the fault. */
enum status grid_part_open(struct grid_part *part, const char *folder, const struct manifest *manifest,
                           const uint32_t *locals, uint32_t local_bits, uint32_t index, struct error *e);
void grid_part_close(struct grid_part *part); /* a zeroed part is allowed */

static inline uint64_t grid_column(const struct grid_part *part, uint64_t i)
{
    return part->column_width == 4 ? ((const uint32_t *)part->columns)[i] : ((const uint64_t *)part->columns)[i];
}

#endif
