/* wrapping.h: what graphs come wrapped in, told by content, whatever the name. */
#ifndef DBFS_WRAPPING_H
#define DBFS_WRAPPING_H

#include <stddef.h>

enum wrapping {
    WRAPPING_NONE, /* the graph itself, as far as this shows */
    WRAPPING_GZIP,
    WRAPPING_XZ,
    WRAPPING_BZIP2,
    WRAPPING_ZSTD,
    WRAPPING_TAR,
    WRAPPING_ZIP,
    WRAPPING_7Z,
};

enum { WRAPPING_SNIFF_BYTES = 512 };

/* By the first WRAPPING_SNIFF_BYTES, or all bytes of something shorter. */
enum wrapping wrapping_sniff(const unsigned char *bytes, size_t count);

/* Holds files with names; else one stream. */
int wrapping_is_archive(enum wrapping kind);

/* Memory that undoing it takes as its own programs write it by default; more where they were told
 * to look far back. */
size_t wrapping_memory(enum wrapping kind);

const char *wrapping_name(enum wrapping kind); /* such as "zip archive" */
const char *wrapping_pipe(enum wrapping kind); /* the command that writes what FILE holds */

#endif
