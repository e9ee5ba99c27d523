/* wdc_index.h: makes a map from the index of a WDC hyperlink graph.
 *
 * An index has lines `name<TAB>id` with ids 0, 1, ... in order. A name may contain tabs, so the last tab of a
 * line ends the name. The map has only the names (formats/SPEC-map.md).
 */
#ifndef DBFS_WDC_INDEX_H
#define DBFS_WDC_INDEX_H

#include "formats/base/outfile.h"
#include "formats/base/status.h"

#include <stdint.h>

/* Reads one part of an index and appends its names to `map`. If `path` is an archive, reads its files that
 * match `member` (NULL: all). The first id must be *next; afterwards *next is the id after the last one. A line
 * longer than `max_line_bytes` is ST_RESOURCE. */
enum status wdc_index_read(const char *path, const char *member, struct outfile *map,
                           uint64_t max_line_bytes, uint64_t *next, struct error *e);

#endif
