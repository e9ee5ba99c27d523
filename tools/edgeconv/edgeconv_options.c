/* edgeconv_options.c: see edgeconv_options.h */
#include "edgeconv_options.h"

#include "tools/convert/read/columns.h"

#include "formats/base/outfile.h"

#include <ctype.h>
#include <string.h>

static const char help[] =
    "usage: edgeconv [-f INFORMAT] [-t OUTFORMAT] [-u] [OPTION...] [-o FILE] [FILE...]\n"
    "\n"
    "Reads graphs and writes them as an edge stream (.edges). Several files follow\n"
    "each other; no FILE or '-' is standard input. Compressed files and archives are\n"
    "recognised by content.\n"
    "\n"
    "  -f, --from FORMAT      auto (default: by content), pairs (snap, wdc, el, wel),\n"
    "                         csv, adjacency (friendster), adjlist, mtx, metis, lgl,\n"
    "                         gr (DIMACS), pace, lg (Graphs.jl), edges, sg, npy (an\n"
    "                         m x 2 array), npz (a matrix of scipy), webgraph (BV,\n"
    "                         NAME.graph beside NAME.properties); never guessed:\n"
    "                         graph500, graph500-16, u32, u64\n"
    "  -t, --to FORMAT        edges (default), text, u32, u64, graph500, sg\n"
    "  -o, --output FILE      default: standard output\n"
    "      --force            replace output files that exist\n"
    "  -u, --undirected       each input line is one undirected edge\n"
    "      --direction D      what the lines are: directed; once (as -u); or\n"
    "                         symmetric: each edge as u v and as v u, one is kept\n"
    "      --columns A,B      of pairs and csv, the columns of the two ids: numbers\n"
    "                         from 1, or names in the first line\n"
    "      --separator S      between columns: blank, comma, tab, semicolon or bar\n"
    "      --comments SIGNS   lines of lists that begin with one of them are comments\n"
    "                         (#%); none: no line is\n"
    "      --compact=MAP      ids are any words or numbers: they become 0, 1, ... as\n"
    "                         they appear, and MAP tells which is which;\n"
    "                         -f wdc-index -o MAP makes a map of an index\n"
    "      --member NAME      of an archive, only this file; or all that fit 'part*.csv'\n"
    "      --vertices N       ids are below N, and the graph has N vertices\n"
    "      --one-based        the first vertex of a list is 1 (formats that do not say)\n"
    "      --base 0|1         what the output calls the first vertex, whatever inputs say\n"
    "      --randomize[=SEED] permute the vertex ids (SEED: 1); the stream records how\n"
    "      --original-ids     undo the permutation that an .edges input records\n"
    "\n"
    "  -@, --threads N        0 = all cores        -S, --memory SIZE   such as 4G\n"
    "  -T, --tmpdir DIR       for temporary files  -q, --quiet         no notes\n"
    "  -v, --verbose          details              -h, --help          --version\n"
    "\n"
    "Exit: 0 ok, 1 run-time failure, 2 usage, 3 bad data, 5 not enough memory or disk.\n";

enum {
    VERTICES_OPTION = CLI_FIRST_FREE_OPTION,
    RANDOMIZE_OPTION,
    ORIGINAL_IDS_OPTION,
    DIRECTION_OPTION,
    ONE_BASED_OPTION,
    BASE_OPTION,
    COMPACT_OPTION,
    MEMBER_OPTION,
    COLUMNS_OPTION,
    SEPARATOR_OPTION,
    COMMENTS_OPTION,
    BESIDE_OPTION,
};

static enum assertion assertion_named(const struct cli *cli, const char *name)
{
    if (strcmp(name, "directed") == 0)
        return ASSERT_DIRECTED;
    if (strcmp(name, "once") == 0 || strcmp(name, "undirected-once") == 0)
        return ASSERT_ONCE;
    if (strcmp(name, "symmetric") == 0)
        return ASSERT_SYMMETRIC;
    cli_usage(cli, "--direction: '%s' is not directed, once or symmetric", name);
}

/* Takes the direction of -u or --direction; a usage error if an earlier option says another. */
static void assert_direction(const struct cli *cli, struct options *o, enum assertion assertion)
{
    static const char *const option[] = {[ASSERT_ONCE] = "-u (--direction once)",
                                         [ASSERT_DIRECTED] = "--direction directed",
                                         [ASSERT_SYMMETRIC] = "--direction symmetric"};
    if (o->assertion != ASSERT_NOTHING && o->assertion != assertion)
        cli_usage(cli, "%s and %s contradict each other", option[o->assertion], option[assertion]);
    o->assertion = assertion;
}

static enum graph_format format_named(const struct cli *cli, const char *name)
{
    enum graph_format format;
    char list[512];
    if (graph_format_named(name, &format) == 0)
        return format;
    graph_format_list(list, sizeof list);
    cli_usage(cli, "-f: '%s' is none of %s", name, list);
}

/* Takes A,B: two columns by number or name; the text stays the argument's. */
static void take_columns(struct options *o, const char *text)
{
    struct field *end = o->reader.columns.end;
    const char *comma = strchr(text, ','), *last = text + strlen(text);
    if (comma == NULL || comma == text || comma + 1 == last || strchr(comma + 1, ',') != NULL)
        cli_usage(&o->cli, "--columns: '%s' is not A,B: two numbers from 1, or names, of columns", text);
    end[0] = (struct field){text, comma};
    end[1] = (struct field){comma + 1, last};
    for (int i = 0; i < 2; i++) {
        if (field_is_number(end[i]) && field_column(end[i]) == 0)
            cli_usage(&o->cli, "--columns: %.*s is not between 1 and %d", (int)(end[i].end - end[i].begin),
                      end[i].begin, MOST_COLUMNS);
    }
}

/* Returns the signs given with --comments. A sign that may occur in ids or as a separator is refused, because edges would be lost. */
static const char *comments_named(const struct cli *cli, const char *text)
{
    if (strcmp(text, "none") == 0)
        return "";
    for (const char *p = text; *p != '\0'; p++) {
        if (!ispunct((unsigned char)*p) || strchr(",\"-", *p) != NULL)
            cli_usage(cli, "--comments: '%s' is neither none nor signs such as #%%", text);
    }
    return text;
}

static void take_option(struct options *o, int option, const char *argument)
{
    const struct cli *cli = &o->cli;
    switch (option) {
    case 'f': o->reader.format = format_named(cli, argument); break;
    case 't':
        if (edge_format_parse(argument, &o->output) != 0)
            cli_usage(cli, "-t: '%s' is not edges, text, u32, u64, graph500 or sg", argument);
        break;
    case 'o': cli_once(&o->cli, "-o", argument, &o->output_path); break;
    case 'u': assert_direction(cli, o, ASSERT_ONCE); break;
    case DIRECTION_OPTION: assert_direction(cli, o, assertion_named(cli, argument)); break;
    case VERTICES_OPTION:
        o->reader.vertices = cli_number(cli, "--vertices", argument, 1, DBFS_MAX_VERTICES);
        break;
    case RANDOMIZE_OPTION:
        o->randomize = 1;
        if (argument != NULL)
            o->seed = cli_number(cli, "--randomize", argument, 0, UINT64_MAX);
        break;
    case ORIGINAL_IDS_OPTION: o->original_ids = 1; break;
    case ONE_BASED_OPTION: o->reader.one_based = 1; break;
    case BASE_OPTION: o->base = cli_number(cli, "--base", argument, 0, 1) == 0 ? BASE_0 : BASE_1; break;
    case MEMBER_OPTION: o->member = argument; break;
    case COLUMNS_OPTION: take_columns(o, argument); break;
    case SEPARATOR_OPTION:
        if (separator_named(argument, &o->reader.separator) != 0)
            cli_usage(cli, "--separator: '%s' is not blank, comma, tab, semicolon or bar", argument);
        break;
    case COMMENTS_OPTION: o->reader.comments = comments_named(cli, argument); break;
    case BESIDE_OPTION: o->lists_beside = 1; break;
    case COMPACT_OPTION: cli_once(&o->cli, "--compact", argument, &o->map_path); break;
    default: cli_option(&o->cli, option, argument);
    }
}

static int is_stdout(const char *path)
{
    return path == NULL || outfile_is_stdout(path);
}

/* Checks --columns, --separator and --comments, the options of lists. */
static void check_list(const struct options *o)
{
    enum graph_format format = o->reader.format;
    const char *option = format != FORMAT_AUTO ? reader_unused_option(&o->reader, format) : NULL;
    if (option != NULL)
        cli_usage(&o->cli, "%s is for lists: -f pairs or csv%s", option,
                  strcmp(option, "--columns") == 0     ? ""
                  : strcmp(option, "--separator") == 0 ? ", or adjlist"
                                                       : ", adjlist or adjacency");
    if (format == FORMAT_PAIRS && reader_columns_by_name(&o->reader))
        cli_usage(&o->cli, "--columns: -f pairs has no names of columns, but numbers; -f csv has both");
}

/* Refuses options that exclude each other. */
static void check_combinations(const struct options *o)
{
    check_list(o);
    if (o->randomize && o->original_ids)
        cli_usage(&o->cli, "--randomize and --original-ids exclude each other");
    if (o->reader.format == FORMAT_WDC_INDEX &&
        (o->output != EDGE_FORMAT_EDGES || o->assertion != ASSERT_NOTHING || o->randomize || o->original_ids || o->map_path != NULL ||
         o->reader.vertices > 0 || o->reader.one_based || o->base != BASE_OF_STREAMS))
        cli_usage(&o->cli, "-f wdc-index: an index has no edges: it goes to a map, with -o MAP alone");
    if (o->base != BASE_OF_STREAMS && o->output != EDGE_FORMAT_EDGES && o->output != EDGE_FORMAT_TEXT)
        cli_usage(&o->cli, "--base is for edges and text: vertices of -t %s count from 0", edge_format_name(o->output));
    if (o->map_path == NULL)
        return;
    if (o->reader.vertices > 0 || o->reader.one_based || o->base != BASE_OF_STREAMS)
        cli_usage(&o->cli,
                  "--compact takes ids as they are written: no --vertices, no --one-based, no --base");
    if (is_stdout(o->map_path) && is_stdout(o->output_path))
        cli_usage(&o->cli, "edges and map cannot both go to standard output");
}

void options_read(struct options *o, int argc, char **argv)
{
    static const struct option long_options[] = {
        {"from", required_argument, NULL, 'f'},
        {"to", required_argument, NULL, 't'},
        {"output", required_argument, NULL, 'o'},
        {"undirected", no_argument, NULL, 'u'},
        {"direction", required_argument, NULL, DIRECTION_OPTION},
        {"vertices", required_argument, NULL, VERTICES_OPTION},
        {"randomize", optional_argument, NULL, RANDOMIZE_OPTION},
        {"original-ids", no_argument, NULL, ORIGINAL_IDS_OPTION},
        {"one-based", no_argument, NULL, ONE_BASED_OPTION},
        {"base", required_argument, NULL, BASE_OPTION},
        {"member", required_argument, NULL, MEMBER_OPTION},
        {"entry", required_argument, NULL, MEMBER_OPTION}, /* its name in version 1.0.0 */
        {"beside", no_argument, NULL, BESIDE_OPTION}, /* for the script dbfs: in no page */
        {"compact", required_argument, NULL, COMPACT_OPTION},
        {"columns", required_argument, NULL, COLUMNS_OPTION},
        {"separator", required_argument, NULL, SEPARATOR_OPTION},
        {"comments", required_argument, NULL, COMMENTS_OPTION},
        CLI_LONG_OPTIONS,
        {NULL, 0, NULL, 0},
    };
    static const char *only_stdin[] = {"-"};
    int option;
    *o = (struct options){.cli = {.program = "edgeconv", .help = help}, .seed = 1};
    cli_called(&o->cli);
    while ((option = cli_next(&o->cli, argc, argv, "f:t:o:u" CLI_SHORT_OPTIONS, long_options)) != -1)
        take_option(o, option, optarg);
    o->paths = optind < argc ? (const char **)(argv + optind) : only_stdin;
    o->path_count = optind < argc ? argc - optind : 1;
    o->reader.names = o->map_path != NULL;
    int from_stdin = 0;
    for (int i = 0; i < o->path_count; i++)
        from_stdin += strcmp(o->paths[i], "-") == 0;
    if (from_stdin > 1)
        cli_usage(&o->cli, "standard input is given %d times", from_stdin);
    check_combinations(o);
}

