/* raw_in.h: a buffered source of bytes for decompressors, which get them in order, from a file or from another decompressor */
#ifndef DBFS_RAW_IN_H
#define DBFS_RAW_IN_H

#include "formats/base/byte_source.h"
#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { RAW_IN_BYTES = 1 << 18 }; /* of a buffer */

struct raw_in {
    struct byte_source source;
    const char *name; /* for messages; not owned */
    unsigned char *buffer;
    size_t at, end;  /* the bytes not yet consumed are buffer[at..end) */
    uint64_t offset; /* of buffer[0] in the file or stream */
    uint64_t loaded; /* bytes read from the source; bytes read again count again */
    int ended;
    /* for a file that can seek: where it starts in its descriptor, and its size */
    int fd; /* not owned; -1: no file */
    int seekable;
    uint64_t start, size;
};

enum status raw_in_init(struct raw_in *raw, struct byte_source source, const char *name,
                        struct error *e);

/* Reads from a descriptor, beginning at its current offset. */
enum status raw_in_init_file(struct raw_in *raw, int fd, const char *name, struct error *e);
void raw_in_free(struct raw_in *raw);

/* Reads more bytes behind those in the buffer that are not yet consumed: at least one, unless the source has ended. */
enum status raw_in_fill(struct raw_in *raw, struct error *e);

/* Consumes up to `count` bytes and copies them. *got is fewer only at the end of the source. */
enum status raw_in_read(struct raw_in *raw, void *bytes, size_t count, size_t *got,
                        struct error *e);

/* Moves to `position` in a seekable file, and drops the bytes in the buffer. */
enum status raw_in_seek(struct raw_in *raw, uint64_t position, struct error *e);

/* Position of the next byte to be consumed. */
static inline uint64_t raw_in_position(const struct raw_in *raw)
{
    return raw->offset + raw->at;
}

#endif
