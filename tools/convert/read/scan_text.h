/* scan_text.h: the loops over characters in the readers of text formats. The text must end in '\n', and PIECE_PADDING bytes
 * behind it must be readable. So no loop checks for the end of the text: digits and blanks stop at '\n'. */
#ifndef DBFS_SCAN_TEXT_H
#define DBFS_SCAN_TEXT_H

#include "tools/convert/piece/piece.h"

#include <stdint.h>
#include <string.h>

/* Reads a number of eight digits or more and returns where it ends. *id is UINT64_MAX if it does not fit into 64 bits. */
const char *scan_long_id(const char *p, uint64_t *id);

/* Returns the number that eight digits form, given as a byte each (0 to 9, no characters), the first in the lowest byte. */
static inline uint64_t eight_digits(uint64_t digits)
{
    const uint64_t even = UINT64_C(0x000000ff000000ff);
    digits = digits * 10 + (digits >> 8); /* pairs of digits in bytes 0, 2, 4, 6 */
    uint64_t high = (digits & even) * UINT64_C(0x000f424000000064);
    uint64_t low = ((digits >> 16) & even) * UINT64_C(0x0000271000000001);
    return (high + low) >> 32;
}

/* Reads up to seven digits, with no branch that depends on their number, and returns where they end: `p` itself if there are
 * none, NULL if there are eight or more. */
static inline const char *scan_id_below_8(const char *p, uint64_t *id)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    word ^= UINT64_C(0x3030303030303030);
    uint64_t not_digit =
        ((word + UINT64_C(0x7676767676767676)) | word) & UINT64_C(0x8080808080808080);
    if (__builtin_expect(not_digit == 0, 0))
        return NULL;
    unsigned digits = (unsigned)__builtin_ctzll(not_digit) >> 3;
    /* shifted in two steps, since a shift by 64 is undefined */
    *id = eight_digits(word << 8 << (56 - 8 * digits));
    return p + digits;
}

/* Reads the digits at `p` as a number and returns where they end: `p` itself if there are none. */
static inline const char *scan_id(const char *p, uint64_t *id)
{
    const char *end = scan_id_below_8(p, id);
    if (__builtin_expect(end == NULL, 0)) {
        uint64_t long_id; /* lets `id` itself stay in a register */
        end = scan_long_id(p, &long_id);
        *id = long_id;
    }
    return end;
}

static inline int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline const char *skip_blanks(const char *p)
{
    while (is_blank(*p))
        p++;
    return p;
}

/* Skips blanks and the end of the line ("\n" or "\r\n"). Returns NULL if anything else comes first. */
static inline const char *skip_line_end(const char *p)
{
    p = skip_blanks(p);
    p += *p == '\r';
    return *p == '\n' ? p + 1 : NULL;
}

/* Nonzero if nothing but blanks stands between `p` and the end of its line. */
static inline int at_line_end(const char *p)
{
    return skip_line_end(p) != NULL;
}

static inline const char *next_line(const char *p)
{
    return (const char *)rawmemchr(p, '\n') + 1;
}

/* The byte order mark of UTF-8. Some editors write it before the first line. */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* The signs that begin a comment in a list. */
#define LIST_COMMENTS "#%"

static inline int is_comment(char c)
{
    return c == '#' || c == '%';
}

/* Which lines are comments: those that begin, blanks aside, with one of these signs. If `spaced`, a blank or the end of the
 * line must follow the sign. */
struct comment_rule {
    const char *signs;
    int spaced;
};

static inline int is_comment_line(struct comment_rule rule, const char *p)
{
    p = skip_blanks(p);
    for (const char *sign = rule.signs; *sign != '\0'; sign++) {
        if (*p == *sign)
            return !rule.spaced || is_blank(p[1]) || p[1] == '\n' || p[1] == '\r';
    }
    return 0;
}

/* Skips a weight: a decimal number with sign, fraction and exponent as people write them, or inf, infinity or nan. Returns `p`
 * if there is none. */
const char *skip_weight(const char *p);

/* Reads a whole number that a program wrote as a real one, such as 1e+05, 1.5E6 or 12.0, and returns its end. Returns `p` for
 * anything else, such as digits alone, or 1.5. *rounded is set if digits may have been lost, as in 1.23457e+08: a program that
 * loses none writes a whole number in this way only if it ends in five zeros. */
const char *scan_real_id(const char *p, uint64_t *id, int *rounded);

/* Notes a fault at `at`, after `lines` whole lines of the piece. Returns NULL, which a line_parser then returns. */
static inline const char *set_fault(struct piece *piece, const char *at, uint64_t lines, const char *expected)
{
    piece->fault.at = at;
    piece->fault.line = lines;
    piece->fault.expected = expected;
    return NULL;
}

/* Returns the next line if the line at `p` holds no data, because it is empty or a comment; else NULL. Counts the comments. */
static inline const char *skip_line_without_data(struct comment_rule rule, struct piece *piece, const char *p)
{
    const char *next = skip_line_end(p);
    if (next != NULL || !is_comment_line(rule, p))
        return next;
    piece->tally.comments++;
    return next_line(p);
}

/* Describes the word at `p` for a message: quoted and shortened, unprintable bytes as \xNN; or says "the end of the line". */
enum { DESCRIBED_BYTES = 80 };
char *describe_word(const char *p, char text[DESCRIBED_BYTES]);

#endif
