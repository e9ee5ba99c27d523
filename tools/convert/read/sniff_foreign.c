/* sniff_foreign.c: see sniff_foreign.h */
#include "sniff_foreign.h"

#include "fields.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static enum status refuse(const struct foreign_sample *s, const char *what, const char *remedy, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: is %s: %s", s->name, what, remedy);
}

/* ---- by the first bytes ---- */

/* Refuses files of other programs by the magic number in front. */
enum status refuse_foreign_bytes(const struct foreign_sample *s, struct error *e)
{
    static const struct {
        size_t length;
        const char *bytes, *what, *remedy;
    } magic[] = {
        {2, "\x1f\x9d", "compressed by compress", "use `set -o pipefail; gzip -dc FILE | edgeconv -`"},
        {4, "\x04\x22\x4d\x18", "compressed by lz4", "use `set -o pipefail; lz4 -dc FILE | edgeconv -`"},
        {4, "LZIP", "compressed by lzip", "use `set -o pipefail; lzip -dc FILE | edgeconv -`"},
        {6, "Rar!\x1a\x07", "a rar archive", "use `set -o pipefail; unrar p -inul FILE | edgeconv -`"},
        {4, "PAR1", "a Parquet file",
         "use `set -o pipefail; duckdb -csv -c \"select src, dst from 'FILE'\" | edgeconv -f csv -`"},
        {6, "ARROW1", "an Arrow file",
         "use `python3 -c \"import numpy, pyarrow.feather; t = pyarrow.feather.read_table('FILE'); "
         "numpy.save('edges.npy', numpy.column_stack([t['src'], t['dst']]))\"` and then edges.npy"},
        {8, "\x89HDF\r\n\x1a\n", "an HDF5 file",
         "use `python3` with h5py to print its edges as lines of two ids"},
    };
    for (size_t i = 0; i < sizeof magic / sizeof *magic; i++) {
        if (s->bytes >= magic[i].length && memcmp(s->text, magic[i].bytes, magic[i].length) == 0)
            return refuse(s, magic[i].what, magic[i].remedy, e);
    }
    return ST_OK;
}

/* ---- graphs in other text formats ---- */

#define BY_NETWORKX(READ)                                                                          \
    "python3 -c \"import networkx as nx; nx.write_edgelist(nx." READ ", '/dev/stdout', data=False, "  \
    "delimiter='\\t')\""

/* Nonzero if the text starts with the word, in capitals or not. */
static int starts_in_any_case(const char *text, const char *word)
{
    return strncasecmp(text, word, strlen(word)) == 0;
}

/* How many bytes are searched for words. */
static size_t look_bytes(const struct foreign_sample *s)
{
    return s->bytes < 4096 ? s->bytes : 4096;
}

/* Nonzero for `word`, perhaps a name, and `bracket`, with blanks between; the bracket may stand in the next line. */
static int opens_block(const struct foreign_sample *s, int i, const char *word, char bracket)
{
    const char *p = skip_blanks(s->line[i]);
    if (!starts_in_any_case(p, word) || (!is_blank(p[strlen(word)]) && strchr("\r\n[{", p[strlen(word)]) == NULL))
        return 0;
    size_t length = strcspn(p, "[{\r\n");
    if (p[length] == bracket)
        return 1;
    return i + 1 < s->lines && p[length] != '[' && p[length] != '{' &&
           *skip_blanks(s->line[i + 1]) == bracket;
}

static int is_gml(const struct foreign_sample *s)
{
    int i = 0;
    while (i < s->lines && i < 3 &&
           (starts_in_any_case(s->line[i], "Creator") || starts_in_any_case(s->line[i], "Version")))
        i++;
    return i < s->lines && opens_block(s, i, "graph", '[');
}

static int is_dot(const struct foreign_sample *s)
{
    return opens_block(s, 0, "graph", '{') || opens_block(s, 0, "digraph", '{') ||
           opens_block(s, 0, "strict", '{');
}

/* Refuses a format, with a command that prints its edges as names with a tab between. `directed` is the word by which the file
 * says that edges are directed; NULL if it does not say. */
static enum status refuse_names(const struct foreign_sample *s, const char *what, const char *command,
                                const char *directed, struct error *e)
{
    int is_directed = directed != NULL && memmem(s->text, look_bytes(s), directed, strlen(directed)) != NULL;
    return fail(e, ST_BAD_DATA,
                "%s: is %s: use `set -o pipefail; %s | edgeconv %s --compact=MAP --separator=tab --comments=none -f pairs -`%s",
                s->name, what, command, is_directed ? "--direction directed" : "-u",
                directed == NULL ? ", or --direction directed for -u" : "");
}

/* Refuses a Pajek network, with a command that prints its edges; its first line may have the number of vertices. */
static void refuse_pajek(const struct foreign_sample *s, struct error *e)
{
    uint64_t n = 0;
    char vertices[48] = "";
    const char *first = skip_blanks(s->line[0]), *number = skip_blanks(first + strcspn(first, " \t\r\n"));
    if (starts_in_any_case(first, "*Vertices") && scan_id(number, &n) > number && n > 0)
        snprintf(vertices, sizeof vertices, " --vertices %llu", (unsigned long long)n);
    fail(e, ST_BAD_DATA,
         "%s: is a Pajek network: use `awk '/^[*]/ { k = tolower($1); on = k ~ /^[*](arc|edge)/; all = k ~ /list/; "
         "if (k ~ /matrix/) print k; next } on { for (i = 2; i <= (all ? NF : 2); i++) print $1, $i }' FILE | "
         "edgeconv -u -f pairs --one-based%s -`, or --direction directed for -u",
         s->name, vertices);
}

/* Refuses JSON, with a jq command for its list of links or edges, or for the whole as a list. */
static enum status refuse_json(const struct foreign_sample *s, struct error *e)
{
    static const char *const list[] = {"links", "edges"};
    char command[256], key[16], path[16] = "";
    for (size_t i = 0; i < sizeof list / sizeof *list && *path == '\0' && *skip_blanks(s->line[0]) == '{'; i++) {
        snprintf(key, sizeof key, "\"%s\"", list[i]);
        if (memmem(s->text, look_bytes(s), key, strlen(key)) != NULL || i == 1)
            snprintf(path, sizeof path, ".%s", list[i]);
    }
    snprintf(command, sizeof command,
             "jq -r '%s[] | if has(\"source\") and has(\"target\") then \"\\(.source)\\t\\(.target)\" else "
             "\"no source and target\" end' FILE",
             *path != '\0' ? path : ".");
    return refuse_names(s, "JSON", command, NULL, e);
}

/* Refuses XML, GML, DOT, Pajek and JSON by their first words. */
static enum status refuse_formats(const struct foreign_sample *s, struct error *e)
{
    const char *first = skip_blanks(s->line[0]);
    if (memmem(s->text, look_bytes(s), "<graphml", 8) != NULL)
        return refuse_names(s, "GraphML",
                            "python3 -c \"import xml.etree.ElementTree as t; [print(x.get('source'), x.get('target'), "
                            "sep='\\t') for _, x in t.iterparse('FILE') if x.tag.split('}')[-1] == 'edge']\"",
                            "edgedefault=\"directed\"", e);
    if (memmem(s->text, look_bytes(s), "<gexf", 5) != NULL)
        return refuse_names(s, "GEXF", BY_NETWORKX("read_gexf('FILE')"), "defaultedgetype=\"directed\"", e);
    if (*first == '<')
        return refuse(s, "XML or HTML", "expected a graph: was a web page saved instead of the file?", e);
    if (is_gml(s))
        return refuse_names(s, "GML", BY_NETWORKX("read_gml('FILE', label=None)"), "directed 1", e);
    if (is_dot(s))
        return refuse_names(s, "DOT of Graphviz", "gvpr 'E { print(tail.name, \"\\t\", head.name) }' FILE", "digraph", e);
    if (starts_in_any_case(first, "*Vertices") || starts_in_any_case(first, "*Network"))
        refuse_pajek(s, e);
    else if (*first == '{' || *first == '[')
        refuse_json(s, e);
    return e->status;
}

/* Nonzero if one of the comments before the data is the time that networkx writes there. */
int foreign_is_networkx(const struct foreign_sample *s)
{
    const char *p = s->text, *end = s->lines > 0 ? s->line[0] : p;
    while (p < end && !starts_in_any_case(p, "# GMT "))
        p = next_line(p);
    return p < end;
}

/* Refuses lists in which each neighbour has a line of its own, with attributes. */
static enum status refuse_networkx(const struct foreign_sample *s, struct error *e)
{
    const char *second = skip_blanks(s->line[s->lines > 1 ? 1 : 0]);
    second = skip_blanks(second + strcspn(second, " \t\r\n"));
    if (*second != '{' || !foreign_is_networkx(s))
        return ST_OK;
    return refuse_names(s, "a multi-line adjacency list of networkx", BY_NETWORKX("read_multiline_adjlist('FILE')"), NULL, e);
}

/* ---- pairs with other separators ---- */

/* Nonzero if the line is one word that has `c` in it. */
static int is_joined_by(const char *line, char c)
{
    const char *p = skip_blanks(line);
    size_t length = strcspn(p, " \t,\r\n");
    const char *at = memchr(p, c, length);
    return at != NULL && at > p && (p[length] == '\r' || p[length] == '\n' || at[1] == ' ');
}

/* Refuses lists with CR alone at the end of lines, // for comments, or ; and | between ids. */
static enum status refuse_separators(const struct foreign_sample *s, struct error *e)
{
    const char *end = strpbrk(s->line[0], "\r\n");
    if (end != NULL && *end == '\r' && end[1] != '\n' && end[1] != '\0')
        return refuse(s, "a list whose lines end in CR alone", "use `tr '\\r' '\\n' <FILE | edgeconv -`", e);
    const char *last = s->line[s->lines > 1 ? 1 : 0];
    if (starts_in_any_case(skip_blanks(s->line[0]), "//"))
        return refuse(s, "a list with comments of //", "use `grep -v '^ *//' FILE | edgeconv -`", e);
    if (!s->separator_given && is_joined_by(last, ';'))
        return refuse(s, "a list with ; between the ids", "use --separator=semicolon", e);
    if (!s->separator_given && is_joined_by(last, '|'))
        return refuse(s, "a list with | between the ids", "use --separator=bar", e);
    return ST_OK;
}

/* Refuses graphs in text formats that are not read, and lists with unusual separators or comments. */
enum status refuse_foreign_text(const struct foreign_sample *s, struct error *e)
{
    if (s->lines == 0)
        return ST_OK;
    if (refuse_formats(s, e) != ST_OK || refuse_networkx(s, e) != ST_OK)
        return e->status;
    return refuse_separators(s, e);
}
