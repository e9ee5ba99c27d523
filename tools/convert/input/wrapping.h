/* wrapping.h: recognises compression and archives by their first bytes; the names of files do not matter */
#ifndef DBFS_WRAPPING_H
#define DBFS_WRAPPING_H

#include <stddef.h>

enum wrapping {
    WRAPPING_NONE, /* none of those below: probably the graph itself */
    WRAPPING_GZIP,
    WRAPPING_XZ,
    WRAPPING_BZIP2,
    WRAPPING_ZSTD,
    WRAPPING_TAR,
    WRAPPING_ZIP,
    WRAPPING_7Z,
};

enum { WRAPPING_SNIFF_BYTES = 512 };

/* Returns the wrapping of a file by its first WRAPPING_SNIFF_BYTES bytes, or by all its bytes if it has fewer. */
enum wrapping wrapping_sniff(const unsigned char *bytes, size_t count);

/* Nonzero if this wrapping holds files with names, and not just one stream of bytes. */
int wrapping_is_archive(enum wrapping kind);

/* Returns the memory that decompressing takes if the data was compressed with default settings. Settings that look back further need
 * more. */
size_t wrapping_memory(enum wrapping kind);

const char *wrapping_name(enum wrapping kind); /* such as "zip archive" */
const char *wrapping_pipe(enum wrapping kind); /* the command that writes the content of FILE */

#endif
