/* oracle.c: finds hop distances by the plainest serial breadth-first search, for comparison with dbfs
 *
 * It shares no code with dbfs. It reads the text edge list, takes each line as one undirected edge, or as an arc with -d,
 * and runs a queue over an adjacency array. It also counts the edges of the root's component, or the arcs that leave
 * reached vertices, in the three ways in which the edges of TEPS are counted. */
#include <unistd.h>

#include "textedges.h"

#define UNREACHED UINT32_MAX

static const char usage_text[] =
    "usage: oracle [-d] [-n N] [-e] [-o PATTERN] EDGES.txt ROOT[,ROOT...]\n"
    "  prints 'id depth' for each id from 0 to N-1; depth -1 = unreached; EDGES.txt may be -\n"
    "  -d          lines are arcs, from the first id to the second\n"
    "  -n N        number of vertices (default: largest id + 1)\n"
    "  -o PATTERN  write the depths to this file; %d stands for the root (several roots need it)\n"
    "  -e          print 'key value' lines on the root's component instead (with -o: as well):\n"
    "              root, edges_spec (all input edges), edges_noloops, edges_dedup, reached,\n"
    "              levels\n"
    "exit: 0 ok, 1 run-time failure, 2 usage, 3 bad data, 5 not enough memory\n";

struct options {
    uint64_t n;          /* 0: from the file */
    const char *pattern; /* NULL: standard output */
    int count_edges;
    int directed;
    const char *path;
    uint32_t *roots;
    size_t root_count;
};

/* All edges but self-loops, in both directions, or arcs: v's neighbours are targets[begin[v] .. begin[v+1]). */
struct adjacency {
    uint64_t n;
    int directed;
    uint64_t *begin;
    uint32_t *targets;
};

/* the arrays of a search; all roots use them */
struct search {
    uint32_t *depth;
    uint32_t *queue; /* the first `reached` entries are the reached vertices, in the order found */
    uint64_t reached;
};

static int parse_roots(const char *text, struct options *options)
{
    size_t commas = 0;

    for (const char *p = text; *p; p++)
        commas += *p == ',';
    options->roots = malloc((commas + 1) * sizeof *options->roots);
    if (!options->roots)
        return te_fail(TE_MEMORY, "no memory for %zu roots", commas + 1);
    for (const char *p = text, *end = text + strlen(text);; p++) {
        uint64_t root;
        p = te_digits(p, end, TE_MAX_ID, &root);
        if (!p || (*p && *p != ','))
            return te_fail(TE_USAGE, "%s: not a root or a list of roots", text);
        options->roots[options->root_count++] = (uint32_t)root;
        if (!*p)
            return TE_OK;
    }
}

static int parse_options(int argc, char **argv, struct options *options)
{
    int letter;

    while ((letter = getopt(argc, argv, "dn:o:eh")) != -1) {
        if (letter == 'n') {
            if (!te_argument(optarg, (uint64_t)TE_MAX_ID + 1, &options->n) || options->n == 0)
                return te_fail(TE_USAGE, "-n %s: not a number of vertices", optarg);
        } else if (letter == 'o') {
            options->pattern = optarg;
        } else if (letter == 'd') {
            options->directed = 1;
        } else if (letter == 'e') {
            options->count_edges = 1;
        } else {
            fputs(usage_text, letter == 'h' ? stdout : stderr);
            exit(letter == 'h' ? TE_OK : TE_USAGE);
        }
    }
    if (argc - optind != 2) {
        fputs(usage_text, stderr);
        return TE_USAGE;
    }
    options->path = argv[optind];
    int status = parse_roots(argv[optind + 1], options);
    if (status != TE_OK)
        return status;
    int names_root = options->pattern && strstr(options->pattern, "%d");
    int writes_depths = options->pattern || !options->count_edges;
    if (writes_depths && options->root_count > 1 && !names_root)
        return te_fail(TE_USAGE, "several roots need -o with %%d in it");
    return TE_OK;
}

/* the number of vertices, known once the file is read */
static int settle_n(const struct options *options, const struct edge_list *list, uint64_t *n)
{
    *n = options->n ? options->n : list->id_bound;
    if (*n < list->id_bound)
        return te_fail(TE_USAGE, "-n %" PRIu64 ": %s holds id %" PRIu64, *n, options->path,
                       list->id_bound - 1);
    for (size_t i = 0; i < options->root_count; i++)
        if (options->roots[i] >= *n)
            return te_fail(TE_USAGE, "root %" PRIu32 ": there are %" PRIu64 " vertices",
                           options->roots[i], *n);
    return TE_OK;
}

/* Counts degrees into begin[v + 2] and sums up, so that v begins at begin[v + 1]. Filling moves each begin to its
 * end, which is where begin[v + 1] belongs. */
static int build_adjacency(const struct edge_list *list, uint64_t n, struct adjacency *graph)
{
    graph->n = n;
    graph->begin = calloc(n + 2, sizeof *graph->begin);
    graph->targets = malloc((2 * list->count + 1) * sizeof *graph->targets);
    if (!graph->begin || !graph->targets)
        return te_fail(TE_MEMORY, "no memory for %" PRIu64 " vertices, %" PRIu64 " edges", n,
                       list->count);
    for (uint64_t i = 0; i < list->count; i++) {
        struct edge e = list->edges[i];
        if (e.u != e.v) {
            graph->begin[(uint64_t)e.u + 2]++;
            graph->begin[(uint64_t)e.v + 2] += !graph->directed;
        }
    }
    for (uint64_t v = 0; v < n; v++)
        graph->begin[v + 2] += graph->begin[v + 1];
    for (uint64_t i = 0; i < list->count; i++) {
        struct edge e = list->edges[i];
        if (e.u != e.v) {
            graph->targets[graph->begin[(uint64_t)e.u + 1]++] = e.v;
            if (!graph->directed)
                graph->targets[graph->begin[(uint64_t)e.v + 1]++] = e.u;
        }
    }
    return TE_OK;
}

static int make_search(uint64_t n, struct search *search)
{
    search->depth = malloc((n + 1) * sizeof *search->depth);
    search->queue = malloc((n + 1) * sizeof *search->queue);
    if (!search->depth || !search->queue)
        return te_fail(TE_MEMORY, "no memory for %" PRIu64 " vertices", n);
    return TE_OK;
}

static void breadth_first(const struct adjacency *graph, uint32_t root, struct search *search)
{
    uint64_t head = 0, tail = 0;

    for (uint64_t v = 0; v < graph->n; v++)
        search->depth[v] = UNREACHED;
    search->depth[root] = 0;
    search->queue[tail++] = root;
    while (head < tail) {
        uint32_t u = search->queue[head++];
        for (uint64_t i = graph->begin[u]; i < graph->begin[(uint64_t)u + 1]; i++) {
            uint32_t v = graph->targets[i];
            if (search->depth[v] == UNREACHED) {
                search->depth[v] = search->depth[u] + 1;
                search->queue[tail++] = v;
            }
        }
    }
    search->reached = tail;
}

static int print_depths(const struct adjacency *graph, const struct search *search, FILE *out,
                        const char *name)
{
    for (uint64_t v = 0; v < graph->n; v++) {
        int64_t depth = search->depth[v] == UNREACHED ? -1 : (int64_t)search->depth[v];
        fprintf(out, "%" PRIu64 "\t%" PRId64 "\n", v, depth);
    }
    if (fflush(out) != 0 || ferror(out))
        return te_fail(TE_FAILED, "%s: writing: %s", name, strerror(errno));
    return TE_OK;
}

/* The pattern with the root in place of its first %d. The caller frees it. */
static char *file_name(const char *pattern, uint32_t root)
{
    const char *mark = strstr(pattern, "%d");
    char *name = NULL;
    int length;

    if (mark)
        length = asprintf(&name, "%.*s%" PRIu32 "%s", (int)(mark - pattern), pattern, root,
                          mark + 2);
    else
        length = asprintf(&name, "%s", pattern);
    return length < 0 ? NULL : name;
}

static int write_depths(const struct options *options, const struct adjacency *graph, uint32_t root,
                        const struct search *search)
{
    if (!options->pattern)
        return print_depths(graph, search, stdout, "standard output");
    char *name = file_name(options->pattern, root);
    if (!name)
        return te_fail(TE_MEMORY, "no memory for a file name");
    int status;
    FILE *out = fopen(name, "w");
    if (!out) {
        status = te_fail(TE_FAILED, "%s: creating: %s", name, strerror(errno));
    } else {
        status = print_depths(graph, search, out, name);
        if (fclose(out) != 0 && status == TE_OK)
            status = te_fail(TE_FAILED, "%s: closing: %s", name, strerror(errno));
    }
    free(name);
    return status;
}

/* Counts distinct pairs {u, v}, u < v, or arcs (u, v), with u reached. last_seen_by[v] is the last u that counted
 * v. */
static uint64_t count_distinct(const struct adjacency *graph, const struct search *search,
                               uint32_t *last_seen_by)
{
    uint64_t distinct = 0;

    memset(last_seen_by, 0xff, graph->n * sizeof *last_seen_by);
    for (uint64_t i = 0; i < search->reached; i++) {
        uint32_t u = search->queue[i];
        for (uint64_t j = graph->begin[u]; j < graph->begin[(uint64_t)u + 1]; j++) {
            uint32_t v = graph->targets[j];
            if ((graph->directed || v > u) && last_seen_by[v] != u) {
                last_seen_by[v] = u;
                distinct++;
            }
        }
    }
    return distinct;
}

static int print_counts(const struct edge_list *list, const struct adjacency *graph, uint32_t root,
                        const struct search *search)
{
    uint64_t all = 0, no_loops = 0;
    uint32_t *last_seen_by = malloc((graph->n + 1) * sizeof *last_seen_by);

    if (!last_seen_by)
        return te_fail(TE_MEMORY, "no memory for %" PRIu64 " vertices", graph->n);
    for (uint64_t i = 0; i < list->count; i++) {
        struct edge e = list->edges[i];
        if (search->depth[e.u] != UNREACHED) { /* v is then reached, too */
            all++;
            no_loops += e.u != e.v;
        }
    }
    printf("root %" PRIu32 "\n", root);
    printf("edges_spec %" PRIu64 "\n", all);
    printf("edges_noloops %" PRIu64 "\n", no_loops);
    printf("edges_dedup %" PRIu64 "\n", count_distinct(graph, search, last_seen_by));
    printf("reached %" PRIu64 "\n", search->reached);
    printf("levels %" PRIu64 "\n", (uint64_t)search->depth[search->queue[search->reached - 1]] + 1);
    free(last_seen_by);
    if (fflush(stdout) != 0 || ferror(stdout))
        return te_fail(TE_FAILED, "standard output: writing: %s", strerror(errno));
    return TE_OK;
}

static int search_all(const struct options *options, const struct edge_list *list,
                      const struct adjacency *graph, struct search *search)
{
    int status = TE_OK;

    for (size_t i = 0; i < options->root_count && status == TE_OK; i++) {
        uint32_t root = options->roots[i];
        breadth_first(graph, root, search);
        if (options->pattern || !options->count_edges)
            status = write_depths(options, graph, root, search);
        if (options->count_edges && status == TE_OK)
            status = print_counts(list, graph, root, search);
    }
    return status;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    struct edge_list list = {NULL, 0, 0};
    struct adjacency graph = {0, 0, NULL, NULL};
    struct search search = {NULL, NULL, 0};
    uint64_t n = 0;

    int status = parse_options(argc, argv, &options);
    if (status == TE_OK)
        status = te_read_edges(options.path, &list);
    if (status == TE_OK)
        status = settle_n(&options, &list, &n);
    if (status == TE_OK)
        graph.directed = options.directed;
    if (status == TE_OK)
        status = build_adjacency(&list, n, &graph);
    if (status == TE_OK)
        status = make_search(n, &search);
    if (status == TE_OK)
        status = search_all(&options, &list, &graph, &search);
    free(search.queue);
    free(search.depth);
    free(graph.targets);
    free(graph.begin);
    free(list.edges);
    free(options.roots);
    return status;
}
