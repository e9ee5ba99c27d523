/* bit_codes.c: see bit_codes.h */
#include "bit_codes.h"

#include <stdlib.h>

enum {
    BUFFER_BYTES = 1 << 16,
    ZERO_BYTES = 64,          /* behind the last byte of the file */
    MOST_PADDING_BITS = 8 * 16,
};

enum status bits_open(struct bit_reader *r, struct bit_source source, const char *name, struct error *e)
{
    *r = (struct bit_reader){.source = source, .error = e};
    r->buffer = malloc(BUFFER_BYTES + ZERO_BYTES);
    if (r->buffer == NULL)
        return fail_memory(e, name, BUFFER_BYTES);
    r->next = r->end = r->buffer;
    return ST_OK;
}

void bits_close(struct bit_reader *r)
{
    free(r->buffer);
    r->buffer = NULL;
}

/* Moves the unread bytes to the front of the buffer and reads behind them; zeros behind the end of the file. */
void bits_load(struct bit_reader *r)
{
    size_t left = r->next < r->end ? (size_t)(r->end - r->next) : 0, got = 0;
    uint64_t read_to = r->buffer_at + (uint64_t)(r->end - r->buffer);
    if (read_to >= r->source.bytes) { /* what is left, and the zeros behind it, stand in the buffer */
        if (r->end == r->buffer)
            memset(r->buffer, 0, ZERO_BYTES);
        if (r->next > r->end + ZERO_BYTES - 8) {
            r->failed = 1;
            r->next = r->end + ZERO_BYTES - 8;
        }
        return;
    }
    memmove(r->buffer, r->next, left);
    r->buffer_at = read_to - left;
    if (r->source.read_at(r->source.file, read_to, r->buffer + left, BUFFER_BYTES - left, &got, r->error) != ST_OK)
        r->failed = 1;
    if (got < BUFFER_BYTES - left) /* the end, or the file became shorter: zeros are past its end then, too */
        r->source.bytes = read_to + got;
    r->next = r->buffer;
    r->end = r->buffer + left + got;
    memset(r->buffer + left + got, 0, ZERO_BYTES);
}

/* Throws the buffer away, so that the next load begins at byte `byte`. The bits in r->bits stay. */
void bits_drop(struct bit_reader *r, uint64_t byte)
{
    r->buffer_at = byte;
    r->next = r->end = r->buffer;
}

/* Nonzero if only zeros are left, fewer than 16 bytes. Reads them. */
int bits_padding_follows(struct bit_reader *r)
{
    uint64_t left = bits_left(r);
    if (left >= MOST_PADDING_BITS)
        return 0;
    while (left > 0) {
        unsigned part = left < 56 ? (unsigned)left : 56;
        if (bits_read(r, part) != 0)
            return 0;
        left -= part;
    }
    return 1;
}

/* ---- codes that do not fit into one word ---- */

uint64_t bits_long_unary(struct bit_reader *r)
{
    uint64_t zeros = 0;
    while (!r->failed) {
        bits_refill(r);
        unsigned run = (unsigned)__builtin_clzll(r->bits | 1);
        if (run < 56) {
            bits_skip(r, run + 1);
            return zeros + run;
        }
        bits_skip(r, 56);
        zeros += 56;
    }
    return 0;
}

/* Reads up to 63 bits. */
static uint64_t read_long(struct bit_reader *r, uint64_t count)
{
    if (count > 63) {
        r->failed = 1;
        return 0;
    }
    if (count <= 56)
        return bits_read(r, (unsigned)count);
    uint64_t high = bits_read(r, (unsigned)count - 32);
    return high << 32 | bits_read(r, 32);
}

/* Reads the lower `length` bits of a number of length + 1 bits, whose highest bit is a one. Returns the number less 1. */
static uint64_t read_length(struct bit_reader *r, uint64_t length)
{
    uint64_t rest = read_long(r, length);
    return r->failed ? 0 : (UINT64_C(1) << length | rest) - 1;
}

uint64_t bits_long_gamma(struct bit_reader *r)
{
    return read_length(r, bits_long_unary(r));
}

uint64_t bits_delta(struct bit_reader *r)
{
    return read_length(r, bits_gamma(r));
}

uint64_t bits_long_zeta(struct bit_reader *r, unsigned k)
{
    uint64_t h = bits_long_unary(r);
    if (h > 63 || h * k + k - 1 > 63) {
        r->failed = 1;
        return 0;
    }
    uint64_t value = read_long(r, h * k + k - 1), least = UINT64_C(1) << h * k;
    return value < least ? value + least - 1 : (value << 1 | bits_read(r, 1)) - 1;
}

uint64_t bits_nibble(struct bit_reader *r)
{
    uint64_t value = 0;
    for (int groups = 0; groups < 21; groups++) { /* of 63 bits */
        uint64_t group = bits_read(r, 4);
        value = value << 3 | (group & 7);
        if (group >= 8)
            return value;
    }
    r->failed = 1;
    return 0;
}
