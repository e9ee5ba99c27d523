/* args.c: struct args: defaults, roots as they are given, and what follows from several options; see args.h and
 * options.h */
#include "options.h"

#include "formats/base/memory.h"
#include "formats/base/outfile.h"
#include "formats/mpi/comm.h"

#include <stdlib.h>
#include <string.h>

int args_stdouts(const struct args *args)
{
    int count = 0;
    for (int i = 0; i < RESULTS; i++)
        count += outfile_is_stdout(args->results[i]);
    return count;
}

int args_want_levels(const struct args *args)
{
    return args->cli.verbose || args->breakdown || args->trace != NULL;
}

void args_defaults(struct args *args, const char *program)
{
    *args = (struct args){.cli = {.program = program},
                          .count = 64,
                          .seed = 1,
                          .warm_up = UINT64_MAX,
                          .max_depth = NO_MAX_DEPTH,
                          .check = 1,
                          .resident = RESIDENT_AUTO,
                          .parents_wide = PARENTS_AS_IDS,
                          .policy = direction_defaults,
                          .exchange = {.chunk_bytes = EXCHANGE_CHUNK_BYTES}};
}

void args_settle(struct args *args)
{
    args->policy.by_classes = args->direction == DIRECTION_BY_COST;
    args->policy.mode = args->policy.by_classes ? DIRECTION_AUTO : (enum direction_mode)args->direction;
    args->parents_width = args->parents_wide == PARENTS_AS_IDS ? 0 : 4 << args->parents_wide;
    if (args->warm_up == UINT64_MAX)
        args->warm_up = !args->roots_given && !args->serve;
}

void args_note_idle(const struct args *args, int directed)
{
    const int no_report = args->json == NULL && args->trace == NULL && !args->cli.verbose;
    const struct { int given; const char *name, *why; } idle[] = {
        {args->reverse && !directed, "--reverse", "as the edges are undirected"},
        {args->roots_given && args->seed != 1, "--seed", "as no roots are sampled"},
        {args->breakdown && no_report, "--breakdown", "as there is no --json or --trace"},
        {args->count_pairs && args->json == NULL, "--count-pairs", "as there is no --json"},
        {args->parents_wide != PARENTS_AS_IDS && args->parents == NULL, "--parents-width", "as there is no --parents"}};
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++) {
        if (idle[i].given)
            cli_note(&args->cli, "%s: has no effect, %s", idle[i].name, idle[i].why);
    }
}

void args_free(struct args *args)
{
    free(args->roots);
    free(args->root_names);
    roots_file_free(&args->roots_from);
}

/* ---- roots ---- */

_Noreturn void args_end(struct args *args, struct error *e)
{
    args_free(args);
    comm_leave(&args->cli, e);
}

/* Returns the memory, or ends the program if there was none. */
static void *need_memory(struct args *args, void *memory, uint64_t bytes)
{
    struct error e = {0};
    if (memory != NULL)
        return memory;
    fail_memory(&e, "command line", bytes);
    args_end(args, &e);
}

char *args_copy(struct args *args, const char *text)
{
    return need_memory(args, strdup(text), strlen(text) + 1);
}

void args_add_root(struct args *args, char *text)
{
    uint64_t width = sizeof *args->root_names;
    args->root_names = need_memory(args, memory_grow(args->root_names, args->count, width), (args->count + 1) * width);
    args->root_names[args->count++] = text;
}

/* Appends the ids of one -r, which are separated by commas, to args->roots. */
static void parse_roots(struct args *args, const char *text)
{
    uint64_t items = 1;
    for (const char *comma = text; (comma = strchr(comma, ',')) != NULL; comma++)
        items++;
    if (args->count + items > MAX_ROOTS)
        cli_usage(&args->cli, "-r: more than %d roots", MAX_ROOTS);
    uint64_t bytes = (args->count + items) * sizeof *args->roots;
    args->roots = need_memory(args, realloc(args->roots, bytes), bytes);
    char *list = args_copy(args, text);
    for (char *next = list, *item; (item = strsep(&next, ",")) != NULL;) {
        if (*item != '\0' && strchr("+-.0123456789", *item) == NULL)
            cli_usage(&args->cli, "-r: '%s' is not a whole number: ids are numbers; a graph of words "
                      "is made by `edgeconv --compact=MAP` (dbfs: --compact), and searched with "
                      "--map MAP", item);
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
