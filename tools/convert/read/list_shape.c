/* list_shape.c: see list_shape.h
 *
 * Files of many programs begin with counts: N, or N M, or the ROWS COLUMNS ENTRIES of a Matrix Market file that has lost its
 * banner. If the other lines have as many columns, the first one could also be an edge. It is taken for counts only if
 * - one of its numbers, but not the first, is the number of lines behind it, to the end of the file; and
 * - no id of the first lines is above the first number, or in a matrix above the first two; and
 * - the ids 0 and N are not both among them, as ids begin at 0 or at 1.
 *
 * That is rare for an edge: its first end would be the largest id, and its other end the number of lines less one, as in a path
 * that is listed from its far end. The user of such a list is asked, too.
 */
#include "list_shape.h"

#include <stdio.h>

typedef unsigned long long ull;

/* ---- ids ---- */

/* The number in a field of digits; UINT64_MAX for any other field. */
static uint64_t number_of(struct field f)
{
    uint64_t number = UINT64_MAX;
    if (field_is_number(f))
        scan_id(f.begin, &number);
    return number;
}

/* Nonzero if all ids of the lines behind the first one may be 0 to bound - 1, or 1 to `bound`. */
static int ids_fit(const struct list_sample *s, const struct columns *c, uint64_t bound)
{
    int has_zero = 0, has_bound = 0;
    for (int i = 1; i < s->lines; i++) {
        struct field field[MAX_PLAIN_COLUMNS];
        int count = fields_split(s->line[i], c->separator, field, MAX_PLAIN_COLUMNS);
        for (int j = 0; j < 2 && count >= 2; j++) {
            uint64_t id = number_of(field[j]);
            if (field_is_number(field[j]) && id > bound)
                return 0;
            has_zero |= id == 0;
            has_bound |= id == bound;
        }
    }
    return !(has_zero && has_bound);
}

/* ---- numbers of columns ---- */

static int all_numbers(const char *line, const struct columns *c)
{
    struct fields fields = fields_of(line, c->separator);
    struct field f;
    while (fields_take(&fields, &f)) {
        if (!field_is_number(f))
            return 0;
    }
    return 1;
}

/* Nonzero if the first line may be counts of what is behind it: N or N M, or the three numbers of a matrix. */
static int may_be_counts(const struct list_sample *s, const struct columns *c, int columns)
{
    struct field field[MAX_PLAIN_COLUMNS];
    if (columns > 3 || !all_numbers(s->line[0], c))
        return 0;
    fields_split(s->line[0], c->separator, field, columns);
    uint64_t bound = number_of(field[0]);
    if (columns == 3 && number_of(field[1]) > bound)
        bound = number_of(field[1]);
    if (!ids_fit(s, c, bound))
        return 0;
    int is_counted = columns == 1 || s->lines == SAMPLE_LINES;
    for (int i = 1; i < columns; i++)
        is_counted |= number_of(field[i]) == (uint64_t)s->lines - 1;
    return is_counted;
}

/* Refuses a list whose first line has `first` numbers, and the others `others` columns. */
static enum status refuse_first_line(const struct graph_reader *r, const struct list_sample *s, int first, int others,
                                     int may_count, struct error *e)
{
    char options[LIST_OPTIONS_BYTES], counts[80 + LIST_OPTIONS_BYTES] = "";
    if (may_count)
        snprintf(counts, sizeof counts, "if the line has counts, `tail -n +%llu FILE | edgeconv -f pairs%s -`; ",
                 (ull)s->first_line + 1, reader_list_options(&r->options, options));
    return fail(e, ST_BAD_DATA,
                "%s:%llu: found %d number%s, expected %d columns, as the lines behind it have: %s-f adjlist reads lists of "
                "neighbours",
                r->name, (ull)s->first_line, first, first == 1 ? "" : "s", others, counts);
}

/* Nonzero if each line may be a vertex and its neighbours: vertices follow each other, no line has an id twice, and the first
 * two columns have all the ids. */
static int may_be_neighbours(const struct list_sample *s, const struct columns *c)
{
    uint64_t largest = 0, before = 0, further = 0;
    for (int i = 0; i < s->lines; i++) {
        struct field field[MAX_PLAIN_COLUMNS];
        uint64_t id[MAX_PLAIN_COLUMNS];
        fields_split(s->line[i], c->separator, field, c->count);
        for (int j = 0; j < c->count; j++) {
            id[j] = number_of(field[j]);
            for (int k = 0; k < j; k++) {
                if (id[k] == id[j])
                    return 0;
            }
            if (id[j] == UINT64_MAX)
                return 0;
            largest = j < 2 && id[j] > largest ? id[j] : largest;
            further = j >= 2 && id[j] > further ? id[j] : further;
        }
        if (i > 0 && id[0] != before + 1)
            return 0;
        before = id[0];
    }
    return further <= largest;
}

/* Refuses lists of neighbours, or with counts in front, by the numbers of columns in the lines of the sample. */
enum status shape_check(const struct graph_reader *r, const struct list_sample *s,
                        const struct columns *c, struct error *e)
{
    enum { MOST_KINDS = 3, LEAST_LINES = 3 };
    int kind[MOST_KINDS], kinds = 0, others = 0;
    if (s->header != NULL || s->lines < LEAST_LINES || c->any_rest)
        return ST_OK;
    for (int i = 0; i < s->lines; i++) {
        int known = 0, count = fields_split(s->line[i], c->separator, NULL, 0);
        while (known < kinds && kind[known] != count)
            known++;
        if (known == kinds && kinds < MOST_KINDS)
            kind[kinds++] = count;
        others += count != kind[0];
    }
    if (kinds == 1 && kind[0] == c->count && c->count > 2 && r->options.format == FORMAT_AUTO && may_be_neighbours(s, c))
        return fail(e, ST_BAD_DATA,
                    "%s:%llu: its lines may be two ids and a weight, or a vertex and its neighbours: -f pairs or "
                    "-f adjlist says which",
                    r->name, (ull)s->first_line);
    if (kinds == 2 && others == s->lines - 1 && kind[1] >= 2 && all_numbers(s->line[0], c))
        return refuse_first_line(r, s, kind[0], kind[1], may_be_counts(s, c, kind[0]), e);
    if (kinds == MOST_KINDS && others > s->lines / 4)
        return fail(e, ST_BAD_DATA,
                    "%s:%llu: found lines of %d, %d, %d columns, expected as many in each: -f adjlist reads lists of "
                    "neighbours, -f metis such as begin with two counts",
                    r->name, (ull)s->first_line, kind[0], kind[1], kind[2]);
    return ST_OK;
}

/* ---- counts ---- */

/* Stores the numbers of the first line that may count lines; none if the list cannot begin with counts. */
void counts_suspect(const struct graph_reader *r, const struct list_sample *s,
                    const struct columns *c, struct counts *counts)
{
    struct field field[MAX_PLAIN_COLUMNS];
    uint64_t number[MAX_PLAIN_COLUMNS];
    counts->known = 0;
    if (r->options.format != FORMAT_AUTO || s->header != NULL || s->lines < 2 || c->any_rest ||
        c->count > MAX_PLAIN_COLUMNS)
        return;
    int columns = fields_split(s->line[0], c->separator, field, MAX_PLAIN_COLUMNS);
    if (columns != c->count || !all_numbers(s->line[0], c))
        return;
    for (int i = 0; i < columns; i++) {
        int is_matrix = i == 2 && columns == 3;
        number[i] = number_of(field[i]);
        uint64_t bound = is_matrix && number[1] > number[0] ? number[1] : number[0];
        if (i > 0 && number[i] > 0 && ids_fit(s, c, bound))
            counts->lines[counts->known++] = number[i];
    }
    counts->at = s->first_line;
    snprintf(counts->text, sizeof counts->text, "%.*s", (int)(field[columns - 1].end - field[0].begin),
             field[0].begin);
}

/* Compares the numbers that counts_suspect has stored with the number of lines read. */
enum status counts_check(const struct graph_reader *r, const struct counts *counts, struct error *e)
{
    char options[LIST_OPTIONS_BYTES];
    for (int i = 0; i < counts->known; i++) {
        if (counts->lines[i] == r->total.entries - 1)
            return fail(e, ST_BAD_DATA,
                        "%s:%llu: found '%s', and %llu lines behind it, expected an edge: if these are counts, "
                        "`tail -n +%llu FILE | edgeconv -f pairs%s -`; if it is an edge, -f pairs",
                        r->name, (ull)counts->at, counts->text, (ull)counts->lines[i], (ull)counts->at + 1,
                        reader_list_options(&r->options, options));
    }
    return ST_OK;
}
