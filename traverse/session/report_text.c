/* report_text.c: see report_text.h */
#include "report_text.h"

void json_quote(FILE *out, const char *text)
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

void json_string(FILE *out, const char *name, const char *text, const char *after)
{
    fprintf(out, "\"%s\": ", name);
    json_quote(out, text);
    fputs(after, out);
}

void json_command(FILE *out, char *const *command)
{
    fputs("\"command\": [", out);
    for (size_t i = 0; command[i] != NULL; i++) {
        fputs(i > 0 ? ", " : "", out);
        json_quote(out, command[i]);
    }
    fputs("],\n    ", out);
}

void edges_print(FILE *out, const struct manifest *m, int reverse)
{
    if (m->direction == EDGES_DIRECTED)
        fprintf(out, "edges: directed%s%s\n", m->out_only ? ", out-rows only" : "", reverse ? ", searched in reverse" : "");
}

void edges_json(FILE *out, const struct manifest *m)
{
    if (m->direction == EDGES_DIRECTED)
        fprintf(out, "\"directed\": true, \"rows\": \"%s\"", m->out_only ? "out" : "out,in");
    else
        fputs("\"directed\": false", out);
}
