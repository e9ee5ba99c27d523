/* rmatgen_options.c: see rmatgen_options.h */
#include "rmatgen_options.h"

#include "formats/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: rmatgen -s SCALE [-e EDGEFACTOR] [OPTION...] [-o FILE]\n"
    "       rmatgen --poisson|--geometric -n N -k K [OPTION...] [-o FILE]\n"
    "       rmatgen --planted CxS -k K [OPTION...] [-o FILE]\n"
    "       rmatgen --lattice WxH[xD] [OPTION...] [-o FILE]\n"
    "Writes the edges of a random graph, or of a lattice, each undirected edge once.\n"
    "\n"
    "RMAT: EDGEFACTOR * 2^SCALE edges\n"
    "  -s, --scale SCALE      2^SCALE vertices, 1 to 48\n"
    "  -e, --edgefactor N     edges per vertex (default 16)\n"
    "  -A P, -B P, -C P       RMAT probabilities of the upper left, upper right and lower left\n"
    "                         quadrant (default .57 .19 .19; .25 .25 .25 is a uniform graph)\n"
    "      --params A,B,C     all three at once\n"
    "      --graph500         the edges of the Graph500 v3 reference generator, bit for bit; its\n"
    "                         two seeds are N and N + 1 of --seed\n"
    "\n"
    "Other graphs\n"
    "      --poisson          N * K / 2 edges, each between any two vertices\n"
    "      --geometric        N points in the unit square, an edge between any two that are near\n"
    "      --planted CxS      C communities of S vertices, each a --poisson graph, with bridges\n"
    "      --lattice WxH[xD]  the points of a grid in two or three dimensions\n"
    "  -n, --vertices N       the vertices\n"
    "  -k, --degree K         the mean degree; with --planted, the one within communities\n"
    "      --bridges B        chain (default): an edge from each community to the next; a number:\n"
    "                         so many edges between any communities\n"
    "      --stencil POINTS   5 (default) or 9 in two dimensions, 7 (default) or 27 in three\n"
    "      --torus            a line's last point is a neighbour of its first\n"
    "\n"
    "All graphs\n"
    "      --seed N           another graph (default 1; with --graph500, 2)\n"
    "      --no-randomize     keep the ids of the generator, in which low ids of RMAT are hubs\n"
    "      --first N          begin with edge N of the graph (default 0)\n"
    "      --count N          make N edges (default: all from the first on)\n"
    "  -f, --format FORMAT    edges (default), text, graph500, u32 or u64\n"
    "  -o, --output FILE      '-' or none is standard output\n"
    "      --force            replace FILE if it exists\n"
    "  -@, --threads N        0, the default, is all cores\n"
    "  -S, --memory SIZE      the points of --geometric take 8 to 12 bytes each\n"
    "  -q, --quiet  -v, --verbose  -h, --help  --version\n"
    "\n"
    "The output depends on the options above -f only, never on the threads.\n";

#define MAX_EDGES (UINT64_C(1) << 60)
#define MAX_VERTICES (UINT64_C(1) << RMAT_MAX_SCALE)

/* ---- which options belong to which kind of graph ---- */

enum {
    OF_RMAT = 1 << GRAPH_RMAT,
    OF_GRAPH500 = 1 << GRAPH_GRAPH500,
    OF_POISSON = 1 << GRAPH_POISSON,
    OF_LATTICE = 1 << GRAPH_LATTICE,
    OF_GEOMETRIC = 1 << GRAPH_GEOMETRIC,
    OF_PLANTED = 1 << GRAPH_PLANTED,
    OF_ALL = 2 * OF_PLANTED - 1
};

/* Kinds that need an option, and those that take it. */
static const struct {
    const char *option; /* as cli_option_text has it */
    int needed, taken;
} rules[] = {
    {"-s", OF_RMAT | OF_GRAPH500, OF_RMAT | OF_GRAPH500},
    {"-e", 0, OF_RMAT | OF_GRAPH500},
    {"-A", 0, OF_RMAT},
    {"-B", 0, OF_RMAT},
    {"-C", 0, OF_RMAT},
    {"--params", 0, OF_RMAT},
    {"-n", OF_POISSON | OF_GEOMETRIC, OF_POISSON | OF_GEOMETRIC},
    {"-k", OF_POISSON | OF_GEOMETRIC | OF_PLANTED, OF_POISSON | OF_GEOMETRIC | OF_PLANTED},
    {"--bridges", 0, OF_PLANTED},
    {"--stencil", 0, OF_LATTICE},
    {"--torus", 0, OF_LATTICE},
    {"--no-randomize", 0, OF_ALL - OF_GRAPH500 - OF_POISSON},
    {"--first", 0, OF_ALL - OF_GEOMETRIC},
    {"--count", 0, OF_ALL - OF_GEOMETRIC},
};
enum { RULES = sizeof rules / sizeof *rules };

static const char *kind_name(enum graph_kind kind)
{
    static const char *const names[] = {"RMAT", "--graph500", "--poisson", "--lattice", "--geometric", "--planted"};
    return names[kind];
}

/* ---- options ---- */

static void take_params(struct cli *cli, const struct cli_row *row, const char *text)
{
    struct generator_options *g = row->value;
    char copy[200], *rest = copy;
    double *const values[] = {&g->a, &g->b, &g->c};
    if (strlen(text) >= sizeof copy)
        cli_usage(cli, "--params: '%s' is not A,B,C", text);
    strcpy(copy, text);
    for (int i = 0; i < 3; i++) {
        const char *part = strsep(&rest, ",");
        if (part == NULL || parse_real(part, values[i]) != 0)
            cli_usage(cli, "--params: '%s' is not A,B,C", text);
    }
    if (rest != NULL)
        cli_usage(cli, "--params: '%s' has more than A,B,C", text);
}

/* Reads whole numbers with an x between them, such as 100x200, at least `least` and at most `most` of them. Returns how many
 * there are. Their product is at most MAX_VERTICES. */
static int read_sizes(const struct cli *cli, const char *option, const char *text, int least, int most,
                      uint64_t *size)
{
    char copy[200], *rest = copy;
    uint64_t product = 1;
    int count = 0;
    if (strlen(text) >= sizeof copy)
        cli_usage(cli, "%s: '%s' is too long", option, text);
    strcpy(copy, text);
    for (; rest != NULL; count++) {
        const char *part = strsep(&rest, "x");
        if (count == most || parse_u64(part, &size[count]) != 0 || size[count] == 0)
            cli_usage(cli, "%s: '%s' is not %s, each at least 1", option, text, most == 2 ? "CxS" : "WxH or WxHxD");
        if (__builtin_mul_overflow(product, size[count], &product) || product > MAX_VERTICES)
            cli_usage(cli, "%s: '%s' is more than 2^%d vertices", option, text, RMAT_MAX_SCALE);
    }
    if (count < least)
        cli_usage(cli, "%s: '%s' is not %s, each at least 1", option, text, most == 2 ? "CxS" : "WxH or WxHxD");
    return count;
}

/* Takes the kind of a row, without a text or after it was read; two kinds are a usage error. */
static void take_kind(struct cli *cli, const struct cli_row *row, const char *text)
{
    struct generator_options *g = row->value;
    const enum graph_kind kind = (enum graph_kind)row->least;
    (void)text;
    if (g->kind != GRAPH_RMAT && g->kind != kind)
        cli_usage(cli, "%s and %s are two kinds of graphs: give one", kind_name(g->kind), kind_name(kind));
    g->kind = kind;
}

static void take_planted(struct cli *cli, const struct cli_row *row, const char *text)
{
    struct generator_options *g = row->value;
    uint64_t sizes[2];
    take_kind(cli, row, text);
    read_sizes(cli, "--planted", text, 2, 2, sizes);
    g->communities = sizes[0];
    g->size = sizes[1];
}

static void take_lattice(struct cli *cli, const struct cli_row *row, const char *text)
{
    struct generator_options *g = row->value;
    take_kind(cli, row, text);
    for (int axis = 0; axis < LATTICE_AXES; axis++)
        g->side[axis] = 1;
    g->dimensions = read_sizes(cli, "--lattice", text, 2, LATTICE_AXES, g->side);
}

static void take_bridges(struct cli *cli, const struct cli_row *row, const char *text)
{
    uint64_t *bridges = row->value;
    *bridges = PLANTED_CHAIN;
    if (strcmp(text, "chain") != 0)
        *bridges = cli_number(cli, "--bridges (chain or a number)", text, 0, MAX_EDGES);
}

/* ---- combinations ---- */

/* The reason why a kind does not take an option, if there is more to say. */
static const char *reason(enum graph_kind kind, const char *option)
{
    const int keeps_ids = strcmp(option, "--no-randomize") == 0;
    if (kind == GRAPH_GRAPH500 && keeps_ids)
        return "has its own vertex scramble";
    if (kind == GRAPH_GRAPH500 && (strcmp(option, "--params") == 0 || strchr("ABC", option[1]) != NULL))
        return "has its own probabilities";
    if (kind == GRAPH_POISSON && keeps_ids)
        return "has random ids anyway";
    if (kind == GRAPH_GEOMETRIC && (strcmp(option, "--first") == 0 || strcmp(option, "--count") == 0))
        return "does not know the numbers of its edges";
    return "does not take this option";
}

/* Checks each row that was given, or not, against its rule. */
static void check_rules(const struct rmatgen_options *o, const struct cli_row *rows, int count)
{
    const enum graph_kind kind = o->graph.kind;
    for (int i = 0; i < RULES; i++) {
        const char *option = rules[i].option;
        const struct cli_row *row = cli_row_of(rows, count, option);
        if (row->given && !(rules[i].taken >> kind & 1))
            cli_usage(&o->cli, "%s %s: leave out %s", kind_name(kind), reason(kind, option), option);
        if (!row->given && rules[i].needed >> kind & 1)
            cli_usage(&o->cli, kind == GRAPH_RMAT ? "%s SCALE is missing" : "%s is missing, which %s needs",
                      option, kind_name(kind));
    }
}

/* Sets the default stencil of a lattice; refuses a stencil that its dimensions do not have, and a torus with a short side. */
static void check_lattice(struct rmatgen_options *o)
{
    struct generator_options *g = &o->graph;
    if (g->stencil == 0)
        g->stencil = g->dimensions == 2 ? 5 : 7;
    if (!lattice_has_stencil(g->dimensions, g->stencil))
        cli_usage(&o->cli, "--stencil %" PRIu64 ": in %s dimensions it has %s points", g->stencil,
                  g->dimensions == 2 ? "two" : "three", g->dimensions == 2 ? "5 or 9" : "7 or 27");
    for (int axis = 0; g->torus && axis < g->dimensions; axis++)
        if (g->side[axis] < LATTICE_TORUS_SIDE)
            cli_usage(&o->cli, "--torus: a side of %" PRIu64 " is too short: at least %d", g->side[axis],
                      LATTICE_TORUS_SIDE);
}

static void check_degree(const struct rmatgen_options *o)
{
    const struct generator_options *g = &o->graph;
    uint64_t size = g->kind == GRAPH_PLANTED ? g->size : g->vertices;
    double most = g->kind == GRAPH_GEOMETRIC ? geometric_max_degree(size) : (double)(size - 1);
    if (g->degree > most)
        cli_usage(&o->cli, "-k %g: %s of %" PRIu64 " vertices has a mean degree of %.6g at most", g->degree,
                  g->kind == GRAPH_PLANTED ? "a community" : kind_name(g->kind), size, most);
    if (g->kind == GRAPH_PLANTED && g->communities == 1 && g->bridges != PLANTED_CHAIN && g->bridges > 0)
        cli_usage(&o->cli, "--bridges %" PRIu64 ": there is one community", g->bridges);
}

static void check_kind(struct rmatgen_options *o)
{
    const struct generator_options *g = &o->graph;
    if (g->kind == GRAPH_GEOMETRIC && g->vertices > GEOMETRIC_MAX_POINTS)
        cli_usage(&o->cli, "-n %" PRIu64 ": --geometric has 2^%d points at most", g->vertices, GEOMETRIC_BITS);
    if (g->kind == GRAPH_POISSON || g->kind == GRAPH_GEOMETRIC || g->kind == GRAPH_PLANTED)
        check_degree(o);
    if (g->kind == GRAPH_LATTICE)
        check_lattice(o);
}

static void check_range(struct rmatgen_options *o)
{
    uint64_t edges = generator_items(&o->graph);
    if (edges > MAX_EDGES && o->graph.kind <= GRAPH_GRAPH500)
        cli_usage(&o->cli, "-e %" PRIu64 " at scale %d is more than 2^60 edges", o->graph.edge_factor,
                  o->graph.scale);
    if (edges > MAX_EDGES)
        cli_usage(&o->cli, "%s: more than 2^60 edges", kind_name(o->graph.kind));
    if (o->first > edges)
        cli_usage(&o->cli, "--first %" PRIu64 ": the graph has %" PRIu64 " edges", o->first, edges);
    if (o->count == UINT64_MAX)
        o->count = edges - o->first;
    if (o->count > edges - o->first)
        cli_usage(&o->cli,
                  "--count %" PRIu64 ": the graph has %" PRIu64 " edges from number %" PRIu64 " on",
                  o->count, edges - o->first, o->first);
}

static void check_format(const struct rmatgen_options *o)
{
    uint64_t n = generator_vertices(&o->graph);
    const char *format = edge_format_name(o->format);
    if (n <= edge_format_id_limit(o->format))
        return;
    if (o->graph.kind <= GRAPH_GRAPH500)
        cli_usage(&o->cli, "-f %s: at scale %d ids reach 2^%d - 1, which its records cannot hold", format,
                  o->graph.scale, o->graph.scale);
    cli_usage(&o->cli, "-f %s: ids reach %" PRIu64 ", which its records cannot hold", format, n - 1);
}

/* ---- the command line ---- */

void rmatgen_options_read(struct rmatgen_options *o, int argc, char **argv)
{
    struct generator_options *g = &o->graph;
    int no_randomize = 0;
    struct cli_row rows[] = {
        {"scale", 's', CLI_U32, .value = &g->scale, .least = RMAT_MIN_SCALE, .most = RMAT_MAX_SCALE},
        {"edgefactor", 'e', CLI_U64, .value = &g->edge_factor, .least = 1, .most = MAX_EDGES},
        {NULL, 'A', CLI_REAL, .value = &g->a},
        {NULL, 'B', CLI_REAL, .value = &g->b},
        {NULL, 'C', CLI_REAL, .value = &g->c},
        {"params", 0, CLI_CALL, .value = g, .take = take_params},
        {"graph500", 0, CLI_CALL_BARE, .value = g, .take = take_kind, .least = GRAPH_GRAPH500},
        {"poisson", 0, CLI_CALL_BARE, .value = g, .take = take_kind, .least = GRAPH_POISSON},
        {"geometric", 0, CLI_CALL_BARE, .value = g, .take = take_kind, .least = GRAPH_GEOMETRIC},
        {"planted", 0, CLI_CALL, .value = g, .take = take_planted, .least = GRAPH_PLANTED},
        {"lattice", 0, CLI_CALL, .value = g, .take = take_lattice, .least = GRAPH_LATTICE},
        {"vertices", 'n', CLI_U64, .value = &g->vertices, .least = 1, .most = MAX_VERTICES},
        {"degree", 'k', CLI_REAL, .value = &g->degree},
        {"bridges", 0, CLI_CALL, .value = &g->bridges, .take = take_bridges},
        {"stencil", 0, CLI_U64, .value = &g->stencil, .least = 5, .most = 27},
        {"torus", 0, CLI_SET, .value = &g->torus},
        {"no-randomize", 0, CLI_SET, .value = &no_randomize},
        {"first", 0, CLI_U64, .value = &o->first, .most = MAX_EDGES},
        {"count", 0, CLI_U64, .value = &o->count, .most = MAX_EDGES},
        {"format", 'f', CLI_CHOICE, .value = &o->format, .words = EDGE_FORMAT_WORDS},
        {"output", 'o', CLI_ONCE, .value = &o->output},
        {"seed", 0, CLI_U64, .value = &g->seed, .most = UINT64_MAX}};
    const int count = sizeof rows / sizeof *rows;
    *o = (struct rmatgen_options){
        .graph = {.edge_factor = 16, .a = .57, .b = .19, .c = .19, .bridges = PLANTED_CHAIN},
        .count = UINT64_MAX,
        .cli = {.program = "rmatgen", .help = help}};
    cli_read_rows(&o->cli, argc, argv, rows, count);
    if (optind < argc)
        cli_usage(&o->cli, "'%s': no input is read", argv[optind]);
    g->randomize = !no_randomize;
    if (!cli_row_of(rows, count, "--seed")->given)
        g->seed = g->kind == GRAPH_GRAPH500 ? 2 : 1;
    check_rules(o, rows, count);
    check_kind(o);
    check_range(o);
    check_format(o);
}
