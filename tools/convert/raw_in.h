/* raw_in.h: a file descriptor read in order through one buffer, as the decompressors want it */
#ifndef DBFS_RAW_IN_H
#define DBFS_RAW_IN_H

#include "formats/status.h"

#include <stddef.h>
#include <stdint.h>

struct raw_in {
    int fd; /* not owned */
    const char *name;
    unsigned char *buffer;
    size_t at, end;  /* the bytes not yet consumed are buffer[at..end) */
    uint64_t offset; /* of buffer[0] in the file or stream */
    int ended;
};

enum status raw_in_init(struct raw_in *raw, int fd, const char *name, struct error *e);
void raw_in_free(struct raw_in *raw);

/* Reads more behind what is not yet consumed, at least one byte unless the file has ended. */
enum status raw_in_fill(struct raw_in *raw, struct error *e);

/* Moves up to `count` bytes out; *got is fewer only at the end of the file. */
enum status raw_in_read(struct raw_in *raw, void *bytes, size_t count, size_t *got,
                        struct error *e);

/* Position of the next byte to be consumed. */
static inline uint64_t raw_in_position(const struct raw_in *raw)
{
    return raw->offset + raw->at;
}

/* read(2) until `count` bytes or the end of the file; interrupted calls are repeated. */
enum status read_fully(int fd, const char *name, void *bytes, size_t count, size_t *got,
                       struct error *e);

#endif
