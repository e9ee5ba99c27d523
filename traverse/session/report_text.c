/* report_text.c: prints members of JSON objects, and the direction of a graph's edges; see report_text.h */
#include "report_text.h"

#include <stdarg.h>
#include <string.h>

/* Prints a string of `length` bytes in quotes. Escapes the characters that JSON does not allow in strings. */
static void print_quoted(FILE *out, const char *text, size_t length)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; c < (const unsigned char *)text + length; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

/* Prints what stands before a value: a comma if a member was printed before, a line break and the indent if `name` starts
 * with a newline, and the quoted name with a colon. An item of an array has no name: `name` is NULL. */
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

/* Prints a member of an object, or an item of an array if `name` is NULL. `format` is the printf format of the value. */
void json_member(struct json *json, const char *name, const char *format, ...)
{
    va_list values;
    print_name(json, name);
    va_start(values, format);
    vfprintf(json->out, format, values);
    va_end(values);
}

/* Prints a member with a string as its value. Escapes characters where JSON needs escapes. */
void json_text(struct json *json, const char *name, const char *text)
{
    print_name(json, name);
    print_quoted(json->out, text, strlen(text));
}

/* Prints the name of a vertex as a string, its number without quotes. */
void json_vertex(struct json *json, const char *name, const struct name_map *map, uint64_t id, uint64_t base)
{
    print_name(json, name);
    if (map == NULL) {
        fprintf(json->out, "%" PRIu64, id + base);
    } else {
        const struct map_name of = name_map_at(map, id);
        print_quoted(json->out, of.bytes, of.length);
    }
}

/* Prints a member with the value true or false. */
void json_flag(struct json *json, const char *name, int value)
{
    json_member(json, name, "%s", value ? "true" : "false");
}

/* Prints the name and the opening bracket of an object or array. The first member gets no comma before it. */
void json_begin(struct json *json, const char *name, char bracket)
{
    json_member(json, name, "%c", bracket);
    json->any = 0;
}

/* Prints the closing bracket of an object or array. The next member gets a comma before it. */
void json_end(struct json *json, char bracket)
{
    fputc(bracket, json->out);
    json->any = 1;
}

/* Prints the member "command": an array of the words in command[], which ends with NULL. */
void json_command(struct json *json, char *const *command)
{
    json_begin(json, "\ncommand", '[');
    for (; *command != NULL; command++)
        json_text(json, NULL, *command);
    json_end(json, ']');
}

/* Prints the member "directed" and, of a directed graph, "rows": "out", or "out,in" if the shards have in-rows, too. */
void edges_json(struct json *json, const struct manifest *m)
{
    json_flag(json, "\ndirected", m->direction == EDGES_DIRECTED);
    if (m->direction == EDGES_DIRECTED)
        json_text(json, "rows", m->out_only ? "out" : "out,in");
}

/* Prints a line about a directed graph, and nothing for an undirected graph. */
void edges_print(FILE *out, const struct manifest *m, int reverse)
{
    if (m->direction == EDGES_DIRECTED)
        fprintf(out, "edges: directed%s%s\n", m->out_only ? ", out-rows only" : "", reverse ? ", searched in reverse" : "");
}
