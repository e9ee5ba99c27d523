/* test_shard_join.c: joined shards.
 *
 * The shards of a graph, joined, have every section of the one shard that dbfs-pack -p 1 --encoding raw makes of the same edges
 * with the same TH. A damaged shard is refused. */
#include "stream.h"
#include "unit.h"

#include "formats/graph/shard_join.h"
#include "tools/pack/pack.h"

static char folder[64];
static struct memory_budget budget = {.limit_bytes = UINT64_C(1) << 30};

/* The settings of a case. */
struct setting {
    uint32_t p;
    uint64_t th;
    int heads, out_only;
    enum pack_encoding encoding;
};

/* Packs a stream, and opens the shards. */
static struct shard *pack_shards(const struct stream *stream, const struct setting *setting)
{
    struct pack_options o = {.p = setting->p, .th_given = 1, .th = setting->th, .encoding = setting->encoding, .mode = FOLDER_FORCE,
                             .threads = 2, .folder = folder, .out_only = setting->out_only};
    struct shard *shards = calloc(setting->p, sizeof *shards);
    struct edge_source source = open_stream(stream);
    struct pack_report packed;
    struct manifest manifest;
    struct error e = {0};
    for (int g = 0; g < SUBGRAPHS; g++)
        o.heads[g] = setting->heads;
    if (pack(&o, &source, &budget, &packed, &e) != ST_OK || manifest_read(&manifest, folder, &e) != ST_OK)
        stop_at(&e);
    for (uint32_t s = 0; s < setting->p; s++) {
        if (manifest_open_shard(&manifest, folder, s, &shards[s], &e) != ST_OK)
            stop_at(&e);
    }
    manifest_free(&manifest);
    edge_source_close(&source);
    return shards;
}

static void close_shards(struct shard *shards, uint32_t p)
{
    for (uint32_t s = 0; s < p; s++)
        shard_close(&shards[s]);
    free(shards);
}

/* Returns whether two shards have the same sections, but for the number of the packing. */
static int same_sections(const struct shard *joined, const struct shard *single)
{
    int same = container_sections(joined->file) == container_sections(single->file);
    for (uint32_t i = 0; i < container_sections(single->file); i++) {
        const struct section *a = container_section(single->file, i), *b = container_find(joined->file, a->type);
        if (b == NULL || a->count != b->count || a->width != b->width)
            return 0;
        if (a->type != SHARD_ATTRIBUTES) {
            same &= memcmp(a->data, b->data, section_decoded_bytes(a)) == 0;
            continue;
        }
        for (uint32_t at = 0; at < a->count; at++)
            same &= at == SHARD_AT_PACK_ID || ((const uint64_t *)a->data)[at] == ((const uint64_t *)b->data)[at];
    }
    return same;
}

/* Returns whether the joined shards of a stream are the shard of a packing with p = 1. */
static int joins_as_packed(const struct stream *stream, struct setting setting, int threads)
{
    const struct join_options options = {.path = "joined", .threads = threads, .budget = &budget};
    struct shard *shards = pack_shards(stream, &setting), joined;
    struct error e = {0};
    if (shard_join(&joined, shards, setting.p, &options, &e) != ST_OK)
        stop_at(&e);
    close_shards(shards, setting.p);
    setting.p = 1;
    setting.encoding = PACK_RAW;
    struct shard *single = pack_shards(stream, &setting);
    int same = same_sections(&joined, single) && shard_load(&joined, SHARD_ALL_COLUMNS, 2, &budget, &e) == ST_OK &&
               shard_check(&joined, 2, &e) == ST_OK && container_check_all(joined.file, 2, &e) == ST_OK;
    close_shards(single, 1);
    shard_close(&joined);
    return same && budget.taken_bytes == 0;
}

static void test_joined(void)
{
    static const uint32_t shards[] = {2, 3, 7};
    static const uint64_t th[] = {0, 16, TH_INFINITE};
    static const enum edges_direction direction[] = {EDGES_UNDIRECTED_ONCE, EDGES_SYMMETRIC, EDGES_DIRECTED};
    int same[3] = {1, 1, 1}, given = 1, out_only = 1;
    for (unsigned i = 0; i < 27; i++) {
        struct setting setting = {.p = shards[i % 3], .th = th[i / 3 % 3], .heads = HEADS_AUTO,
                                  .encoding = i % 2 ? PACK_PACKED : PACK_AUTO};
        struct stream stream = random_stream(i, 30 + 60 * i, 40 + 500 * i, i / 9 == 1);
        stream.direction = direction[i / 9];
        same[i / 9] &= joins_as_packed(&stream, setting, 1 + (int)i % 3);
        if (i % 5 == 0) {
            setting.heads = 1 + (int)i % 4;
            given &= joins_as_packed(&stream, setting, 2);
            stream.direction = EDGES_DIRECTED;
            setting.out_only = 1;
            out_only &= joins_as_packed(&stream, setting, 2);
        }
        free(stream.edges);
    }
    report(same[0], "undirected edges: 2, 3 and 7 joined shards are the shard of one packing, TH 0, 16 and none");
    report(same[1], "symmetric edges: joined shards are the shard of one packing");
    report(same[2], "directed edges, with in-rows: joined shards are the shard of one packing");
    report(given, "joined shards have the head columns that the user gave");
    report(out_only, "directed edges without in-rows: joined shards are the shard of one packing");
}

/* Shards without normals, delegates or edges, and vertices without edges. */
static void test_small(void)
{
    static struct edge one[] = {{3, 5}}, loop[] = {{4, 4}, {4, 4}, {9, 1}, {2, 2}}, star[] = {{0, 7}, {0, 14}, {0, 21}, {0, 28}};
    const struct stream streams[] = {{.n = 0}, {.n = 40}, {.n = 40, .count = 1, .edges = one}, {.n = 40, .count = 4, .edges = loop},
                                     {.n = 40, .count = 4, .edges = star}};
    int same = 1;
    for (unsigned i = 0; i < 5; i++) {
        for (uint64_t th = 0; th < 4; th += 2)
            same &= joins_as_packed(&streams[i], (struct setting){.p = 7, .th = th, .heads = HEADS_AUTO, .encoding = PACK_PACKED}, 2);
    }
    report(same, "shards without vertices or edges are joined");
}

/* A column out of range, ids that differ in width, and too little memory are refused, and nothing stays allocated. */
static void test_refused(void)
{
    struct stream stream = random_stream(3, 400, 3000, 0);
    struct setting setting = {.p = 3, .th = 16, .heads = HEADS_AUTO, .encoding = PACK_RAW};
    struct memory_budget small = {.limit_bytes = 8000};
    struct join_options options = {.path = "joined", .threads = 2, .budget = &budget};
    struct shard *shards = pack_shards(&stream, &setting), joined;
    struct error e = {0};
    const struct section *columns = container_find(shards[1].file, shard_section_of(NN, SHARD_COLUMNS));
    char path[200];
    snprintf(path, sizeof path, "%s", container_path(shards[1].file));
    const long at = (long)columns->offset;
    close_shards(shards, 3);

    FILE *file = fopen(path, "r+b");
    if (file == NULL || fseek(file, at, SEEK_SET) != 0 || fwrite("\377\377\377", 1, 3, file) != 3 || fclose(file) != 0)
        abort();
    struct manifest manifest;
    if (manifest_read(&manifest, folder, &e) != ST_OK)
        stop_at(&e);
    shards = calloc(3, sizeof *shards);
    for (uint32_t s = 0; s < 3; s++) {
        if (manifest_open_shard(&manifest, folder, s, &shards[s], &e) != ST_OK)
            stop_at(&e);
    }
    manifest_free(&manifest);
    report(shard_join(&joined, shards, 3, &options, &e) == ST_BAD_DATA && strstr(e.text, "nn: column 0: is out of range") != NULL &&
               strstr(e.text, "part-0001-of-0003") != NULL, "a column out of range is refused, with the part and the place");
    close_shards(shards, 3);
    shard_close(&joined);
    report(budget.taken_bytes == 0, "nothing stays allocated after a refusal");

    e = (struct error){0};
    shards = pack_shards(&stream, &setting);
    options.budget = &small;
    report(shard_join(&joined, shards, 3, &options, &e) == ST_RESOURCE, "too little memory is refused");
    close_shards(shards, 3);
    shard_close(&joined);
    report(small.taken_bytes == 0, "nothing stays allocated where memory is short");
    free(stream.edges);
}

int main(void)
{
    snprintf(folder, sizeof folder, "%s/dbfs-unit.%ld.join", unit_place(), (long)getpid());
    test_joined();
    test_small();
    test_refused();
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return unit_result() | (system(command) != 0);
}
