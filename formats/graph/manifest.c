/* manifest.c: see manifest.h and SPEC-shard.md */
#include "manifest.h"

#include "formats/file_kind.h"

#include "formats/split.h"
#include "formats/base/key_values.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MANIFEST_FIRST_LINE "dbfs-manifest 2\n"
#define MANIFEST_FIRST_LINE_DIRECTED "dbfs-manifest 3\n"
#define MANIFEST_FIRST_LINE_BASE "dbfs-manifest 4\n" /* directed or not; the only one with a base */

/* The rows of a directed graph: out-rows are always there. */
#define ROWS_OUT "out"
#define ROWS_OUT_AND_IN "out,in"

const char *const pack_encoding_name[PACK_ENCODINGS] = {"raw", "packed", "auto"};

int pack_encoding_parse(const char *text, enum pack_encoding *encoding)
{
    for (int i = 0; i < PACK_ENCODINGS; i++) {
        if (strcmp(text, pack_encoding_name[i]) == 0) {
            *encoding = (enum pack_encoding)i;
            return 0;
        }
    }
    return -1;
}

void manifest_free(struct manifest *manifest)
{
    free(manifest->part);
    memset(manifest, 0, sizeof *manifest);
}

char *manifest_part_name(char *name, size_t name_bytes, uint32_t shard, uint32_t p)
{
    snprintf(name, name_bytes, "part-%04" PRIu32 "-of-%04" PRIu32 ".dbfs", shard, p);
    return name;
}

char *manifest_path(const char *folder, const char *name)
{
    size_t bytes = strlen(folder) + strlen(name) + 2;
    char *path = malloc(bytes);
    if (path != NULL)
        snprintf(path, bytes, "%s/%s", folder, name);
    return path;
}

/* ---- writing ---- */

/* Prints all lines of the file but that of the CRC; a text_printer. */
static void print_manifest(FILE *text, const void *context)
{
    const struct manifest *m = context;
    fputs(m->base != 0                      ? MANIFEST_FIRST_LINE_BASE
          : m->direction == EDGES_DIRECTED ? MANIFEST_FIRST_LINE_DIRECTED
                                           : MANIFEST_FIRST_LINE, text);
    fprintf(text, "n %" PRIu64 "\n", m->totals.n);
    fprintf(text, "input-edges %" PRIu64 "\n", m->totals.edges);
    fprintf(text, "input-loops %" PRIu64 "\n", m->totals.loops);
    fprintf(text, "input-direction %s\n", edges_direction_name(m->direction));
    fprintf(text, "input-max-id %" PRIu64 "\n", m->totals.max_id);
    fprintf(text, "input-checksum %016" PRIx64 "\n", m->totals.checksum);
    key_values_print(text, "provenance", m->provenance);
    if (m->randomized)
        fprintf(text, "randomized-n %" PRIu64 "\nrandomized-seed %" PRIu64 "\n", m->random_n,
                m->random_seed);
    if (m->base != 0)
        fprintf(text, "base %" PRIu32 "\n", m->base);
    fprintf(text, "p %" PRIu32 "\n", m->p);
    if (m->th == TH_INFINITE)
        fputs("th inf\n", text);
    else
        fprintf(text, "th %" PRIu64 "\n", m->th);
    fprintf(text, "delegates %" PRIu64 "\n", m->d);
    for (int g = 0; g < SUBGRAPHS; g++)
        fprintf(text, "edges-%s %" PRIu64 "\n", subgraph_name[g], m->edges[g]);
    if (m->direction == EDGES_DIRECTED)
        fprintf(text, "rows %s\n", m->out_only ? ROWS_OUT : ROWS_OUT_AND_IN);
    fprintf(text, "encoding %s\n", pack_encoding_name[m->encoding]);
    fprintf(text, "pack-id %016" PRIx64 "\n", m->pack_id);
    for (uint32_t s = 0; s < m->p; s++)
        fprintf(text, "part %" PRIu32 " %" PRIu64 " %08" PRIx32 "\n", s, m->part[s].bytes,
                m->part[s].table_crc);
}

enum status manifest_write(const struct manifest *m, const char *folder, struct error *e)
{
    char *path = manifest_path(folder, MANIFEST_NAME);
    if (path == NULL)
        return fail_memory(e, folder, strlen(folder));
    key_values_write(path, print_manifest, m, e);
    free(path);
    return e->status;
}

/* Nonzero if both would be the same file. */
int manifest_same(const struct manifest *a, const struct manifest *b)
{
    size_t a_size = 0, b_size = 0;
    char *a_text = text_printed(print_manifest, a, &a_size);
    char *b_text = text_printed(print_manifest, b, &b_size);
    int same = a_text != NULL && b_text != NULL && a_size == b_size &&
               memcmp(a_text, b_text, a_size) == 0;
    free(a_text);
    free(b_text);
    return same;
}

/* ---- reading ---- */

/* Parses the value of a key into the manifest; returns nonzero if the value is not possible. */
typedef int value_parser(struct manifest *m, const char *value);

static int parse_direction(struct manifest *m, const char *value)
{
    for (int i = EDGES_UNDIRECTED_ONCE; i <= EDGES_DIRECTED; i++) {
        if (strcmp(value, edges_direction_name((enum edges_direction)i)) == 0) {
            m->direction = (enum edges_direction)i;
            return 0;
        }
    }
    return -1;
}

static int parse_checksum(struct manifest *m, const char *value)
{
    return parse_hex64(value, &m->totals.checksum);
}

static int parse_pack_id(struct manifest *m, const char *value)
{
    return parse_hex64(value, &m->pack_id);
}

static int parse_encoding(struct manifest *m, const char *value)
{
    return pack_encoding_parse(value, &m->encoding);
}

static int parse_rows(struct manifest *m, const char *value)
{
    m->out_only = strcmp(value, ROWS_OUT) == 0;
    return m->out_only || strcmp(value, ROWS_OUT_AND_IN) == 0 ? 0 : -1;
}

/* Base 0 is never written. */
static int parse_base(struct manifest *m, const char *value)
{
    m->base = 1;
    return strcmp(value, "1") == 0 ? 0 : -1;
}

/* Also allocates m->part, which parse_part fills in. */
static int parse_p(struct manifest *m, const char *value)
{
    uint64_t p;
    if (m->part != NULL || parse_u64(value, &p) != 0 || p == 0 || p > UINT32_MAX / 64)
        return -1;
    m->p = (uint32_t)p;
    m->part = calloc(p, sizeof *m->part);
    return 0; /* parse_manifest sees if there is no memory */
}

static int parse_th(struct manifest *m, const char *value)
{
    m->th = TH_INFINITE;
    return strcmp(value, "inf") == 0 ? 0 : parse_u64(value, &m->th);
}

/* Takes "shard bytes crc" for a shard that has no line yet. */
static int parse_part(struct manifest *m, const char *value)
{
    uint32_t shard, crc;
    uint64_t bytes;
    int used = 0;
    if (sscanf(value, "%" SCNu32 " %" SCNu64 " %" SCNx32 "%n", &shard, &bytes, &crc, &used) != 3 ||
        value[used] != '\0' || shard >= m->p || m->part == NULL || m->part[shard].bytes != 0)
        return -1;
    m->part[shard] = (struct manifest_part){.bytes = bytes, .table_crc = crc};
    return 0;
}

/* Appends a line to the provenance. */
static int add_provenance(struct manifest *m, const char *value)
{
    size_t used = strlen(m->provenance);
    int wrote = snprintf(m->provenance + used, sizeof m->provenance - used, "%s\n", value);
    return wrote >= 0 && (size_t)wrote < sizeof m->provenance - used ? 0 : -1;
}

enum presence { REQUIRED, OF_BIJECTION, OF_DIRECTED, OF_BASE, ANY_NUMBER_OF };

/* The keys of a manifest. If `parse` is NULL, the value is a number, which is stored at offset `field` of struct manifest. */
static const struct {
    const char *key;
    enum presence presence;
    value_parser *parse;
    size_t field;
} keys[] = {
    {"n", REQUIRED, NULL, offsetof(struct manifest, totals.n)},
    {"input-edges", REQUIRED, NULL, offsetof(struct manifest, totals.edges)},
    {"input-loops", REQUIRED, NULL, offsetof(struct manifest, totals.loops)},
    {"input-direction", REQUIRED, parse_direction, 0},
    {"input-max-id", REQUIRED, NULL, offsetof(struct manifest, totals.max_id)},
    {"input-checksum", REQUIRED, parse_checksum, 0},
    {"provenance", ANY_NUMBER_OF, add_provenance, 0},
    {"randomized-n", OF_BIJECTION, NULL, offsetof(struct manifest, random_n)},
    {"randomized-seed", OF_BIJECTION, NULL, offsetof(struct manifest, random_seed)},
    {"base", OF_BASE, parse_base, 0},
    {"p", REQUIRED, parse_p, 0},
    {"th", REQUIRED, parse_th, 0},
    {"delegates", REQUIRED, NULL, offsetof(struct manifest, d)},
    {"edges-nn", REQUIRED, NULL, offsetof(struct manifest, edges[NN])},
    {"edges-nd", REQUIRED, NULL, offsetof(struct manifest, edges[ND])},
    {"edges-dn", REQUIRED, NULL, offsetof(struct manifest, edges[DN])},
    {"edges-dd", REQUIRED, NULL, offsetof(struct manifest, edges[DD])},
    {"rows", OF_DIRECTED, parse_rows, 0},
    {"encoding", REQUIRED, parse_encoding, 0},
    {"pack-id", REQUIRED, parse_pack_id, 0},
    {"part", ANY_NUMBER_OF, parse_part, 0},
};

enum { KEYS = sizeof keys / sizeof *keys };

/* Checks that all keys and parts were there, and sets m->randomized. Bit i of `seen` is set if key i was there; `based` is
 * nonzero if the version has a base. */
static enum status check_complete(struct manifest *m, uint64_t seen, int based, const char *path, struct error *e)
{
    int bijection = 0;
    for (int i = 0; i < KEYS; i++) {
        int is_seen = seen >> i & 1;
        if (keys[i].presence == REQUIRED && !is_seen)
            return fail(e, ST_BAD_DATA, "%s: a required key is missing", path);
        if (keys[i].presence == OF_DIRECTED && is_seen != (m->direction == EDGES_DIRECTED))
            return fail(e, ST_BAD_DATA, "%s: %s goes with input-direction directed, and only with that", path,
                        keys[i].key);
        if (keys[i].presence == OF_BASE && is_seen != based)
            return fail(e, ST_BAD_DATA, "%s: %s goes with version 4, and only with that", path, keys[i].key);
        bijection += keys[i].presence == OF_BIJECTION && is_seen;
    }
    if (bijection == 1)
        return fail(e, ST_BAD_DATA, "%s: half of a bijection", path);
    m->randomized = bijection == 2;
    if (m->randomized && (m->random_n == 0 || m->random_n > m->totals.n))
        return fail(e, ST_BAD_DATA, "%s: randomized-n %" PRIu64 ": expected 1 to n, %" PRIu64, path,
                    m->random_n, m->totals.n);
    for (uint32_t s = 0; s < m->p; s++) {
        if (m->part[s].bytes == 0)
            return fail(e, ST_BAD_DATA, "%s: part %" PRIu32 " is missing", path, s);
    }
    return ST_OK;
}

/* Checks the first line and the CRC. */
static enum status check_text(struct key_values *kv, const char *path, struct error *e)
{
    if (!key_values_starts_with(kv, "dbfs-manifest "))
        return fail(e, ST_BAD_DATA, "%s: not a dbfs manifest", path);
    if (!key_values_starts_with(kv, MANIFEST_FIRST_LINE) &&
        !key_values_starts_with(kv, MANIFEST_FIRST_LINE_DIRECTED) && !key_values_starts_with(kv, MANIFEST_FIRST_LINE_BASE))
        return fail(e, ST_BAD_DATA, "%s: a manifest version this build does not support: use the dbfs that "
                    "wrote it, or pack again with `dbfs-pack`", path);
    if (!key_values_check(kv))
        return fail(e, ST_BAD_DATA, "%s: is corrupt or truncated (CRC differs)", path);
    return ST_OK;
}

/* Parses all lines into the manifest, and checks that it is complete. */
static enum status parse_manifest(struct manifest *m, const char *path, struct key_values *kv, struct error *e)
{
    uint64_t seen = 0;
    const char *key, *value;
    if (check_text(kv, path, e) != ST_OK)
        return e->status;
    while (key_values_next(kv, &key, &value)) {
        int i = 0;
        while (i < KEYS && strcmp(key, keys[i].key) != 0)
            i++;
        if (value == NULL)
            return fail(e, ST_BAD_DATA, "%s:%d: not a 'key value' line", path, kv->line);
        if (i == KEYS)
            return fail(e, ST_BAD_DATA, "%s:%d: a key this build does not know", path, kv->line);
        if (keys[i].presence != ANY_NUMBER_OF && (seen >> i & 1))
            return fail(e, ST_BAD_DATA, "%s:%d: %s is there twice", path, kv->line, key);
        if ((keys[i].parse != NULL ? keys[i].parse(m, value)
                                   : parse_u64(value, (uint64_t *)(void *)((char *)m + keys[i].field))) != 0)
            return m->p > 0 && m->part == NULL
                       ? fail_memory(e, path, m->p * sizeof *m->part)
                       : fail(e, ST_BAD_DATA, "%s:%d: impossible value", path, kv->line);
        seen |= UINT64_C(1) << i;
    }
    return check_complete(m, seen, key_values_starts_with(kv, MANIFEST_FIRST_LINE_BASE), path, e);
}

/* Nonzero if the folder has no manifest but a journal (PACKING_NAME), which an interrupted packing leaves. */
static int is_unfinished(const char *folder, const char *manifest)
{
    if (access(manifest, F_OK) == 0 || errno != ENOENT)
        return 0;
    char *path = manifest_path(folder, PACKING_NAME);
    int unfinished = path != NULL && access(path, F_OK) == 0;
    free(path);
    return unfinished;
}

/* Reads and checks FOLDER/manifest. If there is none, says what the folder is. */
enum status manifest_read(struct manifest *m, const char *folder, struct error *e)
{
    struct key_values kv = {0};
    char *path = manifest_path(folder, MANIFEST_NAME);
    memset(m, 0, sizeof *m);
    if (path == NULL)
        fail_memory(e, folder, strlen(folder));
    else if (is_unfinished(folder, path))
        fail(e, ST_RUNTIME,
             "%s: an unfinished packing: run dbfs-pack --resume with the same options",
             folder);
    else if (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
        file_kind_refuse_shards(folder, e);
    else if (key_values_read(&kv, path, NULL, e) == ST_OK)
        parse_manifest(m, path, &kv, e);
    key_values_free(&kv);
    free(path);
    if (e->status != ST_OK)
        manifest_free(m);
    return e->status;
}

/* Nonzero if the shard is number `index` of the manifest, by its attributes, its size and its CRC. */
static int belongs_to(const struct manifest *m, uint32_t index, const struct shard *s)
{
    return s->index == index && s->p == m->p && s->pack_id == m->pack_id && s->th == m->th &&
           s->n == m->totals.n && s->d == m->d && s->kept.directed == (m->direction == EDGES_DIRECTED) &&
           s->kept.with_in == (s->kept.directed && !m->out_only) &&
           container_bytes(s->file) == m->part[index].bytes &&
           container_table_crc(s->file) == m->part[index].table_crc;
}

/* Opens shard `index` of the folder, and checks that it belongs to the manifest. */
enum status manifest_open_shard(const struct manifest *m, const char *folder, uint32_t index,
                                struct shard *shard, struct error *e)
{
    char name[40];
    char *path = manifest_path(folder, manifest_part_name(name, sizeof name, index, m->p));
    if (path == NULL)
        return fail_memory(e, folder, strlen(folder));
    if (shard_open(shard, path, e) == ST_OK && !belongs_to(m, index, shard)) {
        fail(e, ST_BAD_DATA, "%s: does not belong to the manifest beside it", path);
        shard_close(shard);
    }
    free(path);
    return e->status;
}
