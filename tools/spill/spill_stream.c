/* spill_stream.c: see spill_stream.h */
#include "spill_stream.h"

#include "formats/base/bytes.h"
#include "formats/base/crc.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* a chunk begins with the number of the stream's next chunk (u64), its bytes in use (u32) and their CRC (u32) */
    HEADER_BYTES = 16
};

#define NO_CHUNK UINT64_MAX

struct spill_chunks {
    struct workspace *space;
    struct spill spill;
    uint64_t count; /* chunks in all folders */
    uint64_t free;  /* the first of a chain, or NO_CHUNK */
};

/* ---- chunks ---- */

enum status spill_chunks_open(struct spill_chunks **result, struct workspace *space, struct error *e)
{
    *result = NULL;
    struct spill_chunks *chunks = calloc(1, sizeof *chunks);
    if (chunks == NULL)
        return fail_memory(e, "temporary files", sizeof *chunks);
    chunks->space = space;
    chunks->free = NO_CHUNK;
    spill_open(&chunks->spill, space->folder, space->folders);
    *result = chunks;
    return ST_OK;
}

void spill_chunks_close(struct spill_chunks *chunks)
{
    if (chunks == NULL)
        return;
    spill_close(&chunks->spill);
    free(chunks);
}

uint64_t spill_chunks_bytes(const struct spill_chunks *chunks)
{
    return spill_bytes(&chunks->spill);
}

/* Where a chunk is: all extents of the spill are chunks, which go to its folders in turn. */
static struct spill_extent place_of(const struct spill_chunks *chunks, uint64_t chunk)
{
    uint64_t folders = (uint64_t)chunks->spill.count, bytes = chunks->space->chunk_bytes;
    return (struct spill_extent){
        .file = (int)(chunk % folders), .offset = chunk / folders * bytes, .bytes = bytes};
}

/* Writes the first `count` bytes of a chunk. */
static enum status write_chunk_bytes(const struct spill_chunks *chunks, uint64_t chunk,
                                     const void *bytes, size_t count, struct error *e)
{
    const struct spill_extent place = place_of(chunks, chunk);
    return spill_write(&chunks->spill, &place, /* at */ 0, bytes, count, e);
}

/* Reads the first `count` bytes of a chunk. */
static enum status read_chunk_bytes(const struct spill_chunks *chunks, uint64_t chunk, void *bytes,
                                    size_t count, struct error *e)
{
    const struct spill_extent place = place_of(chunks, chunk);
    return spill_read(&chunks->spill, &place, /* at */ 0, bytes, count, e);
}

/* Sets *chunk to one that was freed, or to a new one. */
static enum status new_chunk(struct spill_chunks *chunks, uint64_t *chunk, struct error *e)
{
    unsigned char next[8];
    if (chunks->free == NO_CHUNK) {
        struct spill_extent place;
        *chunk = chunks->count++;
        return spill_reserve(&chunks->spill, chunks->space->chunk_bytes, &place, e);
    }
    *chunk = chunks->free;
    if (read_chunk_bytes(chunks, *chunk, next, sizeof next, e) == ST_OK)
        chunks->free = get_u64(next);
    return e->status;
}

/* Puts a chunk at the head of the chain of free ones, which is kept on disk. */
static enum status free_chunk(struct spill_chunks *chunks, uint64_t chunk, struct error *e)
{
    unsigned char next[8];
    put_u64(next, chunks->free);
    if (write_chunk_bytes(chunks, chunk, next, sizeof next, e) == ST_OK)
        chunks->free = chunk;
    return e->status;
}

static enum status open_buffer(struct spill_chunks *chunks, unsigned char **buffer, struct error *e)
{
    return memory_take(&chunks->space->budget, (void **)buffer, chunks->space->chunk_bytes, 1,
                       "buffer of a temporary file", e);
}

static void release_buffer(struct spill_chunks *chunks, unsigned char **buffer)
{
    if (*buffer != NULL)
        memory_release(&chunks->space->budget, *buffer);
    *buffer = NULL;
}

/* ---- appending ---- */

void spill_stream_init(struct spill_stream *stream, struct spill_chunks *chunks)
{
    *stream = (struct spill_stream){.chunks = chunks, .first = NO_CHUNK, .current = NO_CHUNK};
}

/* Writes the buffer as the stream's current chunk, which names `next`, or NO_CHUNK, as the one behind it. */
static enum status write_chunk(struct spill_stream *stream, uint64_t next, struct error *e)
{
    unsigned char *chunk = stream->buffer;
    size_t bytes = stream->used - HEADER_BYTES;
    put_u64(chunk, next);
    put_u32(chunk + 8, (uint32_t)bytes);
    put_u32(chunk + 12, crc32_parallel(chunk + HEADER_BYTES, bytes, 1));
    return write_chunk_bytes(stream->chunks, stream->current, chunk, stream->used, e);
}

/* Writes the current chunk, if there is one, and begins the next one in the buffer. */
static enum status start_chunk(struct spill_stream *stream, struct error *e)
{
    uint64_t chunk;
    if (stream->buffer == NULL && open_buffer(stream->chunks, &stream->buffer, e) != ST_OK)
        return e->status;
    if (new_chunk(stream->chunks, &chunk, e) != ST_OK)
        return e->status;
    if (stream->current == NO_CHUNK)
        stream->first = chunk;
    else if (write_chunk(stream, chunk, e) != ST_OK)
        return e->status;
    stream->current = chunk;
    stream->used = HEADER_BYTES;
    return ST_OK;
}

/* Appends bytes, through the buffer of a chunk. */
enum status spill_stream_append(struct spill_stream *stream, const void *bytes, size_t count, struct error *e)
{
    const unsigned char *from = bytes;
    const size_t chunk_bytes = stream->chunks->space->chunk_bytes;
    while (count > 0) {
        if ((stream->current == NO_CHUNK || stream->used == chunk_bytes) &&
            start_chunk(stream, e) != ST_OK)
            return e->status;
        size_t room = chunk_bytes - stream->used, part = count < room ? count : room;
        memcpy(stream->buffer + stream->used, from, part);
        stream->used += part;
        from += part;
        count -= part;
    }
    return ST_OK;
}

/* Writes the last chunk and frees the buffer. */
enum status spill_stream_seal(struct spill_stream *stream, struct error *e)
{
    if (stream->buffer != NULL)
        write_chunk(stream, NO_CHUNK, e);
    spill_stream_release(stream);
    return e->status;
}

/* Frees the buffer; what it holds is lost. */
void spill_stream_release(struct spill_stream *stream)
{
    if (stream->chunks != NULL)
        release_buffer(stream->chunks, &stream->buffer);
}

/* ---- reading ---- */

/* Begins at the start of a sealed stream. With `drop`, each chunk is freed once it is read. */
void spill_cursor_init(struct spill_cursor *cursor, const struct spill_stream *stream, int drop)
{
    *cursor = (struct spill_cursor){.chunks = stream->chunks, .next = stream->first, .drop = drop};
}

/* Reads and checks the next chunk of the stream into the buffer. */
static enum status read_chunk(struct spill_cursor *cursor, struct error *e)
{
    struct spill_chunks *chunks = cursor->chunks;
    uint64_t chunk = cursor->next;
    unsigned char header[HEADER_BYTES];
    if (chunk == NO_CHUNK)
        return fail(e, ST_RUNTIME, "%s: a temporary file in it ended early",
                    chunks->space->folder[0]);
    if (cursor->buffer == NULL && open_buffer(chunks, &cursor->buffer, e) != ST_OK)
        return e->status;
    if (read_chunk_bytes(chunks, chunk, header, sizeof header, e) != ST_OK)
        return e->status;
    size_t bytes = get_u32(header + 8);
    int sound = bytes > 0 && bytes <= chunks->space->chunk_bytes - HEADER_BYTES;
    if (sound && read_chunk_bytes(chunks, chunk, cursor->buffer, HEADER_BYTES + bytes, e) != ST_OK)
        return e->status;
    if (!sound ||
        crc32_parallel(cursor->buffer + HEADER_BYTES, bytes, 1) != get_u32(header + 12)) {
        const struct spill_extent place = place_of(chunks, chunk);
        return spill_corrupt(&chunks->spill, &place, /* at */ 0, e);
    }
    cursor->next = get_u64(header);
    cursor->at = HEADER_BYTES;
    cursor->end = HEADER_BYTES + bytes;
    return cursor->drop ? free_chunk(chunks, chunk, e) : ST_OK;
}

/* Reads exactly `count` bytes; fails if the stream ends before. */
enum status spill_cursor_read(struct spill_cursor *cursor, void *bytes, size_t count, struct error *e)
{
    unsigned char *to = bytes;
    while (count > 0) {
        if (cursor->at == cursor->end && read_chunk(cursor, e) != ST_OK)
            return e->status;
        size_t have = cursor->end - cursor->at, part = count < have ? count : have;
        memcpy(to, cursor->buffer + cursor->at, part);
        cursor->at += part;
        to += part;
        count -= part;
    }
    return ST_OK;
}

void spill_cursor_close(struct spill_cursor *cursor)
{
    if (cursor->chunks != NULL)
        release_buffer(cursor->chunks, &cursor->buffer);
}
