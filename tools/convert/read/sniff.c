/* sniff.c: see sniff.h. Text formats are told apart by the first lines that are not comments. In nearly all formats these could
 * be pairs, too; so where another format is likely but not certain (sniff_likeness.h), the user is asked. */
#include "sniff.h"

#include "column_names.h"
#include "npy_array.h"
#include "npz_members.h"
#include "scan_text.h"
#include "sniff_foreign.h"
#include "sniff_likeness.h"

#include "tools/convert/input/beside.h"

#include "formats/base/bytes.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

enum { SNIFF_BYTES = 1 << 16, SNIFF_MAX_BYTES = 1 << 24, DOUBT_BYTES = 1 << 20, MAX_LINES = 512 };

typedef unsigned long long ull;

/* The first bytes of an input, and the lines in them that are neither blank nor comments. */
struct sample {
    char *text; /* ends in '\n', padded */
    size_t bytes;
    int complete; /* it is the whole input */
    const char *line[MAX_LINES];
    int lines;
    int is_networkx; /* its comments are those of an adjacency list of networkx */
    enum likeness metis;
};

static enum status refuse(const struct input *input, const char *what, const char *remedy, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: is %s: %s", input_name(input), what, remedy);
}

/* ---- binary formats ---- */

/* Nonzero if control characters are among the first 4 KiB. */
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

/* Nonzero for GAPBS: u8 directed, i64 m, i64 n, offsets that start at 0 and do not fall. */
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

/* Nonzero for Galois: u64 version, edge size, n, m, then ends of lists that do not fall. */
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

/* Nonzero for KaGen: u64 n, m, then m pairs of ids below n. */
static int looks_kagen(const struct input *input, const struct sample *s)
{
    if (s->bytes < 32 || !input_random_access(input))
        return 0;
    uint64_t n = get_u64(s->text), m = get_u64(s->text + 8);
    return n > 0 && n < DBFS_MAX_VERTICES && m < DBFS_MAX_VERTICES &&
           input_size(input) == 16 + 16 * m && get_u64(s->text + 16) < n &&
           get_u64(s->text + 24) < n;
}

/* Nonzero if the text begins as a pattern says. In it 0 is a zero byte, F and E are bytes of a byte order mark (255 and 254),
 * and a is any ASCII character. */
static int begins_as(const struct sample *s, const char *pattern)
{
    size_t i = 0;
    for (; pattern[i] != '\0' && i < s->bytes; i++) {
        unsigned char c = (unsigned char)s->text[i];
        int fits = pattern[i] == '0' ? c == 0 : pattern[i] == 'F' ? c == 0xff : pattern[i] == 'E' ? c == 0xfe : c > 8 && c < 127;
        if (!fits)
            return 0;
    }
    return pattern[i] == '\0';
}

/* Refuses text whose characters have two bytes or four. */
static enum status refuse_wide_text(const struct input *input, const struct sample *s, struct error *e)
{
    static const struct {
        const char *pattern, *encoding;
    } kind[] = {{"FE00", "UTF-32"}, {"00EF", "UTF-32"}, {"FE", "UTF-16"}, {"EF", "UTF-16"},
                {"a0a0a0a0", "UTF-16LE"}, {"0a0a0a0a", "UTF-16BE"}};
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
        if (begins_as(s, kind[i].pattern))
            return fail(e, ST_BAD_DATA,
                        "%s: is text in %.6s, as PowerShell's > writes it: use `set -o pipefail; iconv -f %s -t UTF-8 FILE | edgeconv -`",
                        input_name(input), kind[i].encoding, kind[i].encoding);
    }
    return ST_OK;
}

/* Sets the format of binary data, or refuses it by what it seems to be. */
static enum status sniff_binary(const struct input *input, const struct sample *s,
                                enum graph_format *format, struct error *e)
{
    char properties[BESIDE_NAME_BYTES];
    if (edges_sniff((const unsigned char *)s->text, s->bytes)) {
        *format = FORMAT_EDGES;
        return ST_OK;
    }
    if (npy_sniff(s->text, s->bytes)) {
        *format = npz_is_sparse(input_name(input)) ? FORMAT_NPZ : FORMAT_NPY;
        return ST_OK;
    }
    if (refuse_wide_text(input, s, e) != ST_OK)
        return e->status;
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
    int beside = beside_name(input_name(input), BESIDE_PROPERTIES, properties);
    if (beside && access(properties, R_OK) != 0 && errno != ENOENT)
        return fail_errno(e, properties, "cannot open");
    if (beside)
        return fail(e, ST_BAD_DATA,
                    "%s: is binary, and named as a graph of WebGraph or METIS: expected the properties of a graph of WebGraph in "
                    "%s",
                    input_name(input), properties);
    return refuse(input, "binary data of no kind that its content shows",
                  "headerless records need -f graph500, graph500-16, u32 or u64; a graph of WebGraph is read from a plain "
                  "file NAME.graph, with NAME.properties beside it",
                  e);
}

/* ---- formats that may look like pairs ---- */

/* Returns how many numbers a line has; -1 if something else is in it. */
static int count_numbers(const char *p)
{
    int count = 0;
    for (p = skip_blanks(p); !at_line_end(p); p = skip_blanks(p), count++) {
        uint64_t value;
        const char *word = p;
        p = scan_id(word, &value);
        if (p == word || !(is_blank(*p) || *p == '\r' || *p == '\n'))
            return -1;
    }
    return count;
}

/* Nonzero if the name of the file ends in the suffix of a format, perhaps with that of a compression behind it. */
static int has_suffix(const struct input *input, const char *suffix)
{
    static const char *const packed[] = {"", ".gz", ".xz", ".bz2", ".zst"};
    const char *name = input_name(input);
    char end[32];
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        size_t length = (size_t)snprintf(end, sizeof end, "%s%s", suffix, packed[i]);
        if (strlen(name) > length && strcasecmp(name + strlen(name) - length, end) == 0)
            return 1;
    }
    return 0;
}

static enum status ask_format(const struct input *input, const char *format, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: its first lines may be of %s or of pairs: -f %s or -f pairs says which", input_name(input),
                format, format);
}

/* Refuses lines that could be METIS or edges, and asks the user to choose. If the first line has another number of columns than
 * the second, it holds counts in either case. */
static enum status ask_metis(const struct input *input, const struct sample *s, const struct reader_options *options,
                             struct error *e)
{
    ull second = 2; /* the number of the line after the first that counts */
    if (s->lines < 2 || count_numbers(s->line[0]) == count_numbers(s->line[1]))
        return ask_format(input, "metis", e);
    for (const char *p = s->text; p < s->line[0]; p = next_line(p))
        second++;
    return fail(e, ST_BAD_DATA,
                "%s: its lines may be of metis, or counts and edges: -f metis says the one; for the other "
                "`tail -n +%llu FILE | edgeconv -f pairs%s -`",
                input_name(input), second, options->one_based ? " --one-based" : "");
}

/* ---- text ---- */

/* Nonzero if the text starts with the word, in capitals or not. */
static int starts_in_any_case(const char *text, const char *word)
{
    return strncasecmp(text, word, strlen(word)) == 0;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Nonzero for a line of names with commas between, none of which looks like a number. The first name may be missing if
 * the second line begins with a number, as in pandas' files with row numbers. A line with tabs does not count: there
 * they separate. */
static int is_csv_header(const char *line, const char *second)
{
    struct fields fields = fields_of_quoted(line, SEPARATOR_COMMA, next_line(line));
    struct field name;
    if (memchr(line, '\t', (size_t)(next_line(line) - line)) != NULL)
        return 0;
    int nameless = *line == ',' || strncmp(line, "\"\",", 3) == 0; /* as that of numbers of rows */
    if (nameless && second != NULL && is_digit(second[*second == '"']))
        return 1;
    while (fields_take(&fields, &name)) {
        name = field_unquoted(name);
        int is_missing = name.begin == name.end && fields.taken == 1;
        if (!is_missing && !isalpha((unsigned char)*name.begin) && strchr("\"_:", *name.begin) == NULL)
            return 0;
    }
    return fields.taken > 1;
}

/* Nonzero if the first line names columns: it is a line of names with commas between, or column_names_likely says so. */
static int has_column_names(const struct sample *s, enum separator separator)
{
    if (s->lines == 0)
        return 0;
    const char *second = s->lines > 1 ? s->line[1] : NULL;
    int by_commas = separator == SEPARATOR_ANY || separator == SEPARATOR_COMMA;
    return (by_commas && is_csv_header(s->line[0], second)) || column_names_likely(s->line[0], second, separator);
}

/* Nonzero for a line of WDC's index: a host name, a tab, its id. */
static int is_index_line(const char *p)
{
    const char *end = next_line(p), *tab = memrchr(p, '\t', (size_t)(end - p));
    uint64_t id;
    if (tab == NULL || is_digit(*p) || memchr(p, '.', (size_t)(tab - p)) == NULL)
        return 0;
    const char *after = scan_id(tab + 1, &id);
    return after > tab + 1 && skip_line_end(after) == end;
}

/* Nonzero for lines of one number each, two or more. */
static int all_single(const struct sample *s)
{
    int single = s->lines >= 2;
    for (int i = 0; i < s->lines && single; i++)
        single = count_numbers(s->line[i]) == 1;
    return single;
}

/* Refuses a file of lines `e U V`, 1-based, with a command that converts it. The file's number of vertices is at `p`. */
static enum status refuse_e_lines(const struct input *input, const char *what, const char *p, const char *direction,
                                  struct error *e)
{
    uint64_t n = 0;
    char vertices[48] = "";
    if (scan_id(p, &n) > p && n > 0)
        snprintf(vertices, sizeof vertices, " --vertices %llu", (ull)n);
    return fail(e, ST_BAD_DATA,
                "%s: is %s: use `awk '$1 == \"e\" { print $2, $3 }' FILE | edgeconv %s-f pairs --one-based%s -`",
                input_name(input), what, direction, vertices);
}

/* Tells DIMACS from PACE by the line of "p"; refuses a text of KaGen, and a graph to be coloured. */
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
        return refuse_e_lines(input, "a KaGen text file", p, "", e);
    if (starts_in_any_case(p, "edge") || starts_in_any_case(p, "col"))
        return refuse_e_lines(input, "a graph to be coloured, of DIMACS", skip_blanks(p + strcspn(p, " \t\n")), "-u ", e);
    if (starts_in_any_case(p, "tw") || starts_in_any_case(p, "tdp"))
        *format = FORMAT_PACE;
    return ST_OK;
}

/* Nonzero if the user says that the input is a list. */
static int is_stated_list(const struct reader_options *options)
{
    return options->columns.end[0].begin != NULL || options->separator != SEPARATOR_ANY;
}

/* Nonzero if one of the lines before the first line of data is the banner of Matrix Market. */
static int has_banner(const struct sample *s)
{
    const char *end = s->lines > 0 ? s->line[0] : s->text + s->bytes;
    for (const char *p = s->text; p < end; p = next_line(p)) {
        if (matrix_market_sniff(p))
            return 1;
    }
    return 0;
}

/* Sets the format of text by its first lines, pairs if nothing else fits; refuses what cannot be read or be told apart. */
static enum status sniff_text(const struct input *input, const struct sample *s,
                              const struct reader_options *options, enum graph_format *format,
                              struct error *e)
{
    static const char no_line[PIECE_PADDING] = "\n";
    const char *first = s->lines > 0 ? s->line[0] : no_line, *after;
    uint64_t id;
    *format = FORMAT_PAIRS;
    if (has_banner(s)) {
        *format = FORMAT_MATRIX_MARKET;
        return ST_OK;
    }
    if (starts_in_any_case(s->text, "#BVGraph") || memmem(s->text, s->bytes, "it.unimi.dsi.webgraph", 21))
        return refuse(input, "the .properties file of a graph of WebGraph", "give NAME.graph, which stands beside it", e);
    if (starts_in_any_case(first, "AdjacencyGraph") || starts_in_any_case(first, "WeightedAdjacencyGraph"))
        return refuse(input, "a Ligra adjacency graph",
                      "Ligra writes the offsets first; convert it to pairs with its own utilities",
                      e);
    if ((*first == 'c' || *first == 'p') && (is_blank(first[1]) || first[1] == '\n'))
        return sniff_problem(input, s, format, e);
    if (lg_sniff(first) && !is_stated_list(options)) {
        *format = FORMAT_LG;
        return ST_OK;
    }
    enum likeness lgl = lgl_likeness(s->text, s->text + s->bytes, options->names);
    if (lgl != UNLIKE && !is_stated_list(options)) {
        *format = FORMAT_LGL;
        return lgl == CERTAIN || has_suffix(input, ".lgl") ? ST_OK : ask_format(input, "lgl", e);
    }
    if (s->is_networkx) {
        *format = FORMAT_ADJLIST;
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
    else if (s->metis == LIKE)
        return ask_metis(input, s, options, e);
    else if (s->metis == CERTAIN)
        *format = FORMAT_METIS;
    return ST_OK;
}

/* ---- the sample ---- */

/* Finds the lines of data. Comments begin with the signs of --comments, else with those of lists. Some formats have other
 * signs, but no line of data in them begins with a sign of lists. */
static void find_lines(struct sample *s, const struct reader_options *options)
{
    const char *end = s->text + s->bytes;
    struct comment_rule rule = {options->comments != NULL ? options->comments : LIST_COMMENTS, 0};
    s->lines = 0;
    for (const char *p = s->text; p < end && s->lines < MAX_LINES; p = next_line(p)) {
        if (!is_comment_line(rule, p) && !at_line_end(p))
            s->line[s->lines++] = p;
    }
}

/* Copies the input's first bytes to s->text. If the input goes on, only whole lines are copied, unless there is none.
 * s->complete must be set. */
static enum status fill_sample(struct sample *s, const unsigned char *bytes, size_t count, struct error *e)
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

/* Finds the lines of data, and judges how much like METIS they are. */
static void look_at_text(struct sample *s, const struct reader_options *options)
{
    find_lines(s, options);
    s->metis = s->lines > 0 ? metis_likeness(s->line[0], s->text + s->bytes, s->complete) : UNLIKE;
}

/* Finds the format of an input: peeks at more and more of it as long as that is in doubt. */
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
        if (!binary)
            look_at_text(&sample, options);
        want *= 4;
        /* more bytes may say more if there is no line yet, or if the lines may be of METIS */
    } while (!binary && !sample.complete &&
             ((sample.lines == 0 && want <= SNIFF_MAX_BYTES) || (sample.metis == LIKE && want <= DOUBT_BYTES)));
    if (beside_webgraph(input_name(input)) && (binary || sample.metis == UNLIKE)) { /* its bits have no marks */
        *format = FORMAT_WEBGRAPH;
        goto done;
    }
    const struct foreign_sample first = {
        .name = input_name(input),
        .text = sample.text,
        .bytes = sample.bytes,
        .line = sample.line,
        .lines = sample.lines,
        .separator_given = options->separator != SEPARATOR_ANY,
    };
    sample.is_networkx = !binary && foreign_is_networkx(&first);
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

/* ---- a format that the user states ---- */

/* Nonzero for formats of records that only -f can tell. */
static int is_headerless(enum graph_format format)
{
    return format == FORMAT_GRAPH500 || format == FORMAT_GRAPH500_16 || format == FORMAT_U32 || format == FORMAT_U64;
}

/* Returns the format that the first bytes name without doubt, as a magic number or banner does; FORMAT_AUTO if they name none. */
static enum graph_format stated_format(const struct sample *s)
{
    if (edges_sniff((const unsigned char *)s->text, s->bytes))
        return FORMAT_EDGES;
    if (npy_sniff(s->text, s->bytes))
        return FORMAT_NPY;
    if (s->bytes == 0 || is_binary(s))
        return FORMAT_AUTO;
    return has_banner(s) ? FORMAT_MATRIX_MARKET : FORMAT_AUTO;
}

/* Returns METIS or LGL if the text, which may be lists of neighbours, is certainly that; else FORMAT_AUTO. */
static enum graph_format other_lists(struct sample *s, const struct reader_options *options)
{
    look_at_text(s, options);
    if (s->metis == CERTAIN)
        return FORMAT_METIS;
    return lgl_likeness(s->text, s->text + s->bytes, options->names) == CERTAIN ? FORMAT_LGL : FORMAT_AUTO;
}

/* Refuses an input whose first bytes show another format than -f says. Peeks only. */
enum status sniff_check(struct input *input, const struct reader_options *options, struct error *e)
{
    struct sample s = {0};
    const unsigned char *bytes;
    size_t count;
    enum graph_format format = options->format;
    if (format == FORMAT_WEBGRAPH)
        return ST_OK;
    if (input_peek(input, SNIFF_BYTES, &bytes, &count, e) != ST_OK)
        return e->status;
    s.complete = count < SNIFF_BYTES;
    if (fill_sample(&s, bytes, count, e) == ST_OK) {
        find_lines(&s, options);
        enum graph_format stated = stated_format(&s);
        if (is_binary(&s) && beside_webgraph(input_name(input)))
            stated = FORMAT_WEBGRAPH;
        if (format == FORMAT_ADJLIST && stated == FORMAT_AUTO && !is_binary(&s))
            stated = other_lists(&s, options);
        if (stated != FORMAT_AUTO && stated != format && !(stated == FORMAT_NPY && format == FORMAT_NPZ))
            fail(e, ST_BAD_DATA, "%s: is of the format %s, and -f says %s", input_name(input),
                 graph_format_name(stated), graph_format_name(format));
        else if (is_headerless(format) && s.lines > 0 && !is_binary(&s))
            fail(e, ST_BAD_DATA, "%s: is text, and -f %s says that it has binary records", input_name(input),
                 graph_format_name(format));
        else if (format == FORMAT_CSV && !is_binary(&s))
            refuse_foreign_text(&(struct foreign_sample){.name = input_name(input), .text = s.text, .bytes = s.bytes,
                                                         .line = s.line, .lines = s.lines, .separator_given = 1}, e);
        else if (stated == FORMAT_AUTO && !is_headerless(format) && memchr(s.text, 0, s.bytes) != NULL)
            refuse_wide_text(input, &s, e);
    }
    free(s.text);
    return e->status;
}
