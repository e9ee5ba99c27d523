/* sort_u32.c: see sort_u32.h. Radix sort from the highest byte, by cycles of exchanges; short runs
 * by insertion. */
#include "sort_u32.h"

enum { SHORT_RUN = 48 };

static void sort_short(uint32_t *numbers, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t number = numbers[i];
        size_t at = i;
        for (; at > 0 && numbers[at - 1] > number; at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = number;
    }
}

/* Moves each number to the place of its byte at `shift`; place[b] is where those of byte b end. */
static void part_by_byte(uint32_t *numbers, size_t count, int shift, size_t end[256])
{
    size_t next[256], sum = 0;
    for (int b = 0; b < 256; b++)
        end[b] = 0;
    for (size_t i = 0; i < count; i++)
        end[numbers[i] >> shift & 255]++;
    for (int b = 0; b < 256; b++) {
        next[b] = sum;
        sum += end[b];
        end[b] = sum;
    }
    for (int b = 0; b < 256; b++) {
        while (next[b] < end[b]) {
            uint32_t number = numbers[next[b]];
            for (uint32_t to; (to = number >> shift & 255) != (uint32_t)b;) {
                uint32_t displaced = numbers[next[to]];
                numbers[next[to]++] = number;
                number = displaced;
            }
            numbers[next[b]++] = number;
        }
    }
}

static void sort_bytes(uint32_t *numbers, size_t count, int shift)
{
    size_t end[256], first = 0;
    if (count <= SHORT_RUN) {
        sort_short(numbers, count);
        return;
    }
    part_by_byte(numbers, count, shift, end);
    for (int b = 0; shift > 0 && b < 256; b++) {
        if (end[b] - first > 1)
            sort_bytes(numbers + first, end[b] - first, shift - 8);
        first = end[b];
    }
}

void sort_u32(uint32_t *numbers, size_t count, uint32_t most)
{
    int shift = 0;
    while (shift < 24 && most >> shift > 255)
        shift += 8;
    sort_bytes(numbers, count, shift);
}

size_t unique_u32(uint32_t *numbers, size_t count, uint32_t without)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t number = numbers[i];
        if (number != without && (kept == 0 || numbers[kept - 1] != number))
            numbers[kept++] = number;
    }
    return kept;
}
