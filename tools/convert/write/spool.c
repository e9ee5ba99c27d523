/* spool.c: see spool.h */
#include "spool.h"

#include "formats/base/bytes.h"
#include "formats/base/crc.h"
#include "tools/spill/unnamed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LEAST_CHUNK_BYTES = 4 << 10,
    MOST_CHUNK_BYTES = 1 << 20,
    CHUNKS_IN_BUDGET = 4096,
    /* a chunk: u64 the next one, u32 bytes used, u32 CRC of them, then the bytes */
    HEADER_BYTES = 16
};

#define NO_CHUNK UINT64_MAX

struct spool {
    struct workspace *space;
    int fd[CLI_MAX_TMPDIRS];
    uint64_t chunks; /* in all files */
    uint64_t free;   /* the first of a chain, or NO_CHUNK */
};

void workspace_init(struct workspace *space, const struct cli *cli, uint64_t limit_bytes,
                    int threads)
{
    uint64_t chunk = limit_bytes / CHUNKS_IN_BUDGET / LEAST_CHUNK_BYTES * LEAST_CHUNK_BYTES;
    memset(space, 0, sizeof *space);
    memory_budget_init(&space->budget, limit_bytes);
    space->threads = threads;
    space->chunk_bytes = chunk < LEAST_CHUNK_BYTES  ? LEAST_CHUNK_BYTES
                         : chunk > MOST_CHUNK_BYTES ? MOST_CHUNK_BYTES
                                                    : (size_t)chunk;
    space->folders = cli->tmpdirs > 0 ? cli->tmpdirs : 1;
    for (int i = 0; i < space->folders; i++)
        space->folder[i] = cli_tmpdir(cli, i);
}

/* ---- files ---- */

enum status spool_open(struct spool **result, struct workspace *space, struct error *e)
{
    *result = NULL;
    struct spool *spool = calloc(1, sizeof *spool);
    if (spool == NULL)
        return fail_memory(e, "temporary files", sizeof *spool);
    spool->space = space;
    spool->free = NO_CHUNK;
    for (int i = 0; i < CLI_MAX_TMPDIRS; i++)
        spool->fd[i] = -1;
    for (int i = 0; i < space->folders; i++) {
        spool->fd[i] = unnamed_file(space->folder[i]);
        if (spool->fd[i] < 0) {
            fail_errno(e, space->folder[i], "cannot create a temporary file in it");
            spool_close(spool);
            return e->status;
        }
    }
    *result = spool;
    return ST_OK;
}

void spool_close(struct spool *spool)
{
    if (spool == NULL)
        return;
    for (int i = 0; i < CLI_MAX_TMPDIRS; i++) {
        if (spool->fd[i] >= 0)
            close(spool->fd[i]);
    }
    free(spool);
}

uint64_t spool_peak_bytes(const struct spool *spool)
{
    return spool->chunks * spool->space->chunk_bytes;
}

/* ---- chunks ---- */

struct chunk_place {
    int fd;
    const char *folder;
    off_t offset;
};

static struct chunk_place place_of(const struct spool *spool, uint64_t chunk)
{
    uint64_t folders = (uint64_t)spool->space->folders, folder = chunk % folders;
    return (struct chunk_place){spool->fd[folder], spool->space->folder[folder],
                                (off_t)(chunk / folders * spool->space->chunk_bytes)};
}

static enum status write_at(const struct spool *spool, uint64_t chunk, const unsigned char *bytes,
                            size_t count, struct error *e)
{
    struct chunk_place place = place_of(spool, chunk);
    while (count > 0) {
        ssize_t done = pwrite(place.fd, bytes, count, place.offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fail_errno(e, place.folder, "cannot write a temporary file in it");
        bytes += done;
        place.offset += done;
        count -= (size_t)done;
    }
    return ST_OK;
}

static enum status read_at(const struct spool *spool, uint64_t chunk, unsigned char *bytes,
                           size_t count, struct error *e)
{
    struct chunk_place place = place_of(spool, chunk);
    while (count > 0) {
        ssize_t done = pread(place.fd, bytes, count, place.offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fail_errno(e, place.folder, "cannot read the temporary file in it");
        if (done == 0)
            return fail(e, ST_RUNTIME, "%s: the temporary file in it became shorter", place.folder);
        bytes += done;
        place.offset += done;
        count -= (size_t)done;
    }
    return ST_OK;
}

static enum status take_chunk(struct spool *spool, uint64_t *chunk, struct error *e)
{
    unsigned char next[8];
    if (spool->free == NO_CHUNK) {
        *chunk = spool->chunks++;
        return ST_OK;
    }
    *chunk = spool->free;
    if (read_at(spool, *chunk, next, sizeof next, e) == ST_OK)
        spool->free = get_u64(next);
    return e->status;
}

static enum status free_chunk(struct spool *spool, uint64_t chunk, struct error *e)
{
    unsigned char next[8];
    put_u64(next, spool->free);
    if (write_at(spool, chunk, next, sizeof next, e) == ST_OK)
        spool->free = chunk;
    return e->status;
}

static enum status take_buffer(struct spool *spool, unsigned char **buffer, struct error *e)
{
    return memory_take(&spool->space->budget, (void **)buffer, spool->space->chunk_bytes, 1,
                       "buffer of a temporary file", e);
}

static void release_buffer(struct spool *spool, unsigned char **buffer)
{
    if (*buffer != NULL)
        memory_release(&spool->space->budget, *buffer);
    *buffer = NULL;
}

/* ---- appending ---- */

void spool_stream_init(struct spool_stream *stream, struct spool *spool)
{
    *stream = (struct spool_stream){.spool = spool, .first = NO_CHUNK, .current = NO_CHUNK};
}

/* Writes the buffer as the stream's current chunk, before `next`. */
static enum status write_chunk(struct spool_stream *stream, uint64_t next, struct error *e)
{
    unsigned char *chunk = stream->buffer;
    size_t bytes = stream->used - HEADER_BYTES;
    put_u64(chunk, next);
    put_u32(chunk + 8, (uint32_t)bytes);
    put_u32(chunk + 12, crc32_parallel(chunk + HEADER_BYTES, bytes, 1));
    return write_at(stream->spool, stream->current, chunk, stream->used, e);
}

static enum status start_chunk(struct spool_stream *stream, struct error *e)
{
    uint64_t chunk;
    if (stream->buffer == NULL && take_buffer(stream->spool, &stream->buffer, e) != ST_OK)
        return e->status;
    if (take_chunk(stream->spool, &chunk, e) != ST_OK)
        return e->status;
    if (stream->current == NO_CHUNK)
        stream->first = chunk;
    else if (write_chunk(stream, chunk, e) != ST_OK)
        return e->status;
    stream->current = chunk;
    stream->used = HEADER_BYTES;
    return ST_OK;
}

enum status spool_append(struct spool_stream *stream, const void *bytes, size_t count,
                         struct error *e)
{
    const unsigned char *from = bytes;
    const size_t chunk_bytes = stream->spool->space->chunk_bytes;
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

enum status spool_seal(struct spool_stream *stream, struct error *e)
{
    if (stream->buffer != NULL)
        write_chunk(stream, NO_CHUNK, e);
    spool_stream_release(stream);
    return e->status;
}

void spool_stream_release(struct spool_stream *stream)
{
    if (stream->spool != NULL)
        release_buffer(stream->spool, &stream->buffer);
}

/* ---- reading ---- */

void spool_cursor_init(struct spool_cursor *cursor, const struct spool_stream *stream, int drop)
{
    *cursor = (struct spool_cursor){.spool = stream->spool, .next = stream->first, .drop = drop};
}

static enum status read_chunk(struct spool_cursor *cursor, struct error *e)
{
    struct spool *spool = cursor->spool;
    uint64_t chunk = cursor->next;
    unsigned char header[HEADER_BYTES];
    if (chunk == NO_CHUNK)
        return fail(e, ST_RUNTIME, "%s: a temporary file in it ended early",
                    spool->space->folder[0]);
    if (cursor->buffer == NULL && take_buffer(spool, &cursor->buffer, e) != ST_OK)
        return e->status;
    if (read_at(spool, chunk, header, sizeof header, e) != ST_OK)
        return e->status;
    size_t bytes = get_u32(header + 8);
    int sound = bytes > 0 && bytes <= spool->space->chunk_bytes - HEADER_BYTES;
    if (sound && read_at(spool, chunk, cursor->buffer, HEADER_BYTES + bytes, e) != ST_OK)
        return e->status;
    if (!sound ||
        crc32_parallel(cursor->buffer + HEADER_BYTES, bytes, 1) != get_u32(header + 12))
        return fail(e, ST_RUNTIME, "%s: the temporary file in it is corrupt",
                    place_of(spool, chunk).folder);
    cursor->next = get_u64(header);
    cursor->at = HEADER_BYTES;
    cursor->end = HEADER_BYTES + bytes;
    return cursor->drop ? free_chunk(spool, chunk, e) : ST_OK;
}

enum status spool_read(struct spool_cursor *cursor, void *bytes, size_t count, struct error *e)
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

void spool_cursor_close(struct spool_cursor *cursor)
{
    if (cursor->spool != NULL)
        release_buffer(cursor->spool, &cursor->buffer);
}
