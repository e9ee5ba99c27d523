/* dbfs_words.c: see dbfs_words.h */
#include "dbfs_words.h"

#include <stddef.h>
#include <string.h>

/* The first row that fits counts. dbfs takes each line as one edge without -u, keeps the map by itself, and has no command
 * that makes a map alone. */
static const struct {
    const char *ours, *of_dbfs;
} words[] = {
    {"edgeconv -f wdc-index", "edgeconv -f wdc-index"},
    {", or --direction directed for -u", ""},
    {" (dbfs: --compact)", ""},
    {"--compact=MAP", "--compact"},
    {"edgeconv -u ", "dbfs "},
    {"edgeconv", "dbfs"},
};

void print_for_dbfs(FILE *out, const char *text)
{
    enum { WORDS = sizeof words / sizeof *words };
    while (*text != '\0') {
        size_t i = 0;
        while (i < WORDS && strncmp(text, words[i].ours, strlen(words[i].ours)) != 0)
            i++;
        if (i == WORDS) {
            fputc(*text++, out);
        } else {
            fputs(words[i].of_dbfs, out);
            text += strlen(words[i].ours);
        }
    }
}
