/* edge_stream.c: see edge_stream.h */
#include "edge_stream.h"

#include "edge_union.h"

#include "formats/base/progress.h"
#include "formats/base/signals.h"
#include "tools/spill/unnamed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* A pipe may take the KEPT_SHARE-th part of the memory that is left. */
enum { COPY_BYTES = 1 << 20, KEPT_SHARE = 4 };

/* ---- a live pipe ---- */

/* A pipe on its way to a file that can be read again. */
struct edge_copy {
    struct edge_stream *stream;
    const char *folder; /* for a file on disk */
    uint64_t most_kept; /* bytes that may stay in memory */
    int file;
    int on_disk; /* 1: `file` is in `folder`; 0: it is in memory */
};

/* A pipe of which only the preamble has been read. Its bytes are remembered in case the pipe must be kept after all. */
struct live_pipe {
    struct edges_reader *reader;
    int fd;
    int copied; /* 1: what is read goes into `copy`, too (edge_stream_keep_while_read) */
    struct edge_copy copy;
    size_t head_bytes;
    unsigned char head[EDGES_MAX_PREAMBLE_BYTES];
};

/* byte_source.read of a live pipe; remembers what comes before the reader is open, the preamble, and copies what is to be kept. */
static enum status read_live(void *from, void *bytes, size_t count, size_t *got, struct error *e)
{
    struct live_pipe *live = from;
    ssize_t done;
    do {
        done = read(live->fd, bytes, count);
    } while (done < 0 && errno == EINTR);
    *got = done > 0 ? (size_t)done : 0;
    if (live->reader == NULL && *got <= sizeof live->head - live->head_bytes) {
        memcpy(live->head + live->head_bytes, bytes, *got);
        live->head_bytes += *got;
    }
    if (done < 0)
        return fail_errno(e, "edge stream", "cannot read the pipe");
    return live->copied ? edge_copy_append(&live->copy, bytes, *got, e) : ST_OK;
}

/* Closes the reader; the descriptor of a pipe stays open if s->fd is still the pipe. */
static void close_live(struct edge_stream *s)
{
    if (s->live != NULL)
        edges_reader_close(s->live->reader);
    if (s->live != NULL && s->live->copied)
        close(s->live->fd);
    free(s->live);
    s->live = NULL;
}

/* Reads the preamble of a pipe. If that does not tell what to expect, and it must, the pipe is kept, and no longer live. */
static enum status open_live(struct edge_stream *s, enum pipe_use use, struct edges_info *info, struct error *e)
{
    struct edges_reader *reader = NULL;
    s->live = calloc(1, sizeof *s->live);
    if (s->live == NULL)
        return fail_memory(e, s->name, sizeof *s->live);
    s->live->fd = s->fd;
    struct byte_source source = {s->live, read_live};
    edges_reader_open_source(&reader, source, s->name, e);
    if (e->status == ST_BAD_DATA && s->live->head_bytes == 0) {
        *e = (struct error){0};
        fail(e, ST_BAD_DATA, "%s: is empty: the program before the pipe wrote nothing", s->name);
    }
    if (e->status != ST_OK)
        return e->status;
    s->live->reader = reader;
    *info = *edges_reader_info(reader);
    if (!edge_union_expect(info->provenance, &s->totals) && use != PIPE_LIVE)
        return edge_stream_keep(s, NULL, e);
    s->bytes = 8 * s->totals.edges;
    return ST_OK;
}

struct edges_reader *edge_stream_live_reader(const struct edge_stream *s)
{
    return s->live != NULL ? s->live->reader : NULL;
}

/* Compares the n that the preamble made expect (0: none) with that of the trailer. */
static enum status compare_expected(const struct edge_stream *s, uint64_t n, struct error *e)
{
    if (n == 0 || n == s->totals.n)
        return ST_OK;
    return fail(e, ST_BAD_DATA, "%s: provenance does not match the trailer: it says %llu vertices, and "
                "there are %llu", s->name, (unsigned long long)n, (unsigned long long)s->totals.n);
}

/* Ends the one pass over a live pipe: its trailer, which the tally must fit, gives the totals. */
enum status edge_stream_finish_live(struct edge_stream *s, const struct edges_totals *tally, struct error *e)
{
    uint64_t n = s->totals.n;
    edges_reader_finish(s->live->reader, tally, &s->totals, e);
    compare_expected(s, n, e);
    s->forgotten = !s->live->copied;
    if (s->live->copied)
        s->bytes = s->kept_bytes + s->spooled_bytes;
    close_live(s);
    return e->status;
}

/* ---- a pipe ---- */

/* Moves the bytes in memory, if there are any, to a file on disk, where copying goes on. */
static enum status move_to_disk(struct edge_copy *c, struct error *e)
{
    struct edge_stream *s = c->stream;
    int memory = c->file;
    off_t at = 0;
    ssize_t moved = 1;
    c->file = unnamed_file(c->folder);
    c->on_disk = 1;
    if (c->file < 0)
        fail_errno(e, c->folder, "cannot create a temporary file");
    while (e->status == ST_OK && memory >= 0 && (uint64_t)at < s->kept_bytes && moved > 0) {
        moved = sendfile(c->file, memory, &at, COPY_BYTES);
        if (moved < 0 && errno != EINTR)
            fail_errno(e, c->folder, "cannot write a temporary copy of the edge stream");
        moved = moved < 0 ? 1 : moved;
    }
    if (memory >= 0)
        close(memory);
    s->spooled_bytes = s->kept_bytes;
    memory_discharge(s->budget, s->kept_bytes);
    s->kept_bytes = 0;
    return e->status;
}

/* Appends bytes to the copy of the pipe: in memory as long as that has room, else on disk. */
enum status edge_copy_append(struct edge_copy *c, const void *bytes, size_t count, struct error *e)
{
    struct edge_stream *s = c->stream;
    if (!c->on_disk && s->kept_bytes + count > c->most_kept && move_to_disk(c, e) != ST_OK)
        return e->status;
    if (unnamed_append(c->file, bytes, count, c->folder, "a temporary copy of the edge stream", e) != ST_OK)
        return e->status;
    if (c->on_disk) {
        s->spooled_bytes += count;
    } else {
        s->kept_bytes += count;
        memory_charge_planned(s->budget, count);
    }
    return ST_OK;
}

/* Keeps all that comes out of the pipe. */
static enum status copy_pipe(struct edge_copy *c, struct error *e)
{
    struct edge_stream *s = c->stream;
    unsigned char *buffer = malloc(COPY_BYTES);
    if (buffer == NULL)
        fail_memory(e, s->name, COPY_BYTES);
    while (e->status == ST_OK) {
        ssize_t got = read(s->fd, buffer, COPY_BYTES);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            fail_errno(e, s->name, "cannot read");
        if (got <= 0)
            break;
        edge_copy_append(c, buffer, (size_t)got, e);
        progress_add((uint64_t)got);
    }
    free(buffer);
    return e->status;
}

/* Appends what was read of a live pipe: the preamble, a block that was read ahead, the edges that were taken, and the trailer if a pass has
 * come to it. */
static enum status copy_taken(struct edge_copy *c, const struct edges_taken *taken, struct error *e)
{
    const struct live_pipe *live = c->stream->live;
    struct edges_totals totals;
    unsigned char trailer[EDGES_TRAILER_BYTES];
    const struct edges_block *ahead = edges_reader_ahead(live->reader);
    if (edge_copy_append(c, live->head, live->head_bytes, e) != ST_OK ||
        (ahead != NULL && edge_copy_append(c, ahead->bytes, ahead->size, e) != ST_OK) ||
        (taken != NULL && taken->write(taken->context, c, e) != ST_OK) || !edges_reader_ended(live->reader, &totals))
        return e->status;
    edges_encode_trailer(&totals, trailer);
    return edge_copy_append(c, trailer, sizeof trailer, e);
}

/* Begins a copy of the pipe with what was read of it: in memory, unless the stream is known to be too long for that. */
static enum status begin_copy(struct edge_copy *c, struct edge_stream *s, const char *folder, const struct edges_taken *taken,
                              struct error *e)
{
    *c = (struct edge_copy){.stream = s, .folder = folder, .most_kept = memory_left(s->budget) / KEPT_SHARE};
    signals_ignore_writes(); /* the limit of file sizes holds in memory, too */
    c->file = s->bytes <= c->most_kept ? memfd_create("edge stream", MFD_CLOEXEC) : -1;
    if (c->file < 0)
        move_to_disk(c, e);
    if (e->status == ST_OK && s->live != NULL)
        copy_taken(c, taken, e);
    return e->status;
}

/* Replaces the pipe s->fd by a file with the bytes that came out of it, those that were read before too. */
static enum status keep_pipe(struct edge_stream *s, const char *folder, const struct edges_taken *taken, struct error *e)
{
    struct edge_copy c;
    progress_stage("reading the pipe", 0, PROGRESS_BYTES);
    if (begin_copy(&c, s, folder, taken, e) == ST_OK)
        copy_pipe(&c, e);
    close(s->fd);
    s->fd = c.file;
    s->start = 0;
    s->bytes = s->kept_bytes + s->spooled_bytes;
    return e->status;
}

enum status edge_stream_keep_while_read(struct edge_stream *s, struct error *e)
{
    begin_copy(&s->live->copy, s, s->tmpdir, /* taken */ NULL, e);
    s->fd = s->live->copy.file;
    s->live->copied = 1;
    return e->status;
}

/* ---- opening ---- */

/* Sets s->name and s->fd, and if it is a pipe. Refuses folders and terminals. */
static enum status open_path(struct edge_stream *s, const char *path, struct error *e)
{
    struct stat st;
    int is_stdin = strcmp(path, "-") == 0;
    s->name = strdup(is_stdin ? "standard input" : path);
    s->fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);
    if (s->name == NULL) {
        fail_memory(e, path, strlen(path));
    } else if (s->fd < 0 || fstat(s->fd, &st) != 0) {
        fail_errno(e, s->name, "cannot open");
    } else if (S_ISREG(st.st_mode)) {
        s->start = lseek(s->fd, 0, SEEK_CUR);
        s->bytes = st.st_size > s->start ? (uint64_t)(st.st_size - s->start) : 0;
        s->device = st.st_dev;
        s->inode = st.st_ino;
        posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    } else if (S_ISDIR(st.st_mode)) {
        fail(e, ST_BAD_DATA, "%s: is a directory, not an edge stream", s->name);
    } else if (isatty(s->fd)) {
        fail(e, ST_USAGE, "%s: is a terminal, not an edge stream: give a file, or a pipe from edgeconv "
             "or rmatgen", s->name);
    } else {
        s->is_pipe = 1;
        fcntl(s->fd, F_SETPIPE_SZ, COPY_BYTES); /* fewer turns; refused, the pipe stays as it is */
    }
    return e->status;
}

/* Finds out why a stream has no trailer at its end: goes from block header to block header, and returns the failure of that. */
static enum status walk_blocks(const struct edge_stream *s, struct edges_reader *reader, struct error *e)
{
    struct edges_block block = {0};
    int end = 0;
    while (!end && edges_reader_take(reader, &block, &end, e) == ST_OK)
        continue;
    edges_block_free(&block);
    return e->status == ST_OK ? edges_scan_changed(s->name, e) : e->status;
}

/* Reads preamble and trailer of a stream that can be read again: *info and s->totals. */
static enum status read_ends(struct edge_stream *s, struct edges_info *info, struct error *e)
{
    struct edges_reader *reader = NULL;
    if (edge_stream_open_reader(s, &reader, e) == ST_OK) {
        *info = *edges_reader_info(reader);
        if (!edges_peek_totals(s->fd, &s->totals))
            walk_blocks(s, reader, e);
    }
    edges_reader_close(reader);
    return e->status;
}

/* Reads the pipe to its end, and takes the totals from the trailer. */
enum status edge_stream_keep(struct edge_stream *s, const struct edges_taken *taken, struct error *e)
{
    struct edges_info info;
    uint64_t n = s->totals.n;
    if (keep_pipe(s, s->tmpdir, taken, e) == ST_OK && read_ends(s, &info, e) == ST_OK)
        compare_expected(s, n, e);
    close_live(s);
    return e->status;
}

enum status edge_stream_open(struct edge_stream *s, const char *path, enum pipe_use use,
                             const char *tmpdir, struct memory_budget *budget,
                             struct edges_info *info, struct error *e)
{
    *s = (struct edge_stream){.fd = -1, .budget = budget, .tmpdir = tmpdir};
    if (open_path(s, path, e) == ST_OK && s->is_pipe && use != PIPE_KEPT)
        open_live(s, use, info, e);
    else if (e->status == ST_OK && s->is_pipe)
        keep_pipe(s, tmpdir, NULL, e);
    if (e->status == ST_OK && s->live == NULL)
        read_ends(s, info, e);
    if (e->status != ST_OK)
        edge_stream_close(s);
    return e->status;
}

void edge_stream_close(struct edge_stream *s)
{
    if (s->name != NULL && s->fd >= 0)
        close(s->fd);
    if (s->kept_bytes > 0)
        memory_discharge(s->budget, s->kept_bytes);
    close_live(s);
    free(s->name);
    memset(s, 0, sizeof *s);
}

/* Frees the copy of a pipe in memory, which cannot be read again then. Does nothing for files. */
void edge_stream_forget(struct edge_stream *s)
{
    if (s->kept_bytes == 0 || ftruncate(s->fd, 0) != 0)
        return;
    memory_discharge(s->budget, s->kept_bytes);
    s->kept_bytes = 0;
    s->forgotten = 1;
}

enum status edge_stream_open_reader(const struct edge_stream *s, struct edges_reader **reader, struct error *e)
{
    *reader = NULL;
    int fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 3);
    if (fd < 0)
        return fail_errno(e, s->name, "cannot open again");
    if (lseek(fd, s->start, SEEK_SET) < 0) {
        fail_errno(e, s->name, "cannot read again from its start");
        close(fd);
        return e->status;
    }
    return edges_reader_open_fd(reader, fd, s->name, e);
}
