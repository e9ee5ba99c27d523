/* packed_seeds.c: makes packed sections for fuzz_packed.c in the folder that it is given */
#include "formats/container/packed.h"
#include "formats/base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 40, COUNT = 1000, KINDS = 4 };

static uint64_t element(int kind, uint64_t i)
{
    switch (kind) {
    case 0: return 3 * i + random64(1, i) % 3;         /* gaps */
    case 1: return random64(2, i) % 1000;              /* a frame */
    case 2: return i + (i / 128 << 20);                /* far apart */
    default: return i % 25 * 40 + random64(3, i) % 40; /* rows of 25 columns */
    }
}

static void put_element(void *array, uint32_t width, uint64_t i, uint64_t value)
{
    if (width == 4)
        ((uint32_t *)array)[i] = (uint32_t)value;
    else
        ((uint64_t *)array)[i] = value;
}

/* Writes the 16 bytes, offsets and heads, and the section. */
static int write_seed(const char *folder, int kind, uint32_t width)
{
    struct memory_budget budget = {.limit_bytes = 1 << 24};
    struct packed_encoder encoder;
    struct packed_block block[COUNT];
    struct error e = {0};
    uint32_t offsets[ROWS + 1], heads[ROWS] = {0}, words[4 * COUNT];
    uint64_t elements[COUNT];
    unsigned char header[16] = {width == 8, ROWS, kind == 3 ? 1 : 0, 1, COUNT & 255, COUNT >> 8};
    struct packed_rows rows = {ROWS, offsets, 4, NULL};
    char path[4096];
    for (uint64_t i = 0; i < COUNT; i++)
        put_element(elements, width, i, element(kind, i));
    for (uint32_t i = 0; i <= ROWS; i++)
        offsets[i] = i * (COUNT / ROWS);
    uint64_t made = packed_encode_blocks(width, kind == 3 ? &rows : NULL, elements, COUNT, words,
                                         block, 1);
    packed_encoder_init(&encoder, width, &budget);
    if (packed_encoder_add(&encoder, COUNT, block, made, &e) != ST_OK)
        return 1;
    size_t size = packed_directory_bytes(&encoder);
    unsigned char *directory = malloc(size);
    snprintf(path, sizeof path, "%s/kind-%d-width-%u", folder, kind, width);
    FILE *file = fopen(path, "wb");
    if (directory == NULL || file == NULL)
        return 1;
    packed_directory(&encoder, directory);
    fwrite(header, 1, sizeof header, file);
    if (kind == 3) {
        fwrite(offsets, sizeof *offsets, ROWS + 1, file);
        fwrite(heads, sizeof *heads, ROWS, file);
    }
    fwrite(words, 4, made, file);
    fwrite(directory, 1, size, file);
    free(directory);
    packed_encoder_free(&encoder);
    return fclose(file) != 0;
}

int main(int argc, char **argv)
{
    for (int kind = 0; argc == 2 && kind < KINDS; kind++) {
        if (write_seed(argv[1], kind, 4) != 0 || write_seed(argv[1], kind, 8) != 0)
            return 1;
    }
    return argc == 2 ? 0 : 2;
}
