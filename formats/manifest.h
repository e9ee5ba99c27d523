/* manifest.h: the text file that makes a folder of shards one graph.
 *
 * One `key value` per line; the last line is the CRC of those before it. It is written after every
 * shard, so it exists only when everything is complete. Layout in SPEC-shard.md.
 */
#ifndef DBFS_MANIFEST_H
#define DBFS_MANIFEST_H

#include "edges.h"
#include "shard.h"

#define MANIFEST_NAME "manifest"
#define PACKING_NAME "packing" /* beside the parts until there is a manifest: SPEC-shard.md */

struct manifest_part {
    uint64_t bytes;     /* of the file */
    uint32_t table_crc; /* container_table_crc */
};

/* What dbfs-pack was asked for; which sections are packed stands in their shards. */
enum pack_encoding { PACK_RAW, PACK_PACKED, PACK_AUTO, PACK_ENCODINGS };

extern const char *const pack_encoding_name[PACK_ENCODINGS]; /* "raw", "packed", "auto" */

/* Nonzero when `text` names none. */
int pack_encoding_parse(const char *text, enum pack_encoding *encoding);

struct manifest {
    enum edges_direction direction; /* of the input */
    struct edges_totals totals;     /* of the input stream */
    uint32_t p;
    uint64_t th;                 /* TH_INFINITE prints as "inf" */
    uint64_t d;
    uint64_t edges[SUBGRAPHS];   /* directed edges kept, deduplicated, all shards */
    enum pack_encoding encoding;
    uint64_t pack_id;
    int randomized;              /* results are given through the inverse of this bijection */
    uint64_t random_n, random_seed;
    char provenance[EDGES_MAX_PROVENANCE_BYTES];
    struct manifest_part *part;  /* [p], owned */
};

void manifest_free(struct manifest *manifest);

/* "part-SSSS-of-PPPP.dbfs" into `name`, at least 40 bytes. */
char *manifest_part_name(char *name, size_t name_bytes, uint32_t shard, uint32_t p);

/* "FOLDER/NAME", to free; NULL when memory is out. */
char *manifest_path(const char *folder, const char *name);

/* Writes FOLDER/manifest by temporary file and rename. */
enum status manifest_write(const struct manifest *manifest, const char *folder, struct error *e);

/* Reads and checks FOLDER/manifest. ST_RUNTIME when there is none, with a hint where a packing is
 * unfinished; ST_BAD_DATA when it is not one, corrupt, or of another version. */
enum status manifest_read(struct manifest *manifest, const char *folder, struct error *e);

/* Nonzero when both say the same. */
int manifest_same(const struct manifest *a, const struct manifest *b);

/* Opens shard `index` of the folder and checks that it belongs to the manifest. */
enum status manifest_open_shard(const struct manifest *manifest, const char *folder,
                                uint32_t index, struct shard *shard, struct error *e);

#endif
