/* gzip_in.h: decompresses gzip data, member by member (RFC 1952). The CRC and the length of every member are checked. After a
 * member only another member may follow, or zero bytes, which pad blocked media. So a damaged file is an error that names the
 * byte, and never a shorter graph. */
#ifndef DBFS_GZIP_IN_H
#define DBFS_GZIP_IN_H

#include "raw_in.h"

struct gzip_in;

/* `raw` stays the caller's and must outlive the result. */
enum status gzip_in_open(struct gzip_in **gzip, struct raw_in *raw, struct error *e);
void gzip_in_close(struct gzip_in *gzip); /* NULL is allowed */

/* Decompresses up to `count` bytes. *got is fewer only at the end of the last member. */
enum status gzip_in_read(struct gzip_in *gzip, void *bytes, size_t count, size_t *got,
                         struct error *e);

#endif
