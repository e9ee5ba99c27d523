/* file_kind.h: tells the files of dbfs apart, for the messages of programs that were given the wrong one */
#ifndef DBFS_FILE_KIND_H
#define DBFS_FILE_KIND_H

#include "formats/base/status.h"

#include <stddef.h>

/* Refuses an input that does not begin as an edge stream, with ST_BAD_DATA. The message says what kind of file it is
 * and which program takes it. */
enum status file_kind_not_edges(const char *name, const unsigned char *bytes, size_t count,
                                struct error *e);

/* Refuses a path without a manifest: ST_BAD_DATA for a file, ST_RUNTIME for a folder or for nothing. The message says
 * what the path is and which command comes next. */
enum status file_kind_refuse_shards(const char *path, struct error *e);

#endif
