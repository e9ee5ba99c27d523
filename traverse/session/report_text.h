/* report_text.h: text of several reports: members of JSON objects, and whether the edges of a graph are directed */
#ifndef DBFS_REPORT_TEXT_H
#define DBFS_REPORT_TEXT_H

#include "formats/graph/manifest.h"

#include <stdio.h>

/* Prints a string in quotes, with escapes for characters that need them. */
void json_quote(FILE *out, const char *text);

/* Prints "name": and the text in quotes, and then `after` as it is. */
void json_string(FILE *out, const char *name, const char *text, const char *after);

/* Prints the words of a command line as the member "command", and begins a line after it. */
void json_command(FILE *out, char *const *command);

/* A line of a directed graph, and of the direction of a search; nothing of an undirected one. */
void edges_print(FILE *out, const struct manifest *m, int reverse);

/* Members of a JSON object: "directed", and of a directed graph "rows". */
void edges_json(FILE *out, const struct manifest *m);

#endif
