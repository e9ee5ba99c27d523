/* wdc_index.h: makes a map (formats/SPEC-map.md) from the index of a WDC hyperlink graph. An index has lines `name<TAB>id` with
 * ids 0, 1, ... in order. A name may contain tabs, so the last tab of a line ends the name. */
#ifndef DBFS_WDC_INDEX_H
#define DBFS_WDC_INDEX_H

#include "formats/base/outfile.h"
#include "formats/base/status.h"

#include <stdint.h>

/* Reads one part of an index and appends its names to `map`. Of an archive, the files that match `member` are read; NULL matches all.
 * The first id must be *next, which then becomes the id after the last one. ST_RESOURCE if a line is longer than `max_line_bytes`. */
enum status wdc_index_read(const char *path, const char *member, struct outfile *map,
                           uint64_t max_line_bytes, uint64_t *next, struct error *e);

#endif
