/* journal.h: the file `packing` of a folder in which a packing is under way (SPEC-shard.md).
 *
 * It says what the parts beside it will be, for people and for `dbfs-pack --resume`, and is replaced
 * by the manifest when all parts are in place. It claims nothing about the parts: each is proven by
 * its own checksums (shard_prove.h).
 */
#ifndef DBFS_JOURNAL_H
#define DBFS_JOURNAL_H

#include "formats/manifest.h"
#include "formats/shard.h"
#include "formats/base/status.h"

#include <stdint.h>

enum { JOURNAL_INPUT_BYTES = 1024 };

struct journal {
    char input[JOURNAL_INPUT_BYTES]; /* the name of the stream: for people, never compared */
    uint32_t p;
    int heads[SUBGRAPHS]; /* as asked: HEADS_AUTO or k */
    enum pack_encoding encoding;
    int th_known;         /* given, or suggested already */
    uint64_t th;
    int th_suggested;
    int identified; /* the stream has been read, and the rest is known: */
    uint64_t checksum; /* of the stream */
    uint64_t pack_id;
};

/* Writes FOLDER/packing by temporary file and rename. */
enum status journal_write(const struct journal *journal, const char *folder, struct error *e);

/* Reads FOLDER/packing; *found is 0, and nothing is read, where there is none. ST_BAD_DATA when it is
 * not a journal, corrupt, or of another version. */
enum status journal_read(struct journal *journal, const char *folder, int *found, struct error *e);

#endif
