/* container_writer.c: writes a file of sections; see container.h */
#include "container.h"
#include "container_layout.h"

#include "formats/base/crc.h"
#include "formats/base/arith.h"
#include "formats/base/bytes.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { PIECE_ELEMENTS = 1 << 18 /* packed at a time; a multiple of PACKED_BLOCK */ };

struct container_writer {
    const struct container_kind *kind;
    struct outfile *out;
    uint64_t end; /* bytes of the file so far */
    uint32_t sections;
    struct section section[CONTAINER_MAX_SECTIONS];
    unsigned char *held; /* the file so far, where `out` cannot seek */
    uint64_t held_capacity;
};

/* Appends bytes to the copy in memory of an output that cannot seek. */
static enum status hold(struct container_writer *w, const void *bytes, uint64_t count, struct error *e)
{
    uint64_t need = w->end + count;
    if (need > w->held_capacity) {
        uint64_t capacity = 2 * need;
        unsigned char *grown = realloc(w->held, capacity);
        if (grown == NULL)
            return fail_memory(e, outfile_name(w->out), capacity);
        w->held = grown;
        w->held_capacity = capacity;
    }
    memcpy(w->held + w->end, bytes, count);
    w->end = need;
    return ST_OK;
}

/* Appends bytes to the output, or to the copy of it in memory. */
static enum status put(struct container_writer *w, const void *bytes, uint64_t count, struct error *e)
{
    if (!outfile_seekable(w->out))
        return hold(w, bytes, count, e);
    w->end += count;
    return outfile_write(w->out, bytes, count, e);
}

/* Writes zeros up to the next multiple of `align`. */
static enum status pad(struct container_writer *w, uint64_t align, struct error *e)
{
    static const unsigned char zeros[CONTAINER_ALIGN];
    uint64_t over = w->end % align;
    return over == 0 ? ST_OK : put(w, zeros, align - over, e);
}

/* Opens a writer and appends an empty first page, which container_writer_finish fills in. */
enum status container_writer_open(struct container_writer **result,
                                  const struct container_kind *kind, struct outfile *out,
                                  struct error *e)
{
    static const unsigned char first_page[CONTAINER_ALIGN];
    struct container_writer *w = *result = zeroed(1, sizeof *w, outfile_name(out), e);
    if (w == NULL)
        return e->status;
    w->kind = kind;
    w->out = out;
    if (put(w, first_page, sizeof first_page, e) != ST_OK) {
        container_writer_free(w);
        *result = NULL;
    }
    return e->status;
}

/* Begins a section at the next page; container_append and its like then fill it. */
enum status container_begin(struct container_writer *w, uint32_t type,
                            enum section_encoding encoding, uint32_t width, struct error *e)
{
    if (w->sections == CONTAINER_MAX_SECTIONS)
        return fail(e, ST_RUNTIME, "%s: too many sections", outfile_name(w->out));
    if (pad(w, CONTAINER_ALIGN, e) != ST_OK)
        return e->status;
    struct section *s = &w->section[w->sections++];
    *s = (struct section){.type = type, .width = width, .encoding = encoding, .offset = w->end};
    return ST_OK;
}

/* Appends bytes, which are `count` elements, to the last section, its CRC and its counts. */
static enum status append(struct container_writer *w, uint64_t count, const void *bytes, uint64_t size, struct error *e)
{
    struct section *s = &w->section[w->sections - 1];
    s->crc = crc32_bytes(s->crc, bytes, size);
    s->count += count;
    s->bytes += size;
    return put(w, bytes, size, e);
}

enum status container_append(struct container_writer *w, uint64_t count, const void *elements, struct error *e)
{
    return append(w, count, elements, count * w->section[w->sections - 1].width, e);
}

/* ---- by several threads ---- */

int container_seekable(const struct container_writer *w)
{
    return outfile_seekable(w->out);
}

/* Leaves room for a piece of the last section, with this CRC; container_fill then writes it at *at. */
enum status container_reserve(struct container_writer *w, uint64_t count, uint64_t bytes,
                              uint32_t crc, uint64_t *at, struct error *e)
{
    struct section *s = &w->section[w->sections - 1];
    s->crc = (uint32_t)crc32_combine(s->crc, crc, (z_off_t)bytes);
    s->count += count;
    s->bytes += bytes;
    w->end += bytes;
    return outfile_skip(w->out, bytes, at, e);
}

enum status container_fill(const struct container_writer *w, uint64_t at, const void *elements,
                           uint64_t bytes, struct error *e)
{
    return outfile_fill(w->out, at, elements, bytes, e);
}

/* ---- packed ---- */

/* Appends `count` elements of the last section as packed words. */
enum status container_append_words(struct container_writer *w, uint64_t count,
                                   const uint32_t *words, uint64_t word_count, struct error *e)
{
    return append(w, count, words, word_count * sizeof *words, e);
}

/* Ends a packed section by its directory, which the encoder has collected. */
enum status container_append_directory(struct container_writer *w,
                                       const struct packed_encoder *encoder, struct error *e)
{
    void *bytes;
    uint64_t size = packed_directory_bytes(encoder);
    if (memory_take(encoder->budget, &bytes, size, 1, "directory of a packed section", e) != ST_OK)
        return e->status;
    packed_directory(encoder, bytes);
    append(w, 0, bytes, size, e);
    memory_release(encoder->budget, bytes);
    return e->status;
}

enum status container_add(struct container_writer *w, uint32_t type, uint32_t width,
                          uint64_t count, const void *elements, struct error *e)
{
    if (container_begin(w, type, ENCODING_RAW, width, e) != ST_OK)
        return e->status;
    if (count > 0)
        container_append(w, count, elements, e);
    return e->status;
}

/* Memory for the encoding of one piece of a section. */
struct piece_memory {
    uint32_t *words;
    struct packed_block *block;
};

/* Packs the elements piece by piece, appends their words to the last section, and adds them to the encoder. */
static enum status append_packed(struct container_writer *w, struct packed_encoder *encoder,
                                 const struct section_content *content,
                                 const struct piece_memory *piece, int threads, struct error *e)
{
    const unsigned char *elements = content->elements;
    for (uint64_t at = 0; at < content->count && e->status == ST_OK; at += PIECE_ELEMENTS) {
        uint64_t own = smaller(content->count - at, PIECE_ELEMENTS);
        uint64_t made = packed_encode_blocks(encoder->width, NULL, elements + at * encoder->width,
                                             own, piece->words, piece->block, threads);
        if (packed_encoder_add(encoder, own, piece->block, made, e) == ST_OK)
            container_append_words(w, own, piece->words, made, e);
    }
    return e->status;
}

/* Packs the elements and writes them as a whole section. */
enum status container_add_packed(struct container_writer *w, const struct section_content *content,
                                 int threads, struct memory_budget *budget, struct error *e)
{
    struct packed_encoder encoder;
    struct piece_memory piece = {NULL, NULL};
    uint32_t width = content->width;
    uint64_t most = smaller(content->count, PIECE_ELEMENTS);
    packed_encoder_init(&encoder, width, budget);
    if (memory_take(budget, (void **)&piece.words, packed_most_words(width, most),
                    sizeof *piece.words, "encoding of a section", e) == ST_OK &&
        memory_take(budget, (void **)&piece.block, packed_blocks(most), sizeof *piece.block,
                    "encoding of a section", e) == ST_OK &&
        container_begin(w, content->type, ENCODING_PACKED, width, e) == ST_OK &&
        append_packed(w, &encoder, content, &piece, threads, e) == ST_OK)
        container_append_directory(w, &encoder, e);
    memory_release(budget, piece.block);
    memory_release(budget, piece.words);
    packed_encoder_free(&encoder);
    return e->status;
}

static void encode_entry(unsigned char *entry, const struct section *s)
{
    put_u32(entry + ENTRY_TYPE_AT, s->type);
    put_u32(entry + ENTRY_ENCODING_AT, s->encoding);
    put_u32(entry + ENTRY_WIDTH_AT, s->width);
    put_u32(entry + ENTRY_CRC_AT, s->crc);
    put_u64(entry + ENTRY_OFFSET_AT, s->offset);
    put_u64(entry + ENTRY_SIZE_AT, s->bytes);
    put_u64(entry + ENTRY_COUNT_AT, s->count);
}

/* Writes the first page, with header and table, and if the output cannot seek, the whole file behind it. */
enum status container_writer_finish(struct container_writer *w, uint32_t *table_crc, struct error *e)
{
    unsigned char page[CONTAINER_ALIGN] = {0};
    unsigned char *table = page + HEADER_BYTES;
    size_t table_bytes = (size_t)ENTRY_BYTES * w->sections;
    for (uint32_t i = 0; i < w->sections; i++)
        encode_entry(table + (size_t)ENTRY_BYTES * i, &w->section[i]);
    uint32_t crc = (uint32_t)crc32_z(0, table, table_bytes);
    memcpy(page, w->kind->magic, 8);
    put_u32(page + HEADER_VERSION_AT, w->kind->version);
    put_u32(page + HEADER_SECTIONS_AT, w->sections);
    put_u64(page + HEADER_FILE_BYTES_AT, w->end);
    put_u32(page + HEADER_TABLE_CRC_AT, crc);
    put_u32(page + HEADER_CRC_AT, (uint32_t)crc32_z(0, page, HEADER_CRC_AT));
    if (table_crc != NULL)
        *table_crc = crc;
    if (outfile_seekable(w->out))
        return outfile_rewrite(w->out, page, sizeof page, e);
    memcpy(w->held, page, sizeof page);
    return outfile_write(w->out, w->held, w->end, e);
}

void container_writer_free(struct container_writer *w)
{
    if (w == NULL)
        return;
    free(w->held);
    free(w);
}
