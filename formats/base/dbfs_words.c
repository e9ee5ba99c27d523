/* dbfs_words.c: see dbfs_words.h */
#include "dbfs_words.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Words of edgeconv's messages, and what the script dbfs says instead; the first row that fits is used. dbfs always runs
 * edgeconv with -u and keeps the map of names by itself, so advice about these is dropped. The first row keeps a command of
 * edgeconv as it is, because dbfs has none that makes a map alone. */
static const struct {
    const char *ours, *of_dbfs;
} words[] = {
    {"edgeconv -f wdc-index", "edgeconv -f wdc-index"},
    {", or --direction directed for -u", ""},
    {" (dbfs: --compact)", ""},
    {"--compact=MAP", "--compact"},
    {", and searched with --map MAP", ""},
    {"need --map", "need --compact"},
    {"edgeconv -u ", "dbfs "},
    {"edgeconv", "dbfs"},
};

/* If `text` begins with a path that $DBFS_NAMES lists, prints the name listed for that path, and returns the bytes of the
 * path; else returns 0. */
static size_t print_name(FILE *out, const char *text)
{
    const char *path = getenv("DBFS_NAMES"), *name, *end;
    for (; path != NULL && (name = strchr(path, '\n')) != NULL && (end = strchr(name + 1, '\n')) != NULL; path = end + 1) {
        size_t bytes = (size_t)(name - path);
        if (strncmp(text, path, bytes) == 0 && text[bytes] != '/') {
            fwrite(name + 1, 1, (size_t)(end - name - 1), out);
            return bytes;
        }
    }
    return 0;
}

/* If `text` begins with a word of the table, prints what dbfs says instead and returns the bytes of the word; else 0. */
static size_t print_word(FILE *out, const char *text)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t bytes = strlen(words[i].ours);
        if (strncmp(text, words[i].ours, bytes) == 0) {
            fputs(words[i].of_dbfs, out);
            return bytes;
        }
    }
    return 0;
}

/* Prints the text as fits the command of dbfs that the user typed: its words, and names in place of paths that dbfs made. */
void print_for_dbfs(FILE *out, const char *text)
{
    while (*text != '\0') {
        size_t bytes = print_name(out, text);
        bytes = bytes > 0 ? bytes : print_word(out, text);
        if (bytes == 0)
            fputc(*text++, out);
        text += bytes;
    }
}
