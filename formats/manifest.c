/* manifest.c: see manifest.h and SPEC-shard.md */
#include "manifest.h"

#include "split.h"
#include "formats/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define MANIFEST_FIRST_LINE "dbfs-manifest 2\n"

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

static void print_provenance(FILE *text, const char *provenance)
{
    while (*provenance != '\0') {
        size_t length = strcspn(provenance, "\n");
        if (length > 0)
            fprintf(text, "provenance %.*s\n", (int)length, provenance);
        provenance += length + (provenance[length] == '\n');
    }
}

static void print_manifest(FILE *text, const struct manifest *m)
{
    fputs(MANIFEST_FIRST_LINE, text);
    fprintf(text, "n %" PRIu64 "\n", m->totals.n);
    fprintf(text, "input-edges %" PRIu64 "\n", m->totals.edges);
    fprintf(text, "input-loops %" PRIu64 "\n", m->totals.loops);
    fprintf(text, "input-direction %s\n", edges_direction_name(m->direction));
    fprintf(text, "input-max-id %" PRIu64 "\n", m->totals.max_id);
    fprintf(text, "input-checksum %016" PRIx64 "\n", m->totals.checksum);
    print_provenance(text, m->provenance);
    if (m->randomized)
        fprintf(text, "randomized-n %" PRIu64 "\nrandomized-seed %" PRIu64 "\n", m->random_n,
                m->random_seed);
    fprintf(text, "p %" PRIu32 "\n", m->p);
    if (m->th == TH_INFINITE)
        fputs("th inf\n", text);
    else
        fprintf(text, "th %" PRIu64 "\n", m->th);
    fprintf(text, "delegates %" PRIu64 "\n", m->d);
    for (int g = 0; g < SUBGRAPHS; g++)
        fprintf(text, "edges-%s %" PRIu64 "\n", subgraph_name[g], m->edges[g]);
    fprintf(text, "encoding %s\n", pack_encoding_name[m->encoding]);
    fprintf(text, "pack-id %016" PRIx64 "\n", m->pack_id);
    for (uint32_t s = 0; s < m->p; s++)
        fprintf(text, "part %" PRIu32 " %" PRIu64 " %08" PRIx32 "\n", s, m->part[s].bytes,
                m->part[s].table_crc);
}

/* The text up to the last line, to free; NULL when memory is out. */
static char *format_manifest(const struct manifest *m, size_t *size)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);
    if (stream == NULL)
        return NULL;
    print_manifest(stream, m);
    int failed = ferror(stream);
    if (fclose(stream) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}

enum status manifest_write(const struct manifest *m, const char *folder, struct error *e)
{
    char last[32];
    size_t size = 0;
    struct outfile *out = NULL;
    char *path = manifest_path(folder, MANIFEST_NAME), *text = format_manifest(m, &size);
    if (path == NULL || text == NULL) {
        fail_memory(e, folder, size);
    } else {
        snprintf(last, sizeof last, "crc %08lx\n", crc32_z(0, (const unsigned char *)text, size));
        if (outfile_open(&out, path, e) == ST_OK && outfile_write(out, text, size, e) == ST_OK &&
            outfile_write(out, last, strlen(last), e) == ST_OK) {
            outfile_commit(out, NULL, e);
            out = NULL;
        }
    }
    outfile_abort(out);
    free(text);
    free(path);
    return e->status;
}

int manifest_same(const struct manifest *a, const struct manifest *b)
{
    size_t a_size = 0, b_size = 0;
    char *a_text = format_manifest(a, &a_size), *b_text = format_manifest(b, &b_size);
    int same = a_text != NULL && b_text != NULL && a_size == b_size &&
               memcmp(a_text, b_text, a_size) == 0;
    free(a_text);
    free(b_text);
    return same;
}

/* ---- reading ---- */

struct line_parser {
    const char *path;
    int line;
    uint64_t seen; /* bit i: key i of number_keys */
    struct manifest *m;
    struct error *e;
};

static enum status bad_line(const struct line_parser *p, const char *why)
{
    return fail(p->e, ST_BAD_DATA, "%s:%d: %s", p->path, p->line, why);
}

static int parse_hex(const char *text, uint64_t *value)
{
    char *end = NULL;
    if (strspn(text, "0123456789abcdef") != strlen(text) || *text == '\0' || strlen(text) > 16)
        return -1;
    *value = strtoull(text, &end, 16);
    return 0;
}

static int parse_direction(const char *text, enum edges_direction *direction)
{
    for (int i = EDGES_UNDIRECTED_ONCE; i <= EDGES_DIRECTED; i++) {
        if (strcmp(text, edges_direction_name((enum edges_direction)i)) == 0) {
            *direction = (enum edges_direction)i;
            return 0;
        }
    }
    return -1;
}

static int parse_p(struct manifest *m, const char *value)
{
    uint64_t p;
    if (m->part != NULL || parse_u64(value, &p) != 0 || p == 0 || p > UINT32_MAX / 64)
        return -1;
    m->p = (uint32_t)p;
    m->part = calloc(p, sizeof *m->part);
    return m->part != NULL ? 0 : -1;
}

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

static int add_provenance(struct manifest *m, const char *value)
{
    size_t used = strlen(m->provenance);
    int wrote = snprintf(m->provenance + used, sizeof m->provenance - used, "%s\n", value);
    return wrote >= 0 && (size_t)wrote < sizeof m->provenance - used ? 0 : -1;
}

static int parse_th(struct manifest *m, const char *value)
{
    m->th = TH_INFINITE;
    return strcmp(value, "inf") == 0 ? 0 : parse_u64(value, &m->th);
}

/* Keys in the order they are written; every one but the randomized pair is required. */
static const char *const number_keys[] = {
    "n",      "input-edges", "input-loops", "input-max-id", "delegates",    "edges-nn",
    "edges-nd", "edges-dn",  "edges-dd",    "randomized-n", "randomized-seed"};

enum { NUMBER_KEYS = sizeof number_keys / sizeof *number_keys };

static uint64_t *number_field(struct manifest *m, int key)
{
    uint64_t *const field[NUMBER_KEYS] = {
        &m->totals.n,  &m->totals.edges, &m->totals.loops, &m->totals.max_id, &m->d,
        &m->edges[NN], &m->edges[ND],    &m->edges[DN],    &m->edges[DD],     &m->random_n,
        &m->random_seed};
    return field[key];
}

enum { SEEN_DIRECTION = 32, SEEN_CHECKSUM, SEEN_P, SEEN_TH, SEEN_ENCODING, SEEN_PACK_ID };

static int parse_key(struct line_parser *p, const char *key, const char *value, int *known)
{
    struct manifest *m = p->m;
    *known = 1;
    for (int i = 0; i < NUMBER_KEYS; i++) {
        if (strcmp(key, number_keys[i]) == 0) {
            p->seen |= UINT64_C(1) << i;
            return parse_u64(value, number_field(m, i));
        }
    }
    if (strcmp(key, "provenance") == 0)
        return add_provenance(m, value);
    if (strcmp(key, "part") == 0)
        return parse_part(m, value);
    if (strcmp(key, "input-direction") == 0) {
        p->seen |= UINT64_C(1) << SEEN_DIRECTION;
        return parse_direction(value, &m->direction);
    }
    if (strcmp(key, "input-checksum") == 0) {
        p->seen |= UINT64_C(1) << SEEN_CHECKSUM;
        return parse_hex(value, &m->totals.checksum);
    }
    if (strcmp(key, "p") == 0) {
        p->seen |= UINT64_C(1) << SEEN_P;
        return parse_p(m, value);
    }
    if (strcmp(key, "th") == 0) {
        p->seen |= UINT64_C(1) << SEEN_TH;
        return parse_th(m, value);
    }
    if (strcmp(key, "encoding") == 0) {
        p->seen |= UINT64_C(1) << SEEN_ENCODING;
        return pack_encoding_parse(value, &m->encoding);
    }
    if (strcmp(key, "pack-id") == 0) {
        p->seen |= UINT64_C(1) << SEEN_PACK_ID;
        return parse_hex(value, &m->pack_id);
    }
    *known = 0;
    return -1;
}

static enum status parse_line(struct line_parser *p, char *line)
{
    int known;
    char *value = strchr(line, ' ');
    if (value == NULL)
        return bad_line(p, "not a 'key value' line");
    *value++ = '\0';
    if (parse_key(p, line, value, &known) == 0)
        return ST_OK;
    return bad_line(p, known ? "impossible value" : "a key this build does not know");
}

static enum status check_complete(struct line_parser *p)
{
    const uint64_t optional = UINT64_C(3) << (NUMBER_KEYS - 2);
    const uint64_t all = ((UINT64_C(1) << NUMBER_KEYS) - 1) | UINT64_C(63) << SEEN_DIRECTION;
    if ((p->seen | optional) != all)
        return fail(p->e, ST_BAD_DATA, "%s: a required key is missing", p->path);
    if ((p->seen & optional) != 0 && (p->seen & optional) != optional)
        return fail(p->e, ST_BAD_DATA, "%s: half of a bijection", p->path);
    p->m->randomized = (p->seen & optional) == optional;
    if (p->m->randomized && (p->m->random_n == 0 || p->m->random_n > p->m->totals.n))
        return fail(p->e, ST_BAD_DATA, "%s: randomized-n %" PRIu64 ": expected 1 to n, %" PRIu64,
                    p->path, p->m->random_n, p->m->totals.n);
    for (uint32_t s = 0; s < p->m->p; s++) {
        if (p->m->part[s].bytes == 0)
            return fail(p->e, ST_BAD_DATA, "%s: part %" PRIu32 " is missing", p->path, s);
    }
    return ST_OK;
}

/* The last line is the CRC of everything before it; *end is where it starts. */
static enum status check_crc(const char *path, char *text, size_t size, size_t *end,
                             struct error *e)
{
    char expected[32];
    if (size < strlen(MANIFEST_FIRST_LINE) ||
        memcmp(text, "dbfs-manifest ", strlen("dbfs-manifest ")) != 0)
        return fail(e, ST_BAD_DATA, "%s: not a dbfs manifest", path);
    if (memcmp(text, MANIFEST_FIRST_LINE, strlen(MANIFEST_FIRST_LINE)) != 0)
        return fail(e, ST_BAD_DATA, "%s: a manifest version this build does not support", path);
    size_t line = size;
    if (text[size - 1] == '\n')
        line = size - 1;
    while (line > 0 && text[line - 1] != '\n')
        line--;
    snprintf(expected, sizeof expected, "crc %08lx\n",
             crc32_z(0, (const unsigned char *)text, line));
    if (size - line != strlen(expected) || memcmp(text + line, expected, size - line) != 0)
        return fail(e, ST_BAD_DATA, "%s: is corrupt or truncated (CRC differs)", path);
    *end = line;
    return ST_OK;
}

static enum status parse_manifest(struct manifest *m, const char *path, char *text, size_t size,
                                  struct error *e)
{
    struct line_parser p = {.path = path, .line = 1, .m = m, .e = e};
    size_t end = 0;
    if (check_crc(path, text, size, &end, e) != ST_OK)
        return e->status;
    char *line = text + strlen(MANIFEST_FIRST_LINE);
    while (line < text + end) {
        char *newline = memchr(line, '\n', (size_t)(text + end - line));
        p.line++;
        *newline = '\0'; /* the CRC covered whole lines */
        if (parse_line(&p, line) != ST_OK)
            return e->status;
        line = newline + 1;
    }
    return check_complete(&p);
}

static enum status read_text(const char *path, char **text, size_t *size, struct error *e)
{
    size_t capacity = 1 << 16;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return fail_errno(e, path, "cannot open");
    *text = malloc(capacity);
    *size = 0;
    while (*text != NULL) {
        *size += fread(*text + *size, 1, capacity - *size, file);
        if (*size < capacity)
            break;
        capacity *= 2;
        char *grown = realloc(*text, capacity);
        if (grown == NULL)
            free(*text);
        *text = grown;
    }
    if (*text == NULL)
        fail_memory(e, path, capacity);
    else if (ferror(file))
        fail_errno(e, path, "cannot read");
    fclose(file);
    return e->status;
}

/* A packing that has not come to its end leaves PACKING_NAME in place of the manifest. */
static int is_unfinished(const char *folder, const char *manifest)
{
    if (access(manifest, F_OK) == 0 || errno != ENOENT)
        return 0;
    char *path = manifest_path(folder, PACKING_NAME);
    int unfinished = path != NULL && access(path, F_OK) == 0;
    free(path);
    return unfinished;
}

enum status manifest_read(struct manifest *m, const char *folder, struct error *e)
{
    char *path = manifest_path(folder, MANIFEST_NAME), *text = NULL;
    size_t size = 0;
    memset(m, 0, sizeof *m);
    if (path == NULL)
        fail_memory(e, folder, strlen(folder));
    else if (is_unfinished(folder, path))
        fail(e, ST_RUNTIME, "%s: an unfinished packing: run dbfs-pack --resume with the same options",
             folder);
    else if (read_text(path, &text, &size, e) == ST_OK)
        parse_manifest(m, path, text, size, e);
    free(text);
    free(path);
    if (e->status != ST_OK)
        manifest_free(m);
    return e->status;
}

static int same_graph(const struct manifest *m, uint32_t index, const struct shard *s)
{
    return s->index == index && s->p == m->p && s->pack_id == m->pack_id && s->th == m->th &&
           s->n == m->totals.n && s->d == m->d && container_bytes(s->file) == m->part[index].bytes &&
           container_table_crc(s->file) == m->part[index].table_crc;
}

enum status manifest_open_shard(const struct manifest *m, const char *folder, uint32_t index,
                                struct shard *shard, struct error *e)
{
    char name[40];
    char *path = manifest_path(folder, manifest_part_name(name, sizeof name, index, m->p));
    if (path == NULL)
        return fail_memory(e, folder, strlen(folder));
    if (shard_open(shard, path, e) == ST_OK && !same_graph(m, index, shard)) {
        fail(e, ST_BAD_DATA, "%s: does not belong to the manifest beside it", path);
        shard_close(shard);
    }
    free(path);
    return e->status;
}
