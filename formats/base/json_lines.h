/* json_lines.h: converts lines of "key number word" to one JSON object, as dbfs-pack --plan and dbfs-traverse --plan print it for programs */
#ifndef DBFS_JSON_LINES_H
#define DBFS_JSON_LINES_H

#include <stdio.h>

/* Prints {"key": {"value": number, "quality": "word"}, ...}. */
void json_lines_print(FILE *out, const char *lines);

#endif
