/* columns.c: see columns.h */
#include "columns.h"

#include "column_names.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

typedef unsigned long long ull;

/* Nonzero if --columns says which columns are the ids. */
static int has_chosen_columns(const struct graph_reader *r)
{
    return r->options.columns.end[0].begin != NULL;
}

/* Begins the way through a line's fields; quotes enclose fields if c->quotes says so. */
struct fields columns_fields(const struct columns *c, const char *line, const char *end)
{
    return c->quotes ? fields_of_quoted(line, c->separator, end) : fields_of(line, c->separator);
}

/* Splits a line of the sample, or counts its fields. */
static int split(const struct list_sample *s, const struct columns *c, const char *line, struct field *field, int room)
{
    struct fields fields = columns_fields(c, line, s->end);
    return fields_split_all(&fields, field, room);
}

/* ---- quotes ---- */

/* Returns the number of quoted fields in a line with this separator; -1 if a quote begins a field but does not end it. */
static int count_quoted(const char *line, const char *end, enum separator separator)
{
    struct fields fields = fields_of_quoted(line, separator, end);
    struct field f;
    int count = 0;
    while (fields_take(&fields, &f))
        count += f.begin < f.end && *f.begin == '"';
    return fields.torn > 0 ? -1 : count;
}

/* Decides whether quotes enclose fields. Between commas and semicolons they do. With other separators they may belong to names,
 * unless each line has two quoted fields, as R writes them. */
static int reads_quotes(const struct graph_reader *r, const struct list_sample *s, enum separator separator)
{
    int any = 0;
    if (separator == SEPARATOR_COMMA || separator == SEPARATOR_SEMICOLON)
        return 1;
    for (int i = 0; i < s->lines; i++) {
        int quoted = count_quoted(s->line[i], s->end, separator);
        if (quoted < 0 || (r->options.names && quoted < 2))
            return 0;
        any |= quoted > 0;
    }
    return any;
}

/* Nonzero if a line of the sample has a quote. */
static int has_quote(const struct list_sample *s)
{
    for (int i = 0; i < s->lines; i++) {
        if (memchr(s->line[i], '"', (size_t)(next_line(s->line[i]) - s->line[i])) != NULL)
            return 1;
    }
    return 0;
}

/* ---- --columns ---- */

/* The number that digits give to a column; 0 if it is not 1 to MOST_COLUMNS. */
int field_column(struct field number)
{
    int value = 0;
    for (const char *p = number.begin; p < number.end && value <= MOST_COLUMNS; p++)
        value = 10 * value + (*p - '0');
    return value <= MOST_COLUMNS ? value : 0;
}

/* Nonzero if a column has this name, whatever the case and the quotes. */
static int is_called(struct field name, struct field wanted)
{
    size_t length = (size_t)(wanted.end - wanted.begin);
    name = field_unquoted(name);
    return (size_t)(name.end - name.begin) == length && strncasecmp(name.begin, wanted.begin, length) == 0;
}

/* Finds the column that --columns chooses for one end, by number or name. Returns its index among `count`; -1 with an error.
 * Names count only if the list has a line of them. */
static int find_chosen(const struct graph_reader *r, const struct list_sample *s, struct field wanted,
                       const struct field *name, int count, struct error *e)
{
    uint64_t line = s->header != NULL ? s->header_line : s->first_line;
    int length = (int)(wanted.end - wanted.begin), found = -1;
    if (field_is_number(wanted)) {
        int number = field_column(wanted);
        if (number >= 1 && number <= count)
            return number - 1;
        fail(e, ST_USAGE, "%s:%llu: --columns: found %d columns, expected a column %.*s among them", r->name,
             (ull)line, count, length, wanted.begin);
        return -1;
    }
    for (int i = 0; i < count && s->header != NULL; i++) {
        if (!is_called(name[i], wanted))
            continue;
        if (found >= 0)
            fail(e, ST_USAGE, "%s:%llu: --columns: several columns are called '%.*s': give their numbers",
                 r->name, (ull)line, length, wanted.begin);
        found = i;
    }
    if (s->header == NULL)
        fail(e, ST_USAGE, "%s: --columns: without a line of column names (-f csv) columns have numbers", r->name);
    else if (found < 0)
        fail(e, ST_USAGE, "%s:%llu: --columns: no column is called '%.*s'", r->name, (ull)line, length,
             wanted.begin);
    return e->status == ST_OK ? found : -1;
}

/* Sets c->place to the columns that --columns chooses, and c->any_rest if columns are separated by one sign. */
static enum status take_chosen_columns(const struct graph_reader *r, const struct list_sample *s,
                                       const struct field *name, struct columns *c, struct error *e)
{
    for (int i = 0; i < 2; i++) {
        c->place[i] = find_chosen(r, s, r->options.columns.end[i], name, c->count, e);
        if (c->place[i] < 0)
            return e->status;
    }
    if (c->place[0] == c->place[1])
        return fail(e, ST_USAGE, "%s: --columns: both are column %d", r->name, c->place[0] + 1);
    c->any_rest = c->separator != SEPARATOR_ANY;
    return ST_OK;
}

/* ---- separators ---- */

/* Nonzero if a field shows that fields are separated by something else: it begins or ends with a comma or the like, or has one
 * quote only. */
static int is_frayed(struct field f)
{
    return strchr(",;|", *f.begin) != NULL || strchr(",;|", f.end[-1]) != NULL ||
           (*f.begin == '"') != (f.end[-1] == '"');
}

/* Splits a line of the sample by c->separator, and stores the fields of the two ids in end[]. Returns 0 if the line is not
 * so. */
static int fits_line(const struct graph_reader *r, const struct list_sample *s, const char *line,
                     const struct columns *c, struct field end[2])
{
    struct field field[MOST_COLUMNS];
    int count = split(s, c, line, field, MOST_COLUMNS);
    if (count != c->count || count > MOST_COLUMNS)
        return 0;
    for (int i = 0; i < count; i++) {
        int is_end = i == c->place[0] || i == c->place[1];
        if (is_end && (field[i].begin == field[i].end || is_frayed(field[i])))
            return 0;
        if (is_end && !r->options.names && !field_is_number(field_unquoted(field[i])))
            return 0;
        if (!is_end && !c->any_rest && !field_is_weight(field_unquoted(field[i])))
            return 0;
    }
    for (int i = 0; i < 2; i++)
        end[i] = field[c->place[i]];
    return 1;
}

/* Nonzero if the first `lines` lines of the sample can be read with c->separator. Sets c->quotes and c->count. */
static int fits(const struct graph_reader *r, const struct list_sample *s, int lines, struct columns *c)
{
    struct field end[2];
    c->quotes = reads_quotes(r, s, c->separator);
    c->count = split(s, c, s->line[0], NULL, 0);
    if (c->count < 2 || c->place[0] >= c->count || c->place[1] >= c->count ||
        (!c->any_rest && c->count > MAX_PLAIN_COLUMNS))
        return 0;
    for (int i = 0; i < lines; i++) {
        if (!fits_line(r, s, s->line[i], c, end))
            return 0;
    }
    return 1;
}

/* Nonzero if two ways to separate, which both fit, give the same ends. */
static int same_ends(const struct graph_reader *r, const struct list_sample *s, int lines,
                     const struct columns *a, const struct columns *b)
{
    struct field of_a[2], of_b[2];
    for (int i = 0; i < lines; i++) {
        fits_line(r, s, s->line[i], a, of_a);
        fits_line(r, s, s->line[i], b, of_b);
        for (int j = 0; j < 2; j++) {
            if (of_a[j].begin != of_b[j].begin || of_a[j].end != of_b[j].end)
                return 0;
        }
    }
    return 1;
}

/* Sets *c to the way to separate that fits the sample; returns 0 if none does. Two that fit are an error, unless both give the
 * same ids: then blanks go before tabs, but tabs before blanks where other columns may hold anything, blanks included. */
static int find_fit(const struct graph_reader *r, const struct list_sample *s, int lines,
                    struct columns *c, struct error *e)
{
    struct columns best = *c, next = *c;
    int found = 0;
    for (int i = SEPARATOR_BLANK; i < SEPARATORS && e->status == ST_OK; i++) {
        next.separator = (enum separator)i;
        if (!fits(r, s, lines, &next))
            continue;
        if (found && !same_ends(r, s, lines, &best, &next))
            fail(e, ST_USAGE, "%s:%llu: its words may be separated by %ss or by %ss: --separator %s or %s says which", r->name,
                 (ull)s->first_line, separator_name(best.separator), separator_name(next.separator), separator_name(best.separator),
                 separator_name(next.separator));
        if (!found || c->any_rest)
            best = next;
        found = 1;
    }
    if (found)
        *c = best;
    return found;
}

/* Finds the separator that fits all lines of the sample or, failing that, the first line. If none fits, the parser will report
 * the fault: with SEPARATOR_ANY if the ids are two numbers in front, else with the separator of the first line. */
static enum status find_separator(const struct graph_reader *r, const struct list_sample *s,
                                  struct columns *c, struct error *e)
{
    if (!find_fit(r, s, s->lines, c, e) && !find_fit(r, s, 1, c, e)) {
        int plain = !r->options.names && c->place[0] == 0 && c->place[1] == 1;
        c->separator = plain ? SEPARATOR_ANY : column_names_separator(s->line[0], NULL);
        c->quotes = !plain && reads_quotes(r, s, c->separator);
    }
    if (e->status == ST_OK && c->separator >= SEPARATOR_SEMICOLON)
        return fail(e, ST_USAGE, "%s:%llu: its words seem to be separated by %ss: --separator %s says so", r->name,
                    (ull)s->first_line, separator_name(c->separator), separator_name(c->separator));
    return e->status;
}

/* ---- columns with names ---- */

/* Refuses a list whose lines have one column more than there are names. The column without a name may be the first, as for R's
 * row numbers, or the last, where other programs end each line with a separator. */
static enum status check_names(const struct graph_reader *r, const struct list_sample *s,
                               const struct columns *c, struct error *e)
{
    struct field field[MOST_COLUMNS + 1];
    if (s->lines == 0 || split(s, c, s->line[0], field, MOST_COLUMNS + 1) != c->count + 1)
        return ST_OK;
    int first_lacks = field[c->count].begin < field[c->count].end;
    char options[LIST_OPTIONS_BYTES];
    struct reader_options kept = r->options;
    kept.columns = (struct column_choice){0}; /* those that follow count the column without a name */
    return fail(e, ST_BAD_DATA,
                "%s:%llu: found %d columns, expected %d as line %llu names: if the %s has no name, "
                "`tail -n +%llu FILE | edgeconv -f pairs%s --columns %d,%d -`",
                r->name, (ull)s->first_line, c->count + 1, c->count, (ull)s->header_line,
                first_lacks ? "first" : "last", (ull)s->header_line + 1,
                reader_list_options(&kept, options), c->place[0] + 1 + first_lacks,
                c->place[1] + 1 + first_lacks);
}

static int is_missing(struct field name)
{
    name = field_unquoted(name);
    return name.begin == name.end;
}

/* Nonzero if the first column has no name and numbers the lines, as R and pandas write it. */
static int numbers_rows(const struct list_sample *s, const struct columns *c, struct field first)
{
    struct field f;
    uint64_t number, before = 0;
    for (int i = 0; i < s->lines; i++) {
        split(s, c, s->line[i], &f, 1);
        f = field_unquoted(f);
        if (!field_is_number(f) || scan_id(f.begin, &number) != f.end || (i > 0 && number != before + 1))
            return 0;
        before = number;
    }
    return is_missing(first);
}

/* Refuses names of columns of which no two are usual for the ends. */
static enum status refuse_names(const struct graph_reader *r, const struct list_sample *s,
                                struct field first, struct error *e)
{
    char found[96], expected[160];
    snprintf(found, sizeof found, "the columns '%s'", r->facts.notes.header_line);
    snprintf(expected, sizeof expected,
             "two called source and target, or the like: --columns says which are the ids, such as "
             "--columns %s",
             is_missing(first) ? "2,3" : "1,2");
    return reader_bad_line(r, s->header_line, NULL, found, expected, e);
}

/* Nonzero if the fast parser can read the list: the ids are the first two numbers of a line, with any separator between. The
 * list has two columns only, or its lines have as many as the column names, but with another separator. */
static int reads_plain(const struct graph_reader *r, const struct list_sample *s, const struct columns *c)
{
    const char *data = s->lines > 0 ? s->line[0] : NULL;
    if (r->options.names || r->options.separator != SEPARATOR_ANY || c->place[0] != 0 || c->place[1] != 1 ||
        has_quote(s))
        return 0;
    return c->count == 2 || (data != NULL && fields_split(data, c->separator, NULL, 0) == 1 &&
                             fields_split(data, SEPARATOR_ANY, NULL, 0) == c->count);
}

/* Decides the columns of a list whose first line names them: fills *c. */
static enum status decide_by_names(const struct graph_reader *r, const struct list_sample *s,
                                   struct columns *c, struct error *e)
{
    struct field name[MOST_COLUMNS];
    char found[48];
    const char *data = s->lines > 0 ? s->line[0] : NULL;
    if (c->separator == SEPARATOR_ANY)
        c->separator = column_names_separator(s->header, data);
    c->quotes = reads_quotes(r, s, c->separator);
    struct fields header = fields_of_quoted(s->header, c->separator, next_line(s->header));
    c->count = fields_split_all(&header, name, MOST_COLUMNS);
    if (c->count < 2 || c->count > MOST_COLUMNS) {
        snprintf(found, sizeof found, "%d column%s", c->count, c->count == 1 ? "" : "s");
        return reader_bad_line(r, s->header_line, NULL, found, "two to 512 names of columns (--separator)", e);
    }
    c->any_rest = c->count > 2;
    if (has_chosen_columns(r))
        take_chosen_columns(r, s, name, c, e);
    else if (!column_names_find(name, c->count, c->place)) {
        int numbered = c->count == 3 && numbers_rows(s, c, name[0]);
        c->place[0] = numbered;
        c->place[1] = numbered + 1;
        if (c->count > 2 && !numbered)
            return refuse_names(r, s, name[0], e);
    }
    if (e->status != ST_OK)
        return e->status;
    if (reads_plain(r, s, c)) {
        c->separator = SEPARATOR_ANY;
        c->any_rest = c->quotes = 0;
    }
    return check_names(r, s, c, e);
}

/* ---- columns without names ---- */

/* The byte that separates two fields: a comma, a tab or a blank. */
static char gap_between(struct field a, struct field b)
{
    size_t length = (size_t)(b.begin - a.end);
    return memchr(a.end, ',', length) != NULL ? ',' : memchr(a.end, '\t', length) != NULL ? '\t' : ' ';
}

/* Nonzero if the fields of a line have different separators between them. Three numbers with a blank here and a comma there may
 * be a list of neighbours. */
static int has_mixed_gaps(const char *line, int count)
{
    struct field field[MAX_PLAIN_COLUMNS];
    fields_split(line, SEPARATOR_ANY, field, MAX_PLAIN_COLUMNS);
    for (int i = 2; i < count; i++) {
        if (gap_between(field[i - 1], field[i]) != gap_between(field[0], field[1]))
            return 1;
    }
    return 0;
}

/* Sets c->place by the names of columns in a comment, such as "# id source target". Returns 0 if there are none, or they are
 * the first two columns. */
static int find_in_comment(const struct list_sample *s, struct columns *c)
{
    struct field name[MOST_COLUMNS];
    int place[2];
    if (s->comment == NULL)
        return 0;
    const char *names = s->comment + 1;
    int count = fields_split(names, column_names_separator(names, s->line[0]), name, MOST_COLUMNS);
    if (count != c->count || count > MOST_COLUMNS || !column_names_find(name, count, place))
        return 0;
    if (place[0] == 0 && place[1] == 1)
        return 0;
    c->place[0] = place[0];
    c->place[1] = place[1];
    return c->any_rest = 1;
}

/* Checks a list without options or column names, which is read as two ids a line, perhaps with numbers behind them. Where the
 * parser will report a fault, c->count becomes 2. */
static enum status check_plain(const struct graph_reader *r, const struct list_sample *s,
                               struct columns *c, struct error *e)
{
    int is_list = r->options.names || isdigit((unsigned char)*skip_blanks(s->line[0]));
    if (c->count > MAX_PLAIN_COLUMNS && is_list)
        return fail(e, ST_BAD_DATA,
                    "%s:%llu: found %d columns, expected two ids and at most two weights: --columns says which two are "
                    "the ids; -f adjlist reads lists of neighbours, -f metis such as begin with two counts",
                    r->name, (ull)s->first_line, c->count);
    if (c->count == 1 && r->options.separator != SEPARATOR_ANY)
        return reader_bad_line(r, s->first_line, NULL, "one column", "two (--separator)", e);
    if (c->count > MAX_PLAIN_COLUMNS || c->count < 2)
        c->count = 2; /* the parser reports the fault */
    if (c->separator != SEPARATOR_ANY || !has_mixed_gaps(s->line[0], c->count))
        return ST_OK;
    return fail(e, ST_BAD_DATA,
                "%s:%llu: found columns with different separators, expected one: --columns 1,2 takes the first "
                "two for the ids; -f adjlist reads lists of neighbours",
                r->name, (ull)s->first_line);
}

/* Decides the columns of a list without a line of names, by its first lines: fills *c. */
static enum status decide_by_lines(const struct graph_reader *r, const struct list_sample *s,
                                   struct columns *c, struct error *e)
{
    c->count = MOST_COLUMNS; /* until the separator is known, any place may be there */
    if (has_chosen_columns(r) && take_chosen_columns(r, s, NULL, c, e) != ST_OK)
        return e->status;
    c->any_rest = has_chosen_columns(r);
    if (c->separator == SEPARATOR_ANY && (r->options.names || has_chosen_columns(r) || has_quote(s)) &&
        find_separator(r, s, c, e) != ST_OK)
        return e->status;
    c->quotes = c->separator != SEPARATOR_ANY && reads_quotes(r, s, c->separator);
    c->count = split(s, c, s->line[0], NULL, 0);
    if (has_chosen_columns(r))
        return take_chosen_columns(r, s, NULL, c, e);
    if (c->count > 2 && find_in_comment(s, c))
        return c->separator == SEPARATOR_ANY ? find_separator(r, s, c, e) : ST_OK;
    return check_plain(r, s, c, e);
}

/* Fills *columns by the options, the line of names or the lines of data; without these, two columns in front. */
enum status columns_decide(const struct graph_reader *r, const struct list_sample *sample,
                           struct columns *columns, struct error *e)
{
    *columns = (struct columns){.separator = r->options.separator, .count = 2, .place = {0, 1}};
    if (sample->header != NULL)
        return decide_by_names(r, sample, columns, e);
    if (sample->lines > 0)
        return decide_by_lines(r, sample, columns, e);
    if (r->options.names && columns->separator == SEPARATOR_ANY)
        columns->separator = SEPARATOR_BLANK;
    return ST_OK;
}
