/* json_lines.h: lines of "key number word" as one JSON object, for programs that read a --plan */
#ifndef DBFS_JSON_LINES_H
#define DBFS_JSON_LINES_H

#include <stdio.h>

/* Prints {"key": {"value": number, "quality": "word"}, ...}. */
void json_lines_print(FILE *out, const char *lines);

#endif
