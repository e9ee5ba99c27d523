/* sniff_foreign.h: recognises formats that edgeconv does not read, and refuses them with advice how to convert them */
#ifndef DBFS_SNIFF_FOREIGN_H
#define DBFS_SNIFF_FOREIGN_H

#include "formats/base/status.h"

#include <stddef.h>

/* The first bytes of an input, and the lines in them that are neither blank nor comments. The text ends in '\n' and is padded
 * (scan_text.h). */
struct foreign_sample {
    const char *name; /* of the input, for messages */
    const char *text;
    size_t bytes;
    const char *const *line;
    int lines;
    int separator_given; /* then ; and | are read and not refused */
};

/* Refuse, with ST_BAD_DATA, files that other programs compress or store in binary form, and graphs in other text formats. ST_OK
 * for any other file. */
enum status refuse_foreign_bytes(const struct foreign_sample *sample, struct error *e);
enum status refuse_foreign_text(const struct foreign_sample *sample, struct error *e);

/* Nonzero for the comments before lists of neighbours of networkx. */
int foreign_is_networkx(const struct foreign_sample *sample);

#endif
