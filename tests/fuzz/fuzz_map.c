/* fuzz_map.c: a map of names, for any number of vertices up to its number of lines */
#include "fuzz.h"

#include "formats/name_map.h"

#include <string.h>

static void look_up(const struct name_map *map, uint64_t n)
{
    char name[256];
    const char *names[] = {name};
    uint64_t vertex;
    struct error e = {0};
    struct map_name last = name_map_at(map, n - 1);
    size_t length = last.length < sizeof name - 1 ? last.length : sizeof name - 1;
    memcpy(name, last.bytes, length);
    name[length] = '\0';
    name_map_find(map, names, 1, &vertex, &e);
    for (uint64_t i = 0; i < n; i += 61)
        name_map_at(map, i);
}

int fuzz_one(const unsigned char *bytes, size_t size)
{
    struct memory_budget budget = {.limit_bytes = 64 << 20};
    struct name_map *map = NULL;
    struct error e = {0};
    uint64_t n = 0;
    int file;
    for (size_t i = 0; i < size; i++)
        n += bytes[i] == '\n';
    if (name_map_open(&map, fuzz_file(bytes, size, &file), n, &budget, &e) == ST_OK && n > 0)
        look_up(map, n);
    name_map_close(map);
    return e.status == ST_OK;
}
