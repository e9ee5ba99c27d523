/* treecheck.c: tests whether a pair of result files is a breadth-first tree of a graph
 *
 * It shares no code with dbfs, and does not search: it only tests conditions that together hold for nothing but the true
 * distances.
 *   - The root has depth 0 and is its own parent; no other vertex has depth 0.
 *   - Each other reached vertex has a reached parent one level nearer, joined to it by an input edge. So a path of
 *     `depth` edges leads to the root: no depth is too small.
 *   - No edge spans more than one level: no depth is too large.
 *   - No edge joins a reached vertex with an unreached one: nothing reachable is missing.
 *     With -d lines are arcs: a parent is the tail of an arc, and an arc from a reached vertex leads to a reached one,
 *     at most one level farther.
 *   - A vertex has depth -1 exactly when it has parent -1.
 * Both files hold a line `id value` for each id from 0 to n-1, ascending; n covers each id of the edge list. It exits
 * with 0 if all hold, with 4 if one fails or a result file is malformed, and with 1 for bad usage, an unreadable file or
 * a malformed edge list. */
#include "textedges.h"

enum { EXIT_BAD_USE = 1, EXIT_INVALID = 4, SHOWN_PER_RULE = 5 };

struct values {
    const char *path;
    int64_t *of; /* indexed by id */
    uint64_t count;
};

struct results {
    uint64_t n;
    int directed;
    uint64_t root;
    const int64_t *depth;
    const int64_t *parent;
};

/* how often a rule failed; the first few are shown */
struct tally {
    const char *rule;
    uint64_t failures;
};

__attribute__((format(printf, 2, 3)))
static void broken(struct tally *tally, const char *format, ...)
{
    va_list args;

    if (tally->failures++ >= SHOWN_PER_RULE)
        return;
    fprintf(stderr, "%s: %s: ", program_invocation_short_name, tally->rule);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

static uint64_t close_tally(const struct tally *tally)
{
    if (tally->failures > SHOWN_PER_RULE)
        te_fail(0, "%s: %" PRIu64 " failures in all", tally->rule, tally->failures);
    return tally->failures;
}

/* Parses `id value` and nothing else; false if the line has anything else. */
static int parse_value_line(const char *p, const char *eol, uint64_t *id, int64_t *value)
{
    uint64_t magnitude;
    int negative;

    p = te_digits(p, eol, INT64_MAX, id);
    if (!p || p == eol || (*p != ' ' && *p != '\t') || p++ == eol)
        return 0;
    negative = p < eol && *p == '-';
    p = te_digits(p + negative, eol, INT64_MAX, &magnitude);
    *value = p == eol ? (negative ? -(int64_t)magnitude : (int64_t)magnitude) : 0;
    return p == eol;
}

/* values->of has room for every line. */
static int parse_values(const struct text *text, struct values *values)
{
    const char *p = text->bytes, *end = p + text->length;

    while (p < end) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        uint64_t id;
        if (!eol)
            return te_fail(EXIT_INVALID, "%s: the last line is cut", values->path);
        if (!parse_value_line(p, eol, &id, &values->of[values->count]))
            return te_fail(EXIT_INVALID, "%s:%" PRIu64 ": not 'id value'", values->path,
                           values->count + 1);
        if (id != values->count)
            return te_fail(EXIT_INVALID, "%s:%" PRIu64 ": id %" PRIu64 " where %" PRIu64 " belongs",
                           values->path, values->count + 1, id, values->count);
        values->count++;
        p = eol + 1;
    }
    return TE_OK;
}

static int read_values(const char *path, struct values *values)
{
    struct text text;
    int status = te_slurp(path, &text) == TE_OK ? TE_OK : EXIT_BAD_USE;

    *values = (struct values){path, NULL, 0};
    if (status == TE_OK) {
        values->of = malloc(te_count_lines(&text) * sizeof *values->of);
        if (values->of)
            status = parse_values(&text, values);
        else
            status = te_fail(EXIT_BAD_USE, "%s: no memory for its values", path);
    }
    free(text.bytes);
    return status;
}

static int check_sizes(const struct edge_list *list, const struct values *depths,
                       const struct values *parents)
{
    if (depths->count != parents->count)
        return te_fail(EXIT_INVALID, "%s holds %" PRIu64 " vertices, %s %" PRIu64, depths->path,
                       depths->count, parents->path, parents->count);
    if (depths->count < list->id_bound)
        return te_fail(EXIT_INVALID, "%s holds %" PRIu64 " vertices, but an edge has id %" PRIu64,
                       depths->path, depths->count, list->id_bound - 1);
    return TE_OK;
}

static uint64_t check_root(const struct results *r)
{
    struct tally tally = {"root", 0};

    if (r->depth[r->root] != 0)
        broken(&tally, "depth of root %" PRIu64 " is %" PRId64, r->root, r->depth[r->root]);
    if (r->parent[r->root] != (int64_t)r->root)
        broken(&tally, "parent of root %" PRIu64 " is %" PRId64, r->root, r->parent[r->root]);
    for (uint64_t v = 0; v < r->n; v++)
        if (v != r->root && r->depth[v] == 0)
            broken(&tally, "vertex %" PRIu64 " has depth 0 as well", v);
    return close_tally(&tally);
}

/* Checks that depths and parents are -1 or in range, and that both are -1 or neither. */
static uint64_t check_values(const struct results *r)
{
    struct tally tally = {"values", 0};
    int64_t n = (int64_t)r->n;

    for (uint64_t v = 0; v < r->n; v++) {
        int64_t depth = r->depth[v], parent = r->parent[v];
        if (depth < -1 || depth >= n)
            broken(&tally, "depth of %" PRIu64 " is %" PRId64, v, depth);
        if (parent < -1 || parent >= n)
            broken(&tally, "parent of %" PRIu64 " is %" PRId64, v, parent);
        if ((depth == -1) != (parent == -1))
            broken(&tally, "vertex %" PRIu64 " has depth %" PRId64 " but parent %" PRId64, v, depth,
                   parent);
    }
    return close_tally(&tally);
}

/* Marks the vertices that an input edge joins to their parent. */
static void mark_joined(const struct edge_list *list, const struct results *r, uint8_t *joined)
{
    for (uint64_t i = 0; i < list->count; i++) {
        struct edge e = list->edges[i];
        if (!r->directed && r->parent[e.u] == (int64_t)e.v)
            joined[e.u] = 1;
        if (r->parent[e.v] == (int64_t)e.u)
            joined[e.v] = 1;
    }
}

/* parents are in range, as check_values found */
static uint64_t check_parents(const struct results *r, const uint8_t *joined)
{
    struct tally level = {"parent level", 0}, edge = {"parent edge", 0};

    for (uint64_t v = 0; v < r->n; v++) {
        int64_t parent = r->parent[v];
        if (parent == -1 || v == r->root)
            continue;
        if (r->depth[parent] == -1 || r->depth[parent] != r->depth[v] - 1)
            broken(&level, "vertex %" PRIu64 ", depth %" PRId64 ": parent %" PRId64 " has %" PRId64,
                   v, r->depth[v], parent, r->depth[parent]);
        if (!joined[v])
            broken(&edge, "no edge joins %" PRIu64 " and its parent %" PRId64, v, parent);
    }
    return close_tally(&level) + close_tally(&edge);
}

static uint64_t check_edges(const struct edge_list *list, const struct results *r)
{
    struct tally span = {"edge span", 0}, reach = {"edge reach", 0};

    for (uint64_t i = 0; i < list->count; i++) {
        struct edge e = list->edges[i];
        int64_t du = r->depth[e.u], dv = r->depth[e.v];
        if (r->directed ? du != -1 && dv == -1 : (du == -1) != (dv == -1))
            broken(&reach, "edge %" PRIu32 "-%" PRIu32 " joins depths %" PRId64 " and %" PRId64,
                   e.u, e.v, du, dv);
        else if ((!r->directed && du - dv > 1) || (du != -1 && dv - du > 1))
            broken(&span, "edge %" PRIu32 "-%" PRIu32 " spans depths %" PRId64 " and %" PRId64,
                   e.u, e.v, du, dv);
    }
    return close_tally(&span) + close_tally(&reach);
}

static int check_all(const struct edge_list *list, const struct results *r)
{
    uint64_t failures = check_values(r);
    uint64_t reached = 0;

    if (failures == 0) {
        uint8_t *joined = calloc(r->n, 1);
        if (!joined)
            return te_fail(EXIT_BAD_USE, "no memory for %" PRIu64 " vertices", r->n);
        mark_joined(list, r, joined);
        failures = check_root(r) + check_parents(r, joined) + check_edges(list, r);
        free(joined);
    }
    if (failures > 0)
        return te_fail(EXIT_INVALID, "not a breadth-first tree: %" PRIu64 " failures", failures);
    for (uint64_t v = 0; v < r->n; v++)
        reached += r->depth[v] != -1;
    printf("ok: %" PRIu64 " vertices, %" PRIu64 " reached\n", r->n, reached);
    return TE_OK;
}

int main(int argc, char **argv)
{
    struct edge_list list = {NULL, 0, 0};
    struct values depths = {NULL, NULL, 0}, parents = {NULL, NULL, 0};
    uint64_t root = 0;

    int directed = argc > 1 && strcmp(argv[1], "-d") == 0;

    argc -= directed;
    argv += directed;
    if (argc != 5 || !te_argument(argv[2], TE_MAX_ID, &root))
        return te_fail(EXIT_BAD_USE, "usage: treecheck [-d] EDGES.txt ROOT DEPTHS.txt PARENTS.txt");
    int status = te_read_edges(argv[1], &list) == TE_OK ? TE_OK : EXIT_BAD_USE;
    if (status == TE_OK)
        status = read_values(argv[3], &depths);
    if (status == TE_OK)
        status = read_values(argv[4], &parents);
    if (status == TE_OK)
        status = check_sizes(&list, &depths, &parents);
    if (status == TE_OK && root >= depths.count)
        status = te_fail(EXIT_BAD_USE, "root %" PRIu64 ": %s holds %" PRIu64 " vertices", root,
                         argv[3], depths.count);
    if (status == TE_OK) {
        struct results results = {depths.count, directed, root, depths.of, parents.of};
        status = check_all(&list, &results);
    }
    free(parents.of);
    free(depths.of);
    free(list.edges);
    return status;
}
