/* manifest.h: the text file that makes a folder of shards one graph. It has one `key value` per line; the last line is the CRC of the
 * lines before it. It is written after all shards, so it exists only when the graph is complete. SPEC-shard.md has the layout. */
#ifndef DBFS_MANIFEST_H
#define DBFS_MANIFEST_H

#include "formats/edges/edges.h"
#include "shard.h"

#define MANIFEST_NAME "manifest"
#define PACKING_NAME "packing" /* the journal, until there is a manifest: SPEC-shard.md */

struct manifest_part {
    uint64_t bytes;     /* of the file */
    uint32_t table_crc; /* container_table_crc */
};

/* The encoding that the user asked dbfs-pack for. Each shard says which of its sections were in fact packed. */
enum pack_encoding { PACK_RAW, PACK_PACKED, PACK_AUTO, PACK_ENCODINGS };

extern const char *const pack_encoding_name[PACK_ENCODINGS]; /* "raw", "packed", "auto" */

/* Nonzero when `text` names no encoding. */
int pack_encoding_parse(const char *text, enum pack_encoding *encoding);

struct manifest {
    enum edges_direction direction; /* of the input */
    struct edges_totals totals;     /* of the input stream */
    uint32_t p;
    uint64_t th;                 /* TH_INFINITE prints as "inf" */
    uint64_t d;
    uint64_t edges[SUBGRAPHS];   /* directed edges of all shards, without duplicates; of a directed graph, those in out-rows */
    enum pack_encoding encoding;
    int out_only;                /* of a directed graph: there are no in-rows */
    uint64_t pack_id;
    int randomized;              /* ids are permuted by this bijection; results undo it */
    uint64_t random_n, random_seed;
    uint32_t base;               /* 0 or 1: what people call vertex 0 of the shards (edges.h) */
    char provenance[EDGES_MAX_PROVENANCE_BYTES];
    struct manifest_part *part;  /* [p], owned */
};

void manifest_free(struct manifest *manifest);

/* Writes "part-SSSS-of-PPPP.dbfs" into `name`, which has at least 40 bytes. */
char *manifest_part_name(char *name, size_t name_bytes, uint32_t shard, uint32_t p);

/* Returns "FOLDER/NAME", which the caller frees. NULL when memory runs out. */
char *manifest_path(const char *folder, const char *name);

/* Writes FOLDER/manifest under a temporary name and renames it. */
enum status manifest_write(const struct manifest *manifest, const char *folder, struct error *e);

/* Reads and checks FOLDER/manifest. ST_RUNTIME if there is none, with a hint if a packing was interrupted. ST_BAD_DATA
 * if the file is not a manifest, is corrupt, or has another version. */
enum status manifest_read(struct manifest *manifest, const char *folder, struct error *e);

/* Nonzero when the two manifests are equal. */
int manifest_same(const struct manifest *a, const struct manifest *b);

/* Opens shard `index` of the folder and checks that it belongs to the manifest. */
enum status manifest_open_shard(const struct manifest *manifest, const char *folder,
                                uint32_t index, struct shard *shard, struct error *e);

#endif
