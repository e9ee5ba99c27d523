/* beside.c: see beside.h */
#include "beside.h"

#include "java_properties.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const suffixes[BESIDE_KINDS] = {[BESIDE_PROPERTIES] = ".properties", [BESIDE_OFFSETS] = ".offsets"};

/* Replaces .graph at the end of a name by another suffix. Returns 0 if there is none. */
static int replace_suffix(const char *graph, const char *suffix, char name[BESIDE_NAME_BYTES])
{
    static const char own[] = ".graph";
    size_t length = strlen(graph), base = length - (sizeof own - 1);
    if (length < sizeof own || strcmp(graph + base, own) != 0 || base + strlen(suffix) >= BESIDE_NAME_BYTES)
        return 0;
    memcpy(name, graph, base);
    strcpy(name + base, suffix);
    return 1;
}

/* As replace_suffix, for the file that a symbolic link leads to. Returns 0 for any other file. */
static int replace_real_suffix(const char *graph, const char *suffix, char name[BESIDE_NAME_BYTES])
{
    char link[1], real[PATH_MAX];
    return readlink(graph, link, sizeof link) >= 0 && realpath(graph, real) != NULL && replace_suffix(real, suffix, name);
}

/* Sets `name` beside the graph or, if only there a file exists, beside what the link leads to. Returns 0 without .graph. */
int beside_name(const char *graph, enum beside kind, char name[BESIDE_NAME_BYTES])
{
    char real[BESIDE_NAME_BYTES];
    int is_named = replace_suffix(graph, suffixes[kind], name);
    if ((is_named && access(name, F_OK) == 0) || !replace_real_suffix(graph, suffixes[kind], real) ||
        (is_named && access(real, F_OK) != 0))
        return is_named;
    strcpy(name, real);
    return 1;
}

/* Nonzero if the properties beside the graph are of WebGraph, or if memory is too short to read them. */
int beside_webgraph(const char *graph)
{
    struct error e = {0};
    struct java_properties properties;
    char name[BESIDE_NAME_BYTES], *value;
    const char *key;
    int named = 0;
    if (!beside_name(graph, BESIDE_PROPERTIES, name))
        return 0;
    if (java_properties_load(&properties, name, &e) != ST_OK)
        named = e.status == ST_RESOURCE; /* whoever reads the graph says so */
    while (e.status == ST_OK && !named && java_properties_next(&properties, &key, &value))
        named = strcmp(key, "graphclass") == 0 && strstr(value, "webgraph") != NULL;
    java_properties_close(&properties);
    return named;
}

int beside_list(const char *graph, char name[BESIDE_MOST][BESIDE_NAME_BYTES], enum beside kind[BESIDE_MOST])
{
    int count = 0;
    if (!beside_webgraph(graph))
        return 0;
    for (int k = 0; k < BESIDE_KINDS; k++) {
        kind[count] = (enum beside)k;
        count += replace_suffix(graph, suffixes[k], name[count]);
        kind[count] = (enum beside)k;
        count += replace_real_suffix(graph, suffixes[k], name[count]);
    }
    return count;
}
