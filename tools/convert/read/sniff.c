/* sniff.c: see sniff.h
 *
 * Text formats are told apart by the first lines that are not comments. METIS and pairs may look alike there.
 * An input is METIS if line i lists vertex j wherever line j lists vertex i.
 */
#include "sniff.h"

#include "column_names.h"
#include "npy_array.h"
#include "npz_members.h"
#include "scan_text.h"
#include "sniff_foreign.h"

#include "formats/base/bytes.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

enum { SNIFF_BYTES = 1 << 16, SNIFF_MAX_BYTES = 1 << 24, MAX_LINES = 512, MAX_COLUMNS = 4 };

typedef unsigned long long ull;

/* The first bytes, with the lines in them that are neither blank nor comments. */
struct sample {
    char *text; /* ends in '\n', padded */
    size_t bytes;
    int complete; /* it is the whole input */
    const char *line[MAX_LINES];
    int lines;
};

static enum status refuse(const struct input *input, const char *what, const char *remedy,
                          struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: is %s: %s", input_name(input), what, remedy);
}

/* ---- binary formats ---- */

static const char webgraph_pipe[] = "use `webgraph to arcs BASE | edgeconv -`";

static int is_binary(const struct sample *s)
{
    size_t looked = s->bytes < 4096 ? s->bytes : 4096;
    for (size_t i = 0; i < looked; i++) {
        unsigned char c = (unsigned char)s->text[i];
        if (c < 32 && !(c >= '\t' && c <= '\r'))
            return 1;
    }
    return 0;
}

/* GAPBS: u8 directed, i64 m, i64 n, offsets that start at 0 and do not fall. */
static int looks_gapbs(const struct sample *s)
{
    if (s->bytes < 25 || (unsigned char)s->text[0] > 1)
        return 0;
    uint64_t m = get_u64(s->text + 1), n = get_u64(s->text + 9), last = 0;
    if (m >= DBFS_MAX_VERTICES || n == 0 || n > INT32_MAX || get_u64(s->text + 17) != 0)
        return 0;
    for (uint64_t i = 0; i <= n && 25 + 8 * i <= s->bytes; i++) {
        uint64_t offset = get_u64(s->text + 17 + 8 * i);
        if (offset < last || offset > m)
            return 0;
        last = offset;
    }
    return 1;
}

/* Galois: u64 version, edge size, n, m, then ends of lists that do not fall. */
static int looks_galois(const struct sample *s)
{
    if (s->bytes < 40)
        return 0;
    uint64_t version = get_u64(s->text), edge = get_u64(s->text + 8), last = 0;
    uint64_t n = get_u64(s->text + 16), m = get_u64(s->text + 24);
    if (version < 1 || version > 2 || edge > 16 || n == 0 || n >= DBFS_MAX_VERTICES ||
        m >= DBFS_MAX_VERTICES)
        return 0;
    for (uint64_t i = 0; i < n && 40 + 8 * i <= s->bytes; i++) {
        uint64_t end = get_u64(s->text + 32 + 8 * i);
        if (end < last || end > m)
            return 0;
        last = end;
    }
    return 1;
}

/* KaGen: u64 n, m, then m pairs of ids below n. */
static int looks_kagen(const struct input *input, const struct sample *s)
{
    if (s->bytes < 32 || !input_random_access(input))
        return 0;
    uint64_t n = get_u64(s->text), m = get_u64(s->text + 8);
    return n > 0 && n < DBFS_MAX_VERTICES && m < DBFS_MAX_VERTICES &&
           input_bytes(input) == 16 + 16 * m && get_u64(s->text + 16) < n &&
           get_u64(s->text + 24) < n;
}

/* Nonzero for WebGraph's BASE.graph. Its bit stream has no marks: the .properties file beside it
 * tells. */
static int is_webgraph(const struct input *input)
{
    static const char suffix[] = ".graph", companion[] = ".properties";
    char path[4096];
    const char *name = input_name(input);
    size_t length = strlen(name), base = length - (sizeof suffix - 1);
    if (length < sizeof suffix || length + sizeof companion > sizeof path ||
        strcmp(name + base, suffix) != 0)
        return 0;
    memcpy(path, name, base);
    strcpy(path + base, companion);
    return access(path, R_OK) == 0;
}

static enum status sniff_binary(const struct input *input, const struct sample *s,
                                enum graph_format *format, struct error *e)
{
    if (edges_sniff((const unsigned char *)s->text, s->bytes)) {
        *format = FORMAT_EDGES;
        return ST_OK;
    }
    if (npy_sniff(s->text, s->bytes)) {
        *format = npz_is_sparse(input_name(input)) ? FORMAT_NPZ : FORMAT_NPY;
        return ST_OK;
    }
    if (s->bytes >= 2 && (memcmp(s->text, "\377\376", 2) == 0 || memcmp(s->text, "\376\377", 2) == 0))
        return refuse(input, "text in UTF-16, as PowerShell's > writes it",
                      "use `iconv -f UTF-16 -t UTF-8 FILE | edgeconv -`", e);
    if (is_webgraph(input))
        return refuse(input, "a WebGraph BV bit stream", webgraph_pipe, e);
    if (looks_gapbs(s)) {
        *format = FORMAT_SG;
        return ST_OK;
    }
    if (looks_galois(s))
        return refuse(input, "a Galois .gr file",
                      "convert it to an edge list with Galois's graph-convert", e);
    if (looks_kagen(input, s))
        return refuse(input, "a binary KaGen edge list",
                      "use `tail -c +17 FILE | edgeconv -f u64 -`", e);
    if (s->bytes >= 1024 && s->text[0] == 0 && memcmp(s->text, s->text + 1, 1023) == 0)
        return refuse(input, "zeros alone, as in a tar archive without files", "expected a graph", e);
    return refuse(input, "binary data of no kind that its content shows",
                  "headerless records need -f graph500, graph500-16, u32 or u64; a WebGraph .graph "
                  "goes through `webgraph to arcs BASE | edgeconv -`",
                  e);
}

/* ---- METIS or pairs ---- */

/* The numbers of a line, up to `room`; -1 when something else is in it. */
static int read_numbers(const char *p, uint64_t *number, int room)
{
    int count = 0;
    for (p = skip_blanks(p); scan_line_end(p) == NULL; p = skip_blanks(p)) {
        uint64_t value;
        const char *word = p;
        p = scan_id(word, &value);
        if (p == word || !(is_blank(*p) || *p == '\r' || *p == '\n'))
            return -1;
        if (count < room)
            number[count] = value;
        count++;
    }
    return count;
}

/* The state of a check if plain lists of neighbours follow a METIS header: line j must list i if
 * line i lists j. */
struct metis_check {
    uint64_t n;
    int rows;         /* lines of the sample after the header, at most n */
    int is_longer;    /* one that is not blank follows the last of n */
    uint64_t numbers; /* in the rows */
    int same_columns; /* every line has as many numbers as the header */
    int agree, disagree;
    int impossible; /* a number that is no vertex */
};

/* Lines of a METIS file, blank ones included, after the header. */
static int collect_rows(const struct sample *s, const char *rows[MAX_LINES])
{
    int count = 0;
    const char *end = s->text + s->bytes;
    for (const char *p = next_line(s->line[0]); p < end && count < MAX_LINES; p = next_line(p)) {
        if (*p != '%')
            rows[count++] = p;
    }
    return count;
}

static int row_lists(const char *p, uint64_t wanted)
{
    for (p = skip_blanks(p); scan_line_end(p) == NULL; p = skip_blanks(p)) {
        uint64_t value;
        const char *word = p;
        p = scan_id(word, &value);
        if (p == word)
            return 0;
        if (value == wanted)
            return 1;
    }
    return 0;
}

static void check_row(const char *const *rows, int row, struct metis_check *check)
{
    const char *p = skip_blanks(rows[row]);
    while (scan_line_end(p) == NULL) {
        uint64_t v;
        const char *word = p;
        p = skip_blanks(scan_id(word, &v));
        if (p == word || v == 0 || v > check->n) {
            check->impossible = 1;
            return;
        }
        if (v <= (uint64_t)check->rows && v != (uint64_t)row + 1) { /* a loop agrees with itself */
            int found = row_lists(rows[v - 1], (uint64_t)row + 1);
            check->agree += found;
            check->disagree += !found;
        }
    }
}

/* Nonzero if a header N M [FORMAT [CONSTRAINTS]] and its lists follow. With weights, neighbours
 * cannot be told from these, so the number of columns must vary. */
static int looks_metis(const struct sample *s)
{
    const char *rows[MAX_LINES];
    uint64_t header[MAX_COLUMNS] = {0}, ignored[1];
    int columns = read_numbers(s->line[0], header, MAX_COLUMNS);
    uint64_t format = header[2];
    if (columns < 2 || columns > MAX_COLUMNS || header[0] == 0 || format > 111 || format % 10 > 1 ||
        format / 10 % 10 > 1)
        return 0;
    struct metis_check check = {.n = header[0], .same_columns = 1};
    check.rows = collect_rows(s, rows);
    for (; (uint64_t)check.rows > check.n; check.rows--)
        check.is_longer |= scan_line_end(skip_blanks(rows[check.rows - 1])) == NULL;
    for (int row = 0; row < check.rows; row++) {
        int count = read_numbers(rows[row], ignored, 1);
        if (count < 0)
            return 0;
        check.numbers += (uint64_t)count;
        check.same_columns &= count == columns || count == 0;
        if (format == 0)
            check_row(rows, row, &check);
    }
    if (check.impossible || (check.is_longer && check.same_columns) ||
        (s->complete && (uint64_t)check.rows <= check.n / 2))
        return 0;
    if (format == 0 && check.agree > 0)
        return check.agree > 4 * check.disagree;
    if (check.numbers == 0) /* no edges: still a line for each vertex */
        return header[1] == 0 && check.n > 1 && (uint64_t)check.rows == check.n;
    return !check.same_columns && check.disagree == 0;
}

/* ---- text ---- */

static int starts_with(const char *text, const char *word)
{
    return strncasecmp(text, word, strlen(word)) == 0;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Nonzero for names with commas between, none of which looks like a number. The first name may be
 * missing, as in files of pandas with numbers of rows. A line with a tab has tabs as separators. */
static int is_csv_header(const char *line)
{
    struct fields fields = fields_of(line, SEPARATOR_COMMA);
    struct field name;
    if (memchr(line, '\t', (size_t)(next_line(line) - line)) != NULL)
        return 0;
    while (fields_take(&fields, &name)) {
        name = field_unquoted(name);
        int is_missing = name.begin == name.end && fields.taken == 1;
        if (!is_missing && !isalpha((unsigned char)*name.begin) && strchr("\"_:", *name.begin) == NULL)
            return 0;
    }
    return fields.taken > 1;
}

/* Nonzero for a line of names with commas; or with any separator, if the names are usual or a line
 * of numbers follows. */
static int has_column_names(const struct sample *s, enum separator separator)
{
    if (s->lines == 0)
        return 0;
    int by_commas = separator == SEPARATOR_ANY || separator == SEPARATOR_COMMA;
    return (by_commas && is_csv_header(s->line[0])) ||
           column_names_likely(s->line[0], s->lines > 1 ? s->line[1] : NULL, separator);
}

/* WDC's index: a host name, a tab, its id. */
static int is_index_line(const char *p)
{
    const char *end = next_line(p), *tab = memrchr(p, '\t', (size_t)(end - p));
    uint64_t id;
    if (tab == NULL || is_digit(*p) || memchr(p, '.', (size_t)(tab - p)) == NULL)
        return 0;
    const char *after = scan_id(tab + 1, &id);
    return after > tab + 1 && scan_line_end(after) == end;
}

static int all_single(const struct sample *s)
{
    uint64_t ignored[1];
    int single = s->lines >= 2;
    for (int i = 0; i < s->lines && single; i++)
        single = read_numbers(s->line[i], ignored, 1) == 1;
    return single;
}

/* "c" and "p" lines: DIMACS, PACE and KaGen. */
static enum status sniff_problem(const struct input *input, const struct sample *s,
                                 enum graph_format *format, struct error *e)
{
    int i = 0;
    while (i < s->lines && *s->line[i] == 'c')
        i++;
    *format = FORMAT_DIMACS;
    if (i == s->lines || *s->line[i] != 'p' || !is_blank(s->line[i][1]))
        return ST_OK;
    const char *p = skip_blanks(s->line[i] + 1);
    if (is_digit(*p))
        return refuse(input, "a KaGen text file",
                      "use `awk '/^e/ {print $2 - 1, $3 - 1}' FILE | edgeconv -`", e);
    if (starts_with(p, "edge") || starts_with(p, "col"))
        return refuse(input, "a graph to be coloured, of DIMACS",
                      "use `awk '$1 == \"e\" { print $2, $3 }' FILE | edgeconv -u --one-based -`", e);
    if (starts_with(p, "tw") || starts_with(p, "tdp"))
        *format = FORMAT_PACE;
    return ST_OK;
}

static int is_stated_list(const struct reader_options *options)
{
    return options->columns.end[0].begin != NULL || options->separator != SEPARATOR_ANY;
}

static enum status sniff_text(const struct input *input, const struct sample *s,
                              const struct reader_options *options, enum graph_format *format,
                              struct error *e)
{
    static const char no_line[PIECE_PADDING] = "\n";
    const char *first = s->lines > 0 ? s->line[0] : no_line, *after;
    uint64_t id;
    *format = FORMAT_PAIRS;
    if (starts_with(s->text, "%%MatrixMarket")) {
        *format = FORMAT_MATRIX_MARKET;
        return ST_OK;
    }
    if (starts_with(s->text, "#BVGraph") || memmem(s->text, s->bytes, "it.unimi.dsi.webgraph", 21))
        return refuse(input, "the .properties file of a WebGraph BV graph", webgraph_pipe, e);
    if (starts_with(first, "AdjacencyGraph") || starts_with(first, "WeightedAdjacencyGraph"))
        return refuse(input, "a Ligra adjacency graph",
                      "Ligra writes the offsets first; convert it to pairs with its own utilities",
                      e);
    if ((*first == 'c' || *first == 'p') && (is_blank(first[1]) || first[1] == '\n'))
        return sniff_problem(input, s, format, e);
    if (lg_sniff(first) && !is_stated_list(options)) {
        *format = FORMAT_LG;
        return ST_OK;
    }
    if (has_column_names(s, options->separator))
        *format = FORMAT_CSV;
    if (*format == FORMAT_CSV || is_stated_list(options))
        return ST_OK;
    after = scan_id(first, &id);
    if (after > first && *after == ':')
        *format = FORMAT_ADJACENCY;
    else if (s->lines > 0 && is_index_line(first))
        return refuse(input, "an index of names (name, tab, id)",
                      "it has no edges; `edgeconv -f wdc-index -o MAP FILE` makes it a map for "
                      "dbfs-traverse --map",
                      e);
    else if (all_single(s))
        return fail(
            e, ST_BAD_DATA,
            "%s:1: found one id a line (a list of vertices, LDBC's .v?), expected two: give "
            "the file of edges",
            input_name(input));
    else if (s->lines > 0 && looks_metis(s))
        *format = FORMAT_METIS;
    return ST_OK;
}

/* ---- the sample ---- */

static void find_lines(struct sample *s)
{
    const char *end = s->text + s->bytes;
    s->lines = 0;
    for (const char *p = s->text; p < end && s->lines < MAX_LINES; p = next_line(p)) {
        if (!is_comment(*p) && scan_line_end(p) == NULL)
            s->line[s->lines++] = p;
    }
}

/* Copies the peeked bytes. If there are more, only whole lines are copied, unless there is none. */
static enum status fill_sample(struct sample *s, const unsigned char *bytes, size_t count,
                               struct error *e)
{
    char *grown = realloc(s->text, count + 1 + PIECE_PADDING);
    if (grown == NULL)
        return fail_memory(e, "sample of the input", count);
    if (count >= 3 && memcmp(bytes, BYTE_ORDER_MARK, 3) == 0) {
        bytes += 3;
        count -= 3;
    }
    s->text = grown;
    memcpy(s->text, bytes, count);
    const char *newline = memrchr(s->text, '\n', count);
    s->bytes = count;
    if (!s->complete && newline != NULL && !is_binary(s))
        s->bytes = (size_t)(newline + 1 - s->text);
    s->text[s->bytes] = '\n';
    memset(s->text + s->bytes + 1, 0, PIECE_PADDING);
    return ST_OK;
}

enum status sniff_graph(struct input *input, const struct reader_options *options,
                        enum graph_format *format, struct error *e)
{
    struct sample sample = {0};
    const unsigned char *bytes;
    size_t count, want = SNIFF_BYTES;
    int binary = 0;
    do {
        if (input_peek(input, want, &bytes, &count, e) != ST_OK)
            goto done;
        sample.complete = count < want;
        if (fill_sample(&sample, bytes, count, e) != ST_OK)
            goto done;
        binary = is_binary(&sample);
        find_lines(&sample);
        want *= 4;
    } while (!binary && sample.lines == 0 && !sample.complete && want <= SNIFF_MAX_BYTES);
    const struct foreign_sample first = {
        .name = input_name(input),
        .text = sample.text,
        .bytes = sample.bytes,
        .line = sample.line,
        .lines = sample.lines,
        .separator_given = options->separator != SEPARATOR_ANY,
        .reads_quotes = is_stated_list(options) && !options->names,
    };
    if (refuse_foreign_bytes(&first, e) != ST_OK)
        goto done;
    if (binary)
        sniff_binary(input, &sample, format, e);
    else if (refuse_foreign_text(&first, e) == ST_OK)
        sniff_text(input, &sample, options, format, e);
done:
    free(sample.text);
    return e->status;
}
