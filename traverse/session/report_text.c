/* report_text.c: prints JSON member by member, and the direction of edges; see report_text.h */
#include "report_text.h"

#include <stdarg.h>

/* Prints a string in quotes. Characters that JSON does not allow in strings are escaped. */
static void print_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

/* Prints the separator before a value, and its name. The separator is a comma if a member stands before (json->any), and a
 * line break and the indent if the name starts with a newline. `name` is NULL in an array. Sets json->any. */
static void print_name(struct json *json, const char *name)
{
    const int begins_line = name != NULL && *name == '\n';
    if (json->any)
        fputs(begins_line ? "," : ", ", json->out);
    if (begins_line)
        fprintf(json->out, "\n%s", json->indent);
    if (name != NULL)
        fprintf(json->out, "\"%s\": ", name + begins_line);
    json->any = 1;
}

/* Prints a member, or an item of an array if `name` is NULL. Its value is printed by the printf format. */
void json_member(struct json *json, const char *name, const char *format, ...)
{
    va_list values;
    print_name(json, name);
    va_start(values, format);
    vfprintf(json->out, format, values);
    va_end(values);
}

/* Prints a member whose value is a string, with escapes where JSON needs them. */
void json_text(struct json *json, const char *name, const char *text)
{
    print_name(json, name);
    print_quoted(json->out, text);
}

/* Prints a member whose value is true or false. */
void json_flag(struct json *json, const char *name, int value)
{
    json_member(json, name, "%s", value ? "true" : "false");
}

/* Prints the name of a member and the opening bracket of its value. The next member is printed without a comma before it. */
void json_begin(struct json *json, const char *name, char bracket)
{
    json_member(json, name, "%c", bracket);
    json->any = 0;
}

/* Prints the closing bracket of a value that json_begin began. The next member is printed with a comma before it. */
void json_end(struct json *json, char bracket)
{
    fputc(bracket, json->out);
    json->any = 1;
}

/* Prints the words of a command line, which NULL ends, as the member "command". */
void json_command(struct json *json, char *const *command)
{
    json_begin(json, "\ncommand", '[');
    for (; *command != NULL; command++)
        json_text(json, NULL, *command);
    json_end(json, ']');
}

/* Prints the member "directed" and, for a directed graph, "rows", which says which rows the shards have. */
void edges_json(struct json *json, const struct manifest *m)
{
    json_flag(json, "\ndirected", m->direction == EDGES_DIRECTED);
    if (m->direction == EDGES_DIRECTED)
        json_text(json, "rows", m->out_only ? "out" : "out,in");
}

/* Prints a line about the edges of a directed graph: which rows the shards have, and whether the search goes in reverse.
 * Prints nothing for an undirected graph. */
void edges_print(FILE *out, const struct manifest *m, int reverse)
{
    if (m->direction == EDGES_DIRECTED)
        fprintf(out, "edges: directed%s%s\n", m->out_only ? ", out-rows only" : "", reverse ? ", searched in reverse" : "");
}
