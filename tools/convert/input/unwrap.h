/* unwrap.h: removes everything that a file is wrapped in: compression and archives, recognised by content. The files of an
 * archive come one after the other. An archive may be compressed, and so may its files (parts.tar.gz with part.txt.gz). An
 * archive within an archive is refused. */
#ifndef DBFS_UNWRAP_H
#define DBFS_UNWRAP_H

#include "archive_in.h"
#include "gzip_in.h"
#include "raw_in.h"
#include "wrapping.h"

enum { UNWRAP_LAYERS = 6, UNWRAP_NO_ARCHIVE = -1 };

struct unwrap_layer {
    struct raw_in *raw;
    struct raw_in own; /* `raw` points to it, except in the first layer */
    enum wrapping kind;
    struct gzip_in *gzip;
    struct archive_in *archive;
};

/* Names for messages, "file" or "archive(file)". They stay until the end, as some were given out. */
struct unwrap_name {
    struct unwrap_name *before;
    char text[];
};

struct unwrap {
    struct unwrap_layer layers[UNWRAP_LAYERS];
    int top;        /* its bytes are the plain ones */
    int archive_at; /* the layer that is an archive, or UNWRAP_NO_ARCHIVE */
    int is_over;    /* it has no more files */
    const char *member;
    struct unwrap_name *name; /* of the current file */
};

/* Unwraps `file`, which stays the caller's and must outlive the result. `member` chooses among the files of an
 * archive (NULL: all of them). The first chosen file is entered. With `as_stored`, the bytes stay as they are. */
enum status unwrap_open(struct unwrap **unwrap, struct raw_in *file, int as_stored, const char *member,
                        struct error *e);
void unwrap_close(struct unwrap *unwrap); /* NULL is allowed */

/* Goes to the next file of an archive. Sets *end if there is none. */
enum status unwrap_next(struct unwrap *unwrap, int *end, struct error *e);

/* An estimate of the memory that unwrapping takes. */
size_t unwrap_memory(const struct unwrap *unwrap);

/* Returns the innermost wrapping, which was removed last; WRAPPING_NONE if there is none. */
enum wrapping unwrap_innermost(const struct unwrap *unwrap);

#endif
