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

/* Takes digits alone: returns 0, or -1 if the text is anything else or the number too large. */
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

/* Sixteen hexadecimal digits. */
int parse_hex64(const char *text, uint64_t *value)
{
    if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
        return -1;
    *value = strtoull(text, NULL, 16);
    return 0;
}

/* A number of bytes, with one suffix of K, M, G and T or none. */
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

/* Writes a size such as "12.3 MiB" into the buffer, which it returns. */
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

/* Returns the bytes of the UTF-8 character at `p`; 0 if it is a control character, or no whole character lies before `end`. */
static size_t visible_bytes(const unsigned char *p, const unsigned char *end)
{
    size_t length = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : *p >= 0xe0 && *p < 0xf0 ? 3 : *p >= 0xf0 && *p < 0xf5 ? 4 : 0;
    int is_control = (*p < 0x20 && *p != '\t') || *p == 0x7f || (*p == 0xc2 && end - p > 1 && p[1] < 0xa0);
    if (is_control || (size_t)(end - p) < length)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    }
    return length;
}

/* Prints text with control characters as \xNN, so that a terminal does not obey them. */
void text_print_visible(FILE *out, const char *bytes, size_t length)
{
    const unsigned char *p = (const unsigned char *)bytes, *end = p + length, *from = p;
    while (p < end) {
        size_t visible = visible_bytes(p, end);
        if (visible > 0) {
            p += visible;
            continue;
        }
        fwrite(from, 1, (size_t)(p - from), out);
        fprintf(out, "\\x%02x", *p++);
        from = p;
    }
    fwrite(from, 1, (size_t)(p - from), out);
}

/* The text that `print` writes, for the caller to free; NULL when memory runs out. */
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

/* Prints a word within $'...'. */
static void print_escaped_word(FILE *out, const char *bytes, size_t length)
{
    fputs("$'", out);
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        if (c < ' ' || c == 0x7f)
            fprintf(out, "\\x%02x", c);
        else
            fprintf(out, c == '\'' || c == '\\' ? "\\%c" : "%c", c);
    }
    fputc('\'', out);
}

void text_print_word(FILE *out, const char *bytes, size_t length)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,-";
    int is_plain = length > 0, has_controls = 0;
    for (size_t i = 0; i < length; i++) {
        is_plain &= bytes[i] != '\0' && strchr(plain, bytes[i]) != NULL;
        has_controls |= (unsigned char)bytes[i] < ' ' || bytes[i] == 0x7f;
    }
    if (has_controls) {
        print_escaped_word(out, bytes, length);
        return;
    }
    fputs(is_plain ? "" : "'", out);
    for (size_t i = 0; i < length; i++)
        fputs(bytes[i] == '\'' ? "'\\''" : (char[]){bytes[i], '\0'}, out);
    fputs(is_plain ? "" : "'", out);
}

/* Prints the text `context` as a word. Called by text_printed. */
static void print_word(FILE *out, const void *context)
{
    text_print_word(out, context, strlen(context));
}

char *text_word(const char *text)
{
    size_t size;
    return text_printed(print_word, text, &size);
}
