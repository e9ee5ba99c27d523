/* label_file.c: see label_file.h */
#include "label_file.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BUFFER_LABELS = 1 << 16 };

/* The number of labels in window w of the file before those of a shard. */
static uint64_t shard_start(const struct label_file *f, uint32_t w, uint32_t shard)
{
    uint64_t vertices = f->extent[w].bytes / sizeof(uint32_t), more = vertices % f->p;
    return vertices / f->p * shard + (shard < more ? shard : more);
}

/* ---- writing ---- */

/* Labels on their way to the disk, in large pieces. */
struct label_output {
    const struct label_file *file;
    uint32_t window;
    uint64_t written; /* labels */
    size_t count;
    uint32_t buffer[BUFFER_LABELS];
};

/* Writes the labels of the buffer. */
static enum status flush(struct label_output *g, struct error *e)
{
    uint64_t at = g->written * sizeof *g->buffer, bytes = g->count * sizeof *g->buffer;
    g->written += g->count;
    g->count = 0;
    return spill_write(g->file->spill, &g->file->extent[g->window], at, g->buffer, bytes, e);
}

/* Appends the labels of one shard in a window, and sets their CRC. */
static enum status append_shard(struct label_output *g, const uint32_t *labels, uint64_t count,
                                uint32_t shard, struct error *e)
{
    uint32_t *crc = &g->file->crc[(uint64_t)g->window * g->file->p + shard];
    size_t start = g->count;
    for (uint64_t i = shard; i < count && e->status == ST_OK; i += g->file->p) {
        g->buffer[g->count++] = labels[i];
        if (g->count == BUFFER_LABELS) {
            *crc = (uint32_t)crc32_z(*crc, (const void *)(g->buffer + start),
                                     (g->count - start) * sizeof *labels);
            start = 0;
            flush(g, e);
        }
    }
    *crc = (uint32_t)crc32_z(*crc, (const void *)(g->buffer + start),
                             (g->count - start) * sizeof *labels);
    return e->status;
}

/* Writes window w, shard after shard. */
static enum status write_window(struct label_file *f, struct label_output *g, uint32_t w,
                                struct vertex_values *labels, struct error *e)
{
    const uint32_t *of = values_load(labels, w, /* half */ 0, e);
    uint64_t count = window_end(labels, w) - window_begin(labels, w);
    if (of == NULL ||
        spill_reserve(f->spill, count * sizeof *of, &f->extent[w], e) != ST_OK)
        return e->status;
    *g = (struct label_output){.file = f, .window = w};
    for (uint32_t s = 0; s < f->p && e->status == ST_OK; s++)
        append_shard(g, of, count, s, e);
    return e->status == ST_OK ? flush(g, e) : e->status;
}

/* Writes the labels of all windows to the spill. On failure free the file all the same. */
enum status label_file_write(struct label_file *f, struct vertex_values *labels, uint32_t p,
                             struct spill *spill, struct error *e)
{
    uint32_t windows = labels->windows;
    struct label_output *g = malloc(sizeof *g);
    *f = (struct label_file){.p = p, .windows = windows, .spill = spill};
    f->extent = calloc(windows, sizeof *f->extent);
    f->first_slot = calloc(windows, sizeof *f->first_slot);
    f->crc = calloc((size_t)windows * p, sizeof *f->crc);
    if (g == NULL || f->extent == NULL || f->first_slot == NULL || f->crc == NULL)
        fail_memory(e, "labels of vertices", sizeof *g + (uint64_t)windows * p * sizeof *f->crc);
    for (uint32_t w = 0; w < windows && e->status == ST_OK; w++) {
        f->first_slot[w] = window_begin(labels, w) / p;
        write_window(f, g, w, labels, e);
    }
    free(g);
    return e->status;
}

void label_file_free(struct label_file *f)
{
    free(f->extent);
    free(f->first_slot);
    free(f->crc);
    memset(f, 0, sizeof *f);
}

/* ---- reading ---- */

/* Gives the labels of a shard in window w to the visitor, and then compares their CRC. */
static enum status read_window(const struct label_file *f, uint32_t w, uint32_t shard,
                               uint32_t *buffer, label_visitor visit, void *context,
                               struct error *e)
{
    uint64_t start = shard_start(f, w, shard), end = shard_start(f, w, shard + 1);
    uint64_t slot = f->first_slot[w];
    uint32_t crc = 0;
    for (uint64_t at = start; at < end;) {
        uint64_t count = end - at < BUFFER_LABELS ? end - at : BUFFER_LABELS;
        if (spill_read(f->spill, &f->extent[w], at * sizeof *buffer, buffer,
                       count * sizeof *buffer, e) != ST_OK)
            return e->status;
        crc = (uint32_t)crc32_z(crc, (const void *)buffer, count * sizeof *buffer);
        visit(context, slot, buffer, count);
        at += count;
        slot += count;
    }
    if (crc != f->crc[(uint64_t)w * f->p + shard])
        return spill_corrupt(f->spill, &f->extent[w], start * sizeof *buffer, e);
    return ST_OK;
}

/* Gives all labels of a shard to the visitor. After a failure those given may be wrong. */
enum status label_file_read(const struct label_file *f, uint32_t shard, label_visitor visit,
                            void *context, struct error *e)
{
    uint32_t *buffer = malloc(BUFFER_LABELS * sizeof *buffer);
    if (buffer == NULL)
        return fail_memory(e, "labels of vertices", BUFFER_LABELS * sizeof *buffer);
    for (uint32_t w = 0; w < f->windows && e->status == ST_OK; w++)
        read_window(f, w, shard, buffer, visit, context, e);
    free(buffer);
    return e->status;
}
