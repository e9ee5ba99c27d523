/* test_edge_text.c: the functions that find characters in text input agree with those of the C library */
#include "unit.h"

#include "tools/convert/read/scan_text.h"

#include <stdlib.h>
#include <string.h>

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Digits of a length, a character after them, then more digits that must not be read. */
static int id_is_right(uint64_t *state, int length, char behind)
{
    char text[64 + PIECE_PADDING];
    uint64_t id;
    memset(text, '7', sizeof text);
    for (int i = 0; i < length; i++)
        text[i] = (char)('0' + next_random(state) % 10);
    text[length] = behind;
    const char *end = scan_id(text, &id);
    text[length] = '\0';
    return end == text + length && id == strtoull(text, NULL, 10);
}

static void test_ids(void)
{
    static const char behind[] = {'\n', '\r', '\t', ' ',  ',',    ':',
                                  '/',  '-',  'x',  '\0', '\x80', '\xff'};
    uint64_t state = 1;
    int right = 1;
    for (int round = 0; round < 2000; round++) {
        for (int length = 1; length <= 19; length++)
            right &= id_is_right(&state, length, behind[next_random(&state) % sizeof behind]);
    }
    report(right, "ids of 1 to 19 digits, whatever stands behind them");
}

static void test_id_limits(void)
{
    static const char none[PIECE_PADDING] = "x1", most[PIECE_PADDING] = "18446744073709551614\n";
    static const char over[PIECE_PADDING] = "18446744073709551616\n";
    static const char zeros[PIECE_PADDING] = "00000000000000000000000042\n";
    uint64_t id;
    report(scan_id(none, &id) == none, "no digit is no id");
    report(scan_id(most, &id) == most + 20 && id == UINT64_MAX - 1, "2^64 - 2 is read");
    report(scan_id(over, &id) == over + 20 && id == UINT64_MAX, "2^64 is marked as too large");
    report(scan_id(zeros, &id) == zeros + 26 && id == 42, "leading zeros do not overflow");
}

static void test_weights(void)
{
    static const char *const good[] = {"1", "-1", "+.5", "0.25", "3.", "1e9", "1E-3", "-2.5e+10"};
    static const char *const bad[] = {"x", "-", ".", "e5", ""};
    int right = 1;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        right &= skip_weight(good[i]) == good[i] + strlen(good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        right &= skip_weight(bad[i]) == bad[i];
    report(right, "skip_weight takes the numbers of a weight column, and nothing else");
    report(*skip_weight("1e") == 'e' && *skip_weight("1.5x") == 'x', "skip_weight stops where a number ends");
}

static int described(const char *at, const char *wanted)
{
    char text[DESCRIBED_BYTES];
    return strcmp(describe_word(at, text), wanted) == 0;
}

static void test_descriptions(void)
{
    char longest[200], text[DESCRIBED_BYTES];
    report(described("abc 1\n", "'abc'") && described("1,2\n", "'1'"), "a word is quoted");
    report(described("\n", "the end of the line") && described("\r\n", "the end of the line"),
           "the end of a line is named");
    report(described("\x01\xff\n", "'\\x01\\xff'"), "unprintable bytes are shown as numbers");
    memset(longest, 1, sizeof longest);
    longest[sizeof longest - 1] = '\n';
    report(strlen(describe_word(longest, text)) < DESCRIBED_BYTES, "a long word is cut");
}

int main(void)
{
    test_ids();
    test_id_limits();
    test_weights();
    test_descriptions();
    return unit_result();
}
