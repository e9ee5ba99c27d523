/* pack_folder.h: the folder that becomes a shard directory: who may write there, and what is left if a packing fails or is
 * killed.
 *
 * At every moment the folder is in one of three states:
 * - without manifest and journal it is no graph, and any packing may use it;
 * - with a manifest it is that graph;
 * - with a journal and no manifest it is an unfinished packing, which `--resume` continues.
 *
 * Therefore the journal is written before the first part and removed after the manifest is written, and an older manifest is
 * removed before the first part is written. `--resume` keeps whole parts: a part gets its name only when it is finished, and
 * its checksums are compared again.
 */
#ifndef DBFS_PACK_FOLDER_H
#define DBFS_PACK_FOLDER_H

#include "formats/base/status.h"
#include "journal.h"
#include "formats/mpi/comm.h"

#include <stddef.h>
#include <stdint.h>

enum pack_folder_mode {
    FOLDER_NEW,   /* a missing folder, which is made, or an empty one */
    FOLDER_ONCE,  /* as FOLDER_NEW, but the caller removes the folder after a failure, so that nothing is resumed */
    FOLDER_FORCE, /* any */
    FOLDER_RESUME /* as FOLDER_NEW, or a folder with this packing, unfinished or complete */
};

struct pack_folder {
    const char *path;
    enum pack_folder_mode mode;
    int fd;              /* the folder, locked; -1: none */
    int made;            /* this run made the folder */
    int has_manifest;
    int has_journal;     /* one of an earlier run */
    int journal_written; /* by this run: removed if no part gets finished */
    int journal_current; /* the journal on disk says all that is known */
    int claimed;
    int undoable;        /* a signal removes the journal and, if it was made, the folder: `slot` */
    int slot[2];
    struct journal journal; /* of this packing */
    struct journal found;   /* what the folder held when it was opened, from its journal or, without one, its manifest */
    unsigned char *finished; /* [p] parts of this packing that are in place */
    uint32_t finished_count;
};

/* Refuses with ST_USAGE an input that a packing into the folder would replace or remove (outfile.h). Inputs may be NULL. Call
 * it before anything is read. */
enum status pack_folder_refuse_inputs(const char *path, const char *const *inputs, size_t count, struct error *e);

/* Opens and locks the folder, and removes temporary files that a killed run left. `wanted` describes the packing that the
 * options ask for; in an empty folder it becomes the journal. ST_RUNTIME if `mode` does not allow what the folder holds, or if
 * another process uses the folder. */
enum status pack_folder_open(struct pack_folder *folder, const char *path,
                             enum pack_folder_mode mode, const struct journal *wanted,
                             struct error *e);

/* Open the folder in a job of several ranks. The first rank calls pack_folder_open, every other rank pack_folder_join, and then
 * all call pack_folder_share, which tells the others what is in the folder. It also makes the folder on hosts that do not share
 * the first rank's file system. */
enum status pack_folder_join(struct pack_folder *folder, const char *path,
                             enum pack_folder_mode mode, const struct journal *wanted,
                             struct error *e);
enum status pack_folder_share(struct pack_folder *folder, const struct comm *comm, struct error *e);

/* Nonzero if the interrupted packing was of the same stream and its TH was suggested by the rule that is asked for now; *th is
 * set to that TH. */
int pack_folder_suggested_th(const struct pack_folder *folder, uint64_t checksum, uint64_t *th);

/* Completes the journal with facts that are known only after the stream was read. ST_RUNTIME if `--resume` was asked for, but
 * the folder holds another packing. */
enum status pack_folder_identify(struct pack_folder *folder, uint64_t th, uint64_t checksum,
                                 uint64_t pack_id, struct error *e);

/* Removes an older manifest and all parts that were not noted, so that the folder belongs to this packing. Call it after
 * pack_folder_note for the parts that stay, and before the first part is written. */
enum status pack_folder_claim(struct pack_folder *folder, struct error *e);

/* The path of a part; the caller frees it. NULL: out of memory. */
char *pack_folder_part(const struct pack_folder *folder, uint32_t shard);

/* Notes that this part is in place. */
void pack_folder_note(struct pack_folder *folder, uint32_t shard);

/* Removes the journal. Call it when the manifest is written. */
enum status pack_folder_finish(struct pack_folder *folder, struct error *e);

/* Closes a packing that failed. If no part is finished, everything that this run made is removed. */
void pack_folder_abandon(struct pack_folder *folder);

void pack_folder_close(struct pack_folder *folder); /* one that is zero except for fd = -1 is allowed */

#endif
