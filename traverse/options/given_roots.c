/* given_roots.c: the ids of -r; see options.h */
#include "options.h"

#include "formats/mpi/comm.h"

#include <stdlib.h>
#include <string.h>

_Noreturn static void end_without_memory(struct args *args, uint64_t bytes)
{
    struct error e = {0};
    fail_memory(&e, "command line", bytes);
    args_free(args);
    comm_leave(&args->cli, &e);
}

/* Appends ids that are separated by commas. */
static void parse_roots(struct args *args, char *list)
{
    uint64_t count = args->count + 1;
    for (const char *c = list; *c != '\0'; c++)
        count += *c == ',';
    if (count > MAX_ROOTS)
        cli_usage(&args->cli, "-r: more than %d roots", MAX_ROOTS);
    uint64_t *grown = realloc(args->roots, count * sizeof *grown);
    if (grown == NULL)
        end_without_memory(args, count * sizeof *grown);
    args->roots = grown;
    for (char *next = list; next != NULL;) {
        char *item = strsep(&next, ",");
        if (*item != '\0' && strchr("+-.0123456789", *item) == NULL)
            cli_usage(&args->cli, "-r: '%s' is not a whole number: ids are numbers; a graph of words "
                      "is made by `edgeconv --compact=MAP` (dbfs: --compact), and searched with "
                      "--map MAP", item);
        args->roots[args->count++] = cli_number(&args->cli, "-r", item, 0, UINT64_MAX);
    }
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
