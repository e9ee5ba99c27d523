/* args.c: sets the members of struct args: defaults, the roots of -r, and members that follow from other members; see args.h */
#include "options.h"

#include "formats/base/memory.h"
#include "formats/base/outfile.h"
#include "formats/mpi/comm.h"
#include "formats/result_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the format of a result file with this name (args.h). */
enum result_format result_format_of(enum result_format wanted, const char *name)
{
    return wanted != RESULT_BY_SUFFIX   ? wanted
           : name_ends_in(name, ".npy") ? RESULT_NPY
           : name_ends_in(name, ".raw") ? RESULT_RAW
           : name_ends_in(name, ".csv") ? RESULT_CSV
                                        : RESULT_TEXT;
}

/* Returns whether a result is a table of text (args.h). The list of reached vertices always is. */
int args_is_table(const struct args *args, const char *name)
{
    if (name == NULL || name == args->reached)
        return name != NULL;
    enum result_format format = result_format_of((enum result_format)args->result_format, name);
    return format == RESULT_TEXT || format == RESULT_CSV;
}

/* Returns whether one file may have the results of several roots (args.h). */
int args_takes_roots(const struct args *args, const char *name)
{
    return args_is_table(args, name) ||
           (name != NULL && result_format_of((enum result_format)args->result_format, name) == RESULT_NPY);
}

/* Returns whether depths and parents are columns of one table (args.h). */
int args_in_one_table(const struct args *args)
{
    return args_is_table(args, args->depths) && args->parents != NULL && strcmp(args->depths, args->parents) == 0;
}

/* Returns the number of results that go to standard output. */
int args_stdouts(const struct args *args)
{
    int count = args_in_one_table(args) && outfile_is_stdout(args->depths) ? -1 : 0;
    for (int i = 0; i < RESULTS; i++)
        count += outfile_is_stdout(args->results[i]);
    return count;
}

/* Returns whether searches must record their levels, because -v, --breakdown or --trace needs them. */
int args_want_levels(const struct args *args)
{
    return args->cli.verbose || args->breakdown || args->trace != NULL;
}

/* Returns where reports are printed: standard output, or standard error if a result goes to standard output. */
FILE *args_talk(const struct args *args)
{
    return args_stdouts(args) > 0 ? stderr : stdout;
}

/* Also finds out whether the script dbfs runs the program. */
void args_begin(struct args *args, const char *program)
{
    *args = (struct args){.cli = {.program = program},
                          .count = 64,
                          .seed = 1,
                          .warm_up = UINT64_MAX,
                          .max_depth = NO_MAX_DEPTH,
                          .check = 1,
                          .resident = RESIDENT_AUTO,
                          .parents_width_choice = WIDTH_BY_DEFAULT,
                          .depths_width_choice = WIDTH_BY_DEFAULT,
                          .policy = direction_defaults,
                          .exchange = {.chunk_bytes = EXCHANGE_CHUNK_BYTES}};
    cli_called(&args->cli);
}

/* Sets the members that follow from other members, after all options are read: by_subgraphs and mode of the policy,
 * parents_width, and warm_up if --warm-up was not given. Ends the program if several results would go to standard output. */
void args_finish(struct args *args)
{
    args->policy.by_subgraphs = args->direction == DIRECTION_BY_COST;
    args->policy.mode = args->policy.by_subgraphs ? DIRECTION_AUTO : (enum direction_mode)args->direction;
    args->depths_width = args->depths_width_choice == WIDTH_BY_DEFAULT ? 4 : 1 << args->depths_width_choice;
    args->parents_width = args->parents_width_choice == WIDTH_BY_DEFAULT ? 0 : 4 << args->parents_width_choice;
    if (args->warm_up == UINT64_MAX)
        args->warm_up = !args->roots_given && !args->serve;
    if (args->nearest != NULL && args_in_one_table(args))
        cli_usage(&args->cli, "--nearest: distances and parents need files of their own beside it");
    if (args_stdouts(args) > 1 && !args->plan)
        cli_usage(&args->cli, "only one result can go to standard output");
}

/* Prints a note for each given option that has no effect. `directed`: the graph has directed edges. Called on rank 0. */
void args_note_idle(const struct args *args, int directed)
{
    const int no_report = args->json == NULL && args->trace == NULL && !args->cli.verbose;
    const int no_depth_array = args->depths == NULL || args_is_table(args, args->depths);
    const struct { int given; const char *name, *why; } idle[] = {
        {args->depths_width_choice != WIDTH_BY_DEFAULT && no_depth_array, "--depths-width", "as there is no array of --depths"},
        {args->reverse && !directed, "--reverse", "as the edges are undirected"},
        {args->roots_given && args->seed != 1, "--seed", "as no roots are sampled"},
        {args->breakdown && no_report, "--breakdown", "as there is no --json or --trace"},
        {args->count_pairs && args->json == NULL, "--count-pairs", "as there is no --json"},
        {args->parents_width_choice != WIDTH_BY_DEFAULT && args->parents == NULL, "--parents-width", "as there is no --parents"}};
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++) {
        if (idle[i].given)
            cli_note(&args->cli, "%s: has no effect, %s", idle[i].name, idle[i].why);
    }
}

/* Frees the memory that *args owns. *args may still have only its defaults. */
void args_free(struct args *args)
{
    free(args->roots);
    free(args->root_names);
    roots_file_free(&args->roots_from);
    free(args->targets);
    free(args->target_names);
    roots_file_free(&args->targets_from);
}

/* ---- roots ---- */

/* Frees what *args owns, prints the failure *e, and ends the program with the exit code of *e. */
_Noreturn void args_end(struct args *args, struct error *e)
{
    args_free(args);
    comm_leave(&args->cli, e);
}

/* Returns `memory`, which was allocated with `bytes` bytes. If it is NULL, ends the program with a message. */
static void *need_memory(struct args *args, void *memory, uint64_t bytes)
{
    struct error e = {0};
    if (memory != NULL)
        return memory;
    fail_memory(&e, "command line", bytes);
    args_end(args, &e);
}

/* Returns a copy of a text. The caller frees the copy. Ends the program if there is no memory. */
char *args_copy(struct args *args, const char *text)
{
    return need_memory(args, strdup(text), strlen(text) + 1);
}

/* Appends a text to texts[*count]. Ends the program if memory is short. */
static void add_text(struct args *args, char ***texts, uint64_t *count, char *text)
{
    const uint64_t width = sizeof **texts;
    *texts = need_memory(args, memory_grow(*texts, *count, width), (*count + 1) * width);
    (*texts)[(*count)++] = text;
}

/* Appends the text of a root to args->root_names. */
void args_add_root(struct args *args, char *text)
{
    add_text(args, &args->root_names, &args->count, text);
}

/* Appends the ids of one `option`, -r or -t, with commas between them, to ids[*count]. Ends the program if one of them is no id,
 * if there are too many, or if memory is short. */
static void parse_ids(struct args *args, const char *option, const char *text, uint64_t **ids, uint64_t *count)
{
    uint64_t items = 1;
    for (const char *comma = text; (comma = strchr(comma, ',')) != NULL; comma++)
        items++;
    if (*count + items > MAX_ROOTS)
        cli_usage(&args->cli, "%s: more than %d %s", option, MAX_ROOTS, strcmp(option, "-r") == 0 ? "roots" : "targets");
    uint64_t bytes = (*count + items) * sizeof **ids;
    *ids = need_memory(args, realloc(*ids, bytes), bytes);
    char *list = args_copy(args, text);
    for (char *next = list, *item; (item = strsep(&next, ",")) != NULL;) {
        if (*item != '\0' && strchr("+-.0123456789", *item) == NULL)
            cli_usage(&args->cli, "%s: '%s' is not a whole number: ids are numbers; a graph of words "
                      "is made by `edgeconv --compact=MAP` (dbfs: --compact), and searched with "
                      "--map MAP", option, item);
        (*ids)[(*count)++] = cli_number(&args->cli, option, item, 0, UINT64_MAX);
    }
    free(list);
}

/* Replaces texts[*count] of `option` by ids[*count], and frees the array of the texts, unless there is a map. */
static void parse_texts(struct args *args, const char *option, char ***texts, uint64_t **ids, uint64_t *count)
{
    const uint64_t items = *count;
    if (args->map != NULL)
        return;
    *count = 0;
    for (uint64_t i = 0; i < items; i++)
        parse_ids(args, option, (*texts)[i], ids, count);
    free(*texts);
    *texts = NULL;
}

/* Replaces the texts of all -r, and of all targets, by ids, unless they are names. */
void options_read_ids(struct args *args)
{
    if (args->root_names != NULL)
        parse_texts(args, "-r", &args->root_names, &args->roots, &args->count);
    parse_texts(args, "-t", &args->target_names, &args->targets, &args->target_count);
}

/* ---- targets ---- */

/* Handles -t TARGET[,TARGET...]. */
void options_take_target(struct args *args, const struct option_row *row, char *value)
{
    (void)row;
    add_text(args, &args->target_names, &args->target_count, value);
}

/* Reads the file of an option for each of whose lines `take` is called: a `kind`, "root" or "target". Ends the program if the file cannot
 * be read or has too many lines, or if the option is given twice. */
void options_take_lines(struct args *args, const struct option_row *row, struct roots_file *f, const char *path, const char *kind,
                        void (*take)(struct args *args, const struct option_row *row, char *value))
{
    struct error e = {0};
    if (f->count > 0)
        cli_usage(&args->cli, "--%s is given twice", row->name);
    if (roots_file_read(f, path, kind, args->cli.memory_bytes, &e) != ST_OK)
        args_end(args, &e);
    if (f->count > MAX_ROOTS)
        cli_usage(&args->cli, "--%s: more than %d %ss", row->name, MAX_ROOTS, kind);
    for (uint64_t i = 0; i < f->count; i++)
        take(args, row, f->line[i]);
}

/* Handles --targets FILE. */
void options_take_targets_from(struct args *args, const struct option_row *row, char *value)
{
    options_take_lines(args, row, &args->targets_from, value, "target", options_take_target);
}
