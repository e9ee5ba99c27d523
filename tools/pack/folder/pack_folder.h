/* pack_folder.h: the folder that becomes a shard directory: who may write there, and what is left
 * when that fails or is killed.
 *
 * At every moment the folder is one of three: without manifest and journal, it is no graph and any
 * packing may take it; with a manifest, it is that graph; with a journal alone, it is an unfinished
 * packing, which `--resume` goes on with. So the journal comes before the first part and goes after
 * the manifest, and an older manifest goes before the first part does. The unit of restart is the
 * finished part: renamed into place when it is whole, and proven again by its checksums.
 */
#ifndef DBFS_PACK_FOLDER_H
#define DBFS_PACK_FOLDER_H

#include "formats/base/status.h"
#include "journal.h"
#include "formats/mpi/comm.h"

#include <stddef.h>
#include <stdint.h>

enum pack_folder_mode {
    FOLDER_NEW,   /* a missing folder (it is made) or an empty one */
    FOLDER_FORCE, /* any */
    FOLDER_RESUME /* as FOLDER_NEW, or one with this packing, unfinished or complete */
};

struct pack_folder {
    const char *path;
    enum pack_folder_mode mode;
    int fd;              /* the folder, locked; -1: none */
    int made;            /* by us */
    int has_manifest;
    int has_journal;     /* an earlier run's */
    int journal_written; /* by us: goes when we leave without any part */
    int journal_current; /* says all that we know */
    int claimed;
    struct journal journal; /* of this packing */
    struct journal found;   /* what stands in the folder: its journal, or else its manifest */
    unsigned char *finished; /* [p] parts of this packing that are in place */
    uint32_t finished_count;
};

/* Refuses with ST_USAGE inputs that a packing into the folder would replace or remove (outfile.h); a NULL
 * is none. Call it before anything is read. */
enum status pack_folder_refuse_inputs(const char *path, const char *const *inputs, size_t count,
                                      struct error *e);

/* Opens and locks the folder and removes temporary files that a killed run left. `wanted` holds what
 * the options say; where nothing stood there, it is written as the journal. ST_RUNTIME: the folder is
 * not to be used in this mode, or by another process at this moment. */
enum status pack_folder_open(struct pack_folder *folder, const char *path,
                             enum pack_folder_mode mode, const struct journal *wanted,
                             struct error *e);

/* The same for a rank other than the first of a job, which leaves the folder to that one: finds out
 * from it what it found. The first rank calls pack_folder_share after pack_folder_open; collective. */
enum status pack_folder_join(struct pack_folder *folder, const char *path,
                             enum pack_folder_mode mode, const struct journal *wanted,
                             struct error *e);
enum status pack_folder_share(struct pack_folder *folder, const struct comm *comm,
                              struct error *e);

/* The TH that was suggested before this packing was interrupted, when it was for the same stream:
 * nonzero, and *th. */
int pack_folder_suggested_th(const struct pack_folder *folder, uint64_t checksum, uint64_t *th);

/* Completes the journal. ST_RUNTIME in FOLDER_RESUME when the folder holds another packing. */
enum status pack_folder_identify(struct pack_folder *folder, uint64_t th, uint64_t checksum,
                                 uint64_t pack_id, struct error *e);

/* Before the first part is written, and after pack_folder_note of those that are to stay: what
 * stands in the folder is no graph any more from here on, and its other parts are gone. */
enum status pack_folder_claim(struct pack_folder *folder, struct error *e);

/* The path of a part, to free. NULL: out of memory. */
char *pack_folder_part(const struct pack_folder *folder, uint32_t shard);

/* This part is in place. */
void pack_folder_note(struct pack_folder *folder, uint32_t shard);

/* After the manifest: the journal goes. */
enum status pack_folder_finish(struct pack_folder *folder, struct error *e);

/* After a failure: without any finished part, what this run made is removed. */
void pack_folder_abandon(struct pack_folder *folder);

void pack_folder_close(struct pack_folder *folder); /* a zeroed folder, but for fd -1, is allowed */

#endif
