/* options.h: reads the command line of the programs that search, by a table of options.
 *
 * Each row of the table (option_table.c) is an option: its names, the member of struct args that gets the value, the text
 * for --help, and the key for the JSON report. Reading the command line, --help, the report and the completions of shells
 * all go by these rows. So a new option needs only a row, a member of struct args, and the code that uses the member. */
#ifndef DBFS_OPTIONS_H
#define DBFS_OPTIONS_H

#include "args.h"

#include <stddef.h>
#include <stdio.h>

/* The groups of options. --help prints each group under a heading. */
enum option_group {
    GROUP_ROOTS,
    GROUP_RESULTS,
    GROUP_SEARCH,
    GROUP_EXCHANGE,
    GROUP_MACHINE,
    GROUP_COMMON,
    OPTION_GROUPS
};

/* Bits of an option. The OF_ bits tell which programs have the option. EVERYDAY: the short help shows the option.
 * FOR_TESTS: only tests and experiments need the option, so --help and the man pages do not show it. */
enum { OF_TRAVERSE = 1, OF_GRAPH500 = 2, OF_BOTH = 3, EVERYDAY = 4, OF_GRID = 8, OF_PATHS = 16, OF_BATCH = 32,
       FOR_TESTS = 64, OF_DIAMETER = 128, OF_ALL = OF_BOTH | OF_GRID | OF_PATHS | OF_BATCH | OF_DIAMETER };

/* What the program does with an option. The first five kinds set the member of struct args that begins at offset row.at. */
enum option_kind {
    TAKE_FLAG,   /* sets the member, an int, to 1 */
    TAKE_OFF,    /* sets the member, an int, to 0 */
    TAKE_CHOICE, /* sets the member, an int or an enum, to the index of the given word among the words of row.value */
    TAKE_COUNT,  /* sets the member, a uint64_t, to the given whole number, which is from row.least to row.most */
    TAKE_TEXT,   /* sets the member, a const char *, to the given text */
    TAKE_COMMON, /* passes the option to cli_option of cli.h, by its number row.letter */
    TAKE_OTHER   /* calls row.take */
};

/* One option. */
struct option_row {
    const char *name;  /* the long name, without dashes */
    int letter;        /* the letter; 0: the option has no letter. For TAKE_COMMON: the number of the option in cli.h */
    const char *value; /* the name of the value in --help, or for TAKE_CHOICE the words, as "a|b|c"; NULL: no value */
    const char *shown; /* those words of `value` that users see in --help and man pages; only tests use the rest. NULL: all words */
    enum option_group group;
    unsigned of;       /* the bits OF_..., EVERYDAY and FOR_TESTS */
    enum option_kind kind;
    size_t at;            /* the offset of the member in struct args */
    uint64_t least, most; /* for TAKE_COUNT: the smallest and the largest number */
    void (*take)(struct args *args, const struct option_row *row, char *value); /* for TAKE_OTHER: handles the option */
    const char *json; /* the key of a choice or flag in the JSON report; NULL: the report does not have the option */
    const char *help; /* the text for --help */
};

/* A program that reads its command line by the table. */
struct option_program {
    const char *name;
    unsigned bit;                   /* the OF_ bit of the program */
    const char *usage, *exit_codes; /* the first and the last lines of --help */
    const struct option_row *own;   /* [own_count] rows of options that no other program has */
    size_t own_count;
};

/* Reads the options of the command line, and the word DIR behind the options, into *args. *args must have the defaults of
 * args_begin. Exits with 2 if the command line is wrong. Exits with 0 after --help or --version. */
void options_read(struct args *args, const struct option_program *program, int argc, char **argv);

/* Reads the command line of dbfs-traverse or dbfs-traverse-2d into *args, and sets all members of *args. Exits with 2 if
 * the command line is wrong, and with 0 after --help or --version. */
void args_read(struct args *args, const struct option_program *program, int argc, char **argv);

/* Ends a program that cannot use its command line: frees what *args owns, prints the failure *e, and exits with its code. */
_Noreturn void args_end(struct args *args, struct error *e);

/* Returns a copy of the value of an option. The caller may change the copy, and must free it. The value itself must stay as
 * it is, because reports print the command line. Ends the program if memory is short. */
char *args_copy(struct args *args, const char *text);

/* Appends the text of a root to args->root_names. The text must live as long as *args. Ends the program if memory is
 * short. */
void args_add_root(struct args *args, char *text);

/* Replaces the texts of all -r, and of all targets, by ids, unless there is a map: then each text is a name. Exits with 2 if a text is
 * wrong. */
void options_read_ids(struct args *args);

/* Handle -t and --targets of dbfs-batch: append texts to args->target_names. The texts must live as long as *args. End the program
 * if the file cannot be read, if there are too many targets, or if memory is short. */
void options_take_target(struct args *args, const struct option_row *row, char *value);
void options_take_targets_from(struct args *args, const struct option_row *row, char *value);

/* Prints the word that was chosen for the option `name`, or its default. The option must be a TAKE_CHOICE. */
void options_print_choice(FILE *out, const struct args *args, const char *name);

struct json; /* session/report_text.h */

/* Prints members of a JSON object: one for each choice and each flag with a key (`json`) in its row. */
void options_json(struct json *json, const struct args *args);

/* Handles -n. The value is a number. In dbfs-batch the value may also be the word "all". */
void options_take_count(struct args *args, const struct option_row *row, char *value);

/* ---- for the files of this folder ---- */

/* Calls `take` for each line of the file `path`, which *file holds from then on. `kind` is "root" or "target", for messages. */
void options_take_lines(struct args *args, const struct option_row *row, struct roots_file *file, const char *path, const char *kind,
                        void (*take)(struct args *args, const struct option_row *row, char *value));

extern const struct option_row option_table[];
extern const size_t option_table_rows;

/* Returns the text of --help of a program, which the caller frees. The text has the EVERYDAY options, or with `all`, all
 * options but those for tests. Returns NULL if memory is short. */
char *options_help(const struct option_program *program, int all);

#endif
