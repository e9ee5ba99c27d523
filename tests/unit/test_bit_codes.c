/* test_bit_codes.c: the codes of WebGraph, of numbers of every length, beside a plain writer of bits; seeking; reads past
 * the end */
#include "unit.h"

#include "tools/convert/read/bit_codes.h"

#include "formats/base/hash.h"

#include <string.h>

enum { ROOM_BYTES = 1 << 22, NUMBERS = 40000 };

static unsigned char bytes[ROOM_BYTES];
static uint64_t written, at[NUMBERS]; /* bits; where each number begins */

static enum status read_bytes(const void *file, uint64_t offset, void *to, size_t count, size_t *got, struct error *e)
{
    uint64_t size = (written + 7) / 8, left = offset < size ? size - offset : 0;
    (void)e;
    *got = left < count ? (size_t)left : count;
    memcpy(to, (const unsigned char *)file + offset, *got);
    return ST_OK;
}

static void write_bit(uint64_t bit)
{
    bytes[written / 8] |= (unsigned char)((bit & 1) << (7 - written % 8));
    written++;
}

static void write_low(uint64_t value, unsigned width)
{
    while (width-- > 0)
        write_bit(value >> width);
}

static unsigned length_of(uint64_t x) /* less one */
{
    unsigned length = 0;
    while (x >> length > 1)
        length++;
    return length;
}

static void write_unary(uint64_t x)
{
    while (x-- > 0)
        write_bit(0);
    write_bit(1);
}

static void write_code(enum code code, unsigned k, uint64_t x)
{
    unsigned length = length_of(x + 1), h = length / k, groups = length_of(x) / 3 + 1;
    switch (code) {
    case CODE_UNARY: write_unary(x); break;
    case CODE_GAMMA:
        write_unary(length);
        write_low(x + 1, length);
        break;
    case CODE_DELTA:
        write_code(CODE_GAMMA, 1, length);
        write_low(x + 1, length);
        break;
    case CODE_ZETA:
        write_unary(h);
        if (length == h * k) /* the first half of the interval has a bit less */
            write_low(x + 1 - (UINT64_C(1) << h * k), h * k + k - 1);
        else
            write_low(x + 1, h * k + k);
        break;
    default:
        while (groups-- > 0) {
            write_bit(groups == 0);
            write_low(x >> 3 * groups, 3);
        }
    }
}

/* A number of 0 to `longest` bits, of any length alike. */
static uint64_t number(uint64_t key, uint64_t i, unsigned longest)
{
    uint64_t random = random64(key, i);
    unsigned width = (unsigned)(random % (longest + 1));
    return width == 0 ? 0 : random64(key + 1, i) >> (64 - width);
}

static void test_code(const char *name, enum code code, unsigned k, unsigned longest)
{
    struct bit_reader r;
    struct error e = {0};
    memset(bytes, 0, sizeof bytes);
    written = 0;
    uint64_t count = 0;
    for (; count < NUMBERS && written / 8 < ROOM_BYTES - (64 << 10); count++) {
        at[count] = written;
        write_code(code, k, number(k, count, longest));
    }
    struct bit_source source = {read_bytes, bytes, (written + 7) / 8};
    int opened = bits_open(&r, source, "bits", &e) == ST_OK, same = opened, sought = opened;
    for (uint64_t i = 0; opened && i < count; i++)
        same &= bits_position(&r) == at[i] && bits_value(&r, code, k) == number(k, i, longest);
    same &= opened && bits_ok(&r) && bits_left(&r) < 8 && bits_padding_follows(&r);
    for (uint64_t i = 0; opened && i < 1000; i++) {
        uint64_t to = random64(9, i) % count;
        bits_seek(&r, at[to]);
        sought &= bits_value(&r, code, k) == number(k, to, longest);
    }
    bits_seek(&r, at[count - 1]);
    bits_value(&r, code, k);
    for (int i = 0; opened && i < 40; i++)
        bits_value(&r, code, k);
    char text[128];
    snprintf(text, sizeof text, "%s: numbers are those written", name);
    report(same, text);
    snprintf(text, sizeof text, "%s: numbers are found by their bits", name);
    report(sought, text);
    snprintf(text, sizeof text, "%s: reads past the end fail", name);
    report(!bits_ok(&r) && bits_left(&r) == 0, text);
    bits_close(&r);
}

int main(void)
{
    test_code("unary", CODE_UNARY, 1, 8);
    test_code("unary, long", CODE_UNARY, 1, 12);
    test_code("gamma", CODE_GAMMA, 1, 62);
    test_code("delta", CODE_DELTA, 1, 62);
    test_code("nibble", CODE_NIBBLE, 1, 62);
    for (unsigned k = 1; k <= 16; k++) {
        char name[16];
        snprintf(name, sizeof name, "zeta %u", k);
        test_code(name, CODE_ZETA, k, 49);
    }
    report(bits_signed(0) == 0 && bits_signed(1) == UINT64_MAX && bits_signed(2) == 1 && bits_signed(3) == UINT64_MAX - 1,
          "signed numbers alternate");
    return unit_result();
}
