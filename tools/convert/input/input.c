/* input.c: see input.h */
#include "input.h"

#include "beside.h"
#include "raw_in.h"
#include "unwrap.h"

#include "formats/base/read_fully.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIPE_BYTES = 1 << 20 };

/* Bytes read ahead of the reader. */
struct block {
    struct block *next;
    size_t at, end;  /* bytes[at..end) are not given out yet */
    uint64_t stored; /* how far the file was read for them */
    unsigned char bytes[INPUT_AHEAD_BYTES];
};

/* Bytes seen and not yet consumed: bytes[at..end). */
struct peeked {
    unsigned char *bytes;
    size_t at, end, capacity;
};

/* Blocks read ahead, behind the peeked bytes. */
struct kept {
    struct block *first, *last;
    _Atomic size_t bytes;
};

struct input {
    int fd;
    char *name; /* of the file */
    int regular, is_empty_file;
    int one_file;         /* of an archive only one is expected */
    uint64_t start, size; /* of a regular file: where its descriptor stood, and bytes from there */
    struct raw_in raw;
    struct unwrap *unwrap;
    struct peeked peeked;
    struct kept kept;
    int source_ended;     /* nothing follows the blocks */
    int ended;            /* nothing follows the peeked bytes */
    struct error failure; /* to be reported after the blocks */
    int failed;
    _Atomic uint64_t stored; /* one thread reads while others look at it */
};

/* ---- opening ---- */

/* Notes if the file is regular, where it stands and how long it is; asks the system for read-ahead, or for a larger pipe. */
static void look_at_file(struct input *in)
{
    struct stat st;
    off_t at;
    if (fstat(in->fd, &st) != 0)
        return;
    in->is_empty_file = S_ISREG(st.st_mode) && st.st_size == 0;
    /* files of /proc are regular, and of size 0 until they are read */
    if (S_ISREG(st.st_mode) && st.st_size > 0 && (at = lseek(in->fd, 0, SEEK_CUR)) >= 0) {
        in->regular = 1;
        in->start = (uint64_t)at;
        in->size = st.st_size > at ? (uint64_t)(st.st_size - at) : 0;
        posix_fadvise(in->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    } else if (S_ISFIFO(st.st_mode)) {
        fcntl(in->fd, F_SETPIPE_SZ, PIPE_BYTES); /* fewer switches between writer and reader */
    }
}

/* Peeks at the file that was just entered, and refuses it if it has no byte. */
static enum status refuse_empty(struct input *in, struct error *e)
{
    const unsigned char *bytes;
    size_t count = 0;
    enum wrapping around = unwrap_innermost(in->unwrap);
    if (input_peek(in, 1, &bytes, &count, e) != ST_OK || count > 0)
        return e->status;
    fail(e, ST_BAD_DATA, "%s: found an empty %s, expected a graph", input_name(in),
         around != WRAPPING_NONE && !wrapping_is_archive(around) ? wrapping_name(around)
         : in->is_empty_file || around != WRAPPING_NONE          ? "file"
                                                                 : "input");
    input_explain_members(in, e);
    return e->status;
}

/* Makes an input of `fd`, which is the input's from now on, and closed if this fails. */
static enum status open_fd(struct input **result, int fd, const char *name, const char *member,
                           int one_file, struct error *e)
{
    *result = NULL;
    struct input *in = calloc(1, sizeof *in);
    if (in == NULL) {
        close(fd);
        return fail_memory(e, name, sizeof *in);
    }
    in->fd = fd;
    in->one_file = one_file;
    in->name = strdup(name);
    if (in->name == NULL) {
        fail_memory(e, name, strlen(name) + 1);
    } else {
        look_at_file(in);
        /* bits of WebGraph may begin as a compressed file does */
        const int as_stored = in->regular && beside_webgraph(in->name);
        if (raw_in_init_file(&in->raw, in->fd, in->name, e) == ST_OK) {
            in->raw.seekable = in->regular;
            in->raw.start = in->start;
            in->raw.size = in->size;
            if (unwrap_open(&in->unwrap, &in->raw, as_stored, member, e) == ST_OK)
                refuse_empty(in, e);
        }
    }
    if (e->status != ST_OK) {
        input_close(in);
        return e->status;
    }
    *result = in;
    return ST_OK;
}

enum status input_open_first(struct input **result, const char *path, const char *member, struct error *e)
{
    int from_stdin = strcmp(path, "-") == 0;
    const char *name = from_stdin ? "standard input" : path;
    *result = NULL;
    int fd =
        from_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(e, name, "cannot open");
    if (isatty(fd)) {
        close(fd);
        return fail(e, ST_USAGE, "%s: is a terminal: give a file, or redirect the input", name);
    }
    return open_fd(result, fd, name, member, /* one_file */ 0, e);
}

enum status input_open_fd(struct input **result, int fd, const char *name, struct error *e)
{
    return open_fd(result, fd, name, NULL, /* one_file */ 1, e);
}

static void drop_first_block(struct input *in)
{
    struct block *block = in->kept.first;
    in->kept.first = block->next;
    if (in->kept.first == NULL)
        in->kept.last = NULL;
    in->kept.bytes -= sizeof *block;
    free(block);
}

/* Drops what was peeked and read ahead, and enters the next file of the archive. */
enum status input_next(struct input *in, int *end, struct error *e)
{
    while (in->kept.first != NULL)
        drop_first_block(in);
    in->peeked.at = in->peeked.end = 0;
    in->source_ended = in->ended = 0;
    if (unwrap_next(in->unwrap, end, e) != ST_OK) {
        in->failed = 1;
        return e->status;
    }
    in->source_ended = in->ended = *end;
    return *end ? ST_OK : refuse_empty(in, e);
}

void input_close(struct input *in)
{
    if (in == NULL)
        return;
    while (in->kept.first != NULL)
        drop_first_block(in);
    unwrap_close(in->unwrap);
    raw_in_free(&in->raw);
    close(in->fd);
    free(in->peeked.bytes);
    free(in->name);
    free(in);
}

const char *input_name(const struct input *in)
{
    return in->unwrap->name->text;
}

int input_from_archive(const struct input *in)
{
    return in->unwrap->archive_at != UNWRAP_NO_ARCHIVE;
}

/* Appends the names of the archive's files to a message. Reads on for them: the input is of no use afterwards. */
void input_explain_members(struct input *in, struct error *e)
{
    if (input_from_archive(in))
        archive_in_explain(in->unwrap->layers[in->unwrap->archive_at].archive, e);
}

const char *input_skipped(const struct input *in, uint64_t *count)
{
    *count = 0;
    return input_from_archive(in) ? archive_in_skipped(in->unwrap->layers[in->unwrap->archive_at].archive, count) : "";
}

int input_failed(const struct input *in)
{
    return in->failed;
}

int input_is_regular(const struct input *in)
{
    return in->regular;
}

/* ---- reading in order ---- */

/* Refuses a second file of an archive that was expected to hold one. Call it at the end of the first. */
static enum status refuse_second(struct input *in, struct error *e)
{
    int end;
    if (!in->one_file || unwrap_next(in->unwrap, &end, e) != ST_OK || end)
        return e->status;
    return fail(e, ST_BAD_DATA, "%s: found a second file in the archive, expected one only",
                input_name(in));
}

/* Reads unwrapped bytes, behind all that were read ahead. At the end it sets in->source_ended. */
static enum status read_source(struct input *in, void *bytes, size_t count, size_t *got, struct error *e)
{
    *got = 0;
    if (in->source_ended)
        return ST_OK;
    if (raw_in_read(in->unwrap->layers[in->unwrap->top].raw, bytes, count, got, e) != ST_OK)
        return e->status;
    in->source_ended = *got < count;
    return in->source_ended ? refuse_second(in, e) : ST_OK;
}

int input_read_ahead(struct input *in)
{
    if (in->source_ended || in->failure.status != ST_OK)
        return 0;
    struct block *block = malloc(sizeof *block);
    if (block == NULL) /* then it is read when its turn comes */
        return 0;
    block->next = NULL;
    block->at = block->end = 0;
    if (read_source(in, block->bytes, sizeof block->bytes, &block->end, &in->failure) != ST_OK ||
        block->end == 0) {
        free(block);
        return 0;
    }
    block->stored = in->raw.loaded;
    *(in->kept.last != NULL ? &in->kept.last->next : &in->kept.first) = block;
    in->kept.last = block;
    in->kept.bytes += sizeof *block;
    return 1;
}

size_t input_memory(const struct input *in)
{
    return in->kept.bytes + unwrap_memory(in->unwrap);
}

/* Moves up to `count` bytes out of the blocks that were read ahead, and frees those that are empty then. */
static size_t take_kept(struct input *in, unsigned char *bytes, size_t count)
{
    size_t got = 0;
    while (got < count && in->kept.first != NULL) {
        struct block *block = in->kept.first;
        size_t left = block->end - block->at, part = left < count - got ? left : count - got;
        memcpy(bytes + got, block->bytes + block->at, part);
        block->at += part;
        got += part;
        in->stored = block->stored;
        if (block->at < block->end)
            break;
        drop_first_block(in);
    }
    return got;
}

/* Reads the bytes behind the peeked ones: those read ahead, then the source's. Sets in->ended or in->failed. */
static enum status read_unpeeked(struct input *in, void *bytes, size_t count, size_t *got, struct error *e)
{
    size_t more = 0;
    *got = 0;
    if (in->ended)
        return ST_OK;
    *got = take_kept(in, bytes, count);
    if (*got < count) {
        if (in->failure.status != ST_OK)
            *e = in->failure;
        else if (read_source(in, (char *)bytes + *got, count - *got, &more, e) == ST_OK)
            in->stored = in->raw.loaded;
        *got += more;
    }
    in->failed |= e->status != ST_OK;
    in->ended = *got < count;
    return e->status;
}

enum status input_peek(struct input *in, size_t want, const unsigned char **bytes, size_t *count, struct error *e)
{
    size_t have = in->peeked.end - in->peeked.at, got;
    if (want > have) {
        if (in->peeked.at > 0)
            memmove(in->peeked.bytes, in->peeked.bytes + in->peeked.at, have);
        in->peeked.at = 0;
        in->peeked.end = have;
        if (want > in->peeked.capacity) {
            unsigned char *grown = realloc(in->peeked.bytes, want);
            if (grown == NULL)
                return fail_memory(e, input_name(in), want);
            in->peeked.bytes = grown;
            in->peeked.capacity = want;
        }
        if (read_unpeeked(in, in->peeked.bytes + have, want - have, &got, e) != ST_OK)
            return e->status;
        in->peeked.end += got;
    }
    *bytes = in->peeked.bytes + in->peeked.at;
    *count = in->peeked.end - in->peeked.at;
    return ST_OK;
}

enum status input_read(struct input *in, void *bytes, size_t count, size_t *got, struct error *e)
{
    size_t have = in->peeked.end - in->peeked.at, more = 0;
    *got = have < count ? have : count;
    if (*got > 0)
        memcpy(bytes, in->peeked.bytes + in->peeked.at, *got);
    in->peeked.at += *got;
    if (*got < count) {
        if (read_unpeeked(in, (char *)bytes + *got, count - *got, &more, e) != ST_OK)
            return e->status;
        *got += more;
    }
    return ST_OK;
}

/* ---- random access ---- */

int input_random_access(const struct input *in)
{
    return in->regular && unwrap_innermost(in->unwrap) == WRAPPING_NONE;
}

uint64_t input_size(const struct input *in)
{
    return in->size;
}

enum status input_read_at(const struct input *in, uint64_t offset, void *bytes, size_t count,
                          size_t *got, struct error *e)
{
    return read_fully_at(in->fd, in->start + offset, bytes, count, got) == 0 ? ST_OK : fail_errno(e, in->name, "cannot read");
}

enum status input_reopen(const struct input *in, int *fd, struct error *e)
{
    *fd = fcntl(in->fd, F_DUPFD_CLOEXEC, 3);
    if (*fd >= 0 && lseek(*fd, (off_t)in->start, SEEK_SET) >= 0)
        return ST_OK;
    fail_errno(e, in->name, "cannot read it from its start");
    if (*fd >= 0)
        close(*fd);
    return e->status;
}

uint64_t input_stored_size(const struct input *in)
{
    return in->regular ? in->size : 0;
}

uint64_t input_stored_position(const struct input *in)
{
    return in->stored;
}
