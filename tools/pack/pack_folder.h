/* pack_folder.h: the folder that becomes a shard directory: who may write there, and what is left
 * when that fails.
 *
 * A folder without a manifest is never traversed, so the manifest goes first and comes last.
 */
#ifndef DBFS_PACK_FOLDER_H
#define DBFS_PACK_FOLDER_H

#include "formats/status.h"

#include <stdint.h>

struct pack_folder {
    const char *path;
    uint32_t p;
    int made;           /* by us */
    uint32_t first_part; /* parts first_part..p-1 are ours */
};

/* Takes a missing (it is made) or empty folder; any other only with `force`. ST_RUNTIME otherwise. */
enum status pack_folder_open(struct pack_folder *folder, const char *path, uint32_t p, int force,
                             struct error *e);

/* Removes a manifest and the parts of an earlier packing, before the first new part. */
enum status pack_folder_clear(const struct pack_folder *folder, struct error *e);

/* The path of a part, to free; noted as ours once it has been written. NULL: out of memory. */
char *pack_folder_part(const struct pack_folder *folder, uint32_t shard);

/* Removes what this run wrote. */
void pack_folder_abandon(const struct pack_folder *folder);

#endif
