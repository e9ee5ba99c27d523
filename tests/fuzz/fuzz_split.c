/* fuzz_split.c: a split, read and checked */
#include "fuzz.h"

#include "formats/split.h"

int fuzz_one(const unsigned char *bytes, size_t size)
{
    struct memory_budget budget = {.limit_bytes = 64 << 20};
    struct split split = {0};
    struct error e = {0};
    int file;
    if (split_read(&split, fuzz_file(bytes, size, &file), &budget, &e) == ST_OK) {
        split_row(&split, split.th);
        split_free(&split);
    }
    if (budget.taken_bytes != 0)
        __builtin_trap();
    return e.status == ST_OK;
}
