/* given_roots.c: the roots of a command line; see options.h */
#include "options.h"

#include "formats/base/memory.h"
#include "formats/mpi/comm.h"

#include <stdlib.h>
#include <string.h>

_Noreturn void args_end(struct args *args, struct error *e)
{
    args_free(args);
    comm_leave(&args->cli, e);
}

char *args_copy(struct args *args, const char *text)
{
    struct error e = {0};
    char *copy = strdup(text);
    if (copy != NULL)
        return copy;
    fail_memory(&e, "command line", strlen(text) + 1);
    args_end(args, &e);
}

/* Makes room for one more element. */
static void *grow(struct args *args, void *array, uint64_t width)
{
    struct error e = {0};
    void *grown = memory_grow(array, args->count, width);
    if (grown != NULL)
        return grown;
    fail_memory(&e, "command line", (args->count + 1) * width);
    args_end(args, &e);
}

void args_add_root(struct args *args, char *text)
{
    args->root_names = grow(args, args->root_names, sizeof *args->root_names);
    args->root_names[args->count++] = text;
}

/* Appends ids that are separated by commas. */
static void parse_roots(struct args *args, const char *text)
{
    char *list = args_copy(args, text);
    for (char *next = list; next != NULL;) {
        char *item = strsep(&next, ",");
        if (args->count == MAX_ROOTS)
            cli_usage(&args->cli, "-r: more than %d roots", MAX_ROOTS);
        if (*item != '\0' && strchr("+-.0123456789", *item) == NULL)
            cli_usage(&args->cli, "-r: '%s' is not a whole number: ids are numbers; a graph of words "
                      "is made by `edgeconv --compact=MAP` (dbfs: --compact), and searched with "
                      "--map MAP", item);
        args->roots = grow(args, args->roots, sizeof *args->roots);
        args->roots[args->count++] = cli_number(&args->cli, "-r", item, 0, UINT64_MAX);
    }
    free(list);
}

void options_read_roots(struct args *args)
{
    uint64_t texts = args->count;
    if (args->map != NULL)
        return;
    args->count = 0;
    for (uint64_t i = 0; i < texts; i++)
        parse_roots(args, args->root_names[i]);
    free(args->root_names);
    args->root_names = NULL;
}
