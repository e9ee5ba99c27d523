/* test_verify.c: verification finds a wrong shard directory even if every checksum in it is right.
 *
 * Each word of each section of a small packed graph is raised by one and lowered by one, and CRCs and manifest are
 * made to fit. Verification must refuse each such directory. The graph has no isolated vertices, since one could
 * take the place of another unnoticed. The places of self-loops are not tested, as only the input has them. */
#include "stream.h"
#include "unit.h"

#include "formats/graph/manifest.h"
#include "tools/pack/pack.h"
#include "tools/pack/folder/pack_verify.h"

enum { VERTICES = 15, P = 2, TH = 3, MAX_BYTES = 1 << 12 };

static char folder[64];
static struct manifest good;

/* A part's sections, to be changed and written again. */
struct part {
    uint32_t count;
    struct section section[CONTAINER_MAX_SECTIONS];
    unsigned char bytes[CONTAINER_MAX_SECTIONS][MAX_BYTES];
};

static char *part_path(uint32_t shard)
{
    static char path[160];
    char name[64];
    snprintf(path, sizeof path, "%s/%s", folder, manifest_part_name(name, sizeof name, shard, P));
    return path;
}

static void read_part(struct part *part, uint32_t shard)
{
    struct error e = {0};
    struct container *c;
    if (container_open(&c, &shard_kind, part_path(shard), &e) != ST_OK)
        stop_at(&e);
    part->count = container_sections(c);
    for (uint32_t i = 0; i < part->count; i++) {
        part->section[i] = *container_section(c, i);
        if (part->section[i].bytes > MAX_BYTES)
            abort();
        memcpy(part->bytes[i], part->section[i].data, part->section[i].bytes);
    }
    container_close(c);
}

/* Writes a part, and a manifest that agrees with it. */
static void write_part(const struct part *part, uint32_t shard)
{
    struct error e = {0};
    struct outfile *out;
    struct container_writer *w;
    struct manifest m = good;
    struct manifest_part parts[P];
    memcpy(parts, good.part, sizeof parts);
    m.part = parts;
    if (outfile_open(&out, part_path(shard), &e) != ST_OK ||
        container_writer_open(&w, &shard_kind, out, &e) != ST_OK)
        stop_at(&e);
    for (uint32_t i = 0; i < part->count; i++)
        container_add(w, part->section[i].type, part->section[i].width, part->section[i].count,
                      part->bytes[i], &e);
    if (e.status != ST_OK || container_writer_finish(w, &parts[shard].table_crc, &e) != ST_OK)
        stop_at(&e);
    parts[shard].bytes = outfile_tell(out);
    container_writer_free(w);
    if (outfile_commit(out, NULL, &e) != ST_OK || manifest_write(&m, folder, &e) != ST_OK)
        stop_at(&e);
}

static enum status verify(struct error *e)
{
    struct memory_budget budget = {.limit_bytes = 1 << 28};
    struct verify_report verified;
    memset(e, 0, sizeof *e);
    return pack_verify(folder, 1, &budget, &verified, e);
}

static void add_to_word(unsigned char *at, unsigned width, int delta)
{
    uint64_t word = 0;
    memcpy(&word, at, width);
    word += (uint64_t)delta;
    memcpy(at, &word, width);
}

/* Words of 4 bytes if elements have 4. Degree runs, masks and attributes have 8; of a loop only its count is
 * changed. */
static unsigned word_bytes(const struct section *s)
{
    return s->width == 4 ? 4 : 8;
}

static int every_change_is_refused(struct part *part, uint32_t shard, uint32_t i, unsigned *tried)
{
    const struct section *s = &part->section[i];
    unsigned width = word_bytes(s), first = s->type == SHARD_LOOPS ? 8 : 0;
    unsigned step = s->type == SHARD_LOOPS ? 16 : width;
    struct error e;
    for (uint64_t at = first; at < s->bytes; at += step) {
        for (int delta = -1; delta <= 1; delta += 2) {
            add_to_word(part->bytes[i] + at, width, delta);
            write_part(part, shard);
            enum status status = verify(&e);
            add_to_word(part->bytes[i] + at, width, -delta);
            ++*tried;
            if (status != ST_BAD_DATA) {
                printf("# part %u, %s, byte %llu, %+d: status %d\n", shard,
                       shard_kind.section_name(s->type), (unsigned long long)at, delta, status);
                return 0;
            }
        }
    }
    return 1;
}

static void test_sections(void)
{
    static struct part part;
    struct error e;
    unsigned tried = 0;
    for (uint32_t shard = 0; shard < P; shard++) {
        read_part(&part, shard);
        for (uint32_t i = 0; i < part.count; i++) {
            char name[96];
            int ok = every_change_is_refused(&part, shard, i, &tried);
            snprintf(name, sizeof name, "part %u: any change of %s is refused", shard,
                     shard_kind.section_name(part.section[i].type));
            report(ok, name);
        }
        write_part(&part, shard);
        report(verify(&e) == ST_OK, "the part without the change is accepted");
    }
    report(tried > 300, "hundreds of changes were tried");
}

static struct section *find_section(struct part *part, uint32_t type)
{
    for (uint32_t i = 0; i < part->count; i++) {
        if (part->section[i].type == type)
            return &part->section[i];
    }
    abort();
}

/* A bit of the mask's last word that no row has. */
static int bit_is_refused(struct part *part, uint32_t shard, uint32_t type, unsigned bit)
{
    const struct section *s = find_section(part, type);
    unsigned char *byte = part->bytes[s - part->section] + s->bytes - 8 + bit / 8;
    struct error e;
    *byte = (unsigned char)(*byte ^ 1u << bit % 8);
    write_part(part, shard);
    enum status status = verify(&e);
    *byte = (unsigned char)(*byte ^ 1u << bit % 8);
    return status == ST_BAD_DATA && strstr(e.text, shard_kind.section_name(type)) != NULL;
}

static void test_mask_ends(void)
{
    static struct part part;
    struct error e;
    for (uint32_t shard = 0; shard < P; shard++) {
        read_part(&part, shard);
        for (int g = 0; g < SUBGRAPHS; g++) {
            uint32_t type = shard_section_of((enum subgraph)g, SHARD_SOURCES);
            uint64_t rows =
                find_section(&part, shard_section_of((enum subgraph)g, SHARD_OFFSETS))->count - 1;
            char name[96];
            snprintf(name, sizeof name, "part %u: bits of %s past the last row are refused", shard,
                     shard_kind.section_name(type));
            report(rows % 64 > 0 && bit_is_refused(&part, shard, type, rows % 64) &&
                       bit_is_refused(&part, shard, type, 63),
                   name);
        }
        write_part(&part, shard);
        report(verify(&e) == ST_OK, "the part without wrong bits is accepted");
    }
}

/* Exchanges two self-loops. */
static void test_loop_order(void)
{
    static struct part part;
    struct error e;
    struct loop_count swapped[2];
    for (uint32_t shard = 0; shard < P; shard++) {
        read_part(&part, shard);
        struct section *s = find_section(&part, SHARD_LOOPS);
        struct loop_count *loops = (struct loop_count *)(void *)part.bytes[s - part.section];
        if (s->count < 2)
            continue;
        swapped[0] = loops[1], swapped[1] = loops[0];
        memcpy(loops, swapped, sizeof swapped);
        write_part(&part, shard);
        report(verify(&e) == ST_BAD_DATA && strstr(e.text, "loops: entry 1: vertices do not ascend"),
               "self-loops in another order are refused");
        swapped[0] = loops[1], swapped[1] = loops[0];
        memcpy(loops, swapped, sizeof swapped);
        write_part(&part, shard);
        report(verify(&e) == ST_OK, "self-loops in their order are accepted");
        return;
    }
    report(0, "no part has two self-loops");
}

static int manifest_is_refused(const struct manifest *m)
{
    struct error e = {0};
    if (manifest_write(m, folder, &e) != ST_OK)
        stop_at(&e);
    return verify(&e) == ST_BAD_DATA;
}

static void test_manifest(void)
{
    struct manifest m = good;
    int counts = 1;
    for (int g = 0; g < SUBGRAPHS; g++) {
        m = good;
        m.edges[g]++;
        counts &= manifest_is_refused(&m);
    }
    report(counts, "class counts that the parts do not hold");
    m = good;
    m.totals.loops++;
    report(manifest_is_refused(&m), "self-loops that the parts do not hold");
    m = good;
    m.totals.edges++;
    report(manifest_is_refused(&m), "a manifest with edges that the degrees do not sum up to is refused");
    m = good;
    m.th++;
    report(manifest_is_refused(&m), "a manifest with another TH is refused");
}

/* A path through all vertices, so that none is isolated, and some more edges. */
static void pack_graph(void)
{
    struct stream s = random_stream(11, VERTICES, 30, 0);
    struct pack_options o = {.p = P, .th_given = 1, .th = TH, .threads = 1, .folder = folder};
    struct pack_report packed;
    struct memory_budget budget = {.limit_bytes = 1 << 28};
    struct error e = {0};
    for (uint64_t v = 0; v + 1 < VERTICES; v++)
        s.edges[s.count++] = (struct edge){v, v + 1};
    for (uint64_t v = 2; v < 8; v += 2)
        s.edges[s.count++] = (struct edge){v, v};
    struct edge_source source = open_stream(&s);
    for (int g = 0; g < SUBGRAPHS; g++)
        o.heads[g] = g != NN;
    if (pack(&o, &source, &budget, &packed, &e) != ST_OK ||
        manifest_read(&good, folder, &e) != ST_OK)
        stop_at(&e);
    int all = 1;
    for (int g = 0; g < SUBGRAPHS; g++)
        all &= packed.edges[g] > 0;
    report(all && verify(&e) == ST_OK, "a packed graph with edges of all classes is in order");
    edge_source_close(&source);
    free(s.edges);
}

int main(void)
{
    /* in memory if possible, as hundreds of files are written and synced */
    snprintf(folder, sizeof folder, "%s/dbfs-unit.%ld.verify", unit_place(), (long)getpid());
    pack_graph();
    test_sections();
    test_mask_ends();
    test_loop_order();
    test_manifest();
    for (uint32_t shard = 0; shard < P; shard++)
        unlink(part_path(shard));
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, MANIFEST_NAME);
    unlink(path);
    rmdir(folder);
    manifest_free(&good);
    return unit_result();
}
