/* options.h: the options of the programs that search, as one table.
 *
 * A row of the table (option_table.c) is an option. The row has the option's names, its value, the member of struct args
 * that gets the value, and its text in --help and the JSON report. The command line, --help, completions (which read
 * --help) and the report follow from the rows. A new option of the search is a row, a member of struct args, and the code
 * that the option changes. */
#ifndef DBFS_OPTIONS_H
#define DBFS_OPTIONS_H

#include "args.h"

#include <stddef.h>
#include <stdio.h>

/* The headings of --help under which options stand. */
enum option_group {
    GROUP_ROOTS,
    GROUP_RESULTS,
    GROUP_SEARCH,
    GROUP_EXCHANGE,
    GROUP_MACHINE,
    GROUP_COMMON,
    OPTION_GROUPS
};

/* The programs that have an option, a bit for each program. EVERYDAY: the short help shows the option. FOR_TESTS: only
 * tests and experiments need the option, so --help and the man pages do not show it. */
enum { OF_TRAVERSE = 1, OF_GRAPH500 = 2, OF_BOTH = 3, EVERYDAY = 4, OF_GRID = 8, OF_PATHS = 16, OF_BATCH = 32,
       FOR_TESTS = 64, OF_ALL = OF_BOTH | OF_GRID | OF_PATHS | OF_BATCH };

/* How an option's value is taken. The first five kinds write to the member at offset `at` of struct args, of the type
 * named. */
enum option_kind {
    TAKE_FLAG,   /* int: becomes 1 */
    TAKE_OFF,    /* int: becomes 0 */
    TAKE_CHOICE, /* int, or an enum: becomes the index of the word among the words of `value` */
    TAKE_COUNT,  /* uint64_t: a whole number from `least` to `most` */
    TAKE_TEXT,   /* const char *: becomes the value itself */
    TAKE_COMMON, /* cli.h takes the option, as number `letter` */
    TAKE_OTHER   /* the function `take` takes the option */
};

/* One option. */
struct option_row {
    const char *name;  /* without dashes */
    int letter;        /* the letter, or 0: the option has none. For TAKE_COMMON: its number in cli.h */
    const char *value; /* the name of the value in --help, or the words to choose from, as "a|b|c"; NULL: no value */
    const char *shown; /* the words that --help and the man pages show, if only tests need the other words; NULL: all */
    enum option_group group;
    unsigned of;       /* OF_ bits, EVERYDAY, FOR_TESTS */
    enum option_kind kind;
    size_t at;            /* offset of the member in struct args */
    uint64_t least, most; /* for TAKE_COUNT */
    void (*take)(struct args *args, const struct option_row *row, char *value); /* for TAKE_OTHER */
    const char *json; /* the key of a choice or flag in the JSON report; NULL: the report has no such key */
    const char *help;
};

/* A program: its OF_ bit, the first and the last lines of --help, and the rows of options that no other program has. */
struct option_program {
    const char *name;
    unsigned bit;
    const char *usage, *exit_codes;
    const struct option_row *own;
    size_t own_count;
};

/* Reads the options and the word DIR behind them into `args`, which must have its defaults. Exits with 2 if the command
 * line is wrong, and with 0 after --help or --version. */
void options_read(struct args *args, const struct option_program *program, int argc, char **argv);

/* Reads the command line of dbfs-traverse or dbfs-traverse-2d. Sets defaults, calls options_read, reads the roots, and sets
 * the members that follow from several options. Exits as options_read does. */
void args_read(struct args *args, const struct option_program *program, int argc, char **argv);

/* Ends a program that cannot use its command line, with the exit code of *e. Frees `args`. */
_Noreturn void args_end(struct args *args, struct error *e);

/* Returns a copy of an option's value, which the caller may cut into parts and must free. The value itself must stay as it
 * is, because a report shows the command line. Ends the program if there is no memory. */
char *args_copy(struct args *args, const char *text);

/* Appends a root as it was given. `text` must live as long as `args`. Ends the program if there is no memory. */
void args_add_root(struct args *args, char *text);

/* Turns the texts of all -r into ids. With a map each text is a name, and stays text. Exits with 2 if a text is wrong. */
void options_read_roots(struct args *args);

/* Prints the word that was chosen for the option with this name. */
void options_print_choice(FILE *out, const struct args *args, const char *name);

struct json; /* session/report_text.h */

/* Prints each choice and flag that has a key (`json`) in its row as a member of a JSON object. */
void options_json(struct json *json, const struct args *args);

/* Takes -n: a number, or in the row of dbfs-batch also the word "all". */
void options_take_count(struct args *args, const struct option_row *row, char *value);

/* ---- for the files of this folder ---- */

extern const struct option_row option_table[];
extern const size_t option_table_rows;

/* Returns the text of --help of a program, which the caller frees. The text has the EVERYDAY options, or with `all` every
 * option but the options for tests. Returns NULL if there is no memory. */
char *options_help(const struct option_program *program, int all);

#endif
