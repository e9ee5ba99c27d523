/* archive_none.c: replaces archive_in.c in a build without libarchive (make ARCHIVE=0). It refuses every archive, and names the
 * command to use instead. */
#include "archive_in.h"

enum status archive_in_open(struct archive_in **archive, struct raw_in *raw, enum wrapping kind,
                            const char *member, struct error *e)
{
    (void)member;
    *archive = NULL;
    return fail(e, ST_BAD_DATA,
                "%s: found the start of a file of kind '%s', which this edgeconv, built without "
                "libarchive, does not read: use `%s | edgeconv -`",
                raw->name, wrapping_name(kind), wrapping_pipe(kind));
}

void archive_in_close(struct archive_in *archive)
{
    (void)archive;
}

enum status archive_in_next(struct archive_in *archive, int *end, struct error *e)
{
    (void)archive;
    (void)e;
    *end = 1;
    return ST_OK;
}

void archive_in_explain(struct archive_in *archive, struct error *e)
{
    (void)archive;
    (void)e;
}

const char *archive_in_skipped(const struct archive_in *archive, uint64_t *count)
{
    (void)archive;
    *count = 0;
    return "";
}

const char *archive_in_path(const struct archive_in *archive)
{
    (void)archive;
    return NULL;
}

/* Never called, since archive_in_open fails without libarchive. */
enum status archive_in_read(struct archive_in *archive, void *bytes, size_t count, size_t *got, struct error *e)
{
    (void)archive;
    (void)bytes;
    (void)count;
    (void)e;
    *got = 0;
    return ST_OK;
}
