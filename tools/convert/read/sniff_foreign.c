/* sniff_foreign.c: see sniff_foreign.h */
#include "sniff_foreign.h"

#include "fields.h"

#include <string.h>
#include <strings.h>

static enum status refuse(const struct foreign_sample *s, const char *what, const char *remedy,
                          struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: is %s: %s", s->name, what, remedy);
}

/* ---- by the first bytes ---- */

enum status refuse_foreign_bytes(const struct foreign_sample *s, struct error *e)
{
    static const struct {
        size_t length;
        const char *bytes, *what, *remedy;
    } magic[] = {
        {2, "\x1f\x9d", "compressed by compress", "use `gzip -dc FILE | edgeconv -`"},
        {4, "\x04\x22\x4d\x18", "compressed by lz4", "use `lz4 -dc FILE | edgeconv -`"},
        {4, "LZIP", "compressed by lzip", "use `lzip -dc FILE | edgeconv -`"},
        {6, "Rar!\x1a\x07", "a rar archive", "use `unrar p -inul FILE | edgeconv -`"},
        {4, "PAR1", "a Parquet file",
         "use `duckdb -csv -c \"select src, dst from 'FILE'\" | edgeconv -f csv -`"},
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
    "use `python3 -c \"import networkx as nx; nx.write_edgelist(nx." READ                          \
    ", '/dev/stdout', data=False)\" | edgeconv -u --compact=MAP -`, or --direction directed for "  \
    "-u"

static int starts_with(const char *text, const char *word)
{
    return strncasecmp(text, word, strlen(word)) == 0;
}

/* `word`, blanks and perhaps a name, then `bracket`, which may stand in the next line. */
static int opens_block(const struct foreign_sample *s, int i, const char *word, char bracket)
{
    const char *p = skip_blanks(s->line[i]);
    if (!starts_with(p, word) || (!is_blank(p[strlen(word)]) && strchr("\r\n[{", p[strlen(word)]) == NULL))
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
           (starts_with(s->line[i], "Creator") || starts_with(s->line[i], "Version")))
        i++;
    return i < s->lines && opens_block(s, i, "graph", '[');
}

static int is_dot(const struct foreign_sample *s)
{
    return opens_block(s, 0, "graph", '{') || opens_block(s, 0, "digraph", '{') ||
           opens_block(s, 0, "strict", '{');
}

static enum status refuse_formats(const struct foreign_sample *s, struct error *e)
{
    const char *first = skip_blanks(s->line[0]);
    size_t look = s->bytes < 4096 ? s->bytes : 4096;
    if (memmem(s->text, look, "<graphml", 8) != NULL)
        return refuse(s, "GraphML",
                      "use `python3 -c \"import xml.etree.ElementTree as t; [print(x.get('source'), x.get('target'), "
                      "sep='\\t') for _, x in t.iterparse('FILE') if x.tag.endswith('edge')]\" | edgeconv -u "
                      "--compact=MAP --separator=tab -f pairs -`, or --direction directed for -u",
                      e);
    if (memmem(s->text, look, "<gexf", 5) != NULL)
        return refuse(s, "GEXF", BY_NETWORKX("read_gexf('FILE')"), e);
    if (*first == '<')
        return refuse(s, "XML or HTML", "expected a graph: was a web page saved instead of the file?", e);
    if (is_gml(s))
        return refuse(s, "GML", BY_NETWORKX("read_gml('FILE', label=None)"), e);
    if (is_dot(s))
        return refuse(s, "DOT of Graphviz",
                      "use `gvpr 'E { print(tail.name, \"\\t\", head.name) }' FILE | edgeconv -u "
                      "--compact=MAP -`",
                      e);
    if (starts_with(first, "*Vertices") || starts_with(first, "*Network"))
        return refuse(s, "a Pajek network",
                      "use `awk '/^[*]/ { on = tolower($1) ~ /^[*](arcs|edges)$/; next } on { print $1, "
                      "$2 }' FILE | edgeconv -u --one-based -`, or --direction directed for -u",
                      e);
    if (*first == '{' || *first == '[')
        return refuse(s, "JSON",
                      "use `jq -r '.links[] | \"\\(.source) \\(.target)\"' FILE | edgeconv -u "
                      "--compact=MAP -`, with the names that the file has for links and ends",
                      e);
    return ST_OK;
}

/* Lists of neighbours have a time in their second comment. */
int foreign_is_networkx(const struct foreign_sample *s)
{
    const char *p = s->text, *end = s->lines > 0 ? s->line[0] : p;
    while (p < end && !starts_with(p, "# GMT "))
        p = next_line(p);
    return p < end;
}

/* Refuses the lists in which each neighbour has a line of its own, with attributes. */
static enum status refuse_networkx(const struct foreign_sample *s, struct error *e)
{
    const char *second = skip_blanks(s->line[s->lines > 1 ? 1 : 0]);
    second = skip_blanks(second + strcspn(second, " \t\r\n"));
    if (*second != '{' || !foreign_is_networkx(s))
        return ST_OK;
    return refuse(s, "a multi-line adjacency list of networkx", BY_NETWORKX("read_multiline_adjlist('FILE')"), e);
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

static enum status refuse_separators(const struct foreign_sample *s, struct error *e)
{
    const char *end = strpbrk(s->line[0], "\r\n");
    if (end != NULL && *end == '\r' && end[1] != '\n' && end[1] != '\0')
        return refuse(s, "a list whose lines end in CR alone", "use `tr '\\r' '\\n' <FILE | edgeconv -`", e);
    const char *last = s->line[s->lines > 1 ? 1 : 0];
    if (starts_with(skip_blanks(s->line[0]), "//"))
        return refuse(s, "a list with comments of //", "use `grep -v '^ *//' FILE | edgeconv -`", e);
    if (!s->separator_given && is_joined_by(last, ';'))
        return refuse(s, "a list with ; between the ids", "use --separator=semicolon", e);
    if (!s->separator_given && is_joined_by(last, '|'))
        return refuse(s, "a list with | between the ids", "use --separator=bar", e);
    return ST_OK;
}

enum status refuse_foreign_text(const struct foreign_sample *s, struct error *e)
{
    if (s->lines == 0)
        return ST_OK;
    if (refuse_formats(s, e) != ST_OK || refuse_networkx(s, e) != ST_OK)
        return e->status;
    return refuse_separators(s, e);
}
