/* sniff_metis.c: see sniff_likeness.h
 *
 * After the header N M [FORMAT [CONSTRAINTS]] line i lists the neighbours of vertex i, and line j lists i if line i lists j.
 * Weights stand at known places in a line, and so do neighbours.
 *
 * Lines of 2 to 4 numbers each could also be edges with weights, behind a first edge that happens to fit: in METIS the graph
 * would be regular, with M equal to N times the degree, halved. That is rare, but no proof; lines that list each other are one.
 */
#include "sniff_likeness.h"

#include "scan_text.h"

#include <stdlib.h>

enum { MOST_WEIGHTS = 1024 };

struct metis_header {
    uint64_t n, m;
    int columns;
    int before; /* numbers before the neighbours in a line */
    int stride; /* numbers for each neighbour */
};

/* A neighbour v in line u; both below 2^32. */
struct listed {
    uint32_t u, v;
};

struct metis_rows {
    struct listed *list;
    size_t count, room;
    uint64_t rows;
    uint64_t entries;
    int columns; /* of every line; -1: they differ */
};

/* ---- one line ---- */

static int ends_word(char c)
{
    return is_blank(c) || c == '\r' || c == '\n';
}

/* Reads N M FORMAT CONSTRAINTS. Returns 0 if the line is not that. */
static int read_header(const char *line, struct metis_header *h)
{
    uint64_t number[4] = {0, 0, 0, 1};
    const char *p = skip_blanks(line);
    for (h->columns = 0; !at_line_end(p); h->columns++) {
        const char *end = h->columns < 4 ? scan_id(p, &number[h->columns]) : p;
        if (end == p || !ends_word(*end))
            return 0;
        p = skip_blanks(end);
    }
    uint64_t format = number[2];
    if (h->columns < 2 || number[0] == 0 || number[1] > UINT64_MAX / 2 || number[3] > MOST_WEIGHTS || format > 111 ||
        format % 10 > 1 || format / 10 % 10 > 1)
        return 0;
    h->n = number[0];
    h->m = number[1];
    h->before = (int)((format >= 100) + (format / 10 % 10 == 1 ? number[3] : 0));
    h->stride = 1 + (int)(format % 10);
    return 1;
}

/* Notes that line r->rows lists v. Returns 0 if memory is short. */
static int add_listed(struct metis_rows *r, uint64_t v)
{
    if (r->count == r->room) {
        size_t room = 2 * r->room + 4096;
        struct listed *grown = realloc(r->list, room * sizeof *grown);
        if (grown == NULL)
            return 0;
        r->list = grown;
        r->room = room;
    }
    r->list[r->count++] = (struct listed){(uint32_t)r->rows, (uint32_t)v};
    return 1;
}

/* Reads the line of vertex r->rows. Returns the number of its columns; -1 if no line of METIS can be so. */
static int read_row(const char *p, const struct metis_header *h, struct metis_rows *r)
{
    int columns = 0;
    for (p = skip_blanks(p); !at_line_end(p); columns++) {
        uint64_t v = 0;
        int is_neighbour = columns >= h->before && (columns - h->before) % h->stride == 0;
        const char *end = is_neighbour ? scan_id(p, &v) : skip_weight(p);
        if (end == p || !ends_word(*end) || (is_neighbour && (v == 0 || v > h->n)))
            return -1;
        r->entries += (uint64_t)is_neighbour;
        if (is_neighbour && v <= UINT32_MAX && !add_listed(r, v))
            return -1;
        p = skip_blanks(end);
    }
    return columns >= h->before && (columns - h->before) % h->stride == 0 ? columns : -1;
}

/* Reads the lines behind the header. Returns 0 if one of them cannot be a line of METIS, or if there are more than N. */
static int read_rows(const char *p, const char *end, const struct metis_header *h, struct metis_rows *r)
{
    for (; p < end; p = next_line(p)) {
        if (is_comment(*p))
            continue;
        if (r->rows == h->n) {
            if (!at_line_end(p))
                return 0;
            continue;
        }
        r->rows++;
        int columns = read_row(p, h, r);
        if (columns < 0)
            return 0;
        r->columns = r->rows == 1 || columns == r->columns ? columns : -1;
    }
    return 1;
}

/* ---- all lines ---- */

static int compare_listed(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    return x->u != y->u ? (x->u > y->u) - (x->u < y->u) : (x->v > y->v) - (x->v < y->v);
}

/* Of the neighbours whose own lines have been read, counts those that list the vertex and those that do not. */
struct agreement {
    uint64_t agree, disagree;
    uint64_t odd; /* loops, and neighbours that are listed twice, which METIS does not write */
};

/* Sorts the neighbours that were noted, and looks each up in reverse. */
static struct agreement count_agreeing(struct metis_rows *r)
{
    struct agreement sum = {0};
    qsort(r->list, r->count, sizeof *r->list, compare_listed);
    for (size_t i = 0; i < r->count; i++) {
        const struct listed *at = &r->list[i], back = {at->v, at->u};
        int is_odd = at->u == at->v || (i > 0 && compare_listed(at, at - 1) == 0);
        sum.odd += (uint64_t)is_odd;
        if (at->v > r->rows || is_odd)
            continue;
        int agrees = bsearch(&back, r->list, r->count, sizeof back, compare_listed) != NULL;
        sum.agree += (uint64_t)agrees;
        sum.disagree += (uint64_t)!agrees;
    }
    return sum;
}

/* Decides whether the rows read are METIS, by how many neighbours list each other. */
static enum likeness judge(const struct metis_header *h, struct metis_rows *r, int complete)
{
    int could_be_edges = r->columns >= 2 && r->columns <= 4;
    if (r->rows == 0 || (complete && r->rows <= h->n / 2))
        return UNLIKE;
    if (r->entries == 0) /* no edges: still a line for each vertex */
        return h->m == 0 && h->n > 1 && r->rows == h->n ? CERTAIN : UNLIKE;
    const struct agreement sum = count_agreeing(r);
    if (could_be_edges) {
        uint64_t degree = (uint64_t)((r->columns - h->before) / h->stride);
        if (h->n <= degree || h->n > UINT64_MAX / 4 || 2 * h->m != h->n * degree || sum.disagree + sum.odd > sum.agree)
            return UNLIKE;
        return sum.agree > 0 && sum.disagree + sum.odd == 0 && (!complete || r->rows == h->n) ? CERTAIN : LIKE;
    }
    return sum.agree > 4 * sum.disagree || sum.disagree == 0 ? CERTAIN : UNLIKE;
}

/* Judges whether lines are METIS, whose first line is `header`; `complete` if the input ends at `end`. */
enum likeness metis_likeness(const char *header, const char *end, int complete)
{
    struct metis_header h;
    struct metis_rows rows = {.columns = -1};
    enum likeness likeness = UNLIKE;
    if (read_header(header, &h) && read_rows(next_line(header), end, &h, &rows))
        likeness = judge(&h, &rows, complete);
    free(rows.list);
    return likeness;
}
