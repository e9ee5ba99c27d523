/* webgraph_properties.c: see webgraph_properties.h
 *
 * Keys that say nothing of the bits, such as statistics, are left out.
 */
#include "webgraph_properties.h"

#include "tools/convert/input/beside.h"
#include "tools/convert/input/java_properties.h"

#include "formats/edges/edges.h"
#include "formats/base/text.h"

#include <string.h>

enum {
    MOST_WINDOW = 1 << 16,
    MOST_ZETA_K = 16,
};

typedef unsigned long long ull;

static const char a_graph[] = "it.unimi.dsi.webgraph.BVGraph", a_big_graph[] = "it.unimi.dsi.big.webgraph.BVGraph";

/* ---- codes ---- */

/* The codes that WebGraph has for each part, as bits; the first is the one without a flag. */
static const struct {
    const char *name;
    enum code usual;
    unsigned allowed;
} part_codes[PARTS] = {
#define BIT(CODE) (1u << CODE_##CODE)
    [PART_OUTDEGREES] = {"OUTDEGREES", CODE_GAMMA, BIT(GAMMA) | BIT(DELTA)},
    [PART_REFERENCES] = {"REFERENCES", CODE_UNARY, BIT(UNARY) | BIT(GAMMA) | BIT(DELTA)},
    [PART_BLOCK_COUNT] = {"BLOCK_COUNT", CODE_GAMMA, BIT(UNARY) | BIT(GAMMA) | BIT(DELTA)},
    [PART_BLOCKS] = {"BLOCKS", CODE_GAMMA, BIT(UNARY) | BIT(GAMMA) | BIT(DELTA)},
    [PART_INTERVALS] = {"INTERVALS", CODE_GAMMA, BIT(GAMMA)},
    [PART_RESIDUALS] = {"RESIDUALS", CODE_ZETA, BIT(GAMMA) | BIT(DELTA) | BIT(ZETA) | BIT(NIBBLE)},
    [PART_OFFSETS] = {"OFFSETS", CODE_GAMMA, BIT(GAMMA) | BIT(DELTA)},
#undef BIT
};

/* Sets the code of a part by one flag, PART_CODE, such as RESIDUALS_GAMMA. Returns 0 if WebGraph has no such code there. */
static int take_flag(struct webgraph_properties *p, const char *flag)
{
    static const char *const code_name[CODES] = {"UNARY", "GAMMA", "DELTA", "ZETA", "NIBBLE"};
    for (int part = 0; part < PARTS; part++) {
        size_t length = strlen(part_codes[part].name);
        if (strncmp(flag, part_codes[part].name, length) != 0 || flag[length] != '_')
            continue;
        for (int code = 0; code < CODES; code++) {
            if (strcmp(flag + length + 1, code_name[code]) != 0 || (part_codes[part].allowed >> code & 1) == 0)
                continue;
            p->code[part] = (enum code)code;
            return 1;
        }
    }
    return 0;
}

/* Sets codes by all flags of `compressionflags`: FLAG | FLAG. */
static enum status take_flags(struct webgraph_properties *p, const char *name, char *value, struct error *e)
{
    char *rest = value, *flag;
    while ((flag = strsep(&rest, "| ,")) != NULL) {
        if (*flag != '\0' && !take_flag(p, flag))
            return fail(e, ST_BAD_DATA, "%s: found the flag %.80s, expected codes that edgeconv reads: gamma, delta, unary, "
                        "zeta or nibble, where WebGraph has them", name, flag);
    }
    return ST_OK;
}

/* ---- values ---- */

enum key { NODES, ARCS, WINDOW, LEAST_INTERVAL, ZETA_K, VERSION, CLASS, ENDIANNESS, FLAGS, KEYS };

static const struct {
    const char *name;
    int needed;
    uint64_t most; /* of a number; 0: it is no number */
} keys[KEYS] = {
    [NODES] = {"nodes", 1, DBFS_MAX_VERTICES},
    [ARCS] = {"arcs", 1, INT64_MAX},
    [WINDOW] = {"windowsize", 1, MOST_WINDOW},
    [LEAST_INTERVAL] = {"minintervallength", 1, INT64_MAX},
    [ZETA_K] = {"zetak", 0, MOST_ZETA_K},
    [VERSION] = {"version", 0, INT64_MAX},
    [CLASS] = {"graphclass", 1, 0},
    [ENDIANNESS] = {"endianness", 0, 0},
    [FLAGS] = {"compressionflags", 0, 0},
};

/* Refuses a graph of any class but BVGraph, such as one with labels. */
static enum status check_class(const char *name, const char *value, struct error *e)
{
    if (strncmp(value, "class ", 6) == 0)
        value += 6;
    if (strcmp(value, a_graph) == 0 || strcmp(value, a_big_graph) == 0)
        return ST_OK;
    const char *remedy = strstr(value, "label") != NULL || strstr(value, "Label") != NULL
                             ? ": labels are not read; give the graph that underlyinggraph names" : "";
    return fail(e, ST_BAD_DATA, "%s: is of the class %.120s, expected %s%s", name, value, a_graph, remedy);
}

/* Stores the value of one key in *p, or checks it where only one value can be read. */
static enum status take_value(struct webgraph_properties *p, const char *name, enum key key, char *value, struct error *e)
{
    uint64_t number = 0, least = key == ZETA_K;
    if (keys[key].most > 0 && (parse_u64(value, &number) != 0 || number < least || number > keys[key].most))
        return fail(e, ST_BAD_DATA, "%s: found %s %.40s, expected a number from %llu to %llu", name, keys[key].name, value,
                    (ull)least, (ull)keys[key].most);
    switch (key) {
    case NODES: p->nodes = number; break;
    case ARCS: p->arcs = number; break;
    case WINDOW: p->window = number; break;
    case LEAST_INTERVAL: p->least_interval = number; break;
    case ZETA_K: p->zeta_k = (unsigned)number; break;
    case VERSION:
        if (number != 0)
            return fail(e, ST_BAD_DATA, "%s: found version %llu of the format, expected 0", name, (ull)number);
        break;
    case CLASS: return check_class(name, value, e);
    case ENDIANNESS:
        if (strcmp(value, "big") != 0)
            return fail(e, ST_BAD_DATA, "%s: found the endianness %.40s, expected big, as WebGraph in Java has it", name,
                        value);
        break;
    case FLAGS: return take_flags(p, name, value, e);
    case KEYS: break;
    }
    return ST_OK;
}

/* Takes the values of the keys that are known; each may come once, and some must come. */
static enum status take_lines(struct webgraph_properties *p, const char *name, struct java_properties *file, struct error *e)
{
    int seen[KEYS] = {0};
    const char *word;
    char *value;
    while (java_properties_next(file, &word, &value)) {
        int key = 0;
        while (key < KEYS && strcmp(word, keys[key].name) != 0)
            key++;
        if (key == KEYS)
            continue;
        if (seen[key]++)
            return fail(e, ST_BAD_DATA, "%s: found %s twice, expected it once", name, keys[key].name);
        if (take_value(p, name, (enum key)key, value, e) != ST_OK)
            return e->status;
    }
    for (int key = 0; key < KEYS; key++) {
        if (keys[key].needed && !seen[key])
            return fail(e, ST_BAD_DATA, "%s: found no %s, expected the properties of a graph of WebGraph", name,
                        keys[key].name);
    }
    return ST_OK;
}

enum status webgraph_read_properties(struct webgraph_properties *p, const char *graph, struct error *e)
{
    char name[BESIDE_NAME_BYTES];
    struct java_properties file;
    *p = (struct webgraph_properties){.zeta_k = 3};
    for (int part = 0; part < PARTS; part++)
        p->code[part] = part_codes[part].usual;
    if (!beside_name(graph, BESIDE_PROPERTIES, name))
        return fail(e, ST_BAD_DATA, "%s: expected a file NAME.graph of WebGraph, with NAME.properties beside it", graph);
    if (java_properties_load(&file, name, e) == ST_OK)
        take_lines(p, name, &file, e);
    java_properties_close(&file);
    return e->status;
}
