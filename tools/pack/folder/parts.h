/* parts.h: finds the parts of a packing that exist already, builds the others, each rank its share, and writes the manifest */
#ifndef DBFS_PARTS_H
#define DBFS_PARTS_H

#include "formats/graph/manifest.h"
#include "formats/base/memory.h"
#include "tools/pack/place/gather.h"
#include "pack_folder.h"
#include "tools/pack/build/shard_write.h"
#include "formats/mpi/comm.h"

#include <stdint.h>

struct parts {
    struct pack_folder folder; /* only the first rank writes there; all know what is in it */
    struct manifest manifest;  /* complete when all parts are written */
    const struct comm *comm;
    struct memory_budget *budget;
    int threads;
    double sync_seconds;
    uint32_t unseen; /* at the end: parts on other hosts, which the first rank cannot see */
};

/* Keeps the parts of an earlier run that belong to this packing and are whole. Collective. */
enum status parts_prove(struct parts *parts, struct error *e);

static inline int parts_complete(const struct parts *parts)
{
    return parts->folder.finished_count == parts->manifest.p;
}

/* Writes the missing parts, the last one first; each rank writes one at a time. `gathering` says how a rank gets the edges of
 * its part, whichever that is. Collective. */
enum status parts_write(struct parts *parts, const struct packing *packing,
                        const struct gathering *gathering, struct error *e);

/* Writes the manifest and removes the journal. *was_complete is set to nonzero if an earlier run had done so already. */
enum status parts_finish(struct parts *parts, int *was_complete, struct error *e);

/* Ends a packing that succeeded or failed, and leaves the folder in one of the states of pack_folder.h. */
void parts_end(struct parts *parts, enum status status);

#endif
