/* parts.h: the parts of a packing, and the manifest that binds them.
 *
 * It finds the parts that exist already, builds the others, a share on each rank, and writes the manifest.
 */
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
    uint32_t unseen; /* at the end: parts that the first rank does not see, as they are on other hosts */
};

/* Call it when the manifest has everything except the parts. */
enum status parts_start(struct parts *parts, struct error *e);

/* Takes over the parts of an earlier run: those that belong to this packing and are whole. Collective. */
enum status parts_prove(struct parts *parts, struct error *e);

static inline int parts_complete(const struct parts *parts)
{
    return parts->folder.finished_count == parts->manifest.p;
}

/* Writes the parts that are missing, the last one first; each rank writes one at a time. `gathering` says how
 * a rank gets the edges of its part; its targets are set here. Collective. */
enum status parts_write(struct parts *parts, const struct packing *packing,
                        const struct gathering *gathering, struct error *e);

/* Writes the manifest and removes the journal. *was_complete: an earlier run had done so already. */
enum status parts_finish(struct parts *parts, int *was_complete, struct error *e);

/* Call it after success and after failure: it leaves the folder as pack_folder.h says. */
void parts_end(struct parts *parts, enum status status);

#endif
