/* journal.h: the file `packing`, which says what packing an unfinished folder belongs to (SPEC-shard.md). People and `dbfs-pack
 * --resume` read it. It says nothing about single parts, which are proven by their own checksums (shard_prove.h). The manifest
 * replaces it when all parts are in place. */
#ifndef DBFS_JOURNAL_H
#define DBFS_JOURNAL_H

#include "formats/graph/manifest.h"
#include "formats/graph/shard.h"
#include "formats/split.h"
#include "formats/base/status.h"
#include "tools/separate/predict.h"

#include <stdint.h>

struct journal {
    /* the names of the edge streams, a line for each, for people; never read back; the caller frees them */
    const char *inputs;
    uint32_t p;
    int heads[SUBGRAPHS]; /* as the options say: HEADS_AUTO or k */
    enum pack_encoding encoding;
    int th_known;         /* given, or suggested already */
    uint64_t th;
    enum th_choice th_choice;
    enum shard_links links; /* the links for which TH was suggested */
    int identified; /* the streams have been read, so the members below are known */
    uint64_t checksum; /* of the graph */
    uint64_t pack_id;
};

/* Writes FOLDER/packing, as a temporary file that is then renamed. */
enum status journal_write(const struct journal *journal, const char *folder, struct error *e);

/* Reads FOLDER/packing. *found is set to 0 if there is no such file. ST_BAD_DATA if the file is not a journal, is corrupt, or
 * has another version. */
enum status journal_read(struct journal *journal, const char *folder, int *found, struct error *e);

#endif
