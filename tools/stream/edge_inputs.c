/* edge_inputs.c: see edge_inputs.h */
#include "edge_inputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANK_MARK "%r"

/* Returns `word` with the number of the rank in place of each %r. */
char *edge_name_of_rank(const char *word, uint32_t rank)
{
    char *name = NULL;
    size_t size = 0;
    const char *mark;
    FILE *out = open_memstream(&name, &size);
    if (out == NULL)
        return NULL;
    for (; (mark = strstr(word, RANK_MARK)) != NULL; word = mark + strlen(RANK_MARK))
        fprintf(out, "%.*s%" PRIu32, (int)(mark - word), word, rank);
    fputs(word, out);
    if (fclose(out) == 0)
        return name;
    free(name);
    return NULL;
}

void edge_base_take(struct cli *cli, const struct cli_row *row, const char *text)
{
    *(enum base_choice *)row->value = cli_number(cli, "--base", text, 0, 1) == 0 ? BASE_0 : BASE_1;
}

/* Takes names from a command line, with the rank in place of %r; opens no file. The caller closes it in any case. */
enum status edge_inputs_open(struct edge_inputs *in, char *const *words, size_t count, uint32_t rank, struct error *e)
{
    size_t inputs = count > 0 ? count : 1, stdins = 0;
    *in = (struct edge_inputs){.path = calloc(inputs + 1, sizeof *in->path), .own = calloc(inputs, 1)};
    if (in->path == NULL || in->own == NULL)
        return fail_memory(e, "names of edge streams", inputs * sizeof *in->path);
    for (; in->count < inputs && e->status == ST_OK; in->count++) {
        const char *word = count > 0 ? words[in->count] : "-";
        in->own[in->count] = strstr(word, RANK_MARK) != NULL;
        in->path[in->count] = edge_name_of_rank(word, rank);
        if (in->path[in->count] == NULL)
            fail_memory(e, word, strlen(word));
        else if (strcmp(word, "-") == 0 && ++stdins > 1)
            fail(e, ST_USAGE, "standard input: is given twice, and can be read once");
    }
    return e->status;
}

void edge_inputs_close(struct edge_inputs *in)
{
    for (size_t i = 0; i < in->count; i++)
        free((char *)in->path[i]);
    free(in->path);
    free(in->own);
    memset(in, 0, sizeof *in);
}

int edge_inputs_have_stdin(const struct edge_inputs *in)
{
    for (size_t i = 0; i < in->count; i++) {
        if (strcmp(in->path[i], "-") == 0)
            return 1;
    }
    return 0;
}
