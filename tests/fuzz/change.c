/* change.c: see change.h */
#include "change.h"

#include "mend.h"

#include <string.h>

uint64_t change_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static size_t below(size_t limit, uint64_t *state)
{
    return limit > 0 ? (size_t)(change_random(state) % limit) : 0;
}

/* Values at which readers go wrong, around the old one. */
static uint64_t odd_value(uint64_t old, uint64_t *state)
{
    uint64_t r = change_random(state), one = UINT64_C(1) << (r >> 8 & 63);
    switch (r % 8) {
    case 0: return old + 1;
    case 1: return old - 1;
    case 2: return 0;
    case 3: return UINT64_MAX;
    case 4: return one;
    case 5: return old + one;
    case 6: return old ^ one;
    default: return change_random(state);
    }
}

static void set_word(unsigned char *p, size_t width, uint64_t *state)
{
    if (width == 8)
        put_u64_at(p, odd_value(get_u64_at(p), state));
    else if (width == 4)
        put_u32_at(p, (uint32_t)odd_value(get_u32_at(p), state));
    else
        *p = (unsigned char)odd_value(*p, state);
}

static size_t insert_copy(unsigned char *bytes, size_t size, size_t room, uint64_t *state)
{
    size_t from = below(size, state), to = below(size + 1, state);
    size_t length = 1 + below(size - from, state);
    if (length > room - size)
        length = room - size;
    memmove(bytes + to + length, bytes + to, size - to);
    if (from < size && length > 0)
        memmove(bytes + to, bytes + from, from + length <= size ? length : size - from);
    return size + length;
}

static size_t remove_stretch(unsigned char *bytes, size_t size, uint64_t *state)
{
    size_t at = below(size, state), length = 1 + below(size - at, state) % 64;
    if (length > size - at)
        length = size - at;
    memmove(bytes + at, bytes + at + length, size - at - length);
    return size - length;
}

/* A change within bytes[begin..end). */
static void change_within(unsigned char *bytes, size_t begin, size_t end, uint64_t *state)
{
    static const size_t widths[] = {1, 4, 8, 8};
    size_t width = widths[change_random(state) % 4];
    if (end - begin < width)
        return;
    size_t at = begin + below((end - begin) / width, state) * width;
    if (change_random(state) % 3 == 0)
        bytes[at] ^= (unsigned char)(1 << (change_random(state) & 7));
    else
        set_word(bytes + at, width, state);
}

size_t change_bytes(unsigned char *bytes, size_t size, size_t room, uint64_t *state)
{
    if (size == 0)
        return 0;
    switch (change_random(state) % 12) {
    case 0: return below(size, state);
    case 1: return insert_copy(bytes, size, room, state);
    case 2: return remove_stretch(bytes, size, state);
    default: change_within(bytes, 0, size, state); return size;
    }
}

static void change_container(unsigned char *bytes, size_t size, uint64_t *state)
{
    uint32_t sections = size >= 32 ? get_u32_at(bytes + 12) : 0;
    unsigned char *entry = container_entry(bytes, size, (uint32_t)below(sections, state));
    if (entry == NULL || change_random(state) % 8 == 0) {
        change_within(bytes, 0, size < 32 ? size : 32, state);
    } else if (change_random(state) % 4 == 0) {
        size_t at = (size_t)(entry - bytes);
        change_within(bytes, at, at + 48, state);
    } else {
        uint64_t at = get_u64_at(entry + 16), length = get_u64_at(entry + 24);
        if (at <= size && length <= size - at)
            change_within(bytes, at, at + length, state);
    }
}

static void change_stream(unsigned char *bytes, size_t size, uint64_t *state)
{
    size_t ends[] = {64, size >= 64 ? 64 + get_u32_at(bytes + 20) + 24 : size, size};
    size_t end = ends[change_random(state) % 3];
    size_t begin = end == size && change_random(state) % 2 == 0 && size > 64 ? size - 64 : 0;
    change_within(bytes, begin, end < size ? end : size, state);
}

size_t change_by_kind(unsigned char *bytes, size_t size, size_t room, uint64_t *state)
{
    enum file_kind kind = mend_kind(bytes, size);
    if (kind == KIND_CONTAINER && change_random(state) % 16 != 0)
        change_container(bytes, size, state);
    else if (kind == KIND_EDGES && change_random(state) % 4 != 0)
        change_stream(bytes, size, state);
    else
        return change_bytes(bytes, size, room, state);
    return size;
}
