/* file_kind.h: recognises files of dbfs, so that the message about a file of the wrong kind names the program that takes it */
#ifndef DBFS_FILE_KIND_H
#define DBFS_FILE_KIND_H

#include "formats/base/status.h"

#include <stddef.h>

/* Refuses an input whose first bytes are not those of an edge stream: ST_BAD_DATA. The message says what kind of file
 * it is and which program takes it. */
enum status file_kind_not_edges(const char *name, const unsigned char *bytes, size_t count, struct error *e);

/* Refuses a path that holds no manifest: ST_BAD_DATA for a file, ST_RUNTIME for a folder or if nothing is there. The
 * message says what the path is and which command makes shards of it. */
enum status file_kind_refuse_shards(const char *path, struct error *e);

#endif
