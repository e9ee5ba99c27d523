/* container_reader.c: opens and checks a file of sections; see container.h */
#include "container.h"
#include "container_layout.h"

#include "formats/base/bytes.h"
#include "formats/base/crc.h"
#include "formats/base/mapped.h"
#include "formats/base/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

struct container {
    const struct container_kind *kind;
    char *path;
    unsigned char *bytes;
    uint64_t size;
    struct mapped_file mapped; /* of a regular file */
    uint32_t version;
    uint32_t table_crc;
    uint32_t sections;
    struct section section[CONTAINER_MAX_SECTIONS];
};

static enum status bad(const struct container *c, const char *where, const char *why, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: %s: %s", c->path, where, why);
}

/* Reads all bytes of a pipe, which cannot be mapped, into memory. */
static enum status read_whole(struct container *c, int fd, struct error *e)
{
    uint64_t capacity = 0;
    for (;;) {
        if (c->size == capacity) {
            capacity = capacity == 0 ? 1 << 20 : 2 * capacity;
            unsigned char *grown = realloc(c->bytes, capacity);
            if (grown == NULL)
                return fail_memory(e, c->path, capacity);
            c->bytes = grown;
        }
        ssize_t got = read(fd, c->bytes + c->size, capacity - c->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(e, c->path, "cannot read");
        if (got == 0)
            return ST_OK;
        c->size += (uint64_t)got;
    }
}

/* Maps the file c->path ("-": standard input), or reads it if it is a pipe. */
static enum status load_file(struct container *c, struct error *e)
{
    struct stat st;
    int fd = strcmp(c->path, "-") == 0 ? dup(STDIN_FILENO) : open(c->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        fail_errno(e, c->path, "cannot open");
    } else if (S_ISDIR(st.st_mode)) {
        fail(e, ST_BAD_DATA, "%s: is a directory, not a %s", c->path, c->kind->what);
    } else if (!S_ISREG(st.st_mode)) {
        read_whole(c, fd, e);
    } else if (st.st_size > 0) {
        mapped_open(&c->mapped, fd, (size_t)st.st_size, c->path, e);
        c->bytes = c->mapped.bytes;
        c->size = c->mapped.size;
    }
    if (fd >= 0)
        close(fd);
    return e->status;
}

/* Checks the header and the CRC of the section table, and takes the version and the number of sections from the header. */
static enum status check_header(struct container *c, struct error *e)
{
    const unsigned char *h = c->bytes;
    if (c->size < 8 || memcmp(h, c->kind->magic, 8) != 0)
        return fail(e, ST_BAD_DATA, "%s: not a dbfs %s file", c->path, c->kind->what);
    if (c->size < HEADER_BYTES)
        return bad(c, "header", "the file is truncated", e);
    if (crc32_z(0, h, HEADER_CRC_AT) != get_u32(h + HEADER_CRC_AT))
        return bad(c, "header", "is corrupt (CRC differs)", e);
    const struct container_kind *kind = c->kind;
    uint32_t version = get_u32(h + HEADER_VERSION_AT);
    uint32_t newest = kind->newest_version > 0 ? kind->newest_version : kind->version;
    uint32_t oldest = kind->first_version > 0 ? kind->first_version : kind->version;
    if (version > newest)
        return fail(e, ST_BAD_DATA, "%s: %s version %u is not supported (this is %u): use the dbfs that "
                    "wrote it, or a later one", c->path, c->kind->what, version, newest);
    if (version < oldest)
        return fail(e, ST_BAD_DATA, "%s: %s version %u is not supported any more (this is %u): make it again, "
                    "with `%s`, from the edge stream", c->path, c->kind->what, version, newest, c->kind->maker);
    c->version = version;
    c->sections = get_u32(h + HEADER_SECTIONS_AT);
    c->table_crc = get_u32(h + HEADER_TABLE_CRC_AT);
    if (c->sections > CONTAINER_MAX_SECTIONS)
        return bad(c, "header", "too many sections", e);
    if (get_u64(h + HEADER_FILE_BYTES_AT) != c->size)
        return fail(e, ST_BAD_DATA, "%s: header: the file has %llu bytes where %llu were written",
                    c->path, (unsigned long long)c->size,
                    (unsigned long long)get_u64(h + HEADER_FILE_BYTES_AT));
    uint64_t table_bytes = (uint64_t)ENTRY_BYTES * c->sections;
    if (table_bytes > c->size - HEADER_BYTES)
        return bad(c, "section table", "the file is truncated", e);
    if (crc32_z(0, h + HEADER_BYTES, table_bytes) != c->table_crc)
        return bad(c, "section table", "is corrupt (CRC differs)", e);
    return ST_OK;
}

/* Decodes and checks one entry of the section table. */
static enum status check_entry(struct container *c, struct section *s, const unsigned char *entry, struct error *e)
{
    uint64_t end, bytes;
    s->most = UINT32_MAX;
    s->type = get_u32(entry + ENTRY_TYPE_AT);
    s->encoding = get_u32(entry + ENTRY_ENCODING_AT);
    s->width = get_u32(entry + ENTRY_WIDTH_AT);
    s->crc = get_u32(entry + ENTRY_CRC_AT);
    s->offset = get_u64(entry + ENTRY_OFFSET_AT);
    s->bytes = get_u64(entry + ENTRY_SIZE_AT);
    s->count = get_u64(entry + ENTRY_COUNT_AT);
    const char *name = c->kind->section_name(s->type);
    if (s->encoding > (c->kind->packed ? ENCODING_PACKED : ENCODING_RAW) ||
        get_u64(entry + ENTRY_RESERVED_AT) != 0)
        return bad(c, name, "uses an encoding this build does not support", e);
    if (size_add(s->offset, s->bytes, &end) || end > c->size || s->offset % CONTAINER_ALIGN != 0)
        return bad(c, name, "does not lie within the file", e);
    s->data = c->bytes + s->offset;
    if (s->width == 0 || size_mul(s->count, s->width, &bytes) ||
        (s->encoding == ENCODING_RAW && bytes != s->bytes))
        return bad(c, name, "its count and its bytes do not agree", e);
    struct packed packed; /* its count and bytes agree if its directory fits both */
    struct error why = {0};
    if (s->encoding == ENCODING_PACKED && packed_open(&packed, s->data, s->bytes, s->width, s->count, name, &why) != ST_OK)
        return fail(e, why.status, "%s: %s", c->path, why.text);
    return ST_OK;
}

/* Checks that each section follows the one before and that the bytes between them are zero. So no byte of the file can
 * change without a reader noticing. */
static enum status check_padding(struct container *c, struct error *e)
{
    uint64_t end = HEADER_BYTES + (uint64_t)ENTRY_BYTES * c->sections;
    for (uint32_t i = 0; i <= c->sections; i++) {
        uint64_t next = (end + CONTAINER_ALIGN - 1) / CONTAINER_ALIGN * CONTAINER_ALIGN;
        /* the last section ends the file; a file without sections is a page */
        if (i == c->sections)
            next = i == 0 ? next : end;
        else if (c->section[i].offset != next)
            return bad(c, c->kind->section_name(c->section[i].type), "is not where it belongs", e);
        for (; end < next && end < c->size; end++) {
            if (c->bytes[end] != 0)
                return bad(c, "padding", "is not zero", e);
        }
        end = i < c->sections ? next + c->section[i].bytes : next;
    }
    return end == c->size ? ST_OK : bad(c, "file", "has bytes after its last section", e);
}

enum status container_open(struct container **result, const struct container_kind *kind,
                           const char *path, struct error *e)
{
    struct container *c = *result = zeroed(1, sizeof *c, path, e);
    if (c == NULL)
        return e->status;
    c->kind = kind;
    c->path = strdup(path);
    if (c->path == NULL)
        fail_memory(e, path, strlen(path));
    else if (load_file(c, e) == ST_OK)
        check_header(c, e);
    for (uint32_t i = 0; i < c->sections && e->status == ST_OK; i++)
        check_entry(c, &c->section[i], c->bytes + HEADER_BYTES + (size_t)ENTRY_BYTES * i, e);
    if (e->status == ST_OK)
        check_padding(c, e);
    if (e->status != ST_OK) {
        container_close(c);
        *result = NULL;
    }
    return e->status;
}

enum status container_of_sections(struct container **result, const struct container_kind *kind, const char *path,
                                  const struct section_content *content, uint32_t count, int threads, struct error *e)
{
    struct container *c = calloc(1, sizeof *c);
    *result = NULL;
    if (c != NULL)
        *c = (struct container){.kind = kind, .path = strdup(path), .version = kind->version, .sections = count};
    if (c == NULL || c->path == NULL) {
        free(c);
        return fail_memory(e, path, sizeof *c);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct section_content *from = &content[i];
        struct section *s = &c->section[i];
        *s = (struct section){.type = from->type, .encoding = ENCODING_RAW, .width = from->width, .offset = c->size,
                              .bytes = from->count * from->width, .count = from->count, .data = from->elements};
        s->crc = crc32_and_most(s->data, s->bytes, threads, &s->most);
        s->most = s->width == 4 ? s->most : UINT32_MAX;
        c->size += s->bytes;
    }
    *result = c;
    return ST_OK;
}

void container_close(struct container *c)
{
    if (c == NULL)
        return;
    if (c->mapped.bytes != NULL)
        mapped_close(&c->mapped);
    else
        free(c->bytes);
    free(c->path);
    free(c);
}

const char *container_path(const struct container *c)
{
    return c->path;
}

uint32_t container_version(const struct container *c)
{
    return c->version;
}

uint64_t container_bytes(const struct container *c)
{
    return c->size;
}

uint32_t container_table_crc(const struct container *c)
{
    return c->table_crc;
}

uint32_t container_sections(const struct container *c)
{
    return c->sections;
}

const struct section *container_section(const struct container *c, uint32_t index)
{
    return &c->section[index];
}

const struct section *container_find(const struct container *c, uint32_t type)
{
    for (uint32_t i = 0; i < c->sections; i++) {
        if (c->section[i].type == type)
            return &c->section[i];
    }
    return NULL;
}

/* Finds a section that must be there, with `count` elements of `width` bytes; width 0 and count UINT64_MAX mean any. */
enum status container_need(const struct container *c, uint32_t type, uint32_t width,
                           uint64_t count, const struct section **section, struct error *e)
{
    const struct section *s = container_find(c, type);
    const char *name = c->kind->section_name(type);
    *section = s;
    if (s == NULL)
        return bad(c, name, "the section is missing", e);
    if ((width != 0 && s->width != width) || (count != UINT64_MAX && s->count != count))
        return bad(c, name, "has an unexpected width or count", e);
    return ST_OK;
}

/* A packed section as packed_decode takes it; container_open has checked its structure. */
struct packed section_packed(const struct section *s)
{
    struct packed packed;
    struct error none = {0};
    packed_open(&packed, s->data, s->bytes, s->width, s->count, "", &none);
    return packed;
}

/* Compares a section with its CRC, and sets *most to the largest of its 32-bit numbers. */
static enum status check_section(const struct container *c, const struct section *s, int threads,
                                 uint32_t *most, struct error *e)
{
    if (crc32_and_most(s->data, s->bytes, threads, most) != s->crc)
        return fail(e, ST_BAD_DATA, "%s: section %s at byte %llu is corrupt (CRC differs)", c->path,
                    c->kind->section_name(s->type), (unsigned long long)s->offset);
    return ST_OK;
}

enum status container_check(const struct container *c, const struct section *s, int threads, struct error *e)
{
    uint32_t most;
    return check_section(c, s, threads, &most, e);
}

/* Compares all sections with their CRCs, and sets the `most` of raw sections of 4-byte elements. */
enum status container_check_all(struct container *c, int threads, struct error *e)
{
    for (uint32_t i = 0; i < c->sections; i++) {
        struct section *s = &c->section[i];
        uint32_t most;
        if (check_section(c, s, threads, &most, e) != ST_OK)
            return e->status;
        if (s->encoding == ENCODING_RAW && s->width == 4)
            s->most = most;
        progress_add(s->bytes);
    }
    return ST_OK;
}
