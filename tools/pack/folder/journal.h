/* journal.h: the file `packing` in the folder of an unfinished packing (SPEC-shard.md).
 *
 * It tells people and `dbfs-pack --resume` which packing the parts beside it belong to. When all parts are in
 * place, the manifest replaces it. It says nothing about single parts: each part is proven by its own
 * checksums (shard_prove.h).
 */
#ifndef DBFS_JOURNAL_H
#define DBFS_JOURNAL_H

#include "formats/graph/manifest.h"
#include "formats/graph/shard.h"
#include "formats/split.h"
#include "formats/base/status.h"
#include "tools/separate/predict.h"

#include <stdint.h>

struct journal {
    /* The names of the streams, each followed by a newline: for people, and not read back. Not owned. */
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

/* Reads FOLDER/packing. *found is 0 if there is no such file. ST_BAD_DATA: the file is not a journal, is
 * corrupt, or is of another version. */
enum status journal_read(struct journal *journal, const char *folder, int *found, struct error *e);

#endif
