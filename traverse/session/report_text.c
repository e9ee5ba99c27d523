/* report_text.c: see report_text.h */
#include "report_text.h"

#include <stdarg.h>

/* Prints a string in quotes, and in JSON's escapes where a character needs one. */
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

/* Prints what stands before a value: a comma, a line break or a space, and the name if there is one. */
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

void json_member(struct json *json, const char *name, const char *format, ...)
{
    va_list values;
    print_name(json, name);
    va_start(values, format);
    vfprintf(json->out, format, values);
    va_end(values);
}

void json_text(struct json *json, const char *name, const char *text)
{
    print_name(json, name);
    print_quoted(json->out, text);
}

void json_flag(struct json *json, const char *name, int value)
{
    json_member(json, name, "%s", value ? "true" : "false");
}

void json_begin(struct json *json, const char *name, char bracket)
{
    json_member(json, name, "%c", bracket);
    json->any = 0;
}

void json_end(struct json *json, char bracket)
{
    fputc(bracket, json->out);
    json->any = 1;
}

void json_command(struct json *json, char *const *command)
{
    json_begin(json, "\ncommand", '[');
    for (; *command != NULL; command++)
        json_text(json, NULL, *command);
    json_end(json, ']');
}

void edges_json(struct json *json, const struct manifest *m)
{
    json_flag(json, "\ndirected", m->direction == EDGES_DIRECTED);
    if (m->direction == EDGES_DIRECTED)
        json_text(json, "rows", m->out_only ? "out" : "out,in");
}

void edges_print(FILE *out, const struct manifest *m, int reverse)
{
    if (m->direction == EDGES_DIRECTED)
        fprintf(out, "edges: directed%s%s\n", m->out_only ? ", out-rows only" : "", reverse ? ", searched in reverse" : "");
}
