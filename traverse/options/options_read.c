/* options_read.c: reads the command line by the table of options, and prints the chosen values; see options.h */
#include "options.h"

#include "traverse/session/report_text.h"

#include "formats/base/outfile.h"

#include <stdlib.h>
#include <string.h>

/* MOST_OPTIONS: the largest number of options of a program. FIRST_NUMBER: options without a letter get numbers from this one
 * on, which are above the numbers of cli.h's options. */
enum { MOST_OPTIONS = 80, FIRST_NUMBER = 2000 };

/* The state of reading a command line: the rows of the program's options, and the tables of these options for getopt. */
struct reading {
    struct args *args;
    const struct option_program *program;
    const struct option_row *row[MOST_OPTIONS];
    struct option longs[MOST_OPTIONS + 1];
    char letters[2 * MOST_OPTIONS + 1];
    int count;
};

/* Adds an option to r->row and to the tables for getopt, unless the program does not have it or the tables are full. */
static void add_row(struct reading *r, const struct option_row *row)
{
    char letter[] = {(char)row->letter, row->value != NULL ? ':' : '\0', '\0'};
    int is_help = row->letter == 'h', number = row->letter > 0 ? row->letter : FIRST_NUMBER + r->count;
    if ((row->of & r->program->bit) == 0 || r->count == MOST_OPTIONS)
        return;
    r->row[r->count] = row;
    r->longs[r->count++] = (struct option){row->name,
                                           is_help              ? optional_argument
                                           : row->value != NULL ? required_argument
                                                                : no_argument,
                                           NULL, number};
    if (row->letter > 0 && row->letter < 128)
        strcat(r->letters, is_help ? "h" : letter);
}

/* Adds another long name of the option `name`, if the program has that option and the tables are not full. */
static void add_other_name(struct reading *r, const char *other, const char *name)
{
    for (int i = 0; i < r->count && r->count < MOST_OPTIONS; i++) {
        if (strcmp(r->longs[i].name, name) != 0)
            continue;
        r->row[r->count] = r->row[i];
        r->longs[r->count] = r->longs[i];
        r->longs[r->count++].name = other;
        return;
    }
}

/* ---- values ---- */

/* Handles a given option, as the kind of its row says. `value` is NULL if the option has none. Ends the program if the
 * value is wrong, and after --help or --version. */
static void take_value(const struct reading *r, const struct option_row *row, char *value)
{
    struct args *args = r->args;
    void *at = (char *)args + row->at;
    const char letter[] = {'-', (char)row->letter, '\0'};
    char name[64];
    snprintf(name, sizeof name, row->letter > 0 ? "%s" : "--%s", row->letter > 0 ? letter : row->name);
    switch (row->kind) {
    case TAKE_FLAG: *(int *)at = 1; break;
    case TAKE_OFF: *(int *)at = 0; break;
    case TAKE_CHOICE: *(int *)at = cli_choice(&args->cli, name, value, row->value); break;
    case TAKE_COUNT: *(uint64_t *)at = cli_number(&args->cli, name, value, row->least, row->most); break;
    case TAKE_TEXT: cli_once(&args->cli, name, value, at); break;
    case TAKE_COMMON:
        if (row->letter == 'h')
            args->cli.help = options_help(r->program, value != NULL);
        cli_option(&args->cli, row->letter, value);
        break;
    case TAKE_OTHER: row->take(args, row, value); break;
    }
}

/* ---- the command line ---- */

/* Options that users expect here, but that only another program has. */
static const struct { const char *name, *program; } elsewhere[] = {
    {"target", "dbfs-paths"}, {"pairs", "dbfs-paths"},     {"path", "dbfs-paths"},
    {"one-sided", "dbfs-paths"}, {"batch", "dbfs-batch"}, {"centrality", "dbfs-batch"},
    {"reached", "dbfs-batch"}, {"hops", "dbfs-batch"}, {"targets", "dbfs-batch"},
    {"sample", "dbfs-batch"}, {"distribute", "dbfs-batch and dbfs-paths"}};

/* Ends the program, because getopt has refused the option `word`. If another program has it (`elsewhere`), the message says
 * so. */
static void refuse_unknown(struct cli *cli, const char *word)
{
    size_t length = strcspn(word, "=");
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        const char *name = elsewhere[i].name;
        if (length == strlen(name) + 2 && strncmp(word, "--", 2) == 0 && strncmp(word + 2, name, length - 2) == 0)
            cli_usage(cli, "--%s is an option of %s", name, elsewhere[i].program);
    }
    cli_option(cli, '?', NULL);
}

/* Returns DIR, which is the only word behind the options. Ends the program if no word is left, or more than one. */
static const char *read_folder(const struct args *args, int argc, char *const *argv)
{
    static const char numbers[] = "0123456789,";
    if (optind == argc)
        cli_usage(&args->cli, "which graph? DIR is missing");
    for (int i = optind; i < argc && optind + 1 < argc; i++) {
        if (argv[i][strspn(argv[i], numbers)] == '\0')
            cli_usage(&args->cli, "'%s': is one word too many: several roots are one word, as in "
                      "-r 0,1", argv[i]);
    }
    if (optind + 1 < argc)
        cli_usage(&args->cli, "'%s': is one word too many: the one DIR is '%s'", argv[optind + 1],
                  argv[optind]);
    return argv[optind];
}

/* Reads all options and DIR into *args (options.h), by the program's own rows and the rows of the table. */
void options_read(struct args *args, const struct option_program *program, int argc, char **argv)
{
    struct reading r = {.args = args, .program = program};
    int option;
    for (size_t i = 0; i < program->own_count; i++)
        add_row(&r, &program->own[i]);
    for (size_t i = 0; i < option_table_rows; i++)
        add_row(&r, &option_table[i]);
    add_other_name(&r, "root", "roots"); /* which otherwise might be --roots-from, too */
    while ((option = cli_next(&args->cli, argc, argv, r.letters, r.longs)) != -1) {
        int i = 0;
        while (i < r.count && r.longs[i].val != option)
            i++;
        if (i < r.count)
            take_value(&r, r.row[i], optarg);
        else
            refuse_unknown(&args->cli, argv[optind - 1]);
    }
    args->folder = read_folder(args, argc, argv);
}

/* ---- choices ---- */

/* Returns a pointer to word `number`, from 0 on, of a text such as "a|b|c". Sets *length to the length of the word. */
static const char *word_at(const char *words, int number, int *length)
{
    for (; number > 0; number--)
        words += strcspn(words, "|") + 1;
    *length = (int)strcspn(words, "|");
    return words;
}

/* Prints the chosen word of the option `name`, which must be a TAKE_CHOICE. Prints nothing if the table does not have it. */
void options_print_choice(FILE *out, const struct args *args, const char *name)
{
    for (size_t i = 0; i < option_table_rows; i++) {
        const struct option_row *row = &option_table[i];
        int length;
        if (strcmp(row->name, name) != 0)
            continue;
        const char *word = word_at(row->value, *(const int *)((const char *)args + row->at), &length);
        fprintf(out, "%.*s", length, word);
    }
}

/* Prints a JSON member for each option with a key (`json`) in its row: a choice as its word, a flag as true or false. */
void options_json(struct json *json, const struct args *args)
{
    for (size_t i = 0; i < option_table_rows; i++) {
        const struct option_row *row = &option_table[i];
        const int value = *(const int *)((const char *)args + row->at);
        int length;
        if (row->json != NULL && row->kind == TAKE_CHOICE) {
            const char *word = word_at(row->value, value, &length);
            json_member(json, row->json, "\"%.*s\"", length, word);
        } else if (row->json != NULL) {
            json_flag(json, row->json, value);
        }
    }
}

/* ---- the command line of a program that searches and writes results ---- */

/* Ends the program if an option was given that --serve excludes. Options of counts, summaries and reports are excluded,
 * because the number of searches is not known at the start. */
static void check_serve(const struct args *args)
{
    const struct { int given; const char *name; } others[] = {
        {args->roots_given, "-r"},          {args->count_given, "-n"},       {args->warm_up != UINT64_MAX, "--warm-up"},
        {args->base == BASE_1, "--base 1"},
        {args->json != NULL, "--json"},     {args->trace != NULL, "--trace"}, {args->breakdown, "--breakdown"},
        {args->count_pairs, "--count-pairs"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i].given)
            cli_usage(&args->cli, "--serve and %s exclude each other", others[i].name);
    }
    if (args_stdouts(args) > 0)
        cli_usage(&args->cli, "--serve: standard output has a line for each root: give results a name with %%d");
}

/* Ends the program if --device-answers was given with an option that it excludes, or without --serve. --map is excluded because a line of
 * --serve may then be a command that releases answers ("release 3"), which could be a name, too. */
static void check_device_answers(const struct args *args)
{
    int files = 0;
    for (int i = 0; i < ROOT_RESULTS; i++)
        files += args->results[i] != NULL;
    if (args->device_answers && !args->serve)
        cli_usage(&args->cli, "--device-answers needs --serve");
    if (args->device_answers && (args->together || args->map != NULL || files > 0))
        cli_usage(&args->cli, "--device-answers excludes --together, --map and files of results");
}

/* Ends the program if results of several roots would go to one file that cannot take them. There are three cases:
 * - The file is a table or a matrix, and the user has asked for several roots: each root appends its lines, or its row.
 * - With --in-place, the file is overwritten for each root.
 * - Otherwise each root needs a file of its own. */
static void check_outputs(const struct args *args)
{
    const int several = args->serve || (args->count > 1 && !args->together);
    for (int i = 0; i < ROOT_RESULTS && several; i++) {
        const char *name = args->results[i];
        const int asked = args->roots_given || args->count_given, takes_all = asked && args_takes_roots(args, name);
        if (name == NULL || strstr(name, "%d") != NULL || args->in_place || takes_all)
            continue;
        if (outfile_is_stdout(name))
            cli_usage(&args->cli, "standard output takes the result of one root: give one, with -r");
        cli_usage(&args->cli, "%s: several roots need %%d in the file name%s", name,
                  args->roots_given ? ", or a table (.csv, .tsv) or a matrix (.npy)" : "; -r gives one root");
    }
}

/* Sets the defaults, reads options and roots, sets what follows from them, and refuses options that exclude each other. */
void args_read(struct args *args, const struct option_program *program, int argc, char **argv)
{
    args_begin(args, program->name);
    args->answer = (enum answer_kind)ANSWER_NONE; /* keeps this value if --answer is not given */
    options_read(args, program, argc, argv);
    if (args->serve)
        check_serve(args);
    if (args->in_place && !(args->serve && args->cli.force))
        cli_usage(&args->cli, "--in-place needs --serve and --force");
    options_read_ids(args);
    if (args->nearest != NULL && !args->together)
        cli_usage(&args->cli, "--nearest needs --together, as otherwise each search has just one root");
    check_device_answers(args);
    const int trees = args->parents != NULL || args->nearest != NULL || args->device_answers;
    args->no_answer = (int)args->answer == ANSWER_NONE && args->reached != NULL && args->depths == NULL && !trees;
    if ((int)args->answer == ANSWER_NONE)
        args->answer = trees ? ANSWER_PARENTS : ANSWER_DEPTHS;
    args->record_parents = trees || args->answer == ANSWER_PARENTS;
    args_finish(args);
    if (args->plan && args->dry_run)
        cli_usage(&args->cli, "--plan and --dry-run exclude each other");
    if (args->plan_gpu != 0 && !args->plan)
        cli_usage(&args->cli, "--gpu needs --plan: a search asks the GPU that it runs on");
    if (!args->plan)
        check_outputs(args);
}
