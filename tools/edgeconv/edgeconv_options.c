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

/* Takes the direction of --direction or, without a text, of -u; a usage error if an earlier option says another. */
static void take_direction(struct cli *cli, const struct cli_row *row, const char *text)
{
    static const char *const name[] = {[ASSERT_DIRECTED] = "directed", [ASSERT_ONCE] = "once", [ASSERT_SYMMETRIC] = "symmetric"};
    static const char *const option[] = {[ASSERT_ONCE] = "-u (--direction once)",
                                         [ASSERT_DIRECTED] = "--direction directed",
                                         [ASSERT_SYMMETRIC] = "--direction symmetric"};
    enum assertion *earlier = row->value, given = ASSERT_DIRECTED;
    if (text == NULL || strcmp(text, "undirected-once") == 0)
        text = "once";
    while (given <= ASSERT_SYMMETRIC && strcmp(text, name[given]) != 0)
        given++;
    if (given > ASSERT_SYMMETRIC)
        cli_usage(cli, "--direction: '%s' is not directed, once or symmetric", text);
    if (*earlier != ASSERT_NOTHING && *earlier != given)
        cli_usage(cli, "%s and %s contradict each other", option[*earlier], option[given]);
    *earlier = given;
}

static void take_format(struct cli *cli, const struct cli_row *row, const char *name)
{
    char list[512];
    graph_format_list(list, sizeof list);
    if (graph_format_named(name, row->value) != 0)
        cli_usage(cli, "-f: '%s' is none of %s", name, list);
}

static void take_separator(struct cli *cli, const struct cli_row *row, const char *name)
{
    if (separator_named(name, row->value) != 0)
        cli_usage(cli, "--separator: '%s' is not blank, comma, tab, semicolon or bar", name);
}

/* --randomize, which may have a seed. */
static void take_seed(struct cli *cli, const struct cli_row *row, const char *text)
{
    struct options *o = row->value;
    o->randomize = 1;
    if (text != NULL)
        o->seed = cli_number(cli, "--randomize", text, 0, UINT64_MAX);
}

/* Takes A,B: two columns by number or name; the text stays the argument's. */
static void take_columns(struct cli *cli, const struct cli_row *row, const char *text)
{
    struct column_choice *columns = row->value;
    struct field *end = columns->end;
    const char *comma = strchr(text, ','), *last = text + strlen(text);
    if (comma == NULL || comma == text || comma + 1 == last || strchr(comma + 1, ',') != NULL)
        cli_usage(cli, "--columns: '%s' is not A,B: two numbers from 1, or names, of columns", text);
    end[0] = (struct field){text, comma};
    end[1] = (struct field){comma + 1, last};
    for (int i = 0; i < 2; i++) {
        if (field_is_number(end[i]) && field_column(end[i]) == 0)
            cli_usage(cli, "--columns: %.*s is not between 1 and %d", (int)(end[i].end - end[i].begin),
                      end[i].begin, MOST_COLUMNS);
    }
}

/* Takes the signs given with --comments. A sign that may occur in ids or as a separator is refused, because edges would be lost. */
static void take_comments(struct cli *cli, const struct cli_row *row, const char *text)
{
    const int none = strcmp(text, "none") == 0;
    for (const char *p = text; !none && *p != '\0'; p++) {
        if (!ispunct((unsigned char)*p) || strchr(",\"-", *p) != NULL)
            cli_usage(cli, "--comments: '%s' is neither none nor signs such as #%%", text);
    }
    *(const char **)row->value = none ? "" : text;
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
    struct cli_row rows[] = {
        {"from", 'f', CLI_CALL, .value = &o->reader.format, .take = take_format},
        {"to", 't', CLI_CHOICE, .value = &o->output, .words = EDGE_FORMAT_WORDS "|sg"},
        {"output", 'o', CLI_ONCE, .value = &o->output_path},
        {"undirected", 'u', CLI_CALL_BARE, .value = &o->assertion, .take = take_direction},
        {"direction", 0, CLI_CALL, .value = &o->assertion, .take = take_direction},
        {"vertices", 0, CLI_U64, .value = &o->reader.vertices, .least = 1, .most = DBFS_MAX_VERTICES},
        {"randomize", 0, CLI_CALL_OPTIONAL, .value = o, .take = take_seed},
        {"original-ids", 0, CLI_SET, .value = &o->original_ids},
        {"one-based", 0, CLI_SET, .value = &o->reader.one_based},
        {"base", 0, CLI_CALL, .value = &o->base, .take = edge_base_take},
        {"member", 0, CLI_TEXT, .value = &o->member},
        {"entry", 0, CLI_TEXT, .value = &o->member},       /* its name in version 1.0.0 */
        {"beside", 0, CLI_SET, .value = &o->lists_beside}, /* for the script dbfs: in no page */
        {"compact", 0, CLI_ONCE, .value = &o->map_path},
        {"columns", 0, CLI_CALL, .value = &o->reader.columns, .take = take_columns},
        {"separator", 0, CLI_CALL, .value = &o->reader.separator, .take = take_separator},
        {"comments", 0, CLI_CALL, .value = &o->reader.comments, .take = take_comments}};
    static const char *only_stdin[] = {"-"};
    *o = (struct options){.cli = {.program = "edgeconv", .help = help}, .seed = 1};
    cli_called(&o->cli);
    cli_read_rows(&o->cli, argc, argv, rows, sizeof rows / sizeof *rows);
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

