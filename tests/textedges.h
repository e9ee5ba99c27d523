/* textedges.h: reading of text edge lists for the test programs (oracle, treecheck, mkgraph).
 *
 * Written apart from the product on purpose: what checks dbfs shares no code with it. A header with
 * functions in it, so that each test program is one compilation of one file.
 *
 * A line holds two ids separated by spaces, tabs or commas; what follows a further separator is
 * ignored (weights). Blank lines and lines starting with # or % are skipped. CRLF and a last line
 * without its newline are fine. One header line of names may stand before the first edge (CSV): it
 * is skipped and said so. Ids are at most 2^32 - 2, so that 2^32 - 1 can mean "none".
 */
#ifndef TESTS_TEXTEDGES_H
#define TESTS_TEXTEDGES_H

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TE_OK = 0, TE_FAILED = 1, TE_USAGE = 2, TE_BAD_DATA = 3, TE_MEMORY = 5 };

#define TE_MAX_ID (UINT32_MAX - 1)

struct text {
    char *bytes;
    size_t length;
};

struct edge {
    uint32_t u, v;
};

struct edge_list {
    struct edge *edges; /* in file order, loops and duplicates included; the caller frees it */
    uint64_t count;
    uint64_t id_bound; /* largest id + 1; 0 without edges */
};

/* Prints "prog: ..." on stderr and returns `status`. */
__attribute__((format(printf, 2, 3))) static inline int te_fail(int status, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return status;
}

/* Reads digits up to `limit` at most; returns where they end, or NULL for none or too large. */
static inline const char *te_digits(const char *p, const char *end, uint64_t limit, uint64_t *value)
{
    const char *start = p;
    uint64_t sum = 0;

    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (digit > limit || sum > (limit - digit) / 10)
            return NULL;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return p > start ? p : NULL;
}

/* A whole argument as a number up to `limit`; false if it is anything else. */
static inline int te_argument(const char *text, uint64_t limit, uint64_t *value)
{
    const char *end = text + strlen(text);

    return te_digits(text, end, limit, value) == end;
}

/* Reads the rest of `file` into memory. */
static inline int te_slurp_file(FILE *file, const char *path, struct text *text)
{
    size_t room = 0, got = 0;

    text->bytes = NULL;
    text->length = 0;
    do {
        if (text->length == room) {
            room = room ? 2 * room : (size_t)1 << 16;
            char *grown = realloc(text->bytes, room);
            if (!grown)
                return te_fail(TE_MEMORY, "%s: no memory for %zu bytes", path, room);
            text->bytes = grown;
        }
        got = fread(text->bytes + text->length, 1, room - text->length, file);
        text->length += got;
    } while (got);
    return ferror(file) ? te_fail(TE_FAILED, "%s: reading: %s", path, strerror(errno)) : TE_OK;
}

/* Reads a whole file, or standard input for "-". The caller frees text->bytes, on failure too. */
static inline int te_slurp(const char *path, struct text *text)
{
    text->bytes = NULL;
    text->length = 0;
    if (strcmp(path, "-") == 0)
        return te_slurp_file(stdin, "standard input", text);
    FILE *file = fopen(path, "rb");
    if (!file)
        return te_fail(TE_FAILED, "%s: opening: %s", path, strerror(errno));
    int status = te_slurp_file(file, path, text);
    fclose(file);
    return status;
}

static inline int te_is_separator(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == '\r';
}

static inline const char *te_skip_separators(const char *p, const char *end)
{
    while (p < end && te_is_separator(*p))
        p++;
    return p;
}

/* Parses one line without its newline: 1 for an edge, 0 for a line to skip, -1 for neither. */
static inline int te_parse_line(const char *p, const char *end, struct edge *edge)
{
    uint64_t u, v;

    p = te_skip_separators(p, end);
    if (p == end || *p == '#' || *p == '%')
        return 0;
    p = te_digits(p, end, TE_MAX_ID, &u);
    if (!p || p == end || !te_is_separator(*p))
        return -1;
    p = te_digits(te_skip_separators(p, end), end, TE_MAX_ID, &v);
    if (!p || (p < end && !te_is_separator(*p)))
        return -1;
    *edge = (struct edge){(uint32_t)u, (uint32_t)v};
    return 1;
}

static inline int te_is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '"';
}

static inline void te_add(struct edge_list *list, struct edge edge)
{
    uint64_t larger = edge.u > edge.v ? edge.u : edge.v;

    list->edges[list->count++] = edge;
    if (larger >= list->id_bound)
        list->id_bound = larger + 1;
}

/* list->edges has room for every line of the text. */
static inline int te_parse_lines(const char *path, const struct text *text, struct edge_list *list)
{
    const char *p = text->bytes, *end = p + text->length;
    int header_seen = 0;

    for (uint64_t line = 1; p < end; line++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const char *eol = newline ? newline : end;
        struct edge edge;
        int kind = te_parse_line(p, eol, &edge);

        if (kind == 1) {
            te_add(list, edge);
        } else if (kind == -1 && te_is_name(*p) && list->count == 0 && !header_seen) {
            header_seen = 1;
            te_fail(TE_OK, "%s:%" PRIu64 ": skipped a header line", path, line);
        } else if (kind == -1) {
            return te_fail(TE_BAD_DATA, "%s:%" PRIu64 ": not two ids from 0 to %" PRIu32, path,
                           line, TE_MAX_ID);
        }
        p = newline ? newline + 1 : end;
    }
    return TE_OK;
}

static inline uint64_t te_count_lines(const struct text *text)
{
    const char *p = text->bytes, *end = p + text->length;
    uint64_t lines = 1;

    while (p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
        lines++;
        p++;
    }
    return lines;
}

/* Reads a whole edge list; "-" is standard input. The caller frees list->edges, on failure too. */
static inline int te_read_edges(const char *path, struct edge_list *list)
{
    struct text text;
    int status = te_slurp(path, &text);

    *list = (struct edge_list){NULL, 0, 0};
    if (status == TE_OK) {
        uint64_t lines = te_count_lines(&text);
        list->edges = malloc(lines * sizeof *list->edges);
        if (list->edges)
            status = te_parse_lines(path, &text, list);
        else
            status = te_fail(TE_MEMORY, "%s: no memory for %" PRIu64 " edges", path, lines);
    }
    free(text.bytes);
    return status;
}

#endif
