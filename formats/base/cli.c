/* cli.c: see cli.h */
#include "cli.h"

#include "dbfs_words.h"
#include "launch.h"
#include "signals.h"
#include "similar.h"
#include "text.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int line_is_shown;

/* Draws `line` on the terminal in place of the line drawn before; NULL clears it. */
void cli_show_line(const char *line)
{
    if (line != NULL)
        fprintf(stderr, "\r%s\033[K", line);
    else if (line_is_shown)
        fputs("\r\033[K", stderr);
    line_is_shown = line != NULL;
}

/* Prints a string with its control characters made visible; a text_printer. */
static void print_visible(FILE *out, const void *text)
{
    text_print_visible(out, text, strlen(text));
}

/* Prints "program: " and the text as a line, within the script dbfs in its words. */
static void print_message(FILE *out, const struct cli *cli, const char *prefix, const char *text)
{
    size_t size;
    char *shown = text_printed(print_visible, text, &size);
    fprintf(out, "%s: %s", cli->program, prefix);
    if (shown != NULL && cli->within_dbfs)
        print_for_dbfs(out, shown);
    else
        print_visible(out, text);
    fputc('\n', out);
    free(shown);
}

/* What becomes of a message, as bits: it is printed on standard error; it is kept, if messages are (cli_keep_notes). */
enum { SHOW = 1, KEEP = 2 };

/* Shows and keeps a message, as `fate` says. A message that is shown clears the line of cli_show_line. */
static void print_text(const struct cli *cli, int fate, const char *prefix, const char *text)
{
    if (cli->silent)
        return;
    if (fate & SHOW) {
        cli_show_line(NULL);
        print_message(stderr, cli, prefix, text);
    }
    if ((fate & KEEP) && cli->notes != NULL) {
        print_message(cli->notes, cli, prefix, text);
        fflush(cli->notes);
    }
}

static void print_line(const struct cli *cli, int fate, const char *prefix, const char *format, va_list args)
{
    char text[4 * ERROR_TEXT_BYTES]; /* a warning may quote a message */
    vsnprintf(text, sizeof text, format, args);
    print_text(cli, fate, prefix, text);
}

#define PRINT_LINE(cli, fate, prefix)                                                              \
    do {                                                                                           \
        va_list args;                                                                              \
        va_start(args, format);                                                                    \
        print_line(cli, fate, prefix, format, args);                                               \
        va_end(args);                                                                              \
    } while (0)

/* Makes threads of OpenMP sleep soon where they wait, unless the user says otherwise. By default they spin for milliseconds at each
 * barrier, and on a busy host this takes the core from the threads that they wait for. libgomp reads its settings before main,
 * and after this function only if it is a part of the program (openmp_libs in the Makefile). LLVM's library reads them later. */
__attribute__((constructor(101))) static void sleep_at_barriers(void)
{
    if (getenv("OMP_WAIT_POLICY") != NULL)
        return;
    setenv("GOMP_SPINCOUNT", "1000", /* replace */ 0);
    setenv("KMP_BLOCKTIME", "0", /* replace */ 0);
}

/* Opens standard input, output and error where the caller closed them, so that no file gets these descriptors. */
void cli_begin(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        int way = fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY; /* so that using it still fails */
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", way) != fd)
            _exit(ST_RUNTIME); /* no message could be read */
    }
}

/* If the script dbfs runs this program: sets cli->within_dbfs, and lets messages begin with "dbfs". */
void cli_called(struct cli *cli)
{
    cli->within_dbfs = getenv("DBFS_NAMES") != NULL;
    if (cli->within_dbfs)
        cli->program = "dbfs";
}

/* Keeps notes and warnings from here on in the file that the script dbfs has opened, if it has. */
void cli_keep_notes(struct cli *cli)
{
    const char *text = getenv("DBFS_NOTES");
    uint64_t fd;
    if (cli->within_dbfs && text != NULL && parse_u64(text, &fd) == 0 && fd > STDERR_FILENO && fd <= INT_MAX)
        cli->notes = fdopen((int)fd, "a");
}

/* Prints that --help lists the options, and exits with ST_USAGE. */
_Noreturn static void point_to_help(const struct cli *cli)
{
    if (!cli->silent)
        fprintf(stderr, "%s: '%s --help' lists the options\n", cli->program, cli->program);
    exit(ST_USAGE);
}

/* Prints the message and a pointer to --help, and exits with ST_USAGE. */
_Noreturn void cli_usage(const struct cli *cli, const char *format, ...)
{
    PRINT_LINE(cli, SHOW, "");
    point_to_help(cli);
}

/* Prints a line on standard error. */
__attribute__((format(printf, 2, 3))) static void say(const struct cli *cli, const char *format, ...)
{
    PRINT_LINE(cli, SHOW, "");
}

void cli_warn(const struct cli *cli, const char *format, ...)
{
    PRINT_LINE(cli, SHOW | KEEP, "warning: ");
}

/* Prints a line unless -q is given. A line that is kept is kept all the same. */
void cli_note(const struct cli *cli, const char *format, ...)
{
    PRINT_LINE(cli, cli->quiet ? KEEP : SHOW | KEEP, "");
}

/* Prints a line with -v. */
void cli_detail(const struct cli *cli, const char *format, ...)
{
    if (cli->verbose)
        PRINT_LINE(cli, SHOW, "");
}

/* Prints a line on finished work: unless -q is given, but within the script dbfs only with -v. */
void cli_report(const struct cli *cli, const char *format, ...)
{
    if (cli->within_dbfs ? cli->verbose : !cli->quiet)
        PRINT_LINE(cli, SHOW, "");
}

/* Prints the text of --help or --version and exits. A full disk behind standard output is an error, as for any other output. */
_Noreturn static void print_and_exit(const struct cli *cli, const char *text)
{
    if (cli->silent)
        exit(ST_OK);
    struct error e = {0};
    signals_ignore_writes();
    if (fputs(text, stdout) == EOF || fflush(stdout) != 0)
        fail_errno(&e, "standard output", "cannot write");
    exit(cli_finish(cli, &e));
}

/* Stores a common option in *cli, or answers --help and --version and exits. Any other option is a usage error. */
void cli_option(struct cli *cli, int option, const char *argument)
{
    char version[64];
    switch (option) {
    case 'h':
        if (argument != NULL && strcmp(argument, "all") != 0)
            cli_usage(cli, "--help: '%s' is not all", argument);
        print_and_exit(cli, cli->help);
    case CLI_VERSION_OPTION:
        snprintf(version, sizeof version, "%s (dbfs) %s\n", cli->program, DBFS_VERSION);
        print_and_exit(cli, version);
    case '@': cli->threads = (int)cli_number(cli, "-@", argument, 0, 4096); break;
    case 'S':
        if (parse_size(argument, &cli->memory_bytes) != 0 || cli->memory_bytes == 0)
            cli_usage(cli, "-S: '%s' is not a size such as 512M or 4G", argument);
        break;
    case 'T':
        if (cli->tmpdirs == CLI_MAX_TMPDIRS)
            cli_usage(cli, "-T: more than %d folders", CLI_MAX_TMPDIRS);
        cli->tmpdir[cli->tmpdirs++] = argument;
        break;
    case CLI_TIMEOUT_OPTION: cli->timeout_s = cli_real(cli, "--timeout", argument); break;
    case 'q': cli->quiet = 1; break;
    case 'v': cli->verbose = 1; break;
    case CLI_FORCE_OPTION: cli->force = 1; break;
    default:
        /* getopt has already printed the option and the fault */
        point_to_help(cli);
    }
}

/* Nonzero if `text` is the address of a page, and no file has that name. */
static int is_url(const char *text)
{
    const char *colon = strstr(text, "://");
    return colon != NULL && colon > text && strchr(text, '/') > colon && access(text, F_OK) != 0;
}

/* Refuses an empty value: it is likely to be an unset variable of a shell. */
static void refuse_empty(const struct cli *cli, const char *name, const char *text)
{
    if (*text == '\0')
        cli_usage(cli, "%s: is empty", name);
}

/* Refuses an empty word, or a URL in place of a file or folder. Roots by name may be URLs. */
static void check_file(const struct cli *cli, const char *name, const char *text)
{
    refuse_empty(cli, name, text);
    if (is_url(text))
        cli_usage(cli, "%s: '%s' is a URL: download it first, or read it by `curl -fL URL | edgeconv -`", name,
                  text);
}

/* Nonzero if getopt takes `word` of `length` bytes for the option or, if others begin so too, calls it ambiguous. */
static int abbreviates(const char *word, size_t length, const struct option *options)
{
    for (; options->name != NULL; options++) {
        if (strncmp(word, options->name, length) == 0)
            return 1;
    }
    return 0;
}

/* Prints which long options the user may have meant by an argument that getopt has refused: those that differ from it in the
 * fewest letters, MISSPELT_LETTERS at most. Prints nothing if the argument is no unknown long option, or if none is near. */
static void suggest_options(const struct cli *cli, const char *argument, const struct option *options)
{
    char text[256];
    const char *word = argument + 2;
    int length = (int)strcspn(word, "="), least = MISSPELT_LETTERS, found = 0;
    size_t used = 0;
    if (strncmp(argument, "--", 2) != 0 || abbreviates(word, (size_t)length, options))
        return;
    for (const struct option *o = options; o->name != NULL; o++) {
        int letters = letters_between(word, length, o->name);
        if (letters > least || letters >= length)
            continue;
        if (letters < least)
            used = 0, found = 0, least = letters;
        if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s--%s", found++ > 0 ? " or " : "", o->name);
    }
    if (found > 0)
        say(cli, "did you mean %s?", text);
}

/* Calls getopt_long and returns its result. An empty value, or an empty word or URL behind the options, is a usage error. */
int cli_next(const struct cli *cli, int argc, char **argv, const char *letters, const struct option *options)
{
    char name[64], *path = argv[0];
    int at = -1;
    argv[0] = (char *)cli->program; /* getopt names it in its messages */
    int option = getopt_long(argc, argv, letters, options, &at);
    argv[0] = path;
    if (option == '?')
        suggest_options(cli, argv[optind - 1], options);
    if (option != -1 && option != '?' && optarg != NULL) {
        if (at >= 0)
            snprintf(name, sizeof name, "--%s", options[at].name);
        else
            snprintf(name, sizeof name, "-%c", option);
        refuse_empty(cli, name, optarg);
    }
    for (int i = optind; option == -1 && i < argc; i++) {
        snprintf(name, sizeof name, "argument %d", i - optind + 1);
        check_file(cli, name, argv[i]);
    }
    return option;
}

const char *cli_option_text(const struct cli_row *row, char text[CLI_OPTION_BYTES])
{
    if (row->letter != 0)
        snprintf(text, CLI_OPTION_BYTES, "-%c", row->letter);
    else
        snprintf(text, CLI_OPTION_BYTES, "--%s", row->name);
    return text;
}

const struct cli_row *cli_row_of(const struct cli_row *rows, int count, const char *option)
{
    char text[CLI_OPTION_BYTES];
    int i = 0;
    while (i < count && strcmp(cli_option_text(&rows[i], text), option) != 0)
        i++;
    assert(i < count);
    return &rows[i];
}

/* Does what the option of a row does. */
static void take_row(struct cli *cli, const struct cli_row *row, const char *text)
{
    char option[CLI_OPTION_BYTES];
    cli_option_text(row, option);
    switch (row->effect) {
    case CLI_SET: *(int *)row->value = 1; break;
    case CLI_TEXT: *(const char **)row->value = text; break;
    case CLI_ONCE: cli_once(cli, option, text, row->value); break;
    case CLI_U32: *(uint32_t *)row->value = (uint32_t)cli_number(cli, option, text, row->least, row->most); break;
    case CLI_U64: *(uint64_t *)row->value = cli_number(cli, option, text, row->least, row->most); break;
    case CLI_REAL: *(double *)row->value = cli_real(cli, option, text); break;
    case CLI_CHOICE: *(int *)row->value = cli_choice(cli, option, text, row->words); break;
    case CLI_CALL:
    case CLI_CALL_BARE:
    case CLI_CALL_OPTIONAL: row->take(cli, row, text); break;
    }
}

/* Reads all options by getopt_long, for which an option of the rows is FIRST_ROW and the index of its row, or its letter. */
void cli_read_rows(struct cli *cli, int argc, char **argv, struct cli_row *rows, int count)
{
    enum { FIRST_ROW = CLI_FIRST_FREE_OPTION, MOST_ROWS = 32, COMMON = 8 };
    static const struct option common[COMMON] = {
        {"help", optional_argument, NULL, 'h'}, {"version", no_argument, NULL, CLI_VERSION_OPTION},
        {"threads", required_argument, NULL, '@'}, {"memory", required_argument, NULL, 'S'},
        {"tmpdir", required_argument, NULL, 'T'}, {"quiet", no_argument, NULL, 'q'},
        {"force", no_argument, NULL, CLI_FORCE_OPTION}, {"verbose", no_argument, NULL, 'v'}};
    struct option longs[MOST_ROWS + COMMON + 1] = {{NULL, 0, NULL, 0}};
    char letters[2 * MOST_ROWS + 16] = "h@:S:T:qv", *end = strchr(letters, '\0');
    int option, named = 0, given = 0;
    assert(count <= MOST_ROWS);
    for (int i = 0; i < count; i++) {
        const enum cli_effect effect = rows[i].effect;
        const int argument = effect == CLI_SET || effect == CLI_CALL_BARE ? no_argument
                             : effect == CLI_CALL_OPTIONAL               ? optional_argument
                                                                         : required_argument;
        if (rows[i].name != NULL)
            longs[named++] = (struct option){rows[i].name, argument, NULL, FIRST_ROW + i};
        if (rows[i].letter != 0)
            end += sprintf(end, argument == required_argument ? "%c:" : "%c", rows[i].letter);
    }
    memcpy(&longs[named], common, sizeof common);
    while ((option = cli_next(cli, argc, argv, letters, longs)) != -1) {
        int i = option - FIRST_ROW;
        for (int row = 0; option < FIRST_ROW && row < count; row++) {
            if (rows[row].letter == option)
                i = row;
        }
        if (i >= 0) {
            rows[i].given = ++given;
            take_row(cli, &rows[i], optarg);
        } else {
            cli_option(cli, option, optarg);
        }
    }
}

/* Reads the whole number given to an option; anything else, or one out of bounds, is a usage error. */
uint64_t cli_number(const struct cli *cli, const char *option, const char *text, uint64_t minimum, uint64_t maximum)
{
    uint64_t value = UINT64_MAX;
    int held = parse_u64(text, &value) == 0;
    if (*text == '-' && has_digits_alone(text + 1))
        cli_usage(cli, "%s: %s is negative: at least %llu", option, text, (unsigned long long)minimum);
    if (!held && !has_digits_alone(text))
        cli_usage(cli, "%s: '%s' is not a whole number", option, text);
    if (!held || value > maximum)
        cli_usage(cli, "%s: %s is too large: at most %llu", option, text, (unsigned long long)maximum);
    if (value < minimum)
        cli_usage(cli, "%s: %s is too small: at least %llu", option, text, (unsigned long long)minimum);
    return value;
}

/* Sets *value to the text of an option that may be given once; the second time is a usage error. */
void cli_once(const struct cli *cli, const char *option, const char *text, const char **value)
{
    if (*value != NULL)
        cli_usage(cli, "%s: is given twice, as '%s' and as '%s': leave one out", option, *value, text);
    *value = text;
}

/* Returns the index of the text among the words that an option takes, such as "a|b|c"; any other text is a usage error. */
int cli_choice(const struct cli *cli, const char *option, const char *text, const char *words)
{
    char list[256] = "";
    const char *word = words;
    for (int i = 0, used = 0;; i++) {
        const int length = (int)strcspn(word, "|"), last = word[length] == '\0';
        if (strlen(text) == (size_t)length && strncmp(text, word, (size_t)length) == 0)
            return i;
        used += snprintf(list + used, sizeof list - (size_t)used, "%s%.*s", i == 0 ? "" : last ? " or " : ", ", length, word);
        if (last)
            cli_usage(cli, "%s: '%s' is not %s", option, text, list);
        word += length + 1;
    }
}

/* Reads the number given to an option; anything else, or a negative one, is a usage error. */
double cli_real(const struct cli *cli, const char *option, const char *text)
{
    double value;
    if (*text == '-' && parse_real(text + 1, &value) == 0)
        cli_usage(cli, "%s: %s is negative", option, text);
    if (parse_real(text, &value) != 0)
        cli_usage(cli, "%s: '%s' is not a number", option, text);
    return value;
}

enum { MANY_THREADS = 16 }; /* of a core; more are of no use */

int cli_cores(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        return CPU_COUNT(&allowed);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

/* Makes it a usage error that a launcher started several processes. */
void cli_alone(const struct cli *cli)
{
    const char *variable = NULL;
    long processes = launched_processes(&variable);
    if (processes > 1)
        cli_usage(cli, "%s is %ld, but this program runs as one process, with threads: leave out "
                  "mpiexec or srun", variable, processes);
}

/* The number of threads to use: that of -@, with a warning if it is very large, or this process's share of the cores. */
int cli_threads(const struct cli *cli)
{
    int cores = cli_cores();
    if (cli->threads > MANY_THREADS * cores)
        cli_warn(cli, "-@ %d: this process may run on %d cores", cli->threads, cores);
    if (cli->threads > 0)
        return cli->threads;
    int share = cores / (int)(cli->host_processes > 0 ? cli->host_processes : 1);
    return share > 0 ? share : 1;
}

/* The threads that are worth their start for so many edges. */
int cli_threads_worth(const struct cli *cli, int threads, uint64_t edges)
{
    enum { EDGES_OF_THREAD = 1 << 17 };
    uint64_t most = 1 + edges / EDGES_OF_THREAD;
    return cli->threads > 0 || most > (uint64_t)threads ? threads : (int)most;
}

/* Folder number `i` for temporary files: those of -T in turn, else $TMPDIR, else /tmp. */
const char *cli_tmpdir(const struct cli *cli, int i)
{
    if (cli->tmpdirs > 0)
        return cli->tmpdir[i % cli->tmpdirs];
    const char *folder = getenv("TMPDIR");
    return folder != NULL && *folder != '\0' ? folder : "/tmp";
}

/* Stores all folders for temporary files in folder[], and returns their number. */
int cli_tmpdirs(const struct cli *cli, const char *folder[CLI_MAX_TMPDIRS])
{
    int count = cli->tmpdirs > 0 ? cli->tmpdirs : 1;
    for (int i = 0; i < count; i++)
        folder[i] = cli_tmpdir(cli, i);
    return count;
}

/* Clears the line and prints the failure, unless a pipe was closed. Returns the exit code. */
int cli_finish(const struct cli *cli, const struct error *e)
{
    cli_show_line(NULL);
    if (e->status != ST_OK && !e->broken_pipe)
        print_text(cli, SHOW, "", e->text);
    return (int)e->status;
}

double cli_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
