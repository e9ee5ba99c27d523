/* result_text.c: see result_text.h */
#include "result_text.h"

char *result_number(char *at, int64_t value)
{
    uint64_t x = value < 0 ? (uint64_t)-value : (uint64_t)value;
    unsigned digits = 1;
    for (uint64_t rest = x; rest >= 10; rest /= 10)
        digits++;
    if (value < 0)
        *at++ = '-';
    for (unsigned i = digits; i > 0; i--, x /= 10)
        at[i - 1] = (char)('0' + x % 10);
    return at + digits;
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
