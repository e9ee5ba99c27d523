/* wdc_index.h: the index of a WDC hyperlink graph as a map.
 *
 * Lines `name<TAB>id`, ids 0, 1, ... in order; a name may hold tabs, so the last one ends it. The
 * map has the names alone (formats/SPEC-map.md).
 */
#ifndef DBFS_WDC_INDEX_H
#define DBFS_WDC_INDEX_H

#include "formats/base/outfile.h"
#include "formats/base/status.h"

#include <stdint.h>

/* Reads one part of an index, or the files of an archive that match `glob` (NULL: all), whose first
 * id is *next, and appends its names; *next becomes the id after its last. Lines longer than
 * `max_line_bytes` are ST_RESOURCE. */
enum status wdc_index_read(const char *path, const char *glob, struct outfile *map,
                           uint64_t max_line_bytes, uint64_t *next, struct error *e);

#endif
