/* report_text.h: text that several reports share: JSON objects member by member, and the direction of a graph's edges */
#ifndef DBFS_REPORT_TEXT_H
#define DBFS_REPORT_TEXT_H

#include "formats/graph/manifest.h"

#include <inttypes.h>
#include <stdio.h>

/* A JSON object or array that is being printed. Commas separate its members. A member whose name starts with a newline
 * begins a line, after `indent`. */
struct json {
    FILE *out;
    const char *indent;
    int any; /* a member was printed before, so the next one needs a comma */
};

/* Formats for json_member. JSON_EXACT prints all digits of a double. */
#define JSON_COUNT "%" PRIu64
#define JSON_SECONDS "%.9f"
#define JSON_DIGITS "%.9g"
#define JSON_EXACT "%.17g"
#define JSON_HEX "\"%016" PRIx64 "\""

/* Prints a member whose value has this printf format. `name` is NULL for an item of an array. */
void json_member(struct json *json, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* json_text prints a member whose value is a string, with escapes where JSON needs them. json_flag prints a member whose
 * value is true or false. */
void json_text(struct json *json, const char *name, const char *text);
void json_flag(struct json *json, const char *name, int value);

/* json_begin begins a member whose value is an object ('{') or an array ('['). json_end ends the value ('}' or ']'). */
void json_begin(struct json *json, const char *name, char bracket);
void json_end(struct json *json, char bracket);

/* Prints the words of a command line as the member "command". */
void json_command(struct json *json, char *const *command);

/* Prints the members "directed" and, of a directed graph, "rows". */
void edges_json(struct json *json, const struct manifest *m);

/* Prints a line that says how a directed graph is packed and searched. Prints nothing for an undirected graph. */
void edges_print(FILE *out, const struct manifest *m, int reverse);

#endif
