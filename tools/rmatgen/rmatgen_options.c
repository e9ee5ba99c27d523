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

enum {
    SEED_OPTION = CLI_FIRST_FREE_OPTION,
    PARAMS_OPTION,
    NO_RANDOMIZE_OPTION,
    GRAPH500_OPTION,
    POISSON_OPTION,
    GEOMETRIC_OPTION,
    PLANTED_OPTION,
    LATTICE_OPTION,
    BRIDGES_OPTION,
    STENCIL_OPTION,
    TORUS_OPTION,
    FIRST_OPTION,
    COUNT_OPTION
};

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
    int option;
    const char *name;
    int needed, taken;
} rules[] = {
    {'s', "-s", OF_RMAT | OF_GRAPH500, OF_RMAT | OF_GRAPH500},
    {'e', "-e", 0, OF_RMAT | OF_GRAPH500},
    {'A', "-A", 0, OF_RMAT},
    {'B', "-B", 0, OF_RMAT},
    {'C', "-C", 0, OF_RMAT},
    {PARAMS_OPTION, "--params", 0, OF_RMAT},
    {'n', "-n", OF_POISSON | OF_GEOMETRIC, OF_POISSON | OF_GEOMETRIC},
    {'k', "-k", OF_POISSON | OF_GEOMETRIC | OF_PLANTED, OF_POISSON | OF_GEOMETRIC | OF_PLANTED},
    {BRIDGES_OPTION, "--bridges", 0, OF_PLANTED},
    {STENCIL_OPTION, "--stencil", 0, OF_LATTICE},
    {TORUS_OPTION, "--torus", 0, OF_LATTICE},
    {NO_RANDOMIZE_OPTION, "--no-randomize", 0, OF_ALL - OF_GRAPH500 - OF_POISSON},
    {FIRST_OPTION, "--first", 0, OF_ALL - OF_GEOMETRIC},
    {COUNT_OPTION, "--count", 0, OF_ALL - OF_GEOMETRIC},
};
enum { RULES = sizeof rules / sizeof *rules };

static const char *kind_name(enum graph_kind kind)
{
    static const char *const names[] = {"RMAT", "--graph500", "--poisson", "--lattice", "--geometric", "--planted"};
    return names[kind];
}

/* ---- options ---- */

static int is_given(const struct rmatgen_options *o, int option)
{
    for (int i = 0; i < RULES; i++)
        if (rules[i].option == option)
            return (int)(o->given >> i & 1);
    return 0;
}

static void take_params(struct rmatgen_options *o, const char *text)
{
    char copy[200], *rest = copy;
    double *const values[] = {&o->graph.a, &o->graph.b, &o->graph.c};
    if (strlen(text) >= sizeof copy)
        cli_usage(&o->cli, "--params: '%s' is not A,B,C", text);
    strcpy(copy, text);
    for (int i = 0; i < 3; i++) {
        const char *part = strsep(&rest, ",");
        if (part == NULL || parse_real(part, values[i]) != 0)
            cli_usage(&o->cli, "--params: '%s' is not A,B,C", text);
    }
    if (rest != NULL)
        cli_usage(&o->cli, "--params: '%s' has more than A,B,C", text);
}

/* Reads whole numbers with an x between them, such as 100x200, at least `least` and at most `most` of them. Returns how many
 * there are. Their product is at most MAX_VERTICES. */
static int take_sizes(const struct rmatgen_options *o, const char *option, const char *text, int least, int most,
                      uint64_t *size)
{
    char copy[200], *rest = copy;
    uint64_t product = 1;
    int count = 0;
    if (strlen(text) >= sizeof copy)
        cli_usage(&o->cli, "%s: '%s' is too long", option, text);
    strcpy(copy, text);
    for (; rest != NULL; count++) {
        const char *part = strsep(&rest, "x");
        if (count == most || parse_u64(part, &size[count]) != 0 || size[count] == 0)
            cli_usage(&o->cli, "%s: '%s' is not %s, each at least 1", option, text, most == 2 ? "CxS" : "WxH or WxHxD");
        if (__builtin_mul_overflow(product, size[count], &product) || product > MAX_VERTICES)
            cli_usage(&o->cli, "%s: '%s' is more than 2^%d vertices", option, text, RMAT_MAX_SCALE);
    }
    if (count < least)
        cli_usage(&o->cli, "%s: '%s' is not %s, each at least 1", option, text, most == 2 ? "CxS" : "WxH or WxHxD");
    return count;
}

static void take_kind(struct rmatgen_options *o, enum graph_kind kind)
{
    if (o->graph.kind != GRAPH_RMAT && o->graph.kind != kind)
        cli_usage(&o->cli, "%s and %s are two kinds of graphs: give one", kind_name(o->graph.kind), kind_name(kind));
    o->graph.kind = kind;
}

/* Takes an option that chooses the kind or sets the size of the graph. */
static int take_shape(struct rmatgen_options *o, int option, const char *argument)
{
    struct generator_options *g = &o->graph;
    uint64_t sizes[2];
    switch (option) {
    case GRAPH500_OPTION: take_kind(o, GRAPH_GRAPH500); break;
    case POISSON_OPTION: take_kind(o, GRAPH_POISSON); break;
    case GEOMETRIC_OPTION: take_kind(o, GRAPH_GEOMETRIC); break;
    case PLANTED_OPTION:
        take_kind(o, GRAPH_PLANTED);
        take_sizes(o, "--planted", argument, 2, 2, sizes);
        g->communities = sizes[0];
        g->size = sizes[1];
        break;
    case LATTICE_OPTION:
        take_kind(o, GRAPH_LATTICE);
        for (int axis = 0; axis < LATTICE_AXES; axis++)
            g->side[axis] = 1;
        g->dimensions = take_sizes(o, "--lattice", argument, 2, LATTICE_AXES, g->side);
        break;
    case 'n': g->vertices = cli_number(&o->cli, "-n", argument, 1, MAX_VERTICES); break;
    case 'k': g->degree = cli_real(&o->cli, "-k", argument); break;
    case BRIDGES_OPTION:
        g->bridges = PLANTED_CHAIN;
        if (strcmp(argument, "chain") != 0)
            g->bridges = cli_number(&o->cli, "--bridges (chain or a number)", argument, 0, MAX_EDGES);
        break;
    case STENCIL_OPTION: g->stencil = cli_number(&o->cli, "--stencil", argument, 5, 27); break;
    case TORUS_OPTION: g->torus = 1; break;
    default: return 0;
    }
    return 1;
}

static void take_option(struct rmatgen_options *o, int option, const char *argument)
{
    const struct cli *cli = &o->cli;
    struct generator_options *g = &o->graph;
    for (int i = 0; i < RULES; i++)
        o->given |= (uint64_t)(rules[i].option == option) << i;
    if (take_shape(o, option, argument))
        return;
    switch (option) {
    case 's': g->scale = (int)cli_number(cli, "-s", argument, RMAT_MIN_SCALE, RMAT_MAX_SCALE); break;
    case 'e': g->edge_factor = cli_number(cli, "-e", argument, 1, MAX_EDGES); break;
    case 'A': g->a = cli_real(cli, "-A", argument); break;
    case 'B': g->b = cli_real(cli, "-B", argument); break;
    case 'C': g->c = cli_real(cli, "-C", argument); break;
    case PARAMS_OPTION: take_params(o, argument); break;
    case SEED_OPTION: g->seed = cli_number(cli, "--seed", argument, 0, UINT64_MAX); break;
    case NO_RANDOMIZE_OPTION: g->randomize = 0; break;
    case FIRST_OPTION: o->first = cli_number(cli, "--first", argument, 0, MAX_EDGES); break;
    case COUNT_OPTION: o->count = cli_number(cli, "--count", argument, 0, MAX_EDGES); break;
    case 'f':
        if (edge_format_parse(argument, &o->format) != 0 || o->format == EDGE_FORMAT_SG)
            cli_usage(cli, "-f: '%s' is not edges, text, graph500, u32 or u64", argument);
        break;
    case 'o': cli_once(&o->cli, "-o", argument, &o->output); break;
    default: cli_option(&o->cli, option, argument);
    }
}

/* ---- combinations ---- */

/* The reason why a kind does not take an option, if there is more to say. */
static const char *reason(enum graph_kind kind, int option)
{
    if (kind == GRAPH_GRAPH500 && option == NO_RANDOMIZE_OPTION)
        return "has its own vertex scramble";
    if (kind == GRAPH_GRAPH500 && (option == PARAMS_OPTION || (option >= 'A' && option <= 'C')))
        return "has its own probabilities";
    if (kind == GRAPH_POISSON && option == NO_RANDOMIZE_OPTION)
        return "has random ids anyway";
    if (kind == GRAPH_GEOMETRIC && (option == FIRST_OPTION || option == COUNT_OPTION))
        return "does not know the numbers of its edges";
    return "does not take this option";
}

static void check_rules(const struct rmatgen_options *o)
{
    const enum graph_kind kind = o->graph.kind;
    for (int i = 0; i < RULES; i++) {
        int given = (int)(o->given >> i & 1);
        if (given && !(rules[i].taken >> kind & 1))
            cli_usage(&o->cli, "%s %s: leave out %s", kind_name(kind), reason(kind, rules[i].option), rules[i].name);
        if (!given && rules[i].needed >> kind & 1)
            cli_usage(&o->cli, kind == GRAPH_RMAT ? "%s SCALE is missing" : "%s is missing, which %s needs",
                      rules[i].name, kind_name(kind));
    }
}

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
    if (!is_given(o, COUNT_OPTION))
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

static const struct option long_options[] = {
    {"scale", required_argument, NULL, 's'},
    {"edgefactor", required_argument, NULL, 'e'},
    {"params", required_argument, NULL, PARAMS_OPTION},
    {"graph500", no_argument, NULL, GRAPH500_OPTION},
    {"poisson", no_argument, NULL, POISSON_OPTION},
    {"geometric", no_argument, NULL, GEOMETRIC_OPTION},
    {"planted", required_argument, NULL, PLANTED_OPTION},
    {"lattice", required_argument, NULL, LATTICE_OPTION},
    {"vertices", required_argument, NULL, 'n'},
    {"degree", required_argument, NULL, 'k'},
    {"bridges", required_argument, NULL, BRIDGES_OPTION},
    {"stencil", required_argument, NULL, STENCIL_OPTION},
    {"torus", no_argument, NULL, TORUS_OPTION},
    {"seed", required_argument, NULL, SEED_OPTION},
    {"no-randomize", no_argument, NULL, NO_RANDOMIZE_OPTION},
    {"first", required_argument, NULL, FIRST_OPTION},
    {"count", required_argument, NULL, COUNT_OPTION},
    {"format", required_argument, NULL, 'f'},
    {"output", required_argument, NULL, 'o'},
    CLI_LONG_OPTIONS,
    {NULL, 0, NULL, 0}};

void rmatgen_options_read(struct rmatgen_options *o, int argc, char **argv)
{
    int option, seed_given = 0;
    *o = (struct rmatgen_options){
        .graph = {.edge_factor = 16, .a = .57, .b = .19, .c = .19, .randomize = 1, .bridges = PLANTED_CHAIN},
        .cli = {.program = "rmatgen", .help = help}};
    while ((option = cli_next(&o->cli, argc, argv, "s:e:A:B:C:n:k:f:o:" CLI_SHORT_OPTIONS, long_options)) != -1) {
        take_option(o, option, optarg);
        seed_given |= option == SEED_OPTION;
    }
    if (optind < argc)
        cli_usage(&o->cli, "'%s': no input is read", argv[optind]);
    check_rules(o);
    check_kind(o);
    check_range(o);
    check_format(o);
    if (!seed_given)
        o->graph.seed = o->graph.kind == GRAPH_GRAPH500 ? 2 : 1;
}
