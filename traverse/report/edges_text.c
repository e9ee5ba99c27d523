/* edges_text.c: see edges_text.h */
#include "edges_text.h"

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
