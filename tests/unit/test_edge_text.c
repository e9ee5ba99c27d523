/* test_edge_text.c: the functions that find characters in text input agree with those of the C library */
#include "unit.h"

#include "tools/convert/read/plain_lines.h"
#include "tools/convert/read/scan_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Digits of a length, a character after them, then more digits that must not be read. */
static int id_is_right(uint64_t *state, int length, char behind)
{
    char text[64 + PIECE_PADDING];
    uint64_t id;
    memset(text, '7', sizeof text);
    for (int i = 0; i < length; i++)
        text[i] = (char)('0' + next_random(state) % 10);
    text[length] = behind;
    const char *end = scan_id(text, &id);
    text[length] = '\0';
    return end == text + length && id == strtoull(text, NULL, 10);
}

static void test_ids(void)
{
    static const char behind[] = {'\n', '\r', '\t', ' ',  ',',    ':',
                                  '/',  '-',  'x',  '\0', '\x80', '\xff'};
    uint64_t state = 1;
    int right = 1;
    for (int round = 0; round < 2000; round++) {
        for (int length = 1; length <= 19; length++)
            right &= id_is_right(&state, length, behind[next_random(&state) % sizeof behind]);
    }
    report(right, "ids of 1 to 19 digits, whatever stands behind them");
}

static void test_id_limits(void)
{
    static const char none[PIECE_PADDING] = "x1", most[PIECE_PADDING] = "18446744073709551614\n";
    static const char over[PIECE_PADDING] = "18446744073709551616\n";
    static const char zeros[PIECE_PADDING] = "00000000000000000000000042\n";
    uint64_t id;
    report(scan_id(none, &id) == none, "no digit is no id");
    report(scan_id(most, &id) == most + 20 && id == UINT64_MAX - 1, "2^64 - 2 is read");
    report(scan_id(over, &id) == over + 20 && id == UINT64_MAX, "2^64 is marked as too large");
    report(scan_id(zeros, &id) == zeros + 26 && id == 42, "leading zeros do not overflow");
}

/* ---- plain lines ---- */

static int odd_lines; /* that take_odd_line got */

/* A line_parser: takes two numbers with any blanks or commas between them; a line of `x` is a fault. */
static const char *take_odd_line(const struct graph_reader *r, struct piece *piece, const char *p, uint64_t lines)
{
    unsigned long long u, v;
    odd_lines++;
    if (*p == 'x') {
        set_fault(piece, p, lines, "a number");
        return NULL;
    }
    if (sscanf(p, " %llu%*[ ,\t]%llu", &u, &v) == 2)
        piece->edges[piece->count++] = (struct edge){u - r->base, v - r->base};
    return next_line(p);
}

enum { PLAIN_LINES = 4000 };

/* Parses random lines, a number of which are not plain, and compares their edges. The text ends in `ending`. */
static int lines_are_right(uint64_t *state, enum plain_lines plain, const char *ending)
{
    static struct edge wanted[PLAIN_LINES], edges[PLAIN_LINES + 1];
    static char text[64 * PLAIN_LINES + PIECE_PADDING];
    static const char *const gaps[] = {" ", "\t", ",", "  "};
    const struct graph_reader r = {.base = 1, .limit = UINT64_C(1) << 60};
    struct piece piece = {.edges = edges};
    int others = 0;
    size_t at = 0;
    for (int i = 0; i < PLAIN_LINES; i++) {
        const uint64_t kind = next_random(state) % 400, spread = next_random(state) % 59;
        const char *gap = gaps[kind % 97 < 4 ? kind % 97 : 0];
        wanted[i].u = next_random(state) >> 31 << 29 >> spread / 2;
        wanted[i].v = (next_random(state) << 28 | next_random(state)) >> spread;
        others += gap == gaps[3] || (gap == gaps[2] && plain != PLAIN_BLANK_OR_COMMA) || kind == 399 || plain == NO_PLAIN_LINES;
        at += (size_t)sprintf(text + at, "%s%llu%s%llu%s\n", kind == 399 ? " " : "", (unsigned long long)wanted[i].u + 1, gap,
                              (unsigned long long)wanted[i].v + 1, kind / 100 == 0 ? "\r" : "");
    }
    at += (size_t)sprintf(text + at, "%s", ending);
    memset(text + at, '1', PIECE_PADDING); /* belongs to no line */
    piece.in.text = text;
    piece.in.text_bytes = at;
    odd_lines = 0;
    plain_lines_parse(&r, &piece, plain, take_odd_line);
    return piece.count == PLAIN_LINES && memcmp(edges, wanted, sizeof wanted) == 0 && piece.tally.lines == PLAIN_LINES &&
           odd_lines == others + (*ending != '\0') && (piece.fault.at != NULL) == (*ending == 'x') &&
           (*ending == '\0' || piece.fault.line == PLAIN_LINES);
}

/* Returns how many of a text's lines were not plain. */
static int count_odd(const char *line, uint64_t limit)
{
    char text[128 + PIECE_PADDING] = "";
    struct edge edges[8];
    const struct graph_reader r = {.limit = limit};
    struct piece piece = {.edges = edges};
    piece.in.text = strcpy(text, line);
    piece.in.text_bytes = strlen(line);
    odd_lines = 0;
    plain_lines_parse(&r, &piece, PLAIN_BLANK, take_odd_line);
    return odd_lines;
}

static void test_plain_lines(void)
{
    uint64_t state = 1;
    int right = 1;
    for (int plain = NO_PLAIN_LINES; plain <= PLAIN_BLANK_OR_COMMA; plain++)
        right &= lines_are_right(&state, (enum plain_lines)plain, "") & lines_are_right(&state, (enum plain_lines)plain, "x\n");
    report(right, "plain lines have their edges and all other lines are given to the parser of odd ones, up to a fault");
    report(count_odd("7 8\n9 1\r\n123456789 12345678901234567890\n", UINT64_MAX) == 0,
           "lines of any two ids are plain, also with a return");
    report(count_odd("1 2\n1\n\n3 4 5\n6 7 \n1 -2\n1 \r\n", UINT64_MAX) == 6,
           "lines with one number, none, more than two or another sign are not plain");
    report(count_odd("1 2\n1 8\n8 1\n1 7\n", 8) == 2, "lines with an id beyond the limit are not plain");
    report(count_odd("1 2\n1 0000000000000000000000000000000000000000000000000000000000000000002\n3 4\n", 8) == 1,
           "a line of more than 64 bytes is not plain, and plain ones go on behind it");
}

static void test_weights(void)
{
    static const char *const good[] = {"1", "-1", "+.5", "0.25", "3.", "1e9", "1E-3", "-2.5e+10"};
    static const char *const bad[] = {"x", "-", ".", "e5", ""};
    int right = 1;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        right &= skip_weight(good[i]) == good[i] + strlen(good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        right &= skip_weight(bad[i]) == bad[i];
    report(right, "skip_weight takes the numbers of a weight column, and nothing else");
    report(*skip_weight("1e") == 'e' && *skip_weight("1.5x") == 'x', "skip_weight stops where a number ends");
}

static int described(const char *at, const char *wanted)
{
    char text[DESCRIBED_BYTES];
    return strcmp(describe_word(at, text), wanted) == 0;
}

static void test_descriptions(void)
{
    char longest[200], text[DESCRIBED_BYTES];
    report(described("abc 1\n", "'abc'") && described("1,2\n", "'1'"), "a word is quoted");
    report(described("\n", "the end of the line") && described("\r\n", "the end of the line"),
           "the end of a line is named");
    report(described("\x01\xff\n", "'\\x01\\xff'"), "unprintable bytes are shown as numbers");
    memset(longest, 1, sizeof longest);
    longest[sizeof longest - 1] = '\n';
    report(strlen(describe_word(longest, text)) < DESCRIBED_BYTES, "a long word is cut");
}

int main(void)
{
    test_ids();
    test_id_limits();
    test_plain_lines();
    test_weights();
    test_descriptions();
    return unit_result();
}
