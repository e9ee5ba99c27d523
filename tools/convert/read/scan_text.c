/* scan_text.c: see scan_text.h */
#include "scan_text.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

/* Reads the digits at p into *id, one after the other; a number that does not fit 64 bits becomes UINT64_MAX. Returns the address
 * behind the digits, which is p if there are none. For the cases that the functions below do not read faster. */
static const char *scan_any_id(const char *p, uint64_t *id)
{
    uint64_t value = 0;
    int overflow = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        overflow |= __builtin_mul_overflow(value, (uint64_t)10, &value);
        overflow |= __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value);
    }
    *id = overflow ? UINT64_MAX : value;
    return p;
}

/* Reads a number of eight digits or more: two words of eight bytes or, beyond 15 digits, by scan_any_id. */
const char *scan_long_id(const char *p, uint64_t *id)
{
    static const uint64_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    uint64_t high, low;
    memcpy(&high, p, sizeof high); /* eight digits, as the caller saw */
    const char *end = scan_id_below_8(p + 8, &low);
    if (end == NULL)
        return scan_any_id(p, id);
    *id = eight_digits(high ^ UINT64_C(0x3030303030303030)) * power[end - p - 8] + low;
    return end;
}

static const char *skip_digits(const char *p)
{
    while (*p >= '0' && *p <= '9')
        p++;
    return p;
}

/* Skips `inf`, `infinity` or `nan`, in capitals or not. Returns `p` if none of these stands there. */
static const char *skip_no_number(const char *p)
{
    static const char *const word[] = {"infinity", "inf", "nan"};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        if (strncasecmp(p, word[i], strlen(word[i])) == 0)
            return p + strlen(word[i]);
    }
    return p;
}

const char *skip_weight(const char *p)
{
    const char *start = p;
    p += *p == '-' || *p == '+';
    const char *whole = p;
    p = skip_digits(p);
    int digits = p > whole;
    if (*p == '.') {
        const char *fraction = skip_digits(p + 1);
        digits |= fraction > p + 1;
        p = fraction;
    }
    if (!digits) {
        p = skip_no_number(whole);
        return p > whole ? p : start;
    }
    if (*p == 'e' || *p == 'E') {
        const char *sign = p + 1 + (p[1] == '-' || p[1] == '+');
        const char *exponent = skip_digits(sign);
        p = exponent > sign ? exponent : p;
    }
    return p;
}

/* Multiplies by a power of ten. */
static uint64_t scaled(uint64_t value, int power)
{
    for (; power > 0 && value > 0; power--) {
        if (__builtin_mul_overflow(value, (uint64_t)10, &value))
            return UINT64_MAX;
    }
    return value;
}

/* Reads a whole number such as 1e+05 or 12.0; UINT64_MAX if it does not fit. Returns its end; `p` at anything else. */
const char *scan_real_id(const char *p, uint64_t *id, int *rounded)
{
    enum { MOST_EXPONENT = 64 };
    const char *start = p, *whole_end = skip_digits(p), *end = whole_end;
    uint64_t value, exponent = 0;
    *rounded = 0;
    if (whole_end == p || (*whole_end != '.' && (*whole_end | 32) != 'e'))
        return start;
    end = *whole_end == '.' ? skip_digits(whole_end + 1) : whole_end;
    const char *fraction_end = end;
    if ((*end | 32) == 'e') {
        const char *digits = end + 1 + (end[1] == '+');
        end = scan_any_id(digits, &exponent);
        if (end == digits || exponent > MOST_EXPONENT)
            return start;
    }
    /* reads the digits, without the point; those that stay behind the point in spite of the exponent must be zeros */
    int digits = 0, zeros = 0, left = (int)exponent;
    for (value = 0; p < fraction_end; p++) {
        if (*p == '.')
            continue;
        if (p > whole_end && left-- <= 0) {
            if (*p != '0')
                return start;
            continue;
        }
        value = value > UINT64_MAX / 10 - 1 ? UINT64_MAX : 10 * value + (uint64_t)(*p - '0');
        digits += digits > 0 || *p != '0';
        zeros = *p == '0' ? zeros + 1 : 0;
    }
    *id = value == UINT64_MAX ? value : scaled(value, left > 0 ? left : 0);
    *rounded = left > 0 && value > 0 && digits - zeros > 1 && left + zeros < 5;
    return end;
}

/* Nonzero where describe_word ends. */
static int ends_word(char c)
{
    return c == '\0' || c == '\n' || c == '\r' || is_blank(c) || c == ',';
}

/* Writes the word at `p` for a message, quoted and shortened, and returns `text`. */
char *describe_word(const char *p, char text[DESCRIBED_BYTES])
{
    enum { SHOWN = 48 };
    if (p[0] == '\n' || (p[0] == '\r' && p[1] == '\n'))
        return strcpy(text, "the end of the line");
    size_t length = 0;
    text[length++] = '\'';
    do { /* a separator where an id should stand is shown too */
        unsigned char c = (unsigned char)*p++;
        length += (size_t)snprintf(text + length, 5, isprint(c) ? "%c" : "\\x%02x", c);
    } while (!ends_word(*p) && length < SHOWN);
    snprintf(text + length, DESCRIBED_BYTES - length, ends_word(*p) ? "'" : "...'");
    return text;
}
