/* result_text.c: see result_text.h */
#include "result_text.h"

static unsigned count_digits(uint64_t value)
{
    unsigned digits = 1;
    for (; value >= 10; value /= 10)
        digits++;
    return digits;
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? (uint64_t)-value : (uint64_t)value;
}

char *result_number(char *at, int64_t value)
{
    uint64_t x = magnitude(value);
    if (value < 0)
        *at++ = '-';
    unsigned digits = count_digits(x);
    for (unsigned i = digits; i > 0; i--, x /= 10)
        at[i - 1] = (char)('0' + x % 10);
    return at + digits;
}

uint64_t result_lines_bytes(uint64_t first, uint64_t count, const int64_t *values)
{
    uint64_t bytes = 0, power = 10;
    unsigned digits = 1; /* digits of the id, which goes up by one */
    for (; power <= first; power *= 10)
        digits++;
    for (uint64_t i = 0; i < count; i++) {
        if (first + i == power) {
            digits++;
            power *= 10;
        }
        bytes += digits + 2 + (values[i] < 0) + count_digits(magnitude(values[i]));
    }
    return bytes;
}

char *result_lines(char *at, char separator, uint64_t first, uint64_t count, const int64_t *values)
{
    for (uint64_t i = 0; i < count; i++) {
        at = result_number(at, (int64_t)(first + i));
        *at++ = separator;
        at = result_number(at, values[i]);
        *at++ = '\n';
    }
    return at;
}
