/* grid_part.c: see grid_part.h */
#include "grid_part.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *section_name(uint32_t type)
{
    static const char *const name[] = {NULL, "attributes", "starts", "rows", "offsets", "columns"};
    return type < sizeof name / sizeof *name ? name[type] : NULL;
}

const struct container_kind grid_part_kind = {
    .magic = "DBFSGRID", .what = "grid part", .maker = "dbfs-pack", .version = 1, .section_name = section_name};

char *grid_part_name(char *name, size_t name_bytes, uint32_t index, uint32_t p)
{
    snprintf(name, name_bytes, "grid-%04" PRIu32 "-of-%04" PRIu32 ".dbfs", index, p);
    return name;
}

static enum status bad(const struct grid_part *part, const char *what, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: %s", container_path(part->file), what);
}

/* Reads the index and the size of the grid, and checks that the part belongs to the manifest. */
static enum status read_attributes(struct grid_part *part, const struct manifest *manifest, uint32_t index,
                                   struct error *e)
{
    const struct section *s;
    if (container_need(part->file, GRID_ATTRIBUTES, 8, GRID_ATTRIBUTE_COUNT, &s, e) != ST_OK)
        return e->status;
    const uint64_t *at = s->data;
    if (at[GRID_AT_R] == 0 || at[GRID_AT_C] == 0 || at[GRID_AT_R] > manifest->p ||
        at[GRID_AT_R] * at[GRID_AT_C] != manifest->p || at[GRID_AT_INDEX] != index)
        return bad(part, "attributes: it is no part of this grid", e);
    if (at[GRID_AT_PACK_ID] != manifest->pack_id)
        return bad(part, "attributes: it belongs to another packing (pack id): pack again with --layout", e);
    part->index = index;
    part->r = (uint32_t)at[GRID_AT_R];
    part->c = (uint32_t)at[GRID_AT_C];
    return ST_OK;
}

/* Points *part at its sections, whose sizes must fit each other. */
static enum status find_sections(struct grid_part *part, struct error *e)
{
    const struct section *starts, *rows, *offsets, *columns;
    if (container_need(part->file, GRID_STARTS, 8, part->r + 1, &starts, e) != ST_OK ||
        container_need(part->file, GRID_ROWS, 4, UINT64_MAX, &rows, e) != ST_OK ||
        container_need(part->file, GRID_OFFSETS, 8, rows->count + 1, &offsets, e) != ST_OK ||
        container_need(part->file, GRID_COLUMNS, 0, UINT64_MAX, &columns, e) != ST_OK)
        return e->status;
    if (columns->width != 4 && columns->width != 8)
        return bad(part, "columns: elements have neither 4 nor 8 bytes", e);
    part->starts = starts->data;
    part->rows = rows->data;
    part->offsets = offsets->data;
    part->columns = columns->data;
    part->column_width = columns->width;
    part->row_count = rows->count;
    part->edges = columns->count;
    return ST_OK;
}

/* Checks that starts, rows and offsets ascend and are in range. */
static enum status check_rows(const struct grid_part *part, const uint32_t *locals, struct error *e)
{
    uint32_t j = part->index / part->r;
    if (part->starts[0] != 0 || part->starts[part->r] != part->row_count || part->offsets[0] != 0 ||
        part->offsets[part->row_count] != part->edges)
        return bad(part, "starts and offsets do not span rows and columns", e);
    for (uint32_t i = 0; i < part->r; i++) {
        uint64_t begin = part->starts[i], end = part->starts[i + 1];
        if (begin > end || end > part->row_count)
            return bad(part, "starts: they do not ascend", e);
        for (uint64_t k = begin; k < end; k++) {
            if (part->rows[k] >= locals[i + part->r * j] || (k > begin && part->rows[k] <= part->rows[k - 1]))
                return bad(part, "rows: not ascending local ids of their shard", e);
            if (part->offsets[k] > part->offsets[k + 1])
                return bad(part, "offsets: they do not ascend", e);
        }
    }
    return ST_OK;
}

/* Checks that each column is a local vertex of a shard in the grid row of this part. */
static enum status check_columns(const struct grid_part *part, const uint32_t *locals, uint32_t local_bits,
                                 struct error *e)
{
    uint32_t row = part->index % part->r;
    uint64_t wrong = 0, below = (UINT64_C(1) << local_bits) - 1;
    for (uint64_t k = 0; k < part->edges; k++) {
        uint64_t column = grid_column(part, k), shard = column >> local_bits;
        wrong += shard >= (uint64_t)part->r * part->c || shard % part->r != row || (column & below) >= locals[shard];
        if (wrong > 0)
            return bad(part, "columns: not a local vertex of a shard of this grid row", e);
    }
    return ST_OK;
}

/* Opens and checks the part of processor `index`; `locals` has the number of local vertices of each shard. */
enum status grid_part_open(struct grid_part *part, const char *folder, const struct manifest *manifest,
                           const uint32_t *locals, uint32_t local_bits, uint32_t index, struct error *e)
{
    char name[64];
    memset(part, 0, sizeof *part);
    char *path = manifest_path(folder, grid_part_name(name, sizeof name, index, manifest->p));
    if (path == NULL)
        return fail_memory(e, "a path", strlen(folder) + sizeof name);
    if (access(path, F_OK) != 0)
        fail(e, ST_RUNTIME, "%s: there is no such file: `dbfs-pack --layout 2d=RxC` makes it", path);
    else if (container_open(&part->file, &grid_part_kind, path, e) == ST_OK &&
             read_attributes(part, manifest, index, e) == ST_OK && find_sections(part, e) == ST_OK &&
             container_check_all(part->file, 1, e) == ST_OK && check_rows(part, locals, e) == ST_OK)
        check_columns(part, locals, local_bits, e);
    free(path);
    if (e->status != ST_OK)
        grid_part_close(part);
    return e->status;
}

void grid_part_close(struct grid_part *part)
{
    container_close(part->file);
    memset(part, 0, sizeof *part);
}
