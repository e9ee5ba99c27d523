/* plain_lines.c: see plain_lines.h */
#include "plain_lines.h"

#include "scan_text.h"

#include "formats/base/clones.h"

#include <emmintrin.h>

enum { WINDOW = 64, VECTOR = 16 }; /* bytes */

/* Returns a bit for each byte of the window at `p`, which is set if the byte is no digit. */
static inline uint64_t find_others(const char *p)
{
    uint64_t others = 0;
    for (int at = 0; at < WINDOW; at += VECTOR) {
        __m128i digits = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + at)), _mm_set1_epi8('0'));
        __m128i are_digits = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
        others |= (uint64_t)(uint16_t)~_mm_movemask_epi8(are_digits) << at;
    }
    return others;
}

/* Reads the number of `digits` digits at `p`: fast if they are 1 to 8. */
static inline uint64_t read_number(const char *p, unsigned digits)
{
    uint64_t word, id;
    if (__builtin_expect(digits > 8, 0)) {
        scan_long_id(p, &id);
        return id;
    }
    memcpy(&word, p, sizeof word);
    return eight_digits((word ^ UINT64_C(0x3030303030303030)) << (64 - 8 * digits));
}

/* Adds the edges of the plain lines from `p` on to the piece. Returns the first other line, or `end`. */
WIDE_CLONES
static const char *read_lines(const struct graph_reader *r, struct piece *piece, enum plain_lines plain, const char *p, const char *end)
{
    const uint64_t base = r->base, limit = r->limit;
    const char comma = plain == PLAIN_BLANK_OR_COMMA ? ',' : ' ';
    struct edge *edge = piece->edges + piece->count;
    const char *line = p;
    while (line < end) {
        const char *const window = line, *const stop = end - line < WINDOW ? end : line + WINDOW;
        uint64_t others = find_others(window);
        while (line < stop && (others & (others - 1)) != 0) { /* two in each line: the gap, and the end */
            const char *gap = window + __builtin_ctzll(others);
            others &= others - 1;
            const char *line_end = window + __builtin_ctzll(others), *newline = line_end;
            others &= others - 1;
            unsigned digits_u = (unsigned)(gap - line), digits_v = (unsigned)(line_end - gap - 1);
            if (__builtin_expect(*line_end == '\r', 0)) {
                others &= others - 1;
                newline++;
            }
            if (digits_u == 0 || digits_v == 0 || (!is_blank(*gap) && *gap != comma) || *newline != '\n')
                goto done;
            uint64_t u = read_number(line, digits_u) - base, v = read_number(gap + 1, digits_v) - base;
            if (u >= limit || v >= limit)
                goto done;
            *edge++ = (struct edge){u, v};
            line = newline + 1;
        }
        if (line == window) /* which holds no whole line */
            break;
    }
done:
    piece->count = (size_t)(edge - piece->edges);
    return line;
}

void plain_lines_parse(const struct graph_reader *r, struct piece *piece, enum plain_lines plain, odd_line_parser *odd)
{
    const char *p = piece->in.text, *end = p + piece->in.text_bytes;
    uint64_t lines = piece->tally.lines;
    while (p != NULL && p < end) {
        size_t before = piece->count;
        if (plain != NO_PLAIN_LINES)
            p = read_lines(r, piece, plain, p, end);
        lines += piece->count - before;
        if (p < end && (p = odd(r, piece, p, lines)) != NULL)
            lines++;
    }
    piece->tally.lines = lines;
}
