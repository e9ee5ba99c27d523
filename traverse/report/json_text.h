/* json_text.h: members of JSON objects */
#ifndef DBFS_JSON_TEXT_H
#define DBFS_JSON_TEXT_H

#include <stdio.h>

/* Prints a string in quotes, with escapes for characters that need them. */
void json_quote(FILE *out, const char *text);

/* Prints "name": and the text in quotes, and then `after` as it is. */
void json_string(FILE *out, const char *name, const char *text, const char *after);

/* Prints the words of a command line as the member "command", and begins a line after it. */
void json_command(FILE *out, char *const *command);

#endif
