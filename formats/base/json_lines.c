/* json_lines.c: see json_lines.h */
#include "json_lines.h"

#include "json_format.h"

#include <string.h>

/* Prints lines of "key number word" as one JSON object; other lines are left out. */
void json_lines_print(FILE *out, const char *lines)
{
    char key[64], number[32], word[32];
    const char *separator = JSON_OPEN;
    for (const char *p = lines; *p != '\0'; p = strchr(p, '\n') + 1) {
        if (sscanf(p, "%63s %31s %31s", key, number, word) != 3)
            continue;
        fprintf(out, "%s  \"%s\": {\"value\": %s, \"quality\": \"%s\"}", separator, key, number, word);
        separator = ",\n";
    }
    fputs("\n}\n", out);
}
