/* cli.h: the part of the command line that all dbfs programs share.
 *
 *   -h/--help  --version  -@ THREADS (0 = all)  -S MEMORY  -T TMPDIR  -q/--quiet  -v/--verbose  --force
 *
 * A program puts CLI_SHORT_OPTIONS and CLI_LONG_OPTIONS into its getopt_long tables, and takes options by cli_next.
 * It passes every option that it does not know to cli_option. It begins with cli_begin and ends with cli_finish. These functions print
 * and exit, so only main files may call them.
 */
#ifndef DBFS_CLI_H
#define DBFS_CLI_H

#include "status.h"

#include <getopt.h>
#include <stdint.h>

#define DBFS_VERSION "1.0.0"

#define CLI_SHORT_OPTIONS "h@:S:T:qv"
enum { CLI_VERSION_OPTION = 1000, CLI_FORCE_OPTION, CLI_TIMEOUT_OPTION, CLI_FIRST_FREE_OPTION };
#define CLI_LONG_OPTIONS                                                                           \
    {"help", no_argument, NULL, 'h'}, {"version", no_argument, NULL, CLI_VERSION_OPTION},          \
        {"threads", required_argument, NULL, '@'}, {"memory", required_argument, NULL, 'S'},       \
        {"tmpdir", required_argument, NULL, 'T'}, {"quiet", no_argument, NULL, 'q'},               \
        {"force", no_argument, NULL, CLI_FORCE_OPTION},                                            \
    {                                                                                              \
        "verbose", no_argument, NULL, 'v'                                                          \
    }

/* The option of programs that have several ranks (formats/mpi/watch.h). */
#define CLI_TIMEOUT {"timeout", required_argument, NULL, CLI_TIMEOUT_OPTION}

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
    int force; /* outputs may replace files (outfile_check_output) */
    double timeout_s; /* --timeout; 0: none */
    /* Prints no messages, because another process of the job prints the same ones. */
    int silent;
    uint32_t host_processes; /* processes of this job that share the host's cores; 0 means 1 */
};

/* Opens each standard descriptor that is closed. Otherwise a file that is opened later would get its number, and messages would go
 * into a result. Standard input and output then fail as before, so that no result is lost in silence; messages are not wanted. */
void cli_begin(void);

/* Finds out whether the script dbfs runs the program, which has set $DBFS_NAMES: messages then have its name and words,
 * and reports are details. */
void cli_called(struct cli *cli);

/* Handles a common option. Anything else is a usage error, including the '?' and ':' of getopt. */
void cli_option(struct cli *cli, int option, const char *argument);

/* Prints "prog: ..." and a pointer to --help on stderr; exits with 2. */
_Noreturn void cli_usage(const struct cli *cli, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Calls getopt_long. An empty value, an empty word behind the options, and a URL behind them are
 * usage errors. */
int cli_next(const struct cli *cli, int argc, char **argv, const char *letters,
             const struct option *options);

/* Reads the number of an option strictly. A malformed number, or one outside minimum..maximum, is a usage
 * error that names the option and the limit. */
uint64_t cli_number(const struct cli *cli, const char *option, const char *text, uint64_t minimum,
                    uint64_t maximum);
double cli_real(const struct cli *cli, const char *option, const char *text);

/* Takes the text of an option that has one, such as the name of an output. An option that is given twice is a usage error that names
 * both. */
void cli_once(const struct cli *cli, const char *option, const char *text, const char **value);

/* The number of `text` among the `count` names that an option takes. Any other text is a usage
 * error that lists the names. */
int cli_choice(const struct cli *cli, const char *option, const char *text,
               const char *const *names, int count);

/* Makes it a usage error if a launcher started several processes. Call it in programs of one
 * process. */
void cli_alone(const struct cli *cli);

/* The cores that this process may run on. */
int cli_cores(void);

/* The count given with -@, with a warning if it is far above the cores. Without -@: the cores that
 * this process may run on, divided by host_processes. */
int cli_threads(const struct cli *cli);

/* cli_tmpdir: folder number `i` for temporary files. cli_tmpdirs: fills in all folders, and returns their
 * number. */
const char *cli_tmpdir(const struct cli *cli, int i);
int cli_tmpdirs(const struct cli *cli, const char *folder[CLI_MAX_TMPDIRS]);

/* A warning on stderr (always), a note (unless -q), a detail (with -v), a report on work that is done (a note, or a detail
 * within dbfs). No newline in the format. */
void cli_warn(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_note(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_detail(const struct cli *cli, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cli_report(const struct cli *cli, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Shows a line on the terminal in place of the one before, or NULL for none. Messages clear it. */
void cli_show_line(const char *line);

/* Prints the failure, if there is one, as "prog: file: what: why" and returns the exit code. A closed pipe is
 * not printed. */
int cli_finish(const struct cli *cli, const struct error *e);

/* Wall-clock seconds of the monotonic clock. */
double cli_seconds(void);

#endif
