/* edges_writer.c: writes an edge stream; see edges.h */
#include "edges.h"
#include "edges_layout.h"

#include "formats/base/memory.h"
#include "formats/base/bytes.h"

#include <stdlib.h>
#include <string.h>

struct edges_writer {
    struct outfile *out;
    enum edges_direction direction;
    struct edges_totals totals;
    struct edges_block block;
    struct edge *waiting; /* up to EDGES_BLOCK_EDGES edges not yet in a block */
    size_t waiting_count;
};

/* Writes the preamble and the provenance behind it. */
static enum status write_preamble(struct outfile *out, const struct edges_info *info, struct error *e)
{
    unsigned char header[EDGES_PREAMBLE_BYTES] = {0};
    unsigned char text[EDGES_MAX_PROVENANCE_BYTES] = {0};
    size_t length = strnlen(info->provenance, EDGES_MAX_PROVENANCE_BYTES - 1);
    size_t padded = (length + 8) / 8 * 8; /* at least one NUL */
    memcpy(text, info->provenance, length);
    memcpy(header, EDGES_MAGIC, 8);
    put_u32(header + PREAMBLE_VERSION_AT, info->base == 0 ? EDGES_VERSION_BASE_0 : EDGES_VERSION);
    put_u32(header + PREAMBLE_BASE_AT, info->base);
    put_u32(header + PREAMBLE_DIRECTION_AT, (uint32_t)info->direction);
    if (info->randomized) {
        put_u32(header + PREAMBLE_FLAGS_AT, PREAMBLE_FLAG_RANDOMIZED);
        put_u64(header + PREAMBLE_RANDOM_N_AT, info->random_n);
        put_u64(header + PREAMBLE_RANDOM_SEED_AT, info->random_seed);
    }
    put_u32(header + PREAMBLE_PROVENANCE_AT, (uint32_t)padded);
    put_u32(header + PREAMBLE_TEXT_CRC_AT, edges_crc(text, padded));
    put_u32(header + PREAMBLE_CRC_AT, edges_crc(header, PREAMBLE_CRC_AT));
    if (outfile_write(out, header, sizeof header, e) == ST_OK)
        outfile_write(out, text, padded, e);
    return e->status;
}

enum status edges_writer_open(struct edges_writer **result, struct outfile *out,
                              const struct edges_info *info, struct error *e)
{
    struct edges_writer *writer = *result = zeroed(1, sizeof *writer, "edge writer", e);
    if (writer == NULL)
        return e->status;
    writer->out = out;
    writer->direction = info->direction;
    writer->waiting = malloc(EDGES_BLOCK_EDGES * sizeof *writer->waiting);
    if (writer->waiting == NULL)
        fail_memory(e, "edge writer", EDGES_BLOCK_EDGES * sizeof *writer->waiting);
    else if (edges_block_init(&writer->block, e) == ST_OK)
        write_preamble(out, info, e);
    if (e->status != ST_OK) {
        edges_writer_free(writer);
        *result = NULL;
    }
    return e->status;
}

/* Appends a block that is encoded already. */
enum status edges_writer_put(struct edges_writer *writer, const struct edges_block *block, struct error *e)
{
    edges_tally_merge(&writer->totals, &block->tally);
    return outfile_write(writer->out, block->bytes, block->size, e);
}

/* Writes the edges that wait as a block. */
static enum status write_waiting(struct edges_writer *writer, struct error *e)
{
    edges_encode_block(&writer->block, writer->direction, writer->waiting, writer->waiting_count);
    writer->waiting_count = 0;
    return edges_writer_put(writer, &writer->block, e);
}

/* Appends edges; they wait until a block is full. */
enum status edges_writer_add(struct edges_writer *writer, const struct edge *edges, size_t count, struct error *e)
{
    while (count > 0) {
        size_t room = EDGES_BLOCK_EDGES - writer->waiting_count;
        size_t take = count < room ? count : room;
        memcpy(writer->waiting + writer->waiting_count, edges, take * sizeof *edges);
        writer->waiting_count += take;
        edges += take;
        count -= take;
        if (writer->waiting_count == EDGES_BLOCK_EDGES && write_waiting(writer, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

void edges_encode_trailer(const struct edges_totals *t, unsigned char trailer[EDGES_TRAILER_BYTES])
{
    memset(trailer, 0, EDGES_TRAILER_BYTES);
    put_u32(trailer + TRAILER_MAGIC_AT, EDGES_TRAILER_MAGIC);
    put_u64(trailer + TRAILER_EDGES_AT, t->edges);
    put_u64(trailer + TRAILER_LOOPS_AT, t->loops);
    put_u64(trailer + TRAILER_N_AT, t->n);
    put_u64(trailer + TRAILER_MAX_ID_AT, t->max_id);
    put_u64(trailer + TRAILER_CHECKSUM_AT, t->checksum);
    put_u32(trailer + TRAILER_CRC_AT, edges_crc(trailer, TRAILER_CRC_AT));
}

/* Writes the last block and the trailer, whose n is at least `n`. */
enum status edges_writer_finish(struct edges_writer *writer, uint64_t n, struct edges_totals *totals, struct error *e)
{
    unsigned char trailer[EDGES_TRAILER_BYTES];
    if (writer->waiting_count > 0 && write_waiting(writer, e) != ST_OK)
        return e->status;
    struct edges_totals *t = &writer->totals;
    t->n = t->edges > 0 && t->max_id >= n ? t->max_id + 1 : n;
    edges_encode_trailer(t, trailer);
    if (totals != NULL)
        *totals = *t;
    return outfile_write(writer->out, trailer, sizeof trailer, e);
}

void edges_writer_free(struct edges_writer *writer)
{
    if (writer == NULL)
        return;
    edges_block_free(&writer->block);
    free(writer->waiting);
    free(writer);
}
