/* options.h: the options of the programs that search, as one table.
 *
 * A row of the table (option_table.c) is an option: its names, its value, the member that gets the value, and its
 * text in --help and the JSON report. The command line, --help, completions (which read --help) and the report
 * follow from the rows. A new option of the search is a row, a member of struct args, and the code that it
 * changes. */
#ifndef DBFS_OPTIONS_H
#define DBFS_OPTIONS_H

#include "args.h"

#include <stddef.h>
#include <stdio.h>

enum option_group {
    GROUP_ROOTS,
    GROUP_RESULTS,
    GROUP_SEARCH,
    GROUP_EXCHANGE,
    GROUP_MACHINE,
    GROUP_COMMON,
    OPTION_GROUPS
};

/* The programs that have an option, a bit each. EVERYDAY: the short help has the option. FOR_TESTS: only tests and
 * experiments need the option, so --help and the man pages leave it out. */
enum { OF_TRAVERSE = 1, OF_GRAPH500 = 2, OF_BOTH = 3, EVERYDAY = 4, OF_GRID = 8, OF_PATHS = 16, OF_BATCH = 32,
       FOR_TESTS = 64, OF_ALL = OF_BOTH | OF_GRID | OF_PATHS | OF_BATCH };

/* How an option is taken. Unless said otherwise, its value goes into the member at offset `at` of struct args. */
enum option_kind {
    TAKE_FLAG,   /* int: 1 */
    TAKE_OFF,    /* int: 0 */
    TAKE_CHOICE, /* int, or an enum: which of the words in `value` it is */
    TAKE_COUNT,  /* uint64_t: a whole number of least to most */
    TAKE_TEXT,   /* const char * */
    TAKE_COMMON, /* cli.h takes it, as option `letter` */
    TAKE_OTHER   /* `take` takes it */
};

struct option_row {
    const char *name;  /* without dashes */
    int letter;        /* 0: the option has none. For TAKE_COMMON: its number in cli.h */
    const char *value; /* its name in --help, or the words to choose from: "a|b|c"; NULL: none */
    const char *shown; /* the words that --help and the man pages have, if only tests need the rest; NULL: all of `value` */
    enum option_group group;
    unsigned of;       /* OF_ bits, EVERYDAY, FOR_TESTS */
    enum option_kind kind;
    size_t at;
    uint64_t least, most; /* of TAKE_COUNT */
    void (*take)(struct args *args, const struct option_row *row, char *value);
    const char *json; /* the key of a choice or flag in the report; NULL: none */
    const char *help;
};

/* A program: its OF_ bit, the first and last lines of --help, and rows that no other program has. */
struct option_program {
    const char *name;
    unsigned bit;
    const char *usage, *exit_codes;
    const struct option_row *own;
    size_t own_count;
};

/* Reads the options into `args`, which has its defaults, and the one DIR after them. Exits with 2 if the command
 * line is wrong, and with 0 after --help or --version. */
void options_read(struct args *args, const struct option_program *program, int argc, char **argv);

/* Reads the command line of dbfs-traverse or dbfs-traverse-2d: sets defaults, calls options_read, reads the roots, and sets
 * members that follow from several options. Exits as options_read does. */
void args_read(struct args *args, const struct option_program *program, int argc, char **argv);

/* Ends a program whose command line cannot be used, with the exit code of *e. */
_Noreturn void args_end(struct args *args, struct error *e);

/* Returns a copy of an option's value, which may be cut into parts: the value itself must stay, as a report shows the
 * command line. The caller frees the copy. Ends the program if there is no memory. */
char *args_copy(struct args *args, const char *text);

/* Appends a root as it was given: `text` must live as long as args. Ends the program if there is no memory. */
void args_add_root(struct args *args, char *text);

/* Turns the texts of each -r into ids; with a map each is a name, and stays text. Exits as options_read does. */
void options_read_roots(struct args *args);

/* Prints the chosen word of the option with this name. */
void options_print_choice(FILE *out, const struct args *args, const char *name);

struct json; /* session/report_text.h */

/* Prints the choices and flags that have a key as members of an object. */
void options_json(struct json *json, const struct args *args);

/* Takes -n: a number, or in a row of dbfs-batch alone "all". */
void options_take_count(struct args *args, const struct option_row *row, char *value);

/* ---- for the files of this folder ---- */

extern const struct option_row option_table[];
extern const size_t option_table_rows;

/* Returns the text of --help of a program, with every option but those for tests if `all`; NULL: there is no memory. */
char *options_help(const struct option_program *program, int all);

#endif
