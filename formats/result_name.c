/* result_name.c: see result_name.h */
#include "result_name.h"

#include "formats/base/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define OF(content) (1u << RESULT_IS_##content)

enum { TEXT = OF(VALUES) | OF(TABLE) | OF(TABS) | OF(NAMES) };

/* Suffixes that readers know, the contents that files of this name may have, and for compressed files the program that makes them. */
static const struct {
    const char *suffix;
    unsigned contents;
    const char *compressor;
} known[] = {
    {".csv", OF(VALUES) | OF(TABLE), NULL},
    {".tsv", TEXT, NULL},
    {".txt", TEXT | OF(REPORT), NULL},
    {".npy", OF(VALUES), NULL},
    {".raw", OF(VALUES) | OF(NUMBERS), NULL},
    {".json", OF(REPORT), NULL},
    {".jsonl", OF(REPORT), NULL},
    {".el", OF(TABS), NULL},
    {".edges", OF(STREAM), NULL},
    {".split", OF(SPLIT), NULL},
    {".sg", OF(SG), NULL},
    {".dbfs", OF(FOLDER), NULL},
    {".gz", 0, "gzip"},
    {".xz", 0, "xz"},
    {".zst", 0, "zstd"},
    {".bz2", 0, "bzip2"},
    {".lz4", 0, "lz4"},
    {".parquet", 0, NULL},
    {".arrow", 0, NULL},
    {".feather", 0, NULL},
    {".npz", 0, NULL},
    {".h5", 0, NULL},
    {".hdf5", 0, NULL},
    {".mat", 0, NULL},
    {".mtx", 0, NULL},
    {".xlsx", 0, NULL},
    {".graph", OF(FOLDER), NULL},
    {".graphml", 0, NULL},
    {".gml", 0, NULL},
};

/* What each content is: suffixes that are written, and what a file of this name then is. */
static const struct {
    const char *suffix, *is, *other_suffix, *other_is;
} written[] = {
    [RESULT_IS_REPORT] = {".json", "is JSON", NULL, NULL},
    [RESULT_IS_VALUES] = {".npy", "is an array for numpy.load", ".csv", "has a line for each vertex"},
    [RESULT_IS_TABLE] = {".csv", "is a table", NULL, NULL},
    [RESULT_IS_TABS] = {".tsv", "has lines with tabs", NULL, NULL},
    [RESULT_IS_NAMES] = {".map", "has a name in each line", NULL, NULL},
    [RESULT_IS_STREAM] = {".edges", "is an edge stream; edgeconv and rmatgen have an option for text", NULL, NULL},
    [RESULT_IS_SPLIT] = {".split", "is a threshold and its delegates, for dbfs-pack", NULL, NULL},
    [RESULT_IS_NUMBERS] = {".bin", "has integers without a head, for numpy.fromfile", NULL, NULL},
    [RESULT_IS_SG] = {".sg", "is a graph for GAPBS", NULL, NULL},
    [RESULT_IS_FOLDER] = {".dbfs", "is a folder of shards", NULL, NULL},
};

int name_ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length >= end && strcasecmp(name + length - end, suffix) == 0;
}

enum status result_name_check(const char *name, enum result_content content, const char *program, struct error *e)
{
    size_t i = 0, count = sizeof known / sizeof *known;
    while (name != NULL && i < count && !name_ends_in(name, known[i].suffix))
        i++;
    if (name == NULL || i == count || (known[i].contents >> content & 1))
        return ST_OK;
    if (known[i].compressor != NULL && content != RESULT_IS_FOLDER && content != RESULT_IS_NAMES) { /* these take no '-' */
        char *word = text_word(name);
        fail(e, ST_USAGE, "%s: results are written as they are: use '-' for this file, and `%s ... | %s >%s`", name, program,
             known[i].compressor, word != NULL ? word : "FILE");
        free(word);
        return e->status;
    }
    int stem = (int)(strlen(name) - strlen(known[i].suffix));
    if (written[content].other_suffix == NULL)
        return fail(e, ST_USAGE, "%s: %s is not written: '%.*s%s' %s", name, known[i].suffix, stem, name,
                    written[content].suffix, written[content].is);
    return fail(e, ST_USAGE, "%s: %s is not written: '%.*s%s' %s, '%.*s%s' %s", name, known[i].suffix, stem, name,
                written[content].suffix, written[content].is, stem, name, written[content].other_suffix, written[content].other_is);
}
