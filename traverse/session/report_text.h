/* report_text.h: prints what several reports have in common: members of JSON objects, and the direction of edges */
#ifndef DBFS_REPORT_TEXT_H
#define DBFS_REPORT_TEXT_H

#include "formats/graph/manifest.h"
#include "formats/name_map.h"

#include <inttypes.h>
#include <stdio.h>

/* A JSON object or array that is being printed. A member whose name starts with a newline begins a new line, after
 * `indent`. */
struct json {
    FILE *out;
    const char *indent;
    int any; /* 1: a member was printed before, so the next member needs a comma */
};

/* printf formats for json_member. JSON_EXACT prints all digits of a double. */
#define JSON_COUNT "%" PRIu64
#define JSON_SECONDS "%.9f"
#define JSON_DIGITS "%.9g"
#define JSON_EXACT "%.17g"
#define JSON_HEX "\"%016" PRIx64 "\""

/* Prints a member of an object, or an item of an array if `name` is NULL. `format` is the printf format of the value. */
void json_member(struct json *json, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* json_text prints a member whose value is a string, and escapes this. json_flag prints a member that is true or false. */
void json_text(struct json *json, const char *name, const char *text);
void json_flag(struct json *json, const char *name, int value);

/* json_begin begins a member whose value is an object (bracket '{') or an array ('['). json_end prints '}' or ']'. */
void json_begin(struct json *json, const char *name, char bracket);
void json_end(struct json *json, char bracket);

/* Prints a member whose value is the vertex with this input id: its name or, without a map, what people call it, who call input id 0
 * `base`. */
void json_vertex(struct json *json, const char *name, const struct name_map *map, uint64_t id, uint64_t base);

/* Prints the member "command": an array of the words in command[], which ends with NULL. */
void json_command(struct json *json, char *const *command);

/* Prints the member "directed". For a directed graph also prints the member "rows". */
void edges_json(struct json *json, const struct manifest *m);

/* Prints a line about a directed graph: whether it has out-rows only, and whether the search goes against the edges
 * (`reverse`). Prints nothing for an undirected graph. */
void edges_print(FILE *out, const struct manifest *m, int reverse);

#endif
