/* test_shard_load.c: packed shards.
 *
 * Every section of a packed shard equals that of the raw shard of the same graph. No file, with any bytes, makes
 * opening, loading or checking it access memory outside its own. */
#include "stream.h"
#include "unit.h"

#include "formats/base/bytes.h"
#include "formats/container/container_layout.h"
#include "formats/container/packed_layout.h"
#include "tools/pack/pack.h"

#include <zlib.h>

static char folder[64];
static struct memory_budget budget = {.limit_bytes = UINT64_C(1) << 30};

static char *part_path(void)
{
    static char path[160];
    char name[64];
    snprintf(path, sizeof path, "%s/%s", folder, manifest_part_name(name, sizeof name, 0, 1));
    return path;
}

struct file {
    unsigned char *bytes;
    size_t size;
};

static struct file read_part(void)
{
    struct file f = {.bytes = malloc(1 << 24)};
    FILE *stream = fopen(part_path(), "rb");
    if (f.bytes == NULL || stream == NULL)
        abort();
    f.size = fread(f.bytes, 1, 1 << 24, stream);
    fclose(stream);
    return f;
}

static void write_part(const struct file *f)
{
    FILE *stream = fopen(part_path(), "wb");
    if (stream == NULL || fwrite(f->bytes, 1, f->size, stream) != f->size || fclose(stream) != 0)
        abort();
}

static struct file pack_graph(const struct stream *s, enum pack_encoding encoding, uint64_t th,
                              int heads)
{
    struct pack_options o = {.p = 1, .th_given = 1, .th = th, .encoding = encoding,
                             .mode = FOLDER_FORCE, .threads = 2, .folder = folder};
    struct pack_report packed;
    struct error e = {0};
    struct edge_source source = open_stream(s);
    for (int g = 0; g < SUBGRAPHS; g++)
        o.heads[g] = heads;
    if (pack(&o, &source, &budget, &packed, &e) != ST_OK)
        stop_at(&e);
    edge_source_close(&source);
    return read_part();
}

/* ---- round trips ---- */

static const void *elements(const struct shard *s, uint32_t type)
{
    uint32_t g = (type - SHARD_OFFSETS) / 4;
    switch (type) {
    case SHARD_LOCAL_SLOTS: return s->ids.local_slots;
    case SHARD_LOCAL_DEGREES: return s->degrees.locals.runs;
    case SHARD_DELEGATE_IDS: return s->ids.delegates;
    case SHARD_DELEGATE_DEGREES: return s->degrees.delegates.runs;
    case SHARD_LOOPS: return s->degrees.loops;
    default: break;
    }
    switch (type - 4 * g) {
    case SHARD_OFFSETS: return s->csr[g].offsets;
    case SHARD_COLUMNS: return s->csr[g].columns;
    case SHARD_HEADS: return s->csr[g].heads;
    default: return s->csr[g].sources;
    }
}

static int section_agrees(const struct shard *packed, const struct section *r)
{
    const struct section *s = container_find(packed->file, r->type);
    struct packed view;
    int is_packed = shard_packed(packed, r->type, &view);
    if (s == NULL || s->count != r->count || s->width != r->width ||
        is_packed != (s->encoding == ENCODING_PACKED))
        return 0;
    if (is_packed && (view.count != r->count || view.width != r->width))
        return 0;
    return r->type == SHARD_ATTRIBUTES ||
           memcmp(elements(packed, r->type), r->data, section_decoded_bytes(r)) == 0;
}

static int packed_sections[PACK_ENCODINGS], raw_sections[PACK_ENCODINGS]; /* how many were seen */

/* A section is packed in one file and raw in the other; both are open at once. */
static int shards_agree(const struct stream *s, uint64_t th, int heads, enum pack_encoding encoding,
                        int threads)
{
    struct shard raw, packed;
    struct error e = {0};
    int ok = 1;
    free(pack_graph(s, encoding, th, heads).bytes);
    if (shard_open(&packed, part_path(), &e) != ST_OK ||
        container_check_all(packed.file, threads, &e) != ST_OK ||
        shard_load(&packed, SHARD_ALL_COLUMNS, threads, &budget, &e) != ST_OK)
        stop_at(&e);
    free(pack_graph(s, PACK_RAW, th, heads).bytes);
    if (shard_open(&raw, part_path(), &e) != ST_OK ||
        shard_load(&raw, SHARD_ALL_COLUMNS, threads, &budget, &e) != ST_OK)
        stop_at(&e);
    for (uint32_t i = 0; i < container_sections(raw.file); i++) {
        const struct section *r = container_section(raw.file, i);
        ok &= section_agrees(&packed, r);
        packed_sections[encoding] +=
            container_section(packed.file, i)->encoding == ENCODING_PACKED;
        raw_sections[encoding] += container_section(packed.file, i)->encoding == ENCODING_RAW;
        ok &= r->encoding == ENCODING_RAW;
    }
    ok &= shard_device_bytes(&raw) == shard_device_bytes(&packed);
    ok &= shard_check(&packed, threads, &e) == ST_OK;
    shard_unload(&packed);
    ok &= encoding != PACK_PACKED || packed.csr[DD].columns == NULL;
    ok &= packed.degrees.locals.runs != NULL;
    shard_close(&packed);
    shard_close(&raw);
    return ok && budget.taken_bytes == 0;
}

static void test_round_trips(void)
{
    static const uint64_t th[] = {0, 3, TH_INFINITE};
    int ok = 1, automatic = 1;
    for (unsigned i = 0; i < 12; i++) {
        struct stream s = random_stream(i, 20 + 500 * i, 40 + 1500 * i, (int)(i % 2));
        ok &= shards_agree(&s, th[i % 3], (int)(i % 4), PACK_PACKED, 1 + (int)(i % 3));
        if (i > 3)
            automatic &= shards_agree(&s, th[i % 3], (int)(i % 4), PACK_AUTO, 2);
        free(s.edges);
    }
    report(ok, "packed: every section decodes to that of the raw shard");
    report(automatic, "auto: every section decodes to that of the raw shard");
    /* raw sections: attributes, degrees and loops alone */
    report(raw_sections[PACK_PACKED] == 4 * 12 && packed_sections[PACK_AUTO] > 0 &&
               raw_sections[PACK_AUTO] > packed_sections[PACK_AUTO] / 10,
           "packed packs what can be, auto some");
    struct stream nothing = random_stream(1, 9, 0, 0);
    report(shards_agree(&nothing, 3, 2, PACK_PACKED, 2), "packed: a graph without edges");
    free(nothing.edges);
}

static void test_budget(void)
{
    struct stream s = random_stream(4, 3000, 15000, 0);
    struct memory_budget small = {.limit_bytes = 20000};
    struct shard shard;
    struct error e = {0};
    free(pack_graph(&s, PACK_PACKED, 5, 2).bytes);
    if (shard_open(&shard, part_path(), &e) != ST_OK)
        stop_at(&e);
    report(shard_load(&shard, SHARD_ALL_COLUMNS, 2, &small, &e) == ST_RESOURCE &&
               strstr(e.text, "part-0000") != NULL,
           "what is decoded is charged to the budget, and the file named");
    report(small.taken_bytes == 0 && shard.csr[DD].columns == NULL, "decoding that does not fit gives its memory back");
    shard_close(&shard);
    free(s.edges);
}

/* ---- bad files ---- */

/* Opens, loads and checks a file without comparing CRCs, as dbfs-traverse --no-check does; then checks the rest. */
static enum status try_file(const struct file *f)
{
    struct shard shard;
    struct error e = {0};
    write_part(f);
    if (shard_open(&shard, part_path(), &e) == ST_OK &&
        shard_load(&shard, SHARD_ALL_COLUMNS, 2, &budget, &e) == ST_OK)
        shard_check(&shard, 2, &e);
    shard_close(&shard);
    return e.status;
}

static enum status compare_crcs(const struct file *f)
{
    struct shard shard;
    struct error e = {0};
    write_part(f);
    if (shard_open(&shard, part_path(), &e) == ST_OK)
        container_check_all(shard.file, 1, &e);
    shard_close(&shard);
    return e.status;
}

static unsigned char *entry_of(const struct file *f, uint32_t i)
{
    return f->bytes + HEADER_BYTES + (size_t)ENTRY_BYTES * i;
}

static void fit_table_crc(struct file *f)
{
    uint32_t sections = get_u32(f->bytes + HEADER_SECTIONS_AT);
    put_u32(f->bytes + HEADER_TABLE_CRC_AT,
            (uint32_t)crc32_z(0, f->bytes + HEADER_BYTES, (size_t)ENTRY_BYTES * sections));
    put_u32(f->bytes + HEADER_CRC_AT, (uint32_t)crc32_z(0, f->bytes, HEADER_CRC_AT));
}

/* The regions of a packed section: words, groups, bases, entries. */
static uint64_t region_begin(uint64_t size, uint64_t count, uint32_t width, int region)
{
    uint64_t blocks = packed_blocks(count), entries = size - 4 * blocks;
    uint64_t bases = entries - width * blocks, groups = bases - 8 * (packed_groups(blocks) + 1);
    const uint64_t begin[5] = {0, groups, bases, entries, size};
    return begin[region];
}

static void test_flips(const struct file *good)
{
    uint64_t drawn = 0;
    int refused = 0, unclear = 0, unseen = 0, tried[4] = {0};
    for (uint32_t i = 0; i < get_u32(good->bytes + HEADER_SECTIONS_AT); i++) {
        const unsigned char *entry = entry_of(good, i);
        uint64_t at = get_u64(entry + ENTRY_OFFSET_AT), size = get_u64(entry + ENTRY_SIZE_AT);
        uint64_t count = get_u64(entry + ENTRY_COUNT_AT);
        uint32_t width = get_u32(entry + ENTRY_WIDTH_AT);
        if (get_u32(entry + ENTRY_ENCODING_AT) != ENCODING_PACKED || size == 0)
            continue;
        for (int region = 0; region < 4; region++) {
            uint64_t begin = region_begin(size, count, width, region);
            uint64_t bits = 8 * (region_begin(size, count, width, region + 1) - begin);
            for (int flips = 0; bits > 0 && flips < 25; flips++) {
                uint64_t bit = 8 * (at + begin) + random64(9, drawn++) % bits;
                good->bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
                enum status status = try_file(good);
                refused += status == ST_BAD_DATA;
                unclear += status != ST_BAD_DATA && status != ST_OK;
                unseen += flips < 5 && compare_crcs(good) != ST_BAD_DATA;
                good->bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
                tried[region]++;
            }
        }
    }
    report(tried[0] > 200 && tried[1] > 200 && tried[2] > 200 && tried[3] > 200 && refused > 400 &&
               unclear == 0,
           "one wrong bit in any region, CRC not compared: refused, or in bounds");
    report(unseen == 0, "the CRC notices each wrong bit");
}

static void draw_garbage(struct file *f, uint64_t begin, uint64_t bytes, uint64_t seed)
{
    for (uint64_t i = 0; i < bytes; i++)
        f->bytes[begin + i] = (unsigned char)random64(seed, i);
}

/* Fills whole regions with any bytes; mostly words, which decode in any case. */
static void test_garbage(const struct file *good)
{
    int refused = 0, unclear = 0;
    struct file bad = {malloc(good->size), good->size};
    for (uint64_t seed = 0; seed < 400; seed++) {
        uint32_t sections = get_u32(good->bytes + HEADER_SECTIONS_AT);
        const unsigned char *entry = entry_of(good, (uint32_t)(random64(21, seed) % sections));
        uint64_t at = get_u64(entry + ENTRY_OFFSET_AT), size = get_u64(entry + ENTRY_SIZE_AT);
        int region = (int)(random64(22, seed) % 6) % 4;
        if (get_u32(entry + ENTRY_ENCODING_AT) != ENCODING_PACKED || size == 0)
            continue;
        uint64_t count = get_u64(entry + ENTRY_COUNT_AT);
        uint32_t width = get_u32(entry + ENTRY_WIDTH_AT);
        uint64_t begin = region_begin(size, count, width, region);
        memcpy(bad.bytes, good->bytes, good->size);
        draw_garbage(&bad, at + begin, region_begin(size, count, width, region + 1) - begin, seed);
        enum status status = try_file(&bad);
        refused += status == ST_BAD_DATA;
        unclear += status != ST_BAD_DATA && status != ST_OK;
    }
    report(refused > 100 && unclear == 0, "any bytes in a region: refused, or in bounds");
    free(bad.bytes);
}

/* Table entries that contradict their section, under right CRCs. */
static void test_entries(const struct file *good)
{
    static const uint64_t delta[] = {1, UINT64_MAX, 4, 128, (uint64_t)-128, UINT64_C(1) << 32,
                                     UINT64_C(1) << 57, UINT64_C(1) << 63};
    int refused = 0, tried = 0;
    struct file bad = {malloc(good->size), good->size};
    for (uint32_t i = 0; i < get_u32(good->bytes + HEADER_SECTIONS_AT); i++) {
        for (unsigned j = 0; j < 26; j++) {
            memcpy(bad.bytes, good->bytes, good->size);
            unsigned char *entry = entry_of(&bad, i);
            uint32_t width = get_u32(entry + ENTRY_WIDTH_AT);
            if (j < 8)
                put_u64(entry + ENTRY_COUNT_AT, get_u64(entry + ENTRY_COUNT_AT) + delta[j]);
            else if (j < 16)
                put_u64(entry + ENTRY_SIZE_AT, get_u64(entry + ENTRY_SIZE_AT) + delta[j - 8]);
            else if (j < 24)
                put_u64(entry + ENTRY_OFFSET_AT, get_u64(entry + ENTRY_OFFSET_AT) + delta[j - 16]);
            else if (j == 24)
                put_u32(entry + ENTRY_WIDTH_AT, width == 4 ? 8 : width == 8 ? 4 : 8);
            else
                put_u32(entry + ENTRY_ENCODING_AT, get_u32(entry + ENTRY_ENCODING_AT) ^ 1);
            fit_table_crc(&bad);
            enum status status = try_file(&bad);
            refused += status == ST_BAD_DATA;
            tried++;
            if (status != ST_BAD_DATA)
                printf("# section %s, change %u: status %d\n",
                       shard_kind.section_name(get_u32(entry + ENTRY_TYPE_AT)), j, status);
        }
    }
    report(tried > 400 && refused == tried,
           "a table entry that does not fit its section is refused");
    free(bad.bytes);
}

/* Loads a file as a search does, which checks no rows. */
static enum status load_file(const struct file *f, unsigned columns, struct error *e)
{
    struct shard shard;
    memset(e, 0, sizeof *e);
    write_part(f);
    if (shard_open(&shard, part_path(), e) == ST_OK)
        shard_load(&shard, columns, 2, &budget, e);
    shard_close(&shard);
    return e->status;
}

/* The last word of each source mask, in a raw shard: a backend follows every set bit. */
static void test_mask_ends(void)
{
    struct stream s = random_stream(5, 900, 6000, 0);
    struct file f = pack_graph(&s, PACK_RAW, 12, 2);
    struct error e;
    int masks = 0, refused = 1;
    for (uint32_t i = 0; i < get_u32(f.bytes + HEADER_SECTIONS_AT); i++) {
        const unsigned char *entry = entry_of(&f, i);
        uint32_t type = get_u32(entry + ENTRY_TYPE_AT);
        if (type < SHARD_OFFSETS || (type - SHARD_SOURCES) % 4 != 0)
            continue;
        unsigned char *last =
            f.bytes + get_u64(entry + ENTRY_OFFSET_AT) + get_u64(entry + ENTRY_SIZE_AT) - 1;
        *last ^= 0x80;
        for (unsigned columns = SHARD_NO_COLUMNS; columns <= SHARD_ALL_COLUMNS;
             columns += SHARD_ALL_COLUMNS)
            refused &= load_file(&f, columns, &e) == ST_BAD_DATA &&
                       strstr(e.text, shard_kind.section_name(type)) != NULL;
        *last ^= 0x80;
        masks++;
    }
    report(masks == SUBGRAPHS && refused,
           "loading refuses a bit past the last row in all four masks");
    report(load_file(&f, SHARD_ALL_COLUMNS, &e) == ST_OK, "loading takes masks without such bits");
    free(f.bytes);
    free(s.edges);
}

/* ---- containers ---- */

static const char *any_name(uint32_t type)
{
    return type == 1 ? "first" : "other";
}

static void test_kinds(void)
{
    static const struct container_kind packed = {
        .magic = "TESTKIND", .what = "test", .version = 1, .section_name = any_name, .packed = 1};
    static const struct container_kind raw_only = {
        .magic = "TESTKIND", .what = "test", .version = 1, .section_name = any_name};
    static uint64_t array[300];
    const struct section_content content[] = {{1, 8, 300, array}, {2, 4, 0, array}};
    struct error e = {0};
    struct outfile *out = NULL;
    struct container_writer *w = NULL;
    struct container *c = NULL;
    for (uint64_t i = 0; i < 300; i++) /* across 2^32 and, from element 200 on, around 2^64 */
        array[i] = i < 200 ? (UINT64_C(1) << 32) - 100 + i : UINT64_MAX - 250 + i;
    if (outfile_open(&out, part_path(), &e) != ST_OK ||
        container_writer_open(&w, &packed, out, &e) != ST_OK ||
        container_add_packed(w, &content[0], 2, &budget, &e) != ST_OK ||
        container_add_packed(w, &content[1], 2, &budget, &e) != ST_OK ||
        container_add(w, 3, 8, 1, array, &e) != ST_OK ||
        container_writer_finish(w, NULL, &e) != ST_OK || outfile_commit(out, NULL, &e) != ST_OK ||
        container_open(&c, &packed, part_path(), &e) != ST_OK)
        stop_at(&e);
    container_writer_free(w);
    uint64_t back[300];
    struct packed view = section_packed(container_section(c, 0));
    report(packed_decode_all(&view, NULL, back, 2) == ST_OK &&
               memcmp(back, array, sizeof back) == 0 && container_section(c, 1)->bytes == 0 &&
               container_check_all(c, 2, &e) == ST_OK,
           "a container of packed and raw sections");
    container_close(c);
    report(container_open(&c, &raw_only, part_path(), &e) == ST_BAD_DATA &&
               strstr(e.text, "first: uses an encoding") != NULL,
           "a kind that has no packed sections refuses them");
    container_close(c);
}

static void remove_folder(void)
{
    char path[160];
    unlink(part_path());
    snprintf(path, sizeof path, "%s/%s", folder, MANIFEST_NAME);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    /* in memory if possible, as thousands of files are written */
    snprintf(folder, sizeof folder, "%s/dbfs-unit.%ld.load", unit_place(), (long)getpid());
    test_round_trips();
    test_budget();
    struct stream s = random_stream(5, 900, 6000, 0);
    struct file good = pack_graph(&s, PACK_PACKED, 12, 2);
    report(try_file(&good) == ST_OK, "a packed shard is in order");
    test_flips(&good);
    test_garbage(&good);
    test_entries(&good);
    free(good.bytes);
    free(s.edges);
    test_mask_ends();
    test_kinds();
    report(budget.taken_bytes == 0, "all memory was given back");
    remove_folder();
    return unit_result();
}
