/* fuzz_packed.c: a packed section: 16 bytes give width, count and rows; then come offsets, heads, the section */
#include "fuzz.h"

#include "formats/container/packed.h"

#include <stdlib.h>
#include <string.h>

/* Copies each array into exactly its size, so that a sanitizer sees reads beyond it. */
static void *copy_of(const unsigned char *bytes, size_t size)
{
    void *copy = malloc(size + (size == 0));
    if (copy == NULL)
        _Exit(2);
    return memcpy(copy, bytes, size);
}

int fuzz_one(const unsigned char *bytes, size_t size)
{
    struct error e = {0};
    struct packed packed;
    int good = 0;
    if (size < 16)
        return 0;
    uint32_t width = bytes[0] % 2 == 0 ? 4 : 8, rows = bytes[1] % 64, with = bytes[2] % 3;
    uint32_t count = bytes[4] | (uint32_t)(bytes[5] & 15) << 8, offset_width = bytes[3] % 2 ? 4 : 8;
    size_t before = with > 0 ? (rows + 1) * offset_width + rows * 4 : 0;
    if (size - 16 < before)
        return 0;
    void *offsets = copy_of(bytes + 16, with > 0 ? (rows + 1) * offset_width : 0);
    void *heads = copy_of(bytes + 16 + before - (with > 0 ? rows * 4 : 0), with > 0 ? rows * 4 : 0);
    void *section = copy_of(bytes + 16 + before, size - 16 - before);
    struct packed_rows columns = {rows, offsets, offset_width, with > 1 ? heads : NULL};
    if (packed_open(&packed, section, size - 16 - before, width, count, "section", &e) == ST_OK) {
        void *array = malloc((size_t)count * width + 1);
        if (array != NULL)
            good = packed_decode_all(&packed, with > 0 ? &columns : NULL, array, 1) == ST_OK;
        free(array);
    }
    free(offsets);
    free(heads);
    free(section);
    return good;
}
