/* shard_prove.c: see shard_prove.h */
#include "shard_prove.h"

#include "formats/container/container.h"
#include "formats/base/crc.h"

#include <string.h>
#include <sys/mman.h>
#include <zlib.h>

enum { PIECE_BYTES = 4 << 20 /* of the mapped file that are resident at a time */ };

/* Checks that the part is shard `shard` of this packing, and sets *attributes. */
static enum status check_identity(const struct container *file, uint32_t shard, uint32_t p,
                                  uint64_t pack_id, const uint64_t **attributes, struct error *e)
{
    const struct section *s;
    uint64_t count = shard_version_directed(container_version(file)) ? SHARD_DIRECTED_ATTRIBUTE_COUNT
                                                                   : SHARD_ATTRIBUTE_COUNT;
    if (container_need(file, SHARD_ATTRIBUTES, 8, count, &s, e) != ST_OK)
        return e->status;
    const uint64_t *at = *attributes = s->data;
    if (at[SHARD_AT_INDEX] != shard || at[SHARD_AT_P] != p || at[SHARD_AT_PACK_ID] != pack_id)
        return fail(e, ST_BAD_DATA, "%s: is a part of another packing", container_path(file));
    return ST_OK;
}

/* The CRC of a section, of which one piece at a time is in memory. Sections start at a page, and pieces are whole pages. */
static uint32_t crc_of(const struct section *s, int threads)
{
    const unsigned char *bytes = s->data;
    uLong crc = 0;
    for (uint64_t at = 0; at < s->bytes; at += PIECE_BYTES) {
        uint64_t count = s->bytes - at < PIECE_BYTES ? s->bytes - at : PIECE_BYTES;
        crc = crc32_combine(crc, crc32_parallel(bytes + at, count, threads), (z_off_t)count);
        madvise((void *)(uintptr_t)(bytes + at), count, MADV_DONTNEED);
    }
    return (uint32_t)crc;
}

/* Compares all sections with their CRCs. */
static enum status check_sections(const struct container *file, int threads, struct error *e)
{
    for (uint32_t i = 0; i < container_sections(file); i++) {
        const struct section *s = container_section(file, i);
        if (crc_of(s, threads) != s->crc)
            return fail(e, ST_BAD_DATA, "%s: section %s is corrupt (CRC differs)",
                        container_path(file), shard_kind.section_name(s->type));
    }
    return ST_OK;
}

/* Describes the part as shard_write does. */
static void fill_written(struct written_shard *written, const struct container *file, const uint64_t *attributes)
{
    written->part.bytes = container_bytes(file);
    written->part.table_crc = container_table_crc(file);
    for (int g = 0; g < SUBGRAPHS; g++) {
        written->counts[g].edges = attributes[SHARD_AT_EDGES + g];
        written->counts[g].source_rows = attributes[SHARD_AT_SOURCES + g];
        written->counts[g].head_columns = (uint32_t)attributes[SHARD_AT_HEADS + g];
    }
}

/* Nonzero if the file is this part of the packing and whole; *written is then as by shard_write. */
int shard_prove(const char *path, uint32_t shard, uint32_t p, uint64_t pack_id, int threads,
                struct written_shard *written, struct error *why)
{
    struct container *file = NULL;
    const uint64_t *attributes = NULL;
    memset(written, 0, sizeof *written);
    if (container_open(&file, &shard_kind, path, why) == ST_OK &&
        check_identity(file, shard, p, pack_id, &attributes, why) == ST_OK &&
        check_sections(file, threads, why) == ST_OK)
        fill_written(written, file, attributes);
    container_close(file);
    return why->status == ST_OK;
}
