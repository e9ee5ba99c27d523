/* journal.c: see journal.h */
#include "journal.h"

#include "tools/pack/build/csr_build.h"
#include "formats/base/crc.h"
#include "formats/base/outfile.h"
#include "formats/base/text.h"
#include "tools/separate/separate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOURNAL_FIRST_LINE "dbfs-packing 1\n"
#define JOURNAL_NOTE "note an unfinished packing: dbfs-pack --resume with the same options goes on\n"

enum { JOURNAL_BYTES = 4096 /* the longest is shorter */ };

/* ---- writing ---- */

static void print_heads(FILE *text, const int *heads)
{
    fputs("heads", text);
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (heads[g] == HEADS_AUTO)
            fprintf(text, " %s=auto", subgraph_name[g]);
        else
            fprintf(text, " %s=%d", subgraph_name[g], heads[g]);
    }
    fputc('\n', text);
}

static void print_journal(FILE *text, const struct journal *j)
{
    char th[24];
    fputs(JOURNAL_FIRST_LINE JOURNAL_NOTE, text);
    fprintf(text, "input %.*s\n", (int)strcspn(j->input, "\n"), j->input);
    fprintf(text, "p %" PRIu32 "\n", j->p);
    print_heads(text, j->heads);
    fprintf(text, "encoding %s\n", pack_encoding_name[j->encoding]);
    if (j->th_known)
        fprintf(text, "th %s\n", th_format(j->th, th, sizeof th));
    fprintf(text, "th-suggested %d\n", j->th_suggested);
    if (j->identified)
        fprintf(text, "input-checksum %016" PRIx64 "\npack-id %016" PRIx64 "\n", j->checksum,
                j->pack_id);
}

enum status journal_write(const struct journal *j, const char *folder, struct error *e)
{
    char text[JOURNAL_BYTES], crc[32];
    struct outfile *out = NULL;
    char *path = manifest_path(folder, PACKING_NAME);
    FILE *stream = fmemopen(text, sizeof text, "w");
    if (path == NULL || stream == NULL) {
        fail_memory(e, folder, sizeof text);
    } else {
        print_journal(stream, j);
        fflush(stream);
        size_t size = (size_t)ftell(stream);
        snprintf(crc, sizeof crc, "crc %08" PRIx32 "\n", crc32_parallel(text, size, 1));
        if (outfile_open(&out, path, e) == ST_OK && outfile_write(out, text, size, e) == ST_OK &&
            outfile_write(out, crc, strlen(crc), e) == ST_OK) {
            outfile_commit(out, NULL, e);
            out = NULL;
        }
    }
    outfile_abort(out);
    if (stream != NULL)
        fclose(stream);
    free(path);
    return e->status;
}

/* ---- reading ---- */

static int parse_hex(const char *text, uint64_t *value)
{
    if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
        return -1;
    *value = strtoull(text, NULL, 16);
    return 0;
}

static int parse_heads(const char *text, int *heads)
{
    char value[SUBGRAPHS][8];
    int used = 0;
    if (sscanf(text, "nn=%7s nd=%7s dn=%7s dd=%7s%n", value[NN], value[ND], value[DN], value[DD],
               &used) != SUBGRAPHS || text[used] != '\0')
        return -1;
    for (int g = 0; g < SUBGRAPHS; g++) {
        uint64_t k;
        heads[g] = HEADS_AUTO;
        if (strcmp(value[g], "auto") == 0)
            continue;
        if (parse_u64(value[g], &k) != 0 || k > HEADS_MOST)
            return -1;
        heads[g] = (int)k;
    }
    return 0;
}

static int parse_number(const char *text, uint64_t most, uint64_t *value)
{
    return parse_u64(text, value) == 0 && *value <= most ? 0 : -1;
}

/* One `key value` line; nonzero when this build does not know it. */
static int parse_line(struct journal *j, const char *key, const char *value)
{
    struct error ignored = {0};
    uint64_t number = 0;
    int bad = -1;
    if (strcmp(key, "note") == 0)
        return 0;
    if (strcmp(key, "input") == 0) {
        snprintf(j->input, sizeof j->input, "%s", value);
        return 0;
    }
    if (strcmp(key, "heads") == 0)
        return parse_heads(value, j->heads);
    if (strcmp(key, "encoding") == 0)
        return pack_encoding_parse(value, &j->encoding);
    if (strcmp(key, "p") == 0) {
        bad = parse_number(value, UINT32_MAX, &number);
        j->p = (uint32_t)number;
    } else if (strcmp(key, "th") == 0) {
        bad = th_parse(value, &j->th, &ignored) != ST_OK;
        j->th_known = 1;
    } else if (strcmp(key, "th-suggested") == 0) {
        bad = parse_number(value, 1, &number);
        j->th_suggested = (int)number;
    } else if (strcmp(key, "input-checksum") == 0) {
        bad = parse_hex(value, &j->checksum);
    } else if (strcmp(key, "pack-id") == 0) {
        bad = parse_hex(value, &j->pack_id);
        j->identified = 1;
    }
    return bad;
}

/* Where the last line starts, which is the CRC of what stands before it; 0 when it is not that. */
static size_t find_crc(const char *text, size_t size)
{
    char expected[32];
    size_t line = size > 0 ? size - 1 : 0;
    while (line > 0 && text[line - 1] != '\n')
        line--;
    snprintf(expected, sizeof expected, "crc %08" PRIx32 "\n", crc32_parallel(text, line, 1));
    return size - line == strlen(expected) && memcmp(text + line, expected, size - line) == 0 ? line
                                                                                              : 0;
}

static enum status parse_journal(struct journal *j, const char *path, char *text, size_t size,
                                 struct error *e)
{
    size_t first = strlen(JOURNAL_FIRST_LINE), end = find_crc(text, size);
    if (end < first)
        return fail(e, ST_BAD_DATA, "%s: not the journal of a packing, or corrupt (CRC differs): "
                    "--force starts anew", path);
    int known = memcmp(text, JOURNAL_FIRST_LINE, first) == 0;
    for (char *line = text + first; known && line < text + end;) {
        char *newline = memchr(line, '\n', (size_t)(text + end - line));
        char *value = strchr(line, ' ');
        *newline = '\0'; /* the CRC covered whole lines */
        known = value != NULL && value < newline;
        if (known) {
            *value = '\0';
            known = parse_line(j, line, value + 1) == 0;
        }
        line = newline + 1;
    }
    if (!known)
        return fail(e, ST_BAD_DATA, "%s: was written by a dbfs-pack that this one does not go on "
                    "for: --force starts anew", path);
    return ST_OK;
}

enum status journal_read(struct journal *j, const char *folder, int *found, struct error *e)
{
    char text[JOURNAL_BYTES + 1];
    char *path = manifest_path(folder, PACKING_NAME);
    memset(j, 0, sizeof *j);
    *found = 0;
    if (path == NULL)
        return fail_memory(e, folder, strlen(folder));
    FILE *file = fopen(path, "re");
    if (file != NULL) {
        size_t size = fread(text, 1, sizeof text - 1, file);
        text[size] = '\0';
        *found = 1;
        if (ferror(file))
            fail_errno(e, path, "cannot read");
        else
            parse_journal(j, path, text, size, e);
        fclose(file);
    } else if (errno != ENOENT) {
        fail_errno(e, path, "cannot open");
    }
    free(path);
    return e->status;
}
