/* spill.h: temporary files for what the memory budget cannot hold, in one or several folders.
 *
 * The files have no names, so they disappear with the process, however that ends. Extents go to the
 * folders in turn, each as one sequential run. What is written must be checked by its owner when it
 * is read back: a CRC belongs to the records, whose owner knows them.
 */
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

/* Folders are looked at when they are first used. */
void spill_open(struct spill *spill, const char *const *folders, int count);
void spill_close(struct spill *spill); /* a zeroed spill is allowed */

/* Room for `bytes` in the next folder's file. Any thread. */
enum status spill_reserve(struct spill *spill, uint64_t bytes, struct spill_extent *extent,
                          struct error *e);

/* Writes or reads `bytes` at `at` within an extent. Any thread. Errors name the folder; ST_RESOURCE
 * where its disk is full. The pieces of `vector` are used up. */
enum status spill_write(const struct spill *spill, const struct spill_extent *extent, uint64_t at,
                        const void *bytes, uint64_t count, struct error *e);
enum status spill_write_vector(const struct spill *spill, const struct spill_extent *extent,
                               uint64_t at, struct iovec *vector, int pieces, struct error *e);
enum status spill_read(const struct spill *spill, const struct spill_extent *extent, uint64_t at,
                       void *bytes, uint64_t count, struct error *e);

/* What came back is not what was written. */
enum status spill_corrupt(const struct spill *spill, const struct spill_extent *extent,
                          uint64_t at, struct error *e);

/* Bytes on disk, in all folders. */
uint64_t spill_bytes(const struct spill *spill);

#endif
