/* json_lines.h: converts lines of "key number word" to one JSON object, for --plan of dbfs-pack and dbfs-traverse */
#ifndef DBFS_JSON_LINES_H
#define DBFS_JSON_LINES_H

#include <stdio.h>

/* Prints {"format": 1, "key": {"value": number, "quality": "word"}, ...}. */
void json_lines_print(FILE *out, const char *lines);

#endif
