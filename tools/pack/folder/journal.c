/* journal.c: see journal.h */
#include "journal.h"

#include "formats/base/key_values.h"
#include "tools/pack/build/csr_build.h"
#include "formats/base/text.h"
#include "tools/separate/separate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOURNAL_FIRST_LINE "dbfs-packing 1\n"
#define JOURNAL_NOTE "note an unfinished packing: dbfs-pack --resume with the same options goes on\n"

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

/* Prints all lines but that of the CRC; a text_printer. */
static void print_journal(FILE *text, const void *context)
{
    const struct journal *j = context;
    char th[24];
    fputs(JOURNAL_FIRST_LINE JOURNAL_NOTE, text);
    if (j->inputs != NULL)
        key_values_print(text, "input", j->inputs);
    fprintf(text, "p %" PRIu32 "\n", j->p);
    print_heads(text, j->heads);
    fprintf(text, "encoding %s\n", pack_encoding_name[j->encoding]);
    if (j->th_known)
        fprintf(text, "th %s\n", th_format(j->th, th, sizeof th));
    fprintf(text, "th-suggested %d\n", (int)j->th_choice);
    if (j->links != LINKS_AUTO)
        fprintf(text, "th-links %d\n", (int)j->links);
    if (j->identified)
        fprintf(text, "input-checksum %016" PRIx64 "\npack-id %016" PRIx64 "\n", j->checksum,
                j->pack_id);
}

enum status journal_write(const struct journal *j, const char *folder, struct error *e)
{
    char *path = manifest_path(folder, PACKING_NAME);
    if (path == NULL)
        return fail_memory(e, folder, strlen(folder));
    key_values_write(path, print_journal, j, e);
    free(path);
    return e->status;
}

/* ---- reading ---- */

/* Parses the values of all subgraphs; nonzero if they are not possible. */
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

/* Parses a number up to `most`; nonzero if it is none. */
static int parse_number(const char *text, uint64_t most, uint64_t *value)
{
    return parse_u64(text, value) == 0 && *value <= most ? 0 : -1;
}

/* Parses one line into the journal; nonzero if this build does not know it. */
static int parse_line(struct journal *j, const char *key, const char *value)
{
    struct error ignored = {0};
    uint64_t number = 0;
    int bad = -1;
    if (strcmp(key, "note") == 0 || strcmp(key, "input") == 0)
        return 0;
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
        bad = parse_number(value, TH_CHOICES - 1, &number);
        j->th_choice = (enum th_choice)number;
    } else if (strcmp(key, "th-links") == 0) {
        bad = parse_number(value, SHARD_LINKS - 1, &number);
        j->links = (enum shard_links)number;
    } else if (strcmp(key, "input-checksum") == 0) {
        bad = parse_hex64(value, &j->checksum);
    } else if (strcmp(key, "pack-id") == 0) {
        bad = parse_hex64(value, &j->pack_id);
        j->identified = 1;
    }
    return bad;
}

/* Checks the CRC, and parses all lines. */
static enum status parse_journal(struct journal *j, const char *path, struct key_values *kv, struct error *e)
{
    const char *key, *value;
    if (!key_values_check(kv))
        return fail(e, ST_BAD_DATA, "%s: not the journal of a packing, or corrupt (CRC differs): "
                    "--force starts anew", path);
    int known = key_values_starts_with(kv, JOURNAL_FIRST_LINE);
    while (known && key_values_next(kv, &key, &value))
        known = value != NULL && parse_line(j, key, value) == 0;
    if (!known)
        return fail(e, ST_BAD_DATA, "%s: was written by a dbfs-pack that this one does not go on "
                    "for: --force starts anew", path);
    return ST_OK;
}

/* Reads FOLDER/packing; *found is 0 if there is none. */
enum status journal_read(struct journal *j, const char *folder, int *found, struct error *e)
{
    struct key_values kv;
    char *path = manifest_path(folder, PACKING_NAME);
    memset(j, 0, sizeof *j);
    *found = 0;
    if (path == NULL)
        return fail_memory(e, folder, strlen(folder));
    if (key_values_read(&kv, path, found, e) == ST_OK && *found)
        parse_journal(j, path, &kv, e);
    key_values_free(&kv);
    free(path);
    return e->status;
}
