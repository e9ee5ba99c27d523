/* claim_file.c: see claim_file.h */
#include "claim_file.h"

#include "claim_kinds.h"
#include "formats/base/bytes.h"
#include "formats/base/read_fully.h"
#include "tools/spill/unnamed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPY_BYTES = 1 << 20, READ_VALUES = 1 << 13 };

/* ---- opening ---- */

/* Copies all bytes of the pipe f->fd to the file `to`. */
static enum status copy_all(struct claim_file *f, int to, const char *tmpdir, struct error *e)
{
    unsigned char *buffer = malloc(COPY_BYTES);
    if (buffer == NULL)
        return fail_memory(e, f->name, COPY_BYTES);
    while (e->status == ST_OK) {
        ssize_t got = read(f->fd, buffer, COPY_BYTES);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            fail_errno(e, f->name, "cannot read");
        if (got <= 0)
            break;
        unnamed_append(to, buffer, (size_t)got, tmpdir, "a temporary copy of results", e);
    }
    free(buffer);
    return e->status;
}

/* Replaces f->fd by a nameless file of a pipe's bytes or, with the layout of a text, of its values. */
static enum status replace_file(struct claim_file *f, const struct text_layout *layout, const char *tmpdir, struct error *e)
{
    int file = unnamed_file(tmpdir);
    if (file < 0)
        return fail_errno(e, tmpdir, "cannot create a temporary file");
    if (layout != NULL)
        claim_text_convert(f, layout, file, tmpdir, e);
    else
        copy_all(f, file, tmpdir, e);
    close(f->fd);
    f->fd = file;
    f->start = 0;
    return e->status;
}

/* Opens f->fd and sets f->name and f->start. A pipe is copied to a file. */
static enum status open_path(struct claim_file *f, const char *path, const char *tmpdir, struct error *e)
{
    struct stat st;
    int is_stdin = strcmp(path, "-") == 0;
    f->name = strdup(is_stdin ? "standard input" : path);
    f->fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);
    if (f->name == NULL)
        return fail_memory(e, path, strlen(path));
    if (f->fd < 0 || fstat(f->fd, &st) != 0)
        return fail_errno(e, f->name, "cannot open");
    if (S_ISDIR(st.st_mode))
        return fail(e, ST_BAD_DATA, "%s: is a directory, not a file of results", f->name);
    if (!S_ISREG(st.st_mode))
        return replace_file(f, /* layout */ NULL, tmpdir, e);
    f->start = is_stdin ? lseek(f->fd, 0, SEEK_CUR) : 0;
    return ST_OK;
}

/* Finds the width of the values of a file that has nothing else, from its size. `head` has its first bytes. */
static enum status open_raw(struct claim_file *f, const unsigned char *head, size_t count,
                            uint64_t bytes, struct error *e)
{
    uint64_t n = f->count;
    f->width = n > 0 ? (uint32_t)(bytes / n) : 0;
    int fits = f->width * n == bytes &&
               (f->width == 1 || f->width == 2 || f->width == 4 || f->width == 8);
    /* a line has 4 bytes or more */
    if (claim_is_lines(head, count) && !(fits && f->width < 4))
        return fail(e, ST_BAD_DATA,
                    "%s:1: not '%u VALUE', '%u,VALUE' or 'id,distance' with a newline, as ids of the graph begin at %u; names "
                    "(--map) are not taken, nor are tables of several roots",
                    f->name, f->base, f->base, f->base);
    if (fits)
        return ST_OK;
    return fail(e, ST_BAD_DATA,
                "%s: neither .npy nor a table of ids and values, and its %llu bytes are not "
                "the integers of %llu vertices",
                f->name, (unsigned long long)bytes, (unsigned long long)n);
}

/* Finds out what kind of file it is, and where its values are, how wide and how many. A text is converted. */
static enum status open_by_kind(struct claim_file *f, uint64_t n, const char *tmpdir, struct error *e)
{
    struct stat st;
    unsigned char head[CLAIM_HEAD_BYTES];
    struct text_layout layout;
    size_t got;
    if (read_fully_at(f->fd, (uint64_t)f->start, head, sizeof head, &got) != 0 || fstat(f->fd, &st) != 0)
        return fail_errno(e, f->name, "cannot read");
    uint64_t bytes = (uint64_t)(st.st_size - f->start);
    if (claim_is_npy(head, got))
        return claim_npy_open(f, head, got, bytes, e);
    if (claim_is_text(head, got, f->base, &layout)) {
        f->width = 8;
        return replace_file(f, &layout, tmpdir, e);
    }
    f->count = n;
    return open_raw(f, head, got, bytes, e);
}

/* Opens the results of a graph of n vertices, and checks that there are n. */
enum status claim_file_open(struct claim_file *f, const char *path, int is_depths, uint64_t n, uint32_t base,
                            const char *tmpdir, struct error *e)
{
    *f = (struct claim_file){.base = base, .is_depths = is_depths};
    if (open_path(f, path, tmpdir, e) == ST_OK && open_by_kind(f, n, tmpdir, e) == ST_OK &&
        f->count != n)
        fail(e, ST_INVALID, "%s: has the values of %llu vertices, and the graph has %llu", f->name,
             (unsigned long long)f->count, (unsigned long long)n);
    if (e->status != ST_OK)
        claim_file_close(f);
    return e->status;
}

void claim_file_close(struct claim_file *f)
{
    if (f->name != NULL && f->fd >= 0)
        close(f->fd);
    free(f->name);
    memset(f, 0, sizeof *f);
}

/* ---- reading ---- */

/* The value of f->width bytes at `p`; the largest unsigned one is CLAIM_NONE. */
static int64_t value_at(const struct claim_file *f, const unsigned char *p)
{
    uint64_t bits = 0;
    memcpy(&bits, p, f->width); /* little-endian: bytes.h */
    unsigned unused = 64 - 8 * f->width;
    if (!f->is_unsigned)
        return (int64_t)(bits << unused) >> unused;
    return bits == UINT64_MAX >> unused ? CLAIM_NONE : (int64_t)bits;
}

/* Reads `count` bytes at offset `at`, which the file must have. */
static enum status read_bytes(const struct claim_file *f, unsigned char *bytes, size_t count, off_t at, struct error *e)
{
    size_t got;
    if (read_fully_at(f->fd, (uint64_t)at, bytes, count, &got) != 0)
        return fail_errno(e, f->name, "cannot read");
    return got == count ? ST_OK : fail(e, ST_BAD_DATA, "%s: became shorter while it was read", f->name);
}

enum status claim_file_read(const struct claim_file *f, uint64_t first, uint64_t count,
                             int64_t *values, struct error *e)
{
    unsigned char bytes[READ_VALUES * 8];
    for (uint64_t done = 0; done < count;) {
        size_t piece = count - done < READ_VALUES ? (size_t)(count - done) : READ_VALUES;
        off_t at = f->start + (off_t)((first + done) * f->width);
        if (read_bytes(f, bytes, piece * f->width, at, e) != ST_OK)
            return e->status;
        for (size_t i = 0; i < piece; i++)
            values[done + i] = value_at(f, bytes + i * f->width);
        done += piece;
    }
    return ST_OK;
}
