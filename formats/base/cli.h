/* cli.h: the options and messages that all dbfs programs share.
 *
 *   -h/--help[=all]  --version  -@ THREADS (0 = all)  -S MEMORY  -T TMPDIR  -q/--quiet  -v/--verbose  --force
 *
 * A program calls cli_begin first and cli_finish last. It reads its options by cli_read_rows from a table or, as dbfs-traverse, by
 * cli_next, and then passes every option that it does not know to cli_option. Only main files may call these functions, because
 * they print and exit.
 */
#ifndef DBFS_CLI_H
#define DBFS_CLI_H

#include "status.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>

/* The version of all programs, packages and archives. Between releases: the next one, and -dev. */
#define DBFS_VERSION "1.1.0-dev"

enum { CLI_VERSION_OPTION = 1000, CLI_FORCE_OPTION, CLI_TIMEOUT_OPTION, CLI_FIRST_FREE_OPTION };

enum { CLI_MAX_TMPDIRS = 16 };

struct cli {
    const char *program;
    const char *help;      /* the text of --help, for standard output */
    int threads;           /* -@; 0 until cli_threads */
    uint64_t memory_bytes; /* -S; 0 = default */
    const char *tmpdir[CLI_MAX_TMPDIRS];
    int tmpdirs; /* 0 = $TMPDIR, else /tmp: cli_tmpdir */
    int quiet, verbose;
    int within_dbfs; /* the script dbfs runs the program, and reports by itself */
    FILE *notes;     /* where notes and warnings are kept (cli_keep_notes); NULL: nowhere */
    int force; /* outputs may replace files (outfile_check_output) */
    double timeout_s; /* --timeout; 0: none */
    /* nonzero: no messages are printed, because another rank of the job prints the same ones */
    int silent;
    uint32_t host_processes; /* processes of this job that share the host's cores; 0 means 1 */
};

/* Opens standard input, output and error where the caller has closed them. Otherwise the next file opened would get that
 * descriptor, and messages would be written into it. Reading or writing a descriptor opened here fails as if it were closed,
 * except that messages to standard error are dropped. */
void cli_begin(void);

/* Sets cli->within_dbfs if the script dbfs runs this program, which it shows by $DBFS_NAMES. Messages then speak of dbfs, and
 * cli_report prints only with -v. */
void cli_called(struct cli *cli);

/* From here on notes and warnings are about the input of the program. If the script dbfs runs the program to make shards, they are
 * also kept, with -q too, in the file behind the descriptor $DBFS_NOTES: later searches of these shards print them again. */
void cli_keep_notes(struct cli *cli);

/* Handles one of the common options. Any other option is a usage error, and so are the '?' and ':' of getopt. */
void cli_option(struct cli *cli, int option, const char *argument);

/* Prints "prog: ..." and a pointer to --help on stderr; exits with 2. */
_Noreturn void cli_usage(const struct cli *cli, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Calls getopt_long and returns its result. It is a usage error if an option has an empty value, or if an empty word or a URL
 * stands behind the options. For an unknown long option a line names those that are spelt nearly so. */
int cli_next(const struct cli *cli, int argc, char **argv, const char *letters, const struct option *options);

/* What an option does, and what cli_row.value points to. */
enum cli_effect {
    CLI_SET,          /* no text follows; an int, which becomes 1 */
    CLI_TEXT,         /* a const char *, which becomes the text given, the last one */
    CLI_ONCE,         /* the same; a second text is a usage error */
    CLI_U32, CLI_U64, /* a uint32_t or an int, a uint64_t: a whole number from least to most */
    CLI_REAL,         /* a double */
    CLI_CHOICE,       /* an int or an enum, which becomes the index of the text among `words` */
    CLI_CALL,         /* anything: `take` is called with the text */
    CLI_CALL_BARE,    /* the same; no text follows, and `take` gets NULL */
    CLI_CALL_OPTIONAL /* the same; a text may follow */
};

struct cli_row {
    const char *name; /* of the long option; NULL: there is none */
    int letter;       /* of the short option; 0: there is none */
    enum cli_effect effect;
    void *value;
    void (*take)(struct cli *cli, const struct cli_row *row, const char *text);
    uint64_t least, most; /* `take` may read them, too */
    const char *words;    /* of CLI_CHOICE, as "raw|packed|auto" */
    int given;            /* 0: the option was not given; else its place among those given, of the last if it was given often */
};

/* Reads the options of a command line: those of the rows, of which there are at most 32, and the common ones. Sets `given` of the
 * rows. */
void cli_read_rows(struct cli *cli, int argc, char **argv, struct cli_row *rows, int count);

/* Returns the row of an option, which the rows must have. `option` is as cli_option_text writes it. */
const struct cli_row *cli_row_of(const struct cli_row *rows, int count, const char *option);

/* Returns the option as messages have it: "-o" or, without a letter, "--name". */
enum { CLI_OPTION_BYTES = 32 };
const char *cli_option_text(const struct cli_row *row, char text[CLI_OPTION_BYTES]);

/* Reads the number given to an option. A malformed number, or one outside minimum..maximum, is a usage error that names the
 * option and the limit. */
uint64_t cli_number(const struct cli *cli, const char *option, const char *text, uint64_t minimum, uint64_t maximum);
double cli_real(const struct cli *cli, const char *option, const char *text);

/* Sets *value to the text given to an option that may be given only once, such as the name of an output. The second time is a
 * usage error that names both texts. */
void cli_once(const struct cli *cli, const char *option, const char *text, const char **value);

/* Returns the index of `text` among the words that an option accepts, such as "a|b|c". Any other text is a usage error that lists
 * them. */
int cli_choice(const struct cli *cli, const char *option, const char *text, const char *words);

/* Makes it a usage error that a launcher such as mpiexec started several processes. For programs that run as one process. */
void cli_alone(const struct cli *cli);

/* The cores that this process may run on. */
int cli_cores(void);

/* Returns the number of threads to use: the number given with -@, with a warning if it is far above the cores; without -@, the
 * number of cores that this process may run on, divided by cli->host_processes. */
int cli_threads(const struct cli *cli);

/* Returns how many of `threads` threads to use for work on so many edges: all if -@ is given, otherwise at most one for each 2^17
 * edges, because more would take longer to start than they save. */
int cli_threads_worth(const struct cli *cli, int threads, uint64_t edges);

/* cli_tmpdir returns folder number `i` for temporary files. cli_tmpdirs stores all in folder[], and returns their number. */
const char *cli_tmpdir(const struct cli *cli, int i);
int cli_tmpdirs(const struct cli *cli, const char *folder[CLI_MAX_TMPDIRS]);

/* Print a line on standard error: cli_warn always, cli_note unless -q, cli_detail with -v. cli_report is for reports on
 * finished work: it prints unless -q, but within the script dbfs only with -v. `format` ends without a newline. */
void cli_warn(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_note(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_detail(const struct cli *cli, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cli_report(const struct cli *cli, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Draws `line` on the terminal in place of the line drawn before; NULL clears it. A message clears it, too. */
void cli_show_line(const char *line);

/* Prints a failure as "prog: file: what: why" and returns the exit code of the program. The failure of writing to a closed pipe
 * is not printed. */
int cli_finish(const struct cli *cli, const struct error *e);

/* Wall-clock seconds of the monotonic clock. */
double cli_seconds(void);

#endif
