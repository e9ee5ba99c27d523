/* text.c: see text.h */
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the digits at *text and moves *text past them. */
static int read_digits(const char **text, uint64_t *value)
{
    const char *p = *text;
    uint64_t x = 0;
    if (!isdigit((unsigned char)*p))
        return -1;
    for (; isdigit((unsigned char)*p); p++) {
        if (__builtin_mul_overflow(x, (uint64_t)10, &x) ||
            __builtin_add_overflow(x, (uint64_t)(*p - '0'), &x))
            return -1;
    }
    *text = p;
    *value = x;
    return 0;
}

int parse_u64(const char *text, uint64_t *value)
{
    uint64_t x;
    if (read_digits(&text, &x) != 0 || *text != '\0')
        return -1;
    *value = x;
    return 0;
}

int has_digits_alone(const char *text)
{
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

int parse_hex64(const char *text, uint64_t *value)
{
    if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
        return -1;
    *value = strtoull(text, NULL, 16);
    return 0;
}

int parse_size(const char *text, uint64_t *bytes)
{
    uint64_t x;
    int shift = 0;
    if (read_digits(&text, &x) != 0)
        return -1;
    switch (*text) {
    case '\0': break;
    case 'k': case 'K': shift = 10; text++; break;
    case 'm': case 'M': shift = 20; text++; break;
    case 'g': case 'G': shift = 30; text++; break;
    case 't': case 'T': shift = 40; text++; break;
    default: return -1;
    }
    if (*text != '\0' || x > UINT64_MAX >> shift)
        return -1;
    *bytes = x << shift;
    return 0;
}

int parse_real(const char *text, double *value)
{
    char *end = NULL;
    if (!isdigit((unsigned char)*text) && *text != '.')
        return -1;
    errno = 0;
    double x = strtod(text, &end);
    if (end == text || *end != '\0' || errno == ERANGE || !isfinite(x) || x < 0)
        return -1;
    *value = x;
    return 0;
}

char *format_size(uint64_t bytes, char *buffer, size_t buffer_bytes)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double x = (double)bytes;
    int u = 0;
    for (; x >= 1024 && u < 6; u++)
        x /= 1024;
    snprintf(buffer, buffer_bytes, u == 0 ? "%.0f %s" : "%.1f %s", x, unit[u]);
    return buffer;
}

char *text_printed(text_printer *print, const void *context, size_t *size)
{
    char *text = NULL;
    *size = 0;
    FILE *stream = open_memstream(&text, size);
    if (stream == NULL)
        return NULL;
    print(stream, context);
    int failed = ferror(stream);
    if (fclose(stream) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}
