/* parts.h: the parts of a packing, and the manifest that binds them: which are there already, building
 * the others, each rank its share.
 */
#ifndef DBFS_PARTS_H
#define DBFS_PARTS_H

#include "formats/manifest.h"
#include "formats/base/memory.h"
#include "tools/pack/place/gather.h"
#include "pack_folder.h"
#include "tools/pack/build/shard_write.h"
#include "formats/mpi/comm.h"

#include <stdint.h>

struct parts {
    struct pack_folder folder; /* the first rank's work; the others know what is in it */
    struct manifest manifest;  /* whole once all parts are there */
    const struct comm *comm;
    struct memory_budget *budget;
    int threads;
    double sync_seconds;
};

/* After everything but the parts stands in the manifest. */
enum status parts_start(struct parts *parts, struct error *e);

/* Takes over the parts in the folder that belong to this packing and are whole. Collective. */
enum status parts_prove(struct parts *parts, struct error *e);

static inline int parts_complete(const struct parts *parts)
{
    return parts->folder.finished_count == parts->manifest.p;
}

/* Writes the parts that are missing, the last one first, a part on each rank at a time. `gathering`
 * says how they get their edges; its targets are not read. Collective. */
enum status parts_write(struct parts *parts, const struct packing *packing,
                        const struct gathering *gathering, struct error *e);

/* Writes the manifest and ends the journal; where that is done already, *was_complete. */
enum status parts_finish(struct parts *parts, int *was_complete, struct error *e);

/* After success or failure: leaves the folder as pack_folder.h says. */
void parts_end(struct parts *parts, enum status status);

#endif
