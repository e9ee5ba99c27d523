/* edges_reader.c: reads an edge stream and checks each part of it before using it; see edges.h */
#include "edges.h"
#include "edges_layout.h"
#include "formats/file_kind.h"

#include "formats/base/bytes.h"
#include "formats/base/read_fully.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct edges_reader {
    int fd; /* -1 with a source of the caller's */
    struct byte_source source; /* of an input that cannot seek */
    char *name;
    uint64_t offset; /* bytes read */
    uint64_t blocks;
    uint32_t slice, slices;  /* blocks that are ours: those of number `slice` mod `slices` */
    int seekable;            /* a regular file: read by place, not by the descriptor's offset */
    /* if the input is a regular file: the offset where the stream begins, and the bytes from there to the end of the file */
    uint64_t start, file_bytes;
    struct edges_info info;
    int ended; /* the trailer was read */
    struct edges_block ahead; /* read and not taken; of size 0: none */
    struct edges_totals totals; /* from the trailer */
};

typedef unsigned long long ull;

/* One read of the descriptor, a byte_source. */
static enum status read_descriptor(void *from, void *bytes, size_t count, size_t *got, struct error *e)
{
    const struct edges_reader *r = from;
    ssize_t done;
    do {
        done = read(r->fd, bytes, count);
    } while (done < 0 && errno == EINTR);
    *got = done > 0 ? (size_t)done : 0;
    return done >= 0 ? ST_OK : fail_errno(e, r->name, "cannot read");
}

/* Reads `count` bytes, at `offset` where the input can seek. *got is smaller only at the end of the file. */
static enum status read_at(const struct edges_reader *r, uint64_t offset, void *bytes, size_t count,
                           size_t *got, struct error *e)
{
    unsigned char *p = bytes;
    size_t more = 1;
    if (r->seekable)
        return read_fully_at(r->fd, r->start + offset, bytes, count, got) == 0 ? ST_OK : fail_errno(e, r->name, "cannot read");
    for (*got = 0; *got < count && more > 0; *got += more) {
        if (r->source.read(r->source.from, p + *got, count - *got, &more, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

/* Reads the next `count` bytes and passes them; *got is smaller only at the end of the file. */
static enum status read_bytes(struct edges_reader *r, void *bytes, size_t count, size_t *got, struct error *e)
{
    if (read_at(r, r->offset, bytes, count, got, e) == ST_OK)
        r->offset += *got;
    return e->status;
}

/* Nonzero if all bytes are 0: a later version may give them a meaning. */
static int is_zero(const unsigned char *bytes, size_t count)
{
    unsigned char any = 0;
    for (size_t i = 0; i < count; i++)
        any = (unsigned char)(any | bytes[i]);
    return any == 0;
}

/* Fails: a part uses what a later version may have. */
static enum status unsupported(const struct edges_reader *r, const char *where, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: %s uses features this build does not support", r->name, where);
}

/* Fails: the stream ends at byte `at`. */
static enum status truncated(const struct edges_reader *r, uint64_t at, struct error *e)
{
    return fail(e, ST_BAD_DATA,
                "%s: edge stream ends at byte %llu without its trailer: the writer died or the "
                "file was cut",
                r->name, (ull)at);
}

/* Reads the next `count` bytes, which the stream must have. */
static enum status read_exactly(struct edges_reader *r, void *bytes, size_t count, struct error *e)
{
    size_t got;
    if (read_bytes(r, bytes, count, &got, e) != ST_OK)
        return e->status;
    return got == count ? ST_OK : truncated(r, r->offset, e);
}

/* Fails: the part that begins at byte `at` is wrong. */
static enum status corrupt(const struct edges_reader *r, uint64_t at, const char *part,
                           const char *why, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: %s at byte %llu: %s", r->name, part, (ull)at, why);
}

/* Reads the text behind the preamble into r->info, and checks it. */
static enum status read_provenance(struct edges_reader *r, uint32_t bytes, uint32_t crc, struct error *e)
{
    if (bytes == 0 || bytes > EDGES_MAX_PROVENANCE_BYTES || bytes % 8 != 0)
        return corrupt(r, 0, "preamble", "impossible provenance length", e);
    if (read_exactly(r, r->info.provenance, bytes, e) != ST_OK)
        return e->status;
    if (edges_crc(r->info.provenance, bytes) != crc || r->info.provenance[bytes - 1] != '\0')
        return corrupt(r, EDGES_PREAMBLE_BYTES, "preamble", "provenance is corrupt (CRC differs)",
                       e);
    return ST_OK;
}

/* Reads and checks the preamble with its provenance, and fills in r->info. */
static enum status read_preamble(struct edges_reader *r, struct error *e)
{
    unsigned char header[EDGES_PREAMBLE_BYTES];
    size_t got;
    if (read_bytes(r, header, sizeof header, &got, e) != ST_OK)
        return e->status;
    if (!edges_sniff(header, got))
        return file_kind_not_edges(r->name, header, got, e);
    if (got < sizeof header)
        return truncated(r, r->offset, e);
    if (edges_crc(header, PREAMBLE_CRC_AT) != get_u32(header + PREAMBLE_CRC_AT))
        return corrupt(r, 0, "preamble", "is corrupt (CRC differs)", e);
    uint32_t version = get_u32(header + PREAMBLE_VERSION_AT);
    uint32_t direction = get_u32(header + PREAMBLE_DIRECTION_AT);
    uint32_t flags = get_u32(header + PREAMBLE_FLAGS_AT);
    if (version != EDGES_VERSION && version != EDGES_VERSION_BASE_0)
        return fail(e, ST_BAD_DATA, "%s: edge stream version %u is not supported (this is %u): use the dbfs "
                    "that wrote it, or a later one", r->name, version, EDGES_VERSION);
    r->info.base = get_u32(header + PREAMBLE_BASE_AT);
    if (version == EDGES_VERSION && r->info.base != 1)
        return corrupt(r, PREAMBLE_BASE_AT, "preamble", "impossible first id: a stream of version 2 begins at 1", e);
    if (direction > EDGES_DIRECTED || (flags & ~(uint32_t)PREAMBLE_FLAG_RANDOMIZED) != 0 ||
        !is_zero(header + PREAMBLE_RESERVED_AT, PREAMBLE_TEXT_CRC_AT - PREAMBLE_RESERVED_AT) ||
        (version == EDGES_VERSION_BASE_0 && r->info.base != 0) ||
        (flags == 0 && !is_zero(header + PREAMBLE_RANDOM_N_AT, PREAMBLE_BASE_AT - PREAMBLE_RANDOM_N_AT)))
        return unsupported(r, "preamble", e);
    r->info.direction = (enum edges_direction)direction;
    r->info.randomized = (flags & PREAMBLE_FLAG_RANDOMIZED) != 0;
    r->info.random_n = get_u64(header + PREAMBLE_RANDOM_N_AT);
    r->info.random_seed = get_u64(header + PREAMBLE_RANDOM_SEED_AT);
    if (r->info.randomized && (r->info.random_n == 0 || r->info.random_n > DBFS_MAX_VERTICES))
        return corrupt(r, PREAMBLE_RANDOM_N_AT, "preamble", "impossible size of the bijection", e);
    return read_provenance(r, get_u32(header + PREAMBLE_PROVENANCE_AT),
                           get_u32(header + PREAMBLE_TEXT_CRC_AT), e);
}

/* Finds out whether the input is a regular file, whose blocks can be read in any order. The stream begins at the
 * descriptor's current offset. */
static void find_file(struct edges_reader *r)
{
    struct stat st;
    off_t at = lseek(r->fd, 0, SEEK_CUR);
    r->seekable = at >= 0 && fstat(r->fd, &st) == 0 && S_ISREG(st.st_mode);
    r->start = r->seekable ? (uint64_t)at : 0;
    if (r->seekable && st.st_size > at)
        r->file_bytes = (uint64_t)(st.st_size - at);
}

/* Opens a reader of a descriptor or, with fd -1, of a source, and reads the preamble. Closes `fd` on failure. */
static enum status open_reader(struct edges_reader **result, int fd,
                               const struct byte_source *source, const char *name, struct error *e)
{
    *result = NULL;
    struct edges_reader *r = calloc(1, sizeof *r);
    if (r == NULL) {
        if (fd >= 0)
            close(fd);
        return fail_memory(e, name, sizeof *r);
    }
    r->fd = fd;
    r->source = source != NULL ? *source : (struct byte_source){r, read_descriptor};
    r->slices = 1;
    if (fd >= 0)
        find_file(r);
    r->name = strdup(name);
    if (r->name == NULL)
        fail_memory(e, name, strlen(name));
    else
        read_preamble(r, e);
    if (e->status != ST_OK) {
        edges_reader_close(r);
        return e->status;
    }
    *result = r;
    return ST_OK;
}

enum status edges_reader_open_fd(struct edges_reader **result, int fd, const char *name, struct error *e)
{
    return open_reader(result, fd, NULL, name, e);
}

enum status edges_reader_open_source(struct edges_reader **result, struct byte_source source,
                                     const char *name, struct error *e)
{
    return open_reader(result, /* fd */ -1, &source, name, e);
}

void edges_reader_close(struct edges_reader *r)
{
    if (r == NULL)
        return;
    if (r->fd >= 0)
        close(r->fd);
    edges_block_free(&r->ahead);
    free(r->name);
    free(r);
}

/* From now on edges_reader_take gives only block `index` of every `count` blocks. */
enum status edges_reader_slice(struct edges_reader *r, uint32_t index, uint32_t count, struct error *e)
{
    if (!r->seekable)
        return fail(e, ST_RUNTIME, "%s: is not a regular file, as a part of an edge stream takes",
                    r->name);
    r->slice = index;
    r->slices = count;
    return ST_OK;
}

const struct edges_info *edges_reader_info(const struct edges_reader *r)
{
    return &r->info;
}

const char *edges_reader_name(const struct edges_reader *r)
{
    return r->name;
}

static void decode_trailer(const unsigned char *t, struct edges_totals *totals)
{
    totals->edges = get_u64(t + TRAILER_EDGES_AT);
    totals->loops = get_u64(t + TRAILER_LOOPS_AT);
    totals->n = get_u64(t + TRAILER_N_AT);
    totals->max_id = get_u64(t + TRAILER_MAX_ID_AT);
    totals->checksum = get_u64(t + TRAILER_CHECKSUM_AT);
}

/* Reads the totals in a trailer at the end of a regular file, which no pass has proven. Nonzero if there is one. */
int edges_peek_totals(int fd, struct edges_totals *totals)
{
    unsigned char t[EDGES_TRAILER_BYTES];
    struct stat st;
    size_t got;
    if (fstat(fd, &st) != 0 || st.st_size < (off_t)sizeof t ||
        read_fully_at(fd, (uint64_t)st.st_size - sizeof t, t, sizeof t, &got) != 0 || got < sizeof t ||
        get_u32(t) != EDGES_TRAILER_MAGIC ||
        edges_crc(t, TRAILER_CRC_AT) != get_u32(t + TRAILER_CRC_AT))
        return 0;
    decode_trailer(t, totals);
    return totals->n <= DBFS_MAX_VERTICES;
}

/* Reads the rest of the trailer, whose first bytes are at `start`, into r->totals; nothing may follow it. */
static enum status read_trailer(struct edges_reader *r, const unsigned char *start, struct error *e)
{
    unsigned char t[EDGES_TRAILER_BYTES], extra;
    size_t got;
    uint64_t at = r->offset - EDGES_BLOCK_HEADER_BYTES;
    memcpy(t, start, EDGES_BLOCK_HEADER_BYTES);
    if (read_exactly(r, t + EDGES_BLOCK_HEADER_BYTES, sizeof t - EDGES_BLOCK_HEADER_BYTES, e) !=
        ST_OK)
        return e->status;
    if (edges_crc(t, TRAILER_CRC_AT) != get_u32(t + TRAILER_CRC_AT))
        return corrupt(r, at, "trailer", "is corrupt (CRC differs)", e);
    if (!is_zero(t + TRAILER_RESERVED_AT, TRAILER_EDGES_AT - TRAILER_RESERVED_AT) ||
        !is_zero(t + TRAILER_RESERVED_TOO_AT, TRAILER_CRC_AT - TRAILER_RESERVED_TOO_AT))
        return unsupported(r, "trailer", e);
    decode_trailer(t, &r->totals);
    if (r->totals.n > DBFS_MAX_VERTICES)
        return corrupt(r, at, "trailer", "more than 2^48 vertices", e);
    if (r->info.randomized && r->info.random_n > r->totals.n)
        return fail(e, ST_BAD_DATA,
                    "%s: trailer at byte %llu: %llu vertices, fewer than the %llu ids that the preamble "
                    "permutes", r->name, (ull)at, (ull)r->totals.n, (ull)r->info.random_n);
    if (read_bytes(r, &extra, 1, &got, e) != ST_OK)
        return e->status;
    r->ended = 1;
    return got == 0 ? ST_OK : corrupt(r, r->offset - 1, "stream", "data follows the trailer", e);
}

int edges_reader_ended(const struct edges_reader *r, struct edges_totals *totals)
{
    *totals = r->totals;
    return r->ended;
}

/* Checks the header that was just read. */
static enum status check_block_header(const struct edges_reader *r, const unsigned char *header, struct error *e)
{
    uint64_t at = r->offset - EDGES_BLOCK_HEADER_BYTES;
    uint32_t count = get_u32(header + BLOCK_COUNT_AT), width = get_u32(header + BLOCK_WIDTH_AT);
    if (get_u32(header + BLOCK_MAGIC_AT) != EDGES_BLOCK_MAGIC ||
        edges_crc(header, BLOCK_CRC_AT) != get_u32(header + BLOCK_CRC_AT))
        return corrupt(r, at, "block header", "is corrupt", e);
    if (count == 0 || count > EDGES_MAX_BLOCK_EDGES || (width != 4 && width != 8))
        return corrupt(r, at, "block header", "impossible count or id width", e);
    return is_zero(header + BLOCK_RESERVED_AT, BLOCK_CRC_AT - BLOCK_RESERVED_AT)
               ? ST_OK : unsupported(r, "block header", e);
}

static enum status grow_block(struct edges_block *block, size_t bytes, struct error *e)
{
    if (bytes <= block->capacity)
        return ST_OK;
    unsigned char *grown = realloc(block->bytes, bytes);
    if (grown == NULL)
        return fail_memory(e, "edge block", bytes);
    block->bytes = grown;
    block->capacity = bytes;
    return ST_OK;
}

/* Passes over the payload of a block, which the file must have. */
static enum status pass_over(struct edges_reader *r, size_t payload, struct error *e)
{
    if (r->offset > r->file_bytes || payload > r->file_bytes - r->offset)
        return truncated(r, r->file_bytes, e);
    r->offset += payload;
    return ST_OK;
}

/* Begins a block whose header was read: if the input can seek, skips the payload for edges_reader_fill, else reads it. */
static enum status begin_block(struct edges_reader *r, const unsigned char *header, size_t payload,
                               struct edges_block *block, struct error *e)
{
    block->size = EDGES_BLOCK_HEADER_BYTES + payload;
    block->index = r->blocks - 1;
    block->offset = r->offset - EDGES_BLOCK_HEADER_BYTES;
    block->unread = 0;
    if (grow_block(block, block->size, e) != ST_OK)
        return e->status;
    memcpy(block->bytes, header, EDGES_BLOCK_HEADER_BYTES);
    if (!r->seekable)
        return read_exactly(r, block->bytes + EDGES_BLOCK_HEADER_BYTES, payload, e);
    block->unread = payload;
    return pass_over(r, payload, e);
}

/* Takes the next block of the slice, of a regular file only its header. At the end reads the trailer and sets *end. */
enum status edges_reader_take(struct edges_reader *r, struct edges_block *block, int *end, struct error *e)
{
    unsigned char header[EDGES_BLOCK_HEADER_BYTES];
    *end = r->ended;
    if (r->ahead.size > 0) {
        struct edges_block taken = r->ahead;
        r->ahead = *block;
        r->ahead.size = 0;
        *block = taken;
        return ST_OK;
    }
    while (!r->ended) {
        if (read_exactly(r, header, sizeof header, e) != ST_OK)
            return e->status;
        if (get_u32(header) == EDGES_TRAILER_MAGIC) {
            *end = 1;
            return read_trailer(r, header, e);
        }
        if (check_block_header(r, header, e) != ST_OK)
            return e->status;
        size_t payload =
            2 * (size_t)get_u32(header + BLOCK_COUNT_AT) * get_u32(header + BLOCK_WIDTH_AT);
        if (r->blocks++ % r->slices == r->slice)
            return begin_block(r, header, payload, block, e);
        if (pass_over(r, payload, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

const struct edges_block *edges_reader_peek(struct edges_reader *r, struct error *e)
{
    int end;
    edges_reader_take(r, &r->ahead, &end, e);
    if (e->status != ST_OK || end)
        r->ahead.size = 0;
    return edges_reader_ahead(r);
}

const struct edges_block *edges_reader_ahead(const struct edges_reader *r)
{
    return r->ahead.size > 0 ? &r->ahead : NULL;
}

/* Reads what edges_reader_take left unread of the block. Any thread may do so. */
enum status edges_reader_fill(const struct edges_reader *r, struct edges_block *block, struct error *e)
{
    uint64_t at = block->offset + EDGES_BLOCK_HEADER_BYTES;
    size_t got;
    if (block->unread == 0)
        return ST_OK;
    if (read_at(r, at, block->bytes + EDGES_BLOCK_HEADER_BYTES, block->unread, &got, e) != ST_OK)
        return e->status;
    if (got < block->unread)
        return truncated(r, at + got, e);
    block->unread = 0;
    return ST_OK;
}

/* Reads the next block. At the end reads the trailer and sets *end. */
enum status edges_reader_next(struct edges_reader *r, struct edges_block *block, int *end, struct error *e)
{
    if (edges_reader_take(r, block, end, e) == ST_OK && !*end)
        edges_reader_fill(r, block, e);
    return e->status;
}

/* Fails if the tally of all blocks is not what the trailer says. */
enum status edges_compare_tally(const char *name, const struct edges_totals *t,
                                const struct edges_totals *tally, struct error *e)
{
    if (tally->edges != t->edges || tally->loops != t->loops || tally->max_id != t->max_id ||
        tally->checksum != t->checksum || (t->edges > 0 && t->n <= t->max_id))
        return fail(e, ST_BAD_DATA,
                    "%s: trailer does not match the blocks: it says %llu edges and checksum "
                    "%016llx, the blocks hold %llu and %016llx",
                    name, (ull)t->edges, (ull)t->checksum, (ull)tally->edges, (ull)tally->checksum);
    return ST_OK;
}

/* Sets *totals to the trailer that was read, and fails if the tally of all blocks is another. */
enum status edges_reader_finish(struct edges_reader *r, const struct edges_totals *tally,
                                struct edges_totals *totals, struct error *e)
{
    *totals = r->totals;
    return edges_compare_tally(r->name, &r->totals, tally, e);
}
