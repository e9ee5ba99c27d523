/* spill.c: see spill.h */
#include "spill.h"
#include "unnamed.h"

#include "formats/base/read_fully.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Begins a spill in these folders, none of which is accessed yet. */
void spill_open(struct spill *spill, const char *const *folders, int count)
{
    memset(spill, 0, sizeof *spill);
    for (int i = 0; i < count && i < SPILL_MAX_FOLDERS; i++) {
        spill->folder[i] = folders[i];
        spill->fd[i] = -1;
        spill->count++;
    }
}

void spill_close(struct spill *spill)
{
    for (int i = 0; i < spill->count; i++) {
        if (spill->fd[i] >= 0)
            close(spill->fd[i]);
    }
    memset(spill, 0, sizeof *spill);
}

/* Reserves `bytes` in the file of the next folder, which is made when the folder is first used. Any thread may call it. */
enum status spill_reserve(struct spill *s, uint64_t bytes, struct spill_extent *extent, struct error *e)
{
#pragma omp critical(spill_state)
    {
        int file = s->next;
        s->next = (s->next + 1) % s->count;
        if (s->fd[file] < 0)
            s->fd[file] = unnamed_file(s->folder[file]);
        if (s->fd[file] < 0)
            fail_errno(e, s->folder[file], "cannot create a temporary file");
        *extent = (struct spill_extent){.file = file, .offset = s->end[file], .bytes = bytes};
        s->end[file] += bytes;
    }
    return e->status;
}

/* Moves a vector past `done` bytes; returns the pieces left. */
static int advance(struct iovec **vector, int pieces, size_t done)
{
    while (pieces > 0 && done >= (*vector)->iov_len) {
        done -= (*vector)->iov_len;
        ++*vector;
        pieces--;
    }
    if (done > 0) {
        (*vector)->iov_base = (char *)(*vector)->iov_base + done;
        (*vector)->iov_len -= done;
    }
    return pieces;
}

/* Writes at offset `at` of an extent; changes the entries of vector[]. */
enum status spill_write_vector(const struct spill *s, const struct spill_extent *extent,
                               uint64_t at, struct iovec *vector, int pieces, struct error *e)
{
    while (pieces > 0) {
        ssize_t done = pwritev(s->fd[extent->file], vector, pieces, (off_t)(extent->offset + at));
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fail_errno(e, s->folder[extent->file], "cannot write a temporary file");
        at += (uint64_t)done;
        pieces = advance(&vector, pieces, (size_t)done);
    }
    return ST_OK;
}

enum status spill_write(const struct spill *s, const struct spill_extent *extent, uint64_t at,
                        const void *bytes, uint64_t count, struct error *e)
{
    struct iovec all = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = (size_t)count};
    return spill_write_vector(s, extent, at, &all, /* pieces */ count > 0, e);
}

/* Reads back `count` bytes at offset `at` of an extent. */
enum status spill_read(const struct spill *s, const struct spill_extent *extent, uint64_t at,
                       void *bytes, uint64_t count, struct error *e)
{
    size_t got;
    if (read_fully_at(s->fd[extent->file], extent->offset + at, bytes, count, &got) != 0)
        return fail_errno(e, s->folder[extent->file], "cannot read a temporary file back");
    if (got < count)
        return fail(e, ST_RUNTIME, "%s: a temporary file ends at byte %llu, and %llu more were "
                    "written", s->folder[extent->file],
                    (unsigned long long)(extent->offset + at + got), (unsigned long long)(count - got));
    return ST_OK;
}

/* Fails: the caller has found that what it read back is not what was written. */
enum status spill_corrupt(const struct spill *s, const struct spill_extent *extent, uint64_t at, struct error *e)
{
    return fail(e, ST_RUNTIME,
                "%s: a temporary file is corrupt at byte %llu (CRC differs): its disk "
                "does not give back what was written", s->folder[extent->file],
                (unsigned long long)(extent->offset + at));
}

/* Bytes of all extents. */
uint64_t spill_bytes(const struct spill *s)
{
    uint64_t bytes = 0;
    for (int i = 0; i < s->count; i++)
        bytes += s->end[i];
    return bytes;
}
