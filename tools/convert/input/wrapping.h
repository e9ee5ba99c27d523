/* wrapping.h: recognises compression and archives by content; file names do not matter */
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

/* Recognises the wrapping from the first WRAPPING_SNIFF_BYTES bytes, or from all bytes if there are fewer. */
enum wrapping wrapping_sniff(const unsigned char *bytes, size_t count);

/* Nonzero if this wrapping holds files with names; otherwise it holds one stream. */
int wrapping_is_archive(enum wrapping kind);

/* The memory that decompressing takes if the data was compressed with default settings. Settings with longer
 * look-back need more. */
size_t wrapping_memory(enum wrapping kind);

const char *wrapping_name(enum wrapping kind); /* such as "zip archive" */
const char *wrapping_pipe(enum wrapping kind); /* the command that writes the content of FILE */

#endif
