/* mkwebgraph.c: writes graphs of WebGraph (BV format) for the tests. It shares no code with dbfs.
 *
 *   mkwebgraph BASE NODES [KEY=VALUE...] <ARCS    BASE.graph, BASE.properties, BASE.offsets, of lines `u v` in order of u
 *   mkwebgraph bits FILE [CODE...]                a file of codes: u, g, d, n and z are unary, gamma, delta, nibble and
 *                                                 zeta_3 of the number behind the letter, b stands before bits; without
 *                                                 CODE those of standard input
 *
 * KEY is windowsize (7), maxrefcount (3), minintervallength (4), zetak (3) or compressionflags. A list refers to the one
 * before it that makes it shortest. With KEY damage=NODE the offsets say that the node begins where
 * the one before it does.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum code { UNARY, GAMMA, DELTA, ZETA, NIBBLE, CODES };
enum part { OUTDEGREES, REFERENCES, BLOCK_COUNT, BLOCKS, RESIDUALS, OFFSETS, PARTS };

static const char *const code_name[CODES] = {"UNARY", "GAMMA", "DELTA", "ZETA", "NIBBLE"};
static const char *const part_name[PARTS] = {"OUTDEGREES", "REFERENCES", "BLOCK_COUNT", "BLOCKS", "RESIDUALS", "OFFSETS"};
static enum code code_of[PARTS] = {GAMMA, UNARY, GAMMA, GAMMA, ZETA, GAMMA};
static uint64_t window = 7, most_references = 3, least_interval = 4, zeta_k = 3;
static const char *flags = "";
static uint64_t damaged = UINT64_MAX;

struct bits {
    unsigned char *bytes;
    uint64_t count, room; /* bits; bytes */
};

struct list {
    uint64_t *ids, count, room, references; /* lists that it needs, one after the other */
};

static void *need(void *memory)
{
    if (memory == NULL)
        exit((perror("mkwebgraph"), 1));
    return memory;
}

/* ---- codes ---- */

static void put(struct bits *b, uint64_t value, uint64_t width)
{
    while (width-- > 0) {
        if (b->count / 8 >= b->room) {
            b->bytes = need(realloc(b->bytes, 2 * b->room + 64));
            memset(b->bytes + b->room, 0, b->room + 64);
            b->room = 2 * b->room + 64;
        }
        if (value >> width & 1)
            b->bytes[b->count / 8] |= (unsigned char)(128 >> b->count % 8);
        b->count++;
    }
}

static void put_unary(struct bits *b, uint64_t x)
{
    for (; x > 0; x--)
        put(b, 0, 1);
    put(b, 1, 1);
}

static uint64_t log_of(uint64_t x)
{
    return 63 - (uint64_t)__builtin_clzll(x);
}

static void put_code(struct bits *b, enum code code, uint64_t k, uint64_t x)
{
    uint64_t length = log_of(x + 1), h = length / k, left = UINT64_C(1) << h * k, groups;
    switch (code) {
    case UNARY: put_unary(b, x); break;
    case GAMMA:
        put_unary(b, length);
        put(b, x + 1, length);
        break;
    case DELTA:
        put_code(b, GAMMA, 1, length);
        put(b, x + 1, length);
        break;
    case ZETA:
        put_unary(b, h);
        if (x + 1 - left < left)
            put(b, x + 1 - left, h * k + k - 1);
        else
            put(b, x + 1, h * k + k);
        break;
    default:
        for (groups = x == 0 ? 1 : log_of(x) / 3 + 1; groups-- > 0;)
            put(b, (groups == 0) << 3 | (x >> 3 * groups & 7), 4);
    }
}

static uint64_t natural(uint64_t from, uint64_t to)
{
    return to >= from ? 2 * (to - from) : 2 * (from - to) - 1;
}

/* ---- lists ---- */

/* Writes the list of a node, which refers to the list `reference` before it; 0: to none. */
static void put_list(struct bits *b, uint64_t node, const struct list *list, const struct list *source, uint64_t reference)
{
    uint64_t *extra = need(malloc(8 * (list->count + 1))), extras = 0, i = 0, j = 0;
    put_code(b, code_of[OUTDEGREES], zeta_k, list->count);
    if (list->count > 0 && window > 0)
        put_code(b, code_of[REFERENCES], zeta_k, reference);
    if (reference > 0) { /* blocks of the source that are in the list, and not, by turns */
        uint64_t *block = need(calloc(source->count + 2, 8)), blocks = 0;
        int copies = 1;
        for (j = 0; j < source->count; j++) {
            while (i < list->count && list->ids[i] < source->ids[j])
                extra[extras++] = list->ids[i++];
            int is_there = i < list->count && list->ids[i] == source->ids[j];
            i += is_there;
            blocks += is_there != copies;
            copies = is_there;
            block[blocks]++;
        }
        put_code(b, code_of[BLOCK_COUNT], zeta_k, blocks); /* the last one is not written */
        for (uint64_t at = 0; at < blocks; at++)
            put_code(b, code_of[BLOCKS], zeta_k, block[at] - (at > 0));
        free(block);
    }
    while (i < list->count)
        extra[extras++] = list->ids[i++];
    if (extras > 0 && least_interval > 0) { /* runs, which leave `extra` */
        uint64_t *left = need(malloc(8 * extras)), *length = need(malloc(8 * extras)), runs = 0, kept = 0, end = node;
        for (i = 0; i < extras; i = j) {
            for (j = i + 1; j < extras && extra[j] == extra[j - 1] + 1;)
                j++;
            if (j - i >= least_interval) {
                left[runs] = extra[i];
                length[runs++] = j - i;
                continue;
            }
            for (uint64_t at = i; at < j; at++)
                extra[kept++] = extra[at];
        }
        extras = kept;
        put_code(b, GAMMA, 1, runs);
        for (i = 0; i < runs; i++) {
            put_code(b, GAMMA, 1, i == 0 ? natural(end, left[i]) : left[i] - end - 1);
            put_code(b, GAMMA, 1, length[i] - least_interval);
            end = left[i] + length[i];
        }
        free(left);
        free(length);
    }
    for (i = 0; i < extras; i++)
        put_code(b, code_of[RESIDUALS], zeta_k, i == 0 ? natural(node, extra[0]) : extra[i] - extra[i - 1] - 1);
    free(extra);
}

/* Writes the list of a node in the shortest way. */
static void put_shortest(struct bits *graph, struct list *lists, uint64_t node)
{
    struct list *list = &lists[node];
    struct bits best = {0};
    for (uint64_t reference = 0; reference <= window && reference <= node; reference++) {
        struct bits tried = {0};
        const struct list *source = reference > 0 ? list - reference : NULL;
        if (source != NULL && (source->references >= most_references || source->count == 0 || list->count == 0))
            continue;
        put_list(&tried, node, list, source, reference);
        if (best.count == 0 || tried.count < best.count) {
            free(best.bytes);
            best = tried;
            list->references = source != NULL ? source->references + 1 : 0;
        } else {
            free(tried.bytes);
        }
    }
    for (uint64_t i = 0; i < best.count; i++)
        put(graph, best.bytes[i / 8] >> (7 - i % 8) & 1, 1);
    free(best.bytes);
}

static FILE *create(const char *base, const char *suffix)
{
    char name[4096];
    snprintf(name, sizeof name, "%s%s", base, suffix);
    return need(fopen(name, "wb"));
}

static void write_bits(const char *base, const char *suffix, const struct bits *b)
{
    FILE *file = create(base, suffix);
    fwrite(b->bytes, 1, (b->count + 7) / 8, file);
    fclose(file);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Reads the arcs. Returns how many there are without duplicates. */
static uint64_t read_lists(struct list *lists, uint64_t nodes)
{
    uint64_t u, v, arcs = 0;
    while (scanf("%" SCNu64 "%" SCNu64, &u, &v) == 2) {
        if (u >= nodes || v >= nodes)
            exit(2);
        struct list *list = &lists[u];
        if (list->count == list->room) {
            list->room = 2 * list->room + 4;
            list->ids = need(realloc(list->ids, 8 * list->room));
        }
        list->ids[list->count++] = v;
    }
    for (u = 0; u < nodes; u++) {
        uint64_t kept = 0;
        if (lists[u].count > 0)
            qsort(lists[u].ids, lists[u].count, 8, compare);
        for (v = 0; v < lists[u].count; v++) {
            if (v == 0 || lists[u].ids[v] != lists[u].ids[v - 1])
                lists[u].ids[kept++] = lists[u].ids[v];
        }
        arcs += lists[u].count = kept;
    }
    return arcs;
}

static void take_option(const char *text)
{
    const char *value = strchr(text, '=') + 1;
    uint64_t number = strtoull(value, NULL, 10);
    char flag[64];
    switch (*text) {
    case 'w': window = number; break;
    case 'z': zeta_k = number; break;
    case 'c': flags = value; break;
    case 'd': damaged = number; break;
    default: *(text[1] == 'a' ? &most_references : &least_interval) = number;
    }
    for (int part = 0; *text == 'c' && part < PARTS; part++) {
        for (int code = 0; code < CODES; code++) {
            snprintf(flag, sizeof flag, "%s_%s", part_name[part], code_name[code]);
            if (strstr(value, flag) != NULL)
                code_of[part] = (enum code)code;
        }
    }
}

static void put_word(struct bits *b, const char *word)
{
    static const char letters[] = "ugdzn";
    const char *letter = strchr(letters, word[0]);
    if (letter != NULL)
        put_code(b, (enum code)(letter - letters), 3, strtoull(word + 1, NULL, 10));
    for (const char *bit = word + 1; letter == NULL && *bit != '\0'; bit++)
        put(b, *bit == '1', 1);
}

static int write_codes(const char *name, char **codes, int count)
{
    struct bits b = {0};
    char word[64];
    for (int i = 0; i < count; i++)
        put_word(&b, codes[i]);
    while (count == 0 && scanf("%63s", word) == 1)
        put_word(&b, word);
    write_bits(name, "", &b);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    if (strcmp(argv[1], "bits") == 0)
        return write_codes(argv[2], argv + 3, argc - 3);
    for (int i = 3; i < argc; i++)
        take_option(argv[i]);
    uint64_t nodes = strtoull(argv[2], NULL, 10), before = 0;
    struct list *lists = need(calloc(nodes + 1, sizeof *lists));
    uint64_t arcs = read_lists(lists, nodes);
    struct bits graph = {0}, offsets = {0};
    for (uint64_t node = 0; node <= nodes; node++) {
        put_code(&offsets, code_of[OFFSETS], zeta_k, node == damaged ? 0 : graph.count - before);
        if (node != damaged)
            before = graph.count;
        if (node < nodes)
            put_shortest(&graph, lists, node);
    }
    write_bits(argv[1], ".graph", &graph);
    write_bits(argv[1], ".offsets", &offsets);
    FILE *file = create(argv[1], ".properties");
    fprintf(file,
            "#BVGraph properties\nversion=0\ngraphclass=it.unimi.dsi.webgraph.BVGraph\nnodes=%" PRIu64 "\narcs=%" PRIu64
            "\nwindowsize=%" PRIu64 "\nmaxrefcount=%" PRIu64 "\nminintervallength=%" PRIu64 "\nzetak=%" PRIu64
            "\ncompressionflags=%s\n",
            nodes, arcs, window, most_references, least_interval, zeta_k, flags);
    fclose(file);
    return 0;
}
