/* plain_lines.c: see plain_lines.h */
#include "plain_lines.h"

#include "scan_text.h"

#include "formats/base/clones.h"

enum { WINDOW = 64 }; /* bytes */

/* find_others and read_short have two versions: by vectors of 16 bytes on x86-64, and in plain C for other machines. */
#ifdef __SSE2__
#include <emmintrin.h>

/* Returns a bit for each byte of the window at `p`, which is set if the byte is no digit. */
static inline uint64_t find_others(const char *p)
{
    enum { VECTOR = 16 };
    uint64_t others = 0;
    for (int at = 0; at < WINDOW; at += VECTOR) {
        __m128i digits = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + at)), _mm_set1_epi8('0'));
        __m128i are_digits = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
        others |= (uint64_t)(uint16_t)~_mm_movemask_epi8(are_digits) << at;
    }
    return others;
}

/* Returns eight bytes that end with the 1 to 8 digits at `p`; those before are 0. */
static inline __m128i load_digits(const char *p, unsigned digits)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return _mm_cvtsi64_si128((long long)(word << (64 - 8 * digits)));
}

/* Returns the numbers of 1 to 8 digits at `p` and `q`, each in 32 bits, the first in the low ones. */
static inline uint64_t read_short(const char *p, unsigned digits_p, const char *q, unsigned digits_q)
{
    __m128i digits = _mm_subs_epu8(_mm_unpacklo_epi64(load_digits(p, digits_p), load_digits(q, digits_q)), _mm_set1_epi8('0'));
    __m128i tens = _mm_mullo_epi16(_mm_and_si128(digits, _mm_set1_epi16(0xff)), _mm_set1_epi16(10));
    __m128i pairs = _mm_add_epi16(tens, _mm_srli_epi16(digits, 8));
    __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(1 << 16 | 100));
    __m128i eights = _mm_madd_epi16(_mm_packs_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10000));
    return (uint64_t)_mm_cvtsi128_si64(eights);
}
#else
/* Returns a bit for each byte of the window at `p`, which is set if the byte is no digit. Works on words of eight bytes. */
static inline uint64_t find_others(const char *p)
{
    const uint64_t each = 0x0101010101010101;
    uint64_t others = 0, word;
    for (unsigned at = 0; at < WINDOW; at += sizeof word) {
        memcpy(&word, p + at, sizeof word);
        word ^= '0' * each; /* digits become 0 to 9 */
        word |= (word & 0x7f * each) + (0x7f - 9) * each; /* the top bit of a byte: the byte is above 9 */
        others |= ((word >> 7 & each) * 0x0102040810204080 >> 56) << at; /* moves bit 8 i to bit i */
    }
    return others;
}

/* Returns the number of 1 to 8 digits at `p`. Adds neighbours up: digits to pairs, pairs to fours, fours to the number. */
static inline uint64_t read_digits(const char *p, unsigned digits)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    word = word << (64 - 8 * digits) & 0x0f0f0f0f0f0f0f0f;
    word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ff;
    word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffff;
    return (uint32_t)(word * 10000 + (word >> 32));
}

/* Returns the numbers of 1 to 8 digits at `p` and `q`, each in 32 bits, the first in the low ones. */
static inline uint64_t read_short(const char *p, unsigned digits_p, const char *q, unsigned digits_q)
{
    return read_digits(p, digits_p) | read_digits(q, digits_q) << 32;
}
#endif

/* Returns the number at `p`, of any number of digits. */
static uint64_t read_long(const char *p)
{
    uint64_t id;
    scan_id(p, &id);
    return id;
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
            uint64_t both, u, v;
            if (__builtin_expect((digits_u > 8) | (digits_v > 8), 0)) {
                u = read_long(line) - base;
                v = read_long(gap + 1) - base;
            } else {
                both = read_short(line, digits_u, gap + 1, digits_v);
                u = (uint32_t)both - base;
                v = (both >> 32) - base;
            }
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

void plain_lines_parse(const struct graph_reader *r, struct piece *piece, enum plain_lines plain, line_parser *odd)
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
