/* key_values.c: see key_values.h */
#include "key_values.h"

#include "crc.h"
#include "outfile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CRC_LINE_BYTES = sizeof "crc 01234567\n" };

static void format_crc_line(const char *text, size_t size, char line[CRC_LINE_BYTES])
{
    snprintf(line, CRC_LINE_BYTES, "crc %08" PRIx32 "\n", crc32_parallel(text, size, 1));
}

/* ---- writing ---- */

void key_values_print(FILE *file, const char *key, const char *text)
{
    for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        if (length > 0)
            fprintf(file, "%s %.*s\n", key, (int)length, text);
    }
}

/* Writes a file of the lines that `print` prints, and their CRC. */
enum status key_values_write(const char *path, text_printer *print, const void *context, struct error *e)
{
    size_t size;
    char *text = text_printed(print, context, &size);
    char *whole = text != NULL ? realloc(text, size + CRC_LINE_BYTES) : NULL;
    if (whole == NULL) {
        free(text);
        return fail_memory(e, path, size);
    }
    format_crc_line(whole, size, whole + size);
    outfile_put(path, whole, size + CRC_LINE_BYTES - 1, e);
    free(whole);
    return e->status;
}

/* ---- reading ---- */

/* Reads the whole file into kv->text, and a NUL behind it. */
static enum status read_all(struct key_values *kv, FILE *file, const char *path, struct error *e)
{
    for (size_t capacity = 1 << 14;; capacity *= 2) {
        char *grown = realloc(kv->text, capacity + 1);
        if (grown == NULL)
            return fail_memory(e, path, capacity);
        kv->text = grown;
        kv->size += fread(kv->text + kv->size, 1, capacity - kv->size, file);
        if (kv->size < capacity)
            break;
    }
    kv->text[kv->size] = '\0';
    return ferror(file) ? fail_errno(e, path, "cannot read") : ST_OK;
}

/* Reads the whole file. If it is missing, sets *found to 0; without `found`, fails. */
enum status key_values_read(struct key_values *kv, const char *path, int *found, struct error *e)
{
    memset(kv, 0, sizeof *kv);
    FILE *file = fopen(path, "re");
    if (found != NULL)
        *found = file != NULL;
    if (file == NULL)
        return found != NULL && errno == ENOENT ? ST_OK : fail_errno(e, path, "cannot open");
    if (read_all(kv, file, path, e) != ST_OK)
        key_values_free(kv);
    fclose(file);
    return e->status;
}

void key_values_free(struct key_values *kv)
{
    free(kv->text);
    memset(kv, 0, sizeof *kv);
}

int key_values_starts_with(const struct key_values *kv, const char *text)
{
    return strncmp(kv->text, text, strlen(text)) == 0;
}

/* Nonzero if the last line is the CRC of the lines before. Then key_values_next begins at the second line. */
int key_values_check(struct key_values *kv)
{
    char expected[CRC_LINE_BYTES];
    size_t last = kv->size > 0 ? kv->size - 1 : 0;
    while (last > 0 && kv->text[last - 1] != '\n')
        last--;
    format_crc_line(kv->text, last, expected);
    if (last == 0 || kv->size - last != strlen(expected) ||
        memcmp(kv->text + last, expected, kv->size - last) != 0)
        return 0;
    kv->end = kv->text + last;
    const char *newline = strchr(kv->text, '\n'); /* NULL: a NUL stands in the first line */
    kv->next = newline != NULL ? kv->text + (newline - kv->text) + 1 : NULL;
    kv->line = 1;
    return kv->next != NULL && kv->next <= kv->end;
}

/* Cuts the next line into key and value, which is NULL if there is no blank; 0 if no line is left. */
int key_values_next(struct key_values *kv, const char **key, const char **value)
{
    if (kv->next >= kv->end)
        return 0;
    char *line = kv->next, *newline = memchr(line, '\n', (size_t)(kv->end - line));
    *newline = '\0'; /* the CRC covered whole lines */
    char *blank = strchr(line, ' ');
    *key = line;
    *value = NULL;
    if (blank != NULL) {
        *blank = '\0';
        *value = blank + 1;
    }
    kv->next = newline + 1;
    kv->line++;
    return 1;
}
