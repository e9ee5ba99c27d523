/* json_text.h: members of JSON objects */
#ifndef DBFS_JSON_TEXT_H
#define DBFS_JSON_TEXT_H

#include <stdio.h>

/* Prints a string in quotes, with escapes for characters that need them. */
void json_quote(FILE *out, const char *text);

/* Prints "name": and the text in quotes. */
void json_string(FILE *out, const char *name, const char *text);

#endif
