/* result_name.c: see result_name.h */
#include "result_name.h"

#include "formats/base/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

int name_ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length >= end && strcmp(name + length - end, suffix) == 0;
}

/* Returns whether a name ends in the suffix, in upper or lower case. */
static int is_ending(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length >= end && strcasecmp(name + length - end, suffix) == 0;
}

enum status result_name_check(const char *name, enum result_content content, const char *program, struct error *e)
{
    static const char *const compression[][2] = {
        {".gz", "gzip"}, {".xz", "xz"}, {".zst", "zstd"}, {".bz2", "bzip2"}, {".lz4", "lz4"}};
    static const char *const formats[] = {".parquet", ".arrow", ".feather", ".npz",  ".h5",
                                          ".hdf5",    ".mat",   ".xlsx",    ".json", ".jsonl"};
    for (size_t i = 0; i < sizeof compression / sizeof *compression; i++) {
        if (is_ending(name, compression[i][0])) {
            char *word = text_word(name);
            fail(e, ST_USAGE, "%s: results are written as they are: use '-' for this file, and `%s ... | %s >%s`", name, program,
                 compression[i][1], word != NULL ? word : "FILE");
            free(word);
            return e->status;
        }
    }
    if (content == RESULT_IS_TABLE && (is_ending(name, ".npy") || is_ending(name, ".raw")))
        return fail(e, ST_USAGE, "%s: this result is a table, and no array: .csv, or lines with tabs", name);
    for (size_t i = 0; content != RESULT_IS_REPORT && i < sizeof formats / sizeof *formats; i++) {
        int stem = (int)(strlen(name) - strlen(formats[i]));
        if (is_ending(name, formats[i]))
            return content == RESULT_IS_TABLE
                       ? fail(e, ST_USAGE, "%s: %s is not written: '%.*s.csv' is a table", name, formats[i], stem, name)
                       : fail(e, ST_USAGE, "%s: %s is not written: '%.*s.npy' is an array for numpy.load, "
                              "'%.*s.csv' has a line for each vertex", name, formats[i], stem, name, stem, name);
    }
    return ST_OK;
}
