/* spill.h: temporary files for data that the memory budget cannot hold, in one or several folders. The files have no names, so
 * they disappear with the process, however it ends. An extent is a sequential piece of a file; the folders get extents by
 * turns. There are no CRCs here, because only the caller knows the records: it must check data that it reads back. */
#ifndef DBFS_SPILL_H
#define DBFS_SPILL_H

#include "formats/base/status.h"

#include <stdint.h>
#include <sys/uio.h>

enum { SPILL_MAX_FOLDERS = 16 };

struct spill {
    int count;
    const char *folder[SPILL_MAX_FOLDERS]; /* the caller's */
    int fd[SPILL_MAX_FOLDERS];             /* -1 until the folder is first used */
    uint64_t end[SPILL_MAX_FOLDERS];       /* bytes given to extents */
    int next;                              /* folder of the next extent */
};

struct spill_extent {
    int file;
    uint64_t offset, bytes;
};

/* A folder is not accessed until it is first used. */
void spill_open(struct spill *spill, const char *const *folders, int count);
void spill_close(struct spill *spill); /* a zeroed spill is allowed */

/* Reserves `bytes` in the file of the next folder. Any thread may call it. */
enum status spill_reserve(struct spill *spill, uint64_t bytes, struct spill_extent *extent, struct error *e);

/* Write or read `count` bytes at offset `at` of an extent. Any thread may call them. Errors name the folder; ST_RESOURCE if its
 * disk is full. spill_write_vector changes the entries of vector[]. */
enum status spill_write(const struct spill *spill, const struct spill_extent *extent, uint64_t at,
                        const void *bytes, uint64_t count, struct error *e);
enum status spill_write_vector(const struct spill *spill, const struct spill_extent *extent,
                               uint64_t at, struct iovec *vector, int pieces, struct error *e);
enum status spill_read(const struct spill *spill, const struct spill_extent *extent, uint64_t at,
                       void *bytes, uint64_t count, struct error *e);

/* Records that the data read back differs from the data written. */
enum status spill_corrupt(const struct spill *spill, const struct spill_extent *extent, uint64_t at, struct error *e);

/* The bytes on disk in all folders. */
uint64_t spill_bytes(const struct spill *spill);

#endif
