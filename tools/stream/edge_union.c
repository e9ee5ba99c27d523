/* edge_union.c: see edge_union.h */
#include "edge_union.h"

#include "formats/base/arith.h"
#include "formats/base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The edges first to end - 1 of a generated graph, which a stream has. */
struct stream_piece {
    uint64_t first, end;
    char *name; /* of the stream; owned */
};

/* ---- provenance ---- */

/* The next line of *text, without its newline; NULL at the end. */
static const char *next_line(const char **text, size_t *length)
{
    const char *line = *text;
    if (*line == '\0')
        return NULL;
    *length = strcspn(line, "\n");
    *text += *length + (line[*length] == '\n');
    return line;
}

static int has_line(const char *text, const char *wanted, size_t wanted_length)
{
    const char *line;
    size_t length;
    while ((line = next_line(&text, &length)) != NULL) {
        if (length == wanted_length && memcmp(line, wanted, length) == 0)
            return 1;
    }
    return 0;
}

/* Reads the line `key NUMBER`; *value stays as it is if there is none. */
static void read_number(const char *text, const char *key, uint64_t *value)
{
    const char *line;
    char number[24];
    size_t length, key_length = strlen(key);
    while ((line = next_line(&text, &length)) != NULL) {
        if (length <= key_length + 1 || length - key_length >= sizeof number ||
            strncmp(line, key, key_length) != 0 || line[key_length] != ' ')
            continue;
        memcpy(number, line + key_length + 1, length - key_length - 1);
        number[length - key_length - 1] = '\0';
        parse_u64(number, value);
    }
}

/* Keeps only the lines of `text` that `other` has, too; if `other` is NULL, all but those that describe a piece of a graph. */
static void keep_lines(char *text, const char *other)
{
    const char *from = text, *line;
    char *to = text;
    size_t length;
    while ((line = next_line(&from, &length)) != NULL) {
        const int of_piece = strncmp(line, "first ", 6) == 0 || strncmp(line, "count ", 6) == 0; /* rmatgen says so what it made */
        if (other != NULL ? !has_line(other, line, length) : of_piece)
            continue;
        memmove(to, line, (size_t)(from - line));
        to += from - line;
    }
    memset(to, 0, (size_t)(text + EDGES_MAX_PROVENANCE_BYTES - to));
}

/* Reads from the provenance how many edges the graph has and which of them are in the stream. Nonzero if rmatgen made the
 * stream and edgeconv has not changed it. */
static int read_piece(const char *provenance, uint64_t *graph_edges, struct stream_piece *piece)
{
    static const char converter[] = "edgeconv";
    uint64_t scale = 64, edge_factor = 0, first = 0;
    read_number(provenance, "scale", &scale);
    read_number(provenance, "edgefactor", &edge_factor);
    read_number(provenance, "first", &first);
    if (strncmp(provenance, "generator ", 10) != 0 ||
        has_line(provenance, converter, strlen(converter)) || scale > 63 || edge_factor == 0 ||
        edge_factor > UINT64_MAX >> scale || first > edge_factor << scale)
        return 0;
    *graph_edges = edge_factor << scale;
    uint64_t count = *graph_edges - first;
    read_number(provenance, "count", &count);
    *piece = (struct stream_piece){.first = first, .end = first + count};
    return count <= *graph_edges - first;
}

/* Predicts n and the number of edges from the provenance of RMAT or Graph500; 0 if only the trailer tells them. */
int edge_union_expect(const char *provenance, struct edges_totals *expected)
{
    struct stream_piece piece;
    uint64_t graph_edges, scale = 0;
    if (!read_piece(provenance, &graph_edges, &piece))
        return 0;
    read_number(provenance, "scale", &scale);
    *expected = (struct edges_totals){.edges = piece.end - piece.first, .n = UINT64_C(1) << scale};
    return scale > 0 && expected->n <= DBFS_MAX_VERTICES;
}

/* ---- pieces of a generated graph ---- */

/* Puts a piece in order among the others; refuses it if it overlaps one. */
static enum status add_piece(struct edge_union *u, struct stream_piece piece, const char *name, struct error *e)
{
    size_t at = u->pieces;
    if (piece.first == piece.end)
        return ST_OK;
    while (at > 0 && u->piece[at - 1].first > piece.first)
        at--;
    const struct stream_piece *before = at > 0 ? &u->piece[at - 1] : NULL,
                              *after = at < u->pieces ? &u->piece[at] : NULL;
    const char *other = before != NULL && before->end > piece.first ? before->name
                        : after != NULL && after->first < piece.end ? after->name : NULL;
    if (other != NULL)
        return fail(e, ST_BAD_DATA, "%s: has edges of the generated graph that %s has, too", name, other);
    struct stream_piece *grown = realloc(u->piece, (u->pieces + 1) * sizeof *grown);
    if (grown == NULL || (u->piece = grown, piece.name = strdup(name)) == NULL)
        return fail_memory(e, name, (u->pieces + 1) * sizeof *grown);
    memmove(grown + at + 1, grown + at, (u->pieces++ - at) * sizeof *grown);
    grown[at] = piece;
    u->piece_edges += piece.end - piece.first;
    return ST_OK;
}

/* Adds a stream to the pieces of a graph that rmatgen made. One stream that rmatgen did not make ends that for the union. */
static enum status add_generated(struct edge_union *u, const struct stream_facts *f, struct error *e)
{
    char common[EDGES_MAX_PROVENANCE_BYTES];
    struct stream_piece piece;
    uint64_t graph_edges = 0;
    memcpy(common, f->info.provenance, sizeof common);
    keep_lines(common, NULL);
    int generated = read_piece(f->info.provenance, &graph_edges, &piece);
    if (u->streams == 0) {
        u->generated = generated;
        u->graph_edges = graph_edges;
        memcpy(u->common, common, sizeof common);
    } else if (generated && u->generated && strcmp(common, u->common) != 0) {
        return fail(e, ST_BAD_DATA, "%s: is of another generated graph than %s", f->name, u->first);
    }
    u->generated &= generated;
    return u->generated ? add_piece(u, piece, f->name, e) : ST_OK;
}

uint64_t edge_union_missing(const struct edge_union *u)
{
    return u->generated ? u->graph_edges - u->piece_edges : 0;
}

/* Lists the pieces of its graph that the union has in the provenance, neighbours joined; none if the graph is whole. */
static void write_pieces(struct edge_union *u)
{
    char *text = u->info.provenance, line[64];
    size_t used = strlen(text);
    for (size_t i = 0; i < u->pieces && edge_union_missing(u) > 0; i++) {
        uint64_t first = u->piece[i].first;
        while (i + 1 < u->pieces && u->piece[i + 1].first == u->piece[i].end)
            i++;
        int more = snprintf(line, sizeof line, "first %" PRIu64 "\ncount %" PRIu64 "\n", first,
                            u->piece[i].end - first);
        if (used + (size_t)more >= sizeof u->info.provenance)
            return;
        memcpy(text + used, line, (size_t)more + 1);
        used += (size_t)more;
    }
}

/* ---- the union ---- */

static enum status refuse_contradiction(const struct edge_union *u, const struct stream_facts *f, struct error *e)
{
    static const char dense[] = "ids made dense";
    const struct edges_info *a = &u->info, *b = &f->info;
    if (a->direction != b->direction)
        return fail(e, ST_BAD_DATA, "%s: is %s, and %s is %s: streams of one graph have one direction",
                    f->name, edges_direction_name(b->direction), u->first,
                    edges_direction_name(a->direction));
    if (a->randomized != b->randomized || a->random_n != b->random_n ||
        a->random_seed != b->random_seed)
        return fail(e, ST_BAD_DATA, "%s: its ids are randomised otherwise than those of %s", f->name,
                    u->first);
    if (u->base == BASE_OF_STREAMS && a->base != b->base)
        return fail(e, ST_BAD_DATA, "%s: its ids begin at %" PRIu32 ", and those of %s at %" PRIu32 ": 'edgeconv --one-based' "
                    "converts a list that begins at 1; --base 0 (or 1) takes their first vertices for one, and calls it 0 (or 1)",
                    f->name, b->base, u->first, a->base);
    if (has_line(a->provenance, dense, strlen(dense)) && has_line(b->provenance, dense, strlen(dense)))
        return fail(e, ST_BAD_DATA, "%s: its ids were numbered by themselves, as were those of %s: "
                    "'edgeconv --compact' takes all files at once", f->name, u->first);
    return ST_OK;
}

/* Appends a line to u->names. */
static enum status add_name(struct edge_union *u, const char *name, struct error *e)
{
    size_t length = strlen(name);
    char *grown = realloc(u->names, u->names_bytes + length + 2);
    if (grown == NULL)
        return fail_memory(e, name, u->names_bytes + length + 2);
    u->names = grown;
    sprintf(grown + u->names_bytes, "%s\n", name);
    u->names_bytes += length + 1;
    return ST_OK;
}

static enum status add_totals(struct edge_union *u, const struct stream_facts *f, struct error *e)
{
    if (f->totals.edges > UINT64_MAX - u->totals.edges)
        return fail(e, ST_BAD_DATA, "%s: more than 2^64 edges with the streams before it", f->name);
    edges_tally_merge(&u->totals, &f->totals);
    u->totals.n = larger(u->totals.n, f->totals.n);
    u->bytes += f->bytes;
    return ST_OK;
}

enum status edge_union_add(struct edge_union *u, const struct stream_facts *f, struct error *e)
{
    if (u->streams > 0 && refuse_contradiction(u, f, e) != ST_OK)
        return e->status;
    if (u->streams == 0) {
        u->info = f->info;
        u->info.base = u->base == BASE_OF_STREAMS ? f->info.base : u->base == BASE_1;
        memcpy(u->first, f->name, sizeof u->first);
    } else {
        keep_lines(u->info.provenance, f->info.provenance);
    }
    if (add_generated(u, f, e) == ST_OK && add_totals(u, f, e) == ST_OK &&
        add_name(u, f->name, e) == ST_OK)
        u->streams++;
    return e->status;
}

/* Replaces the provenance by that of the generated graph, if rmatgen made all streams. */
void edge_union_finish(struct edge_union *u)
{
    if (!u->generated || u->streams < 2)
        return;
    memcpy(u->info.provenance, u->common, sizeof u->common);
    write_pieces(u);
}

void edge_union_free(struct edge_union *u)
{
    for (size_t i = 0; i < u->pieces; i++)
        free(u->piece[i].name);
    free(u->piece);
    free(u->names);
    memset(u, 0, sizeof *u);
}
