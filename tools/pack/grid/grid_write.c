/* grid_write.c: see grid_write.h */
#include "grid_write.h"

#include "formats/base/cli.h"
#include "formats/base/outfile.h"
#include "formats/base/progress.h"
#include "formats/graph/grid_part.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 /* columns that are written at once */ };

/* One grid part under way. */
struct writing {
    const struct grid_job *job;
    const uint32_t *locals; /* [p] local vertices of every shard */
    uint32_t local_bits;
    uint32_t index;
    struct container_writer *writer;
    uint64_t *starts;  /* [R + 1] */
    uint32_t *rows;    /* [row_count], in the budget */
    uint64_t *offsets; /* [row_count + 1] */
    uint64_t row_count, edges;
    uint32_t column_width; /* 0: no column was written yet */
    uint32_t piece_count;
    union {
        uint32_t narrow[PIECE];
        uint64_t wide[PIECE];
    } piece;
};

/* Parses "2d=RxC"; nonzero if the text is none. */
int grid_layout_parse(const char *text, struct grid_layout *layout)
{
    int used = 0;
    unsigned r, c;
    if (sscanf(text, "2d=%ux%u%n", &r, &c, &used) != 2 || text[used] != '\0' || r == 0 || c == 0 || r > 4096 || c > 4096)
        return -1;
    *layout = (struct grid_layout){r, c};
    return 0;
}

/* ---- columns ---- */

/* Writes the columns that wait. */
static enum status flush(struct writing *w, struct error *e)
{
    uint64_t count = w->piece_count;
    w->piece_count = 0;
    return count == 0 ? ST_OK : container_append(w->writer, count, &w->piece, e);
}

/* Adds an edge of this part. */
static enum status put_column(struct writing *w, uint64_t column, struct error *e)
{
    if (w->column_width == 4)
        w->piece.narrow[w->piece_count++] = (uint32_t)column;
    else
        w->piece.wide[w->piece_count++] = column;
    w->edges++;
    return w->piece_count == PIECE ? flush(w, e) : ST_OK;
}

/* Adds the edges of one row that lead to the grid row of this part, and the row, if there are any. */
static enum status put_row(struct writing *w, const struct shard *shard, uint64_t row, struct error *e)
{
    const struct csr *nn = &shard->csr[NN];
    const uint32_t grid_row = w->index % w->job->layout.r;
    const uint64_t before = w->edges, length = csr_row_length(nn, row);
    for (uint64_t k = 0; k < length; k++) {
        uint64_t column = csr_destination(nn, row, k);
        if ((column >> shard->local_bits) % w->job->layout.r == grid_row && put_column(w, column, e) != ST_OK)
            return e->status;
    }
    if (w->edges > before) {
        w->offsets[w->row_count] = before;
        w->rows[w->row_count++] = (uint32_t)row;
    }
    return ST_OK;
}

/* Adds the edges of a shard in the grid column of this part. */
static enum status put_shard(struct writing *w, uint32_t source, struct error *e)
{
    struct shard shard = {0};
    if (manifest_open_shard(w->job->manifest, w->job->folder, source, &shard, e) == ST_OK &&
        shard_load(&shard, 1 << NN, w->job->threads, w->job->budget, e) == ST_OK) {
        for (uint64_t row = 0; row < shard.csr[NN].rows && e->status == ST_OK; row++)
            put_row(w, &shard, row, e);
    }
    shard_close(&shard);
    return e->status;
}

/* ---- a part ---- */

/* Allocates the rows of all shards in the part's grid column, and finds the width of columns, which is the same in all of them. */
static enum status take_rows(struct writing *w, struct error *e)
{
    uint64_t rows = 0;
    for (uint32_t i = 0; i < w->job->layout.r && e->status == ST_OK; i++) {
        struct shard shard = {0};
        uint32_t source = i + w->job->layout.r * (w->index / w->job->layout.r);
        if (manifest_open_shard(w->job->manifest, w->job->folder, source, &shard, e) == ST_OK) {
            rows += shard.locals;
            w->column_width = shard.csr[NN].column_width;
        }
        shard_close(&shard);
    }
    if (e->status == ST_OK &&
        memory_take(w->job->budget, (void **)&w->starts, w->job->layout.r + 1, 8, "starts of a grid part", e) == ST_OK &&
        memory_take(w->job->budget, (void **)&w->rows, rows, 4, "rows of a grid part", e) == ST_OK)
        memory_take(w->job->budget, (void **)&w->offsets, rows + 1, 8, "offsets of a grid part", e);
    return e->status;
}

/* Writes all sections: the columns shard by shard, and then the rows and offsets that these have left. */
static enum status write_sections(struct writing *w, struct error *e)
{
    const uint64_t attributes[GRID_ATTRIBUTE_COUNT] = {[GRID_AT_INDEX] = w->index,
                                                       [GRID_AT_R] = w->job->layout.r,
                                                       [GRID_AT_C] = w->job->layout.c,
                                                       [GRID_AT_PACK_ID] = w->job->manifest->pack_id};
    const uint32_t first = w->job->layout.r * (w->index / w->job->layout.r);
    if (container_add(w->writer, GRID_ATTRIBUTES, 8, GRID_ATTRIBUTE_COUNT, attributes, e) != ST_OK ||
        container_begin(w->writer, GRID_COLUMNS, ENCODING_RAW, w->column_width, e) != ST_OK)
        return e->status;
    for (uint32_t i = 0; i < w->job->layout.r; i++) {
        w->starts[i] = w->row_count;
        if (put_shard(w, first + i, e) != ST_OK)
            return e->status;
    }
    w->starts[w->job->layout.r] = w->row_count;
    w->offsets[w->row_count] = w->edges;
    if (flush(w, e) == ST_OK &&
        container_add(w->writer, GRID_STARTS, 8, w->job->layout.r + 1, w->starts, e) == ST_OK &&
        container_add(w->writer, GRID_ROWS, 4, w->row_count, w->rows, e) == ST_OK)
        container_add(w->writer, GRID_OFFSETS, 8, w->row_count + 1, w->offsets, e);
    return e->status;
}

/* Writes the part to the file `path`, and adds its size to *bytes. */
static enum status write_part(struct writing *w, const char *path, uint64_t *bytes, struct error *e)
{
    struct outfile *out = NULL;
    if (take_rows(w, e) == ST_OK && outfile_open(&out, path, e) == ST_OK) {
        if (container_writer_open(&w->writer, &grid_part_kind, out, e) == ST_OK && write_sections(w, e) == ST_OK)
            container_writer_finish(w->writer, NULL, e);
        *bytes += outfile_tell(out);
        container_writer_free(w->writer);
        outfile_commit(out, NULL, e);
    }
    memory_release(w->job->budget, w->starts);
    memory_release(w->job->budget, w->rows);
    memory_release(w->job->budget, w->offsets);
    return e->status;
}

/* Nonzero if a whole part of this packing and this layout exists. A packing that starts anew has removed all grid parts. */
static int is_there(const struct writing *w)
{
    struct grid_part part;
    struct error why = {0};
    if (grid_part_open(&part, w->job->folder, w->job->manifest, w->locals, w->local_bits, w->index, &why) != ST_OK)
        return 0;
    int same = part.r == w->job->layout.r && part.c == w->job->layout.c;
    grid_part_close(&part);
    return same;
}

/* The same unless the part is there. */
static enum status write_missing(struct writing *w, uint64_t *bytes, struct error *e)
{
    char name[64];
    char *path = manifest_path(w->job->folder, grid_part_name(name, sizeof name, w->index, w->job->manifest->p));
    if (path == NULL)
        return fail_memory(e, "a path", sizeof name);
    if (!is_there(w))
        write_part(w, path, bytes, e);
    free(path);
    return e->status;
}

/* Finds the local vertices of every shard, and the local bits. */
static enum status look_at_shards(const struct manifest *manifest, const char *folder, uint32_t *locals,
                                  uint32_t *local_bits, struct error *e)
{
    for (uint32_t s = 0; s < manifest->p && e->status == ST_OK; s++) {
        struct shard shard = {0};
        if (manifest_open_shard(manifest, folder, s, &shard, e) == ST_OK) {
            locals[s] = (uint32_t)shard.locals;
            *local_bits = shard.local_bits;
        }
        shard_close(&shard);
    }
    return e->status;
}

/* Writes the grid parts that are missing, each rank its share. Collective. */
enum status grid_write(const struct grid_job *job, struct grid_report *report, struct error *e)
{
    const struct manifest *manifest = job->manifest;
    struct writing *w = calloc(1, sizeof *w);
    uint32_t *locals = calloc(manifest->p, sizeof *locals), local_bits = 0;
    const double start = cli_seconds();
    *report = (struct grid_report){0};
    if (w == NULL || locals == NULL)
        fail_memory(e, "a grid part", sizeof *w);
    else if (look_at_shards(manifest, job->folder, locals, &local_bits, e) == ST_OK) {
        for (uint32_t s = job->comm->rank; s < manifest->p && e->status == ST_OK; s += job->comm->ranks) {
            memset(w, 0, offsetof(struct writing, piece));
            w->job = job;
            w->locals = locals;
            w->local_bits = local_bits;
            w->index = s;
            write_missing(w, &report->bytes, e);
        }
    }
    free(locals);
    free(w);
    comm_agree(job->comm, e);
    comm_sum_u64(job->comm, &report->bytes, 1);
    report->seconds = cli_seconds() - start;
    return e->status;
}
